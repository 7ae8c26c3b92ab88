//! β: where it starts and how it is balanced.

use stiction_constraints::{Problem, Segment, Subsystem, Yardstick};

use crate::base::Base;
use crate::fold::Folds;
use crate::layout::{Active, BlockKind, BlockLayout, Layout};
use crate::settings::StartPenalty;

/// Bounds on β over its start. Without them an infeasible problem, whose λ grows for ever, would
/// take β along.
const SCALE_RANGE: (f64, f64) = (1e-3, 1e4);

/// Largest change of β at once.
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
    crowd: Vec<f64>,
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
        yardstick: &mut Yardstick,
        base: &mut Base,
    ) {
        self.start.clear();
        self.start.resize(layout.slots.len(), 1.0);
        match rule {
            StartPenalty::EffectiveMass { scale, crowding } => {
                self.effective_masses(problem, layout, folds, yardstick, base);
                self.count_rows(problem, layout, yardstick);
                for active in &layout.active {
                    let crowd = self.crowd_of(yardstick, active.constraint);
                    let share = if crowding == 1.0 {
                        crowd
                    } else {
                        crowd.powf(crowding)
                    };
                    for &number in layout.slots_of(active) {
                        self.start[number] *= scale / share;
                    }
                }
            }
            StartPenalty::PseudoDensity => {
                let density = mean_pseudo_density(problem, layout, yardstick);
                self.start.fill(density);
            }
            StartPenalty::PerSubsystem => {
                for (index, block) in layout.blocks.iter().enumerate() {
                    let value = trace_ratio(problem, layout, index, block, yardstick);
                    self.start[block.slots()].fill(value);
                }
            }
            StartPenalty::TraceRatio { scale } => {
                let value = scale * common_trace_ratio(problem, layout, yardstick);
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
        self.combined.extend(layout.active.iter().map(|active| {
            let give: f64 = layout
                .slots_of(active)
                .iter()
                .map(|&slot| self.slot_inverse[slot])
                .sum();
            if give > 0.0 { 1.0 / give } else { 1.0 }
        }));
    }

    /// The scale that (44) asks for, `None` when the residuals are balanced.
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
    fn count_rows(&mut self, problem: &Problem, layout: &Layout, yardstick: &Yardstick) {
        self.crowd.clear();
        self.crowd.resize(problem.subsystems().len(), 0.0);
        for active in &layout.active {
            for group in touched(yardstick, active.constraint) {
                self.crowd[group[0].subsystem] += active.rows as f64;
            }
        }
        for (crowd, subsystem) in self.crowd.iter_mut().zip(problem.subsystems()) {
            *crowd = (*crowd / subsystem.dof_count().max(1) as f64).max(1.0);
        }
    }

    /// The crowd in the mean over a constraint's subsystems.
    fn crowd_of(&self, yardstick: &Yardstick, constraint: usize) -> f64 {
        let (mut sum, mut count) = (0.0, 0);
        for group in touched(yardstick, constraint) {
            sum += self.crowd[group[0].subsystem];
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
        yardstick: &mut Yardstick,
        base: &mut Base,
    ) {
        for (index, block) in layout.blocks.iter().enumerate() {
            let is_folded = folds.touches(index);
            for number in block.slots() {
                let slot = &layout.slots[number];
                let active = &layout.active[slot.active];
                if !is_folded && let Some(mean) = known_diagonal(layout, yardstick, active, index) {
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
                    base.solve_block(problem, folds, yardstick, layout, index, &mut self.solved);
                    sum += crate::vector::dot(&self.row, &self.solved);
                }
                let mean = sum / slot.rows as f64;
                self.start[number] = if mean > 0.0 { 1.0 / mean } else { 1.0 };
            }
        }
    }
}

/// The joint-space rows of a constraint, by subsystems.
fn touched(yardstick: &Yardstick, constraint: usize) -> impl Iterator<Item = &[Segment]> {
    yardstick
        .rows()
        .segments(constraint)
        .chunk_by(|a, b| a.subsystem == b.subsystem)
}

/// Mean diagonal of J A_j⁻¹ Jᵀ of a constraint's slot on a block where the yardstick has measured
/// it already: where it is the constraint's only slot on that block.
fn known_diagonal(
    layout: &Layout,
    yardstick: &Yardstick,
    active: &Active,
    block: usize,
) -> Option<f64> {
    if !layout.is_split() {
        return Some(1.0 / yardstick.effective_masses()[active.constraint]);
    }
    let slots = layout.blocks[block].slots();
    let mut own = layout.slots_of(active).iter();
    if own.filter(|slot| slots.contains(slot)).count() > 1 {
        return None;
    }
    let segments = yardstick.rows().segments(active.constraint);
    let position = segments.iter().position(|s| s.subsystem == block)?;
    Some(yardstick.segment_diagonals(active.constraint)[position])
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
        let values = &layout.body_rows(block, number)[6 * row..6 * row + 6];
        match &problem.subsystems()[index] {
            Subsystem::Tree(tree) => {
                for dof in tree.path(tree.body_dof(slot.body)) {
                    out[dof] = crate::vector::dot(values, tree.columns()[dof].as_slice());
                }
            }
            _ => out.copy_from_slice(values),
        }
    } else {
        for run in layout.runs(slot) {
            let values = layout.run_rows(slot, run);
            out[run.first..run.first + run.len]
                .copy_from_slice(&values[row * run.len..(row + 1) * run.len]);
        }
    }
}

/// Geometric mean over bodies of mass / number of contacts on it. Blocks that are not made of
/// bodies enter with Tr(A)/Tr(JᵀJ), which is the same for a body whose rows are all translations.
fn mean_pseudo_density(problem: &Problem, layout: &Layout, yardstick: &Yardstick) -> f64 {
    // Relative to the first one: what is rounded must not depend on the unit of mass.
    let mut reference = None;
    let (mut sum, mut count) = (0.0, 0);
    let mut add = |density: f64| {
        if density.is_finite() && density > 0.0 {
            sum += (density / *reference.get_or_insert(density)).ln();
            count += 1;
        }
    };
    for (index, block) in layout.blocks.iter().enumerate() {
        let subsystem = problem.subsystems().get(index);
        match (block.kind, subsystem) {
            (BlockKind::FreeBody, Some(Subsystem::FreeBody(inertia))) => {
                add(mass_of(inertia) / contacts(layout, block.slots()));
            }
            (BlockKind::Tree, Some(Subsystem::Tree(tree))) => {
                // Slots on bodies are sorted by bodies.
                let numbers: std::ops::Range<usize> = block.on_bodies();
                let mut first = numbers.start;
                while first < numbers.end {
                    let body = layout.slots[first].body;
                    let mut end = first;
                    while end < numbers.end && layout.slots[end].body == body {
                        end += 1;
                    }
                    add(mass_of(&tree.bodies()[body].inertia) / contacts(layout, first..end));
                    first = end;
                }
            }
            _ => add(trace_ratio(problem, layout, index, block, yardstick)),
        }
    }
    match reference {
        Some(first) => first * (sum / f64::from(count)).exp(),
        None => yardstick.largest_term_mass(),
    }
}

fn mass_of(inertia: &nalgebra::Matrix6<f64>) -> f64 {
    (inertia[(0, 0)] + inertia[(1, 1)] + inertia[(2, 2)]) / 3.0
}

/// Number of contacts (three rows each) among slots.
fn contacts(layout: &Layout, slots: std::ops::Range<usize>) -> f64 {
    layout.slots[slots]
        .iter()
        .map(|slot| slot.rows)
        .sum::<usize>() as f64
        / 3.0
}

/// Tr(A) / Tr(JᵀJ) over all blocks with rows, 0 without any.
fn common_trace_ratio(problem: &Problem, layout: &Layout, yardstick: &Yardstick) -> f64 {
    let (mut inertia, mut rows) = (0.0, 0.0);
    for (index, block) in layout.blocks.iter().enumerate() {
        let size = squared_size(layout, block);
        if size > 0.0 {
            inertia += trace(problem, index, block, yardstick);
            rows += size;
        }
    }
    if rows > 0.0 { inertia / rows } else { 0.0 }
}

/// Tr(A_j) / Tr(J_jᵀJ_j), 0 for a block without rows.
fn trace_ratio(
    problem: &Problem,
    layout: &Layout,
    index: usize,
    block: &BlockLayout,
    yardstick: &Yardstick,
) -> f64 {
    let size = squared_size(layout, block);
    if size == 0.0 {
        return 0.0;
    }
    trace(problem, index, block, yardstick) / size
}

/// Tr(J_jᵀJ_j).
fn squared_size(layout: &Layout, block: &BlockLayout) -> f64 {
    block
        .slots()
        .map(|slot| layout.squared_size(block, slot))
        .sum()
}

/// Tr(A_j).
fn trace(problem: &Problem, index: usize, block: &BlockLayout, yardstick: &Yardstick) -> f64 {
    match problem.subsystems().get(index) {
        Some(Subsystem::FreeBody(inertia)) if block.kind == BlockKind::FreeBody => inertia.trace(),
        _ => {
            let mut trace = 0.0;
            yardstick
                .matrices()
                .0
                .for_each_lower_entry(|row, column, value| {
                    if row == column && (block.first_dof..block.dof_end).contains(&row) {
                        trace += value;
                    }
                });
            trace
        }
    }
}
