//! Fischer–Burmeister functions of contacts and of one-sided rows, [NSN, §4–5].
//!
//! ψ(a, b) = a + b − √(a² + b²) is zero exactly where 0 ≤ a ⟂ b ≥ 0. Normal rows have a = u_n and b = λ_n/m, with the
//! effective mass m so that both are velocities. Friction is u_t + W λ_t = 0 with the weight W ≥ 0 for which
//! ψ(‖u_t‖, (μ λ_n − ‖λ_t‖)/m) vanishes, taken from the present iterate [NSN, (30)]: the matrix of a step stays
//! symmetric, and friction is a fixed point. Elliptic cones are circular ones in scaled variables,
//! u' = D u_t and λ' = D⁻¹ λ_t.

use nalgebra::{Matrix3, Vector3};
use stiction_constraints::Law;

use crate::linear_piece::LinearPiece;

/// ψ and its derivatives by a and b; at the kink the mean of what is around it.
pub(crate) fn psi(a: f64, b: f64) -> (f64, f64, f64) {
    let size = a.hypot(b);
    if size == 0.0 {
        let slope = 1.0 - std::f64::consts::FRAC_1_SQRT_2;
        return (0.0, slope, slope);
    }
    // a + b − size without cancellation where both are positive.
    let value = match a > 0.0 && b > 0.0 {
        true => 2.0 * a * b / (a + b + size),
        false => a + b - size,
    };
    (value, 1.0 - a / size, 1.0 - b / size)
}

/// One row with 0 ≤ λ ⟂ u ≥ 0, u = z + e + R λ: stiffness, force and error.
fn one_sided(u: f64, impulse: f64, mass: f64, compliance: f64, softness: f64) -> (f64, f64, f64) {
    let (value, by_a, by_b) = psi(u, impulse / mass);
    // by_a J Δv̂ + (by_b/m + by_a R) Δλ = −ψ.
    let own = (by_b + softness) / mass + by_a * compliance;
    (by_a / own, value / own, value)
}

/// The piece of a law that this file is about; `None` for the others, whose natural map is as good.
pub(crate) fn piece(
    law: &Law,
    rows: usize,
    z: &Vector3<f64>,
    e: &Vector3<f64>,
    impulse: &Vector3<f64>,
    mass: f64,
    softness: f64,
) -> Option<LinearPiece> {
    let u = law.law_velocity(z, e, impulse);
    let mut piece = LinearPiece {
        stiffness: Matrix3::zeros(),
        force: Vector3::zeros(),
        error: Vector3::zeros(),
    };
    let mut put = |row: usize, (stiffness, force, error): (f64, f64, f64)| {
        piece.stiffness[(row, row)] = stiffness;
        piece.force[row] = force;
        piece.error[row] = error;
    };
    if *law == Law::Unilateral {
        for row in 0..rows {
            put(row, one_sided(u[row], impulse[row], mass, 0.0, softness));
        }
        return Some(piece);
    }
    let friction = law.friction()?;
    let compliance = match *law {
        Law::CompliantContact {
            tangential_compliance,
            normal_compliance,
            ..
        } => [tangential_compliance, normal_compliance],
        _ => [0.0; 2],
    };
    put(2, one_sided(u.z, impulse.z, mass, compliance[1], softness));
    let slip = (friction[0] * u.x).hypot(friction[1] * u.y);
    let load = match friction.contains(&0.0) {
        true => 0.0,
        false => (impulse.x / friction[0]).hypot(impulse.y / friction[1]),
    };
    let weight = friction_weight(slip, load / mass, impulse.z / mass);
    for row in 0..2 {
        let mu = friction[row];
        let weight = match weight {
            Some(weight) if mu > 0.0 => weight / (mu * mu * mass),
            // Nothing to press on, or nothing rough: λ_t goes to zero.
            _ => {
                put(row, (0.0, impulse[row], impulse[row] / mass));
                continue;
            }
        };
        let error = u[row] + weight * impulse[row];
        let stiffness = 1.0 / (weight + compliance[0] + softness / mass);
        // As a velocity that stays finite where W is huge.
        let scaled = error / (1.0 + mass * weight);
        put(row, (stiffness, stiffness * error, scaled));
    }
    Some(piece)
}

/// W m of slip, load and normal impulse over m, all in m/s, for a cone of slope 1: (‖u_t‖ − ψ)/(‖λ_t‖/m + ψ),
/// [NSN, (30)]. `None` for an infinite one.
fn friction_weight(slip: f64, load: f64, pressing: f64) -> Option<f64> {
    if !(pressing > 0.0) {
        return None;
    }
    let (value, ..) = psi(slip, pressing - load);
    let below = load + value;
    match below > 0.0 {
        true => Some((slip - value).max(0.0) / below),
        // More than twice what the cone holds, or at rest without a load.
        false if load > pressing => None,
        false => Some(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn psi_is_zero_on_the_complementarity_set_and_has_these_slopes() {
        for (a, b) in [(0.0, 2.0), (3.0, 0.0), (0.0, 0.0)] {
            assert!(psi(a, b).0.abs() < 1e-15);
        }
        let h = 1e-6;
        for (a, b) in [(0.3, 0.7), (-0.4, 0.2), (1.0, -2.0), (-1.0, -1.0)] {
            let (_, by_a, by_b) = psi(a, b);
            let slope_a = (psi(a + h, b).0 - psi(a - h, b).0) / (2.0 * h);
            let slope_b = (psi(a, b + h).0 - psi(a, b - h).0) / (2.0 * h);
            assert!((by_a - slope_a).abs() < 1e-8 && (by_b - slope_b).abs() < 1e-8);
        }
    }

    #[test]
    fn the_weight_is_that_of_the_law_where_the_law_holds() {
        // Stuck below the bound, slipping at the bound: W λ = −u.
        assert!(friction_weight(0.0, 0.4, 1.0).unwrap().abs() < 1e-15);
        assert!((friction_weight(0.5, 1.0, 1.0).unwrap() - 0.5).abs() < 1e-15);
        // Slipping below the bound: the load is to grow to the bound at least.
        let weight = friction_weight(0.5, 0.2, 1.0).unwrap();
        assert!(weight >= 0.0 && weight * 0.2 < 0.5);
        // Beyond the bound at rest: it is to shrink.
        assert!(friction_weight(0.0, 1.5, 1.0).unwrap() > 0.0);
        assert_eq!(friction_weight(0.1, 3.0, 1.0), None);
        assert_eq!(friction_weight(0.1, 0.1, 0.0), None);
    }
}
