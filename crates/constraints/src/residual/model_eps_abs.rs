//! ε_abs of [CMC, §III] for relaxed models of contact: primal, dual and complementarity violation of the model that
//! is solved.

use nalgebra::{Vector2, Vector3};

use super::{ResidualEvaluator, worse};
use crate::cone::{self, Pyramid};
use crate::problem::Problem;

/// The largest of three violations over all contacts; infinite where something is not finite.
fn largest(
    problem: &Problem,
    lambda: &[f64],
    row_velocity: &[f64],
    violations: impl Fn(&Vector3<f64>, &Vector3<f64>, [f64; 2]) -> [f64; 3],
) -> f64 {
    let mut largest = 0.0;
    for constraint in problem.constraints() {
        let Some(friction) = constraint.law.friction() else {
            continue;
        };
        let impulse = constraint.load(lambda);
        let e = constraint.load(problem.errors());
        let velocity = constraint
            .law
            .law_velocity(&constraint.load(row_velocity), &e, &impulse);
        for violation in violations(&impulse, &velocity, friction) {
            largest = worse(largest, violation.abs());
        }
    }
    largest
}

impl ResidualEvaluator {
    /// [`Criterion::EpsAbs`](crate::Criterion::EpsAbs) of the convex cone model, K ∋ λ ⟂ u ∈ K*, [CMC, (15)]: the
    /// same without the shift. `row_velocity` is J v̂ of the impulses, m/s.
    pub fn cone_model_eps_abs_at(
        &self,
        problem: &Problem,
        lambda: &[f64],
        row_velocity: &[f64],
    ) -> f64 {
        largest(problem, lambda, row_velocity, |impulse, u, friction| {
            let primal = cone::distance(impulse, friction);
            let dual = cone::distance_to_dual(u, friction);
            [primal, dual, impulse.dot(u)]
        })
    }

    /// [`cone_model_eps_abs_at`](Self::cone_model_eps_abs_at) with J v̂ computed from λ.
    pub fn cone_model_eps_abs(&mut self, problem: &Problem, lambda: &[f64]) -> f64 {
        self.compute_row_velocity(problem, lambda);
        self.cone_model_eps_abs_at(problem, lambda, &self.row_velocity)
    }

    /// [`Criterion::EpsAbs`](crate::Criterion::EpsAbs) of friction within a pyramid: its distance from the
    /// impulses along the plane (N·s), velocity into the ground (m/s), power of the normal impulse and what friction's is
    /// short of the corner that brakes most (J).
    pub fn pyramid_model_eps_abs_at(
        &self,
        problem: &Problem,
        lambda: &[f64],
        row_velocity: &[f64],
        pyramid: &Pyramid,
    ) -> f64 {
        largest(problem, lambda, row_velocity, |impulse, u, friction| {
            let primal = (impulse - pyramid.project_strict(impulse, friction)).norm();
            let braking = |corner: Vector2<f64>| {
                -(friction[0] * corner.x * u.x + friction[1] * corner.y * u.y)
            };
            let most = pyramid.corners().map(braking).fold(0.0, f64::max);
            let slip = impulse.x * u.x + impulse.y * u.y + impulse.z * most;
            let normal = (-u.z).max(0.0);
            [primal, normal, (impulse.z * u.z).abs().max(slip.abs())]
        })
    }

    /// [`pyramid_model_eps_abs_at`](Self::pyramid_model_eps_abs_at) with J v̂ computed from λ.
    pub fn pyramid_model_eps_abs(
        &mut self,
        problem: &Problem,
        lambda: &[f64],
        pyramid: &Pyramid,
    ) -> f64 {
        self.compute_row_velocity(problem, lambda);
        self.pyramid_model_eps_abs_at(problem, lambda, &self.row_velocity, pyramid)
    }
}
