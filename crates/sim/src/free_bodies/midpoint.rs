//! θ = 1/2 for a free body: the midpoint rule with the Cayley turn and exact momentum.
//!
//! Over the step the body moves with v̂ and turns by R⁺ = cay(h ω̂) R; with ω⁺ = 2 ω̂ − ω in body axes
//! R⁺ I ω⁺ − R I ω = h τ + Jᵀλ is the balance of angular momentum, and ω̂ times its left side is exactly
//! the change of kinetic energy: rows that do no work on v̂ leave the energy as it is. The balance is
//! nonlinear in ω̂; every pass solves it linearised about the ω̂ of the pass before, the first about the
//! free rotation, which obeys it without forces.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use super::rotation::turn;

/// The balance of angular momentum linearised about some ω̂: A ω̂ = b + Jᵀλ.
pub(super) struct Balance {
    /// Orientation whose inertia is A (1 − θ).
    pub(super) rotation: UnitQuaternion<f64>,
    /// Rotational inertia in that orientation, world axes, kg·m².
    pub(super) inertia: Matrix3<f64>,
    /// N·m·s.
    pub(super) b: Vector3<f64>,
}

/// Linearises the balance of a body with `inertia` (body axes) that is at `rotation` and turns at
/// `omega` (world axes) about ω̂ = `about`; `impulse` is that of known torques, N·m·s.
pub(super) fn balance(
    inertia: &Matrix3<f64>,
    rotation: &UnitQuaternion<f64>,
    omega: &Vector3<f64>,
    about: &Vector3<f64>,
    impulse: &Vector3<f64>,
    dt: f64,
) -> Balance {
    let before = rotation.inverse() * omega;
    let mean = rotation.inverse() * about;
    let end = turn(rotation, about, dt);
    let gained = end * (inertia * (mean * 2.0 - before)) - rotation * (inertia * before);
    let middle = turn(rotation, about, 0.5 * dt);
    let matrix = middle.to_rotation_matrix();
    let world = matrix.matrix() * inertia * matrix.matrix().transpose();
    let world = (world + world.transpose()) * 0.5;
    Balance {
        rotation: middle,
        inertia: world,
        b: world * about * 2.0 - gained + impulse,
    }
}

/// Orientation and angular velocity (world axes) at the end of a step with ω̂ = `mean`.
pub(super) fn end_of_step(
    rotation: &UnitQuaternion<f64>,
    omega: &Vector3<f64>,
    mean: &Vector3<f64>,
    dt: f64,
) -> (UnitQuaternion<f64>, Vector3<f64>) {
    let end = turn(rotation, mean, dt);
    let after = rotation.inverse() * (mean * 2.0 - omega);
    (end, end * after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::free_bodies::rotation::free_rotation;

    const DT: f64 = 0.01;

    #[test]
    fn the_free_rotation_obeys_the_balance() {
        let inertia = Matrix3::from_diagonal(&Vector3::new(1.0, 2.0, 3.0));
        let rotation = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -0.8, 0.5));
        let omega = Vector3::new(4.0, 20.0, -3.0);
        let free = free_rotation(&inertia, &(rotation.inverse() * omega), DT);
        let about = rotation * free.middle;
        let balance = balance(&inertia, &rotation, &omega, &about, &Vector3::zeros(), DT);
        let mean = (balance.inertia * 2.0).try_inverse().unwrap() * balance.b;
        assert!((mean - about).norm() < 1e-12 * about.norm());
        let (end, after) = end_of_step(&rotation, &omega, &mean, DT);
        let local = end.inverse() * after;
        assert!((local - free.end).norm() < 1e-12 * omega.norm());
    }

    #[test]
    fn passes_find_the_balance_and_its_work() {
        let inertia = Matrix3::from_diagonal(&Vector3::new(1.0, 2.0, 3.0));
        let rotation = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -0.8, 0.5));
        let omega = Vector3::new(4.0, 20.0, -3.0);
        let impulse = Vector3::new(0.5, -0.2, 0.9);
        let mut mean = omega;
        for _ in 0..20 {
            let balance = balance(&inertia, &rotation, &omega, &mean, &impulse, DT);
            mean = (balance.inertia * 2.0).try_inverse().unwrap() * balance.b;
        }
        let (end, after) = end_of_step(&rotation, &omega, &mean, DT);
        let momentum = |rotation: &UnitQuaternion<f64>, omega: &Vector3<f64>| {
            rotation * (inertia * (rotation.inverse() * omega))
        };
        let (before, now) = (momentum(&rotation, &omega), momentum(&end, &after));
        assert!((now - before - impulse).norm() < 1e-12 * before.norm());
        let energy = 0.5 * (after.dot(&now) - omega.dot(&before));
        assert!((energy - mean.dot(&impulse)).abs() < 1e-12 * omega.dot(&before));
    }
}
