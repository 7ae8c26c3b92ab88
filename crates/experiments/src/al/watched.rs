//! Solvers that are watched while they simulate, and held to a budget of their own.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use stiction_constraints::{
    Budget, Criterion, Declaration, Outcome, Problem, Report, ResidualEvaluator, SoftContacts,
    Solution, Solver, StopFlag,
};
use stiction_scenes::Scene;
use stiction_sim::solvers::make;

use crate::error::{ExperimentError, Result};
use crate::run::Run;
use crate::timing::processor_time;

/// Tolerance of a solve that only its iterations end, m/s.
pub(super) const NEVER: f64 = 1e-300;

/// What runs on another thread need to know of how much is asked for.
#[derive(Debug, Clone)]
pub(super) struct Pace {
    stop: StopFlag,
    is_quick: bool,
}

impl Pace {
    pub(super) fn of(run: &Run<'_>) -> Self {
        Self {
            stop: run.stop_flag(),
            is_quick: run.is_quick(),
        }
    }

    /// The first for a whole run, the second for a quick one.
    pub(super) fn or_quick<T>(&self, whole: T, quick: T) -> T {
        if self.is_quick { quick } else { whole }
    }

    /// Ends what somebody ended.
    pub(super) fn go_on(&self) -> Result<()> {
        match self.stop.is_raised() {
            true => Err(ExperimentError::Interrupted),
            false => Ok(()),
        }
    }
}

/// What a solver may spend on a solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Spend {
    /// So many iterations, no more and no fewer.
    Iterations(usize),
    /// At most so many iterations, fewer where the scene's tolerance is reached.
    AtMost(usize),
    /// So much processor time, s, less where the scene's tolerance is reached.
    Time(f64),
}

/// What was seen of the solves of one step.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Solves {
    /// Processor time, s.
    pub(super) seconds: f64,
    /// Sum over islands of the paper's residual times contacts, and the contacts.
    paper: f64,
    constraints: usize,
    /// Largest scaled residual, m/s.
    pub(super) scaled: f64,
}

impl Solves {
    /// The paper's residual over all islands.
    pub(super) fn paper(&self) -> Option<f64> {
        (self.constraints > 0).then(|| self.paper / self.constraints as f64)
    }
}

/// Shared by the solvers of a world.
pub(super) type Log = Arc<Mutex<Solves>>;

/// Takes what the last step left.
pub(super) fn take(log: &Log) -> Solves {
    std::mem::take(&mut log.lock().unwrap_or_else(PoisonError::into_inner))
}

struct Watched {
    inner: Box<dyn Solver>,
    spend: Spend,
    measures: bool,
    evaluator: ResidualEvaluator,
    log: Log,
}

impl Solver for Watched {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn declaration(&self) -> Declaration {
        self.inner.declaration()
    }

    fn soft_contacts(&self) -> Option<SoftContacts> {
        self.inner.soft_contacts()
    }

    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report {
        let mut own = Budget {
            rescue: false,
            all_residuals: false,
            ..budget.clone()
        };
        match self.spend {
            Spend::Iterations(most) => {
                own.max_iterations = Some(most);
                own.tolerance = NEVER;
            }
            Spend::AtMost(most) => own.max_iterations = Some(most),
            Spend::Time(seconds) => own.time_limit = Some(Duration::from_secs_f64(seconds)),
        }
        let (mut report, seconds) = processor_time(|| self.inner.solve(problem, &own, solution));
        let mut seen = Solves {
            seconds,
            ..Solves::default()
        };
        if self.measures && self.evaluator.update(problem).is_ok() {
            let impulse = &solution.impulse;
            let mut measure = |criterion| self.evaluator.measure(problem, impulse, criterion);
            seen.constraints = problem.constraints().len();
            seen.paper = measure(Criterion::Paper) * seen.constraints as f64;
            seen.scaled = measure(Criterion::Scaled);
        }
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.seconds += seen.seconds;
        log.paper += seen.paper;
        log.constraints += seen.constraints;
        log.scaled = log.scaled.max(seen.scaled);
        // What it has then is what the world goes on with.
        if matches!(
            report.outcome,
            Outcome::OutOfIterations | Outcome::OutOfTime
        ) {
            report.outcome = Outcome::Converged;
        }
        report
    }
}

/// Lets a scene be solved by a solver within a budget; `measures` says whether residuals are asked for.
pub(super) fn watch(scene: &mut Scene, solver: &str, spend: Spend, measures: bool) -> Result<Log> {
    make(solver)?;
    let log = Log::default();
    let (name, shared) = (solver.to_owned(), Arc::clone(&log));
    scene.world.set_solver_with(move || {
        Box::new(Watched {
            inner: make(&name).expect("names of solvers don't vanish"),
            spend,
            measures,
            evaluator: ResidualEvaluator::default(),
            log: Arc::clone(&shared),
        })
    });
    Ok(log)
}

/// A value in the middle; NaN of nothing.
pub(super) fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => values[count / 2],
        count => 0.5 * (values[count / 2 - 1] + values[count / 2]),
    }
}
