//! Joints: what the user asks for ([`JointKind`]) and the kernels the algorithms run on.
//!
//! A kernel is one file that implements [`JointKernel`] for one kind of joint; the table at the
//! [`Joint`] enum is where it is registered. All kernels have a motion subspace that is **constant
//! in the frame of the moved body**, so that the derivative of a subspace column in world
//! coordinates is always `v_body × column`. A universal joint, whose subspace is not constant, is
//! built from two revolute kernels with a massless cross between them.

mod cylindrical;
mod free;
mod helical;
mod kind;
mod planar;
mod prismatic;
mod revolute;
mod spherical;

pub(crate) use cylindrical::Cylindrical;
pub(crate) use free::Free;
pub(crate) use helical::Helical;
pub use kind::JointKind;
pub(crate) use planar::Planar;
pub(crate) use prismatic::Prismatic;
pub(crate) use revolute::{AlignedRevolute, Revolute, Turn};
pub(crate) use spherical::Spherical;

use rand::Rng;

use crate::spatial::{ArticulatedInertia, Force, Motion, Transform};

/// What the algorithms need to know about one kind of joint. `q` and `v` are the joint's own
/// slices of the configuration (length `NQ`) and of the velocity (length `NV`).
pub(crate) trait JointKernel {
    /// Number of configuration coordinates.
    const NQ: usize;
    /// Number of degrees of freedom, at most six.
    const NV: usize;

    /// `placement` followed by the motion of the joint at `q`.
    fn transform(&self, placement: &Transform, q: &[f64]) -> Transform;

    /// Column `k` of the motion subspace S, in the frame of the moved body.
    fn column(&self, k: usize) -> Motion;

    /// S v
    #[inline(always)]
    fn velocity(&self, v: &[f64]) -> Motion {
        let mut sum = self.column(0) * v[0];
        for k in 1..Self::NV {
            sum += self.column(k) * v[k];
        }
        sum
    }

    /// motion + S v
    #[inline(always)]
    fn add_velocity(&self, motion: Motion, v: &[f64]) -> Motion {
        motion + self.velocity(v)
    }

    /// Sᵀ f
    #[inline(always)]
    fn project(&self, f: &Force, out: &mut [f64]) {
        for k in 0..Self::NV {
            out[k] = self.column(k).dot(f);
        }
    }

    /// body × (S v), the bias acceleration of a constant subspace.
    #[inline(always)]
    fn bias(&self, body: &Motion, v: &[f64]) -> Motion {
        body.cross(&self.velocity(v))
    }

    /// Inertia times column `k` of S.
    #[inline(always)]
    fn inertia_column(&self, inertia: &ArticulatedInertia, k: usize) -> Force {
        inertia.mul(&self.column(k))
    }

    /// The columns of S carried to the parent of `pose`.
    #[inline(always)]
    fn columns_at(&self, pose: &Transform, out: &mut [Motion]) {
        for k in 0..Self::NV {
            out[k] = pose.apply_motion(&self.column(k));
        }
    }

    /// A motion of the parent, in the moved body's frame at its pose in the parent.
    #[inline(always)]
    fn motion_from_parent(&self, local: &Transform, motion: &Motion) -> Motion {
        local.apply_inverse_motion(motion)
    }

    /// A force on the moved body, in the parent's frame.
    #[inline(always)]
    fn force_to_parent(&self, local: &Transform, force: &Force) -> Force {
        local.apply_force(force)
    }

    /// An inertia of the moved body, in the parent's frame.
    #[inline(always)]
    fn inertia_to_parent(
        &self,
        local: &Transform,
        inertia: &ArticulatedInertia,
    ) -> ArticulatedInertia {
        local.apply_articulated(inertia)
    }

    /// [`inertia_to_parent`](Self::inertia_to_parent) of what is left where nothing but the body's own inertia
    /// resists the joint: it has nothing along S, which need not be looked at.
    #[inline(always)]
    fn freed_to_parent(&self, local: &Transform, rest: &ArticulatedInertia) -> ArticulatedInertia {
        self.inertia_to_parent(local, rest)
    }

    /// Such an inertia times a [bias acceleration](Self::bias).
    #[inline(always)]
    fn freed_times_bias(&self, rest: &ArticulatedInertia, bias: &Motion) -> Force {
        rest.mul(bias)
    }

    /// Configuration reached from `q` by moving with constant `v` for unit time.
    fn integrate(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        for k in 0..Self::NQ {
            out[k] = q[k] + v[k];
        }
    }

    /// Jr(u)⁻¹ v: the rate of the u with which `q ⊕ u` moves at velocity `v`, Jr being the right
    /// derivative of the exponential.
    #[inline]
    fn exponential_rate(&self, _u: &[f64], v: &[f64], out: &mut [f64]) {
        out.copy_from_slice(v);
    }

    /// The constant velocity that goes from `from` to `to` in unit time.
    fn difference(&self, from: &[f64], to: &[f64], out: &mut [f64]) {
        for k in 0..Self::NV {
            out[k] = to[k] - from[k];
        }
    }

    /// The configuration at which the joint does not move its body.
    fn neutral(&self, out: &mut [f64]) {
        out.fill(0.0);
    }

    /// A random configuration: uniform over rotations, uniform between finite `limits` (lower,
    /// upper per degree of freedom), and in [−1, 1] where a translation has none.
    fn random(&self, limits: &[(f64, f64)], rng: &mut dyn Rng, out: &mut [f64]);

    /// Brings a quaternion to unit length; false when it is too short to have a direction.
    fn normalize(&self, _q: &mut [f64]) -> bool {
        true
    }
}

/// Declares the closed set of joint kernels and the `match` over them.
macro_rules! register_joints {
    ($($variant:ident($kernel:ty)),+ $(,)?) => {
        /// A joint of a built model.
        #[derive(Clone, Debug)]
        pub(crate) enum Joint {
            $($variant($kernel)),+
        }

        impl Joint {
            /// Number of configuration coordinates.
            pub(crate) fn nq(&self) -> usize {
                match self { $(Joint::$variant(_) => <$kernel as JointKernel>::NQ),+ }
            }

            /// Number of degrees of freedom.
            pub(crate) fn nv(&self) -> usize {
                match self { $(Joint::$variant(_) => <$kernel as JointKernel>::NV),+ }
            }
        }

        /// Runs an expression with the kernel of a joint, monomorphised for each kind.
        macro_rules! with_kernel {
            ($joint:expr, $bound:ident => $body:expr) => {
                match $joint { $($crate::joint::Joint::$variant($bound) => $body),+ }
            };
        }
    };
}

register_joints! {
    RevoluteX(AlignedRevolute<0>),
    RevoluteY(AlignedRevolute<1>),
    RevoluteZ(AlignedRevolute<2>),
    UnturnedX(AlignedRevolute<0, true>),
    UnturnedY(AlignedRevolute<1, true>),
    UnturnedZ(AlignedRevolute<2, true>),
    Revolute(Revolute),
    Prismatic(Prismatic),
    Helical(Helical),
    Cylindrical(Cylindrical),
    Planar(Planar),
    Spherical(Spherical),
    Free(Free),
}
#[expect(
    clippy::single_component_path_imports,
    reason = "this is what gives a macro_rules macro a path"
)]
pub(crate) use with_kernel;

impl Joint {
    /// The cheapest kernel for the same joint at this placement.
    pub(crate) fn placed(self, placement: &Transform) -> Self {
        if placement.rotation != nalgebra::Matrix3::identity() {
            return self;
        }
        match self {
            Joint::RevoluteX(joint) => Joint::UnturnedX(AlignedRevolute { turn: joint.turn }),
            Joint::RevoluteY(joint) => Joint::UnturnedY(AlignedRevolute { turn: joint.turn }),
            Joint::RevoluteZ(joint) => Joint::UnturnedZ(AlignedRevolute { turn: joint.turn }),
            other => other,
        }
    }

    /// See [`JointKernel::transform`].
    #[inline]
    pub(crate) fn transform(&self, placement: &Transform, q: &[f64]) -> Transform {
        with_kernel!(self, j => j.transform(placement, q))
    }

    /// See [`JointKernel::column`].
    pub(crate) fn column(&self, k: usize) -> Motion {
        with_kernel!(self, j => j.column(k))
    }

    /// See [`JointKernel::velocity`].
    #[inline]
    pub(crate) fn velocity(&self, v: &[f64]) -> Motion {
        with_kernel!(self, j => j.velocity(v))
    }

    /// See [`JointKernel::project`].
    #[inline]
    pub(crate) fn project(&self, f: &Force, out: &mut [f64]) {
        with_kernel!(self, j => j.project(f, out));
    }

    /// See [`JointKernel::columns_at`].
    #[inline]
    pub(crate) fn columns_at(&self, pose: &Transform, out: &mut [Motion]) {
        with_kernel!(self, j => j.columns_at(pose, out));
    }
}

/// A uniform sample between two bounds.
fn uniform(rng: &mut dyn Rng, lower: f64, upper: f64) -> f64 {
    use rand::RngExt;
    let x: f64 = rng.random();
    lower + (upper - lower) * x
}

/// A uniform sample between `limits`, replacing a missing bound by `reach` around the other one or
/// around zero.
fn uniform_within(rng: &mut dyn Rng, limits: (f64, f64), reach: f64) -> f64 {
    let (lower, upper) = match (limits.0.is_finite(), limits.1.is_finite()) {
        (true, true) => limits,
        (true, false) => (limits.0, limits.0 + 2.0 * reach),
        (false, true) => (limits.1 - 2.0 * reach, limits.1),
        (false, false) => (-reach, reach),
    };
    uniform(rng, lower, upper)
}
