//! One linear tetrahedron: force and stiffness.

use nalgebra::{Matrix3, Vector3};

use super::material::Moduli;
use super::policy::{Curvature, HessianPolicy, PAIRS};
use super::svd::SignedSvd;

/// Blocks of the lower triangle of an element's 12×12 matrix.
pub(crate) const BLOCKS: usize = 10;

/// Place of the block of corners a ≥ b.
pub(crate) const fn block(a: usize, b: usize) -> usize {
    a * (a + 1) / 2 + b
}

/// A tetrahedron at rest.
#[derive(Debug, Clone)]
pub(crate) struct RestShape {
    /// Gradients of the shape functions of corners 1, 2, 3, 1/m; corner 0 has minus their sum.
    gradients: [Vector3<f64>; 3],
    /// m³.
    pub(crate) volume: f64,
    /// Sum of the lengths of all four gradients, 1/m.
    gradient_sum: f64,
}

impl RestShape {
    /// `None` for a shape too thin to be inverted.
    pub(crate) fn new(corners: &[Vector3<f64>; 4]) -> Option<Self> {
        let [a, b, c, d] = corners;
        let edges = Matrix3::from_columns(&[b - a, c - a, d - a]);
        let inverse = edges.try_inverse()?;
        let gradients = [0, 1, 2].map(|row| inverse.row(row).transpose());
        let volume = edges.determinant() / 6.0;
        let [p, q, r] = &gradients;
        let gradient_sum = p.norm() + q.norm() + r.norm() + (p + q + r).norm();
        let is_whole = volume > 0.0 && volume.is_finite() && gradient_sum.is_finite();
        is_whole.then_some(Self {
            gradients,
            volume,
            gradient_sum,
        })
    }

    /// F from where the corners are.
    pub(crate) fn deformation(&self, corners: &[Vector3<f64>; 4]) -> Matrix3<f64> {
        let mut f = Matrix3::zeros();
        for (gradient, corner) in self.gradients.iter().zip(&corners[1..]) {
            f += (corner - corners[0]) * gradient.transpose();
        }
        f
    }

    /// Elastic energy, J, of principal stretches, and how much of it rounding of positions of size
    /// `reach`, m, may move.
    pub(crate) fn energy(&self, moduli: &Moduli, s: &Vector3<f64>, reach: f64) -> (f64, f64) {
        let pull = moduli.stress(s).norm() * self.gradient_sum;
        (
            self.volume * moduli.energy(s),
            self.volume * pull * reach * f64::EPSILON,
        )
    }

    /// Force of the element on its corners, N.
    pub(crate) fn forces(&self, moduli: &Moduli, svd: &SignedSvd) -> [Vector3<f64>; 4] {
        let stress = Matrix3::from_diagonal(&moduli.stress(&svd.s));
        let stress = svd.u * stress * svd.v.transpose() * -self.volume;
        let [b, c, d] = [0, 1, 2].map(|k| stress * self.gradients[k]);
        // The four add up to nothing whatever is rounded.
        [-(b + c + d), b, c, d]
    }

    /// The element's stiffness that a policy asks for, N/m; `mass` is that of the element, kg.
    pub(crate) fn stiffness(
        &self,
        moduli: &Moduli,
        svd: &SignedSvd,
        policy: HessianPolicy,
        mass: f64,
    ) -> [Matrix3<f64>; BLOCKS] {
        let mut blocks = self.blocks(svd, &moduli.curvature(&svd.s, policy));
        match policy {
            HessianPolicy::AbsoluteColumnSums => {
                let geometric = self.blocks(svd, &moduli.geometric_curvature(&svd.s));
                for a in 0..4 {
                    let mut sums = Vector3::zeros();
                    for b in 0..4 {
                        let part = geometric[block(a.max(b), a.min(b))];
                        // Columns of corner a: the stored block has them as rows where b < a.
                        let part = if b >= a { part } else { part.transpose() };
                        sums += part.abs().row_sum().transpose();
                    }
                    blocks[block(a, a)] += Matrix3::from_diagonal(&sums);
                }
            }
            HessianPolicy::ConstantDamping { rate } => {
                for a in 0..4 {
                    blocks[block(a, a)] += Matrix3::identity() * (0.25 * mass * rate);
                }
            }
            _ => {}
        }
        blocks
    }

    /// V Bᵀ H B of a Hessian by F, B being dF by the corners.
    fn blocks(&self, svd: &SignedSvd, curvature: &Curvature) -> [Matrix3<f64>; BLOCKS] {
        let gradients = self.gradients.map(|gradient| svd.v.tr_mul(&gradient));
        let mut blocks = [Matrix3::zeros(); BLOCKS];
        for a in 0..3 {
            for b in 0..=a {
                let principal = principal_block(&gradients[a], &gradients[b], curvature);
                let turned = svd.u * principal * svd.u.transpose();
                blocks[block(a + 1, b + 1)] = turned * self.volume;
            }
        }
        // Corner 0: moving all four costs nothing.
        for a in 1..4 {
            let mut sum = Matrix3::zeros();
            for b in 1..4 {
                let part = blocks[block(a.max(b), a.min(b))];
                sum += if b <= a { part } else { part.transpose() };
            }
            blocks[block(a, 0)] = -sum;
            blocks[0] += sum;
        }
        blocks
    }
}

/// The block of two corners with gradients g and h in the principal axes.
fn principal_block(g: &Vector3<f64>, h: &Vector3<f64>, curvature: &Curvature) -> Matrix3<f64> {
    let mut block = (g * h.transpose()).component_mul(&curvature.scaling);
    for (pair, (i, j, _)) in curvature.pairs.iter().zip(PAIRS) {
        let mean = 0.5 * (pair.symmetric + pair.twist);
        let half_difference = 0.5 * (pair.symmetric - pair.twist);
        block[(i, i)] += (mean + pair.cross) * g[j] * h[j];
        block[(j, j)] += (mean - pair.cross) * g[i] * h[i];
        block[(i, j)] += half_difference * g[j] * h[i];
        block[(j, i)] += half_difference * g[i] * h[j];
    }
    block
}

/// H w of an element.
pub(crate) fn multiply(
    blocks: &[Matrix3<f64>; BLOCKS],
    w: &[Vector3<f64>; 4],
) -> [Vector3<f64>; 4] {
    let mut out = [Vector3::zeros(); 4];
    for a in 0..4 {
        out[a] += blocks[block(a, a)] * w[a];
        for b in 0..a {
            let part = &blocks[block(a, b)];
            out[a] += part * w[b];
            out[b] += part.tr_mul(&w[a]);
        }
    }
    out
}
