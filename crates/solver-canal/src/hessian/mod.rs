//! The Newton matrix A + Jᵀ K J, [AL, (25)]: assembled and factorised, dense or sparse; and Newton
//! steps in impulses, which need it or its [condensed] form.

mod condensed;
mod dense;
mod factor;
mod sparse;
mod supernodal;

use nalgebra::{Matrix3, Vector3};
use stiction_constraints::{DynamicsMatrix, JointRows, Problem, ResidualEvaluator, Segment};

use crate::products::Columns;
use crate::settings::LinearSolver;
use condensed::Condensed;
use dense::DenseHessian;
use sparse::SparseHessian;

/// Up to this many degrees of freedom the dense factorisation wins on chains of touching robots:
/// measured by `cargo bench -p stiction-benches --bench canal_linear_solver`.
const DENSE_BELOW: usize = 144;
/// Beyond it, the share of nonzeros above which a sparse factorisation has nothing to gain.
const DENSE_ABOVE_FILL: f64 = 0.35;

/// A + Jᵀ K J with its factor. Patterns and orderings are kept while the structure of J stays.
#[derive(Debug, Default)]
pub(crate) struct Hessian {
    is_dense: bool,
    dense: DenseHessian,
    sparse: SparseHessian,
    /// Whether steps in impulses are condensed.
    is_condensed: bool,
    condensed: Condensed,
    /// Whether A + Jᵀ K J itself still waits for A and J.
    is_stale: bool,
    dof_step: Vec<f64>,
}

/// Where a Newton step in impulses is taken.
pub(crate) struct ImpulseSystem<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) rows: &'a JointRows,
    pub(crate) columns: &'a Columns,
    /// K of each constraint; zero but for those that are `active`.
    pub(crate) stiffness: &'a [Matrix3<f64>],
    pub(crate) active: &'a [usize],
}

impl Hessian {
    /// Prepares steps in impulses; where these are condensed A + Jᵀ K J waits until it is
    /// [wanted](Self::update_if_stale).
    pub(crate) fn begin(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        choice: LinearSolver,
    ) {
        let n = problem.dof_count();
        self.is_condensed =
            choice == LinearSolver::Automatic && n > DENSE_BELOW && Condensed::suits(problem);
        self.is_stale = true;
        if self.is_condensed {
            self.condensed.update(problem, evaluator);
        } else {
            self.update_if_stale(problem, evaluator, choice);
        }
    }

    /// Prepares A + Jᵀ K J unless it is.
    pub(crate) fn update_if_stale(
        &mut self,
        problem: &Problem,
        evaluator: &ResidualEvaluator,
        choice: LinearSolver,
    ) {
        if std::mem::take(&mut self.is_stale) {
            let (dynamics, rows) = evaluator.matrices();
            self.update(problem.dof_count(), dynamics, rows, choice);
        }
    }

    /// Whether steps in impulses need no factor of A + Jᵀ K J, and cost little.
    pub(crate) fn is_condensed(&self) -> bool {
        self.is_condensed
    }

    /// J v̂ of impulses where that takes no solve with A; `false` where it does.
    pub(crate) fn row_velocity(&self, free: &[f64], lambda: &[f64], out: &mut [f64]) -> bool {
        if self.is_condensed {
            self.condensed.row_velocity(free, lambda, out);
        }
        self.is_condensed
    }

    /// Factorises the system of a step in impulses; `false` when it is singular.
    pub(crate) fn factorize_impulses(&mut self, system: &ImpulseSystem<'_>) -> bool {
        if self.is_condensed {
            self.condensed.factorize(system.problem, system.stiffness)
        } else {
            self.factorize_general(system.rows, system.active, system.stiffness)
        }
    }

    /// The impulses of a Newton step: dλ = −K J dv̂ − f with (A + Jᵀ K J) dv̂ = −Jᵀ f.
    pub(crate) fn solve_impulses(
        &mut self,
        system: &ImpulseSystem<'_>,
        f: &[f64],
        out: &mut [f64],
    ) {
        if self.is_condensed {
            self.condensed
                .solve(system.problem, system.stiffness, f, out);
            return;
        }
        let mut dof_step = std::mem::take(&mut self.dof_step);
        dof_step.clear();
        dof_step.resize(system.problem.dof_count(), 0.0);
        system.rows.mul_transpose_add(f, &mut dof_step);
        for value in &mut dof_step {
            *value = -*value;
        }
        self.solve_general(&mut dof_step);
        system.columns.mul(&dof_step, out);
        for (index, constraint) in system.problem.constraints().iter().enumerate() {
            let row_velocity: Vector3<f64> = constraint.load(out);
            let change = -(system.stiffness[index] * row_velocity) - constraint.load(f);
            constraint.store(&change, out);
        }
        self.dof_step = dof_step;
    }

    /// Prepares for a problem's A and J.
    pub(crate) fn update(
        &mut self,
        n: usize,
        dynamics: &DynamicsMatrix,
        rows: &JointRows,
        choice: LinearSolver,
    ) {
        self.is_dense = match choice {
            LinearSolver::Dense => true,
            LinearSolver::Sparse => false,
            LinearSolver::Automatic => {
                n <= DENSE_BELOW || {
                    self.sparse.update_pattern(n, dynamics, rows);
                    self.sparse.fill() > DENSE_ABOVE_FILL
                }
            }
        };
        if self.is_dense {
            self.dense.update(n, dynamics);
        } else {
            self.sparse.update_pattern(n, dynamics, rows);
            self.sparse.update_values(dynamics);
        }
    }

    /// Factorises A + Jᵀ K J with symmetric K; `false` when it is not positive definite.
    pub(crate) fn factorize_symmetric(
        &mut self,
        rows: &JointRows,
        active: &[usize],
        stiffness: &[Matrix3<f64>],
    ) -> bool {
        if self.is_dense {
            self.dense.factorize_symmetric(rows, active, stiffness)
        } else {
            self.sparse.factorize_symmetric(rows, active, stiffness)
        }
    }

    /// x ← (A + Jᵀ K J)⁻¹ x after [`factorize_symmetric`](Self::factorize_symmetric).
    pub(crate) fn solve_symmetric(&mut self, x: &mut [f64]) {
        if self.is_dense {
            self.dense.solve_symmetric(x);
        } else {
            self.sparse.solve_symmetric(x);
        }
    }

    /// Factorises A + Jᵀ K J with any K; `false` when it is singular.
    pub(crate) fn factorize_general(
        &mut self,
        rows: &JointRows,
        active: &[usize],
        stiffness: &[Matrix3<f64>],
    ) -> bool {
        if self.is_dense {
            self.dense.factorize_general(rows, active, stiffness)
        } else {
            self.sparse.factorize_general(rows, active, stiffness)
        }
    }

    /// x ← (A + Jᵀ K J)⁻¹ x after [`factorize_general`](Self::factorize_general).
    pub(crate) fn solve_general(&mut self, x: &mut [f64]) {
        if self.is_dense {
            self.dense.solve_general(x);
        } else {
            self.sparse.solve_general(x);
        }
    }

    /// Whether det(A + Jᵀ K J) > 0, after [`factorize_impulses`](Self::factorize_impulses).
    pub(crate) fn is_determinant_positive(&self) -> bool {
        if self.is_condensed {
            self.condensed.is_determinant_positive()
        } else if self.is_dense {
            self.dense.is_determinant_positive()
        } else {
            self.sparse.is_determinant_positive()
        }
    }
}

/// Which part of Jᵀ K J is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Blocks on and below the diagonal.
    Lower,
    All,
}

/// Calls `add(a, b, J_a, K J_b, rows)` for every pair of segments of the active constraints whose K
/// is not zero: the block of rows a and columns b of Jᵀ K J is J_aᵀ (K J_b).
fn for_each_block(
    rows: &JointRows,
    active: &[usize],
    stiffness: &[Matrix3<f64>],
    part: Part,
    product: &mut Vec<f64>,
    mut add: impl FnMut(usize, &Segment, &Segment, &[f64], &[f64]),
) {
    for &constraint in active {
        let k = &stiffness[constraint];
        if *k == Matrix3::zeros() {
            continue;
        }
        let segments = rows.segments(constraint);
        for (at, b) in segments.iter().enumerate() {
            multiply(
                k,
                rows.rows(constraint),
                rows.values(constraint, b),
                b.len,
                product,
            );
            let first = if part == Part::Lower { at } else { 0 };
            for a in &segments[first..] {
                add(constraint, a, b, rows.values(constraint, a), product);
            }
        }
    }
}

/// product = K J for the rows of one constraint, by rows.
#[inline]
fn multiply(k: &Matrix3<f64>, rows: usize, values: &[f64], len: usize, product: &mut Vec<f64>) {
    product.resize(rows * len, 0.0);
    if let (Ok(values), Ok(product)) = (
        <&[f64; 18]>::try_from(values),
        <&mut [f64; 18]>::try_from(product.as_mut_slice()),
    ) && rows == 3
    {
        for i in 0..3 {
            let (k0, k1, k2) = (k[(i, 0)], k[(i, 1)], k[(i, 2)]);
            for c in 0..6 {
                product[6 * i + c] = k0 * values[c] + k1 * values[6 + c] + k2 * values[12 + c];
            }
        }
    } else if rows == 3 {
        let (j0, rest) = values.split_at(len);
        let (j1, j2) = rest.split_at(len);
        for (i, out) in product.chunks_exact_mut(len).enumerate() {
            let (k0, k1, k2) = (k[(i, 0)], k[(i, 1)], k[(i, 2)]);
            for c in 0..len {
                out[c] = k0 * j0[c] + k1 * j1[c] + k2 * j2[c];
            }
        }
    } else {
        for (i, out) in product.chunks_exact_mut(len).enumerate() {
            out.fill(0.0);
            for (j, row) in values.chunks_exact(len).enumerate() {
                for (o, value) in out.iter_mut().zip(row) {
                    *o += k[(i, j)] * value;
                }
            }
        }
    }
}
