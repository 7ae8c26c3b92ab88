//! Analytic derivatives of inverse dynamics, in world axes.
//!
//! Carpentier and Mansard, "Analytical derivatives of rigid body dynamics algorithms", 2018, and
//! Singh, Russell and Wensing, "Efficient analytical derivatives of rigid-body dynamics using
//! spatial vector algebra", 2022. The derivation in short, with J_j a subspace column, p the parent
//! of its body, and all quantities of a tree at one point:
//!
//! Moving q_j carries the subtree of j along the twist J_j. If the parent were carried too, every
//! f_i would just turn with it (J_j ×* f_i). It stays, which in the carried coordinates is a change
//! of its velocity by ψ̇_j = v_p × J_j and of its acceleration such that
//! ψ̈_j = a_p × J_j + v_p × ψ̇_j, hence for each body i of the subtree
//!
//! ```text
//! ∂f_i/∂q_j = J_j ×* f_i + I_i ψ̈_j + B_i ψ̇_j
//! ∂f_i/∂v_j = I_i (v_j × J_j + ψ̇_j) + B_i J_j
//! B_i x     = I_i (x × v_i) + x ×* (I_i v_i) + v_i ×* (I_i x)
//! ```
//!
//! and both I and B add up over subtrees.

use nalgebra::{DMatrix, Vector3};

use crate::data::Data;
use crate::error::{Result, check_length};
use crate::jacobian::joint_jacobians;
use crate::model::Model;
use crate::model::topology::NO_DOF;
use crate::spatial::{Force, Motion};
use crate::velocity_inertia::{VelocityInertia, accumulate_velocity_inertias};
use crate::world_axes::{accumulate_inertias, relative_pose, update_inertias, update_velocities};

/// ∂τ/∂q, ∂τ/∂v and ∂τ/∂a of inverse dynamics, each nv × nv. Derivatives with respect to q are
/// along the velocity coordinates: entry (i, j) is the rate of τ_i when q moves with v = e_j.
#[derive(Clone, Debug)]
pub struct RneaDerivatives {
    /// ∂τ/∂q.
    pub dtau_dq: DMatrix<f64>,
    /// ∂τ/∂v.
    pub dtau_dv: DMatrix<f64>,
    /// ∂τ/∂a, the mass matrix.
    pub dtau_da: DMatrix<f64>,
    /// ψ̇ and ψ̈ of each degree of freedom.
    psi_dot: Vec<Motion>,
    psi_ddot: Vec<Motion>,
}

impl RneaDerivatives {
    /// Buffers for `model`; nothing is allocated after that.
    pub fn new(model: &Model) -> Self {
        let nv = model.nv();
        Self {
            dtau_dq: DMatrix::zeros(nv, nv),
            dtau_dv: DMatrix::zeros(nv, nv),
            dtau_da: DMatrix::zeros(nv, nv),
            psi_dot: vec![Motion::zero(); nv],
            psi_ddot: vec![Motion::zero(); nv],
        }
    }
}

/// Derivatives of [`rnea`](crate::rnea) at (q, v, a) with external forces fixed in their bodies'
/// frames. Also does what [`joint_jacobians`] does.
pub fn rnea_derivatives(
    model: &Model,
    data: &mut Data,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    external: Option<&[Force]>,
    out: &mut RneaDerivatives,
) -> Result<()> {
    joint_jacobians(model, data, q)?;
    check_length("v", v.len(), model.nv())?;
    check_length("a", a.len(), model.nv())?;
    check_length("derivatives (columns)", out.psi_dot.len(), model.nv())?;
    if let Some(external) = external {
        check_length("external", external.len(), model.n_bodies())?;
    }
    update_inertias(model, data);
    update_velocities(model, data, v);
    outward(model, data, v, a, external, out);
    accumulate_inertias(model, data);
    accumulate_velocity_inertias(model, data);
    accumulate_forces(model, data);
    fill(model, data, out);
    Ok(())
}

/// Accelerations, forces, B, ψ̇ and ψ̈. `data.composite` still holds single bodies.
fn outward(
    model: &Model,
    data: &mut Data,
    v: &[f64],
    a: &[f64],
    external: Option<&[Force]>,
    out: &mut RneaDerivatives,
) {
    data.world_acceleration[0] = Motion::new(-model.gravity, Vector3::zeros());
    for (k, link) in model.links.iter().enumerate() {
        let i = k + 1;
        let (parent_v, parent_a) = (
            data.world_velocity[link.parent],
            data.world_acceleration[link.parent],
        );
        let (velocity, inertia) = (data.world_velocity[i], data.composite[i]);
        let mut acceleration = parent_a;
        for dof in link.v() {
            let column = data.jacobian[dof];
            let rate = velocity.cross(&column);
            let psi_dot = parent_v.cross(&column);
            acceleration += column * a[dof] + rate * v[dof];
            data.jacobian_rate[dof] = rate;
            out.psi_dot[dof] = psi_dot;
            out.psi_ddot[dof] = parent_a.cross(&column) + parent_v.cross(&psi_dot);
        }
        let mut force = inertia.mul(&acceleration) + velocity.cross_force(&inertia.mul(&velocity));
        if let Some(external) = external {
            force -= relative_pose(model, &data.pose, i).apply_force(&external[i]);
        }
        data.world_acceleration[i] = acceleration;
        data.world_force[i] = force;
        data.velocity_inertia[i] = VelocityInertia::new(&inertia, &velocity);
    }
}

fn accumulate_forces(model: &Model, data: &mut Data) {
    for (k, link) in model.links.iter().enumerate().rev() {
        if link.parent != 0 {
            let force = data.world_force[k + 1];
            data.world_force[link.parent] += force;
        }
    }
}

/// Each pair of a degree of freedom `low` and one above it, or of the same joint, `high`.
fn fill(model: &Model, data: &Data, out: &mut RneaDerivatives) {
    out.dtau_dq.fill(0.0);
    out.dtau_dv.fill(0.0);
    out.dtau_da.fill(0.0);
    for low in 0..model.nv() {
        let body = model.topology.dof_body[low];
        let (inertia, b) = (&data.composite[body], &data.velocity_inertia[body]);
        let column = &data.jacobian[low];
        let (psi_dot, psi_ddot) = (&out.psi_dot[low], &out.psi_ddot[low]);

        // forces on the subtree of `low` when its own coordinate or velocity changes
        let carried = column.cross_force(&data.world_force[body]);
        let force_q = inertia.mul(psi_ddot) + b.mul(psi_dot);
        let force_v = inertia.mul(&(data.jacobian_rate[low] + *psi_dot)) + b.mul(column);
        // and what the subtree's momentum sees of a change above
        let row = inertia.mul(column);
        let row_b = b.tr_mul(column);

        // the joint's own degrees of freedom first, all pairs among them
        let own = model.links[body - 1].v();
        for high in own.clone() {
            let j = &data.jacobian[high];
            // here the column `high` is carried along too, which takes the turning term away
            out.dtau_dq[(high, low)] = j.dot(&force_q);
            out.dtau_dv[(high, low)] = j.dot(&force_v);
            out.dtau_da[(high, low)] = j.dot(&row);
        }
        out.dtau_da[(low, low)] += model.armature[low];

        let force_q = force_q + carried;
        let mut high = model.topology.dof_parent[own.start];
        while high != NO_DOF {
            let j = &data.jacobian[high];
            out.dtau_dq[(high, low)] = j.dot(&force_q);
            out.dtau_dv[(high, low)] = j.dot(&force_v);
            let mass = j.dot(&row);
            out.dtau_da[(high, low)] = mass;
            out.dtau_da[(low, high)] = mass;

            let (dot, ddot) = (&out.psi_dot[high], &out.psi_ddot[high]);
            let rate = data.jacobian_rate[high] + *dot;
            out.dtau_dq[(low, high)] = ddot.dot(&row) + row_b.dot(&dot.angular);
            out.dtau_dv[(low, high)] = rate.dot(&row) + row_b.dot(&j.angular);
            high = model.topology.dof_parent[high];
        }
    }
}
