//! A second solve of the same problem, cold or warm as the first, allocates nothing.

use stiction_constraints::{Failure, Outcome, Solution, Stall};

use crate::allocator::{allocations, is_counting};
use crate::attempt::attempt;
use crate::report::CheckReport;
use crate::subject::Subject;

pub(super) fn run(subject: &Subject<'_>) -> CheckReport {
    let name = "allocation-free after the first solve";
    if !is_counting() {
        let mut out = CheckReport::new(name);
        out.not_checked =
            Some("the test does not run on stiction_conformance::CountingAllocator".to_owned());
        return out;
    }
    if subject.declaration.allocates {
        let mut out = CheckReport::new(name);
        out.not_checked = Some("it declares that it allocates".to_owned());
        return out;
    }
    subject.on_each_case(name, |case| {
        let budget = subject.budget();
        let mut solver = (subject.make)();
        let problem = case.problem();
        let (_, mut solution) = attempt(solver.as_mut(), problem, &budget, Solution::cold())?;
        let warm = solution.clone();
        // What a good guess leads through may need room that a cold start did not.
        attempt(solver.as_mut(), problem, &budget, warm.clone())?;
        solution.clear();
        for (start, guess) in [("cold", solution), ("warm", warm)] {
            let before = allocations();
            let (report, _) = attempt(solver.as_mut(), problem, &budget, guess)?;
            match (allocations() - before, report.outcome) {
                // The names of contradicting constraints are a list.
                (0, _) | (_, Outcome::Failed(Failure::Stalled(Stall::Contradiction { .. }))) => {}
                (count, _) => {
                    return Err(format!("another solve, {start}, allocated {count} times"));
                }
            }
        }
        Ok(())
    })
}
