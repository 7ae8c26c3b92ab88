//! The Delassus matrix G = J A⁻¹ Jᵀ, block-sparse by constraints.

use nalgebra::{DMatrix, Matrix3, Vector3};

use crate::factor::{DynamicsMatrix, Gram};
use crate::joint_rows::JointRows;
use crate::linear::dot;
use crate::problem::{MAX_ROWS, Problem};

/// G = J A⁻¹ Jᵀ in 1/kg: what an impulse on one constraint does to the velocity of another.
///
/// Only constraints that share a subsystem couple, so the matrix is stored by block rows: the rows
/// of one constraint against the rows of all constraints it couples with. Neighbours that follow
/// each other form [runs](Run) of consecutive columns, along which the products are plain loops
/// over contiguous memory. The matrix is symmetric to the bit: one triangle is computed and
/// mirrored, and products with a column read the row.
#[derive(Debug, Clone, Default)]
pub struct Delassus {
    n_rows: usize,
    block_rows: Vec<BlockRow>,
    /// Neighbours of every constraint, ascending, itself included.
    neighbors: Vec<Neighbor>,
    runs: Vec<Run>,
    values: Vec<f64>,
    /// First entry of each subsystem in `touching`, and the total.
    touching_start: Vec<usize>,
    touching: Vec<Touch>,
    scratch: Scratch,
}

/// A run of consecutive columns in a block row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// First row of the stacked vectors.
    pub first_row: usize,
    /// Number of rows.
    pub len: usize,
}

/// Where the block row of one constraint keeps its numbers.
#[derive(Debug, Clone, Copy, Default)]
struct BlockRow {
    first_row: usize,
    rows: usize,
    /// Number of stored columns: all runs together.
    width: usize,
    /// First of rows × width values, by rows.
    first_value: usize,
    first_neighbor: usize,
    neighbor_count: usize,
    first_run: usize,
    run_count: usize,
    /// Column of the constraint's own block.
    own: usize,
}

#[derive(Debug, Clone, Copy)]
struct Neighbor {
    constraint: usize,
    /// First stored column of its block.
    column: usize,
}

/// One constraint's segments in one subsystem.
#[derive(Debug, Clone, Copy)]
struct Touch {
    constraint: usize,
    /// Position in the segments of the constraint.
    first_segment: usize,
    segment_count: usize,
}

#[derive(Debug, Clone, Default)]
struct Scratch {
    /// Whether a constraint is already a neighbour; all false between uses.
    is_neighbor: Vec<bool>,
    /// First stored column of each neighbour of the constraint in work.
    column_of: Vec<usize>,
    /// Next column of each block row to mirror into.
    cursor: Vec<usize>,
    /// One column of A_j⁻¹ J_ijᵀ.
    solved: Vec<f64>,
    /// A_j⁻¹ J_ijᵀ for up to [`SIDE_BY_SIDE`] rows: four numbers (three and a pad) per degree of
    /// freedom.
    response: Vec<f64>,
    /// The columns J_ijᵀ on one sparse subsystem.
    gram: Gram,
}

/// Rows of a constraint that are solved for together: those of a contact.
const SIDE_BY_SIDE: usize = 3;

impl Delassus {
    /// Computes the matrix of a problem from its factorised A and its rows in joint space, both
    /// up to date. Allocates only when the problem grew.
    pub fn update(&mut self, problem: &Problem, dynamics: &mut DynamicsMatrix, rows: &JointRows) {
        self.collect_touching(problem, rows);
        self.collect_neighbors(problem, rows);
        self.fill_lower(problem, dynamics, rows);
        self.mirror();
    }

    /// Which constraints touch each subsystem.
    fn collect_touching(&mut self, problem: &Problem, rows: &JointRows) {
        let n_subsystems = problem.subsystems().len();
        self.touching_start.clear();
        self.touching_start.resize(n_subsystems + 1, 0);
        for constraint in 0..rows.constraint_count() {
            for_each_group(rows, constraint, |subsystem, _, _| {
                self.touching_start[subsystem + 1] += 1;
            });
        }
        for subsystem in 0..n_subsystems {
            self.touching_start[subsystem + 1] += self.touching_start[subsystem];
        }
        let unset = Touch {
            constraint: 0,
            first_segment: 0,
            segment_count: 0,
        };
        self.touching.clear();
        self.touching
            .resize(self.touching_start[n_subsystems], unset);
        // The starts serve as cursors and are moved back afterwards.
        for constraint in 0..rows.constraint_count() {
            for_each_group(
                rows,
                constraint,
                |subsystem, first_segment, segment_count| {
                    self.touching[self.touching_start[subsystem]] = Touch {
                        constraint,
                        first_segment,
                        segment_count,
                    };
                    self.touching_start[subsystem] += 1;
                },
            );
        }
        for subsystem in (1..=n_subsystems).rev() {
            self.touching_start[subsystem] = self.touching_start[subsystem - 1];
        }
        self.touching_start[0] = 0;
    }

    /// The pattern: neighbours, runs and places of every block row.
    fn collect_neighbors(&mut self, problem: &Problem, rows: &JointRows) {
        let constraints = problem.constraints();
        self.n_rows = problem.row_count();
        self.block_rows.clear();
        self.neighbors.clear();
        self.runs.clear();
        self.scratch.is_neighbor.clear();
        self.scratch.is_neighbor.resize(constraints.len(), false);
        let mut first_value = 0;
        for (index, constraint) in constraints.iter().enumerate() {
            let first_neighbor = self.neighbors.len();
            let (neighbors, is_neighbor) = (&mut self.neighbors, &mut self.scratch.is_neighbor);
            let mut add = |constraint: usize| {
                if !is_neighbor[constraint] {
                    is_neighbor[constraint] = true;
                    neighbors.push(Neighbor {
                        constraint,
                        column: 0,
                    });
                }
            };
            // A constraint that moves nothing still owns its (zero) block.
            add(index);
            for_each_group(rows, index, |subsystem, _, _| {
                let range = self.touching_start[subsystem]..self.touching_start[subsystem + 1];
                for touch in &self.touching[range] {
                    add(touch.constraint);
                }
            });
            let own_neighbors = &mut self.neighbors[first_neighbor..];
            own_neighbors.sort_unstable_by_key(|neighbor| neighbor.constraint);
            let mut block_row = BlockRow {
                first_row: constraint.first_row,
                rows: constraint.rows,
                first_value,
                first_neighbor,
                neighbor_count: own_neighbors.len(),
                first_run: self.runs.len(),
                ..BlockRow::default()
            };
            for neighbor in own_neighbors {
                self.scratch.is_neighbor[neighbor.constraint] = false;
                neighbor.column = block_row.width;
                if neighbor.constraint == index {
                    block_row.own = block_row.width;
                }
                let other = &constraints[neighbor.constraint];
                block_row.width += other.rows;
                match self.runs[block_row.first_run..].last_mut() {
                    Some(run) if run.first_row + run.len == other.first_row => {
                        run.len += other.rows;
                    }
                    _ => self.runs.push(Run {
                        first_row: other.first_row,
                        len: other.rows,
                    }),
                }
            }
            block_row.run_count = self.runs.len() - block_row.first_run;
            first_value += block_row.rows * block_row.width;
            self.block_rows.push(block_row);
        }
        self.values.clear();
        self.values.resize(first_value, 0.0);
    }

    /// Blocks (i, k) with k ≤ i: for every subsystem of constraint i, A_j⁻¹ J_ijᵀ once, then its
    /// product with the rows of every k that touches the subsystem. On sparse subsystems all constraints
    /// at once.
    fn fill_lower(&mut self, problem: &Problem, dynamics: &mut DynamicsMatrix, rows: &JointRows) {
        self.scratch.column_of.clear();
        self.scratch.column_of.resize(self.block_rows.len(), 0);
        for index in 0..self.block_rows.len() {
            let block_row = self.block_rows[index];
            self.find_columns(&block_row);
            for_each_group(rows, index, |subsystem, first_segment, segment_count| {
                if dynamics.is_sparse(subsystem) {
                    return;
                }
                let dofs = problem.dof_starts()[subsystem]..problem.dof_starts()[subsystem + 1];
                let range = self.touching_start[subsystem]..self.touching_start[subsystem + 1];
                for first_row in (0..block_row.rows).step_by(SIDE_BY_SIDE) {
                    self.scratch.solve(
                        dynamics,
                        rows,
                        (index, first_row),
                        (subsystem, dofs.clone()),
                        first_segment..first_segment + segment_count,
                    );
                    let block_row = BlockRow {
                        first_value: block_row.first_value + first_row * block_row.width,
                        rows: SIDE_BY_SIDE.min(block_row.rows - first_row),
                        ..block_row
                    };
                    for touch in self.touching[range.clone()]
                        .iter()
                        .take_while(|touch| touch.constraint <= index)
                    {
                        let (values, scratch) = (&mut self.values, &self.scratch);
                        if rows.rows(touch.constraint) <= SIDE_BY_SIDE {
                            scratch.add_product::<3>(rows, touch, dofs.start, &block_row, values);
                        } else {
                            scratch.add_product::<MAX_ROWS>(
                                rows, touch, dofs.start, &block_row, values,
                            );
                        }
                    }
                }
            });
        }
        for subsystem in 0..problem.subsystems().len() {
            if dynamics.is_sparse(subsystem) {
                self.add_sparse(subsystem, problem, dynamics, rows);
            }
        }
        for index in 0..self.block_rows.len() {
            let block_row = self.block_rows[index];
            self.symmetrize_own_block(&block_row);
        }
    }

    /// Notes where each neighbour of a constraint has its columns.
    fn find_columns(&mut self, block_row: &BlockRow) {
        let neighbors = &self.neighbors[block_row.first_neighbor..][..block_row.neighbor_count];
        for neighbor in neighbors {
            self.scratch.column_of[neighbor.constraint] = neighbor.column;
        }
    }

    /// Adds what goes through one sparse subsystem: J_kj A_j⁻¹ J_ijᵀ of all that touch it.
    fn add_sparse(
        &mut self,
        subsystem: usize,
        problem: &Problem,
        dynamics: &DynamicsMatrix,
        rows: &JointRows,
    ) {
        let dof_start = problem.dof_starts()[subsystem];
        let range = self.touching_start[subsystem]..self.touching_start[subsystem + 1];
        if range.is_empty() {
            return;
        }
        let gram = &mut self.scratch.gram;
        gram.clear();
        for touch in &self.touching[range.clone()] {
            let segments =
                &rows.segments(touch.constraint)[touch.first_segment..][..touch.segment_count];
            for row in 0..rows.rows(touch.constraint) {
                gram.push_column();
                for segment in segments {
                    let values = rows.values(touch.constraint, segment);
                    let values = &values[row * segment.len..][..segment.len];
                    for (dof, &value) in (segment.first_dof - dof_start..).zip(values) {
                        gram.push_entry(dof, value);
                    }
                }
            }
        }
        dynamics.gram(subsystem, gram);
        let mut first = 0;
        for at in range.clone() {
            let block_row = self.block_rows[self.touching[at].constraint];
            self.find_columns(&block_row);
            let mut other_first = 0;
            for other in &self.touching[range.start..=at] {
                let column = block_row.first_value + self.scratch.column_of[other.constraint];
                let other_rows = rows.rows(other.constraint);
                for row in 0..block_row.rows {
                    let target = &mut self.values[column + row * block_row.width..][..other_rows];
                    for (value, k) in target.iter_mut().zip(other_first..) {
                        *value += self.scratch.gram.value(first + row, k);
                    }
                }
                other_first += other_rows;
            }
            first += block_row.rows;
        }
    }

    /// Rounding leaves the two triangles of the own block a few bits apart.
    fn symmetrize_own_block(&mut self, block_row: &BlockRow) {
        let at = |row: usize, column: usize| {
            block_row.first_value + row * block_row.width + block_row.own + column
        };
        for row in 0..block_row.rows {
            for column in 0..row {
                let mean = 0.5 * (self.values[at(row, column)] + self.values[at(column, row)]);
                self.values[at(row, column)] = mean;
                self.values[at(column, row)] = mean;
            }
        }
    }

    /// Blocks (k, i) with k < i from their transposes.
    fn mirror(&mut self) {
        // Block rows are visited in ascending order, so the blocks right of the diagonal of every
        // earlier row are met in ascending order too: one cursor per row finds them.
        self.scratch.cursor.clear();
        self.scratch
            .cursor
            .extend(self.block_rows.iter().map(|row| row.own + row.rows));
        for index in 0..self.block_rows.len() {
            let lower = self.block_rows[index];
            for neighbor in &self.neighbors[lower.first_neighbor..][..lower.neighbor_count] {
                if neighbor.constraint >= index {
                    break;
                }
                let upper = &self.block_rows[neighbor.constraint];
                let cursor = self.scratch.cursor[neighbor.constraint];
                for row in 0..lower.rows {
                    for column in 0..upper.rows {
                        let from = lower.first_value + row * lower.width + neighbor.column + column;
                        let to = upper.first_value + column * upper.width + cursor + row;
                        self.values[to] = self.values[from];
                    }
                }
                self.scratch.cursor[neighbor.constraint] += lower.rows;
            }
        }
    }

    /// Number of rows and columns.
    pub fn row_count(&self) -> usize {
        self.n_rows
    }

    /// Number of constraints, that is of block rows.
    pub fn constraint_count(&self) -> usize {
        self.block_rows.len()
    }

    /// Number of rows of a constraint.
    pub fn constraint_rows(&self, constraint: usize) -> usize {
        self.block_rows[constraint].rows
    }

    /// Number of stored entries.
    pub fn stored_count(&self) -> usize {
        self.values.len()
    }

    /// The columns that a constraint's rows couple with, as ascending runs.
    pub fn runs(&self, constraint: usize) -> &[Run] {
        let block_row = &self.block_rows[constraint];
        &self.runs[block_row.first_run..][..block_row.run_count]
    }

    /// The stored entries of one row of a constraint, along its [`runs`](Self::runs).
    pub fn row_values(&self, constraint: usize, row: usize) -> &[f64] {
        let block_row = &self.block_rows[constraint];
        &self.values[block_row.first_value + row * block_row.width..][..block_row.width]
    }

    /// The constraints that a constraint couples with, ascending, itself included.
    pub fn neighbors(&self, constraint: usize) -> impl Iterator<Item = usize> + '_ {
        let block_row = &self.block_rows[constraint];
        self.neighbors[block_row.first_neighbor..][..block_row.neighbor_count]
            .iter()
            .map(|neighbor| neighbor.constraint)
    }

    /// One row of a constraint's own block.
    #[inline]
    pub fn diagonal_block_row(&self, constraint: usize, row: usize) -> &[f64] {
        let block_row = &self.block_rows[constraint];
        &self.row_values(constraint, row)[block_row.own..][..block_row.rows]
    }

    /// The own block of a constraint of at most three rows, padded with zeros.
    pub fn diagonal_block(&self, constraint: usize) -> Matrix3<f64> {
        let mut out = Matrix3::zeros();
        for row in 0..self.block_rows[constraint].rows {
            let values = self.diagonal_block_row(constraint, row);
            for (column, &value) in values.iter().enumerate() {
                out[(row, column)] = value;
            }
        }
        out
    }

    /// The rows of a constraint of at most three rows times a stacked vector, padded with zeros.
    #[inline]
    pub fn row_product(&self, constraint: usize, x: &[f64]) -> Vector3<f64> {
        let mut out = Vector3::zeros();
        for row in 0..self.block_rows[constraint].rows {
            out[row] = self.one_row_product(constraint, row, x);
        }
        out
    }

    /// One row of a constraint times a stacked vector.
    #[inline]
    pub fn one_row_product(&self, constraint: usize, row: usize, x: &[f64]) -> f64 {
        let mut values = self.row_values(constraint, row);
        let mut sum = 0.0;
        for run in self.runs(constraint) {
            let (part, rest) = values.split_at(run.len);
            sum += dot(part, &x[run.first_row..run.first_row + run.len]);
            values = rest;
        }
        sum
    }

    /// out += (columns of one constraint) × `impulse`: what a change of its impulse (N·s), one number
    /// per row, does to the stacked row velocities (m/s). Numbers beyond its rows are not looked at.
    #[inline]
    pub fn add_column(&self, constraint: usize, impulse: &[f64], out: &mut [f64]) {
        if let (&[x, y, z, ..], 3) = (impulse, self.block_rows[constraint].rows) {
            let (mut first, mut second, mut third) = (
                self.row_values(constraint, 0),
                self.row_values(constraint, 1),
                self.row_values(constraint, 2),
            );
            for run in self.runs(constraint) {
                let (part_1, rest_1) = first.split_at(run.len);
                let (part_2, rest_2) = second.split_at(run.len);
                let (part_3, rest_3) = third.split_at(run.len);
                let target = &mut out[run.first_row..run.first_row + run.len];
                for (((sum, a), b), c) in target.iter_mut().zip(part_1).zip(part_2).zip(part_3) {
                    *sum += a * x + b * y + c * z;
                }
                (first, second, third) = (rest_1, rest_2, rest_3);
            }
        } else {
            let rows = self.block_rows[constraint].rows;
            for (row, impulse) in impulse.iter().enumerate().take(rows) {
                let mut values = self.row_values(constraint, row);
                for run in self.runs(constraint) {
                    let (part, rest) = values.split_at(run.len);
                    let target = &mut out[run.first_row..run.first_row + run.len];
                    for (sum, value) in target.iter_mut().zip(part) {
                        *sum += value * impulse;
                    }
                    values = rest;
                }
            }
        }
    }

    /// out = G x.
    pub fn mul(&self, x: &[f64], out: &mut [f64]) {
        for constraint in 0..self.block_rows.len() {
            let block_row = &self.block_rows[constraint];
            for row in 0..block_row.rows {
                out[block_row.first_row + row] = self.one_row_product(constraint, row, x);
            }
        }
    }

    /// The whole matrix, zeros included.
    pub fn to_dense(&self) -> DMatrix<f64> {
        let mut out = DMatrix::zeros(self.n_rows, self.n_rows);
        for (constraint, block_row) in self.block_rows.iter().enumerate() {
            for row in 0..block_row.rows {
                let columns = self
                    .runs(constraint)
                    .iter()
                    .flat_map(|run| run.first_row..run.first_row + run.len);
                for (column, &value) in columns.zip(self.row_values(constraint, row)) {
                    out[(block_row.first_row + row, column)] = value;
                }
            }
        }
        out
    }
}

impl Scratch {
    /// A_j⁻¹ J_ijᵀ of the rows of one constraint from `first_row` on, as many as stand side by side,
    /// on one subsystem, into `response`.
    fn solve(
        &mut self,
        dynamics: &mut DynamicsMatrix,
        rows: &JointRows,
        (constraint, first_row): (usize, usize),
        (subsystem, dofs): (usize, std::ops::Range<usize>),
        segments: std::ops::Range<usize>,
    ) {
        self.solved.resize(dofs.len(), 0.0);
        self.response.resize(4 * dofs.len(), 0.0);
        for lane in 0..SIDE_BY_SIDE {
            let row = first_row + lane;
            if row < rows.rows(constraint) {
                self.solved.fill(0.0);
                for segment in &rows.segments(constraint)[segments.clone()] {
                    let values = rows.values(constraint, segment);
                    self.solved[segment.first_dof - dofs.start..][..segment.len]
                        .copy_from_slice(&values[row * segment.len..(row + 1) * segment.len]);
                }
                dynamics.solve_subsystem_in_place(subsystem, &mut self.solved);
            } else {
                self.solved.fill(0.0);
            }
            for (quad, value) in self.response.chunks_exact_mut(4).zip(&self.solved) {
                quad[lane] = *value;
            }
        }
    }

    /// Adds J_ij A_j⁻¹ J_kjᵀ, k a constraint of at most `ROWS` rows, to the rows of i that `response`
    /// is about.
    #[inline]
    fn add_product<const ROWS: usize>(
        &self,
        rows: &JointRows,
        touch: &Touch,
        dof_start: usize,
        block_row: &BlockRow,
        values: &mut [f64],
    ) {
        let block = self.product::<ROWS>(rows, touch, dof_start);
        let column = self.column_of[touch.constraint];
        let other_rows = rows.rows(touch.constraint);
        let values = &mut values[block_row.first_value + column..];
        if block_row.rows == 3 && other_rows == 3 {
            for row in 0..3 {
                let target = &mut values[row * block_row.width..][..3];
                for (value, part) in target.iter_mut().zip(&block) {
                    *value += part[row];
                }
            }
            return;
        }
        for row in 0..block_row.rows {
            let target = &mut values[row * block_row.width..][..other_rows];
            for (value, part) in target.iter_mut().zip(&block) {
                *value += part[row];
            }
        }
    }

    /// J_kj A_j⁻¹ J_ijᵀ by the rows of k; the columns of one row of k are the rows of i.
    #[inline]
    fn product<const ROWS: usize>(
        &self,
        rows: &JointRows,
        touch: &Touch,
        dof_start: usize,
    ) -> [[f64; 4]; ROWS] {
        let mut block = [[0.0; 4]; ROWS];
        let segments =
            &rows.segments(touch.constraint)[touch.first_segment..][..touch.segment_count];
        for segment in segments {
            let values = rows.values(touch.constraint, segment);
            let response = &self.response[4 * (segment.first_dof - dof_start)..][..4 * segment.len];
            if let (Some(block), Ok(values), Ok(response)) = (
                block.first_chunk_mut(),
                values.try_into(),
                response.try_into(),
            ) {
                add_body_product(values, response, block);
                continue;
            }
            for (sums, row) in block.iter_mut().zip(values.chunks_exact(segment.len)) {
                for (value, quad) in row.iter().zip(response.chunks_exact(4)) {
                    for (sum, part) in sums.iter_mut().zip(quad) {
                        *sum += value * part;
                    }
                }
            }
        }
        block
    }
}

/// Calls `visit(subsystem, first segment, segment count)` for every subsystem that a constraint
/// touches, ascending.
#[inline]
fn for_each_group(rows: &JointRows, constraint: usize, mut visit: impl FnMut(usize, usize, usize)) {
    let segments = rows.segments(constraint);
    let mut first = 0;
    while first < segments.len() {
        let subsystem = segments[first].subsystem;
        let count = segments[first..]
            .iter()
            .take_while(|segment| segment.subsystem == subsystem)
            .count();
        visit(subsystem, first, count);
        first += count;
    }
}

/// block += J A⁻¹ Jᵀ for a contact on a rigid body: the common case, at fixed size.
#[inline]
fn add_body_product(values: &[f64; 18], response: &[f64; 24], block: &mut [[f64; 4]; 3]) {
    for (row, sums) in block.iter_mut().enumerate() {
        for dof in 0..6 {
            for lane in 0..4 {
                sums[lane] += values[6 * row + dof] * response[4 * dof + lane];
            }
        }
    }
}

#[cfg(test)]
#[path = "delassus_tests.rs"]
mod tests;
