//! β: where it starts and how it is balanced.

use stiction_constraints::{Problem, ResidualEvaluator, Segment, Subsystem};

use crate::base::Base;
use crate::density::Densities;
use crate::fold::Folds;
use crate::layout::{BlockLayout, Layout};
use crate::settings::StartPenalty;

/// Bounds on β over its start. Without them an infeasible problem, whose λ grows for ever, would
/// take β along.
const SCALE_RANGE: (f64, f64) = (1e-3, 1e4);

/// Largest change of β at once. Without a limit recorded steps take 1.2 to 1.4 times the iterations;
/// 3 loses six of 200 random problems.
const LARGEST_CHANGE: f64 = 10.0;

/// The penalties of all slots and what follows from them.
#[derive(Debug, Default)]
pub(crate) struct Penalty {
    /// β of each slot at the start.
    pub(crate) start: Vec<f64>,
    /// All β are their start times this.
    pub(crate) scale: f64,
    /// β of each slot.
    pub(crate) slot: Vec<f64>,
    /// 1/β of each slot.
    pub(crate) slot_inverse: Vec<f64>,
    /// 1/Σ(1/β) of each active constraint: the weight of its closed form, β/|Z_i| of (37)–(39).
    pub(crate) combined: Vec<f64>,
    /// Rows of active constraints for each degree of freedom of every subsystem, at least 1.
    rows_per_dof: Vec<f64>,
    densities: Densities,
    row: Vec<f64>,
    solved: Vec<f64>,
}

impl Penalty {
    /// Sets β to its start values.
    pub(crate) fn start(
        &mut self,
        rule: StartPenalty,
        problem: &Problem,
        layout: &Layout,
        folds: &Folds,
        evaluator: &mut ResidualEvaluator,
        base: &mut Base,
    ) {
        self.start.clear();
        self.start.resize(layout.slots.len(), 1.0);
        match rule {
            StartPenalty::EffectiveMass => {
                self.effective_masses(problem, layout, folds, evaluator, base);
                self.count_rows(problem, layout, evaluator);
                for (index, active) in layout.active.iter().enumerate() {
                    let rows_per_dof = self.mean_rows_per_dof(evaluator, active.constraint);
                    for &number in layout.slots_of(index) {
                        self.start[number] /= rows_per_dof;
                    }
                }
            }
            StartPenalty::PseudoDensity => {
                self.densities.update(problem, evaluator);
                let density = self
                    .densities
                    .mean_pseudo_density(problem, layout, evaluator);
                self.start.fill(density);
            }
            StartPenalty::PerSubsystem => {
                self.densities.update(problem, evaluator);
                for block in &layout.blocks {
                    let value = self.densities.trace_ratio(layout, block);
                    self.start[block.slots()].fill(value);
                }
            }
            StartPenalty::TraceRatio { scale } => {
                self.densities.update(problem, evaluator);
                let value = scale * self.densities.common_trace_ratio(layout);
                self.start.fill(value);
            }
            StartPenalty::Fixed(value) => self.start.fill(value),
        }
        for value in &mut self.start {
            if !(value.is_finite() && *value > 0.0) {
                *value = 1.0;
            }
        }
        self.set_scale(1.0, layout);
    }

    /// Sets all β to `scale` times their start.
    pub(crate) fn set_scale(&mut self, scale: f64, layout: &Layout) {
        self.scale = scale;
        self.slot.clear();
        self.slot
            .extend(self.start.iter().map(|start| start * scale));
        self.slot_inverse.clear();
        self.slot_inverse
            .extend(self.slot.iter().map(|penalty| 1.0 / penalty));
        self.combined.clear();
        self.combined.extend((0..layout.active.len()).map(|active| {
            let compliance: f64 = layout
                .slots_of(active)
                .iter()
                .map(|&slot| self.slot_inverse[slot])
                .sum();
            if compliance > 0.0 {
                1.0 / compliance
            } else {
                1.0
            }
        }));
    }

    /// The scale that (44) asks for with γ = `ratio`; `None` when the residuals are balanced.
    pub(crate) fn balanced_scale(&self, primal: f64, dual: f64, ratio: f64) -> Option<f64> {
        // Also false for NaN.
        if !(primal > ratio * dual || dual > ratio * primal) {
            return None;
        }
        let change = (primal.max(1e-300) / dual.max(1e-300)).sqrt();
        let change = change.clamp(1.0 / LARGEST_CHANGE, LARGEST_CHANGE);
        let scale = (self.scale * change).clamp(SCALE_RANGE.0, SCALE_RANGE.1);
        (scale != self.scale).then_some(scale)
    }

    /// Rows for each degree of freedom of every subsystem, at least 1.
    fn count_rows(&mut self, problem: &Problem, layout: &Layout, evaluator: &ResidualEvaluator) {
        self.rows_per_dof.clear();
        self.rows_per_dof.resize(problem.subsystems().len(), 0.0);
        for active in &layout.active {
            for group in touched(evaluator, active.constraint) {
                self.rows_per_dof[group[0].subsystem] += active.rows as f64;
            }
        }
        for (rows_per_dof, subsystem) in self.rows_per_dof.iter_mut().zip(problem.subsystems()) {
            *rows_per_dof = (*rows_per_dof / subsystem.dof_count().max(1) as f64).max(1.0);
        }
    }

    /// The rows_per_dof in the mean over a constraint's subsystems.
    fn mean_rows_per_dof(&self, evaluator: &ResidualEvaluator, constraint: usize) -> f64 {
        let (mut sum, mut count) = (0.0, 0);
        for group in touched(evaluator, constraint) {
            sum += self.rows_per_dof[group[0].subsystem];
            count += 1;
        }
        sum / f64::from(count.max(1))
    }

    /// 1/mean diag(J A_j⁻¹ Jᵀ) of every slot in its own block.
    fn effective_masses(
        &mut self,
        problem: &Problem,
        layout: &Layout,
        folds: &Folds,
        evaluator: &mut ResidualEvaluator,
        base: &mut Base,
    ) {
        for (index, block) in layout.blocks.iter().enumerate() {
            let is_folded = folds.touches(index);
            for number in block.slots() {
                let slot = &layout.slots[number];
                let active = layout.active_of[number];
                if !is_folded && let Some(mean) = known_diagonal(layout, evaluator, active, index) {
                    self.start[number] = if mean > 0.0 { 1.0 / mean } else { 1.0 };
                    continue;
                }
                let mut sum = 0.0;
                for row in 0..slot.rows {
                    self.row.clear();
                    self.row.resize(block.dof_count(), 0.0);
                    joint_space_row(problem, layout, index, block, number, row, &mut self.row);
                    self.solved.clear();
                    self.solved.extend_from_slice(&self.row);
                    base.solve_block(problem, folds, evaluator, layout, index, &mut self.solved);
                    sum += crate::vector::dot(&self.row, &self.solved);
                }
                let mean = sum / slot.rows as f64;
                self.start[number] = if mean > 0.0 { 1.0 / mean } else { 1.0 };
            }
        }
    }
}

/// The joint-space rows of a constraint, by subsystems.
fn touched(evaluator: &ResidualEvaluator, constraint: usize) -> impl Iterator<Item = &[Segment]> {
    evaluator
        .rows()
        .segments(constraint)
        .chunk_by(|a, b| a.subsystem == b.subsystem)
}

/// Mean diagonal of J A_j⁻¹ Jᵀ of a constraint's slot on a block where the evaluator has measured
/// it already: where it is the constraint's only slot on that block.
fn known_diagonal(
    layout: &Layout,
    evaluator: &ResidualEvaluator,
    active: usize,
    block: usize,
) -> Option<f64> {
    let constraint = layout.active[active].constraint;
    if !layout.is_split() {
        return Some(1.0 / evaluator.effective_masses()[constraint]);
    }
    let slots = layout.blocks[block].slots();
    let own = layout.slots_of(active).iter();
    if own.filter(|slot| slots.contains(slot)).count() > 1 {
        return None;
    }
    let segments = evaluator.rows().segments(constraint);
    let position = segments.iter().position(|s| s.subsystem == block)?;
    Some(evaluator.segment_diagonals(constraint)[position])
}

/// One row of a slot in joint space.
fn joint_space_row(
    problem: &Problem,
    layout: &Layout,
    index: usize,
    block: &BlockLayout,
    number: usize,
    row: usize,
    out: &mut [f64],
) {
    let slot = &layout.slots[number];
    if block.on_bodies().contains(&number) {
        let values = layout.body_columns(block, number).map(|column| column[row]);
        match &problem.subsystems()[index] {
            Subsystem::Tree(tree) => {
                for dof in tree.path(tree.body_dof(slot.body)) {
                    out[dof] = crate::vector::dot(&values, tree.columns()[dof].as_slice());
                }
            }
            _ => out.copy_from_slice(&values),
        }
    } else {
        for run in layout.runs(slot) {
            for (out, column) in out[run.first..].iter_mut().zip(layout.run_columns(run)) {
                *out = column[row];
            }
        }
    }
}
