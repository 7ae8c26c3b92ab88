//! A solve that may go wrong in every way.

use std::panic::{AssertUnwindSafe, catch_unwind};

use stiction_constraints::{Budget, Failure, Outcome, Problem, Report, Solution, Solver};

/// A solve from a guess; a panic as its message.
pub(crate) fn attempt(
    solver: &mut dyn Solver,
    problem: &Problem,
    budget: &Budget,
    mut solution: Solution,
) -> Result<(Report, Solution), String> {
    catch_unwind(AssertUnwindSafe(|| {
        let report = solver.solve(problem, budget, &mut solution);
        (report, solution)
    }))
    .map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let word = || panic.downcast_ref::<&str>().map(|&text| text.to_owned());
        let message = text.or_else(word);
        format!("panicked: {}", message.as_deref().unwrap_or("no message"))
    })
}

/// What is wrong with the sizes or the numbers of an answer.
pub(crate) fn not_finite(problem: &Problem, solution: &Solution) -> Option<String> {
    let vectors = [
        ("velocity", &solution.velocity, problem.dof_count()),
        ("impulse", &solution.impulse, problem.row_count()),
    ];
    for (name, vector, count) in vectors {
        if vector.len() != count {
            return Some(format!("{name} has {} numbers, not {count}", vector.len()));
        }
        if let Some(index) = vector.iter().position(|value| !value.is_finite()) {
            return Some(format!("{name} {index} is {}", vector[index]));
        }
    }
    None
}

/// Whether the solver did not begin, so that zeros were handed back.
pub(crate) fn is_refusal(outcome: &Outcome) -> bool {
    matches!(
        outcome,
        Outcome::Failed(
            Failure::UnsupportedLaw { .. }
                | Failure::UnsupportedCriterion(_)
                | Failure::NotPositiveDefinite { .. }
                | Failure::NotFinite
        )
    )
}
