//! What ends a solve from outside: its clock, and a flag that others may raise.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;

use super::{Budget, Outcome};

/// A flag by which a solve is ended from elsewhere: an interrupt, the deadline of a step, another
/// language. Clones are the same flag.
///
/// Solvers look at it at least once in each inner iteration and hand back the best iterate so far as
/// [`Outcome::Interrupted`]. How often they look can be counted, so that tests of it need no clock.
#[derive(Debug, Clone, Default)]
pub struct StopFlag {
    state: Arc<State>,
}

#[derive(Debug)]
struct State {
    is_raised: AtomicBool,
    looks: AtomicU64,
    /// Number of looks from which on the flag counts as raised; `u64::MAX` for never, where looks are
    /// not counted.
    limit: AtomicU64,
}

impl Default for State {
    fn default() -> Self {
        Self {
            is_raised: AtomicBool::new(false),
            looks: AtomicU64::new(0),
            limit: AtomicU64::new(u64::MAX),
        }
    }
}

impl StopFlag {
    /// A flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// A flag that raises itself at the look after this many; 0 is raised from the start. Looks are
    /// counted.
    pub fn after_looks(looks: u64) -> Self {
        let flag = Self::default();
        flag.state
            .limit
            .store(looks.min(u64::MAX - 1), Ordering::Relaxed);
        flag
    }

    /// Ends what looks at the flag.
    pub fn raise(&self) {
        self.state.is_raised.store(true, Ordering::Relaxed);
    }

    /// Takes the flag down again.
    pub fn lower(&self) {
        self.state.is_raised.store(false, Ordering::Relaxed);
    }

    /// Whether to end: what solvers ask.
    #[inline]
    pub fn look(&self) -> bool {
        let limit = self.state.limit.load(Ordering::Relaxed);
        if limit != u64::MAX && self.state.looks.fetch_add(1, Ordering::Relaxed) >= limit {
            self.raise();
        }
        self.is_raised()
    }

    /// Whether somebody raised it.
    pub fn is_raised(&self) -> bool {
        self.state.is_raised.load(Ordering::Relaxed)
    }

    /// Looks so far at a flag that [counts them](Self::after_looks).
    pub fn looks(&self) -> u64 {
        self.state.looks.load(Ordering::Relaxed)
    }
}

/// Two flags are equal when they are the same one.
impl PartialEq for StopFlag {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.state, &other.state)
    }
}

/// Watches the clock and the flag of one solve.
#[derive(Debug, Clone)]
pub struct Stopwatch {
    start: Instant,
    /// Processor time of this thread at the start; `None` where there is no limit, or a solve is
    /// spread over threads.
    processor_start: Option<ThreadTime>,
    limit: Option<Duration>,
    stop: Option<StopFlag>,
}

impl Stopwatch {
    /// Starts now, with the budget's limit of processor time and its flag.
    pub fn start(budget: &Budget) -> Self {
        Self {
            processor_start: budget.time_limit.map(|_| ThreadTime::now()),
            ..Self::start_on_threads(budget)
        }
    }

    /// Starts now for a solve that other threads take part in: the limit is of wall-clock time, since
    /// this thread's processor time says nothing of theirs.
    pub fn start_on_threads(budget: &Budget) -> Self {
        Self {
            start: Instant::now(),
            processor_start: None,
            limit: budget.time_limit,
            stop: budget.stop.clone(),
        }
    }

    /// Wall-clock time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// What is left of the limit; `None` without one.
    pub fn time_left(&self) -> Option<Duration> {
        self.limit.map(|limit| limit.saturating_sub(self.used()))
    }

    fn used(&self) -> Duration {
        match self.processor_start {
            Some(start) => start.elapsed(),
            None => self.start.elapsed(),
        }
    }

    /// Whether the limit has passed or the flag was raised: to be asked once per inner iteration.
    /// Reads no clock where there is no limit.
    #[inline]
    pub fn is_spent(&self) -> bool {
        self.stop.as_ref().is_some_and(StopFlag::look)
            || self.limit.is_some_and(|limit| self.used() >= limit)
    }

    /// How a solve ends that [`is_spent`](Self::is_spent) has ended.
    pub fn outcome(&self) -> Outcome {
        if self.stop.as_ref().is_some_and(StopFlag::is_raised) {
            Outcome::Interrupted
        } else {
            Outcome::OutOfTime
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_is_shared_by_its_clones_and_can_be_taken_down() {
        let flag = StopFlag::new();
        let budget = Budget {
            stop: Some(flag.clone()),
            ..Budget::default()
        };
        let stopwatch = Stopwatch::start(&budget);
        assert!(!stopwatch.is_spent());
        flag.raise();
        assert!(stopwatch.is_spent());
        assert_eq!(stopwatch.outcome(), Outcome::Interrupted);
        flag.lower();
        assert!(!stopwatch.is_spent());
        assert_ne!(flag, StopFlag::new());
    }

    #[test]
    fn looks_are_counted_and_raise_the_flag() {
        let flag = StopFlag::after_looks(2);
        assert_eq!(
            [flag.look(), flag.look(), flag.look()],
            [false, false, true]
        );
        assert_eq!(flag.looks(), 3);
    }

    #[test]
    fn a_sleeping_thread_spends_no_processor_time() {
        let budget = Budget {
            time_limit: Some(Duration::from_millis(20)),
            ..Budget::default()
        };
        let (processor, wall) = (
            Stopwatch::start(&budget),
            Stopwatch::start_on_threads(&budget),
        );
        std::thread::sleep(Duration::from_millis(25));
        assert!(wall.is_spent() && !processor.is_spent());
        assert_eq!(wall.outcome(), Outcome::OutOfTime);
        while !processor.is_spent() {}
    }
}
