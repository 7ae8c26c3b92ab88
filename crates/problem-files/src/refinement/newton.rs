//! Newton on the natural map against W as given: the last refinement of a local problem.
//!
//! The fixed point on q contracts only while W − L Lᵀ is small against the smallest eigenvalues
//! that matter. From an answer to the symmetric part, which is a very good start, a
//! Levenberg–Marquardt Newton on
//!
//! F(r) = r − P_K(r − ρ (u + μ‖u_t‖ n)),  u = W r + q,
//!
//! needs a few steps whatever the spectrum, and does not mind a singular W. It is dense, so it is
//! for problems of moderate size.

use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use stiction_constraints::factor::DenseFactor;
use stiction_constraints::{Budget, Residuals, Stopwatch, cone};

use crate::csc_matrix::CscMatrix;
use crate::reduction::ReducedLocal;

/// Largest number of rows: the matrix of a step is dense.
const MOST_ROWS: usize = 1200;
const MOST_STEPS: usize = 40;
/// Damping relative to the size of F, cut after full steps and raised after failed ones.
const FIRST_DAMPING: f64 = 1e-2;
const LARGEST_DAMPING: f64 = 1e6;

/// Improves `reaction` (t1, t2, n) until the criterion is met or no step helps. Returns the number
/// of steps; the result is never worse than the start.
pub(crate) fn refine(
    reduced: &ReducedLocal,
    budget: &Budget,
    clock: &Stopwatch,
    reaction: &mut [f64],
) -> usize {
    let n = reaction.len();
    if n == 0 || n > MOST_ROWS {
        return 0;
    }
    let map = NaturalMap::new(reduced);
    let residual = |r: &[f64]| {
        let mut residuals = Residuals::default();
        reduced.measure(r, &mut residuals);
        residuals.of(budget.criterion)
    };
    let mut r = DVector::from_column_slice(reaction);
    let mut f = map.value(&r);
    let mut best = residual(reaction);
    let mut damping = FIRST_DAMPING;
    let mut factor = DenseFactor::default();
    for step in 0..MOST_STEPS {
        if best <= budget.tolerance || clock.is_spent() {
            return step;
        }
        let jacobian = map.jacobian(&r);
        let gradient = jacobian.tr_mul(&f);
        let normal = jacobian.transpose() * &jacobian;
        let size = (f.norm() / r.norm().max(f64::MIN_POSITIVE)).min(1.0);
        let mut is_moved = false;
        while !is_moved && damping <= LARGEST_DAMPING {
            let mut matrix = normal.clone();
            for i in 0..n {
                matrix[(i, i)] += damping * size + f64::EPSILON;
            }
            if factor.update(&matrix).is_ok() {
                let mut direction: Vec<f64> = gradient.iter().map(|g| -g).collect();
                factor.solve_in_place(&mut direction);
                let direction = DVector::from_vec(direction);
                is_moved = shorten(&map, &mut r, &mut f, &direction, &mut damping);
            }
            if !is_moved {
                damping *= 10.0;
            }
        }
        if !is_moved {
            return step;
        }
        let reached = residual(r.as_slice());
        if reached < best {
            best = reached;
            reaction.copy_from_slice(r.as_slice());
        }
    }
    MOST_STEPS
}

/// Takes the first of the steps 1, ½, ¼ … that reduces ‖F‖; a full one lowers the damping.
fn shorten(
    map: &NaturalMap<'_>,
    r: &mut DVector<f64>,
    f: &mut DVector<f64>,
    direction: &DVector<f64>,
    damping: &mut f64,
) -> bool {
    let before = f.norm();
    let mut length = 1.0;
    for _ in 0..8 {
        let candidate = &*r + direction * length;
        let value = map.value(&candidate);
        if value.norm() < (1.0 - 1e-4 * length) * before {
            (*r, *f) = (candidate, value);
            if length == 1.0 {
                *damping = (*damping / 10.0).max(1e-14);
            }
            return true;
        }
        length *= 0.5;
    }
    false
}

struct NaturalMap<'a> {
    reduced: &'a ReducedLocal,
    /// Rows of W.
    rows: CscMatrix,
    /// ρ of each contact: the inverse of the mean diagonal of its block of W.
    scale: Vec<f64>,
}

impl<'a> NaturalMap<'a> {
    fn new(reduced: &'a ReducedLocal) -> Self {
        let scale = (reduced.delassus.diagonal().chunks_exact(3))
            .map(|d| 3.0 / (d[0] + d[1] + d[2]))
            .map(|rho| {
                if rho.is_finite() && rho > 0.0 {
                    rho
                } else {
                    1.0 / reduced.meter.mean_diagonal
                }
            })
            .collect();
        Self {
            reduced,
            rows: reduced.delassus.transpose(),
            scale,
        }
    }

    /// r − ρ (u + μ‖u_t‖ n) of one contact.
    fn argument(&self, contact: usize, r: &[f64], u: &[f64]) -> Vector3<f64> {
        let range = 3 * contact..3 * contact + 3;
        let mut s = Vector3::from_column_slice(&u[range.clone()]);
        s.z += self.reduced.meter.friction[contact] * s.x.hypot(s.y);
        Vector3::from_column_slice(&r[range]) - s * self.scale[contact]
    }

    fn value(&self, r: &DVector<f64>) -> DVector<f64> {
        let u = self.reduced.velocity(r.as_slice());
        let mut out = r.clone();
        for contact in 0..self.scale.len() {
            let x = self.argument(contact, r.as_slice(), &u);
            let nearest = cone::project(&x, self.reduced.meter.friction[contact]);
            for k in 0..3 {
                out[3 * contact + k] -= nearest[k];
            }
        }
        out
    }

    /// ∂F/∂r: (I − D) on the diagonal plus ρ D T W, with D the derivative of the projection and
    /// T that of the De Saxcé shift.
    fn jacobian(&self, r: &DVector<f64>) -> DMatrix<f64> {
        let u = self.reduced.velocity(r.as_slice());
        let mut out = DMatrix::zeros(r.len(), r.len());
        for contact in 0..self.scale.len() {
            let friction = self.reduced.meter.friction[contact];
            let x = self.argument(contact, r.as_slice(), &u);
            let (_, derivative) = cone::project_derivative(&x, friction);
            let slip = u[3 * contact].hypot(u[3 * contact + 1]);
            let mut shift = Matrix3::identity();
            if slip > 0.0 {
                shift[(2, 0)] = friction * u[3 * contact] / slip;
                shift[(2, 1)] = friction * u[3 * contact + 1] / slip;
            }
            let product = derivative * shift * self.scale[contact];
            for k in 0..3 {
                for (column, value) in self.rows.column(3 * contact + k) {
                    for row in 0..3 {
                        out[(3 * contact + row, column)] += product[(row, k)] * value;
                    }
                }
                for row in 0..3 {
                    let unit = if row == k { 1.0 } else { 0.0 };
                    out[(3 * contact + row, 3 * contact + k)] += unit - derivative[(row, k)];
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LocalProblem, Origin};
    use stiction_constraints::Criterion;

    fn asymmetric() -> ReducedLocal {
        let w = |i: usize, j: usize| {
            let symmetric = if i == j {
                2.0
            } else {
                0.3 / (1.0 + i.abs_diff(j) as f64)
            };
            symmetric + 0.01 * (i as f64 - j as f64)
        };
        let entries: Vec<_> = (0..36).map(|k| (k / 6, k % 6, w(k / 6, k % 6))).collect();
        let q = vec![-1.0, 0.9, 0.1, -0.5, 0.1, -0.05];
        let w = CscMatrix::from_entries(6, 6, &entries).unwrap();
        LocalProblem::new(Origin::named("x"), vec![0.4, 0.8], w, q)
            .unwrap()
            .reduce()
            .unwrap()
    }

    #[test]
    fn jacobian_matches_differences() {
        let reduced = asymmetric();
        let map = NaturalMap::new(&reduced);
        let r = DVector::from_vec(vec![-0.2, 0.1, 0.5, 0.05, -0.1, 0.3]);
        let jacobian = map.jacobian(&r);
        for column in 0..6 {
            let mut step = DVector::zeros(6);
            step[column] = 1e-6;
            let difference = (map.value(&(&r + &step)) - map.value(&(&r - &step))) / 2e-6;
            assert!((difference - jacobian.column(column)).amax() < 1e-8);
        }
    }

    #[test]
    fn an_asymmetric_problem_is_solved_from_nothing() {
        let reduced = asymmetric();
        let budget = Budget {
            criterion: Criterion::Natural,
            tolerance: 1e-12,
            ..Budget::default()
        };
        let mut r = vec![0.0; 6];
        let steps = refine(&reduced, &budget, &Stopwatch::start(&budget), &mut r);
        let mut residuals = Residuals::default();
        reduced.measure(&r, &mut residuals);
        assert!(
            residuals.of(Criterion::Natural) <= 1e-12,
            "{residuals:?} after {steps}"
        );
        assert!(r[2] > 0.0 && r[5] > 0.0);
    }
}
