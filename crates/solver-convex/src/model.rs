//! λ(z) of a constraint that gives way.

use nalgebra::Vector3;
use stiction_constraints::{
    ConeOperator, Constraint, Law, Problem, ResidualEvaluator, Response, SoftContacts,
};

/// Penalty of rows that have a damper of their own and need no further compliance, over their effective mass.
const RIGID: f64 = 1e9;

/// 1/R of every constraint that brings no compliance of its own, kg.
#[derive(Debug, Default)]
pub(crate) struct Model {
    stiffness: Vec<f64>,
}

impl Model {
    /// R = (1 − d)/d times the mean of the diagonal of J A⁻¹ Jᵀ, at the impedance of a gap of zero.
    pub(crate) fn prepare(
        &mut self,
        problem: &Problem,
        evaluator: &ResidualEvaluator,
        soft: &SoftContacts,
    ) {
        self.stiffness.clear();
        let both = problem
            .constraints()
            .iter()
            .zip(evaluator.effective_masses());
        self.stiffness
            .extend(both.map(|(constraint, mass)| match constraint.law {
                Law::Soft { .. } | Law::CompliantContact { .. } | Law::Custom { .. } => {
                    RIGID * mass
                }
                _ => 1.0 / soft.compliance_at(0.0, 1.0 / mass),
            }));
    }

    /// λ at a row velocity z, and K = −∂λ/∂z: the gradient of −½ λᵀRλ and its curvature.
    pub(crate) fn respond(
        &self,
        problem: &Problem,
        (index, constraint): (usize, &Constraint),
        z: &Vector3<f64>,
    ) -> Response {
        let e = constraint.load(problem.errors());
        let operator = ConeOperator::Proximal { shift: 0.0 };
        let beta = self.stiffness[index];
        constraint
            .law
            .response(constraint.rows, z, &e, beta, operator)
    }
}
