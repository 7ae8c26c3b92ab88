//! The Coriolis matrix whose combination Ṁ − 2C is skew-symmetric.
//!
//! Echeandia and Wensing, "Numerical methods to compute the Coriolis matrix and Christoffel
//! symbols for rigid-body systems", 2021. With the operator B of the derivatives of inverse
//! dynamics halved, C_ij = J_iᵀ (I^c J̇_j + ½ B^c J_j) over the smaller of the two subtrees.

use nalgebra::DMatrix;

use crate::data::Data;
use crate::error::{Result, check_length};
use crate::jacobian_rate::joint_jacobians_rate;
use crate::model::Model;
use crate::model::topology::NO_DOF;
use crate::velocity_inertia::{VelocityInertia, accumulate_velocity_inertias};
use crate::world_axes::{accumulate_inertias, update_inertias};

/// C(q, v) with C v = h(q, v) − g(q).
/// Also does what [`joint_jacobians_rate`] does.
pub fn coriolis_matrix(
    model: &Model,
    data: &mut Data,
    q: &[f64],
    v: &[f64],
    matrix: &mut DMatrix<f64>,
) -> Result<()> {
    joint_jacobians_rate(model, data, q, v)?;
    check_length("matrix (rows)", matrix.nrows(), model.nv())?;
    check_length("matrix (columns)", matrix.ncols(), model.nv())?;
    update_inertias(model, data);
    for i in 1..model.n_bodies() {
        data.velocity_inertia[i] =
            VelocityInertia::new(&data.composite[i], &data.world_velocity[i]);
    }
    accumulate_inertias(model, data);
    accumulate_velocity_inertias(model, data);
    matrix.fill(0.0);
    for low in 0..model.nv() {
        let body = model.topology.dof_body[low];
        let (inertia, b) = (&data.composite[body], &data.velocity_inertia[body]);
        let column = &data.jacobian[low];
        let force = inertia.mul(&data.jacobian_rate[low]) + b.mul(column) * 0.5;
        let (row, row_b) = (inertia.mul(column), b.tr_mul(column) * 0.5);
        let own = model.links[body - 1].v();
        for high in own.clone() {
            matrix[(high, low)] = data.jacobian[high].dot(&force);
        }
        let mut high = model.topology.dof_parent[own.start];
        while high != NO_DOF {
            let j = &data.jacobian[high];
            matrix[(high, low)] = j.dot(&force);
            matrix[(low, high)] = data.jacobian_rate[high].dot(&row) + row_b.dot(&j.angular);
            high = model.topology.dof_parent[high];
        }
    }
    Ok(())
}
