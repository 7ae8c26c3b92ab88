//! Strains of a joint between two links, their Jacobian and their stiffness.
//!
//! Links i and j have centres x, orientations R (d3 is the tangent), and velocities (v, ω) in world axes.
//! With φ = log(R_iᵀ R_j) and the frame half-way H = R_i exp(φ/2) the strains of a joint of length ℓ are
//!
//! ```text
//! Γ = Hᵀ(x_j − x_i)/ℓ − e3      shear 1, shear 2, stretch
//! κ = φ/ℓ                       bend about d1, bend about d2, twist
//! e = [Γ; κ] − e⁰               e⁰ that of the rest pose
//! ψ = ℓ/2 eᵀ C e                energy
//! ```
//!
//! Seen from H, with V = Hᵀ(v_j − v_i), a = Hᵀ(ω_i + ω_j)/2, d = Hᵀ(ω_j − ω_i) and p = Hᵀ(x_j − x_i),
//!
//! ```text
//! δφ = B d        B = b I + c φφᵀ         b, c, s: rotation.rs
//! θ  = a + D d    D = −s [φ]              Hᵀ δH = [θ]
//! ℓ δΓ = V + p × θ
//! ```
//!
//! J_r⁻¹(φ) exp(−φ/2) = J_l⁻¹(φ) exp(φ/2) = B is why only the difference d bends the joint, and why B is
//! symmetric. Everything below is written in these nine coordinates y = (V, a, d), and turned into the
//! twelve velocities at the end.

use nalgebra::{Isometry3, Matrix3, Matrix6, SMatrix, SVector, Vector3, Vector6};

use super::rotation::{HalfAngle, middle, rotation_between};

/// Largest angle between the links of a joint, rad. At π the shorter way round changes sides, and the
/// strain with it.
pub const MOST_ANGLE: f64 = 3.05;

pub(super) type Matrix9 = SMatrix<f64, 9, 9>;

/// Strains e and their Jacobian, for callers who write a joint as rows of their own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointRows {
    /// e = strains less those at rest: shear 1, shear 2, stretch (no unit), bend 1, bend 2, twist (1/m).
    pub strain: Vector6<f64>,
    /// δe/δ(v_i, ω_i, v_j, ω_j), world axes, velocities of the links' centres.
    pub jacobian: SMatrix<f64, 6, 12>,
    /// ℓ C, the stiffness of e: N·m and N·m³. Its inverse is the compliance of the rows.
    pub stiffness: [f64; 6],
}

/// Where a joint is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Joint {
    /// H.
    pub(super) frame: Matrix3<f64>,
    pub(super) length: f64,
    /// p.
    pub(super) apart: Vector3<f64>,
    /// φ.
    pub(super) angle: Vector3<f64>,
    pub(super) half: HalfAngle,
}

impl Joint {
    pub(super) fn new(first: &Isometry3<f64>, second: &Isometry3<f64>, length: f64) -> Self {
        let frame = middle(&first.rotation, &second.rotation)
            .to_rotation_matrix()
            .into_inner();
        let angle = rotation_between(&first.rotation, &second.rotation);
        Self {
            frame,
            length,
            apart: frame.tr_mul(&(second.translation.vector - first.translation.vector)),
            angle,
            half: HalfAngle::new(angle.norm_squared()),
        }
    }

    /// [Γ; κ].
    pub(super) fn strain(&self) -> Vector6<f64> {
        let shear = self.apart / self.length - Vector3::z();
        let bend = self.angle / self.length;
        Vector6::new(shear.x, shear.y, shear.z, bend.x, bend.y, bend.z)
    }

    /// B.
    pub(super) fn bend_map(&self) -> Matrix3<f64> {
        let HalfAngle { b, c, .. } = self.half;
        Matrix3::from_diagonal_element(b) + self.angle * self.angle.transpose() * c
    }

    /// D.
    pub(super) fn turn_map(&self) -> Matrix3<f64> {
        self.angle.cross_matrix() * -self.half.s
    }

    /// δ[Γ; κ]/δy.
    pub(super) fn jacobian(&self) -> SMatrix<f64, 6, 9> {
        let mut jacobian = SMatrix::<f64, 6, 9>::zeros();
        let arm = self.apart.cross_matrix() / self.length;
        let unit = Matrix3::from_diagonal_element(1.0 / self.length);
        jacobian.fixed_view_mut::<3, 3>(0, 0).copy_from(&unit);
        jacobian.fixed_view_mut::<3, 3>(0, 3).copy_from(&arm);
        jacobian
            .fixed_view_mut::<3, 3>(0, 6)
            .copy_from(&(arm * self.turn_map()));
        jacobian
            .fixed_view_mut::<3, 3>(3, 6)
            .copy_from(&(self.bend_map() / self.length));
        jacobian
    }

    /// y of the twelve velocities.
    pub(super) fn coordinates(&self, velocity: &SVector<f64, 12>) -> SVector<f64, 9> {
        let part = |at: usize| velocity.fixed_rows::<3>(at).into_owned();
        let parts = [
            part(6) - part(0),
            (part(9) + part(3)) * 0.5,
            part(9) - part(3),
        ];
        let mut out = SVector::<f64, 9>::zeros();
        for (at, part) in parts.iter().enumerate() {
            out.fixed_rows_mut::<3>(3 * at)
                .copy_from(&self.frame.tr_mul(part));
        }
        out
    }

    /// The twelve forces and torques, world axes, of nine that act on y.
    pub(super) fn spread(&self, force: &SVector<f64, 9>) -> SVector<f64, 12> {
        let part = |at: usize| self.frame * force.fixed_rows::<3>(at);
        let (apart, mean, difference) = (part(0), part(3) * 0.5, part(6));
        let mut out = SVector::<f64, 12>::zeros();
        out.fixed_rows_mut::<3>(0).copy_from(&-apart);
        out.fixed_rows_mut::<3>(3).copy_from(&(mean - difference));
        out.fixed_rows_mut::<3>(6).copy_from(&apart);
        out.fixed_rows_mut::<3>(9).copy_from(&(mean + difference));
        out
    }

    /// The three 6×6 blocks of the lower triangle, world axes, of a symmetric form in y.
    pub(super) fn blocks(&self, form: &Matrix9) -> JointBlocks {
        let turned = |row: usize, column: usize| {
            let part = form.fixed_view::<3, 3>(3 * row, 3 * column);
            self.frame * part * self.frame.transpose()
        };
        let apart = turned(0, 0);
        let (apart_mean, apart_difference) = (turned(0, 1) * 0.5, turned(0, 2));
        let (on_first, on_second) = (apart_mean - apart_difference, apart_mean + apart_difference);
        let (mean, cross, difference) = (turned(1, 1) * 0.25, turned(1, 2) * 0.5, turned(2, 2));
        let cross_twice = cross + cross.transpose();
        let even = mean + difference;
        // Rows of the second link, columns of the first: transpose of the mixed block.
        let mixed = mean - difference - cross + cross.transpose();
        JointBlocks {
            first: block(
                &apart,
                &-on_first,
                &-on_first.transpose(),
                &(even - cross_twice),
            ),
            second: block(
                &apart,
                &on_second,
                &on_second.transpose(),
                &(even + cross_twice),
            ),
            mixed: block(&-apart, &on_first, &-on_second.transpose(), &mixed),
        }
    }
}

/// A 6×6 matrix of four 3×3 ones.
fn block(a: &Matrix3<f64>, b: &Matrix3<f64>, c: &Matrix3<f64>, d: &Matrix3<f64>) -> Matrix6<f64> {
    let mut out = Matrix6::zeros();
    out.fixed_view_mut::<3, 3>(0, 0).copy_from(a);
    out.fixed_view_mut::<3, 3>(0, 3).copy_from(b);
    out.fixed_view_mut::<3, 3>(3, 0).copy_from(c);
    out.fixed_view_mut::<3, 3>(3, 3).copy_from(d);
    out
}

/// Lower triangle of a joint's 12×12 matrix by links.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct JointBlocks {
    /// On the first link.
    pub(super) first: Matrix6<f64>,
    /// Rows of the second link, columns of the first.
    pub(super) mixed: Matrix6<f64>,
    /// On the second link.
    pub(super) second: Matrix6<f64>,
}
