//! The laws, from their definition and in twice the precision.
//!
//! The judge moves a constraint's velocity z and its impulse over effective mass λ/m by the same
//! amount d, so that the moved pair obeys the law exactly. With w = z − λ/m + e the moved impulse λ'
//! and the moved velocity u' = w + λ'/m are one equation, which each law closes in its own way. The
//! largest component of d, in m/s, is the violation: zero where the law is obeyed, and equal to the
//! scaled residual in exact arithmetic.

use stiction_constraints::{Constraint, Law};

use super::double::Double;

/// Three numbers in twice the precision.
pub(super) type Triple = [Double; 3];

/// The impulse λ' of the pair that obeys the law and is reached from z and λ by moving z and λ/m by
/// the same amount; `mass` is the constraint's effective mass m.
pub(super) fn obeying_impulse(
    constraint: &Constraint,
    error: &[f64],
    z: &Triple,
    lambda: &Triple,
    mass: Double,
) -> Triple {
    let of_row = |row: usize| Double::from(error.get(row).copied().unwrap_or(0.0));
    let error: Triple = std::array::from_fn(of_row);
    // z − λ/m, where the moved velocity would be without an impulse.
    let bare: Triple = std::array::from_fn(|row| z[row] - lambda[row] / mass);
    let w: Triple = std::array::from_fn(|row| bare[row] + error[row]);
    let inverse_mass = mass.recip();
    match constraint.law {
        Law::Contact { friction } => contact(&w, [friction; 2], [inverse_mass; 2]),
        Law::AnisotropicContact { friction } => contact(&w, friction, [inverse_mass; 2]),
        Law::CompliantContact {
            friction,
            tangential_compliance,
            normal_compliance,
        } => {
            let inverse_mass = [
                inverse_mass + tangential_compliance,
                inverse_mass + normal_compliance,
            ];
            contact(&w, friction, inverse_mass)
        }
        law => {
            let mut out = [Double::ZERO; 3];
            for row in 0..constraint.rows {
                out[row] = match law {
                    // λ' = −k e − c z' and z' = bare + λ'/m.
                    Law::Soft { stiffness, damping } => {
                        let force = bare[row] * damping + error[row] * stiffness;
                        -force / (inverse_mass * damping + 1.0)
                    }
                    // u' = 0.
                    Law::Equality => -w[row] / inverse_mass,
                    // u' = 0 if that takes a push, else no impulse.
                    Law::Unilateral => larger(-w[row] / inverse_mass, Double::ZERO),
                    // u' = 0 if the bound allows, else the bound against the motion.
                    Law::JointFriction { bound } => {
                        let stop = -w[row] / inverse_mass;
                        let bound = Double::from(bound);
                        smaller(larger(stop, -bound), bound)
                    }
                    Law::JointLimit { lower, upper } => {
                        if w[row] < Double::from(lower) {
                            (Double::from(lower) - w[row]) / inverse_mass
                        } else if w[row] > Double::from(upper) {
                            (Double::from(upper) - w[row]) / inverse_mass
                        } else {
                            Double::ZERO
                        }
                    }
                    // Its closed form is all that is known of it, and that in 64-bit numbers.
                    Law::Custom { law, parameters } => {
                        let (x_bar, e) = (bare[row].hi(), error[row].hi());
                        Double::from((law.response)(&parameters, x_bar, e, mass.hi()).0)
                    }
                    // Dealt with above; named, so that a further law is not forgotten here.
                    Law::Contact { .. }
                    | Law::AnisotropicContact { .. }
                    | Law::CompliantContact { .. } => Double::ZERO,
                };
            }
            out
        }
    }
}

/// The violation in m/s: the largest component of (λ' − λ)/m. What is not finite is infinitely wrong.
pub(super) fn violation(
    constraint: &Constraint,
    error: &[f64],
    z: &Triple,
    lambda: &Triple,
    mass: Double,
) -> f64 {
    let obeying = obeying_impulse(constraint, error, z, lambda, mass);
    let mut worst = 0.0_f64;
    for row in 0..constraint.rows {
        let moved = ((obeying[row] - lambda[row]) / mass).hi().abs();
        if !moved.is_finite() {
            return f64::INFINITY;
        }
        worst = worst.max(moved);
    }
    worst
}

/// Signorini–Coulomb: `inverse_mass` are the compliances along the tangents and the normal, 1/kg.
fn contact(w: &Triple, friction: [f64; 2], inverse_mass: [Double; 2]) -> Triple {
    // Signorini: 0 ≤ λ_n ⟂ u_n ≥ 0.
    let normal = larger(-w[2] / inverse_mass[1], Double::ZERO);
    // Stick if the friction ellipse allows, else the point of its rim whose slip it opposes most.
    let stick = [-w[0] / inverse_mass[0], -w[1] / inverse_mass[0]];
    let axes = friction.map(|friction| normal * friction);
    let tangent = nearest_in_ellipse(stick, axes);
    [tangent[0], tangent[1], normal]
}

/// The point of the ellipse (x/a)² + (y/b)² ≤ 1 nearest to a point. The slip of the contact is along
/// the ellipse's normal there, which is maximal dissipation.
fn nearest_in_ellipse(point: [Double; 2], axes: [Double; 2]) -> [Double; 2] {
    if !(axes[0].hi() > 0.0) || !(axes[1].hi() > 0.0) {
        return [Double::ZERO; 2];
    }
    let scaled = [point[0] / axes[0], point[1] / axes[1]];
    let outside = scaled[0] * scaled[0] + scaled[1] * scaled[1];
    if outside <= Double::from(1.0) {
        return point;
    }
    if axes[0] == axes[1] {
        let radius = outside.sqrt();
        return [point[0] / radius, point[1] / radius];
    }
    // xᵢ = pᵢ aᵢ²/(aᵢ² + t) with the t > 0 that puts x on the rim: the left-hand side of the rim's
    // equation falls in t and is convex, so that Newton's method from the left ends there.
    let square = axes.map(|axis| axis * axis);
    let mut t = Double::ZERO;
    for _ in 0..200 {
        let (mut value, mut slope) = (Double::from(-1.0), Double::ZERO);
        for axis in 0..2 {
            let factor = point[axis] * axes[axis] / (square[axis] + t);
            let term = factor * factor;
            value += term;
            slope -= term * 2.0 / (square[axis] + t);
        }
        let step = -value / slope;
        t += step;
        if !(step.hi() > 1e-31 * t.hi()) {
            break;
        }
    }
    std::array::from_fn(|axis| point[axis] * square[axis] / (square[axis] + t))
}

fn larger(a: Double, b: Double) -> Double {
    if b > a { b } else { a }
}

fn smaller(a: Double, b: Double) -> Double {
    if b < a { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::DMatrix;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use stiction_constraints::{Problem, RowBlock};

    /// A constraint of three rows with a law.
    fn constraint(law: Law, error: [f64; 3]) -> Constraint {
        let mut problem = Problem::new();
        let body = problem
            .push_dense(DMatrix::identity(3, 3), &[0.0; 3])
            .expect("a valid matrix");
        let block = RowBlock::Dofs {
            dofs: &[0, 1, 2],
            values: &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        };
        problem
            .push_constraint(law, &error, &[(body, block)])
            .expect("a valid law");
        problem.constraints()[0].clone()
    }

    /// Checks the conditions of each law as books state them.
    fn obeys(law: Law, error: [f64; 3], z: [f64; 3], lambda: [f64; 3]) {
        const NEAR: f64 = 1e-12;
        let mut u: [f64; 3] = std::array::from_fn(|row| z[row] + error[row]);
        if let Law::CompliantContact {
            tangential_compliance: t,
            normal_compliance: n,
            ..
        } = law
        {
            u = std::array::from_fn(|row| u[row] + [t, t, n][row] * lambda[row]);
        }
        if let Some([a, b]) = law.friction() {
            assert!(lambda[2] >= 0.0 && u[2] >= -NEAR && (lambda[2] * u[2]).abs() < NEAR);
            // Maximal dissipation: the power is that of the support of the ellipse.
            let power = -(lambda[0] * u[0] + lambda[1] * u[1]);
            let most = lambda[2] * (a * u[0]).hypot(b * u[1]);
            assert!((power - most).abs() < NEAR, "{law:?} {power} {most}");
            if a > 0.0 && b > 0.0 {
                assert!((lambda[0] / a).hypot(lambda[1] / b) <= lambda[2] + NEAR);
            } else {
                assert!(lambda[0] == 0.0 && lambda[1] == 0.0);
            }
            return;
        }
        for row in 0..3 {
            let (u, lambda) = (u[row], lambda[row]);
            match law {
                Law::Unilateral => {
                    assert!(u >= -NEAR && lambda >= 0.0 && (u * lambda).abs() < NEAR);
                }
                Law::Equality => assert!(u.abs() < NEAR),
                Law::Soft { stiffness, damping } => {
                    let force = -stiffness * error[row] - damping * z[row];
                    assert!((lambda - force).abs() < NEAR);
                }
                Law::JointFriction { bound } => {
                    assert!(lambda.abs() <= bound);
                    assert!((bound * u.abs() + u * lambda).abs() < NEAR);
                }
                Law::JointLimit { lower, upper } => {
                    assert!(lower - NEAR <= u && u <= upper + NEAR);
                    assert!(lambda <= 0.0 || (u - lower).abs() < NEAR);
                    assert!(lambda >= 0.0 || (u - upper).abs() < NEAR);
                }
                _ => {}
            }
        }
    }

    const LAWS: [Law; 10] = [
        Law::Unilateral,
        Law::Equality,
        Law::Soft {
            stiffness: 3.0,
            damping: 0.4,
        },
        Law::Contact { friction: 0.6 },
        Law::Contact { friction: 0.0 },
        Law::AnisotropicContact {
            friction: [0.05, 2.0],
        },
        Law::CompliantContact {
            friction: [0.7; 2],
            tangential_compliance: 0.3,
            normal_compliance: 0.05,
        },
        Law::CompliantContact {
            friction: [0.1, 1.5],
            tangential_compliance: 0.3,
            normal_compliance: 0.05,
        },
        Law::JointFriction { bound: 0.5 },
        Law::JointLimit {
            lower: -0.2,
            upper: 0.4,
        },
    ];

    #[test]
    fn the_moved_pair_obeys_the_law_and_is_as_far_as_the_violation_says() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut any = || -> [f64; 3] { std::array::from_fn(|_| rng.random_range(-1.0..1.0)) };
        for _ in 0..300 {
            for law in LAWS {
                let (z, lambda, error) = (any(), any(), any());
                let constraint = constraint(law, error);
                let (exact_z, exact_lambda) = (z.map(Double::from), lambda.map(Double::from));
                let mass = Double::from(2.5);
                let moved = obeying_impulse(&constraint, &error, &exact_z, &exact_lambda, mass)
                    .map(|value| value.hi());
                let moved_z = std::array::from_fn(|row| z[row] + (moved[row] - lambda[row]) / 2.5);
                obeys(law, error, moved_z, moved);
                let farthest = (0..3)
                    .map(|row| (moved_z[row] - z[row]).abs())
                    .fold(0.0, f64::max);
                let violation = violation(&constraint, &error, &exact_z, &exact_lambda, mass);
                assert!((violation - farthest).abs() < 1e-12);
                // From there it does not move again.
                let (moved_z, moved) = (moved_z.map(Double::from), moved.map(Double::from));
                assert!(super::violation(&constraint, &error, &moved_z, &moved, mass) < 1e-12);
            }
        }
    }
}
