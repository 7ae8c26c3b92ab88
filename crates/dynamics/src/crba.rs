//! Mass matrix: the composite-rigid-body algorithm, [RBDA, table 6.2], in world axes.

use crate::data::Data;
use crate::error::{Result, check_length};
use crate::jacobian::joint_jacobians;
use crate::mass_matrix::MassMatrix;
use crate::model::Model;
use crate::world_axes::{accumulate_inertias, update_inertias};

/// M(q), armature included. Also does what [`joint_jacobians`] does.
///
/// The book carries each force column from body to body; with all columns of a tree at one point
/// that step disappears: M_ij = J_jᵀ (I^c_i J_i), with I^c_i the inertia of the subtree of i.
pub fn crba(model: &Model, data: &mut Data, q: &[f64], mass: &mut MassMatrix) -> Result<()> {
    joint_jacobians(model, data, q)?;
    check_length("mass matrix", mass.nv(), model.nv())?;
    update_inertias(model, data);
    accumulate_inertias(model, data);
    fill_mass_matrix(model, data, mass);
    Ok(())
}

/// The entries of M from columns and composite inertias that are already there; sizes checked.
pub(crate) fn fill_mass_matrix(model: &Model, data: &Data, mass: &mut MassMatrix) {
    let parent = &model.topology.dof_parent;
    for dof in 0..model.nv() {
        let column = &data.jacobian[dof];
        let force = data.composite[model.topology.dof_body[dof]].mul(column);
        let row = mass.row_mut(dof);
        let (diagonal, above) = row.split_last_mut().expect("a row holds its diagonal");
        *diagonal = column.dot(&force) + model.armature[dof];
        let mut ancestor = dof;
        for entry in above.iter_mut().rev() {
            ancestor = parent[ancestor];
            *entry = data.jacobian[ancestor].dot(&force);
        }
    }
}
