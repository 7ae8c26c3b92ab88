//! One problem solved with one solver.

pub(crate) mod plot;

use std::time::Duration;

use stiction_constraints::{
    Budget, Criterion, Outcome, Problem, Report, ResidualEvaluator, Solution, Solver, Stall,
};
use stiction_problem_files::{ContactAnswer, FullProblem, solve_global, solve_local};

use crate::input::LoadedProblem;
use crate::solvers;
use crate::warm_start::Guess;

/// What came out of one solve.
pub(crate) struct Record {
    pub(crate) problem: String,
    pub(crate) solver: String,
    pub(crate) sizes: Sizes,
    pub(crate) criterion: Criterion,
    pub(crate) answer: Answer,
    pub(crate) report: Report,
}

/// How large a problem is, as the solver sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    pub(crate) contacts: usize,
    pub(crate) rows: usize,
    pub(crate) dofs: usize,
}

/// The numbers that were asked for.
pub(crate) enum Answer {
    /// r in the file's component order; for local problems whether it is about (W + Wᵀ)/2.
    Reaction {
        reaction: Vec<f64>,
        is_symmetrised: Option<bool>,
    },
    /// v̂ and λ of a full problem.
    Full(Solution),
}

/// Solves with the solver of a name; see [`solve_with`].
pub(crate) fn solve(
    problem: &LoadedProblem,
    name: &str,
    budget: &Budget,
    criterion: Option<Criterion>,
    guess: Option<&Guess>,
) -> anyhow::Result<Record> {
    let mut solver = solvers::make(name)?;
    let solver = solver.as_mut();
    Ok(solve_with(problem, solver, budget, criterion, guess))
}

/// Solves with any solver, from a guess if there is one. Where no criterion is named, the solver's own
/// test counts if it has one, otherwise the residual by which problems of this kind are judged.
pub(crate) fn solve_with(
    problem: &LoadedProblem,
    solver: &mut dyn Solver,
    budget: &Budget,
    criterion: Option<Criterion>,
    guess: Option<&Guess>,
) -> Record {
    let of_kind = match problem {
        LoadedProblem::Local { .. } | LoadedProblem::Global(_) => Criterion::Natural,
        LoadedProblem::Full(_) => Criterion::Scaled,
    };
    let criterion = criterion
        .or(solver.declaration().own_test)
        .unwrap_or(of_kind);
    let budget = Budget {
        criterion,
        ..budget.clone()
    };
    let reaction = guess.and_then(|guess| guess.reaction.as_deref());
    let (sizes, answer, report) = match problem {
        LoadedProblem::Local { reduced, .. } => {
            let contact = solve_local(reduced, solver, &budget, reaction);
            let (answer, report) = of_contact(contact, IsLocal::Yes);
            (sizes(reduced.problem()), answer, report)
        }
        LoadedProblem::Global(global) => {
            let mut contact = solve_global(global, solver, &budget, reaction);
            if let Ok(residuals) = global.residuals(&contact.reaction) {
                contact.report.residuals = residuals;
            }
            judge(&mut contact.report, &budget, solver);
            let (answer, report) = of_contact(contact, IsLocal::No);
            (sizes(global.problem()), answer, report)
        }
        LoadedProblem::Full(full) => {
            let mut solution = Solution::cold();
            if let Some(impulse) = guess.and_then(|guess| guess.impulse.as_ref()) {
                solution.impulse.clone_from(impulse);
            }
            let mut report = solver.solve(&full.problem, &budget, &mut solution);
            measure(full, &solution, &mut report);
            judge(&mut report, &budget, solver);
            (sizes(&full.problem), Answer::Full(solution), report)
        }
    };
    Record {
        problem: problem.name().to_owned(),
        solver: solver.name().to_owned(),
        sizes,
        criterion,
        answer,
        report,
    }
}

#[derive(Clone, Copy, PartialEq)]
enum IsLocal {
    Yes,
    No,
}

fn of_contact(contact: ContactAnswer, is_local: IsLocal) -> (Answer, Report) {
    let answer = Answer::Reaction {
        reaction: contact.reaction,
        is_symmetrised: (is_local == IsLocal::Yes).then_some(contact.is_symmetrised),
    };
    (answer, contact.report)
}

/// Residuals by a evaluator of our own, not the one that the solver used.
fn measure(full: &FullProblem, solution: &Solution, report: &mut Report) {
    let mut evaluator = ResidualEvaluator::default();
    if solution.impulse.len() == full.problem.row_count() && evaluator.update(&full.problem).is_ok()
    {
        report.residuals =
            evaluator.residuals(&full.problem, &solution.velocity, &solution.impulse);
    }
}

/// The tolerance decides what converged, not the solver's word. Of a test of a paper the solver's word is
/// taken: most are about quantities that only it has. So is that of a solver that relaxes the laws: residuals are of
/// Coulomb's.
fn judge(report: &mut Report, budget: &Budget, solver: &dyn Solver) {
    if !solver.declaration().is_exact() {
        return;
    }
    let residual = report.residuals.of(budget.residual_criterion());
    let is_reached = residual <= budget.tolerance;
    if is_reached {
        report.outcome = Outcome::Converged;
    } else if report.outcome.is_converged() {
        report.outcome = Outcome::stalled(Stall::Rounding);
    }
}

fn sizes(problem: &Problem) -> Sizes {
    Sizes {
        contacts: problem.contact_count(),
        rows: problem.row_count(),
        dofs: problem.dof_count(),
    }
}

/// Wall-clock time in a form that people read.
pub(crate) fn readable(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 1e-3 {
        format!("{:.0} µs", seconds * 1e6)
    } else if seconds < 1.0 {
        format!("{:.1} ms", seconds * 1e3)
    } else {
        format!("{seconds:.2} s")
    }
}
