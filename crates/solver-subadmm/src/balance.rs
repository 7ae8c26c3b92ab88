//! What one iteration did: the residuals (43), as printed and relative, for the update of β (44) and
//! the papers' stopping tests; and whether it let impulses grow that push nothing.

use stiction_constraints::{Problem, ResidualEvaluator};

use crate::lanes::{Kernel, Lanes, vectorized};
use crate::layout::Layout;
use crate::parallel::largest;
use crate::sweep::Spatial;
use crate::vector;
use crate::velocity_step::add_transpose;

/// One iteration, from (s, λ) to (s', λ').
pub(crate) struct StepTaken<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) layout: &'a Layout,
    /// s of each slot, before and after.
    pub(crate) old_state: &'a [Lanes],
    pub(crate) state: &'a [Lanes],
    /// relaxation × (J v̂ − z).
    pub(crate) change: &'a [Lanes],
    pub(crate) relaxation: f64,
    /// λ of each active constraint, before and after.
    pub(crate) old_impulse: &'a [Lanes],
    pub(crate) impulse: &'a [Lanes],
    pub(crate) penalty: &'a [f64],
    pub(crate) penalty_inverse: &'a [f64],
}

/// Work space of [`StepTaken`].
#[derive(Debug, Default)]
pub(crate) struct Forces {
    forces: Vec<f64>,
    bodies: Vec<Spatial>,
    pulls: Vec<Lanes>,
    /// J v̂ − z of each active constraint, from [`StepTaken::growth`].
    pub(crate) gaps: Vec<Lanes>,
    diagonal: Vec<f64>,
}

/// How impulses grew in one iteration.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Growth {
    /// The smaller of ‖J v̂ − z‖ in the metric of the effective masses and ‖Δλ‖ in that of their
    /// inverse, over constraints, in √J.
    pub(crate) size: f64,
    /// ‖Jᵀ Δλ‖ in the metric of the diagonal of A⁻¹, in √J.
    pub(crate) push: f64,
}

/// One call of [`StepTaken::printed`].
struct Printed<'a> {
    step: &'a StepTaken<'a>,
    work: &'a mut Forces,
}

impl Kernel for Printed<'_> {
    type Output = (f64, f64);

    #[inline(always)]
    fn run(self) -> (f64, f64) {
        self.step.printed_inlined(self.work)
    }
}

impl StepTaken<'_> {
    /// Visits J v̂ − z and z of every slot after the step, and writes what it pulls with in
    /// A v̂ − b − Jᵀλ': since K v̂ = b + Jᵀ(β z + λ) with z and λ before the step, this is the sum
    /// over slots of Jᵀ(β (z − J v̂) + λ − λ').
    #[inline(always)]
    fn for_each_gap(&self, pulls: &mut Vec<Lanes>, mut visit: impl FnMut(Lanes, Lanes)) {
        pulls.clear();
        let inverse_relaxation = 1.0 / self.relaxation;
        for (number, &active) in self.layout.active_of.iter().enumerate() {
            let (state, change) = (&self.state[number], &self.change[number]);
            let old_state = &self.old_state[number];
            let (penalty, inverse_penalty) = (self.penalty[number], self.penalty_inverse[number]);
            let (old, new) = (&self.old_impulse[active], &self.impulse[active]);
            let (mut gap, mut slack, mut pull) = (Lanes::ZERO, Lanes::ZERO, Lanes::ZERO);
            for row in 0..4 {
                let old_gap = inverse_relaxation * change[row];
                let old_slack = old_state[row] + inverse_penalty * old[row];
                slack[row] = state[row] + inverse_penalty * new[row];
                gap[row] = old_slack + old_gap - slack[row];
                pull[row] = old[row] - new[row] - penalty * old_gap;
            }
            pulls.push(pull);
            visit(gap, slack);
        }
    }

    /// (θp, θd) of (43).
    pub(crate) fn printed(&self, work: &mut Forces) -> (f64, f64) {
        vectorized(Printed { step: self, work })
    }

    #[inline(always)]
    fn printed_inlined(&self, work: &mut Forces) -> (f64, f64) {
        let mut primal = 0.0;
        self.for_each_gap(&mut work.pulls, |gap, _| {
            primal = largest(primal, gap.dot(&gap));
        });
        self.write_forces(work);
        let mut dual = 0.0;
        for block in &self.layout.blocks {
            let part = &work.forces[block.first_dof..block.dof_end];
            dual = largest(dual, vector::dot(part, part));
        }
        (f64::sqrt(primal), f64::sqrt(dual))
    }

    /// ‖J v̂ − z‖ over all slots.
    pub(crate) fn consensus(&self, work: &mut Forces) -> f64 {
        let mut sum = 0.0;
        self.for_each_gap(&mut work.pulls, |gap, _| sum += gap.dot(&gap));
        f64::sqrt(sum)
    }

    /// Σ‖Δy‖² over slots with y = β z + u = β s, [SubADMM-2023, (22)].
    pub(crate) fn split_change(&self) -> f64 {
        let states = self.state.iter().zip(self.old_state);
        let changes = states.zip(self.penalty).map(|((new, old), penalty)| {
            let change = new.minus(old).scaled(*penalty);
            change.dot(&change)
        });
        changes.sum()
    }

    /// How impulses grew; `work.gaps` says against what.
    pub(crate) fn growth(&self, work: &mut Forces, evaluator: &ResidualEvaluator) -> Growth {
        let mut gaps = std::mem::take(&mut work.gaps);
        gaps.clear();
        gaps.resize(self.layout.active.len(), Lanes::ZERO);
        let mut active = self.layout.active_of.iter();
        self.for_each_gap(&mut work.pulls, |gap, _| {
            if let Some(&active) = active.next() {
                gaps[active] = gaps[active].plus(&gap);
            }
        });
        let masses = evaluator.effective_masses();
        let impulses = self.impulse.iter().zip(self.old_impulse);
        let (mut violation, mut growth) = (0.0, 0.0);
        for (((new, old), gap), active) in impulses.zip(&gaps).zip(&self.layout.active) {
            let (change, mass) = (new.minus(old), masses[active.constraint]);
            violation += mass * gap.dot(gap);
            growth += change.dot(&change) / mass;
        }
        work.gaps = gaps;
        work.pulls.clear();
        let active = self.layout.active_of.iter();
        work.pulls
            .extend(active.map(|&active| self.impulse[active].minus(&self.old_impulse[active])));
        self.write_forces(work);
        work.diagonal.resize(work.forces.len(), 1.0);
        let (dynamics, _) = evaluator.matrices();
        dynamics.for_each_lower_entry(|row, column, value| {
            if row == column {
                work.diagonal[row] = value;
            }
        });
        let pushes = work.forces.iter().zip(&work.diagonal);
        let push: f64 = pushes.map(|(force, mass)| force * force / mass).sum();
        Growth {
            size: f64::min(violation, growth).sqrt(),
            push: push.sqrt(),
        }
    }

    /// Both residuals relative to what they are differences of. `free_size` is ‖J v̂‖ of the free
    /// motion: in a resting stack J v̂ and z vanish, and without a floor β would run away.
    pub(crate) fn relative(&self, work: &mut Forces, free_size: f64) -> (f64, f64) {
        let (mut distance, mut seen_size, mut slack_size) = (0.0, 0.0, 0.0);
        self.for_each_gap(&mut work.pulls, |gap, slack| {
            for row in 0..4 {
                distance += gap[row] * gap[row];
                seen_size += (gap[row] + slack[row]).powi(2);
                slack_size += slack[row] * slack[row];
            }
        });
        let reference = f64::sqrt(seen_size)
            .max(f64::sqrt(slack_size))
            .max(FREE_SHARE * free_size);
        self.write_forces(work);
        let dual = vector::norm(&work.forces);
        work.pulls.clear();
        let active = self.layout.active_of.iter();
        work.pulls
            .extend(active.map(|&active| self.impulse[active]));
        self.write_forces(work);
        let size = vector::norm(&work.forces).max(vector::norm(self.problem.b()));
        (
            f64::sqrt(distance) / reference.max(f64::MIN_POSITIVE),
            dual / size.max(f64::MIN_POSITIVE),
        )
    }

    /// forces = Jᵀ q with the pulls q.
    #[inline(always)]
    fn write_forces(&self, work: &mut Forces) {
        work.forces.clear();
        work.forces.resize(self.problem.dof_count(), 0.0);
        for block in &self.layout.blocks {
            let forces = &mut work.forces[block.first_dof..block.dof_end];
            work.bodies.clear();
            work.bodies
                .resize(block.body_end - block.first_body, Spatial::ZERO);
            let pulls = &work.pulls[block.slots()];
            add_transpose(self.layout, block, pulls, forces, &mut work.bodies);
            self.layout.sweep(block).collect(&mut work.bodies, forces);
        }
    }
}

/// Part of the free motion below which velocities count as zero. With 0 a bolt–nut problem takes twice
/// the iterations from a guess, and one soft problem in thirty is lost.
const FREE_SHARE: f64 = 0.01;
