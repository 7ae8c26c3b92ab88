//! The loop that all methods share.

use stiction_constraints::{
    Budget, Criterion, Declaration, Failure, HistoryEntry, Outcome, Problem, Report, Solution,
    Solver, Stages, Stall, Stopwatch,
};

use crate::own_residual::own_residual;
use crate::progress::Progress;
use crate::settings::{Judge, Method, PgsSettings, RaisimSchedule, SettingsError};
use crate::update;
use crate::workspace::Workspace;

/// After this many sweeps the row velocities are computed from scratch.
const REFRESH_SWEEPS: usize = 64;

/// A per-contact solver; which one is in its [settings](PgsSettings).
#[derive(Debug, Default)]
pub struct Pgs {
    settings: PgsSettings,
    workspace: Workspace,
    own_residual: f64,
}

impl Pgs {
    /// A solver with the given settings.
    ///
    /// # Errors
    /// A setting that is out of range.
    pub fn new(settings: PgsSettings) -> Result<Self, SettingsError> {
        settings.validate()?;
        Ok(Self {
            settings,
            ..Self::default()
        })
    }

    /// The solver with a name of [`SOLVERS`](crate::SOLVERS), with its defaults.
    pub fn named(name: &str) -> Option<Self> {
        let settings = PgsSettings::for_method(Method::named(name)?);
        Some(Self {
            settings,
            ..Self::default()
        })
    }

    /// The settings.
    pub fn settings(&self) -> &PgsSettings {
        &self.settings
    }

    /// Residual of the method's own model at the last returned solution, in m/s. For `pgs` and
    /// `jacobi` this is the evaluator's scaled residual.
    pub fn own_residual(&self) -> f64 {
        self.own_residual
    }

    /// One sweep over all constraints; returns whether any impulse changed. `blend` is the weight
    /// of the new impulses.
    fn sweep(&mut self, blend: &mut f64) -> bool {
        let method = self.settings.method;
        let passes_over_still = self.settings.passes_over_still;
        let falls =
            method == Method::Raisim && self.settings.raisim_schedule == RaisimSchedule::PerContact;
        let Workspace {
            delassus,
            locals,
            impulse: impulses,
            row_velocity,
            change,
            conjugate,
            ..
        } = &mut self.workspace;
        if method == Method::ConjugateGradient {
            conjugate.extrapolate(impulses, row_velocity);
        }
        let mut has_moved = false;
        for (index, local) in locals.iter().enumerate() {
            let (impulse, z) = (local.load(impulses), local.load(row_velocity));
            let step = (update::update(method, local, &z, &impulse) - impulse) * *blend;
            if falls && local.law.is_contact() {
                *blend = self.settings.lower(*blend);
            }
            // Open contacts and finished ones cost nothing beyond this line, unless that is asked for. (NaN moves.)
            let is_still = step.x == 0.0 && step.y == 0.0 && step.z == 0.0;
            if method == Method::Jacobi {
                local.store(&step, change);
            } else if !is_still || !passes_over_still {
                local.store(&(impulse + step), impulses);
                delassus.add_column(index, step.as_slice(), row_velocity);
            }
            has_moved |= !is_still;
        }
        if method == Method::Jacobi {
            for (index, local) in locals.iter().enumerate() {
                let step = local.load(change);
                local.store(&(local.load(impulses) + step), impulses);
                delassus.add_column(index, step.as_slice(), row_velocity);
            }
        }
        if method == Method::ConjugateGradient {
            conjugate.learn(locals, impulses, row_velocity);
        }
        has_moved
    }

    /// Sweeps that may bring nothing before the run counts as stalled. Under-relaxed sweeps get
    /// less done, and a residual that takes its time to fall may also rise for a time: a convex
    /// model always gets closer, but not in this measure.
    fn stall_window(&self, sweeps: usize) -> usize {
        let share = match self.settings.method {
            Method::Raisim => 1.0,
            _ => self.settings.relaxation.min(1.0),
        };
        let window = (self.settings.stall_sweeps as f64 / share).ceil() as usize;
        window.max(sweeps / 5)
    }

    /// Whether the residuals that decide are those of a relaxed model.
    fn judges_by_own_model(&self) -> bool {
        self.settings.judge == Judge::OwnModel && !self.settings.method.solves_the_true_problem()
    }

    /// The residual that decides, of the present iterate; beside a test of a paper, whether the end is
    /// called converged.
    fn judged_residual(&self, problem: &Problem, budget: &Budget) -> f64 {
        if self.judges_by_own_model() {
            self.model_residual()
        } else {
            self.common_residual(problem, budget)
        }
    }

    /// The same of an iterate that is about to be called a solution, with velocities from scratch and
    /// looked at so closely that huge impulses hide nothing.
    fn confirmed_residual(&mut self, problem: &Problem, budget: &Budget) -> f64 {
        self.workspace.refresh_row_velocity(problem);
        let residual = self.judged_residual(problem, budget);
        let is_own = self.judges_by_own_model();
        let Workspace {
            evaluator, impulse, ..
        } = &mut self.workspace;
        if !is_own {
            let criterion = budget.residual_criterion();
            residual.max(evaluator.confirm(problem, impulse, criterion, budget.tolerance))
        } else {
            residual.max(evaluator.rounding(problem, impulse))
        }
    }

    fn model_residual(&self) -> f64 {
        let workspace = &self.workspace;
        own_residual(
            self.settings.method,
            &workspace.locals,
            workspace.evaluator.effective_masses(),
            &workspace.impulse,
            &workspace.row_velocity,
        )
    }

    fn common_residual(&self, problem: &Problem, budget: &Budget) -> f64 {
        let workspace = &self.workspace;
        workspace.evaluator.measure_at(
            problem,
            &workspace.impulse,
            &workspace.row_velocity,
            budget.residual_criterion(),
        )
    }

    /// The quantity that a stopping test of a paper is about, after the last sweep: ε_abs is that of the
    /// model that is solved.
    fn test_value(&mut self, problem: &Problem, criterion: Criterion) -> f64 {
        let is_own = self.judges_by_own_model();
        let workspace = &mut self.workspace;
        match criterion {
            Criterion::VelocityChange => workspace.velocity_change(),
            Criterion::EpsAbs if is_own => workspace.own_eps_abs(problem, &self.settings),
            _ => workspace.evaluator.measure_at(
                problem,
                &workspace.impulse,
                &workspace.row_velocity,
                criterion,
            ),
        }
    }

    /// Sweeps until something ends it; the best iterate is left in the workspace.
    fn iterate(
        &mut self,
        problem: &Problem,
        budget: &Budget,
        stopwatch: &Stopwatch,
        history: &mut Vec<HistoryEntry>,
    ) -> (Outcome, usize) {
        let limit = budget.max_iterations.unwrap_or(self.settings.max_sweeps);
        let is_tested = budget.criterion.is_test();
        let mut start = self.judged_residual(problem, budget);
        if start <= budget.tolerance {
            start = self.confirmed_residual(problem, budget);
        }
        let mut progress = Progress::new(start);
        if progress.best <= budget.tolerance && Self::may_pass_unswept(budget) {
            return (Outcome::Converged, 0);
        }
        if stopwatch.is_spent() {
            return (stopwatch.outcome(), 0);
        }
        let mut blend = match self.settings.method {
            Method::Raisim => self.settings.relaxation.min(1.0),
            _ => 1.0,
        };
        let (mut sweeps, mut next_check, mut next_refresh) = (0, 1, REFRESH_SWEEPS);
        while sweeps < limit {
            sweeps += 1;
            if budget.criterion == Criterion::VelocityChange {
                let Workspace {
                    before, impulse, ..
                } = &mut self.workspace;
                before.copy_from_slice(impulse);
            }
            let has_moved = self.sweep(&mut blend);
            if self.settings.method == Method::Raisim
                && self.settings.raisim_schedule == RaisimSchedule::PerSweep
            {
                // [CMC, Alg. 4, lines 12–13] with the weight the right way round: as printed,
                // α = 1 would freeze the impulses.
                blend = self.settings.lower(blend);
            }
            let is_spent = stopwatch.is_spent();
            // A test of a paper is one of every iteration.
            let is_due = sweeps >= next_check || sweeps == limit || is_tested;
            if !(is_due || is_spent || !has_moved || budget.record_history) {
                continue;
            }

            // Every tenth of the way is often enough: a residual costs about as much as a sweep
            // over loosely coupled contacts.
            next_check = sweeps + 1 + sweeps / 10;
            if sweeps >= next_refresh {
                self.workspace.refresh_row_velocity(problem);
                next_refresh = sweeps + REFRESH_SWEEPS;
            }
            let mut residual = self.judged_residual(problem, budget);
            let mut is_test_met =
                is_tested && self.test_value(problem, budget.criterion) <= budget.tolerance;
            if residual <= budget.tolerance || is_test_met {
                residual = self.confirmed_residual(problem, budget);
                is_test_met =
                    is_tested && self.test_value(problem, budget.criterion) <= budget.tolerance;
            }
            if budget.record_history {
                history.push(HistoryEntry {
                    iteration: sweeps,
                    seconds: stopwatch.elapsed().as_secs_f64(),
                    residual: self.common_residual(problem, budget),
                });
            }
            // What met a test is handed back, also where an earlier iterate was better.
            if progress.is_best(residual) || is_test_met {
                let Workspace { best, impulse, .. } = &mut self.workspace;
                best.copy_from_slice(impulse);
            }
            let is_reached = residual <= budget.tolerance;
            if is_reached && (is_test_met || !is_tested) {
                return (Outcome::Converged, sweeps);
            }
            if is_test_met {
                return (Outcome::Stopped(budget.criterion), sweeps);
            }
            let end = if residual == f64::INFINITY {
                Outcome::Failed(Failure::NotFinite)
            } else if is_spent {
                stopwatch.outcome()
            } else if sweeps == limit {
                Outcome::OutOfIterations
            } else if !has_moved || progress.has_stalled(sweeps, self.stall_window(sweeps)) {
                Outcome::stalled(Stall::NoProgress)
            } else {
                continue;
            };
            // Short of its test a solve goes on, but what it ends with is called what it is.
            return match progress.best <= budget.tolerance {
                true => (Outcome::Converged, sweeps),
                false => (end, sweeps),
            };
        }
        (Outcome::OutOfIterations, sweeps)
    }

    /// Whether the guess may pass for a solution without a sweep. The papers' tests come after one: in a motion
    /// that goes on, every step then improves a guess that is within the tolerance already.
    fn may_pass_unswept(budget: &Budget) -> bool {
        !budget.criterion.is_test()
    }
}

impl Solver for Pgs {
    fn name(&self) -> &'static str {
        self.settings.method.name()
    }

    fn declaration(&self) -> Declaration {
        self.settings.method.declaration()
    }

    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report {
        let stopwatch = Stopwatch::start(budget);
        let started = self.workspace.start(problem, &self.settings, solution);
        solution.set_to_zero(problem);
        if let Err(failure) = started {
            // Without A⁻¹ there is no velocity and no residual: zeros, and nothing claimed.
            self.own_residual = f64::INFINITY;
            return Report {
                time: stopwatch.elapsed(),
                ..Report::of(Outcome::Failed(failure))
            };
        }
        let mut history = Vec::new();
        let start_residual = self.common_residual(problem, budget);
        let (outcome, sweeps) = if self.declaration().has(budget.criterion) {
            self.iterate(problem, budget, &stopwatch, &mut history)
        } else {
            let failure = Failure::UnsupportedCriterion(budget.criterion);
            (Outcome::Failed(failure), 0)
        };

        let workspace = &mut self.workspace;
        workspace.impulse.copy_from_slice(&workspace.best);
        workspace.refresh_row_velocity(problem);
        solution.impulse.copy_from_slice(&workspace.best);
        workspace
            .evaluator
            .velocity_of(problem, &workspace.best, &mut solution.velocity);
        let time = stopwatch.elapsed();
        let residuals =
            workspace
                .evaluator
                .residuals(problem, &solution.velocity, &solution.impulse);
        let mut stages = Stages::default();
        stages.note_time("delassus", workspace.assembly_time);
        self.own_residual = self.model_residual();
        Report {
            stages,
            iterations: sweeps,
            inner_iterations: sweeps,
            start_residual,
            residuals,
            time,
            history,
            ..Report::of(outcome)
        }
    }
}
