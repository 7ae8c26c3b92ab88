//! A local problem in primal form, and how reactions are measured against W as given.

use stiction_constraints::{Failure, Problem, Residuals};

use super::contact_residuals::{ContactMeter, impulses, residuals_at};
use super::rank_factor::RankFactor;
use crate::csc_matrix::CscMatrix;

/// A local problem in primal form, with what is needed to measure against W as given.
/// Vectors are ordered (t1, t2, n) per contact.
#[derive(Debug, Clone)]
pub struct ReducedLocal {
    pub(crate) problem: Problem,
    pub(crate) factor: RankFactor,
    pub(crate) delassus: CscMatrix,
    pub(crate) symmetric: CscMatrix,
    pub(crate) is_symmetric: bool,
    pub(crate) meter: ContactMeter,
}

impl ReducedLocal {
    /// The primal form: A = I, b = 0, J = L, e = q.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Numerical rank of W.
    pub fn rank(&self) -> usize {
        self.factor.rank
    }

    /// Largest |(W + Wᵀ)/2 − L Lᵀ| relative to the diagonals of its row and column.
    pub fn factor_error(&self) -> f64 {
        self.factor.error
    }

    /// Number of entries of L.
    pub fn factor_entries(&self) -> usize {
        self.factor.rows.iter().map(Vec::len).sum()
    }

    /// Whether W is exactly symmetric.
    pub fn is_symmetric(&self) -> bool {
        self.is_symmetric
    }

    /// W r + q.
    pub(crate) fn velocity(&self, r: &[f64]) -> Vec<f64> {
        let mut u = self.meter.free_velocity.clone();
        self.delassus.mul_add(r, &mut u);
        u
    }

    /// (W − L Lᵀ) r.
    pub(crate) fn factor_defect(&self, r: &[f64]) -> Vec<f64> {
        let mut reduced = vec![0.0; self.factor.rank];
        for (row, &reaction) in self.factor.rows.iter().zip(r) {
            for &(column, value) in row {
                reduced[column] += value * reaction;
            }
        }
        let product =
            |row: &Vec<(usize, f64)>| row.iter().map(|&(k, l)| l * reduced[k]).sum::<f64>();
        let mut defect: Vec<f64> = self.factor.rows.iter().map(|row| -product(row)).collect();
        self.delassus.mul_add(r, &mut defect);
        defect
    }

    /// Natural, balanced, primal, dual and complementarity residuals against W as given.
    pub(crate) fn measure(&self, r: &[f64], out: &mut Residuals) {
        self.meter.measure(r, &self.velocity(r), out);
    }

    /// The same against (W + Wᵀ)/2.
    pub(crate) fn measure_symmetric(&self, r: &[f64], out: &mut Residuals) {
        let mut u = self.meter.free_velocity.clone();
        self.symmetric.mul_add(r, &mut u);
        self.meter.measure(r, &u, out);
    }

    /// Residuals of reactions r in the file's component order: natural, balanced, primal, dual and
    /// complementarity against W as given, the others against the primal form.
    ///
    /// # Errors
    /// A wrong number of reactions.
    pub fn residuals(&self, reaction: &[f64]) -> Result<Residuals, Failure> {
        let lambda = impulses(self.problem(), reaction)?;
        let mut residuals = residuals_at(self.problem(), &lambda)?;
        self.measure(&lambda, &mut residuals);
        Ok(residuals)
    }
}
