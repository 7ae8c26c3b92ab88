//! A scene followed with a solver from a state on: what each step showed, and what its solves took.

use std::sync::{Arc, Mutex, PoisonError};

use stiction_constraints::{
    Budget, Criterion, Declaration, Outcome, Problem, Report, Solution, Solver,
};
use stiction_scenes::Scene;
use stiction_sim::{Point3, SimError, Snapshot, World};

use super::handled::Handled;
use super::variants::make;
use crate::Run;
use crate::error::{ExperimentError, Result};
use crate::timing::processor_time;

/// What ends the solves of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Ending {
    /// ‖Δv̂‖ at or below this, m/s.
    Change(f64),
    /// A scaled residual, m/s.
    Residual(f64),
    /// So many iterations.
    Iterations(usize),
}

/// Iterations after which a solve is ended whatever its test says. It also marks the solves of steps among others that a
/// world makes.
pub(super) const MOST: usize = 2000;
/// A tolerance that no iteration gets to.
const NEVER: f64 = 1e-300;

impl Ending {
    /// The budget of a solve.
    pub(super) fn budget(self, base: &Budget) -> Budget {
        let base = Budget {
            all_residuals: false,
            guess_tolerance: None,
            ..base.clone()
        };
        match self {
            Self::Change(tolerance) => Budget {
                criterion: Criterion::VelocityChange,
                tolerance,
                max_iterations: Some(MOST),
                ..base
            },
            Self::Residual(tolerance) => Budget {
                tolerance,
                max_iterations: None,
                rescue: false,
                ..base
            },
            Self::Iterations(count) => Budget {
                criterion: Criterion::VelocityChange,
                tolerance: NEVER,
                max_iterations: Some(count),
                ..base
            },
        }
    }

    /// What it is called.
    pub(super) fn word(self) -> String {
        match self {
            Self::Change(tolerance) => format!("velocity-change {tolerance:.0e}"),
            Self::Residual(tolerance) => format!("scaled residual {tolerance:.0e} m/s"),
            Self::Iterations(count) => format!("{count} iterations"),
        }
    }
}

/// A problem of a step with what its solver began with.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    pub(super) problem: Problem,
    pub(super) guess: Solution,
}

/// What solves of a run took.
#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) solves: usize,
    pub(super) iterations: usize,
    seconds: f64,
    pub(super) at_limit: usize,
    /// Whether to keep the problem of this step with most rows, and what was kept of it so far.
    wants_sample: bool,
    sample: Option<Sample>,
    pub(super) samples: Vec<Sample>,
}

/// A solver that is ended in a way of its own and watched.
struct Watched {
    inner: Box<dyn Solver>,
    /// How; as it is asked where there is none.
    ending: Option<Ending>,
    log: Arc<Mutex<Log>>,
}

impl Solver for Watched {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn declaration(&self) -> Declaration {
        self.inner.declaration()
    }

    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report {
        if budget.max_iterations != Some(MOST) {
            return self.inner.solve(problem, budget, solution);
        }
        let guess = solution.clone();
        let budget = match self.ending {
            Some(ending) => ending.budget(budget),
            None => budget.clone(),
        };
        let (mut report, seconds) = processor_time(|| self.inner.solve(problem, &budget, solution));
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.solves += 1;
        log.iterations += report.iterations;
        log.seconds += seconds;
        log.at_limit += usize::from(report.outcome == Outcome::OutOfIterations);
        let kept = log.sample.as_ref();
        let is_largest = kept.is_none_or(|kept| kept.problem.row_count() < problem.row_count());
        if log.wants_sample && problem.contact_count() > 0 && is_largest {
            log.sample = Some(Sample {
                problem: problem.clone(),
                guess,
            });
        }
        // How it is ended is all that is asked for: the world goes on with what there is then.
        if self.ending.is_some() && !matches!(report.outcome, Outcome::Failed(_)) {
            report.outcome = Outcome::Converged;
        }
        report
    }
}

/// What a run of a scene with one solver showed.
#[derive(Debug, Default)]
pub(super) struct Track {
    pub(super) log: Log,
    /// Largest penetration of each step, m.
    pub(super) penetrations: Vec<f64>,
    /// The dynamics index of each step.
    pub(super) index: Vec<f64>,
    /// Norm of all contact forces of each step, N.
    pub(super) contact_force: Vec<f64>,
    pub(super) contacts: f64,
    /// Processor time of the steps without that of solves, s.
    dynamics: f64,
    pub(super) steps: usize,
    /// Where nodes were at the end, m.
    pub(super) nodes: Vec<Point3<f64>>,
    /// Why the run ended early.
    pub(super) end: Option<String>,
}

impl Track {
    /// Goes on with the steps of another window.
    pub(super) fn join(&mut self, other: Track) {
        let (own, new) = (self.steps as f64, other.steps as f64);
        self.contacts = (own * self.contacts + new * other.contacts) / (own + new).max(1.0);
        self.log.solves += other.log.solves;
        self.log.iterations += other.log.iterations;
        self.log.seconds += other.log.seconds;
        self.log.at_limit += other.log.at_limit;
        self.log.samples.extend(other.log.samples);
        self.penetrations.extend(other.penetrations);
        self.index.extend(other.index);
        self.contact_force.extend(other.contact_force);
        self.dynamics += other.dynamics;
        self.steps += other.steps;
        self.nodes = other.nodes;
        self.end = self.end.take().or(other.end);
    }

    /// Mean over steps of the largest penetration, m.
    pub(super) fn penetration(&self) -> f64 {
        mean(&self.penetrations)
    }

    /// Mean iterations of a solve.
    pub(super) fn iterations(&self) -> f64 {
        self.log.iterations as f64 / self.log.solves.max(1) as f64
    }

    /// Mean processor time of a step's solves, s.
    pub(super) fn solver_time(&self) -> f64 {
        self.log.seconds / self.steps.max(1) as f64
    }

    /// Mean processor time of what a step takes besides solves, s.
    pub(super) fn dynamics_time(&self) -> f64 {
        self.dynamics / self.steps.max(1) as f64
    }

    /// Mean over steps of how far the dynamics index is from that of another run.
    pub(super) fn index_error(&self, truth: &Track) -> f64 {
        let pairs = self.index.iter().zip(&truth.index);
        mean(
            &pairs
                .map(|(own, other)| (own - other).abs())
                .collect::<Vec<_>>(),
        )
    }

    /// Mean distance of nodes from where they are at the end of another run, m.
    pub(super) fn displacement_error(&self, truth: &Track) -> f64 {
        let pairs = self.nodes.iter().zip(&truth.nodes);
        mean(
            &pairs
                .map(|(own, other)| (own - other).norm())
                .collect::<Vec<_>>(),
        )
    }
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// How a scene is followed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way<'a> {
    pub(super) handled: Handled,
    pub(super) start: &'a Snapshot,
    pub(super) steps: usize,
    /// Number of problems to keep, evenly over the steps.
    pub(super) samples: usize,
}

/// Steps to where a scene is followed from, with its own solver.
pub(super) fn start_of(run: &Run<'_>, scene: &mut Scene, steps: usize) -> Result<Snapshot> {
    scene.world.stop_with(Some(run.stop_flag()));
    for _ in 0..steps {
        scene.world.step().map_err(interrupted)?;
    }
    Ok(scene.world.snapshot())
}

fn interrupted(error: SimError) -> ExperimentError {
    match error {
        SimError::Interrupted => ExperimentError::Interrupted,
        error => error.into(),
    }
}

/// The largest problems of `count` steps evenly among `steps` after the first `skip`, with what their solves began with, in a run
/// as the scene asks for.
pub(super) fn problems_of(
    run: &Run<'_>,
    scene: &mut Scene,
    (skip, steps, count): (usize, usize, usize),
) -> Result<Vec<Sample>> {
    let world = &mut scene.world;
    let name = world.solver_name().to_owned();
    make(&name)?;
    let log = watch(world, run, name, None)?;
    let every = (steps / count.max(1)).max(1);
    for step in 0..skip + steps {
        let mut shared = log.lock().unwrap_or_else(PoisonError::into_inner);
        shared.wants_sample = step >= skip && (step - skip) % every == every - 1;
        drop(shared);
        world.step().map_err(interrupted)?;
        keep_sample(&log);
    }
    let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(std::mem::take(&mut log.samples))
}

/// Lets a world's steps be solved by a solver that is ended in a way of its own, if any, and watched.
fn watch(
    world: &mut World,
    run: &Run<'_>,
    solver: String,
    ending: Option<Ending>,
) -> Result<Arc<Mutex<Log>>> {
    let log = Arc::new(Mutex::new(Log::default()));
    let shared = Arc::clone(&log);
    world.stop_with(Some(run.stop_flag()));
    let mut settings = world.settings().clone();
    settings.max_iterations = Some(MOST);
    world.set_settings(settings)?;
    world.set_solver_with(move || {
        Box::new(Watched {
            inner: make(&solver).expect("it was made before"),
            ending,
            log: Arc::clone(&shared),
        })
    });
    Ok(log)
}

/// Keeps what a step left as a sample, if it did.
fn keep_sample(log: &Mutex<Log>) {
    let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(sample) = log.sample.take() {
        log.wants_sample = false;
        log.samples.push(sample);
    }
}

/// Follows a scene with a solver.
pub(super) fn follow(
    run: &Run<'_>,
    scene: &mut Scene,
    way: Way<'_>,
    solver: &'static str,
    ending: Ending,
) -> Result<Track> {
    make(solver)?;
    let world = &mut scene.world;
    let log = watch(world, run, solver.to_owned(), Some(ending))?;
    world.restore(way.start)?;
    let mut track = Track::default();
    let every = way.steps / (way.samples + 1);
    for step in 0..way.steps {
        if way.samples > 0 && step > 0 && step % every.max(1) == 0 {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            log.wants_sample = log.samples.len() < way.samples;
        }
        let (stepped, seconds) = processor_time(|| world.step().map(|_| ()));
        match stepped {
            Ok(()) => {}
            Err(SimError::Interrupted) => return Err(ExperimentError::Interrupted),
            Err(error) => {
                track.end = Some(error.to_string());
                break;
            }
        }
        keep_sample(&log);
        let report = world.report();
        track.penetrations.push(report.penetration.max(0.0));
        track.contacts += report.contacts as f64 / way.steps as f64;
        track.dynamics += seconds;
        track.steps += 1;
        track.index.push(way.handled.index(world)?);
        let forces = world.contact_forces().iter();
        let square: f64 = forces.map(|contact| contact.force.norm_squared()).sum();
        track.contact_force.push(square.sqrt());
    }
    track.nodes = way.handled.nodes(world)?;
    let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
    track.log = std::mem::take(&mut log);
    track.dynamics -= track.log.seconds;
    Ok(track)
}
