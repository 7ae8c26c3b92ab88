//! Which Hessian of the elastic energy a step uses, by closed eigenpairs.
//!
//! The Hessian of an isotropic energy by F = U diag(s) Vᵀ falls apart into three blocks of 2×2 and one of
//! 3×3 (scaling: U e_i e_iᵀ Vᵀ). Each 2×2 block belongs to a pair (i, j) and couples the symmetric mode
//! U(e_i e_jᵀ + e_j e_iᵀ)Vᵀ/√2 and the twist U(e_i e_jᵀ − e_j e_iᵀ)Vᵀ/√2; for the true Hessian it is diagonal.

use nalgebra::linalg::SymmetricEigen;
use nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};

use super::material::{Law, Moduli, areas};

/// Which Hessian of the elastic energy A is made of. All but the last are positive semidefinite.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HessianPolicy {
    /// `psd`: negative eigenvalues of the true Hessian become zero. Robust for any deformation; brakes
    /// fast rotation.
    #[default]
    Psd,
    /// `K`: the stiffness at rest, turned with the element; twists cost nothing. Keeps rotation.
    #[serde(rename = "K")]
    CoRotated,
    /// `maj`: bounds the energy from above, so that steps lose energy for θ 0 and 1/2 alike. Stops
    /// rotation.
    #[serde(rename = "maj")]
    Majorizing,
    /// JᵀKJ of the strains S − I plus a constant matrix in place of the geometric stiffness
    /// ([COND, (8)], first policy): `rate` times the mass matrix.
    ConstantDamping {
        /// 1/s².
        rate: f64,
    },
    /// JᵀKJ of the strains S − I plus the diagonal matrix of the absolute column sums of each element's
    /// geometric stiffness ([COND, (8)], second policy).
    AbsoluteColumnSums,
    /// `exact`: the true Hessian, indefinite under compression; for comparison.
    Exact,
}

impl HessianPolicy {
    /// Its name in errors and reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Psd => "psd",
            Self::CoRotated => "K",
            Self::Majorizing => "maj",
            Self::ConstantDamping { .. } => "constant-damping",
            Self::AbsoluteColumnSums => "absolute-column-sums",
            Self::Exact => "exact",
        }
    }

    /// Whether it is known for the neo-Hookean energy too.
    pub(super) fn suits(&self, law: Law) -> bool {
        law == Law::Corotational || matches!(self, Self::Psd | Self::CoRotated | Self::Exact)
    }
}

/// The pairs of axes, and the axis that each leaves out.
pub(super) const PAIRS: [(usize, usize, usize); 3] = [(0, 1, 2), (0, 2, 1), (1, 2, 0)];

/// Sums of stretches below this have no twist of their own: the rotation is not defined there.
const NO_TWIST: f64 = 1e-9;

/// A Hessian by F in the principal axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Curvature {
    /// ∂²ψ/∂s_i ∂s_j, Pa.
    pub(crate) scaling: Matrix3<f64>,
    /// Blocks of the pairs.
    pub(crate) pairs: [PairBlock; 3],
}

/// The block [symmetric cross; cross twist], Pa.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PairBlock {
    pub(crate) symmetric: f64,
    pub(crate) cross: f64,
    pub(crate) twist: f64,
}

impl Moduli {
    /// The Hessian that a policy asks for, without what it adds to the diagonal of the element's matrix.
    pub(crate) fn curvature(&self, s: &Vector3<f64>, policy: HessianPolicy) -> Curvature {
        match self.law {
            Law::Corotational => self.corotational_curvature(s, policy),
            Law::NeoHookean => self.neo_hookean_curvature(s, policy),
        }
    }

    fn corotational_curvature(&self, s: &Vector3<f64>, policy: HessianPolicy) -> Curvature {
        let Self { mu, lambda, .. } = *self;
        let tau = s.sum() - 3.0;
        let pairs = PAIRS.map(|(i, j, _)| {
            let sum = s[i] + s[j];
            let is_defined = sum > NO_TWIST;
            let delta = (s[i] - s[j]) / sum.max(NO_TWIST);
            let exact = (2.0 * mu * (sum - 2.0) + 2.0 * lambda * tau) / sum.max(NO_TWIST);
            let (cross, twist) = match policy {
                HessianPolicy::Psd => (0.0, if is_defined { exact.max(0.0) } else { 0.0 }),
                HessianPolicy::CoRotated => (0.0, 0.0),
                HessianPolicy::Majorizing => {
                    let volumetric = 2.0 * lambda * tau / sum.max(NO_TWIST);
                    let volumetric = if is_defined { volumetric.max(0.0) } else { 0.0 };
                    (0.0, 2.0 * mu + volumetric)
                }
                HessianPolicy::ConstantDamping { .. } | HessianPolicy::AbsoluteColumnSums => {
                    (2.0 * mu * delta, 2.0 * mu * delta * delta)
                }
                HessianPolicy::Exact => (0.0, exact),
            };
            PairBlock {
                symmetric: 2.0 * mu,
                cross,
                twist,
            }
        });
        Curvature {
            scaling: Matrix3::identity() * (2.0 * mu) + Matrix3::repeat(lambda),
            pairs,
        }
    }

    /// The geometric stiffness of the strains S − I: what JᵀKJ leaves of the true Hessian.
    pub(crate) fn geometric_curvature(&self, s: &Vector3<f64>) -> Curvature {
        let whole = self.corotational_curvature(s, HessianPolicy::Exact);
        let part = self.corotational_curvature(s, HessianPolicy::AbsoluteColumnSums);
        let mut pairs = [PairBlock::default(); 3];
        for (pair, (whole, part)) in pairs.iter_mut().zip(whole.pairs.iter().zip(&part.pairs)) {
            pair.cross = -part.cross;
            pair.twist = whole.twist - part.twist;
        }
        Curvature {
            scaling: Matrix3::zeros(),
            pairs,
        }
    }

    fn neo_hookean_curvature(&self, s: &Vector3<f64>, policy: HessianPolicy) -> Curvature {
        let (mu, pressure, area) = (self.mu, self.pressure(s), areas(s));
        let mut scaling = area * area.transpose() * (self.lambda + mu);
        let mut pairs = [PairBlock::default(); 3];
        for (pair, (i, j, k)) in pairs.iter_mut().zip(PAIRS) {
            scaling[(i, j)] += pressure * s[k];
            scaling[(j, i)] += pressure * s[k];
            pair.symmetric = mu - pressure * s[k];
            pair.twist = mu + pressure * s[k];
        }
        scaling += Matrix3::identity() * mu;
        if policy != HessianPolicy::Exact {
            scaling = without_negative_eigenvalues(&scaling);
            for pair in &mut pairs {
                pair.symmetric = pair.symmetric.max(0.0);
                pair.twist = match policy {
                    HessianPolicy::CoRotated => 0.0,
                    _ => pair.twist.max(0.0),
                };
            }
        }
        Curvature { scaling, pairs }
    }
}

fn without_negative_eigenvalues(matrix: &Matrix3<f64>) -> Matrix3<f64> {
    // Bounded, so that numbers that are not finite cannot keep it busy; they are refused later.
    match SymmetricEigen::try_new(*matrix, f64::EPSILON, 64) {
        Some(eigen) => {
            let values = eigen.eigenvalues.map(|value| value.max(0.0));
            eigen.eigenvectors * Matrix3::from_diagonal(&values) * eigen.eigenvectors.transpose()
        }
        None => Matrix3::repeat(f64::NAN),
    }
}
