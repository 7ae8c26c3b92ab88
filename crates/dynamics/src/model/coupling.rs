//! Equality rows between joint coordinates (mimic joints, tendons with fixed ratios).

use crate::error::{DynamicsError, Result};

/// One joint coordinate of a coupling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CouplingTerm {
    /// Index of the coordinate in q.
    pub q: usize,
    /// Index of the degree of freedom in v.
    pub dof: usize,
    /// Its coefficient.
    pub coefficient: f64,
}

/// Σ coefficient · q = offset, and hence Σ coefficient · v = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Coupling {
    /// Name of the coupling; for a mimic joint that joint's name.
    pub name: String,
    /// The coordinates that take part: the non-zero entries of the row.
    pub terms: Vec<CouplingTerm>,
    /// Right-hand side.
    pub offset: f64,
}

impl Coupling {
    /// Σ coefficient · q − offset: how far `q` is from obeying the row.
    ///
    /// # Errors
    /// If `q` is too short to hold the coordinates of the row.
    pub fn position_error(&self, q: &[f64]) -> Result<f64> {
        let mut sum = -self.offset;
        for term in &self.terms {
            sum += term.coefficient * entry("q", q, term.q)?;
        }
        Ok(sum)
    }

    /// Σ coefficient · v: how fast `v` leaves the row.
    ///
    /// # Errors
    /// If `v` is too short to hold the degrees of freedom of the row.
    pub fn velocity_error(&self, v: &[f64]) -> Result<f64> {
        let mut sum = 0.0;
        for term in &self.terms {
            sum += term.coefficient * entry("v", v, term.dof)?;
        }
        Ok(sum)
    }
}

fn entry(argument: &'static str, values: &[f64], index: usize) -> Result<f64> {
    values
        .get(index)
        .copied()
        .ok_or(DynamicsError::WrongLength {
            argument,
            expected: index + 1,
            actual: values.len(),
        })
}
