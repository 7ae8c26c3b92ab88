//! Maps from (J v̂, λ) to how far they are from obeying a law.

use nalgebra::Vector3;

use crate::law::{ConeOperator, Law, strict_defects_side_by_side};
use crate::problem::{Constraint, Problem};

/// ‖T_strict(J v̂ − λ; β = 1) − λ‖₂ / number of constraints.
pub(super) fn paper(problem: &Problem, lambda: &[f64], row_velocity: &[f64]) -> f64 {
    let mut sum = 0.0;
    let errors = problem.errors();
    let (fours, rest) = problem.constraints().as_chunks();
    for four in fours {
        match frictions(four) {
            Some(friction) => sum += four_contacts(four, &friction, errors, lambda, row_velocity),
            None => {
                let each = four
                    .iter()
                    .map(|one| squared(one, errors, lambda, row_velocity));
                sum += each.sum::<f64>();
            }
        }
    }
    let each = rest
        .iter()
        .map(|one| squared(one, errors, lambda, row_velocity));
    sum += each.sum::<f64>();
    let residual = sum.sqrt() / problem.constraints().len().max(1) as f64;
    // Most laws would drop a NaN, but not the sum.
    if residual.is_nan() {
        f64::INFINITY
    } else {
        residual
    }
}

/// ‖T_strict(z − λ; β = 1) − λ‖² of a constraint, NaN when something is not finite.
fn squared(constraint: &Constraint, errors: &[f64], lambda: &[f64], row_velocity: &[f64]) -> f64 {
    let impulse = constraint.load(lambda);
    let z = constraint.load(row_velocity);
    let law = &constraint.law;
    let e = constraint.load(errors);
    let error = law.strict_defect(constraint.rows, &z, &e, &impulse, 1.0);
    error.norm_squared() + 0.0 * (z.sum() + impulse.sum())
}

/// The friction of four contacts with Coulomb friction; `None` when one has another law.
fn frictions(four: &[Constraint; 4]) -> Option<[f64; 4]> {
    let mut out = [0.0; 4];
    for (out, constraint) in out.iter_mut().zip(four) {
        let Law::Contact { friction } = constraint.law else {
            return None;
        };
        *out = friction;
    }
    Some(out)
}

/// [`squared`] of four contacts, side by side.
fn four_contacts(
    four: &[Constraint; 4],
    friction: &[f64; 4],
    errors: &[f64],
    lambda: &[f64],
    row_velocity: &[f64],
) -> f64 {
    let (mut velocity, mut impulse, mut spread) = ([[0.0; 4]; 3], [[0.0; 4]; 3], 0.0);
    for (k, constraint) in four.iter().enumerate() {
        let own = constraint.load(lambda);
        let z = constraint.load(row_velocity);
        let e = constraint.load(errors);
        spread += own.sum() + z.sum();
        for row in 0..3 {
            velocity[row][k] = z[row] + e[row];
            impulse[row][k] = own[row];
        }
    }
    let error = strict_defects_side_by_side(&velocity, &impulse, friction);
    let mut sums = [0.0; 4];
    for error in &error {
        for k in 0..4 {
            sums[k] += error[k] * error[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + 0.0 * spread
}

/// λ − T(z − λ/β; β): for contacts the projection of λ − β(u + μ‖u_t‖n) onto the cone.
pub(super) fn natural_map(
    constraint: &Constraint,
    z: &Vector3<f64>,
    e: &Vector3<f64>,
    impulse: &Vector3<f64>,
    beta: f64,
) -> Vector3<f64> {
    let shift = constraint.law.normal_shift(z, e, impulse);
    let x_bar = z - impulse / beta;
    let operator = ConeOperator::Proximal { shift };
    impulse
        - constraint
            .law
            .impulse(constraint.rows, &x_bar, e, beta, operator)
}

/// The contact's velocity with the De Saxcé shift: u + μ‖u_t‖ n.
pub(super) fn de_saxce(
    law: &Law,
    z: &Vector3<f64>,
    e: &Vector3<f64>,
    lambda: &Vector3<f64>,
) -> Vector3<f64> {
    let mut out = law.law_velocity(z, e, lambda);
    out.z += law.normal_shift(z, e, lambda);
    out
}

/// a + b − √(a² + b²): zero exactly where 0 ≤ a ⟂ b ≥ 0.
pub(super) fn fischer_burmeister(a: f64, b: f64) -> f64 {
    a + b - a.hypot(b)
}
