//! Processor time: what a busy machine does not lengthen.

use cpu_time::ThreadTime;

use crate::error::{ExperimentError, Result};

/// How often everything that is timed takes its turn.
pub const TURNS: usize = 5;

/// What `work` returns, and the processor time of this thread that it took, s.
pub fn processor_time<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = ThreadTime::now();
    let out = work();
    (out, start.elapsed().as_secs_f64())
}

/// The smallest time of each of `count` candidates in [`TURNS`] turns. `time` runs one candidate and returns
/// its time in s ([`processor_time`]), so that preparations need not count.
///
/// All take turns: what slows the machine for a while slows all of them. Every other turn goes backwards, so
/// that what a candidate leaves in the caches helps either of its neighbours as often.
///
/// # Errors
/// The first error of a candidate.
pub fn smallest_in_turns(
    count: usize,
    mut time: impl FnMut(usize) -> Result<f64>,
) -> Result<Vec<f64>> {
    let mut smallest = vec![f64::INFINITY; count];
    for turn in 0..TURNS {
        for step in 0..count {
            let index = if turn % 2 == 0 {
                step
            } else {
                count - 1 - step
            };
            smallest[index] = smallest[index].min(time(index)?);
        }
    }
    Ok(smallest)
}

/// Runs `work` where solvers that spread over threads find one only, so that the processor time of that
/// thread is all there is.
///
/// # Errors
/// A thread that cannot be started, or the error of the work.
pub fn on_one_thread<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.map_err(|error| ExperimentError::Threads(error.to_string()))?;
    pool.install(work)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_candidate_has_five_turns_and_the_smallest_counts() {
        let mut seen = Vec::new();
        let times = smallest_in_turns(2, |index| {
            seen.push(index);
            Ok(10.0 - seen.len() as f64)
        });
        assert_eq!(seen, [0, 1, 1, 0, 0, 1, 1, 0, 0, 1]);
        assert_eq!(times.unwrap(), [1.0, 0.0]);
    }

    #[test]
    fn a_sleep_takes_no_processor_time_and_one_thread_is_one() {
        let nap = std::time::Duration::from_millis(20);
        assert!(processor_time(|| std::thread::sleep(nap)).1 < 0.01);
        assert_eq!(
            on_one_thread(|| Ok(rayon::current_num_threads())).unwrap(),
            1
        );
    }
}
