//! Revolute and continuous joints, about a coordinate axis (fast) or about any axis.

use std::f64::consts::PI;

use nalgebra::{Matrix3, Vector3};
use rand::Rng;

use super::{JointKernel, uniform_within};
use crate::spatial::lie::wrap_angle;
use crate::spatial::small::{column, cross, cross_unit, from_columns, mat_mul};
use crate::spatial::{ArticulatedInertia, Force, Motion, Transform};

/// Whether a turning joint may go round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Turn {
    /// Angles differ by their plain difference.
    Limited,
    /// Angles differ by the shorter way round.
    Continuous,
}

impl Turn {
    fn difference(self, from: f64, to: f64) -> f64 {
        match self {
            Turn::Limited => to - from,
            Turn::Continuous => wrap_angle(to - from),
        }
    }

    fn random(self, limits: (f64, f64), rng: &mut dyn Rng) -> f64 {
        match self {
            Turn::Limited => uniform_within(rng, limits, PI),
            Turn::Continuous => uniform_within(rng, (f64::NEG_INFINITY, f64::INFINITY), PI),
        }
    }
}

/// Rotation about the x (0), y (1) or z (2) axis of the joint frame; `UNTURNED` where the axes of that frame are
/// those of the parent, as in most robots: then the pose in the parent turns a plane alone, and what is
/// carried to the parent costs half as much.
#[derive(Clone, Debug)]
pub(crate) struct AlignedRevolute<const AXIS: usize, const UNTURNED: bool = false> {
    pub(crate) turn: Turn,
}

impl<const AXIS: usize, const UNTURNED: bool> AlignedRevolute<AXIS, UNTURNED> {
    #[inline(always)]
    fn unit(scale: f64) -> Vector3<f64> {
        match AXIS {
            0 => Vector3::new(scale, 0.0, 0.0),
            1 => Vector3::new(0.0, scale, 0.0),
            _ => Vector3::new(0.0, 0.0, scale),
        }
    }
}

impl<const AXIS: usize, const UNTURNED: bool> JointKernel for AlignedRevolute<AXIS, UNTURNED> {
    const NQ: usize = 1;
    const NV: usize = 1;

    #[inline(always)]
    fn transform(&self, placement: &Transform, q: &[f64]) -> Transform {
        let (s, c) = q[0].sin_cos();
        if UNTURNED {
            let rotation = match AXIS {
                0 => Matrix3::new(1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c),
                1 => Matrix3::new(c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c),
                _ => Matrix3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0),
            };
            return Transform::new(rotation, placement.translation);
        }
        let r = &placement.rotation;
        let (x, y, z) = (column::<0>(r), column::<1>(r), column::<2>(r));
        // the two columns across the axis turn within their plane
        let rotation = match AXIS {
            0 => from_columns(&x, &(y * c + z * s), &(z * c - y * s)),
            1 => from_columns(&(x * c - z * s), &y, &(z * c + x * s)),
            _ => from_columns(&(x * c + y * s), &(y * c - x * s), &z),
        };
        Transform::new(rotation, placement.translation)
    }

    #[inline(always)]
    fn column(&self, _k: usize) -> Motion {
        Motion::new(Vector3::zeros(), Self::unit(1.0))
    }

    #[inline(always)]
    fn velocity(&self, v: &[f64]) -> Motion {
        Motion::new(Vector3::zeros(), Self::unit(v[0]))
    }

    #[inline(always)]
    fn add_velocity(&self, mut motion: Motion, v: &[f64]) -> Motion {
        motion.angular[AXIS] += v[0];
        motion
    }

    #[inline(always)]
    fn project(&self, f: &Force, out: &mut [f64]) {
        out[0] = f.angular[AXIS];
    }

    #[inline(always)]
    fn bias(&self, body: &Motion, v: &[f64]) -> Motion {
        Motion::new(
            cross_unit::<AXIS>(&body.linear, v[0]),
            cross_unit::<AXIS>(&body.angular, v[0]),
        )
    }

    #[inline(always)]
    fn inertia_column(&self, i: &ArticulatedInertia, _k: usize) -> Force {
        let d = &i.angular;
        let angular = match AXIS {
            0 => Vector3::new(d.xx, d.xy, d.xz),
            1 => Vector3::new(d.xy, d.yy, d.yz),
            _ => Vector3::new(d.xz, d.yz, d.zz),
        };
        Force::new(column::<AXIS>(&i.coupling), angular)
    }

    #[inline(always)]
    fn columns_at(&self, pose: &Transform, out: &mut [Motion]) {
        let axis = column::<AXIS>(&pose.rotation);
        out[0] = Motion::new(cross(&pose.translation, &axis), axis);
    }

    #[inline(always)]
    fn motion_from_parent(&self, local: &Transform, motion: &Motion) -> Motion {
        match UNTURNED {
            true => local.apply_inverse_motion_about::<AXIS>(motion),
            false => local.apply_inverse_motion(motion),
        }
    }

    #[inline(always)]
    fn force_to_parent(&self, local: &Transform, force: &Force) -> Force {
        match UNTURNED {
            true => local.apply_force_about::<AXIS>(force),
            false => local.apply_force(force),
        }
    }

    #[inline(always)]
    fn inertia_to_parent(
        &self,
        local: &Transform,
        inertia: &ArticulatedInertia,
    ) -> ArticulatedInertia {
        match UNTURNED {
            true => local.apply_articulated_about::<AXIS, false>(inertia),
            false => local.apply_articulated(inertia),
        }
    }

    #[inline(always)]
    fn freed_to_parent(&self, local: &Transform, rest: &ArticulatedInertia) -> ArticulatedInertia {
        match UNTURNED {
            true => local.apply_articulated_about::<AXIS, true>(rest),
            false => local.apply_freed::<AXIS>(rest),
        }
    }

    #[inline(always)]
    fn freed_times_bias(&self, rest: &ArticulatedInertia, bias: &Motion) -> Force {
        rest.freed_mul_across::<AXIS>(bias)
    }

    fn difference(&self, from: &[f64], to: &[f64], out: &mut [f64]) {
        out[0] = self.turn.difference(from[0], to[0]);
    }

    fn random(&self, limits: &[(f64, f64)], rng: &mut dyn Rng, out: &mut [f64]) {
        out[0] = self.turn.random(limits[0], rng);
    }
}

/// Rotation about a fixed unit axis.
#[derive(Clone, Debug)]
pub(crate) struct Revolute {
    pub(crate) axis: Vector3<f64>,
    pub(crate) turn: Turn,
}

impl JointKernel for Revolute {
    const NQ: usize = 1;
    const NV: usize = 1;

    #[inline]
    fn transform(&self, placement: &Transform, q: &[f64]) -> Transform {
        let turned = rotation_about(&self.axis, q[0]);
        Transform::new(mat_mul(&placement.rotation, &turned), placement.translation)
    }

    #[inline]
    fn column(&self, _k: usize) -> Motion {
        Motion::new(Vector3::zeros(), self.axis)
    }

    fn difference(&self, from: &[f64], to: &[f64], out: &mut [f64]) {
        out[0] = self.turn.difference(from[0], to[0]);
    }

    fn random(&self, limits: &[(f64, f64)], rng: &mut dyn Rng, out: &mut [f64]) {
        out[0] = self.turn.random(limits[0], rng);
    }
}

/// Rodrigues' formula for a unit axis and an angle (rad).
#[inline]
pub(super) fn rotation_about(a: &Vector3<f64>, angle: f64) -> Matrix3<f64> {
    let (s, c) = angle.sin_cos();
    let b = a * (1.0 - c);
    Matrix3::new(
        b.x * a.x + c,
        b.x * a.y - s * a.z,
        b.x * a.z + s * a.y,
        b.y * a.x + s * a.z,
        b.y * a.y + c,
        b.y * a.z - s * a.x,
        b.z * a.x - s * a.y,
        b.z * a.y + s * a.x,
        b.z * a.z + c,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every shortcut of an aligned kernel against the kernel for any axis.
    fn check_against_general<const AXIS: usize>() {
        let fast = AlignedRevolute::<AXIS> {
            turn: Turn::Limited,
        };
        let axis = AlignedRevolute::<AXIS>::unit(1.0);
        let general = Revolute {
            axis,
            turn: Turn::Limited,
        };
        let pose = Transform::from_xyz_rpy(Vector3::new(0.3, -0.2, 0.9), 0.4, 1.3, -2.0);
        let q = [0.77];

        let (a, b) = (fast.transform(&pose, &q), general.transform(&pose, &q));
        assert!((a.rotation - b.rotation).norm() < 1e-15);

        let body = Motion::from_array([0.3, -1.0, 2.0, 0.7, 0.1, -0.4]);
        let gap = fast.bias(&body, &[1.7]) - general.bias(&body, &[1.7]);
        assert!(gap.to_vector().norm() < 1e-15);
        let gap = fast.add_velocity(body, &[1.7]) - general.add_velocity(body, &[1.7]);
        assert!(gap.to_vector().norm() < 1e-15);

        let inertia = ArticulatedInertia::from(&crate::spatial::Inertia::from_com(
            2.0,
            Vector3::new(0.1, 0.2, 0.3),
            crate::spatial::Symmetric3 {
                xx: 0.4,
                xy: 0.1,
                xz: 0.05,
                yy: 0.3,
                yz: -0.1,
                zz: 0.2,
            },
        ));
        let gap = fast.inertia_column(&inertia, 0) - general.inertia_column(&inertia, 0);
        assert!(gap.to_vector().norm() < 1e-15);

        let (mut s, mut t) = ([Motion::zero()], [Motion::zero()]);
        fast.columns_at(&pose, &mut s);
        general.columns_at(&pose, &mut t);
        assert!((s[0] - t[0]).to_vector().norm() < 1e-15);
    }

    /// The same where the joint's frame has the axes of the parent.
    fn check_unturned<const AXIS: usize>() {
        let turn = Turn::Limited;
        let fast = AlignedRevolute::<AXIS, true> { turn };
        let general = AlignedRevolute::<AXIS> { turn };
        let placement = Transform::from_translation(Vector3::new(0.3, -0.2, 0.9));
        let q = [0.77];
        let pose = fast.transform(&placement, &q);
        assert!((pose.rotation - general.transform(&placement, &q).rotation).norm() < 1e-15);

        let motion = Motion::from_array([0.3, -1.0, 2.0, 0.7, 0.1, -0.4]);
        let gap =
            fast.motion_from_parent(&pose, &motion) - general.motion_from_parent(&pose, &motion);
        assert!(gap.to_vector().norm() < 1e-14);
        let force = Force::from_array([0.2, 1.5, -1.0, 0.6, -0.1, 0.9]);
        let gap = fast.force_to_parent(&pose, &force) - general.force_to_parent(&pose, &force);
        assert!(gap.to_vector().norm() < 1e-14);
        let inertia = ArticulatedInertia::from(&crate::spatial::Inertia::from_com(
            2.0,
            Vector3::new(0.1, 0.2, 0.3),
            crate::spatial::Symmetric3 {
                xx: 0.4,
                xy: 0.1,
                xz: 0.05,
                yy: 0.3,
                yz: -0.1,
                zz: 0.2,
            },
        ))
        .minus_outer(&force, 0.3);
        let gap = fast.inertia_to_parent(&pose, &inertia).to_matrix()
            - general.inertia_to_parent(&pose, &inertia).to_matrix();
        assert!(gap.norm() < 1e-14);
    }

    /// What is handed to the parent of a freed joint, with what is left along the joint's axis looked at and not.
    fn check_freed<const AXIS: usize, const UNTURNED: bool>() {
        let turn = Turn::Limited;
        let joint = AlignedRevolute::<AXIS, UNTURNED> { turn };
        let inertia = ArticulatedInertia::from(&crate::spatial::Inertia::from_com(
            2.0,
            Vector3::new(0.1, 0.2, 0.3),
            crate::spatial::Symmetric3::diagonal(0.4, 0.3, 0.2),
        ))
        .minus_outer(&Force::from_array([0.2, 1.5, -1.0, 0.6, -0.1, 0.9]), 0.03);
        let column = joint.inertia_column(&inertia, 0);
        let mut pivot = [0.0];
        joint.project(&column, &mut pivot);
        let rest = inertia.minus_outer(&column, 1.0 / pivot[0]);

        let turned = Transform::from_xyz_rpy(Vector3::zeros(), 0.4, 1.3, -2.0).rotation;
        for translation in [Vector3::zeros(), Vector3::new(0.3, -0.2, 0.9)] {
            let rotation = if UNTURNED {
                Matrix3::identity()
            } else {
                turned
            };
            let pose = joint.transform(&Transform::new(rotation, translation), &[0.77]);
            let gap = joint.freed_to_parent(&pose, &rest).to_matrix()
                - joint.inertia_to_parent(&pose, &rest).to_matrix();
            assert!(gap.norm() < 1e-14, "{gap}");
        }
        let bias = joint.bias(
            &Motion::from_array([0.3, -1.0, 2.0, 0.7, 0.1, -0.4]),
            &[1.7],
        );
        let gap = joint.freed_times_bias(&rest, &bias) - rest.mul(&bias);
        assert!(gap.to_vector().norm() < 1e-14, "{gap:?}");
    }

    #[test]
    fn nothing_is_left_along_the_axis_of_a_freed_joint() {
        check_freed::<0, false>();
        check_freed::<1, false>();
        check_freed::<2, false>();
        check_freed::<0, true>();
        check_freed::<1, true>();
        check_freed::<2, true>();
    }

    #[test]
    fn unturned_kernels_equal_those_of_any_placement() {
        check_unturned::<0>();
        check_unturned::<1>();
        check_unturned::<2>();
    }

    #[test]
    fn aligned_kernels_equal_the_general_one() {
        check_against_general::<0>();
        check_against_general::<1>();
        check_against_general::<2>();
    }

    #[test]
    fn a_continuous_joint_takes_the_shorter_way() {
        let joint = AlignedRevolute::<2> {
            turn: Turn::Continuous,
        };
        let mut d = [0.0];
        joint.difference(&[3.0], &[-3.0], &mut d);
        assert!((d[0] - (2.0 * PI - 6.0)).abs() < 1e-14);
    }
}
