//! The fixed point q ← q + (W − L Lᵀ) r with warm starts: the first refinement of a local problem.

use std::time::Duration;

use stiction_constraints::{Budget, Problem, Report, Solution, Solver, Stopwatch};

use crate::reduction::ReducedLocal;

/// Most solves that a refinement against W may add.
const MOST_REFINEMENTS: usize = 30;
/// Share of the tolerance that is asked of the solver when its answer will be refined.
const INNER_TOLERANCE: f64 = 0.2;

/// The fixed point q ← q + (W − L Lᵀ) r. Leaves the best reactions in `best` and their residuals
/// and the summed work in `report`; returns the number of solves.
pub(crate) fn refine(
    reduced: &ReducedLocal,
    solver: &mut dyn Solver,
    budget: &Budget,
    clock: &Stopwatch,
    solution: &mut Solution,
    report: &mut Report,
    best: &mut Vec<f64>,
) -> usize {
    let mut problem = reduced.problem().clone();
    let mut shift = vec![0.0; problem.row_count()];
    let mut damping = 1.0;
    let mut last = report.residuals.of(budget.criterion);
    for refinement in 0..MOST_REFINEMENTS {
        if clock.is_spent() {
            return refinement;
        }
        let Some(inner) = remaining(budget, clock, report.iterations) else {
            return refinement;
        };
        let defect = reduced.factor_defect(&solution.impulse);
        for (shift, defect) in shift.iter_mut().zip(defect) {
            *shift += damping * (defect - *shift);
        }
        if set_free_velocity(&mut problem, &reduced.meter.free_velocity, &shift).is_none() {
            return refinement;
        }
        let step = solver.solve(&problem, &inner, solution);
        report.iterations += step.iterations;
        report.inner_iterations += step.inner_iterations;
        report.factorizations += step.factorizations;
        extend_history(report, &step);
        let mut residuals = step.residuals;
        reduced.measure(&solution.impulse, &mut residuals);
        let reached = residuals.of(budget.criterion);
        if reached < report.residuals.of(budget.criterion) {
            best.clone_from(&solution.impulse);
            report.residuals = residuals;
        }
        if reached <= budget.tolerance {
            return refinement + 1;
        }
        if reached > 0.9 * last {
            damping *= 0.5;
            if damping < 0.05 {
                return refinement + 1;
            }
        }
        last = reached;
    }
    MOST_REFINEMENTS
}

/// What is left of a budget, with a tolerance that leaves room for the refinement's own error.
fn remaining(budget: &Budget, clock: &Stopwatch, iterations: usize) -> Option<Budget> {
    let time_limit = match clock.time_left() {
        None => None,
        Some(left) => Some(Some(left).filter(|left| *left > Duration::ZERO)?),
    };
    let max_iterations = match budget.max_iterations {
        None => None,
        Some(most) => Some(most.checked_sub(iterations).filter(|left| *left > 0)?),
    };
    Some(Budget {
        tolerance: INNER_TOLERANCE * budget.tolerance,
        time_limit,
        max_iterations,
        ..budget.clone()
    })
}

fn set_free_velocity(problem: &mut Problem, free: &[f64], shift: &[f64]) -> Option<()> {
    for contact in 0..free.len() / 3 {
        let at = |row: usize| free[3 * contact + row] + shift[3 * contact + row];
        problem.set_error(contact, &[at(0), at(1), at(2)]).ok()?;
    }
    Some(())
}

fn extend_history(report: &mut Report, step: &Report) {
    let (iterations, seconds) = report
        .history
        .last()
        .map_or((0, 0.0), |entry| (entry.iteration, entry.seconds));
    report.history.extend(step.history.iter().map(|entry| {
        let mut entry = *entry;
        entry.iteration += iterations;
        entry.seconds += seconds;
        entry
    }));
}
