//! Solving local and global contact problems with any solver, answered in the file's order.

use std::time::Duration;

use super::component_order::{from_file_order, to_file_order};
use super::global::GlobalProblem;
use super::local::ReducedLocal;
use super::newton_refinement;
use crate::problem::Problem;
use crate::residual::{Residuals, Yardstick};
use crate::solver::{
    Budget, Criterion, Failure, Outcome, Report, Solution, Solver, Stall, Stopwatch,
};

/// Most solves that a refinement against W may add.
const MOST_REFINEMENTS: usize = 30;
/// Share of the tolerance that is asked of the solver when its answer will be refined.
const INNER_TOLERANCE: f64 = 0.2;

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
    let is_judged_by_w = budget.criterion == Criterion::Natural;
    if solved_primal && is_judged_by_w && !is_reached(&report.residuals) {
        let of_symmetric = symmetric_residuals(reduced, &best, report.residuals);
        let first = best.clone();
        let mut stages = report.stages;
        let residual_of = |report: &Report| report.residuals.of(budget.criterion);
        let (before, inner) = (residual_of(&report), report.inner_iterations);
        refinements = refine(
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
            let steps = newton_refinement::refine(reduced, budget, &clock, &mut best);
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

/// The fixed point q ← q + (W − L Lᵀ) r. Leaves the best reactions in `best` and their residuals
/// and the summed work in `report`; returns the number of solves.
fn refine(
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

impl GlobalProblem {
    /// Residuals of reactions r in the file's component order, against M and H as given.
    ///
    /// # Errors
    /// A wrong number of reactions, or a mass matrix that cannot be factorised.
    pub fn residuals(&self, reaction: &[f64]) -> Result<Residuals, Failure> {
        if reaction.len() != self.problem().row_count() {
            return Err(Failure::NotFinite);
        }
        let mut yardstick = Yardstick::default();
        yardstick.update(self.problem())?;
        let lambda = from_file_order(reaction);
        let mut velocity = vec![0.0; self.problem().dof_count()];
        yardstick.velocity_of(self.problem(), &lambda, &mut velocity);
        Ok(yardstick.residuals(self.problem(), &velocity, &lambda))
    }
}

impl ReducedLocal {
    /// Residuals of reactions r in the file's component order: natural, balanced, primal, dual and
    /// complementarity against W as given, the others against the primal form.
    ///
    /// # Errors
    /// A wrong number of reactions.
    pub fn residuals(&self, reaction: &[f64]) -> Result<Residuals, Failure> {
        if reaction.len() != self.problem().row_count() {
            return Err(Failure::NotFinite);
        }
        let mut yardstick = Yardstick::default();
        yardstick.update(self.problem())?;
        let lambda = from_file_order(reaction);
        let mut velocity = vec![0.0; self.problem().dof_count()];
        yardstick.velocity_of(self.problem(), &lambda, &mut velocity);
        let mut residuals = yardstick.residuals(self.problem(), &velocity, &lambda);
        self.measure(&lambda, &mut residuals);
        Ok(residuals)
    }
}
