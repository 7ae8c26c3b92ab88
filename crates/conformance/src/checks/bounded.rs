//! No more iterations than allowed, with and without rescue.

use stiction_constraints::Budget;

use crate::report::CheckReport;
use crate::subject::Subject;

pub(super) fn run(subject: &Subject<'_>) -> CheckReport {
    subject.on_each_case("bounded by max_iterations", |case| {
        for limit in [0, 1, 5] {
            for rescue in [false, true] {
                let budget = Budget {
                    max_iterations: Some(limit),
                    rescue,
                    ..subject.budget()
                };
                let (report, _) = subject.solve(case.problem(), &budget)?;
                if report.iterations > limit {
                    return Err(format!(
                        "{} iterations of {limit} allowed, rescue {} ({})",
                        report.iterations,
                        if rescue { "on" } else { "off" },
                        report.outcome
                    ));
                }
            }
        }
        Ok(())
    })
}
