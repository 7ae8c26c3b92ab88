//! One island: its problem, its solver, and the rows that are left out until they are needed.

mod impact;
mod way;

use std::time::Instant;

use stiction_constraints::linear::dot_in_order;
use stiction_constraints::{
    Budget, Failure, Outcome, Problem, ProblemError, Report, Solution, Solver,
};

use crate::assembly::{AssemblyError, Bounce, RowNote, RowResult};
use crate::group::{IslandFailure, SolveSummary, SolvedProblem, StepContext};
use crate::policy::OverlapPolicy;
use crate::probe::Probe;
use crate::push_delay::PushDelay;
use crate::push_out::{Choice, PushOut};
use crate::warm_start::Guess;
use impact::Impacts;

/// One island with its problem and its solver, which keeps its workspace from step to step.
pub(crate) struct Island {
    /// Subsystems, ascending.
    pub(crate) members: Vec<usize>,
    /// Constraints of the problem: positions in the step's list.
    pub(crate) rows: Vec<usize>,
    /// Constraints that are left out.
    pub(crate) inactive: Vec<usize>,
    /// The members for which `problem` has its subsystems.
    built: Vec<usize>,
    problem: Problem,
    /// Of each constraint of the problem.
    notes: Vec<RowNote>,
    /// Of each constraint of the problem.
    guesses: Vec<Guess>,
    push_out: PushOut,
    probe: Probe,
    /// Constraints that bounce in this step, and how.
    bounces: Vec<(usize, Bounce)>,
    /// Of contacts that do nothing for a while: position and e.
    put_off: Vec<(usize, [f64; 3])>,
    impacts: Impacts,
    solution: Solution,
    /// The velocity with which the members go through the step, where it is not the one that they end
    /// with; else empty.
    way: Vec<f64>,
    /// Mean of the velocities before and after the step, and J times it.
    mean: Vec<f64>,
    row_velocity: Vec<f64>,
    /// λ that the last solve began with; empty where it began cold.
    guess: Vec<f64>,
    solver: Box<dyn Solver>,
    /// Whether the last guess was good.
    pub(crate) is_settled: bool,
    result: Result<Option<Report>, AssemblyError>,
}

impl Island {
    pub(crate) fn new(solver: Box<dyn Solver>) -> Self {
        Self {
            members: Vec::new(),
            rows: Vec::new(),
            inactive: Vec::new(),
            built: Vec::new(),
            problem: Problem::new(),
            notes: Vec::new(),
            guesses: Vec::new(),
            push_out: PushOut::default(),
            probe: Probe::default(),
            bounces: Vec::new(),
            put_off: Vec::new(),
            impacts: Impacts::default(),
            solution: Solution::cold(),
            way: Vec::new(),
            mean: Vec::new(),
            row_velocity: Vec::new(),
            guess: Vec::new(),
            solver,
            is_settled: false,
            result: Ok(None),
        }
    }

    /// Forgets who is in it and keeps all storage.
    pub(crate) fn clear(&mut self) {
        self.members.clear();
        self.rows.clear();
        self.inactive.clear();
    }

    pub(crate) fn solve(&mut self, step: &StepContext<'_>) {
        self.result = self.solve_by_policy(step).map(Some);
    }

    /// Writes A, b, J and e, each number once and in place.
    pub(crate) fn write(&mut self, step: &StepContext<'_>) -> Result<(), AssemblyError> {
        self.probe.forget();
        if self.built != self.members {
            self.take_in_members(step);
        }
        for (index, &member) in self.members.iter().enumerate() {
            self.problem
                .write_subsystem(index, |a, b| step.assembly.write_subsystem(member, a, b))?;
        }
        self.problem.clear_constraints();
        self.notes.clear();
        self.guesses.clear();
        self.push_out.clear();
        for position in 0..self.rows.len() {
            self.write_row(self.rows[position], step)?;
        }
        self.find_bounces(step);
        Ok(())
    }

    /// Gives the problem the subsystems of the members; those that were there stay as they are.
    fn take_in_members(&mut self, step: &StepContext<'_>) {
        let mut old: Vec<_> = self.problem.clear().into_iter().map(Some).collect();
        for &member in &self.members {
            let known = self.built.binary_search(&member).ok();
            let kept = known.and_then(|at| old.get_mut(at)?.take());
            self.problem
                .reserve_subsystem(kept.unwrap_or_else(|| step.assembly.shape(member)));
        }
        self.built.clone_from(&self.members);
    }

    fn write_row(&mut self, index: usize, step: &StepContext<'_>) -> Result<(), AssemblyError> {
        let head = &step.rows.heads()[index];
        let note = step
            .assembly
            .write_row(head, step.local, &mut self.problem)?;
        let guess = step
            .warm
            .map_or(Guess::NONE, |warm| warm.guess(head.key, &note));
        self.push_out
            .push(&mut self.problem, &note, guess.delay, step.policy)?;
        self.notes.push(note);
        self.guesses.push(guess);
        Ok(())
    }

    /// Begins from the impulses and the velocity of the last step; whether all impulses are settled.
    pub(crate) fn take_guess(&mut self, step: &StepContext<'_>) -> bool {
        self.solution.clear();
        if step.warm.is_none() {
            return true;
        }
        let constraints = self.problem.constraints().iter();
        for (constraint, guess) in constraints.zip(&self.guesses) {
            let impulse = &guess.impulse[..constraint.rows];
            self.solution.impulse.extend_from_slice(impulse);
        }
        if let Some(start) = &step.start {
            for &member in &self.members {
                let dofs = step.dof_start[member]..step.dof_start[member + 1];
                let velocity = &start.velocity[dofs];
                self.solution.velocity.extend_from_slice(velocity);
            }
        }
        self.guesses.iter().all(|guess| guess.is_settled)
    }

    pub(crate) fn drop_guess(&mut self) {
        self.solution.clear();
    }

    /// Solves, again where inactive constraints turn out to matter.
    pub(crate) fn solve_active(
        &mut self,
        step: &StepContext<'_>,
        budget: &Budget,
    ) -> Result<Report, AssemblyError> {
        let mut report = self.solve_once(step, budget);
        while self.activate(step)? {
            let earlier = report;
            report = self.solve_once(step, budget);
            report.add_earlier(&earlier);
        }
        Ok(report)
    }

    fn solve_once(&mut self, step: &StepContext<'_>, budget: &Budget) -> Report {
        self.guess.clone_from(&self.solution.impulse);
        let Some(deadline) = step.deadline else {
            return self.solver.solve(&self.problem, budget, &mut self.solution);
        };
        let left = deadline.saturating_duration_since(Instant::now());
        let budget = Budget {
            time_limit: Some(budget.time_limit.map_or(left, |limit| limit.min(left))),
            ..budget.clone()
        };
        self.solver
            .solve(&self.problem, &budget, &mut self.solution)
    }

    /// Adds the inactive constraints that v̂ does not obey to the problem; whether there were any.
    /// The impulses found stay as the guess.
    fn activate(&mut self, step: &StepContext<'_>) -> Result<bool, AssemblyError> {
        if self.solution.velocity.len() != self.problem.dof_count() {
            return Ok(false);
        }
        let first = self.rows.len();
        let mut inactive = std::mem::take(&mut self.inactive);
        inactive.retain(|&index| {
            let is_obeyed = self.is_obeyed(index, step);
            if !is_obeyed {
                self.rows.push(index);
            }
            is_obeyed
        });
        self.inactive = inactive;
        for position in first..self.rows.len() {
            self.write_row(self.rows[position], step)?;
            self.solution.impulse.resize(self.problem.row_count(), 0.0);
        }
        Ok(self.rows.len() > first)
    }

    /// Whether v̂ obeys an inactive constraint without an impulse of it.
    fn is_obeyed(&self, index: usize, step: &StepContext<'_>) -> bool {
        let Some(inactive) = step.rows.heads()[index].inactive else {
            return false;
        };
        let local = step.local[inactive.subsystem] as usize;
        let velocity = self.solution.velocity[self.problem.dof_starts()[local] + inactive.dof];
        // What is not a number is no business of a limit: the island is refused afterwards.
        !(velocity < inactive.interval[0] || velocity > inactive.interval[1])
    }

    pub(crate) fn ease(&mut self, policy: &OverlapPolicy) -> Result<(), ProblemError> {
        self.push_out
            .ease(&mut self.problem, &mut self.probe, policy)
    }

    pub(crate) fn is_violent(&mut self, policy: &OverlapPolicy) -> bool {
        let velocity = &self.solution.velocity;
        self.push_out
            .is_violent(&self.problem, &mut self.probe, velocity, policy)
    }

    pub(crate) fn delay_push(
        &mut self,
        choice: Choice,
        tolerance: f64,
        policy: &OverlapPolicy,
    ) -> Result<bool, ProblemError> {
        self.push_out.delay_push(
            &mut self.problem,
            &mut self.probe,
            &self.solution.velocity,
            choice,
            tolerance,
            policy,
        )
    }

    /// Whether the members go through the step another way than with v̂.
    pub(crate) fn has_way(&self) -> bool {
        !self.way.is_empty()
    }

    /// Hands out the way of the members through the step where it is not v̂.
    pub(crate) fn write_way(&self, dof_start: &[usize], way: &mut [f64]) {
        if self.way.is_empty() {
            return;
        }
        let starts = self.problem.dof_starts();
        for (index, &member) in self.members.iter().enumerate() {
            way[dof_start[member]..dof_start[member + 1]]
                .copy_from_slice(&self.way[starts[index]..starts[index + 1]]);
        }
    }

    pub(crate) fn problem(&self) -> &Problem {
        &self.problem
    }

    pub(crate) fn impulse(&self) -> &[f64] {
        &self.solution.impulse
    }

    /// What the solver was given last; `None` without constraints.
    pub(crate) fn solved(&self) -> Option<SolvedProblem<'_>> {
        (!self.problem.constraints().is_empty()).then(|| SolvedProblem {
            problem: &self.problem,
            guess: (!self.guess.is_empty()).then_some(self.guess.as_slice()),
        })
    }

    /// Refuses a result that cannot be used.
    pub(crate) fn check(&self) -> Result<(), Box<IslandFailure>> {
        let fail_with = |reason: String, problem: Option<Box<Problem>>| {
            Err(Box::new(IslandFailure {
                members: self.members.clone(),
                reason,
                problem,
            }))
        };
        let fail = |reason: String| fail_with(reason, Some(Box::new(self.problem.clone())));
        let report = match &self.result {
            Err(error) => return fail_with(error.to_string(), None),
            Ok(None) => return Ok(()),
            Ok(Some(report)) => report,
        };
        let finite = self.solution.velocity.iter().all(|value| value.is_finite());
        let fits = self.solution.velocity.len() == self.problem.dof_count();
        match &report.outcome {
            Outcome::Failed(Failure::Stalled(_)) if finite && fits => Ok(()),
            Outcome::Failed(failure) => fail(failure.to_string()),
            _ if finite && fits => Ok(()),
            _ => fail("the solver returned values that are not finite".to_owned()),
        }
    }

    /// Hands out v̂ of the members and the impulses of the constraints.
    pub(crate) fn store(
        &mut self,
        step: &StepContext<'_>,
        dof_start: &[usize],
        v_hat: &mut [f64],
        results: &mut [RowResult],
        summary: &mut SolveSummary,
    ) {
        self.measure_work(step, dof_start);
        let starts = self.problem.dof_starts();
        for (index, &member) in self.members.iter().enumerate() {
            let velocity = &self.solution.velocity[starts[index]..starts[index + 1]];
            v_hat[dof_start[member]..dof_start[member + 1]].copy_from_slice(velocity);
        }
        let constraints = self.problem.constraints().iter().zip(&self.notes);
        let delays = self.push_out.delays();
        for (((constraint, note), &index), delay) in constraints.zip(&self.rows).zip(delays) {
            let result = &mut results[index];
            result.note = *note;
            result.impulse[..constraint.rows]
                .copy_from_slice(&self.solution.impulse[constraint.row_range()]);
            let rows = constraint.row_range();
            result.work = dot_in_order(
                &self.solution.impulse[rows.clone()],
                &self.row_velocity[rows],
            );
            result.is_settled = self.is_settled;
            // A contact that was pushed apart, however long it was held before, is forgiven.
            result.delay = match delay.is_on() {
                true => delay.one_step_on(),
                false => PushDelay::NONE,
            };
        }
        if !self.way.is_empty() {
            summary.has_way = true;
            summary.is_pushed |= self.push_out.is_faster(0.0);
        }
        let strikes = self.bounces.iter().filter_map(|(_, bounce)| bounce.strike);
        let shares = strikes.map(|strike| strike.share);
        summary.strike = shares.chain(summary.strike).reduce(f64::min);
        // An inactive constraint is one row.
        summary.rows += self.problem.row_count() + self.inactive.len();
        summary.delayed_pushes += self.push_out.delayed_count();
        if let Ok(Some(report)) = &self.result {
            summary.islands += 1;
            let iterations = report.iterations.max(report.inner_iterations);
            summary.iterations = summary.iterations.max(iterations);
            summary.residual = summary.residual.max(report.residuals.scaled);
            if !report.outcome.is_converged() {
                summary.unconverged += 1;
                summary.outcome = Some(report.outcome.clone());
            }
        }
    }
}
