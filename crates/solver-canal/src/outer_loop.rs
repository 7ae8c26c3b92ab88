//! Algorithm 1 of [AL]: the outer loop, and the stages that it calls.

use stiction_constraints::{Criterion, Failure, HistoryEntry, Outcome, Stall};

use crate::newton::InnerProblem;
use crate::progress::{Patience, Pause, Spent};
use crate::rules::{HALF, PAID};
use crate::settings::{Path, PenaltyScope};
use crate::solve::{Canal, Run};
use crate::state::{MultiplierChange, OwnGrowth};

/// Multipliers that push this part of what is violated, at most, push nothing: their growth is a proof
/// that what is violated cannot be satisfied (Farkas). Contradicting constraints get there within some
/// five iterations.
const NOTHING: f64 = 1e-6;
/// Runs along the path before the outer loop, at most.
const FIRST_RUNS: usize = 3;
/// Constraints that take part in a contradiction by this part of the largest violation are named.
const TAKES_PART: f64 = 1e-2;

impl Canal {
    /// The outer loop as a stage, with a factor on the usual first penalty, its scope and its most
    /// iterations; line numbers are those of [AL, Alg. 1]. `None` where it leads nowhere and something else may.
    pub(crate) fn outer_loop(
        &mut self,
        run: &Run<'_>,
        spent: &mut Spent,
        (stage, penalty, scope, most): (&'static str, f64, PenaltyScope, usize),
    ) -> Option<Outcome> {
        let settings = self.settings.outer_loop.clone();
        self.state.prepare_loop(run.problem, &self.evaluator);
        let choice = self.settings.linear_solver;
        self.hessian
            .update_if_stale(run.problem, &self.evaluator, choice);
        // Line 2. The scale of β is the problem's own.
        let mass = self.evaluator.largest_term_mass();
        if scope != PenaltyScope::Common {
            self.state.weigh_by_mass(&self.evaluator);
        }
        self.state
            .set_penalty(penalty * settings.penalty_start.value(mass));
        let beta_max = settings.penalty_max.value(mass).max(self.state.beta);
        let own_growth = (scope == PenaltyScope::Own).then_some(OwnGrowth {
            test: settings.penalty_test,
            factor: settings.penalty_growth,
            most: beta_max / self.state.beta,
        });
        self.strict_pause = Pause::default();
        let mut patience = Patience::new(settings.patience);
        let mut previous_gap = f64::INFINITY;
        for _ in 0..most.min(spent.iterations_left(run.budget)) {
            if run.stopwatch.is_spent() {
                return Some(run.stopwatch.outcome());
            }
            let before = self.best.residual;
            let steps_before = spent.newton_steps;
            self.last_velocity.clone_from(&self.state.v);
            let (is_strict, inner_steps) = self.inner_solve(run, spent); // lines 4–14
            let masses = self.evaluator.effective_masses();
            let change = self
                .state
                .update_multiplier(run.problem, masses, own_growth); // line 15
            spent.iterations += 1;
            let residual = self.residual(run);
            if !residual.is_finite() {
                return Some(Outcome::Failed(Failure::NotFinite));
            }
            self.best.offer(&self.state.lambda, residual);
            let steps = spent.newton_steps - steps_before;
            spent.stages.note(stage, steps, before, self.best.residual);

            // Nothing opened, closed, started or stopped sliding: the finish converges quadratically.
            if !self.is_done(run) && !self.state.note_modes() {
                self.finish(run, spent, "finish", (residual, f64::INFINITY));
            }
            if run.budget.record_history {
                spent.history.push(HistoryEntry {
                    iteration: spent.iterations,
                    seconds: run.stopwatch.elapsed().as_secs_f64(),
                    residual: self.best.residual,
                });
            }
            // Lines 16–17. The printed test ‖J v̂ − z‖ equals ‖Δλ‖/β and shrinks when β grows even
            // if nothing converged: unless it is asked for, the residual of λ itself decides.
            if self.is_done(run) {
                return Some(Outcome::Converged);
            }
            if self.is_test_met(run, &change) {
                return Some(self.stopped(run));
            }
            // Impulses that run away prove nothing.
            if change.gap > HALF * previous_gap
                && residual <= self.best.residual / NOTHING
                && let Some(outcome) = self.contradiction(run, &change)
            {
                self.best.start(&self.state.lambda, residual);
                return Some(outcome);
            }
            if patience.is_over(before, self.best.residual, !is_strict) {
                let has_paid = self.follow_path(run, spent);
                if self.is_done(run) {
                    return Some(Outcome::Converged);
                }
                patience.note(has_paid);
            }
            // Lines 18–20.
            let is_easy = is_strict && inner_steps <= settings.easy_steps;
            let is_slow = change.gap > settings.penalty_test * previous_gap;
            let growth = if is_easy {
                settings.easy_growth
            } else if is_slow && own_growth.is_none() {
                settings.penalty_growth
            } else {
                1.0
            };
            self.state
                .set_penalty((growth * self.state.beta).min(beta_max));
            previous_gap = change.gap;
        }
        None
    }

    /// Solves the surrogate problem: the strict form where Newton manages it, the convex form with
    /// the shift of the last iterate otherwise. Whether it was the strict one,
    /// and its Newton steps.
    fn inner_solve(&mut self, run: &Run<'_>, spent: &mut Spent) -> (bool, usize) {
        let Self {
            settings,
            evaluator,
            hessian,
            state,
            strict_pause,
            ..
        } = self;
        state.jt_lambda.fill(0.0);
        evaluator
            .rows()
            .mul_transpose_add(&state.lambda, &mut state.jt_lambda);
        let inner = InnerProblem {
            problem: run.problem,
            settings: &settings.outer_loop,
            evaluator,
            stopwatch: run.stopwatch,
            max_newton: settings.max_newton,
        };
        if let Some(strict) = &settings.strict
            && strict_pause.is_over()
        {
            let beta = state.beta;
            for _ in 0..=strict.retreats {
                let report = inner.solve_strict(hessian, state);
                spent.add(&report);
                if report.is_solved {
                    strict_pause.note(true);
                    return (true, report.steps);
                }
                state.set_penalty(strict.retreat * state.beta);
            }
            state.set_penalty(beta);
            strict_pause.note(false);
        }
        // Lines 4–5: ẽ = e + p(z).
        if settings.outer_loop.update_shift {
            state.update_shift(run.problem);
        }
        // Lines 6–14.
        let report = inner.minimize(hessian, state);
        spent.add(&report);
        spent.inner_failures += usize::from(!report.is_solved);
        (false, report.steps)
    }

    /// Newton straight at the complementarity problem from the current multipliers and their residual,
    /// not beyond what would be hopeless.
    pub(crate) fn finish(
        &mut self,
        run: &Run<'_>,
        spent: &mut Spent,
        stage: &'static str,
        (residual, hopeless): (f64, f64),
    ) {
        let Some(settings) = self.settings.finish.clone() else {
            return;
        };
        let before = self.best.residual;
        let (mut context, state, newton, ..) = self.split(run);
        let start = (state.lambda.as_slice(), residual);
        let reached = newton.run(&mut context, &settings, start, hopeless);
        self.best.offer(&self.newton.best, reached.residual);
        spent.newton_steps += reached.steps;
        spent.factorizations += reached.steps;
        spent
            .stages
            .note(stage, reached.steps, before, self.best.residual);
        if reached.residual < PAID * residual {
            self.state
                .adopt(run.problem, &mut self.evaluator, &self.newton.best);
        }
    }

    /// The path before anything else, where its steps cost much less than those of inner solves; again as long
    /// as it pays.
    pub(crate) fn follow_path_first(&mut self, run: &Run<'_>, spent: &mut Spent) {
        let Some(mut path) = self.settings.path.clone() else {
            return;
        };
        // A budget of a few iterations is for the outer loop.
        if !self.hessian.is_condensed() || spent.iterations_left(run.budget) <= FIRST_RUNS {
            return;
        }
        path.cut = path.first_cut;
        let steps = path.first_steps;
        for _ in 0..FIRST_RUNS {
            spent.iterations += 1;
            if self.is_out(run, spent) || !self.follow_path_with(run, spent, (&path, steps)) {
                return;
            }
            if self.is_done(run) {
                return;
            }
        }
    }

    /// Newton along the smoothed path, as wide at first as the current error; whether it paid.
    fn follow_path(&mut self, run: &Run<'_>, spent: &mut Spent) -> bool {
        let Some(path) = self.settings.path.clone() else {
            return false;
        };
        self.follow_path_with(run, spent, (&path, self.settings.max_newton))
    }

    fn follow_path_with(
        &mut self,
        run: &Run<'_>,
        spent: &mut Spent,
        (settings, most): (&Path, usize),
    ) -> bool {
        let Some(finish) = self.settings.finish.clone() else {
            return false;
        };
        let width = self
            .evaluator
            .measure(run.problem, &self.state.lambda, Criterion::Scaled);
        let residual = self.residual(run);
        let before = self.best.residual;
        let (mut context, state, _, path, _) = self.split(run);
        context.max_newton = most;
        let start = (state.lambda.as_slice(), residual);
        let reached = path.run(&mut context, (settings, &finish), start, width);
        self.best.offer(&self.path.best, reached.residual);
        spent.newton_steps += reached.steps;
        spent.factorizations += reached.steps;
        spent
            .stages
            .note("path", reached.steps, before, self.best.residual);
        let has_paid = reached.residual < PAID * residual;
        if has_paid {
            self.state
                .adopt(run.problem, &mut self.evaluator, &self.path.best);
        }
        has_paid
    }

    /// Whether the stopping test of a paper is met that the budget asks for.
    fn is_test_met(&mut self, run: &Run<'_>, change: &MultiplierChange) -> bool {
        let value = match run.budget.criterion {
            Criterion::Consensus => change.gap,
            Criterion::VelocityChange => {
                let both = self.state.v.iter().zip(&self.last_velocity);
                both.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
            }
            Criterion::EpsAbs => {
                self.evaluator
                    .measure(run.problem, &self.state.lambda, Criterion::EpsAbs)
            }
            _ => return false,
        };
        value <= run.budget.tolerance
    }

    /// Constraints that contradict each other let the multipliers grow for ever while nothing moves:
    /// J v̂ − z stays, and Jᵀ Δλ vanishes. v̂ is where their violation is least then.
    fn contradiction(&mut self, run: &Run<'_>, change: &MultiplierChange) -> Option<Outcome> {
        let is_stuck = change.push <= NOTHING * change.violation
            && self.best.residual > run.budget.tolerance
            && !run.budget.criterion.is_test();
        if !is_stuck {
            return None;
        }
        let (rows, masses) = (self.evaluator.rows(), self.evaluator.effective_masses());
        let (push, violation) = self.state.hard_change(run.problem, rows, masses);
        (violation > 0.0 && push <= NOTHING * violation).then(|| {
            let constraints = self.state.violated(TAKES_PART);
            Outcome::stalled(Stall::Contradiction { constraints })
        })
    }
}
