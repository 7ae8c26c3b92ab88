//! Lines 8–18 of Algorithm 2: the loop.

use stiction_constraints::{
    Budget, Criterion, Failure, HistoryEntry, Law, Outcome, Problem, Stall,
};

use super::{Run, Spent, SubAdmm, is_about_the_iterate};
use crate::anderson;
use crate::balance::StepTaken;
use crate::impulse_step::ImpulseStep;
use crate::lanes::Lanes;
use crate::monitor::Progress;
use crate::settings::Contacts;
use crate::velocity_step::{Output, VelocityStep};

/// Impulses whose change pushes with this part of its size, at most, push nothing: their growth is a
/// proof that what is violated cannot be satisfied (Farkas). v̂ is then as close to that of least
/// violation.
const NOTHING: f64 = 1e-8;
/// Impulses whose change pushes with less than this part of its size may be on the way there. 0.1 loses
/// one bolt–nut problem in three, on which impulses wander.
const LITTLE: f64 = 1e-3;
/// Constraints that take part in a contradiction by this part of the largest violation are named.
const TAKES_PART: f64 = 1e-2;

/// Constraints that give way, and impulses that shrink, take no part in a contradiction: not by more
/// than this part of the largest violation and of the fastest growth.
const YIELDS: f64 = 1e-6;

/// The stages of the loop, one for each rule for β.
const RULE_STAGES: [&str; 2] = ["iteration", "second penalty rule"];

/// What is asked of one iteration.
#[derive(Debug, Clone, Copy, Default)]
struct StepKind {
    /// Without extrapolation.
    is_plain: bool,
    /// What was before it is kept.
    is_kept: bool,
}

impl SubAdmm {
    /// Iterates until something ends it.
    pub(super) fn iterate(&mut self, run: &Run<'_>, spent: &mut Spent) -> Outcome {
        let Run {
            problem,
            budget,
            stopwatch,
        } = *run;
        let limit = budget
            .max_iterations
            .unwrap_or(self.settings.max_iterations);
        let mut next_test = self.first_test();
        let second = self.settings.second_penalty;
        self.trial.start(second.map_or(0, |second| second.after));
        // The printed algorithm measures nothing, unless it is long enough for rules to be compared.
        let is_measured = budget.record_history
            || !is_about_the_iterate(budget.criterion)
            || second.is_some_and(|second| limit > second.after);
        let mut phase = (0, self.monitor.best_residual);
        let mut is_doubtful = false;
        let mut gap = 0.0;
        let outcome = loop {
            let is_spent = stopwatch.is_spent();
            if is_spent || spent.iterations >= limit {
                self.measure_now(run, gap, spent);
                break if self.is_solved(budget) && !budget.criterion.is_test() {
                    Outcome::Converged
                } else if is_spent {
                    stopwatch.outcome()
                } else {
                    Outcome::OutOfIterations
                };
            }
            spent.iterations += 1;
            let iteration = spent.iterations;
            let is_test = iteration == next_test;
            let kind = StepKind {
                is_plain: is_test || is_doubtful,
                is_kept: is_test || is_doubtful || budget.criterion.is_test(),
            };
            gap = self.step(problem, kind);
            if !gap.is_finite() {
                break Outcome::Failed(Failure::NotFinite);
            }
            let is_phase_over = self.trial.is_over(iteration);
            if is_phase_over || is_measured && self.monitor.is_due(iteration, gap, budget) {
                let is_scheduled = self.measure_now(run, gap, spent);
                if is_scheduled || is_phase_over {
                    self.trial.see(iteration, self.monitor.residual);
                }
                if !budget.criterion.is_test() {
                    if self.is_solved(budget) {
                        break Outcome::Converged;
                    }
                    if is_scheduled && let Some(stall) = self.stall(run, iteration) {
                        break Outcome::stalled(stall);
                    }
                    is_doubtful |= is_scheduled && self.monitor.is_stuck;
                }
            }
            if self.is_test_met(run) {
                self.measure_now(run, gap, spent);
                break match self.is_solved(budget) {
                    true => Outcome::Converged,
                    false => Outcome::Stopped(budget.criterion),
                };
            }
            if is_doubtful && kind.is_plain {
                match self.contradiction(run) {
                    Some(stall) => break Outcome::stalled(stall),
                    None => is_doubtful = self.is_growing,
                }
            }
            let done = if is_phase_over && let Some((old, new)) = self.trial.next(iteration) {
                let (start, before) = phase;
                let after = self.monitor.best_residual;
                spent
                    .stages
                    .note(RULE_STAGES[old], iteration - start, before, after);
                phase = (iteration, after);
                let changed = self.change_manner(problem, old, new);
                next_test = iteration + self.first_test();
                changed
            } else if is_test {
                next_test = self.next_test(iteration);
                // Where impulses grow for ever, (44) would take β along.
                if is_doubtful {
                    Ok(())
                } else {
                    self.adapt(problem)
                }
            } else {
                Ok(())
            };
            if let Err(failure) = done {
                break Outcome::Failed(failure);
            }
        };
        let (start, before) = phase;
        let steps = spent.iterations - start;
        let stage = RULE_STAGES[self.trial.current()];
        spent
            .stages
            .note(stage, steps, before, self.monitor.best_residual);
        outcome
    }

    /// Whether the impulses that are handed back are within the tolerance.
    fn is_solved(&self, budget: &Budget) -> bool {
        let residual = match is_about_the_iterate(budget.criterion) {
            true => self.monitor.residual,
            false => self.monitor.best_residual,
        };
        residual <= budget.tolerance
    }

    /// Measures the residual of the current impulses, if it is not known, and keeps them if they are
    /// the best. Whether it was time for it.
    fn measure_now(&mut self, run: &Run<'_>, gap: f64, spent: &mut Spent) -> bool {
        if self.monitor.knows(spent.iterations) {
            return false;
        }
        let residual = self.measure(run);
        let entry = HistoryEntry {
            iteration: spent.iterations,
            seconds: run.stopwatch.elapsed().as_secs_f64(),
            residual,
        };
        let (stacked, history) = (&mut self.iterate.stacked, &mut spent.history);
        if run.budget.record_history {
            history.push(entry);
        }
        self.monitor.take(entry, gap, stacked)
    }

    /// Whether the residual will not reach the tolerance, and why.
    fn stall(&mut self, run: &Run<'_>, iteration: usize) -> Option<Stall> {
        let progress = self.monitor.progress(iteration);
        if progress == Progress::Fine {
            return None;
        }
        let floor = self.evaluator.floor(run.problem, &self.monitor.best);
        if self.monitor.best_residual <= floor {
            return Some(Stall::Rounding);
        }
        // What is proven to converge may take its time.
        let is_proven = self.settings.contacts == Contacts::Proximal;
        (progress == Progress::None && !is_proven).then_some(Stall::NoProgress)
    }

    /// What the last step did, if it was one that is kept.
    pub(super) fn step_taken<'a>(&'a self, problem: &'a Problem) -> StepTaken<'a> {
        StepTaken {
            problem,
            layout: &self.layout,
            old_state: &self.iterate.old_state,
            state: &self.iterate.state,
            change: &self.iterate.change,
            relaxation: self.manner.relaxation,
            old_impulse: &self.iterate.old_impulse,
            impulse: &self.iterate.impulse,
            penalty: &self.penalty.slot,
            penalty_inverse: &self.penalty.slot_inverse,
        }
    }

    /// Whether the stopping test of a paper is met that the budget asks for.
    fn is_test_met(&mut self, run: &Run<'_>) -> bool {
        let problem = run.problem;
        let mut forces = std::mem::take(&mut self.forces);
        let value = match run.budget.criterion {
            Criterion::Consensus => self.step_taken(problem).consensus(&mut forces),
            Criterion::PrimalDual => {
                let (primal, dual) = self.step_taken(problem).printed(&mut forces);
                primal + dual
            }
            Criterion::SplitChange => self.step_taken(problem).split_change(),
            Criterion::VelocityChange => {
                let iterate = &self.iterate;
                let both = iterate.velocity.iter().zip(&iterate.old_velocity);
                both.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
            }
            Criterion::EpsAbs => self.residual_of(problem, Criterion::EpsAbs),
            _ => f64::INFINITY,
        };
        self.forces = forces;
        value <= run.budget.tolerance
    }

    /// Constraints that contradict each other let the impulses grow for ever while nothing moves:
    /// J v̂ − z stays, and Jᵀ Δλ vanishes. v̂ is where their violation is least then, in the metric
    /// of β. Looks at a plain step, and notes whether impulses grow that push little.
    fn contradiction(&mut self, run: &Run<'_>) -> Option<Stall> {
        let mut forces = std::mem::take(&mut self.forces);
        let growth = self
            .step_taken(run.problem)
            .growth(&mut forces, &self.evaluator);
        self.forces = forces;
        self.is_growing = growth.push <= LITTLE * growth.size;
        if !(growth.push <= NOTHING * growth.size) {
            return None;
        }
        let Some(constraints) = self.violated() else {
            self.is_growing = false;
            return None;
        };
        let residual = self.measure(run);
        let (best, stacked) = (&mut self.monitor.best, &self.iterate.stacked);
        best.copy_from_slice(stacked);
        self.monitor.best_residual = residual;
        Some(Stall::Contradiction { constraints })
    }

    /// The constraints that take part in a contradiction, unless one of them is a contact that slips,
    /// or gives way, or does not push back; or an impulse shrinks: where it vanishes, things will be
    /// different.
    fn violated(&self) -> Option<Vec<usize>> {
        let norm = |lanes: &Lanes| lanes.dot(lanes).sqrt();
        let (old, new) = (&self.iterate.old_impulse, &self.iterate.impulse);
        let change = |index: usize| new[index].minus(&old[index]);
        let gaps = &self.forces.gaps;
        let largest = gaps.iter().map(norm).fold(0.0, f64::max);
        let changes = (0..new.len()).map(|index| norm(&change(index)));
        let fastest = changes.fold(0.0, f64::max);
        let mut out = Vec::new();
        for (index, active) in self.layout.active.iter().enumerate() {
            let (gap, change) = (&gaps[index], change(index));
            let normal = if active.law.is_contact() { 2 } else { 0 };
            let shrinks = |row: usize| {
                change[row] * new[index][row] < 0.0 && change[row].abs() > YIELDS * fastest
            };
            if active.law != Law::Equality && (normal..3).any(shrinks)
                || gives_way(&active.law) && norm(gap) > YIELDS * largest
            {
                return None;
            }
            if norm(gap) < TAKES_PART * largest {
                continue;
            }
            let slips = active.law.is_contact() && gap[0].hypot(gap[1]) > TAKES_PART * norm(gap);
            // It is ω times this where nothing else moves.
            let pushes_back = norm(&change) > 0.5 * self.penalty.combined[index] * norm(gap);
            if slips || !pushes_back {
                return None;
            }
            out.push(active.constraint);
        }
        Some(out)
    }

    /// Lines 9–11. Returns ‖J v̂ − z‖.
    fn step(&mut self, problem: &Problem, kind: StepKind) -> f64 {
        let parallel = self.is_parallel;
        let iterate = &mut self.iterate;
        if kind.is_kept {
            iterate.old_state.clone_from(&iterate.state);
            iterate.old_velocity.clone_from(&iterate.velocity);
        }
        let gap = VelocityStep {
            problem,
            layout: &self.layout,
            right_hand_side: &self.folds.right_hand_side,
            state: &iterate.state,
            impulse: &iterate.impulse,
            penalty: &self.penalty.slot,
            penalty_inverse: &self.penalty.slot_inverse,
            relaxation: self.manner.relaxation,
            parallel,
        }
        .run(Output {
            first_block: 0,
            blocks: &mut self.blocks,
            velocity: &mut iterate.velocity,
            change: &mut iterate.change,
            bodies: &mut iterate.bodies,
        });
        if self.manner.memory == 0 {
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
                kind.is_plain,
            );
        }
        if kind.is_kept {
            // The step writes every impulse.
            std::mem::swap(&mut iterate.old_impulse, &mut iterate.impulse);
        }
        ImpulseStep {
            layout: &self.layout,
            state: &iterate.state,
            weight: &self.penalty.combined,
            contacts: self.settings.contacts,
            parallel,
        }
        .run(&mut iterate.impulse);
        gap.sqrt()
    }
}

/// Whether impulses answer to a violation, or are bounded: they do not grow for ever. Of a custom law
/// that is not known; it is never said to contradict others.
fn gives_way(law: &Law) -> bool {
    matches!(
        law,
        Law::Soft { .. }
            | Law::CompliantContact { .. }
            | Law::JointFriction { .. }
            | Law::Custom { .. }
    )
}
