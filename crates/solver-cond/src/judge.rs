//! How far impulses are from solving the solver's own model, in m/s.

use stiction_constraints::{Problem, ResidualEvaluator};

use crate::contact;
use crate::nodes::Nodes;
use crate::settings::CondSettings;

/// Work space for velocities.
#[derive(Debug, Default)]
pub(crate) struct Judge {
    velocity: Vec<f64>,
    row_velocity: Vec<f64>,
}

impl Judge {
    /// ‖λ − T(λ)‖ over the effective mass, largest component, with T the law at J v̂ + λ/k_v where virtual nodes
    /// lag behind: the evaluator's `scaled` for the model with virtual nodes. Infinite when something is
    /// not finite.
    pub(crate) fn own_residual(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        nodes: &Nodes,
        settings: &CondSettings,
        lambda: &[f64],
    ) -> f64 {
        self.velocity.resize(problem.dof_count(), 0.0);
        self.row_velocity.resize(problem.row_count(), 0.0);
        evaluator.velocity_of(problem, lambda, &mut self.velocity);
        evaluator.rows().mul(&self.velocity, &mut self.row_velocity);
        let cone = contact::operator(settings.operator);
        let mut worst: f64 = 0.0;
        let masses = evaluator.effective_masses();
        let constraints = problem.constraints().iter().zip(&nodes.locals);
        for ((constraint, local), &mass) in constraints.zip(masses) {
            // What is given up is declared of contacts: other laws are judged as they are.
            let lags = constraint.law.is_contact() && !settings.shift;
            let lag = if lags { nodes.lag(local) } else { 0.0 };
            let own = constraint.load(lambda);
            let z = constraint.load(&self.row_velocity) + own * lag;
            let x_bar = z - own / mass;
            let e = constraint.load(problem.errors());
            let law = &constraint.law;
            let error = (law.impulse(constraint.rows, &x_bar, &e, mass, cone) - own).amax() / mass;
            // `max` would drop a NaN.
            if !error.is_finite() {
                return f64::INFINITY;
            }
            worst = worst.max(error);
        }
        worst
    }
}
