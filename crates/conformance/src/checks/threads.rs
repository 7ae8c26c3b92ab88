//! The same bits on any number of threads.

use rayon::ThreadPoolBuilder;
use stiction_constraints::{Budget, Problem};
use stiction_generators::{SpherePileParams, sphere_pile};

use crate::report::CheckReport;
use crate::same::difference;
use crate::subject::Subject;

const THREADS: [usize; 3] = [1, 2, 8];
/// Iterations on the large problem.
const ITERATIONS: usize = 10;

pub(super) fn run(subject: &Subject<'_>) -> CheckReport {
    let mut out = subject.on_each_case("same bits for any number of threads", |case| {
        compare(subject, case.problem(), &subject.budget())
    });
    // Solvers may spread only large problems over threads.
    if let Ok(pile) = sphere_pile(&SpherePileParams::default()) {
        let budget = Budget {
            max_iterations: Some(ITERATIONS),
            rescue: false,
            ..subject.budget()
        };
        out.cases += 1;
        if let Err(message) = compare(subject, &pile, &budget) {
            let failed = subject.failed(out.name, "sphere pile", 0, &pile, message);
            out.failures.push(failed);
        }
    }
    out
}

fn compare(subject: &Subject<'_>, problem: &Problem, budget: &Budget) -> Result<(), String> {
    let mut first = None;
    for threads in THREADS {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| error.to_string())?;
        let (report, solution) = pool.install(|| subject.solve(problem, budget))?;
        match &first {
            None => first = Some((report, solution)),
            Some((one, answer)) => {
                if let Some(how) = difference((one, answer), (&report, &solution)) {
                    return Err(format!("1 and {threads} threads: {how}"));
                }
            }
        }
    }
    Ok(())
}
