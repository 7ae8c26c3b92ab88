//! The same bits whatever was solved before.

use stiction_constraints::{Budget, Solution};
use stiction_generators::transform::perturb_b;

use crate::attempt::attempt;
use crate::report::CheckReport;
use crate::same::difference;
use crate::subject::Subject;

/// Iterations on the problems that give the used solver its history.
const ITERATIONS: usize = 10;

pub(super) fn run(subject: &Subject<'_>) -> CheckReport {
    let brief = Budget {
        max_iterations: Some(ITERATIONS),
        ..subject.budget()
    };
    // One solver is used throughout, and so has met problems of all sizes.
    let mut used = (subject.make)();
    let mut out = CheckReport::new("same bits for any history");
    for case in &subject.cases {
        out.cases += 1;
        let mut compare = || -> Result<(), String> {
            let problem = case.problem();
            let (report, solution) = subject.solve(problem, &subject.budget())?;
            if let Ok(similar) = perturb_b(problem, 0.1, case.seed) {
                attempt(used.as_mut(), &similar, &brief, Solution::cold())?;
            }
            let (later, other) =
                attempt(used.as_mut(), problem, &subject.budget(), Solution::cold())?;
            match difference((&report, &solution), (&later, &other)) {
                Some(how) => Err(format!("fresh and used: {how}")),
                None => Ok(()),
            }
        };
        if let Err(message) = compare() {
            subject.note(&mut out, case, message);
            // A panic may have left it in pieces.
            used = (subject.make)();
        }
    }
    out
}
