//! Accelerations, energy and momentum of a tree at a state.

use nalgebra::{Matrix3, Vector3};

use super::forces::{JointSpaceForces, StiffForces};
use super::part::TreePart;
use crate::aba::{accelerations, velocities};
use crate::data::Data;
use crate::error::Result;
use crate::joint::{JointKernel, with_kernel};
use crate::model::Model;
use crate::spatial::{Force, Inertia, Motion, Transform};

/// Computes accelerations of trees. What a tree's part of the buffers holds belongs to the state at which
/// it [arrived](Self::arrive) last.
#[derive(Debug, Clone)]
pub(super) struct Evaluation {
    pub(super) data: Data,
    /// Torque of the last accelerations.
    tau: Vec<f64>,
    /// Constant torque of stiff forces in this step.
    pub(super) held: Vec<f64>,
    /// What joint space adds to the mass matrix, implicit gains included.
    pub(super) diagonal: Vec<f64>,
    pub(super) scratch: [Vec<f64>; 2],
    /// Positions to work with.
    pub(super) end: Vec<f64>,
}

/// What forces do at a state.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Action {
    /// Power of what has no potential, W.
    pub(super) power: f64,
    /// Whether nothing but gravity acts on the base of a floating tree.
    pub(super) is_base_free: bool,
}

/// Energy and momentum of a tree at a state.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Measure {
    /// J.
    pub(super) kinetic: f64,
    /// Of gravity, J.
    pub(super) height: f64,
    /// Of springs, J.
    pub(super) springs: f64,
    /// Of a tree that floats.
    pub(super) floating: Option<Floating>,
}

/// A floating tree as one body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Floating {
    /// kg·m/s.
    pub(super) linear: Vector3<f64>,
    /// About the centre of mass, kg·m²/s.
    pub(super) angular: Vector3<f64>,
    /// Centre of mass in the world, m.
    pub(super) center: Vector3<f64>,
    /// From the centre of mass to the base's origin, m.
    pub(super) arm: Vector3<f64>,
    /// Inverse of the rotational inertia about the centre of mass, 1/(kg·m²).
    pub(super) inverse: Matrix3<f64>,
    /// Orientation of the base.
    pub(super) rotation: Matrix3<f64>,
}

impl Measure {
    pub(super) fn energy(&self) -> f64 {
        self.kinetic + self.height + self.springs
    }

    /// Kinetic energy without that of a floating tree's centre of mass, J.
    pub(super) fn internal(&self, mass: f64) -> f64 {
        let whole = self
            .floating
            .map_or(0.0, |f| 0.5 * f.linear.norm_squared() / mass);
        (self.kinetic - whole).max(0.0)
    }

    pub(super) fn is_finite(&self) -> bool {
        self.energy().is_finite()
    }
}

impl Evaluation {
    pub(super) fn new(model: &Model) -> Self {
        let zeros = || vec![0.0; model.nv()];
        Self {
            data: Data::new(model),
            tau: zeros(),
            held: zeros(),
            diagonal: model.armature.clone(),
            scratch: [zeros(), zeros()],
            end: model.neutral(),
        }
    }

    /// What forces do at (q, v) if they are those of the last accelerations.
    pub(super) fn recall(
        &mut self,
        part: &TreePart,
        forces: &dyn JointSpaceForces,
        q: &[f64],
        v: &[f64],
    ) -> Option<Action> {
        let [tau, _] = &mut self.scratch;
        let power = forces.torque(q, v, tau);
        let is_same = self.tau[part.v.clone()] == tau[part.v.clone()];
        is_same.then(|| Action {
            power,
            is_base_free: self.is_base_free(part, forces),
        })
    }

    fn is_base_free(&self, part: &TreePart, forces: &dyn JointSpaceForces) -> bool {
        let base = part.v.start..part.v.start + 6;
        part.floats && forces.wrenches().is_none() && self.tau[base].iter().all(|&tau| tau == 0.0)
    }

    pub(super) fn forget_held(&mut self, part: &TreePart) {
        self.held[part.v.clone()].fill(0.0);
    }

    /// Poses and velocities of the bodies, and what is measured from them.
    pub(super) fn arrive(
        &mut self,
        model: &Model,
        part: &TreePart,
        forces: &dyn JointSpaceForces,
        q: &[f64],
        v: &[f64],
    ) -> Measure {
        self.place(model, part, q, v);
        self.update_poses(model, part);
        self.measure(model, part, forces, q, v)
    }

    /// Poses in parents, and velocities.
    pub(super) fn place(&mut self, model: &Model, part: &TreePart, q: &[f64], v: &[f64]) {
        for (k, link) in part.links.clone().zip(&model.links[part.links.clone()]) {
            self.data.local[k + 1] = link.joint.transform(&link.placement, &q[link.q()]);
        }
        velocities(model, &mut self.data, part.links.clone(), v);
    }

    /// Moves a floating tree, which has just arrived, by `shift` m in world axes.
    pub(super) fn shift(
        &mut self,
        model: &Model,
        part: &TreePart,
        shift: &Vector3<f64>,
        q: &mut [f64],
    ) {
        let root = &model.links[part.links.start];
        let own = root.placement.rotation.tr_mul(shift);
        for axis in 0..3 {
            q[part.q.start + axis] += own[axis];
        }
        let root_body = part.links.start + 1;
        self.data.local[root_body] = root.joint.transform(&root.placement, &q[root.q()]);
    }

    /// Poses in the world where it was [placed](Self::place) last.
    pub(super) fn update_poses(&mut self, model: &Model, part: &TreePart) {
        let Data { local, pose, .. } = &mut self.data;
        for (k, link) in part.links.clone().zip(&model.links[part.links.clone()]) {
            pose[k + 1] = match link.parent {
                0 => local[k + 1],
                parent => pose[parent].compose(&local[k + 1]),
            };
        }
    }

    /// Accelerations of the bodies while the tree's velocities stay as they are.
    pub(super) fn update_bias(&mut self, model: &Model, part: &TreePart) {
        let data = &mut self.data;
        data.acceleration[0] = Motion::zero();
        for (k, link) in part.links.clone().zip(&model.links[part.links.clone()]) {
            let carried = data.local[k + 1].apply_inverse_motion(&data.acceleration[link.parent]);
            data.acceleration[k + 1] = carried + data.bias[k + 1];
        }
    }

    /// Accelerations at the state of the last [`arrive`](Self::arrive) or [`place`](Self::place).
    pub(super) fn accelerate(
        &mut self,
        model: &Model,
        part: &TreePart,
        forces: &dyn JointSpaceForces,
        [q, v]: [&[f64]; 2],
        out: &mut [f64],
    ) -> Result<Action> {
        let dofs = part.v.clone();
        let mut power = forces.torque(q, v, &mut self.tau);
        for dof in dofs.clone() {
            self.tau[dof] += self.held[dof];
            power += self.held[dof] * v[dof];
        }
        if let Some(wrenches) = forces.wrenches() {
            self.update_poses(model, part);
            for body in part.links.start + 1..part.links.end + 1 {
                let rotation = &self.data.pose[body].rotation;
                let force = Force::new(
                    rotation.tr_mul(&wrenches[body].linear),
                    rotation.tr_mul(&wrenches[body].angular),
                );
                power += self.data.velocity[body].dot(&force);
                self.data.force[body] -= force;
            }
        }
        let links = part.links.clone();
        accelerations(model, &mut self.data, links, &self.tau, &model.armature)?;
        out[dofs.clone()].copy_from_slice(&self.data.joint_acceleration[dofs]);
        Ok(Action {
            power,
            is_base_free: self.is_base_free(part, forces),
        })
    }

    /// Power of the torque of the last accelerations at other velocities, W, against potentials too.
    pub(super) fn torque_power(&self, part: &TreePart, v: &[f64]) -> f64 {
        part.v.clone().map(|dof| self.tau[dof] * v[dof]).sum()
    }

    /// xᵀ M x at the configuration of the last arrival.
    pub(super) fn quadratic(&mut self, model: &Model, part: &TreePart, x: &[f64]) -> f64 {
        let data = &mut self.data;
        data.acceleration[0] = Motion::zero();
        let mut sum = 0.0;
        for (k, link) in part.links.clone().zip(&model.links[part.links.clone()]) {
            let carried = data.local[k + 1].apply_inverse_motion(&data.acceleration[link.parent]);
            let own = with_kernel!(&link.joint, j => j.velocity(&x[link.v()]));
            let twist = carried + own;
            data.acceleration[k + 1] = twist;
            sum += twist.dot(&link.inertia.mul(&twist));
        }
        sum + rotors(model, part, x)
    }

    /// Kinetic energy at the velocities of the last arrival, J.
    pub(super) fn kinetic(&self, model: &Model, part: &TreePart, v: &[f64]) -> f64 {
        let mut twice = rotors(model, part, v);
        for (k, link) in part.links.clone().zip(&model.links[part.links.clone()]) {
            let velocity = &self.data.velocity[k + 1];
            twice += velocity.dot(&link.inertia.mul(velocity));
        }
        0.5 * twice
    }

    fn measure(
        &self,
        model: &Model,
        part: &TreePart,
        forces: &dyn JointSpaceForces,
        q: &[f64],
        v: &[f64],
    ) -> Measure {
        Measure {
            kinetic: self.kinetic(model, part, v),
            height: self.height(model, part),
            springs: forces.potential(q),
            floating: part.floats.then(|| self.as_one_body(model, part)).flatten(),
        }
    }

    /// Energy of gravity, J.
    pub(super) fn height(&self, model: &Model, part: &TreePart) -> f64 {
        let mut moment = Vector3::zeros();
        for (k, link) in part.links.clone().zip(&model.links[part.links.clone()]) {
            let pose = &self.data.pose[k + 1];
            moment += pose.rotation * link.inertia.first_moment;
            moment += pose.translation * link.inertia.mass;
        }
        -model.gravity.dot(&moment)
    }

    /// Momentum and inertia of a floating tree about its centre of mass.
    pub(super) fn as_one_body(&self, model: &Model, part: &TreePart) -> Option<Floating> {
        let base = &self.data.pose[part.links.start + 1];
        let (mut inertia, mut momentum) = (Inertia::default(), Force::zero());
        for (k, link) in part.links.clone().zip(&model.links[part.links.clone()]) {
            let pose = &self.data.pose[k + 1];
            let at = Transform::new(pose.rotation, pose.translation - base.translation);
            inertia += at.apply_inertia(&link.inertia);
            momentum += at.apply_force(&link.inertia.mul(&self.data.velocity[k + 1]));
        }
        let center = inertia.com();
        Some(Floating {
            linear: momentum.linear,
            angular: momentum.angular - center.cross(&momentum.linear),
            center: base.translation + center,
            arm: -center,
            inverse: inertia.about_com().to_matrix().cholesky()?.inverse(),
            rotation: base.rotation,
        })
    }
}

/// vᵀ D v of armatures and rotors.
fn rotors(model: &Model, part: &TreePart, v: &[f64]) -> f64 {
    let dofs = part.v.clone();
    dofs.map(|dof| model.armature[dof] * v[dof] * v[dof]).sum()
}

impl Evaluation {
    /// τ₀ of stiff forces: what implicit Euler finds from the state at which the tree has just arrived.
    pub(super) fn hold_stiff(
        &mut self,
        model: &Model,
        part: &TreePart,
        step: f64,
        forces: &dyn JointSpaceForces,
        stiff: &dyn StiffForces,
        [q, v]: [&[f64]; 2],
    ) -> Result<()> {
        let dofs = part.v.clone();
        let [tau, next] = &mut self.scratch;
        forces.torque(q, v, tau);
        stiff.add_torque(q, v, tau);
        for dof in dofs.clone() {
            let [stiffness, damping] = stiff.gains(dof);
            tau[dof] -= step * stiffness * v[dof];
            self.diagonal[dof] = model.armature[dof] + step * damping + step * step * stiffness;
        }
        let links = part.links.clone();
        accelerations(model, &mut self.data, links.clone(), tau, &self.diagonal)?;
        for dof in dofs.clone() {
            next[dof] = v[dof] + step * self.data.joint_acceleration[dof];
        }
        // The torque is linear: that at (q ⊕ h v₁, v₁).
        self.held[dofs.clone()].fill(0.0);
        stiff.add_torque(q, next, &mut self.held);
        for dof in dofs {
            let [stiffness, _] = stiff.gains(dof);
            self.held[dof] -= step * stiffness * next[dof];
        }
        velocities(model, &mut self.data, links, v);
        Ok(())
    }
}
