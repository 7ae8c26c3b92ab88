//! Whether everything that a model's joints move resists.

use crate::configuration::integrate;
use crate::crba::crba;
use crate::data::Data;
use crate::error::{DynamicsError, Result};
use crate::factorization::LdlFactorization;
use crate::mass_matrix::MassMatrix;
use crate::model::Model;

/// Share of what a joint moves below which what resists is rounding.
const ROUNDING: f64 = 1e-13;

/// Refuses a model that has motions without resistance in every configuration: a link without mass that turns
/// about the axis of the only joint it carries, a point mass that carries a hinge. Bodies without mass are fine
/// where what they carry resists, and where damping or a spring of their joint does; configurations in which
/// axes happen to line up (gimbal lock) are no fault of the model.
///
/// # Errors
/// [`DynamicsError::BadInertia`] with the body that nothing resists.
pub fn check_resistance(model: &Model) -> Result<()> {
    // A configuration may line up axes by chance, but not two that have nothing to do with each other.
    let Some(_) = first_without_resistance(model, 0.618_033_988_749_895)? else {
        return Ok(());
    };
    let Some((dof, resistance)) = first_without_resistance(model, 0.414_213_562_373_095)? else {
        return Ok(());
    };
    let body = model.topology.dof_body[dof];
    Err(DynamicsError::BadInertia {
        body: model.link_names[body - 1].clone(),
        field: "inertia",
        value: resistance,
        reason: "nothing resists a motion of its joint, neither it nor what it carries: give it mass and inertia, \
                 fix it to a body that has both, or give the joint armature or damping",
    })
}

/// The degree of freedom nearest to the leaves that moves without resistance where all joints are displaced by
/// amounts that have nothing to do with each other, and what resists it.
fn first_without_resistance(model: &Model, turn: f64) -> Result<Option<(usize, f64)>> {
    let amounts: Vec<f64> = (1..=model.nv())
        .map(|k| 0.2 + 0.9 * (turn * k as f64).fract())
        .collect();
    let mut q = model.neutral();
    integrate(model, &model.neutral(), &amounts, 1.0, &mut q)?;
    let mut mass = MassMatrix::new(model);
    crba(model, &mut Data::new(model), &q, &mut mass)?;
    // What a joint's own damping and spring add to M in a step; any amount will do.
    let held = model.dof_properties().iter().map(|dof| {
        let is_held = dof.damping > 0.0 || dof.stiffness > 0.0;
        f64::from(u8::from(is_held))
    });
    mass.add_diagonal(&held.collect::<Vec<_>>())?;
    let mut factor = LdlFactorization::new(model);
    match factor.factorize(model, &mass) {
        Ok(()) => {}
        Err(DynamicsError::NotPositiveDefinite { dof, value, .. }) => {
            return Ok(Some((dof, value.max(0.0))));
        }
        Err(error) => return Err(error),
    }
    let whole = |dof: usize| *mass.row(dof).last().expect("a row holds its diagonal");
    let mut dofs = (0..model.nv()).rev();
    let found = dofs.find(|&dof| factor.pivot(dof) <= ROUNDING * whole(dof));
    Ok(found.map(|dof| (dof, factor.pivot(dof))))
}
