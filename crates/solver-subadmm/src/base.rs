//! A with the folded soft constraints in it, solved exactly: what residuals are measured with.

use stiction_constraints::{Failure, Problem, ResidualEvaluator};

use crate::block::{self, Block};
use crate::fold::Folds;
use crate::layout::Layout;
use crate::settings::TreeMethod;

/// A + Σ c JᵀJ, factorised where there is something folded; elsewhere it is A, which the evaluator
/// has factorised already.
#[derive(Debug, Default)]
pub(crate) struct Base {
    blocks: Vec<Block>,
}

impl Base {
    pub(crate) fn update(
        &mut self,
        problem: &Problem,
        layout: &Layout,
        folds: &Folds,
        evaluator: &ResidualEvaluator,
    ) -> Result<(), Failure> {
        if folds.is_empty() {
            return Ok(());
        }
        let (dynamics, rows) = evaluator.matrices();
        block::set_bases(
            &mut self.blocks,
            problem,
            layout,
            TreeMethod::Factorization,
            dynamics,
            rows,
            folds,
        );
        for (index, block) in self.blocks.iter_mut().enumerate() {
            if folds.touches(index) {
                block
                    .factorize(problem, index, 0.0)
                    .map_err(|()| Failure::NotPositiveDefinite { subsystem: index })?;
            }
        }
        Ok(())
    }

    /// x ← (A_j + Σ c JᵀJ)⁻¹ x for one block.
    pub(crate) fn solve_block(
        &mut self,
        problem: &Problem,
        folds: &Folds,
        evaluator: &mut ResidualEvaluator,
        layout: &Layout,
        index: usize,
        x: &mut [f64],
    ) {
        if folds.touches(index) {
            self.blocks[index].solve_in_place(problem, index, x);
        } else if layout.is_split() {
            evaluator.dynamics().solve_subsystem_in_place(index, x);
        } else {
            evaluator.dynamics().solve_in_place(x);
        }
    }

    /// v̂ = (A + Σ c JᵀJ)⁻¹ (b − Σ k Jᵀe + Jᵀλ), λ zero in folded rows.
    pub(crate) fn velocity_of(
        &mut self,
        problem: &Problem,
        layout: &Layout,
        folds: &Folds,
        evaluator: &mut ResidualEvaluator,
        impulse: &[f64],
        velocity: &mut [f64],
    ) {
        velocity.copy_from_slice(&folds.right_hand_side);
        evaluator.rows().mul_transpose_add(impulse, velocity);
        for (index, block) in layout.blocks.iter().enumerate() {
            let part = &mut velocity[block.first_dof..block.dof_end];
            self.solve_block(problem, folds, evaluator, layout, index, part);
        }
    }
}
