//! A assembled and factorised, block by block: products with A and with A⁻¹.

mod dense;
mod free_body;
mod gram;
mod reach;
mod sparse;
mod symbolic;
mod tree;
mod whole;

pub use dense::DenseFactor;
pub use free_body::FreeBodyFactor;
pub(crate) use gram::Gram;
pub use sparse::SparseFactor;
pub(crate) use symbolic::SymbolicFactor;
pub use tree::TreeFactor;
pub use whole::WholeMatrix;

use crate::problem::Problem;
use crate::solver::Failure;
use crate::subsystem::Subsystem;

/// One block of A with its factor.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "most blocks are free bodies, which stand side by side in memory"
)]
enum BlockFactor {
    FreeBody(FreeBodyFactor),
    Tree(TreeFactor),
    Sparse(SparseFactor),
    Dense(DenseFactor),
}

/// The dynamics matrix A of a problem, assembled and factorised block by block.
///
/// [`update`](Self::update) reuses all storage while the problem keeps its shape. Where subsystems come
/// and go, every subsystem gets the storage of one of its kind that stood at its place or after it;
/// that of a sparse one goes by its [pattern](crate::SparsePattern), which also keeps what was found
/// out about it, so that no pattern is analysed twice.
#[derive(Debug, Default)]
pub struct DynamicsMatrix {
    blocks: Vec<BlockFactor>,
    dof_start: Vec<usize>,
}

impl DynamicsMatrix {
    /// Assembles and factorises A. Allocates only when the shape of the problem changed.
    ///
    /// # Errors
    /// A block that is not positive definite.
    pub fn update(&mut self, problem: &Problem) -> Result<(), Failure> {
        self.dof_start.clear();
        self.dof_start.extend_from_slice(problem.dof_starts());
        self.blocks
            .reserve(problem.subsystems().len().saturating_sub(self.blocks.len()));
        let mut all = problem.subsystems().iter().enumerate();
        let outcome = all.try_for_each(|(index, subsystem)| {
            self.bring_forward(index, subsystem);
            self.blocks[index]
                .update(subsystem)
                .map_err(|()| Failure::NotPositiveDefinite { subsystem: index })
        });
        self.blocks.truncate(problem.subsystems().len());
        outcome
    }

    /// Puts a block in place whose storage suits a subsystem: the one that is there, else the next
    /// that suits, else a new one. Blocks that were left out stay behind it, for those that follow.
    fn bring_forward(&mut self, index: usize, subsystem: &Subsystem) {
        match self.blocks[index..]
            .iter()
            .position(|block| block.suits(subsystem))
        {
            Some(0) => {}
            Some(ahead) => self.blocks.swap(index, index + ahead),
            None => self.blocks.insert(index, BlockFactor::empty_for(subsystem)),
        }
    }

    /// Number of rows and columns.
    pub fn dimension(&self) -> usize {
        self.dof_start.last().copied().unwrap_or(0)
    }

    /// out = A v.
    pub fn mul(&self, v: &[f64], out: &mut [f64]) {
        for (block, window) in self.blocks.iter().zip(self.dof_start.windows(2)) {
            let range = window[0]..window[1];
            block.mul(&v[range.clone()], &mut out[range]);
        }
    }

    /// out −= A v, for checks of a solution rather than for iterations.
    pub(crate) fn subtract_product(&self, v: &[f64], out: &mut [f64]) {
        self.for_each_lower_entry(|row, column, value| {
            out[row] -= value * v[column];
            if row != column {
                out[column] -= value * v[row];
            }
        });
    }

    /// A bound on the relative error of solving with A, from the pivots alone.
    pub(crate) fn error_bound(&self) -> f64 {
        let mut largest: f64 = 1.0;
        for (block, dofs) in self.blocks.iter().zip(self.dof_start.windows(2)) {
            let ratio = match block {
                BlockFactor::FreeBody(factor) => factor.largest_pivot_ratio(),
                BlockFactor::Tree(factor) => factor.largest_pivot_ratio(),
                BlockFactor::Dense(factor) => factor.largest_pivot_ratio(),
                BlockFactor::Sparse(factor) => factor.largest_pivot_ratio(),
            };
            // Each degree of freedom adds a rounding of its own, in either direction.
            largest = largest.max(ratio * ((dofs[1] - dofs[0]) as f64).sqrt());
        }
        f64::EPSILON * largest
    }

    /// x ← A⁻¹ x.
    pub fn solve_in_place(&mut self, x: &mut [f64]) {
        for subsystem in 0..self.blocks.len() {
            let range = self.dof_start[subsystem]..self.dof_start[subsystem + 1];
            self.solve_subsystem_in_place(subsystem, &mut x[range]);
        }
    }

    /// x ← A_j⁻¹ x for one subsystem.
    pub fn solve_subsystem_in_place(&mut self, subsystem: usize, x: &mut [f64]) {
        match &mut self.blocks[subsystem] {
            BlockFactor::FreeBody(factor) => factor.solve_in_place(x),
            BlockFactor::Tree(factor) => factor.solve_in_place(x),
            BlockFactor::Sparse(factor) => factor.solve_in_place(x),
            BlockFactor::Dense(factor) => factor.solve_in_place(x),
        }
    }

    /// Σ xᵀ A_j⁻¹ x over the four columns x of `columns`, for one subsystem and for the cost of half
    /// a solve where that is possible. `columns` may leave out degrees of freedom at the end where
    /// they are zero; it is overwritten, and `solved` is work space of the subsystem's size.
    pub(crate) fn inverse_norms_squared(
        &mut self,
        subsystem: usize,
        columns: &mut [[f64; 4]],
        solved: &mut [f64],
    ) -> f64 {
        match &mut self.blocks[subsystem] {
            BlockFactor::FreeBody(factor) => factor.inverse_norms_squared(columns),
            BlockFactor::Tree(factor) => factor.inverse_norms_squared(columns),
            BlockFactor::Sparse(factor) => factor.inverse_norms_squared(columns),
            BlockFactor::Dense(_) => {
                let mut sum = 0.0;
                for lane in 0..4 {
                    if columns.iter().all(|entry| entry[lane] == 0.0) {
                        continue;
                    }
                    solved.fill(0.0);
                    for (to, entry) in solved.iter_mut().zip(&*columns) {
                        *to = entry[lane];
                    }
                    self.solve_subsystem_in_place(subsystem, solved);
                    let products = solved.iter().zip(&*columns);
                    sum += products.map(|(a, entry)| a * entry[lane]).sum::<f64>();
                }
                sum
            }
        }
    }

    /// Whether one subsystem is sparse: [`gram`](Self::gram) is the way to many solves with it.
    pub(crate) fn is_sparse(&self, subsystem: usize) -> bool {
        matches!(self.blocks[subsystem], BlockFactor::Sparse(_))
    }

    /// Products of the columns of `gram` with A_j⁻¹ of a sparse subsystem.
    pub(crate) fn gram(&self, subsystem: usize, gram: &mut Gram) {
        if let BlockFactor::Sparse(factor) = &self.blocks[subsystem] {
            factor.gram(gram);
        }
    }

    /// Products of each column of `gram` with itself by A_j⁻¹ of a sparse subsystem.
    pub(crate) fn inverse_norms(&self, subsystem: usize, gram: &mut Gram) {
        if let BlockFactor::Sparse(factor) = &self.blocks[subsystem] {
            factor.inverse_norms(gram);
        }
    }

    /// Calls `visit(row, column, value)` for every stored entry of the lower triangle of A
    /// (row ≥ column, degrees of freedom of the whole problem), in a fixed order.
    pub fn for_each_lower_entry(&self, mut visit: impl FnMut(usize, usize, f64)) {
        for (block, &start) in self.blocks.iter().zip(&self.dof_start) {
            let shifted =
                |row: usize, column: usize, value| visit(start + row, start + column, value);
            match block {
                BlockFactor::FreeBody(factor) => factor.for_each_lower_entry(shifted),
                BlockFactor::Tree(factor) => factor.for_each_lower_entry(shifted),
                BlockFactor::Sparse(factor) => factor.for_each_lower_entry(shifted),
                BlockFactor::Dense(factor) => factor.for_each_lower_entry(shifted),
            }
        }
    }
}

impl BlockFactor {
    fn empty_for(subsystem: &Subsystem) -> Self {
        match subsystem {
            Subsystem::FreeBody(_) => Self::FreeBody(FreeBodyFactor::default()),
            Subsystem::Tree(_) => Self::Tree(TreeFactor::default()),
            Subsystem::Sparse(_) => Self::Sparse(SparseFactor::default()),
            Subsystem::Dense(_) => Self::Dense(DenseFactor::default()),
        }
    }

    /// Whether the block's storage is of use to a subsystem.
    fn suits(&self, subsystem: &Subsystem) -> bool {
        match (self, subsystem) {
            (Self::FreeBody(_), Subsystem::FreeBody(_))
            | (Self::Tree(_), Subsystem::Tree(_))
            | (Self::Dense(_), Subsystem::Dense(_)) => true,
            (Self::Sparse(factor), Subsystem::Sparse(matrix)) => factor.holds(matrix),
            _ => false,
        }
    }

    fn update(&mut self, subsystem: &Subsystem) -> Result<(), ()> {
        match (&mut *self, subsystem) {
            (Self::FreeBody(factor), Subsystem::FreeBody(inertia)) => factor.update(inertia),
            (Self::Tree(factor), Subsystem::Tree(tree)) => factor.update(tree),
            (Self::Sparse(factor), Subsystem::Sparse(matrix)) => factor.update(matrix),
            (Self::Dense(factor), Subsystem::Dense(matrix)) => factor.update(matrix),
            _ => {
                *self = Self::empty_for(subsystem);
                self.update(subsystem)
            }
        }
    }

    fn mul(&self, v: &[f64], out: &mut [f64]) {
        match self {
            Self::FreeBody(factor) => factor.mul(v, out),
            Self::Tree(factor) => factor.mul(v, out),
            Self::Sparse(factor) => factor.mul(v, out),
            Self::Dense(factor) => factor.mul(v, out),
        }
    }
}
