//! What a sweep needs of one constraint, side by side in memory.

use nalgebra::{Matrix3, Vector3};
use stiction_constraints::cone::Pyramid;
use stiction_constraints::{Delassus, Law, Problem};

use crate::settings::{JacobiStep, Method, PgsSettings};

/// One constraint as a sweep sees it.
#[derive(Debug, Clone)]
pub(crate) struct Local {
    pub(crate) law: Law,
    pub(crate) error: Vector3<f64>,
    pub(crate) rows: usize,
    pub(crate) first_row: usize,
    /// G_ii, in 1/kg.
    pub(crate) block: Matrix3<f64>,
    /// Compliance R of the rows in 1/kg; zero except for compliant contacts.
    pub(crate) compliance: Vector3<f64>,
    /// Step of each row in kg, relaxation included.
    pub(crate) step: Vector3<f64>,
    /// (G_ii + R)⁻¹ for the bisection.
    pub(crate) inverse: Matrix3<f64>,
    /// The friction pyramid of [`Method::Lcp`].
    pub(crate) pyramid: Pyramid,
}

/// A diagonal entry below this share of its block's trace is rounding: the row moves nothing.
const IMMOVABLE: f64 = 1e-14;

impl Local {
    pub(crate) fn new(
        problem: &Problem,
        index: usize,
        delassus: &Delassus,
        effective_mass: f64,
        settings: &PgsSettings,
    ) -> Self {
        let constraint = &problem.constraints()[index];
        let block = delassus.diagonal_block(index);
        let compliance = match constraint.law {
            Law::CompliantContact {
                tangential_compliance,
                normal_compliance,
                ..
            } => Vector3::new(
                tangential_compliance,
                tangential_compliance,
                normal_compliance,
            ),
            _ => Vector3::zeros(),
        };
        let mut local = Self {
            law: constraint.law,
            error: constraint.load(problem.errors()),
            rows: constraint.rows,
            first_row: constraint.first_row,
            block,
            compliance,
            step: Vector3::zeros(),
            inverse: Matrix3::zeros(),
            pyramid: settings.pyramid,
        };
        let curvature = local.curvature(index, delassus, settings);
        let floor = IMMOVABLE * (block.trace() + compliance.sum());
        // A row that moves nothing gets the step of the evaluator's convention.
        local.step = curvature.map(|value| {
            let step = if value > floor {
                1.0 / value
            } else {
                effective_mass
            };
            settings.relaxation * step
        });
        if settings.method == Method::Raisim && constraint.law.is_contact() {
            local.inverse = regular_inverse(&(block + Matrix3::from_diagonal(&compliance)));
        }
        local
    }

    /// One over the step of each row, relaxation left out.
    fn curvature(&self, index: usize, delassus: &Delassus, settings: &PgsSettings) -> Vector3<f64> {
        let mut diagonal = self.block.diagonal();
        if settings.method == Method::Jacobi && settings.jacobi_step == JacobiStep::RowSum {
            for row in 0..self.rows {
                let values = delassus.row_values(index, row);
                diagonal[row] = values.iter().map(|value| value.abs()).sum();
            }
        }
        diagonal += self.compliance;
        if !self.law.is_contact() {
            return diagonal;
        }
        match settings.method {
            // [CMC, Alg. 5, line 5] divides by the smaller of the two tangential entries, which
            // overshoots when they differ: the larger one is meant.
            Method::Ncp | Method::ConjugateGradient | Method::Jacobi => {
                let tangential = diagonal.x.max(diagonal.y);
                Vector3::new(tangential, tangential, diagonal.z)
            }
            // [CMC, Alg. 2, line 3] steps by 3/trace, which can exceed 1/λmax: no descent then.
            Method::Ccp => {
                let full = self.block + Matrix3::from_diagonal(&self.compliance);
                Vector3::repeat(full.symmetric_eigenvalues().max())
            }
            // A turned polygon takes one step for both tangential rows, which must not overshoot.
            Method::Lcp if settings.pyramid != Pyramid::default() => {
                let mut tangential = self.block.fixed_view::<2, 2>(0, 0).into_owned();
                tangential[(0, 0)] = diagonal.x;
                tangential[(1, 1)] = diagonal.y;
                let largest = tangential.symmetric_eigenvalues().max();
                Vector3::new(largest, largest, diagonal.z)
            }
            Method::Lcp | Method::Raisim => diagonal,
        }
    }

    /// The velocity that the law is about, z + e + R λ.
    #[inline]
    pub(crate) fn law_velocity(&self, z: &Vector3<f64>, impulse: &Vector3<f64>) -> Vector3<f64> {
        z + self.error + self.compliance.component_mul(impulse)
    }

    /// Friction coefficients along t1 and t2; zero for laws without a cone.
    #[inline]
    pub(crate) fn friction(&self) -> [f64; 2] {
        self.law.friction().unwrap_or([0.0; 2])
    }

    #[inline]
    pub(crate) fn load(&self, stacked: &[f64]) -> Vector3<f64> {
        if self.rows == 3 {
            Vector3::from_column_slice(&stacked[self.first_row..self.first_row + 3])
        } else {
            let mut out = Vector3::zeros();
            out.as_mut_slice()[..self.rows]
                .copy_from_slice(&stacked[self.first_row..self.first_row + self.rows]);
            out
        }
    }

    #[inline]
    pub(crate) fn store(&self, value: &Vector3<f64>, stacked: &mut [f64]) {
        stacked[self.first_row..self.first_row + self.rows]
            .copy_from_slice(&value.as_slice()[..self.rows]);
    }
}

/// Inverse of a positive semidefinite block; where it is singular (a contact on fewer than three
/// degrees of freedom), of the block plus a hair of its trace.
fn regular_inverse(block: &Matrix3<f64>) -> Matrix3<f64> {
    let hair = 1e-12 * block.trace() / 3.0;
    let solid = nalgebra::Cholesky::new(*block).filter(|factor| {
        let diagonal = factor.l_dirty().diagonal();
        diagonal.min() * diagonal.min() > hair
    });
    solid
        .or_else(|| nalgebra::Cholesky::new(block + Matrix3::identity() * hair))
        .map_or_else(Matrix3::zeros, |factor| factor.inverse())
}
