//! A rod: what does not change while it moves.

use nalgebra::{Isometry3, Matrix3, UnitQuaternion, Vector3, Vector6};

use super::error::{RodError, same_length};
use super::joint::{Joint, JointRows, MOST_ANGLE};
use super::section::{Damping, Profile, Stiffness};
use super::shape::RodShape;

/// A Cosserat rod cut into links: rigid bodies with a joint of six strains between neighbours.
///
/// Each joint gives half of its length to each of its links: a link inside carries the mass of one
/// joint's length, a link at an end half of it. See the module for the formulas.
#[derive(Debug, Clone, PartialEq)]
pub struct Rod {
    profile: Profile,
    damping: Damping,
    rest: RodShape,
    pub(super) joints: Vec<RestJoint>,
    pub(super) links: Vec<LinkInertia>,
}

/// A joint at rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RestJoint {
    pub(super) length: f64,
    /// e⁰.
    pub(super) strain: Vector6<f64>,
    /// C.
    pub(super) stiffness: [f64; 6],
}

/// Inertia of a link about its centre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LinkInertia {
    /// kg.
    pub(super) mass: f64,
    /// About d1, d2, d3, kg·m².
    pub(super) moments: Vector3<f64>,
}

impl LinkInertia {
    /// In world axes.
    pub(super) fn turned(&self, rotation: &UnitQuaternion<f64>) -> Matrix3<f64> {
        let axes = rotation.to_rotation_matrix().into_inner();
        let turned = axes * Matrix3::from_diagonal(&self.moments) * axes.transpose();
        (turned + turned.transpose()) * 0.5
    }
}

impl Rod {
    /// A rod that is free of stress in this shape, exactly: e⁰ are the strains of its links as they
    /// stand.
    ///
    /// # Errors
    /// Values that no rod has, by name.
    pub fn new(rest: RodShape, profile: Profile) -> Result<Self, RodError> {
        rest.check()?;
        profile.check()?;
        let mut joints = Vec::with_capacity(rest.lengths.len());
        for (at, &length) in rest.lengths.iter().enumerate() {
            let joint = Joint::new(&rest.poses[at], &rest.poses[at + 1], length);
            let angle = joint.angle.norm();
            if !(angle <= MOST_ANGLE) {
                return Err(RodError::Folded { joint: at, angle });
            }
            joints.push(RestJoint {
                length,
                strain: joint.strain(),
                stiffness: profile.stiffness.diagonal(),
            });
        }
        let [first, second] = profile.rotary_inertia;
        let links = (0..rest.poses.len()).map(|link| {
            let before = link.checked_sub(1).map_or(0.0, |joint| rest.lengths[joint]);
            let after = rest.lengths.get(link).copied().unwrap_or(0.0);
            let share = 0.5 * (before + after);
            LinkInertia {
                mass: profile.mass_per_length * share,
                moments: Vector3::new(first, second, first + second) * share,
            }
        });
        Ok(Self {
            profile,
            damping: Damping::default(),
            links: links.collect(),
            joints,
            rest,
        })
    }

    /// The same rod with damping.
    ///
    /// # Errors
    /// Negative damping.
    pub fn with_damping(mut self, damping: Damping) -> Result<Self, RodError> {
        damping.check()?;
        self.damping = damping;
        Ok(self)
    }

    /// The same rod with the bending flexibility that one point of evaluation per joint leaves out
    /// added to shear: 1/kGA + ℓ²/(12 EI). It halves the error of buckling loads of coarse rods; for
    /// large bending it helps some loads and hurts others. Bending then is seen as shear by read-outs.
    #[must_use]
    pub fn with_residual_bending(mut self) -> Self {
        for joint in &mut self.joints {
            let softened: Stiffness = self.profile.stiffness.with_residual_bending(joint.length);
            joint.stiffness = softened.diagonal();
        }
        self
    }

    /// Number of links.
    pub fn link_count(&self) -> usize {
        self.links.len()
    }

    /// Number of joints, one less than links.
    pub fn joint_count(&self) -> usize {
        self.joints.len()
    }

    /// Number of degrees of freedom: (v, ω) of each link, world axes at its centre.
    pub fn dof_count(&self) -> usize {
        6 * self.links.len()
    }

    /// The shape without stress.
    pub fn rest(&self) -> &RodShape {
        &self.rest
    }

    /// Stiffness and inertia per length.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Damping.
    pub fn damping(&self) -> &Damping {
        &self.damping
    }

    /// Mass, kg.
    pub fn mass(&self) -> f64 {
        self.links.iter().map(|link| link.mass).sum()
    }

    /// Mass of a link, kg, and its rotational inertia about its centre, its own axes, kg·m².
    ///
    /// # Errors
    /// A link that does not exist.
    pub fn link_inertia(&self, link: usize) -> Result<(f64, Vector3<f64>), RodError> {
        let links = self.links.len();
        let inertia = self.links.get(link);
        let inertia = inertia.ok_or(RodError::NoSuchLink { link, links })?;
        Ok((inertia.mass, inertia.moments))
    }

    /// Strains, Jacobian and stiffness of the joint between links `joint` and `joint` + 1.
    ///
    /// A soft row of them with law λ = −k e − c J v̂ (λ an impulse) and k = h ℓC, c = h ℓC (h + τ), h the
    /// time step and τ the strain's retardation time, is what the folded matrix has besides masses and
    /// geometric stiffness.
    ///
    /// # Errors
    /// A joint that does not exist, poses of another number than links, a joint that is folded.
    pub fn joint_rows(
        &self,
        joint: usize,
        poses: &[Isometry3<f64>],
    ) -> Result<JointRows, RodError> {
        same_length("poses of links", self.link_count(), poses.len())?;
        let joints = self.joint_count();
        let rest = self.joints.get(joint);
        let rest = rest.ok_or(RodError::NoSuchJoint { joint, joints })?;
        let now = Joint::new(&poses[joint], &poses[joint + 1], rest.length);
        let angle = now.angle.norm();
        if !(angle <= MOST_ANGLE) {
            return Err(RodError::Folded { joint, angle });
        }
        let in_frame = now.jacobian();
        let mut jacobian = nalgebra::SMatrix::<f64, 6, 12>::zeros();
        for row in 0..6 {
            let spread = now.spread(&in_frame.row(row).transpose());
            jacobian.set_row(row, &spread.transpose());
        }
        Ok(JointRows {
            strain: now.strain() - rest.strain,
            jacobian,
            stiffness: rest.stiffness.map(|stiffness| stiffness * rest.length),
        })
    }
}
