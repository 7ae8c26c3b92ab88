//! J in joint space: the rows of every constraint as runs of consecutive degrees of freedom.

use crate::linear::dot_in_order;
use crate::problem::{MAX_ROWS, Problem};
use crate::rows::RowBlock;
use crate::subsystem::{Subsystem, Tree};

/// A row on a subsystem that is smaller than this part of the products it is a sum of is what rounding
/// left of nothing: where a body cannot move in a row's direction, its joint-space row should be zero.
/// Positions of bodies carry a few units of the last place from each joint before them, so that such
/// rows are met up to some 1e-14; a real lever of 1e-12 of its link's size moves nothing either.
const NOISE: f64 = 1e-12;
/// Rows that are this small against what they are a sum of have lost digits worth counting.
const SUSPICIOUS: f64 = 1e-4;

/// A run of consecutive degrees of freedom that a constraint touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Subsystem the run belongs to.
    pub subsystem: usize,
    /// First degree of freedom, counted over the whole problem.
    pub first_dof: usize,
    /// Number of degrees of freedom.
    pub len: usize,
    /// First of rows × len values (by rows) in [`JointRows::values`].
    pub first_value: usize,
}

/// The rows of J in joint space: body blocks multiplied by their motion subspaces, the terms of
/// one constraint on one subsystem added up. Segments of a constraint ascend.
#[derive(Debug, Clone, Default)]
pub struct JointRows {
    /// First segment of each constraint, and the total.
    segment_start: Vec<usize>,
    segments: Vec<Segment>,
    /// For each segment the size of the products that its rows are a sum of, where they cancel; else 0.
    cancelled: Vec<f64>,
    values: Vec<f64>,
    rows: Vec<usize>,
    first_row: Vec<usize>,
    scratch: Scratch,
}

/// Dense rows of one subsystem while its terms are added up.
#[derive(Debug, Clone, Default)]
struct Scratch {
    /// Interleaved: value of (row, dof) at `MAX_ROWS` dof + row.
    dense: Vec<f64>,
    touched: Vec<usize>,
    is_touched: Vec<bool>,
    subsystems: Vec<usize>,
    /// For each row the size of the products that were added up, and what they could be at most.
    size: [f64; MAX_ROWS],
    bound: [f64; MAX_ROWS],
}

impl JointRows {
    /// Computes the rows of a problem. Allocates only when the problem grew.
    pub fn update(&mut self, problem: &Problem) {
        self.segment_start.clear();
        self.segments.clear();
        self.cancelled.clear();
        self.values.clear();
        self.rows.clear();
        self.first_row.clear();
        let largest = problem
            .subsystems()
            .iter()
            .map(Subsystem::dof_count)
            .max()
            .unwrap_or(0);
        if self.scratch.is_touched.len() < largest {
            self.scratch.is_touched.resize(largest, false);
            self.scratch.dense.resize(MAX_ROWS * largest, 0.0);
        }
        for (index, constraint) in problem.constraints().iter().enumerate() {
            self.segment_start.push(self.segments.len());
            self.rows.push(constraint.rows);
            self.first_row.push(constraint.first_row);
            self.push_constraint(problem, index, constraint.rows);
        }
        self.segment_start.push(self.segments.len());
    }

    fn push_constraint(&mut self, problem: &Problem, index: usize, rows: usize) {
        let is_plain = |(_, block): &(usize, RowBlock<'_>)| is_plain(block);
        let mut terms = problem.terms(index);
        match [terms.next(), terms.next(), terms.next()] {
            [Some(only), None, _] if is_plain(&only) => self.push_plain(problem, &only, rows),
            [Some(a), Some(b), None] if a.0 != b.0 && is_plain(&a) && is_plain(&b) => {
                let (first, second) = if a.0 < b.0 { (a, b) } else { (b, a) };
                self.push_plain(problem, &first, rows);
                self.push_plain(problem, &second, rows);
            }
            _ => self.add_up(problem, index, rows),
        }
    }

    /// The rows of any constraint, the terms on one subsystem added up.
    fn add_up(&mut self, problem: &Problem, index: usize, rows: usize) {
        self.scratch.subsystems.clear();
        for (subsystem, _) in problem.terms(index) {
            if !self.scratch.subsystems.contains(&subsystem) {
                self.scratch.subsystems.push(subsystem);
            }
        }
        self.scratch.subsystems.sort_unstable();
        for position in 0..self.scratch.subsystems.len() {
            let subsystem = self.scratch.subsystems[position];
            for (target, block) in problem.terms(index) {
                if target == subsystem {
                    self.scratch
                        .add(&problem.subsystems()[subsystem], &block, rows);
                }
            }
            self.flush(subsystem, problem.dof_starts()[subsystem], rows);
        }
    }

    /// The rows of a [plain](is_plain) term that is alone on its subsystem.
    fn push_plain(
        &mut self,
        problem: &Problem,
        (subsystem, block): &(usize, RowBlock<'_>),
        rows: usize,
    ) {
        let dof_start = problem.dof_starts()[*subsystem];
        let mut segment = Segment {
            subsystem: *subsystem,
            first_dof: dof_start,
            len: 0,
            first_value: self.values.len(),
        };
        match (&problem.subsystems()[*subsystem], *block) {
            (Subsystem::Tree(tree), RowBlock::Body { body, values }) => {
                let first_segment = self.segments.len();
                let mut path = tree.path(tree.body_dof(body)).rev().peekable();
                while let Some(first) = path.next() {
                    let mut end = first + 1;
                    while path.next_if_eq(&end).is_some() {
                        end += 1;
                    }
                    segment.first_dof = dof_start + first;
                    segment.len = end - first;
                    segment.first_value = self.values.len();
                    let columns = &tree.columns()[first..end];
                    for row in values.chunks_exact(6).take(rows) {
                        let products = columns
                            .iter()
                            .map(|column| dot_in_order(row, column.as_slice()));
                        self.values.extend(products);
                    }
                    self.segments.push(segment);
                }
                let cancelled = self.drop_noise(tree, body, values, first_segment, rows);
                self.cancelled.resize(self.segments.len(), cancelled);
                return;
            }
            (_, RowBlock::Dofs { dofs, values }) => {
                let mut at = 0;
                for run in dofs.chunk_by(|a, b| a + 1 == *b) {
                    segment.first_dof = dof_start + run[0];
                    segment.len = run.len();
                    segment.first_value = self.values.len();
                    for row in values.chunks_exact(dofs.len()) {
                        self.values.extend_from_slice(&row[at..at + run.len()]);
                    }
                    self.segments.push(segment);
                    at += run.len();
                }
            }
            (_, RowBlock::Body { body, values }) => {
                self.values.extend_from_slice(values);
                segment.first_dof += 6 * body;
                self.segments.push(Segment { len: 6, ..segment });
            }
            (
                _,
                RowBlock::Nodes {
                    nodes,
                    weights,
                    frame,
                },
            ) => {
                let mut weights = weights;
                // Neighbours are one segment.
                for run in nodes.chunk_by(|a, b| a + 1 == *b) {
                    let (own, others) = weights.split_at(run.len());
                    segment.first_dof = dof_start + 3 * run[0];
                    segment.len = 3 * run.len();
                    segment.first_value = self.values.len();
                    for direction in frame.chunks_exact(3) {
                        for weight in own {
                            let products = direction.iter().map(|entry| weight * entry);
                            self.values.extend(products);
                        }
                    }
                    self.segments.push(segment);
                    weights = others;
                }
            }
        }
        self.cancelled.resize(self.segments.len(), 0.0);
    }

    /// Sets the rows of a body in a tree to zero that are rounding noise, in the segments from
    /// `first_segment` on. Returns the size of what cancels.
    fn drop_noise(
        &mut self,
        tree: &Tree,
        body: usize,
        values: &[f64],
        first_segment: usize,
        rows: usize,
    ) -> f64 {
        let Self {
            segments,
            values: all,
            ..
        } = self;
        let mut cancelled: f64 = 0.0;
        let segments = &segments[first_segment..];
        for (row, own) in values.chunks_exact(6).take(rows).enumerate() {
            let range = |segment: &Segment| {
                let first = segment.first_value + row * segment.len;
                first..first + segment.len
            };
            let parts = segments.iter().map(|segment| largest(&all[range(segment)]));
            let largest_value = parts.fold(0.0, f64::max);
            if largest_value > SUSPICIOUS * largest(own) {
                continue;
            }
            let (mut size, mut bound) = (0.0f64, 0.0f64);
            for dof in tree.path(tree.body_dof(body)) {
                let column = tree.columns()[dof].as_slice();
                size = size.max(size_of_dot(own, column));
                bound = bound.max(bound_of_dot(own, column));
            }
            if largest_value <= NOISE * bound {
                for segment in segments {
                    all[range(segment)].fill(0.0);
                }
            }
            cancelled = cancelled.max(size);
        }
        cancelled
    }

    /// Moves the added-up rows of one subsystem into segments and clears the scratch.
    fn flush(&mut self, subsystem: usize, dof_start: usize, rows: usize) {
        let scratch = &mut self.scratch;
        scratch.touched.sort_unstable();
        let cancelled = scratch.drop_noise(rows);
        let mut at = 0;
        while at < scratch.touched.len() {
            let first = scratch.touched[at];
            let mut len = 1;
            while at + len < scratch.touched.len() && scratch.touched[at + len] == first + len {
                len += 1;
            }
            let first_value = self.values.len();
            for row in 0..rows {
                for dof in first..first + len {
                    self.values.push(scratch.dense[MAX_ROWS * dof + row]);
                }
            }
            for dof in first..first + len {
                scratch.dense[MAX_ROWS * dof..MAX_ROWS * dof + rows].fill(0.0);
                scratch.is_touched[dof] = false;
            }
            self.segments.push(Segment {
                subsystem,
                first_dof: dof_start + first,
                len,
                first_value,
            });
            self.cancelled.push(cancelled);
            at += len;
        }
        scratch.touched.clear();
    }

    /// Number of constraints.
    pub fn constraint_count(&self) -> usize {
        self.rows.len()
    }

    /// Number of rows of a constraint.
    pub fn rows(&self, constraint: usize) -> usize {
        self.rows[constraint]
    }

    /// Which of all segments are a constraint's.
    pub(crate) fn segment_range(&self, constraint: usize) -> std::ops::Range<usize> {
        self.segment_start[constraint]..self.segment_start[constraint + 1]
    }

    /// The segments of a constraint.
    pub fn segments(&self, constraint: usize) -> &[Segment] {
        &self.segments[self.segment_range(constraint)]
    }

    /// The size of the products that the rows of each segment of a constraint are a sum of, where they
    /// cancel; else 0.
    pub(crate) fn cancelled(&self, constraint: usize) -> &[f64] {
        &self.cancelled[self.segment_range(constraint)]
    }

    /// All segments, by constraints.
    pub fn all_segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The values of a segment of a constraint, rows × len by rows.
    pub fn values(&self, constraint: usize, segment: &Segment) -> &[f64] {
        &self.values[segment.first_value..segment.first_value + self.rows[constraint] * segment.len]
    }

    /// out = J v.
    pub fn mul(&self, v: &[f64], out: &mut [f64]) {
        for constraint in 0..self.rows.len() {
            let rows = self.rows[constraint];
            let mut sums = [0.0; MAX_ROWS];
            for segment in self.segments(constraint) {
                let part = &v[segment.first_dof..segment.first_dof + segment.len];
                let values = self.values(constraint, segment);
                if let (Ok(values), Ok(part), Some(sums)) =
                    (values.try_into(), part.try_into(), sums.first_chunk_mut())
                {
                    add_body_product(values, part, sums);
                } else {
                    for (sum, row) in sums.iter_mut().zip(values.chunks_exact(segment.len)) {
                        *sum += dot_in_order(row, part);
                    }
                }
            }
            let first = self.first_row[constraint];
            if rows == 3 {
                out[first..first + 3].copy_from_slice(&sums[..3]);
            } else {
                out[first..first + rows].copy_from_slice(&sums[..rows]);
            }
        }
    }

    /// out += Jᵀ λ.
    pub fn mul_transpose_add(&self, lambda: &[f64], out: &mut [f64]) {
        for constraint in 0..self.rows.len() {
            let first = self.first_row[constraint];
            let impulse = &lambda[first..first + self.rows[constraint]];
            if impulse.iter().all(|&value| value == 0.0) {
                continue;
            }
            for segment in self.segments(constraint) {
                let part = &mut out[segment.first_dof..segment.first_dof + segment.len];
                let values = self.values(constraint, segment);
                if let (Ok(values), Ok(impulse), Ok(part)) = (
                    values.try_into(),
                    impulse.try_into(),
                    <&mut [f64; 6]>::try_from(&mut *part),
                ) {
                    add_body_transpose_product(values, impulse, part);
                    continue;
                }
                for (&scale, row) in impulse.iter().zip(values.chunks_exact(segment.len)) {
                    for (sum, value) in part.iter_mut().zip(row) {
                        *sum += value * scale;
                    }
                }
            }
        }
    }
}

/// Whether the rows of a term are those of its body, or of degrees of freedom or nodes that ascend: where
/// such a term is alone on its subsystem there is nothing to add up.
fn is_plain(block: &RowBlock<'_>) -> bool {
    match *block {
        RowBlock::Body { .. } => true,
        RowBlock::Dofs { dofs, .. } => dofs.is_sorted(),
        RowBlock::Nodes { nodes, .. } => nodes.is_sorted(),
    }
}

/// sums += J v for a contact on a rigid body: the common case, at fixed size.
#[inline]
fn add_body_product(values: &[f64; 18], v: &[f64; 6], sums: &mut [f64; 3]) {
    for (row, sum) in sums.iter_mut().enumerate() {
        let j = &values[6 * row..6 * row + 6];
        *sum +=
            (j[0] * v[0] + j[1] * v[1]) + (j[2] * v[2] + j[3] * v[3]) + (j[4] * v[4] + j[5] * v[5]);
    }
}

/// part += Jᵀ λ for a contact on a rigid body.
#[inline]
fn add_body_transpose_product(values: &[f64; 18], impulse: &[f64; 3], part: &mut [f64; 6]) {
    for (dof, sum) in part.iter_mut().enumerate() {
        *sum +=
            values[dof] * impulse[0] + values[6 + dof] * impulse[1] + values[12 + dof] * impulse[2];
    }
}

impl Scratch {
    fn touch(&mut self, dof: usize) {
        if !self.is_touched[dof] {
            self.is_touched[dof] = true;
            self.touched.push(dof);
        }
    }

    /// Sets rows to zero that are rounding noise. Returns the size of what cancels.
    fn drop_noise(&mut self, rows: usize) -> f64 {
        let mut cancelled: f64 = 0.0;
        let sizes = self.size.iter_mut().zip(&mut self.bound);
        for (row, (size, bound)) in sizes.enumerate().take(rows) {
            let touched = self.touched.iter();
            let values = touched
                .clone()
                .map(|dof| self.dense[MAX_ROWS * dof + row].abs());
            let largest = values.fold(0.0, f64::max);
            if largest <= NOISE * *bound {
                for dof in touched {
                    self.dense[MAX_ROWS * dof + row] = 0.0;
                }
            }
            if largest <= SUSPICIOUS * *size {
                cancelled = cancelled.max(*size);
            }
            (*size, *bound) = (0.0, 0.0);
        }
        cancelled
    }

    fn add(&mut self, subsystem: &Subsystem, block: &RowBlock<'_>, rows: usize) {
        for row in 0..rows {
            self.size[row] += size_of_row(subsystem, block, row, size_of_dot);
            self.bound[row] += size_of_row(subsystem, block, row, bound_of_dot);
        }
        if let (Subsystem::Tree(tree), RowBlock::Body { body, values }) = (subsystem, *block) {
            for dof in tree.path(tree.body_dof(body)) {
                self.touch(dof);
                let column = tree.columns()[dof].as_slice();
                for row in 0..rows {
                    self.dense[MAX_ROWS * dof + row] +=
                        dot_in_order(&values[6 * row..6 * row + 6], column);
                }
            }
            return;
        }
        for row in 0..rows {
            block.for_each(row, |dof, a, b| {
                // All rows have the same places.
                if row == 0 {
                    self.touch(dof);
                }
                self.dense[MAX_ROWS * dof + row] += a * b;
            });
        }
    }
}

/// The largest product that a row of a block is a sum of, over all degrees of freedom; `size` gives that
/// of a body's row and a motion subspace.
fn size_of_row(
    subsystem: &Subsystem,
    block: &RowBlock<'_>,
    row: usize,
    size: impl Fn(&[f64], &[f64]) -> f64,
) -> f64 {
    match *block {
        RowBlock::Body { body, values } => {
            let own = &values[6 * row..6 * row + 6];
            match subsystem {
                Subsystem::Tree(tree) => tree
                    .path(tree.body_dof(body))
                    .map(|dof| size(own, tree.columns()[dof].as_slice()))
                    .fold(0.0, f64::max),
                _ => largest(own),
            }
        }
        RowBlock::Dofs { dofs, values } => largest(&values[row * dofs.len()..][..dofs.len()]),
        RowBlock::Nodes { weights, frame, .. } => {
            largest(weights) * largest(&frame[3 * row..3 * row + 3])
        }
    }
}

fn largest(values: &[f64]) -> f64 {
    values
        .iter()
        .fold(0.0, |largest, value| largest.max(value.abs()))
}

/// Σ |x y|: what the terms of a dot product are, whatever is left of them.
fn size_of_dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x * y).abs()).sum()
}

/// |x| |y| of the linear and of the angular parts: what the product of a body's row and a motion
/// subspace could be. Directions that are at right angles but for rounding, as the rows of a hinge that
/// closes a planar linkage, have no large products that cancel, and yet their product should be zero.
fn bound_of_dot(a: &[f64], b: &[f64]) -> f64 {
    let norm = |part: &[f64]| dot_in_order(part, part).sqrt();
    norm(&a[..3]) * norm(&b[..3]) + norm(&a[3..]) * norm(&b[3..])
}
