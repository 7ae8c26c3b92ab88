//! Forward dynamics: the articulated-body algorithm, [RBDA, table 7.1].
//!
//! For a joint with one degree of freedom the joint-space inertia d is a number. For more it is a
//! small matrix D = C Cᵀ, and instead of U = I^A S the columns W = U C⁻ᵀ are kept, so that
//! U D⁻¹ Uᵀ = W Wᵀ and every use of D⁻¹ becomes a triangular solve.

use std::ops::Range;

use crate::data::Data;
use crate::error::{DynamicsError, Result, check_length};
use crate::joint::{JointKernel, with_kernel};
use crate::model::{Link, Model};
use crate::spatial::{ArticulatedInertia, Force, Motion, Transform};

/// Accelerations v̇ = M⁻¹ (τ + Jᵀ f_ext − h(q, v)).
///
/// `external` holds one force per body (index 0, the world, is ignored), acting on the body, in
/// the body's frame (N, N·m).
///
/// # Errors
/// If a length is wrong, or the inertia seen by a joint is not positive (massless bodies that
/// nothing holds, or input that is not finite).
pub fn aba<'d>(
    model: &Model,
    data: &'d mut Data,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    external: Option<&[Force]>,
) -> Result<&'d [f64]> {
    data.check(model)?;
    check_length("q", q.len(), model.nq())?;
    check_length("v", v.len(), model.nv())?;
    check_length("tau", tau.len(), model.nv())?;
    if let Some(external) = external {
        check_length("external", external.len(), model.n_bodies())?;
    }
    data.velocity[0] = Motion::zero();
    data.proper_acceleration[0] = Motion::new(-model.gravity, Default::default());

    for &k in &model.topology.pass_order {
        let link = &model.links[k];
        with_kernel!(&link.joint, j => outward_velocity(j, link, k + 1, data, q, v));
    }
    if let Some(external) = external {
        for i in 1..model.n_bodies() {
            data.force[i] -= external[i];
        }
    }
    accelerations(model, data, 0..model.links.len(), tau, &model.armature)?;
    Ok(&data.joint_acceleration)
}

/// Velocities, bias accelerations and bias forces of whole trees, from `data.local`: the first pass of
/// [`aba`] at a configuration that is already there.
pub(crate) fn velocities(model: &Model, data: &mut Data, links: Range<usize>, v: &[f64]) {
    data.velocity[0] = Motion::zero();
    data.proper_acceleration[0] = Motion::new(-model.gravity, Default::default());
    for &k in &model.topology.pass_order[links] {
        let link = &model.links[k];
        let local = data.local[k + 1];
        with_kernel!(&link.joint, j => carry_velocity(j, link, k + 1, data, local, v));
    }
}

/// The second and third pass of [`aba`] on whole trees (`links` is a range of the model's); `diagonal` is
/// what joint space adds to the mass matrix.
pub(crate) fn accelerations(
    model: &Model,
    data: &mut Data,
    links: Range<usize>,
    tau: &[f64],
    diagonal: &[f64],
) -> Result<()> {
    for &k in model.topology.pass_order[links.clone()].iter().rev() {
        let link = &model.links[k];
        with_kernel!(&link.joint, j => {
            let left = release(j, model, link, k + 1, data, diagonal)?;
            let mut force = inward_force(j, model, link, k + 1, data, tau);
            if link.parent != 0 {
                force += match left {
                    Left::Freed(rest) => j.freed_times_bias(&rest, &data.bias[k + 1]),
                    Left::Resisted(rest) => rest.mul(&data.bias[k + 1]),
                };
                hand_force(j, link, k + 1, data, &force);
            }
        });
    }
    for &k in &model.topology.pass_order[links] {
        let link = &model.links[k];
        with_kernel!(&link.joint, j => outward_acceleration::<_, true>(j, model, link, k + 1, data));
    }
    Ok(())
}

/// M⁻¹ x of one tree, given as a range that [`Model::trees`] gives, as of the last
/// [`forward_kinematics`](crate::forward_kinematics); all vectors are those of the whole model.
///
/// # Errors
/// Wrong lengths, bodies that the model does not have, a joint without inertia.
pub fn tree_response_from_kinematics<'d>(
    model: &Model,
    data: &'d mut Data,
    tree: Range<usize>,
    x: &[f64],
) -> Result<&'d [f64]> {
    data.check(model)?;
    check_length("x", x.len(), model.nv())?;
    check_length(
        "tree (last body)",
        tree.end,
        model.topology.tree_end(tree.start),
    )?;
    let links = tree.start - 1..tree.end - 1;
    solve_with_diagonal(model, data, links, x, &model.armature)?;
    Ok(&data.joint_acceleration)
}

/// `data.joint_acceleration` = (M + diagonal)⁻¹ x of whole trees at the configuration of `data.local`,
/// with M without armature.
pub(crate) fn solve_with_diagonal(
    model: &Model,
    data: &mut Data,
    links: Range<usize>,
    x: &[f64],
    diagonal: &[f64],
) -> Result<()> {
    data.proper_acceleration[0] = Motion::zero();
    for (k, link) in links.clone().zip(&model.links[links.clone()]) {
        data.force[k + 1] = Force::zero();
        data.articulated[k + 1] = ArticulatedInertia::from(&link.inertia);
    }
    for &k in model.topology.pass_order[links.clone()].iter().rev() {
        let link = &model.links[k];
        with_kernel!(&link.joint, j => {
            release(j, model, link, k + 1, data, diagonal)?;
            let force = inward_force(j, model, link, k + 1, data, x);
            hand_force(j, link, k + 1, data, &force);
        });
    }
    for &k in &model.topology.pass_order[links] {
        let link = &model.links[k];
        with_kernel!(&link.joint, j => outward_acceleration::<_, false>(j, model, link, k + 1, data));
    }
    Ok(())
}

/// Articulated inertias of whole trees at the configuration of `data.local`, for [`solve_factored`].
pub(crate) fn factor_tree(model: &Model, data: &mut Data, links: Range<usize>) -> Result<()> {
    for (k, link) in links.clone().zip(&model.links[links.clone()]) {
        data.articulated[k + 1] = ArticulatedInertia::from(&link.inertia);
    }
    for &k in model.topology.pass_order[links].iter().rev() {
        let link = &model.links[k];
        with_kernel!(&link.joint, j => { release(j, model, link, k + 1, data, &model.armature)?; });
    }
    Ok(())
}

/// `data.joint_acceleration` = M⁻¹ x of whole trees after [`factor_tree`] or [`accelerations`].
pub(crate) fn solve_factored(model: &Model, data: &mut Data, links: Range<usize>, x: &[f64]) {
    data.proper_acceleration[0] = Motion::zero();
    data.force[links.start + 1..links.end + 1].fill(Force::zero());
    for &k in model.topology.pass_order[links.clone()].iter().rev() {
        let link = &model.links[k];
        with_kernel!(&link.joint, j => {
            let force = inward_force(j, model, link, k + 1, data, x);
            hand_force(j, link, k + 1, data, &force);
        });
    }
    for &k in &model.topology.pass_order[links] {
        let link = &model.links[k];
        with_kernel!(&link.joint, j => outward_acceleration::<_, false>(j, model, link, k + 1, data));
    }
}

/// Articulated inertias at configuration `q`, after which [`mass_inverse_product`] applies M⁻¹ to
/// any number of vectors at linear cost each.
pub fn articulated_inertias(model: &Model, data: &mut Data, q: &[f64]) -> Result<()> {
    data.check(model)?;
    check_length("q", q.len(), model.nq())?;
    for (k, link) in model.links.iter().enumerate() {
        data.local[k + 1] = link.joint.transform(&link.placement, &q[link.q()]);
        data.articulated[k + 1] = ArticulatedInertia::from(&link.inertia);
    }
    for &k in model.topology.pass_order.iter().rev() {
        let link = &model.links[k];
        with_kernel!(&link.joint, j => { release(j, model, link, k + 1, data, &model.armature)?; });
    }
    Ok(())
}

/// M⁻¹ x, linear in the number of bodies. Needs [`articulated_inertias`] or [`aba`] at the same
/// configuration.
pub fn mass_inverse_product<'d>(model: &Model, data: &'d mut Data, x: &[f64]) -> Result<&'d [f64]> {
    data.check(model)?;
    check_length("x", x.len(), model.nv())?;
    solve_factored(model, data, 0..model.links.len(), x);
    Ok(&data.joint_acceleration)
}

/// First pass: poses, velocities, bias accelerations and bias forces.
#[inline(always)]
fn outward_velocity<J: JointKernel>(
    joint: &J,
    link: &Link,
    i: usize,
    data: &mut Data,
    q: &[f64],
    v: &[f64],
) {
    let local = joint.transform(&link.placement, &q[link.q_start..link.q_start + J::NQ]);
    carry_velocity(joint, link, i, data, local, v);
    data.local[i] = local;
}

/// The same where the pose in the parent is known.
#[inline(always)]
fn carry_velocity<J: JointKernel>(
    joint: &J,
    link: &Link,
    i: usize,
    data: &mut Data,
    local: Transform,
    v: &[f64],
) {
    let vj = &v[link.v_start..link.v_start + J::NV];
    let carried = joint.motion_from_parent(&local, &data.velocity[link.parent]);
    let velocity = joint.add_velocity(carried, vj);
    data.bias[i] = joint.bias(&velocity, vj);
    data.force[i] = velocity.cross_force(&link.inertia.mul(&velocity));
    data.articulated[i] = ArticulatedInertia::from(&link.inertia);
    data.velocity[i] = velocity;
}

/// What is left of a body's inertia once its joint is released.
enum Left {
    /// Where nothing else resists the joint: nothing along the joint's axes, so that less need be looked at.
    Freed(ArticulatedInertia),
    /// Where the joint has inertia of its own.
    Resisted(ArticulatedInertia),
}

/// Second pass, inertia: frees the joint of body `i` and hands the rest to its parent.
#[inline(always)]
fn release<J: JointKernel>(
    joint: &J,
    model: &Model,
    link: &Link,
    i: usize,
    data: &mut Data,
    diagonal: &[f64],
) -> Result<Left> {
    let inertia = &data.articulated[i];
    let start = link.v_start;
    let left = if J::NV == 1 {
        let u = joint.inertia_column(inertia, 0);
        let mut d = [0.0];
        joint.project(&u, &mut d);
        let d = d[0] + diagonal[start];
        check_pivot(model, start, d)?;
        let inverse = 1.0 / d;
        data.released[start] = u;
        data.pivots[model.topology.pivot_start[i]] = inverse;
        let rest = inertia.minus_outer(&u, inverse);
        match diagonal[start] == 0.0 {
            true => Left::Freed(rest),
            false => Left::Resisted(rest),
        }
    } else {
        let pivots = &mut data.pivots[model.topology.pivot_start[i]..][..J::NV * J::NV];
        let columns = &mut data.released[start..start + J::NV];
        release_several(joint, model, start, inertia, columns, pivots, diagonal)?;
        let columns = columns.iter();
        Left::Resisted(columns.fold(*inertia, |rest, w| rest.minus_outer(w, 1.0)))
    };
    // the world needs to know nothing
    if link.parent != 0 {
        let local = &data.local[i];
        data.articulated[link.parent] += match &left {
            Left::Freed(rest) => joint.freed_to_parent(local, rest),
            Left::Resisted(rest) => joint.inertia_to_parent(local, rest),
        };
    }
    Ok(left)
}

/// Cholesky factor C of the joint-space inertia (row-major in `pivots`, inverse diagonal) and the
/// columns W = U C⁻ᵀ.
#[inline]
fn release_several<J: JointKernel>(
    joint: &J,
    model: &Model,
    start: usize,
    inertia: &ArticulatedInertia,
    columns: &mut [Force],
    pivots: &mut [f64],
    diagonal: &[f64],
) -> Result<()> {
    let n = J::NV;
    for k in 0..n {
        columns[k] = joint.inertia_column(inertia, k);
        joint.project(&columns[k], &mut pivots[k * n..(k + 1) * n]);
        pivots[k * n + k] += diagonal[start + k];
    }
    for k in 0..n {
        for j in 0..k {
            let mut sum = pivots[k * n + j];
            for l in 0..j {
                sum -= pivots[k * n + l] * pivots[j * n + l];
            }
            pivots[k * n + j] = sum * pivots[j * n + j];
        }
        let mut d = pivots[k * n + k];
        let mut column = columns[k];
        for j in 0..k {
            let c = pivots[k * n + j];
            d -= c * c;
            column -= columns[j] * c;
        }
        check_pivot(model, start + k, d)?;
        let inverse = 1.0 / d.sqrt();
        pivots[k * n + k] = inverse;
        columns[k] = column * inverse;
    }
    Ok(())
}

/// Second pass, force: the torque left for each joint; returns what is left of the force.
#[inline(always)]
fn inward_force<J: JointKernel>(
    joint: &J,
    model: &Model,
    link: &Link,
    i: usize,
    data: &mut Data,
    tau: &[f64],
) -> Force {
    let (n, start) = (J::NV, link.v_start);
    let mut force = data.force[i];
    let mut projected = [0.0; 6];
    joint.project(&force, &mut projected[..n]);
    if n == 1 {
        let u = tau[start] - projected[0];
        data.residual_torque[start] = u;
        force += data.released[start] * (u * data.pivots[model.topology.pivot_start[i]]);
    } else {
        let pivots = &data.pivots[model.topology.pivot_start[i]..][..n * n];
        for k in 0..n {
            let mut u = tau[start + k] - projected[k];
            for j in 0..k {
                u -= pivots[k * n + j] * data.residual_torque[start + j];
            }
            u *= pivots[k * n + k];
            data.residual_torque[start + k] = u;
            force += data.released[start + k] * u;
        }
    }
    force
}

/// Hands what is left of the force on body `i` to its parent.
#[inline(always)]
fn hand_force<J: JointKernel>(joint: &J, link: &Link, i: usize, data: &mut Data, force: &Force) {
    if link.parent != 0 {
        data.force[link.parent] += joint.force_to_parent(&data.local[i], force);
    }
}

/// Third pass: accelerations of joints and bodies.
#[inline(always)]
fn outward_acceleration<J: JointKernel, const BIAS: bool>(
    joint: &J,
    model: &Model,
    link: &Link,
    i: usize,
    data: &mut Data,
) {
    let (n, start) = (J::NV, link.v_start);
    let mut carried =
        joint.motion_from_parent(&data.local[i], &data.proper_acceleration[link.parent]);
    if BIAS {
        carried += data.bias[i];
    }
    if n == 1 {
        let left = data.residual_torque[start] - carried.dot(&data.released[start]);
        data.joint_acceleration[start] = left * data.pivots[model.topology.pivot_start[i]];
    } else {
        let pivots = &data.pivots[model.topology.pivot_start[i]..][..n * n];
        for k in (0..n).rev() {
            let mut x = data.residual_torque[start + k] - carried.dot(&data.released[start + k]);
            for l in k + 1..n {
                x -= pivots[l * n + k] * data.joint_acceleration[start + l];
            }
            data.joint_acceleration[start + k] = x * pivots[k * n + k];
        }
    }
    data.proper_acceleration[i] =
        joint.add_velocity(carried, &data.joint_acceleration[start..start + n]);
}

#[inline(always)]
fn check_pivot(model: &Model, dof: usize, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(singular(model, dof, value))
    }
}

#[cold]
#[inline(never)]
fn singular(model: &Model, dof: usize, value: f64) -> DynamicsError {
    DynamicsError::NotPositiveDefinite {
        joint: model.joint_name_of_dof(dof),
        dof,
        value,
    }
}
