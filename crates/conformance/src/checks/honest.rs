//! What is claimed is so, measured in twice the precision and without the solvers' own code.

use stiction_constraints::{Report, Solution};

use crate::attempt::{is_refusal, not_finite};
use crate::judge::{Judge, Verdict};
use crate::subject::{Case, Subject};

/// Largest error of v̂ = A⁻¹(b + Jᵀλ), relative to the size of what is added up, in the norm of A.
pub(crate) const DYNAMICS: f64 = 1e-8;

/// `Converged` means that the laws hold to the tolerance.
pub(super) fn converged(
    subject: &Subject<'_>,
    report: &Report,
    verdict: &Verdict,
) -> Result<(), String> {
    let tolerance = subject.settings.tolerance;
    if !report.outcome.is_converged()
        || !subject.declaration.is_exact()
        || verdict.is_within(tolerance)
    {
        return Ok(());
    }
    Err(format!(
        "converged to {tolerance:.0e} m/s, but constraint {} is violated by {:.1e} m/s (reported: {:.1e}, rounding: {:.1e})",
        verdict.constraint.unwrap_or_default(),
        verdict.violation,
        report.residuals.scaled,
        verdict.rounding
    ))
}

/// The reported residual is not smaller than what is measured.
pub(super) fn reported(
    subject: &Subject<'_>,
    report: &Report,
    verdict: &Verdict,
) -> Result<(), String> {
    let claimed = report.residuals.scaled;
    let allowed = 1.01 * claimed + 0.01 * subject.settings.tolerance;
    if verdict.unexplained <= allowed {
        return Ok(());
    }
    Err(format!(
        "reports a scaled residual of {claimed:.2e} m/s, it is {:.2e} ({})",
        verdict.violation, report.outcome
    ))
}

/// The velocity belongs to the impulses, whatever the outcome.
pub(super) fn velocity(report: &Report, verdict: &Verdict) -> Result<(), String> {
    if verdict.dynamics <= DYNAMICS || is_refusal(&report.outcome) {
        return Ok(());
    }
    Err(format!(
        "the velocity is off by {:.1e} from that of the impulses ({})",
        verdict.dynamics, report.outcome
    ))
}

/// The verdict on an answer that is finite and fits.
pub(super) fn judge(case: &Case, solution: &Solution) -> Option<Verdict> {
    if not_finite(case.problem(), solution).is_some() {
        return None;
    }
    Some(Judge::new(case.problem())?.judge(solution))
}
