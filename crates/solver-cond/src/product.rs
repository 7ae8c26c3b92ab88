//! A as rows of 3×3 blocks, both triangles: to multiply with, not to factorise.

use std::sync::Arc;

use stiction_constraints::factor::TreeFactor;
use stiction_constraints::{Failure, Problem, SparsePattern, SparseSymmetric, Subsystem};

use crate::parallel::on_parts;

/// The blocks of one subsystem: which columns each row of blocks has.
#[derive(Debug, Default)]
struct Shape {
    /// Of a sparse matrix: its pattern, and for every number of a block which of its values it is.
    pattern: Option<Arc<SparsePattern>>,
    rows: usize,
    row_start: Vec<usize>,
    column: Vec<u32>,
    /// For each stored value of the lower triangle where it goes, and where its mirror image goes.
    places: Vec<[u32; 2]>,
}

/// A without its factor. Every subsystem begins at a multiple of three, so that the three directions of a node
/// are one block; what is left over stays zero.
#[derive(Debug, Default)]
pub(crate) struct Product {
    shapes: Vec<Shape>,
    /// First degree of freedom of each subsystem here, and the total.
    start: Vec<usize>,
    row_start: Vec<usize>,
    column: Vec<u32>,
    values: Vec<[f64; 9]>,
    tree: TreeFactor,
}

impl Product {
    /// Takes over the matrix of a problem. Allocates only where it has grown or its pattern is new.
    ///
    /// # Errors
    /// A tree that is not positive definite.
    pub(crate) fn update(&mut self, problem: &Problem) -> Result<(), Failure> {
        let count = problem.subsystems().len();
        self.shapes.resize_with(count, Shape::default);
        self.start.clear();
        self.row_start.clear();
        self.column.clear();
        self.values.clear();
        self.start.push(0);
        self.row_start.push(0);
        for (index, subsystem) in problem.subsystems().iter().enumerate() {
            self.shapes[index].update(subsystem);
            self.append(index, subsystem)?;
        }
        Ok(())
    }

    fn append(&mut self, index: usize, subsystem: &Subsystem) -> Result<(), Failure> {
        let shape = &self.shapes[index];
        let first_block = self.values.len();
        let first_row = self.start[index] / 3;
        let columns = shape.column.iter().map(|column| column + first_row as u32);
        self.column.extend(columns);
        let ends = shape.row_start[1..].iter().map(|end| first_block + end);
        self.row_start.extend(ends);
        self.values.resize(self.column.len(), [0.0; 9]);
        self.start.push(3 * (first_row + shape.rows));
        let blocks = &mut self.values[first_block..];
        // Small subsystems are full: block (row, column) is at row × rows + column.
        let mut set = |row: usize, column: usize, value: f64| {
            let mut put = |row: usize, column: usize| {
                blocks[(row / 3) * shape.rows + column / 3][3 * (row % 3) + column % 3] = value;
            };
            put(row, column);
            put(column, row);
        };
        match subsystem {
            Subsystem::FreeBody(inertia) => {
                for column in 0..6 {
                    for row in column..6 {
                        set(row, column, inertia[(row, column)]);
                    }
                }
            }
            Subsystem::Dense(matrix) => {
                for column in 0..matrix.ncols() {
                    for row in column..matrix.nrows() {
                        set(row, column, matrix[(row, column)]);
                    }
                }
            }
            Subsystem::Tree(tree) => {
                let assembled = self.tree.update(tree);
                assembled.map_err(|()| Failure::NotPositiveDefinite { subsystem: index })?;
                self.tree.for_each_lower_entry(set);
            }
            Subsystem::Sparse(matrix) => {
                let flat = blocks.as_flattened_mut();
                for (&value, places) in matrix.values().iter().zip(&shape.places) {
                    flat[places[0] as usize] = value;
                    flat[places[1] as usize] = value;
                }
            }
        }
        Ok(())
    }

    /// Number of degrees of freedom here, those that fill up included.
    pub(crate) fn dimension(&self) -> usize {
        self.start.last().copied().unwrap_or(0)
    }

    /// First degree of freedom of each subsystem here.
    pub(crate) fn starts(&self) -> &[usize] {
        &self.start
    }

    /// Numbers that a product multiplies with.
    pub(crate) fn entry_count(&self) -> usize {
        9 * self.values.len()
    }

    /// out = A x − b.
    pub(crate) fn residual(&self, x: &[f64], b: &[f64], out: &mut [f64]) {
        on_parts(0, 3, out, &|first, part: &mut [f64]| {
            for (row, to) in part.as_chunks_mut::<3>().0.iter_mut().enumerate() {
                let row = first + row;
                let mut sum = [0.0; 3];
                let range = self.row_start[row]..self.row_start[row + 1];
                for (block, &column) in self.values[range.clone()].iter().zip(&self.column[range]) {
                    let at = 3 * column as usize;
                    let [x, y, z] = [x[at], x[at + 1], x[at + 2]];
                    for (sum, row) in sum.iter_mut().zip(block.as_chunks::<3>().0) {
                        *sum += row[0] * x + row[1] * y + row[2] * z;
                    }
                }
                for axis in 0..3 {
                    to[axis] = sum[axis] - b[3 * row + axis];
                }
            }
        });
    }

    /// Calls `visit(row, column, value)` for every number of a row.
    pub(crate) fn for_each_in_row(&self, row: usize, mut visit: impl FnMut(usize, f64)) {
        let range = self.row_start[row / 3]..self.row_start[row / 3 + 1];
        for (block, &column) in self.values[range.clone()].iter().zip(&self.column[range]) {
            for axis in 0..3 {
                visit(3 * column as usize + axis, block[3 * (row % 3) + axis]);
            }
        }
    }

    /// The diagonal; zero where a subsystem was filled up.
    pub(crate) fn diagonal(&self, out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.dimension(), 0.0);
        for (row, to) in out.iter_mut().enumerate() {
            self.for_each_in_row(row, |column, value| {
                if column == row {
                    *to = value;
                }
            });
        }
    }
}

impl Shape {
    fn update(&mut self, subsystem: &Subsystem) {
        match subsystem {
            Subsystem::Sparse(matrix) => {
                let is_known = self
                    .pattern
                    .as_ref()
                    .is_some_and(|known| Arc::ptr_eq(known, matrix.pattern()));
                if !is_known {
                    self.set_sparse(matrix);
                }
            }
            _ => {
                let rows = subsystem.dof_count().div_ceil(3);
                if self.pattern.is_some() || self.rows != rows || self.row_start.is_empty() {
                    self.set_full(rows);
                }
            }
        }
    }

    fn set_full(&mut self, rows: usize) {
        self.pattern = None;
        self.places.clear();
        self.rows = rows;
        self.row_start = (0..=rows).map(|row| row * rows).collect();
        self.column = (0..rows * rows).map(|at| (at % rows) as u32).collect();
    }

    /// Both triangles by rows of blocks, columns ascending.
    fn set_sparse(&mut self, matrix: &SparseSymmetric) {
        let rows = matrix.dimension().div_ceil(3);
        let mut blocks: Vec<Vec<u32>> = vec![Vec::new(); rows];
        let (starts, indices) = (matrix.column_start(), matrix.row_index());
        for column in 0..matrix.dimension() {
            for &row in &indices[starts[column]..starts[column + 1]] {
                blocks[row / 3].push((column / 3) as u32);
                blocks[column / 3].push((row / 3) as u32);
            }
        }
        self.row_start.clear();
        self.column.clear();
        self.row_start.push(0);
        for row in &mut blocks {
            row.sort_unstable();
            row.dedup();
            self.column.extend_from_slice(row);
            self.row_start.push(self.column.len());
        }
        let place = |row: usize, column: usize| {
            let range = self.row_start[row / 3]..self.row_start[row / 3 + 1];
            let wanted = (column / 3) as u32;
            let at = self.column[range.clone()].partition_point(|&one| one < wanted);
            (9 * (range.start + at) + 3 * (row % 3) + column % 3) as u32
        };
        let mut places = Vec::with_capacity(indices.len());
        for column in 0..matrix.dimension() {
            for &row in &indices[starts[column]..starts[column + 1]] {
                places.push([place(row, column), place(column, row)]);
            }
        }
        self.places = places;
        self.rows = rows;
        self.pattern = Some(Arc::clone(matrix.pattern()));
    }
}
