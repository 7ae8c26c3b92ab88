//! Equality rows between joint coordinates (mimic joints, tendons with fixed ratios).

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
    /// # Panics
    /// If `q` is shorter than the model's `nq`.
    pub fn position_error(&self, q: &[f64]) -> f64 {
        self.terms
            .iter()
            .map(|term| term.coefficient * q[term.q])
            .sum::<f64>()
            - self.offset
    }

    /// Σ coefficient · v: how fast `v` leaves the row.
    ///
    /// # Panics
    /// If `v` is shorter than the model's `nv`.
    pub fn velocity_error(&self, v: &[f64]) -> f64 {
        self.terms
            .iter()
            .map(|term| term.coefficient * v[term.dof])
            .sum()
    }
}
