//! Constraints that no velocity satisfies: not converged, and where it is promised, least violation.

use nalgebra::DMatrix;
use stiction_constraints::{Budget, Failure, Law, Outcome, Problem, ProblemError, RowBlock, Stall};

use crate::report::CheckReport;
use crate::subject::{Subject, is_supported};

/// How close to the velocity of least violation, m/s.
const CLOSE: f64 = 1e-6;

pub(super) fn run(subject: &Subject<'_>) -> CheckReport {
    let mut out = CheckReport::new("contradictions are said to be such");
    let Ok(problem) = opposing() else { return out };
    if !is_supported(&subject.declaration, &problem) {
        out.not_checked = Some("it refuses unilateral rows".to_owned());
        return out;
    }
    if subject.declaration.shifts {
        out.not_checked = Some("its own model gives way to both".to_owned());
        return out;
    }
    out.cases = 1;
    if let Err(message) = check(subject, &problem) {
        let failed = subject.failed(out.name, "v ≥ 1 and v ≤ 0", 0, &problem, message);
        out.failures.push(failed);
    }
    out
}

/// A mass of 1 kg that should move with v ≥ 1 and v ≤ 0.
fn opposing() -> Result<Problem, ProblemError> {
    let mut problem = Problem::new();
    let mass = problem.push_dense(DMatrix::identity(1, 1), &[0.2])?;
    for (sign, error) in [(1.0, -1.0), (-1.0, 0.0)] {
        let block = RowBlock::Dofs {
            dofs: &[0],
            values: &[sign],
        };
        problem.push_constraint(Law::Unilateral, &[error], &[(mass, block)])?;
    }
    Ok(problem)
}

fn check(subject: &Subject<'_>, problem: &Problem) -> Result<(), String> {
    let budget = Budget {
        max_iterations: None,
        ..subject.budget()
    };
    let budget = if subject.declaration.finds_least_violation {
        budget
    } else {
        subject.budget()
    };
    let (report, solution) = subject.solve(problem, &budget)?;
    if report.outcome.is_converged() {
        return Err("v ≥ 1 and v ≤ 0: converged".to_owned());
    }
    if !subject.declaration.finds_least_violation {
        return Ok(());
    }
    let velocity = solution.velocity[0];
    if !((velocity - 0.5).abs() <= CLOSE) {
        return Err(format!(
            "v ≥ 1 and v ≤ 0: least violation is v = 0.5, not {velocity} ({})",
            report.outcome
        ));
    }
    match report.outcome {
        Outcome::Failed(Failure::Stalled(Stall::Contradiction { constraints }))
            if constraints == [0, 1] =>
        {
            Ok(())
        }
        other => Err(format!("v ≥ 1 and v ≤ 0: does not name the two: {other}")),
    }
}
