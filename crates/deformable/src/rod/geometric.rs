//! The geometric stiffness of a joint: how its forces turn as it moves, with stresses held.
//!
//! With stresses (n, m) = C e fixed, the joint's force does the power n·(V + p × θ) + m·(B d). Its
//! derivative along the motion itself, world velocities held, is the quadratic form below; along a motion
//! v, ω held the energy's second derivative is ℓ|C^½ J y|² plus this form.
//!
//! ```text
//! 2 n·(V × θ) + θ·(n × (p × θ))                    V and p turn with H
//! + τ·δθ + m·δ(B d),   τ = n × p                    θ and B change with φ, d turns with H
//! ```

use nalgebra::{Matrix3, SymmetricEigen, Vector3};

use super::joint::{Joint, Matrix9};
use super::rotation::HalfAngle;

impl Joint {
    /// The form as a symmetric matrix in y = (V, a, d) for the force n, N, and the moment m, N·m, both
    /// seen from H. It may be indefinite.
    pub(super) fn geometric(&self, force: &Vector3<f64>, moment: &Vector3<f64>) -> Matrix9 {
        let HalfAngle {
            b,
            b_slope,
            c,
            c_slope,
            s,
            s_slope,
        } = self.half;
        let phi = self.angle;
        let turn_map = self.turn_map();
        let arm = force.cross(&self.apart);
        let arm_phi = arm.cross(&phi);

        // Terms V·(…)θ, θ·(…)θ and d·(…)θ.
        let apart_turn = force.cross_matrix() * -2.0;
        let turn_turn =
            self.apart * force.transpose() - Matrix3::from_diagonal_element(force.dot(&self.apart));
        let bent = self.bend_map() * moment;
        let difference_turn = arm_phi.cross_matrix() * s - bent.cross_matrix();
        // Terms d·(…)d: δφ = B d, and φ·B d = φ·d.
        let along = moment.dot(&phi);
        let difference = phi * arm_phi.transpose() * -(2.0 * s_slope + s * c)
            + phi * moment.transpose() * (2.0 * b_slope + c * b)
            + phi * phi.transpose() * (along * (2.0 * c_slope + 2.0 * c * c))
            + Matrix3::from_diagonal_element(along * c * b);
        // −τ·(θ × a) with θ = a + D d leaves a term a·(…)d.
        let mean_difference = arm.cross_matrix() * turn_map * -1.0;

        // θ = a + D d.
        let mut form = Matrix9::zeros();
        form.fixed_view_mut::<3, 3>(0, 3).copy_from(&apart_turn);
        form.fixed_view_mut::<3, 3>(0, 6)
            .copy_from(&(apart_turn * turn_map));
        form.fixed_view_mut::<3, 3>(3, 3).copy_from(&turn_turn);
        let mixed = (turn_turn + turn_turn.transpose()) * turn_map
            + difference_turn.transpose()
            + mean_difference;
        form.fixed_view_mut::<3, 3>(3, 6).copy_from(&mixed);
        let both =
            turn_map.transpose() * turn_turn * turn_map + difference_turn * turn_map + difference;
        form.fixed_view_mut::<3, 3>(6, 6).copy_from(&both);
        (form + form.transpose()) * 0.5
    }

    /// The nearest positive semidefinite form. Nearest is meant in the twelve velocities with
    /// rotations times ℓ, so that both are m/s; in y these are orthonormal coordinates
    /// (V/√2, √2 ℓ a, ℓ d/√2), and the mean velocity, which the form does not see.
    pub(super) fn clamp(&self, form: &Matrix9) -> Option<Matrix9> {
        let root = std::f64::consts::SQRT_2;
        let scale = [root, 1.0 / (root * self.length), root / self.length];
        let mut scaled = *form;
        for (row, column) in (0..9).flat_map(|row| (0..9).map(move |column| (row, column))) {
            scaled[(row, column)] *= scale[row / 3] * scale[column / 3];
        }
        let size = scaled.amax();
        if size == 0.0 {
            return Some(Matrix9::zeros());
        }
        if !size.is_finite() {
            return None;
        }
        const MOST_SWEEPS: usize = 1000;
        let eigen = SymmetricEigen::try_new(scaled, f64::EPSILON, MOST_SWEEPS)?;
        let mut out = Matrix9::zeros();
        for (at, &value) in eigen.eigenvalues.iter().enumerate() {
            if value > 0.0 {
                let vector = eigen.eigenvectors.column(at);
                out.ger(value, &vector, &vector, 1.0);
            }
        }
        for (row, column) in (0..9).flat_map(|row| (0..9).map(move |column| (row, column))) {
            out[(row, column)] /= scale[row / 3] * scale[column / 3];
        }
        Some(out)
    }
}
