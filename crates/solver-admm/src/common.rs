//! What both solvers set up: G, and the weights of constraints.

use stiction_constraints::{Delassus, Problem, ResidualEvaluator};

use crate::settings::Weights;

/// G of a problem. The evaluator lends its factors: A must be borrowed to solve, J to read.
pub(crate) fn update_delassus(
    delassus: &mut Delassus,
    problem: &Problem,
    evaluator: &mut ResidualEvaluator,
) {
    let mut dynamics = std::mem::take(evaluator.dynamics());
    delassus.update(problem, &mut dynamics, evaluator.rows());
    *evaluator.dynamics() = dynamics;
}

/// Weights of constraints in the proximal parameter, 1/kg.
pub(crate) fn weigh(
    problem: &Problem,
    evaluator: &ResidualEvaluator,
    weights: Weights,
    out: &mut Vec<f64>,
) {
    let masses = evaluator.effective_masses();
    out.clear();
    out.extend(masses.iter().map(|mass| 1.0 / mass));
    if weights == Weights::OwnDiagonal {
        return;
    }
    let is_contact = |index: usize| problem.constraints()[index].law.is_contact();
    let contacts = || (0..out.len()).filter(|&index| is_contact(index));
    let mean = contacts().map(|index| out[index]).sum::<f64>() / contacts().count().max(1) as f64;
    for index in 0..out.len() {
        if is_contact(index) {
            out[index] = mean;
        }
    }
}
