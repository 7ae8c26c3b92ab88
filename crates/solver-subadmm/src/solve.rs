//! Algorithm 2: what a solve goes through, and how it ends.

mod adapt;
mod iteration;
mod measure;
mod prepare;

use stiction_constraints::{
    Budget, Criterion, Declaration, Failure, HistoryEntry, Outcome, Problem, Relaxation, Report,
    ResidualEvaluator, Residuals, Solution, Solver, Stages, Stopwatch,
};

use self::measure::Guess;
use crate::anderson::Anderson;
use crate::balance::Forces;
use crate::base::Base;
use crate::block::Block;
use crate::fold::Folds;
use crate::lanes::Lanes;
use crate::layout::Layout;
use crate::monitor::Monitor;
use crate::penalty::Penalty;
use crate::settings::{Adaptation, Contacts, Overconstrained, StartPenalty, SubAdmmSettings};
use crate::sweep::Spatial;
use crate::trial::PenaltyTrial;

/// What stays the same during one solve.
#[derive(Clone, Copy)]
struct Run<'a> {
    problem: &'a Problem,
    budget: &'a Budget,
    stopwatch: &'a Stopwatch,
}

/// How iterations are done.
#[derive(Debug, Clone, Copy)]
struct Manner {
    /// Where β starts, and how it changes.
    penalty: StartPenalty,
    adaptation: Adaptation,
    relaxation: f64,
    /// Earlier iterates that acceleration combines, 0 for none.
    memory: usize,
}

impl Manner {
    fn usual(settings: &SubAdmmSettings, penalty: StartPenalty) -> Self {
        Self {
            penalty,
            adaptation: settings.adaptation,
            relaxation: settings.relaxation,
            memory: settings.anderson_memory,
        }
    }

    fn plain(overconstrained: &Overconstrained) -> Self {
        Self {
            penalty: StartPenalty::TraceRatio {
                scale: overconstrained.penalty_scale,
            },
            adaptation: Adaptation::Never,
            relaxation: overconstrained.relaxation,
            memory: 0,
        }
    }
}

/// Whether a test of a paper is about an iterate's own v̂ and slack variables. Such a solve is the printed algorithm: it begins
/// with the guessed velocity too, measures no residual on its way, and hands back the last v̂ and λ. Impulses alone say little
/// of them: where bodies are cut v̂ of an iterate obeys its constraints long before its impulses fit together.
fn is_about_the_iterate(criterion: Criterion) -> bool {
    criterion.is_test() && criterion != Criterion::EpsAbs
}

/// What a solve has spent, and on which stages.
#[derive(Debug, Default)]
struct Spent {
    iterations: usize,
    stages: Stages,
    history: Vec<HistoryEntry>,
}

impl SubAdmm {
    /// From the guess to an outcome; the best impulses are with `monitor`. Nothing is prepared where
    /// the guess is the answer.
    fn attempt(
        &mut self,
        run: &Run<'_>,
        guess: &Solution,
        spent: &mut Spent,
    ) -> Result<Outcome, Failure> {
        self.factorizations = 0;
        self.has_iterate = false;
        self.evaluator.update(run.problem)?;
        let (start, residual) = self.measure_guess(run, guess);
        self.monitor
            .start(&self.iterate.stacked, residual, start != Guess::None);
        spent.stages.note("guess", 0, f64::INFINITY, residual);
        if residual <= run.budget.tolerance && !run.budget.criterion.is_test() {
            return Ok(Outcome::Converged);
        }
        if run.stopwatch.is_spent() {
            return Ok(run.stopwatch.outcome());
        }
        self.prepare(run.problem, start == Guess::Close)?;
        self.start_iterate(run.problem, start != Guess::None);
        if is_about_the_iterate(run.budget.criterion) {
            self.start_from_velocity(run.problem, &guess.velocity);
        }
        let outcome = self.iterate(run, spent);
        self.has_iterate = !matches!(outcome, Outcome::Failed(_));
        Ok(outcome)
    }
}

/// Subsystem-based ADMM, [AL, §VI].
#[derive(Debug)]
pub struct SubAdmm {
    name: &'static str,
    /// All choices.
    pub settings: SubAdmmSettings,
    evaluator: ResidualEvaluator,
    layout: Layout,
    folds: Folds,
    base: Base,
    blocks: Vec<Block>,
    penalty: Penalty,
    anderson: Anderson,
    monitor: Monitor,
    trial: PenaltyTrial,
    /// How to iterate on this problem, and how if that is slow.
    manners: (Manner, Option<Manner>),
    /// How it is done now.
    manner: Manner,
    /// Whether the work is spread over threads.
    is_parallel: bool,
    /// Whether the last step that was looked at let impulses grow that push little.
    is_growing: bool,
    /// Scale that each rule of the trial had reached.
    trial_scale: [f64; 2],
    forces: Forces,
    iterate: Iterate,
    /// Whether the last solve got as far as iterating, and did not fail.
    has_iterate: bool,
    factorizations: usize,
}

/// The vectors of the iteration.
#[derive(Debug, Default)]
struct Iterate {
    velocity: Vec<f64>,
    /// v̂ before the last step where a stopping test is about it.
    old_velocity: Vec<f64>,
    /// s = z − λ/β of each slot, now and before the last step where that is of interest.
    state: Vec<Lanes>,
    old_state: Vec<Lanes>,
    change: Vec<Lanes>,
    /// λ of each active constraint, now and before the last step where that is of interest.
    impulse: Vec<Lanes>,
    old_impulse: Vec<Lanes>,
    /// Bodies of trees: wrenches, then velocities.
    bodies: Vec<Spatial>,
    /// √β of each slot; empty until it is needed.
    root_penalty: Vec<f64>,
    /// λ and J v̂ of all rows, for measuring.
    stacked: Vec<f64>,
    row_velocity: Vec<f64>,
    measured_velocity: Vec<f64>,
    /// What each slot sees, for measuring.
    seen: Vec<Lanes>,
    /// ‖J v̂‖ over slots of the motion without constraints.
    free_size: f64,
}

impl SubAdmm {
    /// A solver with settings of your own, under a name of your own.
    pub fn new(name: &'static str, settings: SubAdmmSettings) -> Self {
        let usual = Manner::usual(&settings, settings.start_penalty);
        Self {
            name,
            manners: (usual, None),
            manner: usual,
            is_parallel: false,
            is_growing: false,
            settings,
            evaluator: ResidualEvaluator::default(),
            layout: Layout::default(),
            folds: Folds::default(),
            base: Base::default(),
            blocks: Vec::new(),
            penalty: Penalty::default(),
            anderson: Anderson::default(),
            monitor: Monitor::default(),
            trial: PenaltyTrial::default(),
            trial_scale: [1.0; 2],
            forces: Forces::default(),
            iterate: Iterate::default(),
            has_iterate: false,
            factorizations: 0,
        }
    }
}

impl SubAdmm {
    /// The stopping tests of papers that there are quantities for.
    const WITH_TESTS: Declaration = Declaration {
        tests: &[
            Criterion::EpsAbs,
            Criterion::VelocityChange,
            Criterion::Consensus,
            Criterion::PrimalDual,
            Criterion::SplitChange,
        ],
        ..Declaration::EXACT
    };
}

impl Solver for SubAdmm {
    fn name(&self) -> &'static str {
        self.name
    }

    fn declaration(&self) -> Declaration {
        if self.settings.contacts == Contacts::Proximal {
            return Declaration {
                relaxes: &[Relaxation::Signorini],
                guarantee: "converges to a solution of the convex cone model, if there is one",
                avoids_internal_forces: true,
                ..Self::WITH_TESTS
            };
        }
        Declaration {
            guarantee: "problems without friction, of which this is the method of multipliers with splitting",
            own_test: match self.name {
                "subadmm-paper" => Some(Criterion::PrimalDual),
                "subadmm-per-subsystem" => Some(Criterion::SplitChange),
                _ => None,
            },
            finds_least_violation: true,
            avoids_internal_forces: true,
            // One penalty for all, as printed, is too stiff for the light and too soft for the heavy.
            is_robust: !matches!(self.name, "subadmm-paper" | "subadmm-per-subsystem"),
            ..Self::WITH_TESTS
        }
    }

    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report {
        let terms: usize = problem.constraints().iter().map(|c| c.term_count()).sum();
        self.is_parallel = terms >= self.settings.parallel_from_terms;
        let stopwatch = match self.is_parallel {
            true => Stopwatch::start_on_threads(budget),
            false => Stopwatch::start(budget),
        };
        let run = Run {
            problem,
            budget,
            stopwatch: &stopwatch,
        };
        let mut spent = Spent::default();
        let outcome = match self.attempt(&run, solution, &mut spent) {
            Ok(outcome) => outcome,
            Err(failure) => {
                solution.set_to_zero(problem);
                return Report {
                    time: stopwatch.elapsed(),
                    ..Report::of(Outcome::Failed(failure))
                };
            }
        };
        solution.impulse.clear();
        solution.impulse.extend_from_slice(&self.monitor.best);
        solution.velocity.resize(problem.dof_count(), 0.0);
        if self.has_iterate && is_about_the_iterate(budget.criterion) {
            self.hand_back_iterate(problem, solution);
        } else {
            self.evaluator
                .velocity_of(problem, &solution.impulse, &mut solution.velocity);
        }
        let time = stopwatch.elapsed();
        let residuals = if budget.all_residuals {
            self.evaluator
                .residuals(problem, &solution.velocity, &solution.impulse)
        } else {
            let criterion = budget.residual_criterion();
            let residual = self
                .evaluator
                .measure(problem, &solution.impulse, criterion);
            Residuals::only(criterion, residual)
        };
        Report {
            outcome,
            iterations: spent.iterations,
            inner_iterations: spent.iterations,
            inner_failures: 0,
            factorizations: self.factorizations,
            start_residual: self.monitor.start_residual,
            residuals,
            time,
            stages: spent.stages,
            history: spent.history,
        }
    }
}
