//! One diagonal block of A: a body, a tree, a sparse or a dense matrix.

mod sparse;
mod sparse_pattern;
mod tree;

pub use sparse::SparseSymmetric;
pub use sparse_pattern::SparsePattern;
pub use tree::{Tree, TreeBody};

use nalgebra::{DMatrix, Matrix6};
use serde::{Deserialize, Serialize};

/// One subsystem's block A_j of A, in kg (and kg·m, kg·m² for rotational degrees of freedom),
/// already divided by (1 − θ) and with implicit damping and gains folded in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Subsystem {
    /// One free rigid body: 6×6 spatial inertia, (linear, angular), world axes at the subsystem's
    /// reference point.
    FreeBody(Matrix6<f64>),
    /// A kinematic tree rooted at the ground.
    Tree(Tree),
    /// A symmetric sparse matrix with a fixed pattern.
    Sparse(SparseSymmetric),
    /// Anything else.
    Dense(DMatrix<f64>),
}

impl Subsystem {
    /// Number of degrees of freedom.
    pub fn dof_count(&self) -> usize {
        match self {
            Subsystem::FreeBody(_) => 6,
            Subsystem::Tree(tree) => tree.dof_count(),
            Subsystem::Sparse(matrix) => matrix.dimension(),
            Subsystem::Dense(matrix) => matrix.nrows(),
        }
    }

    /// Number of bodies a [`RowBlock::Body`](crate::RowBlock::Body) may name.
    pub fn body_count(&self) -> usize {
        match self {
            Subsystem::FreeBody(_) => 1,
            Subsystem::Tree(tree) => tree.bodies().len(),
            Subsystem::Sparse(matrix) => matrix.body_count(),
            Subsystem::Dense(_) => 0,
        }
    }

    /// |A_ij − A_ji| over √(A_ii A_jj) above which a matrix is refused as not symmetric.
    pub const SYMMETRY_TOLERANCE: f64 = 1e-9;

    /// Every kind of subsystem.
    pub const KINDS: [&'static str; 4] = ["free body", "tree", "sparse", "dense"];

    /// One word for reports and error messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Subsystem::FreeBody(_) => "free body",
            Subsystem::Tree(_) => "tree",
            Subsystem::Sparse(_) => "sparse",
            Subsystem::Dense(_) => "dense",
        }
    }

    /// Checks what can be checked without factorising: shape, finiteness, symmetry, diagonal.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self {
            Subsystem::FreeBody(inertia) => check_symmetric(6, |i, j| inertia[(i, j)]),
            Subsystem::Tree(tree) => tree.check(),
            Subsystem::Sparse(matrix) => matrix.check(),
            Subsystem::Dense(matrix) => {
                if matrix.nrows() != matrix.ncols() {
                    return Err(format!(
                        "A is {}×{}, not square",
                        matrix.nrows(),
                        matrix.ncols()
                    ));
                }
                check_symmetric(matrix.nrows(), |i, j| matrix[(i, j)])
            }
        }
    }
}

/// Finite, symmetric to rounding, positive diagonal.
pub(crate) fn check_symmetric(n: usize, at: impl Fn(usize, usize) -> f64) -> Result<(), String> {
    if is_plainly_symmetric(n, &at) {
        return Ok(());
    }
    for i in 0..n {
        let diagonal = at(i, i);
        for j in 0..n {
            if !at(i, j).is_finite() {
                return Err(format!("A[{i},{j}] = {} is not finite", at(i, j)));
            }
        }
        if diagonal <= 0.0 {
            return Err(format!(
                "A[{i},{i}] = {diagonal} is not positive: A must be positive definite"
            ));
        }
    }
    for i in 0..n {
        for j in 0..i {
            let scale = (at(i, i) * at(j, j)).sqrt();
            if (at(i, j) - at(j, i)).abs() > Subsystem::SYMMETRY_TOLERANCE * scale {
                return Err(format!(
                    "A is not symmetric: A[{i},{j}] = {} but A[{j},{i}] = {}",
                    at(i, j),
                    at(j, i)
                ));
            }
        }
    }
    Ok(())
}

/// Whether a matrix is finite, symmetric to the bit and of positive diagonal: what most are, and
/// cheaper to see than what is wrong with the others.
fn is_plainly_symmetric(n: usize, at: impl Fn(usize, usize) -> f64) -> bool {
    let mut is_good = true;
    for i in 0..n {
        is_good &= at(i, i) > 0.0 && at(i, i) < f64::INFINITY;
        for j in 0..i {
            is_good &= at(i, j) == at(j, i) && at(i, j).is_finite();
        }
    }
    is_good
}

/// Whether all values are finite, without a branch for each.
pub(crate) fn are_finite(values: &[f64]) -> bool {
    values
        .iter()
        .fold(true, |so_far, value| so_far & value.is_finite())
}
