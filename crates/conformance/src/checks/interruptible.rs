//! A raised flag ends a solve soon: counted in looks at it, not by a clock.

use stiction_constraints::{Budget, Outcome, StopFlag};

use crate::attempt::is_refusal;
use crate::report::CheckReport;
use crate::subject::Subject;

/// Looks that nested loops may take at a raised flag on their way out.
const WAY_OUT: u64 = 8;
/// Inner iterations that may pass without a look, such as one at the end of a stage.
const UNSEEN: u64 = 4;

pub(super) fn run(subject: &Subject<'_>) -> CheckReport {
    subject.on_each_case("interruptible in each inner iteration", |case| {
        for looks in [0, 1, 7, 40] {
            let flag = StopFlag::after_looks(looks);
            let budget = with_flag(subject, &flag);
            let (report, _) = subject.solve(case.problem(), &budget)?;
            if looks == 0 && report.iterations > 1 {
                return Err(format!(
                    "{} iterations although the flag was raised from the start ({})",
                    report.iterations, report.outcome
                ));
            }
            if !flag.is_raised() {
                continue;
            }
            let fits = report.outcome == Outcome::Interrupted
                || report.outcome.is_converged()
                || is_refusal(&report.outcome);
            if !fits {
                return Err(format!(
                    "flag raised at look {}, but the outcome is: {}",
                    looks + 1,
                    report.outcome
                ));
            }
            if flag.looks() > looks + 1 + WAY_OUT {
                return Err(format!(
                    "looked {} more times at a flag that was raised at look {}",
                    flag.looks() - looks - 1,
                    looks + 1
                ));
            }
        }
        let flag = StopFlag::after_looks(u64::MAX - 1);
        let (report, _) = subject.solve(case.problem(), &with_flag(subject, &flag))?;
        if flag.looks() + UNSEEN < report.inner_iterations as u64 {
            return Err(format!(
                "looked {} times at the flag in {} inner iterations",
                flag.looks(),
                report.inner_iterations
            ));
        }
        Ok(())
    })
}

fn with_flag(subject: &Subject<'_>, flag: &StopFlag) -> Budget {
    Budget {
        stop: Some(flag.clone()),
        ..subject.budget()
    }
}
