//! Residuals of other models of contact: the convex cone model, that is the cone complementarity problem without
//! the shift that makes it Coulomb's law, and the pyramid.

use super::ResidualEvaluator;
use crate::cone::Pyramid;
use crate::law::ConeOperator;
use crate::problem::Problem;

impl ResidualEvaluator {
    /// How far λ and its J v̂ are from solving the convex cone model, K ∋ λ ⟂ u ∈ K*, in m/s: the nearest-point
    /// map with each constraint's effective mass as β, largest component over that mass. The counterpart of
    /// [`Criterion::Scaled`](crate::Criterion::Scaled) for solvers of that model; the same for laws without a cone. Infinite
    /// when something is not finite.
    pub fn cone_model_at(&self, problem: &Problem, lambda: &[f64], row_velocity: &[f64]) -> f64 {
        let operator = ConeOperator::Proximal { shift: 0.0 };
        let masses = self.effective_masses();
        let mut worst: f64 = 0.0;
        for (constraint, &mass) in problem.constraints().iter().zip(masses) {
            let impulse = constraint.load(lambda);
            let z = constraint.load(row_velocity);
            let e = constraint.load(problem.errors());
            let law = &constraint.law;
            let defect = if law.is_contact() {
                let x_bar = z - impulse / mass;
                law.impulse(constraint.rows, &x_bar, &e, mass, operator) - impulse
            } else {
                law.strict_defect(constraint.rows, &z, &e, &impulse, mass)
            };
            let error = defect.amax() / mass;
            // `amax` and most laws would drop a NaN.
            if !(z.sum() + impulse.sum() + defect.sum() + error).is_finite() {
                return f64::INFINITY;
            }
            worst = worst.max(error);
        }
        worst
    }

    /// [`cone_model_at`](Self::cone_model_at) with J v̂ computed from λ.
    pub fn cone_model(&mut self, problem: &Problem, lambda: &[f64]) -> f64 {
        self.compute_row_velocity(problem, lambda);
        self.cone_model_at(problem, lambda, &self.row_velocity)
    }

    /// How far λ and its J v̂ are from solving the contact problem with a friction pyramid in place of the
    /// cone, in m/s: the counterpart of [`cone_model_at`](Self::cone_model_at) for solvers of that model.
    pub fn pyramid_model_at(
        &self,
        problem: &Problem,
        lambda: &[f64],
        row_velocity: &[f64],
        pyramid: &Pyramid,
    ) -> f64 {
        let mut worst: f64 = 0.0;
        for (constraint, &mass) in problem.constraints().iter().zip(self.effective_masses()) {
            let impulse = constraint.load(lambda);
            let z = constraint.load(row_velocity);
            let e = constraint.load(problem.errors());
            let law = &constraint.law;
            let defect = match law.friction() {
                Some(friction) => {
                    let target = impulse - law.law_velocity(&z, &e, &impulse) * mass;
                    pyramid.project_strict(&target, friction) - impulse
                }
                None => law.strict_defect(constraint.rows, &z, &e, &impulse, mass),
            };
            let error = defect.amax() / mass;
            // `amax` and most laws would drop a NaN.
            if !(z.sum() + impulse.sum() + defect.sum() + error).is_finite() {
                return f64::INFINITY;
            }
            worst = worst.max(error);
        }
        worst
    }

    /// [`pyramid_model_at`](Self::pyramid_model_at) with J v̂ computed from λ.
    pub fn pyramid_model(&mut self, problem: &Problem, lambda: &[f64], pyramid: &Pyramid) -> f64 {
        self.compute_row_velocity(problem, lambda);
        self.pyramid_model_at(problem, lambda, &self.row_velocity, pyramid)
    }

    /// J v̂ of λ, v̂ = A⁻¹(b + Jᵀλ), of all rows, m/s (rad/s).
    pub fn row_velocity_of(&mut self, problem: &Problem, lambda: &[f64]) -> &[f64] {
        self.compute_row_velocity(problem, lambda);
        &self.row_velocity
    }
}
