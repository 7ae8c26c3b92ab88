//! How far an iterate is from solving the method's own model, in m/s.

use nalgebra::Vector3;
use stiction_constraints::{ConeOperator, cone};

use crate::local::Local;
use crate::settings::Method;
use crate::update;

/// ‖λ − T(λ)‖ over the effective mass, largest component, with T the fixed-point map of the
/// method's model: the counterpart of the evaluator's `scaled` for another law of contact.
/// Infinite when something is not finite.
pub(crate) fn own_residual(
    method: Method,
    locals: &[Local],
    masses: &[f64],
    impulses: &[f64],
    row_velocity: &[f64],
) -> f64 {
    let mut worst: f64 = 0.0;
    for (local, &mass) in locals.iter().zip(masses) {
        let (impulse, z) = (local.load(impulses), local.load(row_velocity));
        let error = (map(method, local, mass, &z, &impulse) - impulse).amax() / mass;
        // `max` would drop a NaN.
        if !error.is_finite() {
            return f64::INFINITY;
        }
        worst = worst.max(error);
    }
    worst
}

/// ε_abs of [CMC, §III] for the method's own model: the largest distance of impulses to their cone (N·s), of
/// velocities to where they may be (m/s), and power that the two are short of their model's (J).
pub(crate) fn own_eps_abs(
    method: Method,
    locals: &[Local],
    masses: &[f64],
    impulses: &[f64],
    row_velocity: &[f64],
) -> f64 {
    let mut worst: f64 = 0.0;
    for (local, &mass) in locals.iter().zip(masses) {
        if !local.law.is_contact() {
            continue;
        }
        let (impulse, z) = (local.load(impulses), local.load(row_velocity));
        let c = local.law_velocity(&z, &impulse);
        let friction = local.friction();
        let cone = cone::distance(&impulse, friction);
        let (primal, dual, complementarity) = match method {
            // (15): as (14) without the shift.
            Method::Ccp => (cone, cone::distance_to_dual(&c, friction), impulse.dot(&c)),
            // The shift of a pyramid: μ times the sum of magnitudes.
            Method::Lcp => {
                let over = |row: usize| impulse[row].abs() - friction[row] * impulse.z;
                let shift = friction[0] * c.x.abs() + friction[1] * c.y.abs();
                let primal = over(0).max(over(1)).max(-impulse.z).max(0.0);
                (primal, (-c.z).max(0.0), impulse.dot(&c) + impulse.z * shift)
            }
            // Signorini's condition, and (20) against the impulses that it asks for.
            _ => {
                let wanted = map(method, local, mass, &z, &impulse);
                let slip = (impulse - wanted).dot(&c);
                let signorini = impulse.z * c.z;
                (cone, (-c.z).max(0.0), signorini.abs().max(slip.abs()))
            }
        };
        let error = primal + dual + complementarity;
        if !error.is_finite() {
            return f64::INFINITY;
        }
        worst = worst.max(primal).max(dual).max(complementarity.abs());
    }
    worst
}

fn map(
    method: Method,
    local: &Local,
    mass: f64,
    z: &Vector3<f64>,
    impulse: &Vector3<f64>,
) -> Vector3<f64> {
    let closed_form = |operator| {
        let x_bar = z - impulse / mass;
        local
            .law
            .impulse(local.rows, &x_bar, &local.error, mass, operator)
    };
    match method {
        _ if !local.law.is_contact() => closed_form(ConeOperator::Strict),
        Method::Ncp | Method::ConjugateGradient | Method::Jacobi => {
            closed_form(ConeOperator::Strict)
        }
        // The cone model is the proximal operator without the De Saxcé shift.
        Method::Ccp => closed_form(ConeOperator::Proximal { shift: 0.0 }),
        Method::Lcp => {
            let target = impulse - local.law_velocity(z, impulse) * mass;
            local.pyramid.project_strict(&target, local.friction())
        }
        Method::Raisim => update::update(method, local, z, impulse),
    }
}
