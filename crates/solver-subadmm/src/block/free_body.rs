//! A free body: 6×6, inverted explicitly.

use nalgebra::{Cholesky, Matrix6, Vector6};
use stiction_constraints::JointRows;

use super::body_matrices::add_square;
use super::{combine, for_each_fold_entry};
use crate::fold::Fold;
use crate::lanes::Lanes;
use crate::layout::{BlockLayout, Layout};
use crate::sweep::Spatial;

#[derive(Debug, Default)]
pub(crate) struct FreeBodyBlock {
    base: Matrix6<f64>,
    weighted: Matrix6<f64>,
    inverse: Matrix6<f64>,
}

impl FreeBodyBlock {
    pub(super) fn set_base(&mut self, inertia: &Matrix6<f64>) {
        self.base = *inertia;
        self.weighted = Matrix6::zeros();
    }

    pub(super) fn add_fold(&mut self, joint_rows: &JointRows, block: &BlockLayout, fold: &Fold) {
        for_each_fold_entry(
            joint_rows,
            block,
            fold.constraint,
            fold.damping,
            |row, column, value| {
                self.base[(row, column)] += value;
                if row != column {
                    self.base[(column, row)] += value;
                }
            },
        );
    }

    pub(super) fn weigh(&mut self, layout: &Layout, block: &BlockLayout, penalty: &[f64]) {
        let mut weighted = [Spatial::ZERO; 6];
        for slot in block.on_bodies() {
            add_square(
                &mut weighted,
                layout.body_columns(block, slot),
                penalty[slot],
            );
        }
        for number in block.on_dofs() {
            let slot = &layout.slots[number];
            let mut columns = [Lanes::ZERO; 6];
            for run in layout.runs(slot) {
                columns[run.first..run.first + run.len].copy_from_slice(layout.run_columns(run));
            }
            add_square(&mut weighted, &columns, penalty[number]);
        }
        self.weighted = Matrix6::from_fn(|i, j| weighted[j].0[i]);
    }

    pub(super) fn factorize(&mut self, scale: f64) -> Result<(), ()> {
        let matrix = combine(&self.base, &self.weighted, scale);
        self.inverse = Cholesky::new(matrix).ok_or(())?.inverse();
        Ok(())
    }

    #[inline]
    pub(crate) fn solve_in_place(&self, x: &mut [f64]) {
        x.copy_from_slice((self.inverse * Vector6::from_column_slice(x)).as_slice());
    }
}
