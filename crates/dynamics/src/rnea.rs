//! Inverse dynamics: the recursive Newton–Euler algorithm, [RBDA, table 5.1].

use crate::data::Data;
use crate::error::{Result, check_length};
use crate::joint::{JointKernel, with_kernel};
use crate::model::{Link, Model};
use crate::spatial::{Force, Motion};

/// Torques τ = M(q) a + h(q, v) − Jᵀ f_ext that give the accelerations `a`.
///
/// `external` holds one force per body (index 0, the world, is ignored), acting on the body, in
/// the body's frame (N, N·m). The result is in N for sliding and N·m for turning degrees of
/// freedom; for a free joint it is a force then a moment, in the body's axes.
pub fn rnea<'d>(
    model: &Model,
    data: &'d mut Data,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    external: Option<&[Force]>,
) -> Result<&'d [f64]> {
    check_length("v", v.len(), model.nv())?;
    check_length("a", a.len(), model.nv())?;
    run(model, data, q, Some(v), Some(a), external)
}

/// h(q, v): the torques of Coriolis, centrifugal and gravity effects, rnea with a = 0.
pub fn nonlinear_effects<'d>(
    model: &Model,
    data: &'d mut Data,
    q: &[f64],
    v: &[f64],
) -> Result<&'d [f64]> {
    check_length("v", v.len(), model.nv())?;
    run(model, data, q, Some(v), None, None)
}

/// g(q): the torques that hold the robot still, rnea with v = a = 0.
pub fn gravity_torque<'d>(model: &Model, data: &'d mut Data, q: &[f64]) -> Result<&'d [f64]> {
    run(model, data, q, None, None, None)
}

/// h(q, v) − Jᵀ f_ext as of the last
/// [`forward_kinematics_velocity`](crate::forward_kinematics_velocity), whose `v` this is;
/// `external` as in [`rnea`].
pub fn bias_from_kinematics<'d>(
    model: &Model,
    data: &'d mut Data,
    v: &[f64],
    external: &[Force],
) -> Result<&'d [f64]> {
    data.check(model)?;
    check_length("v", v.len(), model.nv())?;
    check_length("external", external.len(), model.n_bodies())?;
    data.proper_acceleration[0] = Motion::new(-model.gravity, Default::default());
    data.force[0] = Force::zero();
    for (k, link) in model.links.iter().enumerate() {
        let velocity = data.velocity[k + 1];
        let carried =
            data.local[k + 1].apply_inverse_motion(&data.proper_acceleration[link.parent]);
        let own = with_kernel!(&link.joint, j => j.bias(&velocity, &v[link.v()]));
        let acceleration = carried + own;
        let momentum = link.inertia.mul(&velocity);
        data.force[k + 1] =
            velocity.cross_force(&momentum) + link.inertia.mul(&acceleration) - external[k + 1];
        data.proper_acceleration[k + 1] = acceleration;
    }
    inward(model, data);
    Ok(&data.torque)
}

fn run<'d>(
    model: &Model,
    data: &'d mut Data,
    q: &[f64],
    v: Option<&[f64]>,
    a: Option<&[f64]>,
    external: Option<&[Force]>,
) -> Result<&'d [f64]> {
    data.check(model)?;
    check_length("q", q.len(), model.nq())?;
    if let Some(external) = external {
        check_length("external", external.len(), model.n_bodies())?;
    }
    data.velocity[0] = Motion::zero();
    // an upward acceleration of the world stands for gravity
    data.proper_acceleration[0] = Motion::new(-model.gravity, Default::default());
    data.force[0] = Force::zero();

    // outward: velocities, accelerations and the net force of each body
    match (v, a) {
        (Some(v), Some(a)) => {
            for (k, link) in model.links.iter().enumerate() {
                with_kernel!(&link.joint, j => outward::<_, true, true>(j, link, k + 1, data, q, v, a));
            }
        }
        (Some(v), None) => {
            for (k, link) in model.links.iter().enumerate() {
                with_kernel!(&link.joint, j => outward::<_, true, false>(j, link, k + 1, data, q, v, &[]));
            }
        }
        _ => {
            for (k, link) in model.links.iter().enumerate() {
                with_kernel!(&link.joint, j => outward::<_, false, false>(j, link, k + 1, data, q, &[], &[]));
            }
        }
    }
    if let Some(external) = external {
        for i in 1..model.n_bodies() {
            data.force[i] -= external[i];
        }
    }

    inward(model, data);
    if let Some(a) = a {
        for ((torque, armature), a) in data.torque.iter_mut().zip(&model.armature).zip(a) {
            *torque += armature * a;
        }
    }
    Ok(&data.torque)
}

/// The inward pass: forces through the joints.
fn inward(model: &Model, data: &mut Data) {
    let Data {
        local,
        force,
        torque,
        ..
    } = data;
    for (k, link) in model.links.iter().enumerate().rev() {
        let through = force[k + 1];
        link.joint.project(&through, &mut torque[link.v()]);
        force[link.parent] += local[k + 1].apply_force(&through);
    }
}

/// One body of the outward pass. `V` and `A` say whether velocities and accelerations are given.
#[inline(always)]
fn outward<J: JointKernel, const V: bool, const A: bool>(
    joint: &J,
    link: &Link,
    i: usize,
    data: &mut Data,
    q: &[f64],
    v: &[f64],
    a: &[f64],
) {
    let local = joint.transform(&link.placement, &q[link.q_start..link.q_start + J::NQ]);
    let dofs = link.v_start..link.v_start + J::NV;
    let mut acceleration = local.apply_inverse_motion(&data.proper_acceleration[link.parent]);
    if A {
        acceleration += joint.velocity(&a[dofs.clone()]);
    }
    let mut force = Force::zero();
    if V {
        let vj = &v[dofs];
        let velocity = local.apply_inverse_motion(&data.velocity[link.parent]) + joint.velocity(vj);
        acceleration += joint.bias(&velocity, vj);
        force = velocity.cross_force(&link.inertia.mul(&velocity));
        data.velocity[i] = velocity;
    }
    data.force[i] = force + link.inertia.mul(&acceleration);
    data.proper_acceleration[i] = acceleration;
    data.local[i] = local;
}
