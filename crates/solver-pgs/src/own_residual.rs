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

/// ε_abs of [CMC, §III] for RaiSim's model: distance of impulses to the cone (N·s), velocity into the ground (m/s),
/// power of the normal impulse, and by how much that of friction differs from what (20) asks for (J).
pub(crate) fn raisim_eps_abs(
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
        let u = local.law_velocity(&z, &impulse);
        let wanted = map(Method::Raisim, local, mass, &z, &impulse);
        let primal = cone::distance(&impulse, local.friction());
        let slip = (impulse - wanted).dot(&u);
        let parts = [primal, (-u.z).max(0.0), impulse.z * u.z, slip];
        // `max` would drop a NaN.
        if !parts.iter().sum::<f64>().is_finite() {
            return f64::INFINITY;
        }
        worst = parts
            .iter()
            .fold(worst, |worst, part| worst.max(part.abs()));
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
