//! What a solver declares is what it does.

use stiction_constraints::{Budget, Criterion, Failure, Outcome};

use crate::report::CheckReport;
use crate::subject::{Case, Subject};

/// Laws and subsystems that are declared as refused are refused, laws by name.
pub(super) fn laws(subject: &Subject<'_>) -> CheckReport {
    let mut out = CheckReport::new("refused laws and subsystems are refused by name");
    for case in &subject.refused {
        out.cases += 1;
        if let Err(message) = is_refused(subject, case) {
            subject.note(&mut out, case, message);
        }
    }
    if subject.refused.is_empty() {
        out.not_checked = Some("it refuses none".to_owned());
    }
    out
}

fn is_refused(subject: &Subject<'_>, case: &Case) -> Result<(), String> {
    let (report, _) = subject.solve(case.problem(), &subject.budget())?;
    let laws = case.problem().constraints();
    let refused_law = |index: usize| {
        let law = laws.get(index).map(|constraint| constraint.law.kind());
        law.filter(|law| subject.declaration.refused_laws.contains(law))
    };
    let has_refused_law = (0..laws.len()).any(|index| refused_law(index).is_some());
    match &report.outcome {
        Outcome::Failed(Failure::UnsupportedLaw { constraint, law })
            if refused_law(*constraint) == Some(law) =>
        {
            Ok(())
        }
        // There is no name for a subsystem in a failure.
        Outcome::Failed(_) if !has_refused_law => Ok(()),
        other => Err(format!("declared as refused, but: {other}")),
    }
}

/// Declared stopping tests of papers end a solve, others are refused by name.
pub(super) fn tests(subject: &Subject<'_>) -> CheckReport {
    let mut out = CheckReport::new("declared stopping tests work, others are refused");
    let easy = subject
        .cases
        .iter()
        .filter(|case| case.drawn.labels.is_plain);
    for case in easy.take(subject.settings.count) {
        for (criterion, word) in Criterion::ALL {
            if !criterion.is_test() {
                continue;
            }
            out.cases += 1;
            let budget = Budget {
                criterion,
                // Papers print 1e-3 to 1e-6.
                tolerance: 1e-3,
                ..subject.budget()
            };
            let is_declared = subject.declaration.tests.contains(&criterion);
            let message = match subject.solve(case.problem(), &budget) {
                Err(message) => message,
                Ok((report, _)) => match report.outcome {
                    Outcome::Failed(Failure::UnsupportedCriterion(named))
                        if !is_declared && named == criterion =>
                    {
                        continue;
                    }
                    // A slow method may take longer than a suite can wait.
                    Outcome::Converged | Outcome::OutOfIterations if is_declared => continue,
                    Outcome::Stopped(by) if is_declared && by == criterion => continue,
                    outcome if is_declared => format!("{word} is declared, but: {outcome}"),
                    outcome => format!("{word} is not declared, but: {outcome}"),
                },
            };
            subject.note(&mut out, case, message);
        }
    }
    out
}
