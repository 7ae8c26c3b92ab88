//! The norm of all constraint errors, [SUB, §IV-C].

use stiction_constraints::nalgebra::Vector3;
use stiction_constraints::{Law, Problem, ResidualEvaluator};

/// The square of the norm of all constraint errors of impulses and J v̂, (m/s)². The evaluator is up to date.
pub(super) fn squared_error(
    problem: &Problem,
    evaluator: &ResidualEvaluator,
    row_velocity: &[f64],
    impulse: &[f64],
) -> f64 {
    let masses = evaluator.effective_masses();
    let constraints = problem.constraints().iter().zip(masses);
    let squares = constraints.map(|(constraint, &mass)| {
        let (z, lambda) = (constraint.load(row_velocity), constraint.load(impulse));
        let e = constraint.load(problem.errors());
        squared(&constraint.law, constraint.rows, &z, &e, &lambda, mass)
    });
    squares.sum()
}

fn squared(
    law: &Law,
    rows: usize,
    z: &Vector3<f64>,
    e: &Vector3<f64>,
    impulse: &Vector3<f64>,
    mass: f64,
) -> f64 {
    let Some(friction) = law.friction() else {
        return (law.strict_defect(rows, z, e, impulse, mass) / mass).norm_squared();
    };
    let u = law.law_velocity(z, e, impulse);
    let normal = psi(u.z, impulse.z / mass);
    // Elliptic cones are circular ones in scaled variables.
    let mean = (friction[0] * friction[1]).sqrt();
    let share = friction.map(|mu| if mean > 0.0 { mu / mean } else { 1.0 });
    let slip = [share[0] * u.x, share[1] * u.y];
    let load = [impulse.x / (share[0] * mass), impulse.y / (share[1] * mass)];
    let (speed, size) = (slip[0].hypot(slip[1]), load[0].hypot(load[1]));
    let bound = psi(speed, mean * impulse.z / mass - size);
    // Friction opposes slip: what is left of the two, weighed by each other's size.
    let sum = (speed + size).max(f64::MIN_POSITIVE);
    let across = [0, 1].map(|row| (size * slip[row] + speed * load[row]) / sum);
    normal * normal + bound * bound + across[0] * across[0] + across[1] * across[1]
}

/// a + b − √(a² + b²): zero exactly where 0 ≤ a ⟂ b ≥ 0.
fn psi(a: f64, b: f64) -> f64 {
    a + b - a.hypot(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_obeys_coulomb_has_no_error() {
        let law = Law::Contact { friction: 0.5 };
        let error = |u: [f64; 3], lambda: [f64; 3]| {
            squared(&law, 3, &u.into(), &Vector3::zeros(), &lambda.into(), 2.0)
        };
        // Stuck, sliding, open.
        assert!(error([0.0; 3], [0.1, -0.2, 1.0]) < 1e-30);
        assert!(error([3.0, 4.0, 0.0], [-0.3, -0.4, 1.0]) < 1e-28);
        assert!(error([3.0, 4.0, 1.0], [0.0; 3]) < 1e-30);
        // Sliding with friction aside, penetrating, pulling.
        assert!(error([3.0, 4.0, 0.0], [-0.4, 0.3, 1.0]) > 1e-3);
        assert!((error([0.0, 0.0, -0.1], [0.0; 3]) - 0.04).abs() < 1e-15);
        assert!(error([0.0; 3], [0.0, 0.0, -1.0]) > 0.5);
    }
}
