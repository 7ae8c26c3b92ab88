//! What products with A can do at best: the ends of the spectrum of P⁻¹A, P = diag A, and what follows from them.

use stiction_constraints::{DynamicsMatrix, Failure, Problem};

/// Power iterations for either end.
const ITERATIONS: usize = 60;

/// The ends of the spectrum of P⁻¹A.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spectrum {
    pub(super) smallest: f64,
    pub(super) largest: f64,
}

impl Spectrum {
    /// Of the A of a problem, without virtual nodes.
    pub(super) fn of(problem: &Problem) -> Result<Self, Failure> {
        let mut matrix = DynamicsMatrix::default();
        matrix.update(problem)?;
        let mut diagonal = vec![1.0; problem.dof_count()];
        matrix.for_each_lower_entry(|row, column, value| {
            if row == column {
                diagonal[row] = value;
            }
        });
        let mut image = vec![0.0; diagonal.len()];
        let largest = power(&diagonal, |x| {
            matrix.mul(x, &mut image);
            for ((x, image), own) in x.iter_mut().zip(&image).zip(&diagonal) {
                *x = image / own;
            }
        });
        let inverse = power(&diagonal, |x| {
            for (x, own) in x.iter_mut().zip(&diagonal) {
                *x *= own;
            }
            matrix.solve_in_place(x);
        });
        Ok(Self {
            smallest: 1.0 / inverse,
            largest,
        })
    }

    /// Iterations by which the best polynomial for a spectrum with these ends, Chebyshev's, brings an error of size `from` below
    /// `to`: 2 ((√κ − 1)/(√κ + 1))ⁿ `from` ≤ `to`.
    pub(super) fn iterations(&self, from: f64, to: f64) -> f64 {
        let root = (self.largest / self.smallest).sqrt();
        ((2.0 * from / to).ln() / ((root + 1.0) / (root - 1.0)).ln()).max(0.0)
    }
}

/// The largest eigenvalue of a map that is symmetric in the metric of `diagonal`.
fn power(diagonal: &[f64], mut apply: impl FnMut(&mut [f64])) -> f64 {
    // Any start that is not at right angles to the vector sought.
    let mut x: Vec<f64> = (0..diagonal.len())
        .map(|i| 1.0 + 0.3 * ((i * 7919) % 13) as f64 - 0.7 * ((i * 104_729) % 7) as f64)
        .collect();
    let norm = |x: &[f64]| {
        let squares = x.iter().zip(diagonal).map(|(x, own)| own * x * x);
        squares.sum::<f64>().sqrt()
    };
    let mut size = 0.0;
    for _ in 0..ITERATIONS {
        let before = norm(&x);
        x.iter_mut().for_each(|x| *x /= before);
        apply(&mut x);
        size = norm(&x);
    }
    size
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_constraints::nalgebra::DMatrix;

    #[test]
    fn ends_and_iterations_of_a_matrix_that_is_known() {
        let mut problem = Problem::default();
        let matrix = DMatrix::from_row_slice(3, 3, &[2.0, 1.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 5.0]);
        problem.push_dense(matrix, &[0.0; 3]).unwrap();
        // P⁻¹A has the eigenvalues 1/2, 3/2 and 1.
        let ends = Spectrum::of(&problem).unwrap();
        assert!((ends.smallest - 0.5).abs() < 1e-9 && (ends.largest - 1.5).abs() < 1e-9);
        // (√3 − 1)/(√3 + 1) = 0.268 an iteration.
        let root = 3.0_f64.sqrt();
        let rate = (root - 1.0) / (root + 1.0);
        let wanted = (1e-6_f64 / 2.0).ln() / rate.ln();
        assert!((ends.iterations(1.0, 1e-6) - wanted).abs() < 1e-6);
    }
}
