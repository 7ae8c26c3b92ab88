//! The configuration manifold: q moves by velocities, not by addition.

use std::ops::Range;

use rand::Rng;

use crate::error::{DynamicsError, Result, check_length};
use crate::joint::{JointKernel, with_kernel};
use crate::model::Model;

impl Model {
    /// The configuration at which no joint moves its body (quaternions are (0, 0, 0, 1)).
    pub fn neutral(&self) -> Vec<f64> {
        let mut q = vec![0.0; self.nq()];
        for link in &self.links {
            with_kernel!(&link.joint, j => j.neutral(&mut q[link.q()]));
        }
        q
    }
}

/// q_next = q ⊕ (v · dt): the configuration reached from `q` at constant velocity `v` after `dt`
/// seconds. Rotations follow the exponential map; quaternions leave with unit length.
pub fn integrate(model: &Model, q: &[f64], v: &[f64], dt: f64, q_next: &mut [f64]) -> Result<()> {
    check_length("q", q.len(), model.nq())?;
    check_length("v", v.len(), model.nv())?;
    check_length("q_next", q_next.len(), model.nq())?;
    for link in &model.links {
        with_kernel!(&link.joint, j => step(j, link, q, v, dt, q_next));
    }
    Ok(())
}

/// q_next = q ⊕ u on some of the model's links.
pub(crate) fn displace(
    model: &Model,
    links: Range<usize>,
    q: &[f64],
    u: &[f64],
    q_next: &mut [f64],
) {
    for link in &model.links[links] {
        with_kernel!(&link.joint, j => j.integrate(&q[link.q()], &u[link.v()], &mut q_next[link.q()]));
    }
}

/// Jr(u)⁻¹ v on some of the model's links: the rate of u where q ⊕ u moves with velocity v.
pub(crate) fn exponential_rate(
    model: &Model,
    links: Range<usize>,
    u: &[f64],
    v: &[f64],
    out: &mut [f64],
) {
    for link in &model.links[links] {
        let v_range = link.v();
        with_kernel!(&link.joint, j => {
            j.exponential_rate(&u[v_range.clone()], &v[v_range.clone()], &mut out[v_range]);
        });
    }
}

#[inline]
fn step<J: JointKernel>(
    joint: &J,
    link: &crate::model::Link,
    q: &[f64],
    v: &[f64],
    dt: f64,
    q_next: &mut [f64],
) {
    let mut scaled = [0.0; 6];
    for (s, v) in scaled.iter_mut().zip(&v[link.v()]) {
        *s = v * dt;
    }
    joint.integrate(&q[link.q()], &scaled[..J::NV], &mut q_next[link.q()]);
}

/// v = to ⊖ from: the constant velocity that goes from one configuration to the other in one
/// second, along the shortest rotations. `integrate(from, v, 1)` gives `to` (a continuous joint up
/// to whole turns, a quaternion up to its sign).
pub fn difference(model: &Model, from: &[f64], to: &[f64], v: &mut [f64]) -> Result<()> {
    check_length("from", from.len(), model.nq())?;
    check_length("to", to.len(), model.nq())?;
    check_length("v", v.len(), model.nv())?;
    for link in &model.links {
        let (a, b) = (&from[link.q()], &to[link.q()]);
        with_kernel!(&link.joint, j => j.difference(a, b, &mut v[link.v()]));
    }
    Ok(())
}

/// The same on some of the model's links.
pub(crate) fn difference_of(
    model: &Model,
    links: Range<usize>,
    from: &[f64],
    to: &[f64],
    v: &mut [f64],
) {
    for link in &model.links[links] {
        let (a, b) = (&from[link.q()], &to[link.q()]);
        with_kernel!(&link.joint, j => j.difference(a, b, &mut v[link.v()]));
    }
}

/// The configuration at fraction `t` of the way from `from` (t = 0) to `to` (t = 1).
pub fn interpolate(model: &Model, from: &[f64], to: &[f64], t: f64, q: &mut [f64]) -> Result<()> {
    check_length("from", from.len(), model.nq())?;
    check_length("to", to.len(), model.nq())?;
    check_length("q", q.len(), model.nq())?;
    for link in &model.links {
        let mut way = [0.0; 6];
        let way = &mut way[..link.joint.nv()];
        let (a, b) = (&from[link.q()], &to[link.q()]);
        with_kernel!(&link.joint, j => {
            j.difference(a, b, way);
            way.iter_mut().for_each(|x| *x *= t);
            j.integrate(a, way, &mut q[link.q()]);
        });
    }
    Ok(())
}

/// A random configuration: rotations uniform, limited coordinates uniform between their limits,
/// unlimited angles within half a turn and unlimited translations within one metre of zero.
pub fn random_configuration(model: &Model, rng: &mut dyn Rng, q: &mut [f64]) -> Result<()> {
    check_length("q", q.len(), model.nq())?;
    for link in &model.links {
        let mut limits = [(0.0, 0.0); 6];
        for (limit, dof) in limits.iter_mut().zip(&model.dofs[link.v()]) {
            *limit = (dof.lower, dof.upper);
        }
        let limits = &limits[..link.joint.nv()];
        with_kernel!(&link.joint, j => j.random(limits, rng, &mut q[link.q()]));
    }
    Ok(())
}

/// Brings every quaternion in `q` to unit length. On error `q` may be partly normalised.
pub fn normalize(model: &Model, q: &mut [f64]) -> Result<()> {
    check_length("q", q.len(), model.nq())?;
    for link in &model.links {
        let ok = with_kernel!(&link.joint, j => j.normalize(&mut q[link.q()]));
        if !ok {
            let joint = model.joint_name_of_dof(link.v_start);
            return Err(DynamicsError::BadQuaternion { joint });
        }
    }
    Ok(())
}
