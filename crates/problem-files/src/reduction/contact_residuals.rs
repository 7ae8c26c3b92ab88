//! The residuals by which collections of contact problems are scored, against W as given.

use nalgebra::Vector3;
use stiction_constraints::{Failure, Problem, ResidualEvaluator, Residuals, cone};

use crate::component_order::from_file_order;

/// What the residuals of a pure contact problem are measured with: friction, free velocity and
/// scale. All vectors are ordered (t1, t2, n) per contact.
#[derive(Debug, Clone)]
pub(crate) struct ContactMeter {
    pub(crate) friction: Vec<f64>,
    /// q, the velocity at the contacts without reactions.
    pub(crate) free_velocity: Vec<f64>,
    /// Mean diagonal of W, 1 when it is not positive.
    pub(crate) mean_diagonal: f64,
}

impl ContactMeter {
    /// Writes natural, balanced, primal, dual and complementarity residuals of reactions r with
    /// velocities u = W r + q into `out`; the others are left alone.
    pub(crate) fn measure(&self, r: &[f64], u: &[f64], out: &mut Residuals) {
        let root = self.mean_diagonal.sqrt();
        let (mut plain, mut balanced) = (0.0, 0.0);
        (out.primal, out.dual, out.complementarity) = (0.0, 0.0, 0.0);
        for (contact, &friction) in self.friction.iter().enumerate() {
            let range = 3 * contact..3 * contact + 3;
            let reaction = Vector3::from_column_slice(&r[range.clone()]);
            let mut shifted = Vector3::from_column_slice(&u[range]);
            shifted.z += friction * shifted.x.hypot(shifted.y);
            let map = |r: Vector3<f64>, s: Vector3<f64>| r - cone::project(&(r - s), friction);
            plain += map(reaction, shifted).norm_squared();
            balanced += map(reaction * root, shifted / root).norm_squared();
            let slopes = [friction; 2];
            out.primal = worst(out.primal, cone::distance(&reaction, slopes));
            out.dual = worst(out.dual, cone::distance_to_dual(&shifted, slopes));
            out.complementarity = worst(out.complementarity, reaction.dot(&shifted).abs());
        }
        let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let free = norm(&self.free_velocity);
        let reference = (norm(r) * root).max(free / root).max(1e-300);
        out.natural = finite(f64::sqrt(plain) / (1.0 + free));
        out.balanced = finite(f64::sqrt(balanced) / reference);
    }
}

/// Like `max`, but a NaN stays.
fn worst(a: f64, b: f64) -> f64 {
    if b.is_nan() { f64::INFINITY } else { a.max(b) }
}

fn finite(value: f64) -> f64 {
    if value.is_finite() {
        value
    } else {
        f64::INFINITY
    }
}

/// Reactions in the file's component order as impulses of a primal form.
pub(super) fn impulses(problem: &Problem, reaction: &[f64]) -> Result<Vec<f64>, Failure> {
    match reaction.len() == problem.row_count() {
        true => Ok(from_file_order(reaction)),
        false => Err(Failure::NotFinite),
    }
}

/// Residuals of impulses of a primal form, with the velocity that belongs to them.
pub(super) fn residuals_at(problem: &Problem, impulses: &[f64]) -> Result<Residuals, Failure> {
    let mut evaluator = ResidualEvaluator::default();
    evaluator.update(problem)?;
    let mut velocity = vec![0.0; problem.dof_count()];
    evaluator.velocity_of(problem, impulses, &mut velocity);
    Ok(evaluator.residuals(problem, &velocity, impulses))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_sliding_contact_by_hand() {
        // μ = 0.5, r = (−0.5, 0, 1), u = (2, 0, 0): exact Coulomb sliding.
        let meter = ContactMeter {
            friction: vec![0.5],
            free_velocity: vec![3.0, 0.0, -4.0],
            mean_diagonal: 4.0,
        };
        let mut out = Residuals::default();
        meter.measure(&[-0.5, 0.0, 1.0], &[2.0, 0.0, 0.0], &mut out);
        assert!(out.natural < 1e-15 && out.balanced < 1e-15 && out.eps_abs() < 1e-15);
        // r = 0 with u = q = (0, 0, −4): the map is −P_K(−u) = (0, 0, −4).
        meter.measure(&[0.0; 3], &[0.0, 0.0, -4.0], &mut out);
        assert!((out.natural - 4.0 / 6.0).abs() < 1e-15);
        assert!((out.balanced - 2.0 / 2.5).abs() < 1e-15);
        meter.measure(&[f64::NAN; 3], &[0.0; 3], &mut out);
        assert_eq!(out.natural, f64::INFINITY);
    }
}
