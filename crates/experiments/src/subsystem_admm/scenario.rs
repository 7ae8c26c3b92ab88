//! The three scenes, run with a fixed number of iterations.

use std::sync::{Arc, Mutex, PoisonError};

use stiction_constraints::{
    Budget, Criterion, Declaration, Problem, Report, ResidualEvaluator, Solution, Solver,
};
use stiction_scenes::{Options, Scene};
use stiction_sim::SimError;
use stiction_sim::solvers::make;
use stiction_solver_first_order::{Fadmm, FadmmSettings};

use super::accuracy::squared_error;
use crate::Run;
use crate::error::Result;

/// The paper's solver.
pub(super) const SUBADMM: Candidate = Candidate::Named("subadmm-per-subsystem");
/// Tolerance of a solve that only its iterations end, m/s.
pub(super) const NEVER: f64 = 1e-300;
/// A run whose mean accuracy is below this has failed: its constraints are off by 0.1 m/s.
const FAILED: f64 = 1.0;
/// Penetration by which a run has failed, m: half the thickness of the cable, the radius of half a grain.
const DEEP: f64 = 4e-3;

/// Squares of the norm of constraint errors, (m/s)²: with the iterate's own v̂, and with the one that belongs to its impulses.
type Squares = [f64; 2];

/// A solver by its name, or one that has none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Candidate {
    /// A solver's name.
    Named(&'static str),
    /// `fadmm` with one ρ for all rows that stays: without what OSQP adds to ADMM.
    PlainFadmm,
}

impl Candidate {
    /// The solver.
    pub(super) fn make(self) -> Result<Box<dyn Solver>> {
        Ok(match self {
            Self::Named(name) => make(name)?,
            Self::PlainFadmm => Box::new(Fadmm::new(FadmmSettings {
                rho: 1.0,
                equality: 1.0,
                adapt: (usize::MAX, 2.0),
                ..FadmmSettings::default()
            })),
        })
    }
}

/// What solves of a step left, by the solvers of its islands.
type Log = Arc<Mutex<Vec<(usize, Squares)>>>;

/// A solver that is given a fixed number of iterations and whose errors are noted.
struct Watched {
    inner: Box<dyn Solver>,
    /// Which of the solvers of a world.
    number: usize,
    iterations: usize,
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

    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report {
        // Projections of positions have a limit of their own, and are not what is compared.
        if budget.max_iterations != Some(self.iterations) {
            return self.inner.solve(problem, budget, solution);
        }
        let budget = as_printed(self.inner.as_ref(), budget);
        let report = self.inner.solve(problem, &budget, solution);
        if self.evaluator.update(problem).is_ok() {
            let (velocity, impulse) = (&solution.velocity, &solution.impulse);
            let mut own = vec![0.0; problem.row_count()];
            self.evaluator.rows().mul(velocity, &mut own);
            let of_impulses = self.evaluator.row_velocity_of(problem, impulse).to_vec();
            let squares =
                [own, of_impulses].map(|z| squared_error(problem, &self.evaluator, &z, impulse));
            let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
            // Of several solves of a step the last one counts.
            log.retain(|(number, _)| *number != self.number);
            log.push((self.number, squares));
        }
        report
    }
}

/// The budget under which a solver does what its paper prints: exactly so many iterations, the last iterate handed back.
fn as_printed(solver: &dyn Solver, budget: &Budget) -> Budget {
    let criterion = match solver.declaration().has(Criterion::VelocityChange) {
        true => Criterion::VelocityChange,
        false => budget.criterion,
    };
    Budget {
        criterion,
        ..budget.clone()
    }
}

/// Lets a world be solved by `iterations` iterations of a solver, no more and no fewer.
fn watch(scene: &mut Scene, solver: Candidate, iterations: usize) -> Result<Log> {
    solver.make()?;
    let log = Log::default();
    let (numbers, shared) = (Mutex::new(0), Arc::clone(&log));
    scene.world.set_solver_with(move || {
        let mut numbers = numbers.lock().unwrap_or_else(PoisonError::into_inner);
        *numbers += 1;
        Box::new(Watched {
            inner: solver.make().expect("names of solvers don't vanish"),
            number: *numbers,
            iterations,
            evaluator: ResidualEvaluator::default(),
            log: Arc::clone(&shared),
        })
    });
    let mut settings = scene.world.settings().clone();
    settings.tolerance = NEVER;
    settings.max_iterations = Some(iterations);
    scene.world.set_settings(settings)?;
    Ok(log)
}

/// How a simulation with a fixed number of iterations went.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Accuracy {
    /// AA, with the v̂ that the solver hands back.
    pub(super) mean: f64,
    /// The same with v̂ recomputed from the impulses.
    pub(super) of_impulses: f64,
    /// Steps with constraints.
    pub(super) steps: usize,
    /// Deepest penetration, m.
    pub(super) penetration: f64,
    /// Why it failed, if it did.
    pub(super) failure: Option<String>,
}

/// Simulates `steps` steps of a scene with a solver and measures what it leaves of the constraints.
pub(super) fn accuracy(
    run: &Run<'_>,
    scene: &mut Scene,
    solver: Candidate,
    iterations: usize,
    steps: usize,
) -> Result<Accuracy> {
    let log = watch(scene, solver, iterations)?;
    let mut out = Accuracy::default();
    let mut sums = [0.0; 2];
    for _ in 0..steps {
        if run.is_interrupted() {
            return Err(crate::ExperimentError::Interrupted);
        }
        if let Err(error) = scene.world.step() {
            if matches!(error, SimError::Interrupted) {
                return Err(crate::ExperimentError::Interrupted);
            }
            out.failure = Some(error.to_string());
            break;
        }
        out.penetration = out.penetration.max(scene.world.report().penetration);
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        if !log.is_empty() {
            for (which, sum) in sums.iter_mut().enumerate() {
                let square: f64 = log.iter().map(|(_, squares)| squares[which]).sum();
                *sum += -square.sqrt().max(1e-16).log10();
            }
            log.clear();
            out.steps += 1;
        }
        if out.penetration > DEEP {
            out.failure = Some(format!("penetration of {:.1} mm", 1e3 * out.penetration));
            break;
        }
    }
    [out.mean, out.of_impulses] = sums.map(|sum| sum / out.steps.max(1) as f64);
    if out.failure.is_none() && !(out.mean >= FAILED) {
        out.failure = Some(format!("constraints are off by 1e{:.1} m/s", -out.mean));
    }
    Ok(out)
}

/// A problem of a step, with what its solver began with.
pub(super) struct Sample {
    pub(super) problem: Problem,
    pub(super) guess: Solution,
}

/// Problems of some steps of a scene, as a run of 60 iterations of SubADMM meets them: `count` steps evenly among
/// `steps` after the first `skip`.
pub(super) fn samples(
    run: &Run<'_>,
    scene: &mut Scene,
    (skip, steps, count): (usize, usize, usize),
) -> Result<Vec<Vec<Sample>>> {
    watch(scene, SUBADMM, 60)?;
    let every = (steps / count).max(1);
    let mut out = Vec::new();
    for step in 0..skip + steps {
        if run.is_interrupted() {
            return Err(crate::ExperimentError::Interrupted);
        }
        scene.world.step()?;
        if step >= skip && (step - skip) % every == every - 1 && out.len() < count {
            let problems = scene.world.problems().map(|solved| Sample {
                problem: solved.problem.clone(),
                guess: Solution {
                    velocity: Vec::new(),
                    impulse: solved.guess.unwrap_or_default().to_vec(),
                },
            });
            out.push(problems.collect());
        }
    }
    Ok(out)
}

/// The processor time of a step's solves with a fixed number of iterations, s.
pub(super) fn solve_time(solver: &mut dyn Solver, iterations: usize, step: &[Sample]) -> f64 {
    let budget = Budget {
        max_iterations: Some(iterations),
        rescue: false,
        all_residuals: false,
        ..Budget::with_tolerance(NEVER)
    };
    let budget = as_printed(solver, &budget);
    let times = step.iter().map(|sample| {
        let mut solution = sample.guess.clone();
        let solve = || solver.solve(&sample.problem, &budget, &mut solution);
        crate::timing::processor_time(solve).1
    });
    times.sum()
}

/// Scenes as they come.
pub(super) fn options() -> Options {
    Options::default()
}
