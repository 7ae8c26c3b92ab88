//! Xᵀ A⁻¹ X for many right-hand sides X that are zero almost everywhere, with a sparse factor.
//!
//! With P A Pᵀ = L Lᵀ it is the Gram matrix Yᵀ Y of Y = L⁻¹ P X: half of each solve is enough. Substitution goes
//! panel by panel for all columns at once, and a panel knows only the columns that elimination carries
//! to it: the ways from their entries to the root of the elimination tree. Columns are sorted by the panel
//! that their way begins at; a panel's descendants are numbered in a row, so that those that come to it
//! stand in a row too, and all products are of full matrices.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular_matmul};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, MatMut, MatRef, Par};

use super::symbolic::SymbolicFactor;

/// Right-hand sides as lists of entries, and their products with A⁻¹. Storage is kept.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gram {
    /// (degree of freedom, value) of all columns, one after the other.
    entries: Vec<(usize, f64)>,
    /// First entry of each column, and the total.
    starts: Vec<usize>,
    /// Columns in the order in which they are worked on, and the place of each.
    order: Vec<usize>,
    place: Vec<usize>,
    /// Places of the columns that come to each panel: the least range that has them all.
    reached_by: Vec<Range<usize>>,
    /// Where each panel's part of Y begins; by rows.
    first: Vec<usize>,
    y: Vec<f64>,
    /// What a panel takes from the rows below.
    update: Vec<f64>,
    /// Yᵀ Y, by columns, only its lower triangle.
    product: Vec<f64>,
    /// The diagonal of Yᵀ Y, by place.
    norms: Vec<f64>,
}

impl Gram {
    /// Forgets all columns.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.starts.clear();
    }

    /// Begins a column.
    pub(crate) fn push_column(&mut self) {
        self.starts.push(self.entries.len());
    }

    /// Adds to the last column at one degree of freedom.
    pub(crate) fn push_entry(&mut self, dof: usize, value: f64) {
        if value != 0.0 {
            self.entries.push((dof, value));
        }
    }

    /// x_iᵀ A⁻¹ x_k after [`update`](Self::update).
    pub(crate) fn value(&self, i: usize, k: usize) -> f64 {
        let (i, k) = (self.place[i], self.place[k]);
        self.product[i.min(k) * self.order.len() + i.max(k)]
    }

    /// x_iᵀ A⁻¹ x_i after [`update_norms`](Self::update_norms).
    pub(crate) fn norm_squared(&self, i: usize) -> f64 {
        self.norms[self.place[i]]
    }

    /// Computes all products with a factor.
    pub(super) fn update(&mut self, symbolic: &SymbolicFactor, factor: &[f64]) {
        self.substitute(symbolic, factor);
        self.multiply(symbolic);
    }

    /// Computes the product of each column with itself alone.
    pub(super) fn update_norms(&mut self, symbolic: &SymbolicFactor, factor: &[f64]) {
        self.substitute(symbolic, factor);
        self.norms.clear();
        self.norms.resize(self.order.len(), 0.0);
        for (reached_by, (panel, &first)) in self
            .reached_by
            .iter()
            .zip(symbolic.panels().iter().zip(&self.first))
            .filter(|(reached_by, _)| !reached_by.is_empty())
        {
            let count = reached_by.len();
            let part = &self.y[first..][..panel.columns.len() * count];
            for row in part.chunks_exact(count) {
                for (norm, value) in self.norms[reached_by.clone()].iter_mut().zip(row) {
                    *norm += value * value;
                }
            }
        }
    }

    /// Y = L⁻¹ P X.
    fn substitute(&mut self, symbolic: &SymbolicFactor, factor: &[f64]) {
        self.sort_columns(symbolic);
        self.lay_out(symbolic);
        for index in 0..symbolic.panels().len() {
            if !self.reached_by[index].is_empty() {
                self.eliminate(symbolic, factor, index);
            }
        }
    }

    fn column(&self, index: usize) -> &[(usize, f64)] {
        let end = self.starts.get(index + 1).copied();
        &self.entries[self.starts[index]..end.unwrap_or(self.entries.len())]
    }

    /// By the first panel that has an entry of theirs.
    fn sort_columns(&mut self, symbolic: &SymbolicFactor) {
        let count = self.starts.len();
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend(0..count);
        self.place.clear();
        for index in 0..count {
            let dofs = self.column(index).iter();
            let panels = dofs.map(|&(dof, _)| symbolic.panel_of(symbolic.position()[dof]));
            let first = panels.min().unwrap_or(0);
            self.place.push(first);
        }
        order.sort_unstable_by_key(|&index| (self.place[index], index));
        for (place, &index) in order.iter().enumerate() {
            self.place[index] = place;
        }
        self.order = order;
    }

    /// Which columns come to which panels, and the columns' entries in Y.
    fn lay_out(&mut self, symbolic: &SymbolicFactor) {
        let panels = symbolic.panels();
        let mut reached_by = std::mem::take(&mut self.reached_by);
        reached_by.clear();
        reached_by.resize(panels.len(), 0..0);
        for (place, &index) in self.order.iter().enumerate() {
            for &(dof, _) in self.column(index) {
                let panel = symbolic.panel_of(symbolic.position()[dof]);
                widen(&mut reached_by[panel], &(place..place + 1));
            }
        }
        self.first.clear();
        let mut length = 0;
        for (index, panel) in panels.iter().enumerate() {
            let own = reached_by[index].clone();
            if let Some(parent) = panel.parent {
                widen(&mut reached_by[parent], &own);
            }
            self.first.push(length);
            length += panel.columns.len() * own.len();
        }
        self.reached_by = reached_by;
        self.y.clear();
        self.y.resize(length, 0.0);
        for (place, &index) in self.order.iter().enumerate() {
            let end = self.starts.get(index + 1).copied();
            for at in self.starts[index]..end.unwrap_or(self.entries.len()) {
                let (dof, value) = self.entries[at];
                let row = symbolic.position()[dof];
                let target = self.row(symbolic, row, place);
                self.y[target] += value;
            }
        }
    }

    /// Where a row's numbers begin in Y at one place.
    fn row(&self, symbolic: &SymbolicFactor, row: usize, place: usize) -> usize {
        let index = symbolic.panel_of(row);
        let reached_by = &self.reached_by[index];
        let down = row - symbolic.panels()[index].columns.start;
        self.first[index] + down * reached_by.len() + place - reached_by.start
    }

    /// Solves for the rows of one panel and takes their part from the rows below.
    fn eliminate(&mut self, symbolic: &SymbolicFactor, factor: &[f64], index: usize) {
        let panel = &symbolic.panels()[index];
        let reached_by = self.reached_by[index].clone();
        let (width, height, count) = (panel.columns.len(), panel.height(), reached_by.len());
        let factor = &factor[panel.first_value..][..width * height];
        let below = height - width;
        self.update.resize(below * count, 0.0);
        let own = &mut self.y[self.first[index]..][..width * count];
        if width == 1 {
            for value in own.iter_mut() {
                *value /= factor[0];
            }
            for (row, &factor) in self.update.chunks_exact_mut(count).zip(&factor[1..]) {
                for (to, value) in row.iter_mut().zip(&*own) {
                    *to = factor * value;
                }
            }
        } else {
            let factor = MatRef::from_column_major_slice(factor, height, width);
            let mut own = MatMut::from_row_major_slice_mut(own, width, count);
            let (diagonal, rest) = factor.split_at_row(width);
            solve_lower_triangular_in_place(diagonal, own.as_mut(), Par::Seq);
            let update = MatMut::from_row_major_slice_mut(&mut self.update, below, count);
            matmul(update, Accum::Replace, rest, own.as_ref(), 1.0, Par::Seq);
        }
        for (at, &row) in symbolic.rows(panel).iter().enumerate() {
            let target = self.row(symbolic, row, reached_by.start);
            let part = &self.update[at * count..][..count];
            for (to, part) in self.y[target..target + count].iter_mut().zip(part) {
                *to -= part;
            }
        }
    }

    /// Yᵀ Y. Neighbouring panels that the same columns come to are multiplied at once.
    fn multiply(&mut self, symbolic: &SymbolicFactor) {
        let (panels, count) = (symbolic.panels(), self.order.len());
        self.product.clear();
        self.product.resize(count * count, 0.0);
        let mut index = 0;
        while index < panels.len() {
            let reached_by = self.reached_by[index].clone();
            let start = index;
            let mut rows = 0;
            while index < panels.len() && self.reached_by[index] == reached_by {
                rows += panels[index].columns.len();
                index += 1;
            }
            if reached_by.is_empty() {
                continue;
            }
            let part = &self.y[self.first[start]..][..rows * reached_by.len()];
            let part = MatRef::from_row_major_slice(part, rows, reached_by.len());
            let product = MatMut::from_column_major_slice_mut(&mut self.product, count, count);
            let (first, len) = (reached_by.start, reached_by.len());
            triangular_matmul(
                product.get_mut(first..first + len, first..first + len),
                BlockStructure::TriangularLower,
                Accum::Add,
                part.transpose(),
                BlockStructure::Rectangular,
                part,
                BlockStructure::Rectangular,
                1.0,
                Par::Seq,
            );
        }
    }
}

/// Makes a range as wide as to have the other; an empty one has nothing.
fn widen(range: &mut Range<usize>, other: &Range<usize>) {
    if range.start >= range.end {
        *range = other.clone();
    } else if !other.is_empty() {
        *range = range.start.min(other.start)..range.end.max(other.end);
    }
}
