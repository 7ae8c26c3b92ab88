//! v̂ = A⁻¹(b + Jᵀλ) in twice the precision, for impulses whose rounding might hide a violation.

use twofloat::TwoFloat;

use crate::factor::DynamicsMatrix;
use crate::joint_rows::JointRows;
use crate::problem::Problem;

/// Corrections of v̂: each gains as many digits as the factor of A has.
const CORRECTIONS: usize = 3;

/// Buffers of the refinement.
#[derive(Debug, Default)]
pub(super) struct Careful {
    right_hand_side: Vec<TwoFloat>,
    residual: Vec<TwoFloat>,
    velocity: Vec<TwoFloat>,
    correction: Vec<f64>,
}

impl Careful {
    /// Refines v̂ and J v̂ of λ, starting from v̂ in 64-bit numbers.
    pub(super) fn refine(
        &mut self,
        problem: &Problem,
        dynamics: &mut DynamicsMatrix,
        rows: &JointRows,
        lambda: &[f64],
        velocity: &mut [f64],
        row_velocity: &mut [f64],
    ) {
        self.right_hand_side.clear();
        self.right_hand_side
            .extend(problem.b().iter().map(|&value| TwoFloat::from(value)));
        self.add_impulses(rows, lambda);
        self.velocity.clear();
        self.velocity
            .extend(velocity.iter().map(|&value| TwoFloat::from(value)));
        for _ in 0..CORRECTIONS {
            self.update_residual(dynamics);
            self.correction.clear();
            self.correction
                .extend(self.residual.iter().map(|&value| f64::from(value)));
            dynamics.solve_in_place(&mut self.correction);
            for (velocity, &correction) in self.velocity.iter_mut().zip(&self.correction) {
                *velocity += correction;
            }
        }
        for (out, &value) in velocity.iter_mut().zip(&self.velocity) {
            *out = f64::from(value);
        }
        self.write_row_velocity(rows, row_velocity);
    }

    /// right-hand side += Jᵀ λ.
    fn add_impulses(&mut self, rows: &JointRows, lambda: &[f64]) {
        let mut first_row = 0;
        for constraint in 0..rows.constraint_count() {
            let count = rows.rows(constraint);
            for segment in rows.segments(constraint) {
                let values = rows.values(constraint, segment).chunks_exact(segment.len);
                for (row, &impulse) in values.zip(&lambda[first_row..first_row + count]) {
                    for (value, out) in row
                        .iter()
                        .zip(&mut self.right_hand_side[segment.first_dof..])
                    {
                        *out += TwoFloat::new_mul(*value, impulse);
                    }
                }
            }
            first_row += count;
        }
    }

    /// residual = right-hand side − A v̂.
    fn update_residual(&mut self, dynamics: &DynamicsMatrix) {
        let Self {
            right_hand_side,
            residual,
            velocity,
            ..
        } = self;
        residual.clone_from(right_hand_side);
        dynamics.for_each_lower_entry(|row, column, value| {
            residual[row] -= velocity[column] * value;
            if row != column {
                residual[column] -= velocity[row] * value;
            }
        });
    }

    fn write_row_velocity(&self, rows: &JointRows, out: &mut [f64]) {
        let mut first_row = 0;
        for constraint in 0..rows.constraint_count() {
            let count = rows.rows(constraint);
            for row in 0..count {
                let mut sum = TwoFloat::from(0.0);
                for segment in rows.segments(constraint) {
                    let values = rows.values(constraint, segment);
                    let values = &values[row * segment.len..(row + 1) * segment.len];
                    for (&value, &velocity) in
                        values.iter().zip(&self.velocity[segment.first_dof..])
                    {
                        sum += velocity * value;
                    }
                }
                out[first_row + row] = f64::from(sum);
            }
            first_row += count;
        }
    }
}
