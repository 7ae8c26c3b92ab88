//! Poses and how they carry spatial quantities between frames.

use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use super::small::{
    NOTHING, column, congruence, congruence_symmetric, congruence_symmetric_without,
    congruence_without, cosine_and_sine, cross, from_columns, mat_mul, mul, skew_mul, tr_mul, turn,
    turn_matrix, turn_symmetric,
};
use super::{ArticulatedInertia, Force, Inertia, Motion, Symmetric3};

/// The pose of a child frame in a parent frame: a point with child coordinates x has parent
/// coordinates `rotation · x + translation`. The `apply_*` functions carry spatial quantities from
/// child to parent coordinates, the `apply_inverse_*` functions from parent to child.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transform {
    /// Child axes in parent coordinates (columns), an orthonormal matrix.
    pub rotation: Matrix3<f64>,
    /// Child origin in parent coordinates (m).
    pub translation: Vector3<f64>,
}

impl Default for Transform {
    fn default() -> Self {
        Self::identity()
    }
}

impl Transform {
    /// From a rotation matrix and a translation (m).
    #[inline]
    pub const fn new(rotation: Matrix3<f64>, translation: Vector3<f64>) -> Self {
        Self {
            rotation,
            translation,
        }
    }

    /// The identity.
    pub fn identity() -> Self {
        Self::new(Matrix3::identity(), Vector3::zeros())
    }

    /// A pure translation (m).
    pub fn from_translation(translation: Vector3<f64>) -> Self {
        Self::new(Matrix3::identity(), translation)
    }

    /// A translation (m) and a URDF `rpy` rotation: roll about x, then pitch about the fixed y,
    /// then yaw about the fixed z (rad).
    pub fn from_xyz_rpy(translation: Vector3<f64>, roll: f64, pitch: f64, yaw: f64) -> Self {
        Self::new(
            *Rotation3::from_euler_angles(roll, pitch, yaw).matrix(),
            translation,
        )
    }

    /// This transform after `inner`: carries `inner`'s child coordinates to this parent.
    #[inline]
    pub fn compose(&self, inner: &Transform) -> Transform {
        Transform::new(
            mat_mul(&self.rotation, &inner.rotation),
            self.apply_point(&inner.translation),
        )
    }

    /// The pose of the parent in the child.
    #[inline]
    pub fn inverse(&self) -> Transform {
        Transform::new(
            self.rotation.transpose(),
            -tr_mul(&self.rotation, &self.translation),
        )
    }

    /// Coordinates of a point, child to parent.
    #[inline]
    pub fn apply_point(&self, point: &Vector3<f64>) -> Vector3<f64> {
        mul(&self.rotation, point) + self.translation
    }

    /// Motion coordinates, child to parent.
    #[inline(always)]
    pub fn apply_motion(&self, m: &Motion) -> Motion {
        let angular = mul(&self.rotation, &m.angular);
        Motion::new(
            mul(&self.rotation, &m.linear) + cross(&self.translation, &angular),
            angular,
        )
    }

    /// Motion coordinates, parent to child.
    #[inline(always)]
    pub fn apply_inverse_motion(&self, m: &Motion) -> Motion {
        let linear = m.linear - cross(&self.translation, &m.angular);
        Motion::new(
            tr_mul(&self.rotation, &linear),
            tr_mul(&self.rotation, &m.angular),
        )
    }

    /// Force coordinates, child to parent.
    #[inline(always)]
    pub fn apply_force(&self, f: &Force) -> Force {
        let linear = mul(&self.rotation, &f.linear);
        let moment = mul(&self.rotation, &f.angular) + cross(&self.translation, &linear);
        Force::new(linear, moment)
    }

    /// Force coordinates, parent to child.
    #[inline(always)]
    pub fn apply_inverse_force(&self, f: &Force) -> Force {
        let moment = f.angular - cross(&self.translation, &f.linear);
        Force::new(
            tr_mul(&self.rotation, &f.linear),
            tr_mul(&self.rotation, &moment),
        )
    }

    /// Rigid-body inertia, child to parent.
    #[inline(always)]
    pub fn apply_inertia(&self, i: &Inertia) -> Inertia {
        let p = &self.translation;
        let h = mul(&self.rotation, &i.first_moment);
        // about the parent's origin: R Ī Rᵀ − [p]×[Rh]× − [Rh]×[p]× − m [p]×[p]×
        let arm = h + p * (0.5 * i.mass);
        Inertia {
            mass: i.mass,
            first_moment: h + p * i.mass,
            rotational: congruence_symmetric(&self.rotation, &i.rotational)
                + Symmetric3::minus_skew_products(p, &arm),
        }
    }

    /// Articulated-body inertia, child to parent: X* I X⁻¹.
    #[inline(always)]
    pub fn apply_articulated(&self, i: &ArticulatedInertia) -> ArticulatedInertia {
        let a = congruence_symmetric(&self.rotation, &i.linear);
        let b = congruence(&self.rotation, &i.coupling);
        let d = congruence_symmetric(&self.rotation, &i.angular);
        shifted::<0, false>(&self.translation, a, &b, &d)
    }

    /// The same where `i` has nothing of what turns about that axis, which is not looked at.
    #[inline(always)]
    pub(crate) fn apply_freed<const AXIS: usize>(
        &self,
        i: &ArticulatedInertia,
    ) -> ArticulatedInertia {
        let a = congruence_symmetric(&self.rotation, &i.linear);
        let b = congruence_without::<AXIS>(&self.rotation, &i.coupling);
        let d = congruence_symmetric_without::<AXIS>(&self.rotation, &i.angular);
        shifted::<0, false>(&self.translation, a, &b, &d)
    }

    /// [`apply_inverse_motion`](Self::apply_inverse_motion) where the rotation is one about that axis.
    #[inline(always)]
    pub(crate) fn apply_inverse_motion_about<const AXIS: usize>(&self, m: &Motion) -> Motion {
        let (c, s) = cosine_and_sine::<AXIS>(&self.rotation);
        let linear = m.linear - cross(&self.translation, &m.angular);
        Motion::new(
            turn::<AXIS>(c, -s, &linear),
            turn::<AXIS>(c, -s, &m.angular),
        )
    }

    /// [`apply_force`](Self::apply_force) where the rotation is one about that axis.
    #[inline(always)]
    pub(crate) fn apply_force_about<const AXIS: usize>(&self, f: &Force) -> Force {
        let (c, s) = cosine_and_sine::<AXIS>(&self.rotation);
        let linear = turn::<AXIS>(c, s, &f.linear);
        let moment = turn::<AXIS>(c, s, &f.angular) + cross(&self.translation, &linear);
        Force::new(linear, moment)
    }

    /// [`apply_articulated`](Self::apply_articulated) where the rotation is one about that axis, and `FREED` where `i` has
    /// nothing of what turns about it, which is not looked at then.
    #[inline(always)]
    pub(crate) fn apply_articulated_about<const AXIS: usize, const FREED: bool>(
        &self,
        i: &ArticulatedInertia,
    ) -> ArticulatedInertia {
        let (c, s) = cosine_and_sine::<AXIS>(&self.rotation);
        let a = turn_symmetric::<AXIS, false>(c, s, &i.linear);
        let b = turn_matrix::<AXIS, FREED>(c, s, &i.coupling);
        let d = turn_symmetric::<AXIS, FREED>(c, s, &i.angular);
        shifted::<AXIS, FREED>(&self.translation, a, &b, &d)
    }

    /// As a nalgebra isometry.
    pub fn to_isometry(&self) -> Isometry3<f64> {
        let rotation = Rotation3::from_matrix_unchecked(self.rotation);
        Isometry3::from_parts(
            Translation3::from(self.translation),
            UnitQuaternion::from_rotation_matrix(&rotation),
        )
    }

    /// True when no entry is infinite or NaN.
    pub fn is_finite(&self) -> bool {
        self.rotation
            .iter()
            .chain(self.translation.iter())
            .all(|x| x.is_finite())
    }

    /// Largest entry of |RᵀR − 1|, or infinity for a reflection: zero for a proper rotation.
    pub fn rotation_defect(&self) -> f64 {
        if self.rotation.determinant() <= 0.0 {
            return f64::INFINITY;
        }
        (self.rotation.transpose() * self.rotation - Matrix3::identity()).amax()
    }
}

/// An inertia A, B, D in the parent's axes, about the parent's origin instead of the body's at p; `FREED` where column
/// `AXIS` of B is zero.
#[inline(always)]
fn shifted<const AXIS: usize, const FREED: bool>(
    p: &Vector3<f64>,
    a: Symmetric3,
    b: &Matrix3<f64>,
    d: &Symmetric3,
) -> ArticulatedInertia {
    // Axes of joints that meet, as in hips and wrists.
    if p.x == 0.0 && p.y == 0.0 && p.z == 0.0 {
        return ArticulatedInertia {
            linear: a,
            coupling: *b,
            angular: *d,
        };
    }
    // B' = B − A [p]×,  D' = D + [p]× B' + ([p]× B)ᵀ
    let full_a = a.to_matrix();
    let shifted = b + skew_mul(p, &full_a).transpose();
    let arm = |is_axis: bool, column: Vector3<f64>| match FREED && is_axis {
        true => Vector3::repeat(NOTHING),
        false => cross(p, &column),
    };
    let pb = from_columns(
        &arm(AXIS == 0, column::<0>(b)),
        &arm(AXIS == 1, column::<1>(b)),
        &arm(AXIS == 2, column::<2>(b)),
    );
    let ps = skew_mul(p, &shifted);
    ArticulatedInertia {
        linear: a,
        coupling: shifted,
        angular: Symmetric3 {
            xx: d.xx + ps.m11 + pb.m11,
            xy: d.xy + ps.m12 + pb.m21,
            xz: d.xz + ps.m13 + pb.m31,
            yy: d.yy + ps.m22 + pb.m22,
            yz: d.yz + ps.m23 + pb.m32,
            zz: d.zz + ps.m33 + pb.m33,
        },
    }
}

impl From<&Isometry3<f64>> for Transform {
    fn from(pose: &Isometry3<f64>) -> Self {
        Self::new(
            *pose.rotation.to_rotation_matrix().matrix(),
            pose.translation.vector,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Matrix6;

    fn pose() -> Transform {
        Transform::from_xyz_rpy(Vector3::new(0.4, -1.1, 2.0), 0.5, -0.8, 2.1)
    }

    /// The 6×6 motion transform [R, [p]×R; 0, R].
    fn motion_matrix(x: &Transform) -> Matrix6<f64> {
        let mut m = Matrix6::zeros();
        m.fixed_view_mut::<3, 3>(0, 0).copy_from(&x.rotation);
        m.fixed_view_mut::<3, 3>(3, 3).copy_from(&x.rotation);
        m.fixed_view_mut::<3, 3>(0, 3)
            .copy_from(&skew_mul(&x.translation, &x.rotation));
        m
    }

    #[test]
    fn motion_and_force_transforms_are_dual_and_invertible() {
        let x = pose();
        let m = Motion::from_array([0.3, -1.0, 2.0, 0.7, 0.1, -0.4]);
        let f = Force::from_array([2.0, 0.1, -0.7, 0.4, -1.2, 0.8]);
        let power = x.apply_motion(&m).dot(&x.apply_force(&f));
        assert!((power - m.dot(&f)).abs() < 1e-13);
        let back = x.apply_inverse_motion(&x.apply_motion(&m));
        assert!((back - m).to_vector().norm() < 1e-14);
        let back = x.apply_inverse_force(&x.apply_force(&f));
        assert!((back - f).to_vector().norm() < 1e-14);
        let by_matrix = motion_matrix(&x) * m.to_vector();
        assert!((by_matrix - x.apply_motion(&m).to_vector()).norm() < 1e-14);
        let by_inverse = x.inverse().apply_motion(&m);
        assert!((by_inverse - x.apply_inverse_motion(&m)).to_vector().norm() < 1e-14);
    }

    #[test]
    fn inertias_transform_by_congruence() {
        let x = pose();
        let inv = motion_matrix(&x.inverse());
        let about_com = Symmetric3 {
            xx: 0.4,
            xy: 0.01,
            xz: -0.02,
            yy: 0.3,
            yz: 0.03,
            zz: 0.2,
        };
        let i = Inertia::from_com(2.5, Vector3::new(0.1, -0.3, 0.7), about_com);
        let expected = inv.transpose() * i.to_matrix() * inv;
        assert!((expected - x.apply_inertia(&i).to_matrix()).norm() < 1e-12);

        let released = ArticulatedInertia::from(&i)
            .minus_outer(&Force::from_array([0.1, 0.2, -0.3, 0.05, 0.3, -0.1]), 0.7);
        let expected = inv.transpose() * released.to_matrix() * inv;
        assert!((expected - x.apply_articulated(&released).to_matrix()).norm() < 1e-12);
    }

    #[test]
    fn composition_carries_points_in_two_steps() {
        let (a, b) = (
            pose(),
            Transform::from_xyz_rpy(Vector3::new(1.0, 0.0, 0.3), 0.1, 0.2, 0.3),
        );
        let p = Vector3::new(0.2, 0.5, -0.9);
        let direct = a.compose(&b).apply_point(&p);
        assert!((direct - a.apply_point(&b.apply_point(&p))).norm() < 1e-14);
    }
}
