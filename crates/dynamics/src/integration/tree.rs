//! A tree's equations of motion at any state, for who moves it together with what it is joined to.

use std::ops::Range;

use nalgebra::{Matrix3, Vector3};

use super::evaluation::Evaluation;
use super::forces::JointSpaceForces;
use super::part::TreePart;
use crate::aba::{factor_tree, solve_factored};
use crate::configuration::{difference_of, displace, exponential_rate};
use crate::error::{DynamicsError, Result};
use crate::joint::with_kernel;
use crate::model::Model;
use crate::spatial::{Force, Motion};

/// Below this share of the force that a joint carries, what it resists is rounding.
const ROUNDING: f64 = 1e-13;

/// One tree of a model, at one state at a time. All positions and velocities are those of the tree alone, from
/// its first to its last. Keeps its storage.
#[derive(Debug, Clone)]
pub struct TreeDynamics {
    part: TreePart,
    evaluation: Evaluation,
    /// Of the whole model.
    q: Vec<f64>,
    v: Vec<f64>,
    u: Vec<f64>,
    out: Vec<f64>,
}

/// A body of a tree at the tree's state, world axes.
#[derive(Debug, Clone, Copy)]
pub struct TreeFrame {
    /// Orientation.
    pub rotation: Matrix3<f64>,
    /// Origin, m.
    pub position: Vector3<f64>,
    /// Of the origin, m/s.
    pub velocity: Vector3<f64>,
    /// rad/s.
    pub spin: Vector3<f64>,
    /// Of the origin while the tree's velocities stay as they are, m/s².
    pub bias: Vector3<f64>,
    /// The same of the spin, rad/s².
    pub angular_bias: Vector3<f64>,
}

/// Bodies as if they were one rigid body, world axes.
#[derive(Debug, Clone, Copy)]
pub struct OneBody {
    /// kg.
    pub mass: f64,
    /// Centre of mass, m.
    pub center: Vector3<f64>,
    /// Linear momentum, kg·m/s.
    pub linear: Vector3<f64>,
    /// Angular momentum about the centre of mass, kg·m²/s.
    pub angular: Vector3<f64>,
    /// About the centre of mass, kg·m².
    pub inertia: Matrix3<f64>,
}

impl TreeDynamics {
    /// For tree number `tree` of a model.
    ///
    /// # Errors
    /// A tree that the model does not have.
    pub fn new(model: &Model, tree: usize) -> Result<Self> {
        let bodies = model.trees().nth(tree);
        let bodies = bodies.ok_or_else(|| DynamicsError::UnknownIndex {
            kind: "tree",
            index: tree,
            count: model.trees().count(),
        })?;
        let zeros = || vec![0.0; model.nv()];
        Ok(Self {
            part: TreePart::new(model, bodies),
            evaluation: Evaluation::new(model),
            q: model.neutral(),
            v: zeros(),
            u: zeros(),
            out: zeros(),
        })
    }

    /// Its positions among those of the model.
    pub fn coordinates(&self) -> Range<usize> {
        self.part.q.clone()
    }

    /// Its velocities among those of the model.
    pub fn dofs(&self) -> Range<usize> {
        self.part.v.clone()
    }

    /// kg.
    pub fn mass(&self) -> f64 {
        self.part.mass
    }

    /// Whether it hangs on nothing.
    pub fn floats(&self) -> bool {
        self.part.floats
    }

    /// Writes q ⊕ u.
    pub fn displace(&mut self, model: &Model, q: &[f64], u: &[f64], to: &mut [f64]) {
        let Self {
            part,
            q: all,
            u: way,
            evaluation,
            ..
        } = self;
        let end = &mut evaluation.end;
        all[part.q.clone()].copy_from_slice(q);
        way[part.v.clone()].copy_from_slice(u);
        displace(model, part.links.clone(), all, way, end);
        to.copy_from_slice(&end[part.q.clone()]);
    }

    /// Writes Jr(u)⁻¹ v.
    pub fn exponential_rate(&mut self, model: &Model, u: &[f64], v: &[f64], to: &mut [f64]) {
        let dofs = self.part.v.clone();
        self.u[dofs.clone()].copy_from_slice(u);
        self.v[dofs.clone()].copy_from_slice(v);
        let links = self.part.links.clone();
        exponential_rate(model, links, &self.u, &self.v, &mut self.out);
        to.copy_from_slice(&self.out[dofs]);
    }

    /// Writes the velocity that leads from one place to another in unit time.
    pub fn difference(&mut self, model: &Model, from: &[f64], to: &[f64], v: &mut [f64]) {
        let Self {
            part,
            q,
            evaluation,
            out,
            ..
        } = self;
        let end = &mut evaluation.end;
        q[part.q.clone()].copy_from_slice(from);
        end[part.q.clone()].copy_from_slice(to);
        difference_of(model, part.links.clone(), q, end, out);
        v.copy_from_slice(&out[part.v.clone()]);
    }

    /// Goes to a state: everything below is of the state where it was placed last.
    pub fn place(&mut self, model: &Model, q: &[f64], v: &[f64]) {
        self.q[self.part.q.clone()].copy_from_slice(q);
        self.v[self.part.v.clone()].copy_from_slice(v);
        self.evaluation.place(model, &self.part, &self.q, &self.v);
        self.evaluation.update_poses(model, &self.part);
        self.evaluation.update_bias(model, &self.part);
    }

    /// A body, by its number in the model.
    pub fn frame(&self, body: usize) -> TreeFrame {
        let data = &self.evaluation.data;
        let (pose, velocity, bias) = (
            &data.pose[body],
            &data.velocity[body],
            &data.acceleration[body],
        );
        let rotation = pose.rotation;
        let turned = bias.linear + velocity.angular.cross(&velocity.linear);
        TreeFrame {
            rotation,
            position: pose.translation,
            velocity: rotation * velocity.linear,
            spin: rotation * velocity.angular,
            bias: rotation * turned,
            angular_bias: rotation * bias.angular,
        }
    }

    /// Adds to `out` what a force on a point and a torque on a body (world axes) are by degrees of freedom. What
    /// is rounding beside what the joints carry, `size` m away from the point at least, is left out: a joint
    /// across a flat linkage says nothing.
    pub fn add_force(
        &self,
        model: &Model,
        body: usize,
        [point, force, torque]: [&Vector3<f64>; 3],
        size: f64,
        out: &mut [f64],
    ) {
        let data = &self.evaluation.data;
        let pose = &data.pose[body];
        let moment = torque + (point - pose.translation).cross(force);
        let mut carried = Force::new(pose.rotation.tr_mul(force), pose.rotation.tr_mul(&moment));
        let mut body = body;
        let mut own = [0.0; 6];
        while body != 0 {
            let link = &model.links[body - 1];
            let count = link.joint.nv();
            link.joint.project(&carried, &mut own[..count]);
            let noise = ROUNDING * (carried.angular.norm() + size * carried.linear.norm());
            let first = link.v_start - self.part.v.start;
            for (out, own) in out[first..first + count].iter_mut().zip(&own) {
                if own.abs() > noise {
                    *out += own;
                }
            }
            carried = with_kernel!(&link.joint, j => {
                crate::joint::JointKernel::force_to_parent(j, &data.local[body], &carried)
            });
            body = link.parent;
        }
    }

    /// Makes [`respond`](Self::respond) ready.
    ///
    /// # Errors
    /// A joint without inertia.
    pub fn factorize(&mut self, model: &Model) -> Result<()> {
        let links = self.part.links.clone();
        factor_tree(model, &mut self.evaluation.data, links)
    }

    /// x ← M⁻¹ x.
    pub fn respond(&mut self, model: &Model, x: &mut [f64]) {
        let dofs = self.part.v.clone();
        self.u[dofs.clone()].copy_from_slice(x);
        let data = &mut self.evaluation.data;
        solve_factored(model, data, self.part.links.clone(), &self.u);
        x.copy_from_slice(&data.joint_acceleration[dofs]);
    }

    /// Writes the accelerations under gravity and `forces`; returns the power (W) of what of them has no
    /// potential.
    ///
    /// # Errors
    /// A joint without inertia, numbers that are not finite.
    pub fn accelerate(
        &mut self,
        model: &Model,
        forces: &dyn JointSpaceForces,
        out: &mut [f64],
    ) -> Result<f64> {
        let (part, state) = (&self.part, [self.q.as_slice(), &self.v]);
        let links = part.links.clone();
        crate::aba::velocities(model, &mut self.evaluation.data, links, &self.v);
        let action = self
            .evaluation
            .accelerate(model, part, forces, state, &mut self.out)?;
        out.copy_from_slice(&self.out[part.v.clone()]);
        Ok(action.power)
    }

    /// xᵀ M x.
    pub fn quadratic(&mut self, model: &Model, x: &[f64]) -> f64 {
        self.u[self.part.v.clone()].copy_from_slice(x);
        self.evaluation.quadratic(model, &self.part, &self.u)
    }

    /// Energy of motion, and that of gravity and of the springs in `forces`, J.
    pub fn energy(&self, model: &Model, forces: &dyn JointSpaceForces) -> [f64; 2] {
        let (evaluation, part) = (&self.evaluation, &self.part);
        let height = evaluation.height(model, part);
        [
            evaluation.kinetic(model, part, &self.v),
            height + forces.potential(&self.q),
        ]
    }

    /// The tree as one body, if it [floats](Self::floats).
    pub fn as_one_body(&self, model: &Model) -> Option<OneBody> {
        let floating = self.evaluation.as_one_body(model, &self.part)?;
        Some(OneBody {
            mass: self.part.mass,
            center: floating.center,
            linear: floating.linear,
            angular: floating.angular,
            inertia: floating.inverse.try_inverse()?,
        })
    }

    /// Adds a rigid motion to the velocities of a tree that floats: that of the point `center`, m/s, and a turn
    /// about it, rad/s, world axes.
    pub fn add_rigid_motion(&self, [center, velocity, turn]: [&Vector3<f64>; 3], v: &mut [f64]) {
        let base = &self.evaluation.data.pose[self.part.links.start + 1];
        let travel = velocity + turn.cross(&(base.translation - center));
        let own = Motion::new(base.rotation.tr_mul(&travel), base.rotation.tr_mul(turn));
        for axis in 0..3 {
            v[axis] += own.linear[axis];
            v[3 + axis] += own.angular[axis];
        }
    }
}
