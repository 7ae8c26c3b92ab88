//! Solving local and global contact problems with any solver, answered in the file's order.

use stiction_constraints::{
    Budget, Criterion, Outcome, Report, Residuals, Solution, Solver, Stall, Stopwatch,
};

use crate::component_order::{from_file_order, to_file_order};
use crate::reduction::{GlobalProblem, ReducedLocal};
use crate::refinement::{fixed_point, newton};

/// An answer to a local or global problem.
#[derive(Debug, Clone)]
pub struct ContactAnswer {
    /// r in the file's component order (normal, tangent 1, tangent 2).
    pub reaction: Vec<f64>,
    /// Whether the answer and its residuals are about (W + Wᵀ)/2 instead of W as given: `Converged` then
    /// says nothing about the file's own problem, and must not be shown without this.
    pub is_symmetrised: bool,
    /// Solves and Newton steps that were added to account for what the primal form leaves out of W.
    pub refinements: usize,
    /// How it went, with the residuals of the problem as given. Iterations and time include the
    /// refinements, which are stages of their own.
    pub report: Report,
}

/// Solves a global problem, from a guess of r in the file's order if there is one.
pub fn solve_global(
    global: &GlobalProblem,
    solver: &mut dyn Solver,
    budget: &Budget,
    guess: Option<&[f64]>,
) -> ContactAnswer {
    let mut solution = guessed(guess);
    let report = solver.solve(global.problem(), budget, &mut solution);
    ContactAnswer {
        reaction: to_file_order(&solution.impulse),
        is_symmetrised: false,
        refinements: 0,
        report,
    }
}

/// Solves a local problem, from a guess of r in the file's order if there is one.
///
/// The solver sees L Lᵀ instead of W. Where the difference matters — W is not symmetric, or was
/// not quite semidefinite — the answer is refined against W as given by the fixed point
/// q ← q + (W − L Lᵀ) r with warm starts, and where that stalls by Newton steps on the natural map.
/// Only an answer that solves the primal form is refined: a solver that fails there has failed.
/// Where no refinement reaches the tolerance but the symmetric part of W is solved to it, the answer
/// is about the symmetric part and says so.
pub fn solve_local(
    reduced: &ReducedLocal,
    solver: &mut dyn Solver,
    budget: &Budget,
    guess: Option<&[f64]>,
) -> ContactAnswer {
    let clock = Stopwatch::start(budget);
    let mut solution = guessed(guess);
    let mut report = solver.solve(reduced.problem(), budget, &mut solution);
    let meter = |r: &[f64], base: Residuals| {
        let mut residuals = base;
        reduced.measure(r, &mut residuals);
        residuals
    };
    let is_reached = |residuals: &Residuals| residuals.of(budget.criterion) <= budget.tolerance;
    let solved_primal = report.outcome.is_converged();
    let mut best = solution.impulse.clone();
    report.residuals = meter(&best, report.residuals);
    let mut refinements = 0;
    // Only the natural residuals can be measured against W; others are about the primal form.
    let is_judged_by_w = budget.criterion == Criterion::Natural && solver.declaration().is_exact();
    if solved_primal && is_judged_by_w && !is_reached(&report.residuals) {
        let of_symmetric = symmetric_residuals(reduced, &best, report.residuals);
        let first = best.clone();
        let mut stages = report.stages;
        let residual_of = |report: &Report| report.residuals.of(budget.criterion);
        let (before, inner) = (residual_of(&report), report.inner_iterations);
        refinements = fixed_point::refine(
            reduced,
            solver,
            budget,
            &clock,
            &mut solution,
            &mut report,
            &mut best,
        );
        let steps = report.inner_iterations - inner;
        stages.note("refinement", steps, before, residual_of(&report));
        if !is_reached(&report.residuals) {
            let before = residual_of(&report);
            let steps = newton::refine(reduced, budget, &clock, &mut best);
            report.inner_iterations += steps;
            refinements += steps;
            report.residuals = meter(&best, report.residuals);
            stages.note("newton refinement", steps, before, residual_of(&report));
        }
        if !is_reached(&report.residuals) && !reduced.is_symmetric() && is_reached(&of_symmetric) {
            // The answer is the one before refinement, and so are the stages that it is from.
            report.residuals = of_symmetric;
            report.outcome = Outcome::Converged;
            report.time = clock.elapsed();
            return ContactAnswer {
                reaction: to_file_order(&first),
                is_symmetrised: true,
                refinements,
                report,
            };
        }
        report.stages = stages;
    }
    report.time = clock.elapsed();
    report.outcome = if !is_judged_by_w {
        report.outcome
    } else if is_reached(&report.residuals) {
        Outcome::Converged
    } else if solved_primal && clock.is_spent() {
        clock.outcome()
    } else if solved_primal {
        Outcome::stalled(Stall::NoProgress)
    } else {
        report.outcome
    };
    ContactAnswer {
        reaction: to_file_order(&best),
        is_symmetrised: false,
        refinements,
        report,
    }
}

fn symmetric_residuals(reduced: &ReducedLocal, r: &[f64], base: Residuals) -> Residuals {
    let mut residuals = base;
    reduced.measure_symmetric(r, &mut residuals);
    residuals
}

fn guessed(guess: Option<&[f64]>) -> Solution {
    Solution {
        velocity: Vec::new(),
        impulse: guess.map(from_file_order).unwrap_or_default(),
    }
}
