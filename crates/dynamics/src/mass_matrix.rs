//! The joint-space inertia matrix in branch-sparse form, [RBDA, section 6.5].

use nalgebra::DMatrix;

use crate::error::{Result, check_length};
use crate::model::Model;
use crate::model::topology::NO_DOF;

/// The mass matrix of a tree. Entry (i, j) can differ from zero only when one of the two degrees
/// of freedom is above the other, so row i stores just the entries of its path from the root,
/// root first and the diagonal last. The path of a parent is a prefix of that of its child: rows
/// line up, and eliminating one from another is a sum of two contiguous slices.
#[derive(Clone, Debug)]
pub struct MassMatrix {
    /// Start of each row, then the total length.
    pub(crate) row_start: Vec<usize>,
    /// The degree of freedom above each one, [`NO_DOF`] at a root.
    pub(crate) parent: Vec<usize>,
    pub(crate) values: Vec<f64>,
}

impl MassMatrix {
    /// A zero matrix with the pattern of `model`. Its size is the sum of the depths of all degrees
    /// of freedom: close to linear for branched robots, quadratic for a single chain.
    pub fn new(model: &Model) -> Self {
        let topology = &model.topology;
        let mut row_start = Vec::with_capacity(model.nv() + 1);
        let mut total = 0;
        row_start.push(0);
        for depth in &topology.dof_depth {
            total += depth + 1;
            row_start.push(total);
        }
        Self {
            row_start,
            parent: topology.dof_parent.clone(),
            values: vec![0.0; total],
        }
    }

    /// Number of rows.
    pub fn nv(&self) -> usize {
        self.parent.len()
    }

    /// Row `i` from the root of its tree to its diagonal.
    ///
    /// # Panics
    /// If `i` is not below [`nv`](Self::nv).
    #[inline]
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[self.row_start[i]..self.row_start[i + 1]]
    }

    #[inline]
    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[self.row_start[i]..self.row_start[i + 1]]
    }

    /// The degree of freedom above `i`, `None` at the root of a tree.
    ///
    /// # Panics
    /// If `i` is not below [`nv`](Self::nv).
    pub fn parent(&self, i: usize) -> Option<usize> {
        Some(self.parent[i]).filter(|&p| p != NO_DOF)
    }

    /// Calls `visit` with each stored entry below the diagonal of row `i`, from the diagonal up:
    /// column and value.
    #[inline]
    pub(crate) fn for_each_above(&self, i: usize, mut visit: impl FnMut(usize, f64)) {
        let row = self.row(i);
        let mut j = self.parent[i];
        for value in row[..row.len() - 1].iter().rev() {
            visit(j, *value);
            j = self.parent[j];
        }
    }

    /// y = M x.
    pub fn mul(&self, x: &[f64], y: &mut [f64]) -> Result<()> {
        check_length("x", x.len(), self.nv())?;
        check_length("y", y.len(), self.nv())?;
        y.fill(0.0);
        for i in 0..self.nv() {
            let row = self.row(i);
            let mut sum = row[row.len() - 1] * x[i];
            self.for_each_above(i, |j, value| {
                sum += value * x[j];
                y[j] += value * x[i];
            });
            y[i] += sum;
        }
        Ok(())
    }

    /// Writes the full symmetric matrix.
    pub fn write_dense(&self, dense: &mut DMatrix<f64>) -> Result<()> {
        check_length("dense (rows)", dense.nrows(), self.nv())?;
        check_length("dense (columns)", dense.ncols(), self.nv())?;
        dense.fill(0.0);
        for i in 0..self.nv() {
            let row = self.row(i);
            dense[(i, i)] = row[row.len() - 1];
            self.for_each_above(i, |j, value| {
                dense[(i, j)] = value;
                dense[(j, i)] = value;
            });
        }
        Ok(())
    }

    /// The full symmetric matrix, newly allocated.
    pub fn to_dense(&self) -> DMatrix<f64> {
        let mut dense = DMatrix::zeros(self.nv(), self.nv());
        for i in 0..self.nv() {
            let row = self.row(i);
            dense[(i, i)] = row[row.len() - 1];
            self.for_each_above(i, |j, value| {
                dense[(i, j)] = value;
                dense[(j, i)] = value;
            });
        }
        dense
    }

    /// Adds to the diagonal, for example implicit damping and PD gains.
    pub fn add_diagonal(&mut self, diagonal: &[f64]) -> Result<()> {
        check_length("diagonal", diagonal.len(), self.nv())?;
        for (i, d) in diagonal.iter().enumerate() {
            let end = self.row_start[i + 1];
            self.values[end - 1] += d;
        }
        Ok(())
    }
}
