//! The way of an island through a step where it is not the velocity at the step's end, and what energy a
//! solution may have.

use nalgebra::Vector6;
use stiction_constraints::linear::dot_in_order;
use stiction_constraints::{Law, MAX_ROWS, Problem, ProblemError, RowBlock, Subsystem};

use super::Island;
use crate::group::StepContext;
use crate::policy::OverlapPolicy;
use crate::probe::Energies;
use crate::push_out::touched_mass;

impl Island {
    /// Which constraints bounce, as the motion without any constraints says.
    pub(super) fn find_bounces(&mut self, step: &StepContext<'_>) {
        self.bounces.clear();
        self.impacts.clear();
        if step.start.is_none() || !self.notes.iter().any(|note| note.closing.is_some()) {
            return;
        }
        let Some(free) = self.probe.free_row_velocity(&self.problem) else {
            return;
        };
        self.row_velocity.clear();
        self.row_velocity.extend_from_slice(free);
        self.take_bounces(step);
    }

    /// Takes over the bounces that follow from J v̂ without impacts, in `row_velocity`.
    fn take_bounces(&mut self, step: &StepContext<'_>) {
        self.bounces.clear();
        for (position, note) in self.notes.iter().enumerate() {
            if note.closing.is_some() {
                let head = &step.rows.heads()[self.rows[position]];
                let rows = self.problem.constraints()[position].row_range();
                let bounce = step.assembly.bounce(head, note, &self.row_velocity[rows]);
                self.bounces.extend(bounce.map(|bounce| (position, bounce)));
            }
        }
    }

    /// Whether something bounces in an island that other constraints hold.
    pub(crate) fn needs_supports(&self, step: &StepContext<'_>) -> bool {
        step.budget.rescue && !self.bounces.is_empty() && self.bounces.len() < self.rows.len()
    }

    /// Lets contacts that bounce do nothing, and remembers their e.
    pub(crate) fn put_off_bounces(&mut self, policy: &OverlapPolicy) -> Result<(), ProblemError> {
        self.put_off.clear();
        for (position, _) in &self.bounces {
            let error = self.problem.error(*position);
            let own = [error[0], error[1], error[2]];
            self.put_off.push((*position, own));
            let away = [own[0], own[1], policy.out_of_reach];
            set_first_rows(&mut self.problem, *position, &away)?;
        }
        Ok(())
    }

    /// Gives contacts that were put off their e back, and asks again how they bounce, by the motion found
    /// without them if that `is_good`.
    pub(crate) fn find_bounces_again(
        &mut self,
        step: &StepContext<'_>,
        is_good: bool,
    ) -> Result<(), ProblemError> {
        for (position, own) in &self.put_off {
            set_first_rows(&mut self.problem, *position, own)?;
        }
        if is_good {
            self.keep_supported();
            self.row_velocity.clear();
            self.row_velocity.resize(self.problem.row_count(), 0.0);
            let rows = self.probe.rows(&self.problem);
            rows.mul(&self.solution.velocity, &mut self.row_velocity);
            self.take_bounces(step);
        }
        Ok(())
    }

    /// Whether the way through the step is not the velocity at its end: where something bounces, and
    /// where pushing bodies apart gave energy, which they must not keep, or contradicts something; joints
    /// never keep the velocity with which they come back.
    pub(crate) fn is_split(&mut self, step: &StepContext<'_>, is_solved: bool) -> bool {
        if step.start.is_none() {
            return false;
        }
        !self.bounces.is_empty()
            || (self.push_out.is_faster(OverlapPolicy::UNSEEN)
                && (!is_solved
                    || self.push_out.has_limits()
                    || self.energies().is_some_and(|energies| {
                        energies.found > OverlapPolicy::MOSTLY_PUSHED * energies.free
                    })))
    }

    /// Gives e of the way through the step: pushes are in it already.
    pub(crate) fn prepare_way(&mut self) -> Result<(), ProblemError> {
        for (position, bounce) in &self.bounces {
            set_first_rows(&mut self.problem, *position, &bounce.way)?;
        }
        Ok(())
    }

    /// Keeps the velocity found as the way through the step.
    pub(crate) fn keep_way(&mut self) {
        self.way.clone_from(&self.solution.velocity);
    }

    /// Goes with the velocity at the end of the step.
    pub(crate) fn forget_way(&mut self) {
        self.way.clear();
    }

    /// Gives e of the velocity at the end of the step: bounces, and no pushes.
    pub(crate) fn prepare_end(&mut self) -> Result<(), ProblemError> {
        self.push_out.take_out(&mut self.problem)?;
        for (position, bounce) in &self.bounces {
            set_first_rows(&mut self.problem, *position, &bounce.error)?;
        }
        Ok(())
    }

    /// Asks of joints and couplings only that they get no worse; whether any were asked for more.
    pub(crate) fn leave_errors(&mut self) -> Result<bool, ProblemError> {
        let mut has_any = false;
        for (position, note) in self.notes.iter().enumerate() {
            let constraint = &self.problem.constraints()[position];
            let rows = constraint.rows;
            if constraint.law == Law::Equality
                && rows <= note.driven.len()
                && self.problem.error(position) != &note.driven[..rows]
            {
                self.problem.set_error(position, &note.driven[..rows])?;
                has_any = true;
            }
        }
        Ok(has_any)
    }

    pub(crate) fn energies(&mut self) -> Option<Energies> {
        self.probe.energies(&self.problem, &self.solution.velocity)
    }

    /// Energy that may be there beyond that of the motion without constraints, J: what pushes take, and
    /// what moving at the speeds that rows demand takes.
    pub(crate) fn allowance(&mut self, policy: &OverlapPolicy) -> f64 {
        let pushes = self
            .push_out
            .allowance(&self.problem, &mut self.probe, policy);
        pushes + policy.violent * self.demanded_energy()
    }

    /// Scales the impulses down to the share of them that gives no more energy than `allowed` J, and
    /// returns the share. Where it is zero, all bodies move on without constraints.
    pub(crate) fn use_share_of_impulses(&mut self, energies: &Energies, allowed: f64) -> f64 {
        let velocity = &mut self.solution.velocity;
        let share = self
            .probe
            .share_within(&self.problem, velocity, energies, allowed);
        for (value, free) in velocity.iter_mut().zip(self.probe.free_velocity()) {
            *value = match share > 0.0 {
                true => free + share * (*value - free),
                false => *free,
            };
        }
        for impulse in &mut self.solution.impulse {
            *impulse = match share > 0.0 {
                true => share * *impulse,
                false => 0.0,
            };
        }
        share
    }

    /// Sum of m s² over all constraints that demand a speed s of what they touch: driven bodies, bounces,
    /// errors of joints; and what springs did, J.
    fn demanded_energy(&mut self) -> f64 {
        let mut sum = 0.0;
        self.row_velocity.clear();
        self.row_velocity.resize(self.problem.row_count(), 0.0);
        let rows = self.probe.rows(&self.problem);
        rows.mul(&self.solution.velocity, &mut self.row_velocity);
        for position in 0..self.problem.constraints().len() {
            let constraint = &self.problem.constraints()[position];
            let error = self.problem.error(position);
            let speed = match constraint.law {
                Law::Soft { .. } => {
                    let rows = constraint.row_range();
                    let impulse = &self.solution.impulse[rows.clone()];
                    sum += dot_in_order(impulse, &self.row_velocity[rows]).abs();
                    continue;
                }
                Law::JointLimit { lower, upper } => {
                    let [lower, upper] = [lower - error[0], upper - error[0]];
                    lower.max(0.0) + (-upper).max(0.0)
                }
                law if law.is_contact() => {
                    let along = error[0].hypot(error[1]);
                    along.hypot((-error[2]).max(0.0))
                }
                _ => dot_in_order(error, error).sqrt(),
            };
            if speed > 0.0 {
                let inertia = match touched_mass(&self.problem, position) {
                    Some(mass) => mass,
                    None if constraint.rows == 1 => self.probe.inertia(&self.problem, position),
                    None => 0.0,
                };
                sum += inertia * speed * speed;
            }
        }
        sum
    }

    /// J times the mean of the velocities before and after the step, by rows.
    pub(super) fn measure_work(&mut self, step: &StepContext<'_>, dof_start: &[usize]) {
        self.row_velocity.clear();
        self.row_velocity.resize(self.problem.row_count(), 0.0);
        let Some(start) = &step.start else {
            return;
        };
        self.mean.clear();
        let starts = self.problem.dof_starts();
        for (index, &member) in self.members.iter().enumerate() {
            let end = &self.solution.velocity[starts[index]..starts[index + 1]];
            let before = &start.velocity[dof_start[member]..dof_start[member + 1]];
            let both = end.iter().zip(before);
            self.mean
                .extend(both.map(|(end, before)| start.mean(*before, *end)));
        }
        for (position, constraint) in self.problem.constraints().iter().enumerate() {
            let rows = constraint.row_range();
            // What exerts nothing does no work.
            if self.solution.impulse[rows.clone()]
                .iter()
                .all(|&value| value == 0.0)
            {
                continue;
            }
            for (local, block) in self.problem.terms(position) {
                let own = &self.mean[starts[local]..starts[local + 1]];
                let velocity = &mut self.row_velocity[rows.clone()];
                add_row_velocity(&self.problem, local, block, own, velocity);
            }
        }
    }
}

/// Replaces e of the first rows of a constraint.
pub(super) fn set_first_rows(
    problem: &mut Problem,
    position: usize,
    first: &[f64; 3],
) -> Result<(), ProblemError> {
    let rows = problem.constraints()[position].rows;
    let mut error = [0.0; MAX_ROWS];
    error[..rows].copy_from_slice(problem.error(position));
    error[..3].copy_from_slice(first);
    problem.set_error(position, &error[..rows])
}

/// Adds J v of one term of a constraint; `v` is the velocity of the term's subsystem.
fn add_row_velocity(
    problem: &Problem,
    subsystem: usize,
    block: RowBlock<'_>,
    v: &[f64],
    out: &mut [f64],
) {
    if let (Subsystem::Tree(tree), RowBlock::Body { body, values }) =
        (&problem.subsystems()[subsystem], block)
    {
        let mut twist = Vector6::zeros();
        for dof in tree.path(tree.body_dof(body)) {
            twist += tree.columns()[dof] * v[dof];
        }
        for (out, row) in out.iter_mut().zip(values.chunks_exact(6)) {
            *out += dot_in_order(row, twist.as_slice());
        }
        return;
    }
    if let RowBlock::Body { body, values } = block {
        let own = &v[6 * body..6 * body + 6];
        for (out, row) in out.iter_mut().zip(values.chunks_exact(6)) {
            *out += dot_in_order(row, own);
        }
        return;
    }
    for (row, out) in out.iter_mut().enumerate() {
        block.for_each(row, |at, a, b| *out += a * b * v[at]);
    }
}
