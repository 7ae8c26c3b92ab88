//! The same bits on any number of threads.

use rayon::{ThreadPool, ThreadPoolBuilder};
use stiction_constraints::{Budget, Problem};
use stiction_generators::{SpherePileParams, sphere_pile};

use crate::report::CheckReport;
use crate::same::difference;
use crate::subject::Subject;

const THREADS: [usize; 3] = [1, 2, 8];
/// The large problem and the iterations on it.
const BODIES: usize = 100;
const ITERATIONS: usize = 5;

pub(super) fn run(subject: &Subject<'_>) -> CheckReport {
    let mut out = CheckReport::new("same bits for any number of threads");
    let pools: Result<Vec<ThreadPool>, _> = THREADS
        .iter()
        .map(|&threads| ThreadPoolBuilder::new().num_threads(threads).build())
        .collect();
    let pools = match pools {
        Ok(pools) => pools,
        Err(error) => {
            out.not_checked = Some(error.to_string());
            return out;
        }
    };
    // One of each family.
    for case in subject.cases.iter().step_by(subject.settings.count.max(1)) {
        out.cases += 1;
        if let Err(message) = compare(subject, &pools, case.problem(), &subject.budget()) {
            subject.note(&mut out, case, message);
        }
    }
    // Solvers may spread only large problems over threads.
    let params = SpherePileParams {
        bodies: BODIES,
        ..SpherePileParams::default()
    };
    if let Ok(pile) = sphere_pile(&params) {
        let budget = Budget {
            max_iterations: Some(ITERATIONS),
            rescue: false,
            ..subject.budget()
        };
        out.cases += 1;
        if let Err(message) = compare(subject, &pools, &pile, &budget) {
            let failed = subject.failed(out.name, "sphere pile", 0, &pile, message);
            out.failures.push(failed);
        }
    }
    out
}

fn compare(
    subject: &Subject<'_>,
    pools: &[ThreadPool],
    problem: &Problem,
    budget: &Budget,
) -> Result<(), String> {
    let mut first = None;
    for (pool, threads) in pools.iter().zip(THREADS) {
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
