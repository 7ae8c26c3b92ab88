//! Algorithm 2: the loop.

mod adapt;
mod measure;

use stiction_constraints::{
    Budget, Failure, HistoryEntry, Outcome, Problem, Report, Residuals, Solution, Solver, Stages,
    Stopwatch, Yardstick,
};

use self::measure::Guess;
use crate::anderson::{self, Anderson};
use crate::balance::Forces;
use crate::base::Base;
use crate::block::{self, Block};
use crate::fold::Folds;
use crate::impulse_step::ImpulseStep;
use crate::lanes::{Lanes, sum_of_products};
use crate::layout::Layout;
use crate::parallel::both;
use crate::penalty::Penalty;
use crate::race::Race;
use crate::settings::{StartPenalty, SubAdmmSettings};
use crate::velocity_step::{Output, VelocityStep, slot_velocities};
use crate::walk::Spatial;
use crate::watch::Watch;

/// Degrees of freedom up to which the unsplit system is dense; a plausible size, not tuned.
const DENSE_FULL_UP_TO: usize = 48;

/// Subsystem-based ADMM, [AL, §VI].
#[derive(Debug)]
pub struct SubAdmm {
    name: &'static str,
    /// All choices.
    pub settings: SubAdmmSettings,
    yardstick: Yardstick,
    layout: Layout,
    folds: Folds,
    base: Base,
    blocks: Vec<Block>,
    penalty: Penalty,
    anderson: Anderson,
    watch: Watch,
    race: Race,
    /// The rules for β of this problem: the first, and the one to try if it is slow.
    rules: (StartPenalty, Option<StartPenalty>),
    /// The rule in use.
    rule: StartPenalty,
    /// Iterations without acceleration, and the over-relaxation of the last iteration.
    lead_in: usize,
    relaxation: f64,
    /// Scale that each rule of the race had reached.
    race_scale: [f64; 2],
    forces: Forces,
    iterate: Iterate,
    factorizations: usize,
}

/// The vectors of the iteration.
#[derive(Debug, Default)]
struct Iterate {
    velocity: Vec<f64>,
    /// s = z − λ/β of each slot.
    state: Vec<Lanes>,
    change: Vec<Lanes>,
    /// λ of each active constraint, now and before the last step.
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
        Self {
            name,
            rules: (settings.start_penalty, settings.fallback_penalty),
            rule: settings.start_penalty,
            lead_in: 0,
            relaxation: settings.relaxation,
            settings,
            yardstick: Yardstick::default(),
            layout: Layout::default(),
            folds: Folds::default(),
            base: Base::default(),
            blocks: Vec::new(),
            penalty: Penalty::default(),
            anderson: Anderson::default(),
            watch: Watch::default(),
            race: Race::default(),
            race_scale: [1.0; 2],
            forces: Forces::default(),
            iterate: Iterate::default(),
            factorizations: 0,
        }
    }

    /// From the guess to the best impulses, which `watch` keeps; nothing is prepared where the guess
    /// is the answer.
    fn attempt(
        &mut self,
        problem: &Problem,
        budget: &Budget,
        guess: &Solution,
        stopwatch: &Stopwatch,
        history: &mut Vec<HistoryEntry>,
    ) -> Result<(Outcome, usize), Failure> {
        self.factorizations = 0;
        self.yardstick.update(problem)?;
        let (start, residual) = self.measure_guess(problem, budget, guess);
        self.watch
            .start(&self.iterate.stacked, residual, start != Guess::None);
        if residual <= budget.tolerance {
            return Ok((Outcome::Converged, 0));
        }
        self.prepare(problem, start == Guess::Close)?;
        self.start_iterate(problem, start != Guess::None);
        Ok(self.iterate(problem, budget, stopwatch, history))
    }

    /// Lines 1–7: reformulation, β, matrices and their factors.
    fn prepare(&mut self, problem: &Problem, is_close: bool) -> Result<(), Failure> {
        let splitting = self.choose(problem, is_close);
        self.layout.update(
            problem,
            self.yardstick.rows(),
            splitting,
            DENSE_FULL_UP_TO,
            &mut self.folds,
            self.settings.fold_soft,
        );
        self.lead_in = self.lead_in();
        self.folds
            .update_right_hand_side(problem, self.yardstick.rows());
        self.base
            .update(problem, &self.layout, &self.folds, &self.yardstick)?;
        let (dynamics, rows) = self.yardstick.matrices();
        block::set_bases(
            &mut self.blocks,
            problem,
            &self.layout,
            self.settings.tree_method,
            dynamics,
            rows,
            &self.folds,
        );
        self.race_scale = [1.0; 2];
        self.set_penalty(problem, self.rules.0, 1.0)
    }

    /// Lines 3 and 6: β by a rule, with everything that follows from it.
    fn set_penalty(
        &mut self,
        problem: &Problem,
        rule: StartPenalty,
        scale: f64,
    ) -> Result<(), Failure> {
        self.rule = rule;
        self.penalty.start(
            rule,
            problem,
            &self.layout,
            &self.folds,
            &mut self.yardstick,
            &mut self.base,
        );
        if scale != 1.0 {
            self.penalty.set_scale(scale, &self.layout);
        }
        let (layout, start) = (&self.layout, &self.penalty.start);
        for_each_block(self.is_parallel(), 0, &mut self.blocks, &|index, block| {
            block.weigh(layout, index, start);
            Ok(())
        })?;
        self.factorize(problem)
    }

    fn is_parallel(&self) -> bool {
        self.layout.slots.len() >= self.settings.parallel_from_terms
    }

    /// Lines 6 and 17.
    fn factorize(&mut self, problem: &Problem) -> Result<(), Failure> {
        self.factorizations += self.blocks.len();
        let scale = self.penalty.scale;
        self.iterate.root_penalty.clear();
        for_each_block(self.is_parallel(), 0, &mut self.blocks, &|index, block| {
            block
                .factorize(problem, index, scale)
                .map_err(|()| Failure::NotPositiveDefinite { subsystem: index })
        })
    }

    /// z = J v̂ of the guess, or zero, and s = z − λ/β.
    fn start_iterate(&mut self, problem: &Problem, has_guess: bool) {
        let iterate = &mut self.iterate;
        let slots = self.layout.slots.len();
        iterate.state.resize(slots, Lanes::ZERO);
        iterate.change.resize(slots, Lanes::ZERO);
        iterate.impulse.clear();
        for active in &self.layout.active {
            let rows = &iterate.stacked[active.first_row..active.first_row + active.rows];
            iterate.impulse.push(match has_guess {
                true => Lanes::load(rows),
                false => Lanes::ZERO,
            });
        }
        iterate.old_impulse.clone_from(&iterate.impulse);
        let bodies = self.layout.blocks.last().map_or(0, |last| last.body_end);
        iterate.bodies.resize(bodies, Spatial::ZERO);
        iterate.velocity.clear();
        iterate
            .velocity
            .extend_from_slice(self.yardstick.free_velocity());
        self.spread();
        self.iterate.free_size = sum_of_products(&self.iterate.state, &self.iterate.state).sqrt();
        if has_guess {
            self.velocity_of_active_impulses(problem);
            self.iterate
                .velocity
                .copy_from_slice(&self.iterate.measured_velocity);
            self.spread();
        } else {
            // Rest is nearer to what constraints allow than the motion without them.
            self.iterate.state.fill(Lanes::ZERO);
        }
        self.move_state(-1.0);
        self.anderson.start(self.settings.anderson_memory, slots);
    }

    /// state ← J v̂.
    fn spread(&mut self) {
        let iterate = &mut self.iterate;
        for own in &self.layout.blocks {
            let velocity = &iterate.velocity[own.first_dof..own.dof_end];
            let bodies = &mut iterate.bodies[own.first_body..own.body_end];
            self.layout.walk(own).spread(velocity, bodies);
            let state = &mut iterate.state[own.slots()];
            slot_velocities(&self.layout, own, velocity, bodies, state);
        }
    }

    /// Lines 9–11. Returns ‖J v̂ − z‖.
    fn step(&mut self, problem: &Problem, iteration: usize, plain: bool) -> f64 {
        let parallel = self.is_parallel();
        let is_lead_in = iteration <= self.lead_in;
        self.relaxation = match is_lead_in {
            true => self.settings.lead_in_relaxation,
            false => self.settings.relaxation,
        };
        let iterate = &mut self.iterate;
        let gap = VelocityStep {
            problem,
            layout: &self.layout,
            right_hand_side: &self.folds.right_hand_side,
            state: &iterate.state,
            impulse: &iterate.impulse,
            penalty: &self.penalty.slot,
            penalty_inverse: &self.penalty.slot_inverse,
            relaxation: self.relaxation,
            parallel,
        }
        .run(Output {
            first_block: 0,
            blocks: &mut self.blocks,
            velocity: &mut iterate.velocity,
            change: &mut iterate.change,
            bodies: &mut iterate.bodies,
        });
        if is_lead_in {
            anderson::move_on(&mut iterate.state, &iterate.change);
        } else {
            if iterate.root_penalty.is_empty() {
                let roots = self.penalty.slot.iter().map(|penalty| penalty.sqrt());
                iterate.root_penalty.extend(roots);
            }
            self.anderson.advance(
                &mut iterate.state,
                &iterate.change,
                &iterate.root_penalty,
                plain,
            );
        }
        if plain {
            // The step writes every impulse.
            std::mem::swap(&mut iterate.old_impulse, &mut iterate.impulse);
        }
        ImpulseStep {
            layout: &self.layout,
            state: &iterate.state,
            weight: &self.penalty.combined,
            parallel,
        }
        .run(&mut iterate.impulse);
        gap.sqrt()
    }

    /// state += sign × λ/β.
    fn move_state(&mut self, sign: f64) {
        let iterate = &mut self.iterate;
        for ((state, &active), &inverse) in iterate
            .state
            .iter_mut()
            .zip(&self.layout.active_of)
            .zip(&self.penalty.slot_inverse)
        {
            *state = state.plus_scaled(sign * inverse, &iterate.impulse[active]);
        }
    }

    fn iterate(
        &mut self,
        problem: &Problem,
        budget: &Budget,
        watch: &Stopwatch,
        history: &mut Vec<HistoryEntry>,
    ) -> (Outcome, usize) {
        let limit = budget
            .max_iterations
            .unwrap_or(self.settings.max_iterations);
        let mut next_test = self.first_test();
        self.race.start(match self.rules.1 {
            Some(_) => self.settings.trial,
            None => 0,
        });
        for iteration in 1..=limit {
            let is_test = iteration == next_test;
            let gap = self.step(problem, iteration, is_test);
            if !gap.is_finite() {
                return (Outcome::Failed(Failure::NotFinite), iteration);
            }
            let is_out_of_time = watch.is_spent();
            let is_last = iteration == limit || is_out_of_time;
            let is_phase_over = self.race.is_over(iteration);
            if is_phase_over || self.watch.is_due(iteration, gap, is_last, budget) {
                let residual = self.measure(problem, budget);
                self.race.see(iteration, residual);
                let entry = HistoryEntry {
                    iteration,
                    seconds: watch.elapsed().as_secs_f64(),
                    residual,
                };
                if self
                    .watch
                    .take(entry, gap, &mut self.iterate.stacked, budget, history)
                {
                    return (Outcome::Converged, iteration);
                }
            }
            if is_out_of_time {
                return (watch.outcome(), iteration);
            }
            let done = if is_phase_over && let Some((old, new)) = self.race.next(iteration) {
                next_test = iteration + self.first_test();
                self.change_rule(problem, old, new)
            } else if is_test {
                next_test = self.next_test(iteration);
                self.adapt(problem)
            } else {
                Ok(())
            };
            if let Err(failure) = done {
                return (Outcome::Failed(failure), iteration);
            }
        }
        (Outcome::OutOfIterations, limit)
    }
}

impl Solver for SubAdmm {
    fn name(&self) -> &'static str {
        self.name
    }

    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report {
        let stopwatch = Stopwatch::start(budget);
        let mut history = Vec::new();
        let report =
            |outcome, iterations, factorizations, start_residual, residuals, time, history| {
                Report {
                    outcome,
                    iterations,
                    inner_iterations: iterations,
                    factorizations,
                    start_residual,
                    residuals,
                    time,
                    stages: Stages::default(),
                    history,
                }
            };
        let (outcome, iterations) =
            match self.attempt(problem, budget, solution, &stopwatch, &mut history) {
                Ok(done) => done,
                Err(failure) => {
                    solution.velocity.clear();
                    solution.velocity.resize(problem.dof_count(), 0.0);
                    solution.impulse.clear();
                    solution.impulse.resize(problem.row_count(), 0.0);
                    return report(
                        Outcome::Failed(failure),
                        0,
                        self.factorizations,
                        f64::INFINITY,
                        Residuals::unknown(),
                        stopwatch.elapsed(),
                        history,
                    );
                }
            };
        solution.impulse.clear();
        solution.impulse.extend_from_slice(&self.watch.best);
        solution.velocity.resize(problem.dof_count(), 0.0);
        self.yardstick
            .velocity_of(problem, &solution.impulse, &mut solution.velocity);
        if solution.velocity.iter().any(|value| !value.is_finite()) {
            // Impulses too large to move with (a far-off guess, a diverged fold): better none.
            solution.impulse.fill(0.0);
            self.yardstick
                .velocity_of(problem, &solution.impulse, &mut solution.velocity);
        }
        let time = stopwatch.elapsed();
        let residuals = if budget.all_residuals {
            self.yardstick
                .residuals(problem, &solution.velocity, &solution.impulse)
        } else {
            let residual = self
                .yardstick
                .measure(problem, &solution.impulse, budget.criterion);
            Residuals::only(budget.criterion, residual)
        };
        let outcome = measure::honest(outcome, residuals.of(budget.criterion), budget.tolerance);
        report(
            outcome,
            iterations,
            self.factorizations,
            self.watch.start_residual,
            residuals,
            time,
            history,
        )
    }
}

/// Blocks that one thread assembles and factorises at a time.
const BLOCK_GRAIN: usize = 16;

/// Calls `act` for all blocks; the first block's failure wins.
fn for_each_block(
    parallel: bool,
    first: usize,
    blocks: &mut [Block],
    act: &(impl Fn(usize, &mut Block) -> Result<(), Failure> + Sync),
) -> Result<(), Failure> {
    let count = blocks.len();
    if parallel && count > BLOCK_GRAIN {
        let (a, b) = blocks.split_at_mut(count / 2);
        let (a, b) = both(
            true,
            || for_each_block(true, first, a, act),
            || for_each_block(true, first + count / 2, b, act),
        );
        return a.and(b);
    }
    for (position, block) in blocks.iter_mut().enumerate() {
        act(first + position, block)?;
    }
    Ok(())
}
