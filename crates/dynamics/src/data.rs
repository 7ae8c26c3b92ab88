//! The workspace of the algorithms.

use crate::error::{DynamicsError, Result};
use crate::model::{BodyId, Model};
use crate::spatial::{ArticulatedInertia, Force, Inertia, Motion, Transform};
use crate::velocity_inertia::VelocityInertia;

/// Buffers for every algorithm, made once from a model; nothing is allocated after that. Size is
/// linear in the number of bodies: what is quadratic ([`MassMatrix`](crate::MassMatrix),
/// [`RneaDerivatives`](crate::RneaDerivatives)) is a type of its own.
///
/// A buffer holds what the last algorithm that writes it computed; each function says which.
#[derive(Clone, Debug)]
pub struct Data {
    // per body, index 0 is the world
    /// Pose in the parent body.
    pub(crate) local: Vec<Transform>,
    /// Pose in the world.
    pub(crate) pose: Vec<Transform>,
    /// Spatial velocity in the body's frame.
    pub(crate) velocity: Vec<Motion>,
    /// Spatial acceleration in the body's frame.
    pub(crate) acceleration: Vec<Motion>,
    /// Spatial acceleration minus gravity, in the body's frame.
    pub(crate) proper_acceleration: Vec<Motion>,
    /// Force through the joint, in the body's frame.
    pub(crate) force: Vec<Force>,
    /// Velocity-dependent part of the acceleration, in the body's frame.
    pub(crate) bias: Vec<Motion>,
    pub(crate) articulated: Vec<ArticulatedInertia>,
    /// Inertia of the subtree, in world axes at the tree's reference point.
    pub(crate) composite: Vec<Inertia>,
    /// Velocity in world axes at the tree's reference point.
    pub(crate) world_velocity: Vec<Motion>,
    /// Acceleration (minus gravity) in world axes at the tree's reference point.
    pub(crate) world_acceleration: Vec<Motion>,
    /// Force through the joint in world axes at the tree's reference point.
    pub(crate) world_force: Vec<Force>,
    pub(crate) velocity_inertia: Vec<VelocityInertia>,

    // per degree of freedom
    /// Subspace columns in world axes at the tree's reference point.
    pub(crate) jacobian: Vec<Motion>,
    /// Their time derivatives.
    pub(crate) jacobian_rate: Vec<Motion>,
    /// Articulated inertia times subspace (scaled by the pivots' factor for several degrees).
    pub(crate) released: Vec<Force>,
    /// Torque left for the joint's own motion.
    pub(crate) residual_torque: Vec<f64>,
    /// Joint-space inertia of each joint: 1/d for one degree of freedom, Cholesky factor for more.
    pub(crate) pivots: Vec<f64>,
    pub(crate) torque: Vec<f64>,
    pub(crate) joint_acceleration: Vec<f64>,
}

impl Data {
    /// Buffers for `model`.
    pub fn new(model: &Model) -> Self {
        let (n, nv) = (model.n_bodies(), model.nv());
        Self {
            local: vec![Transform::identity(); n],
            pose: vec![Transform::identity(); n],
            velocity: vec![Motion::zero(); n],
            acceleration: vec![Motion::zero(); n],
            proper_acceleration: vec![Motion::zero(); n],
            force: vec![Force::zero(); n],
            bias: vec![Motion::zero(); n],
            articulated: vec![ArticulatedInertia::default(); n],
            composite: vec![Inertia::default(); n],
            world_velocity: vec![Motion::zero(); n],
            world_acceleration: vec![Motion::zero(); n],
            world_force: vec![Force::zero(); n],
            velocity_inertia: vec![VelocityInertia::default(); n],
            jacobian: vec![Motion::zero(); nv],
            jacobian_rate: vec![Motion::zero(); nv],
            released: vec![Force::zero(); nv],
            residual_torque: vec![0.0; nv],
            pivots: vec![0.0; model.topology.n_pivots],
            torque: vec![0.0; nv],
            joint_acceleration: vec![0.0; nv],
        }
    }

    /// Pose of a body in the world, as of the last kinematics.
    ///
    /// # Errors
    /// If the body is not one of the model's.
    pub fn pose(&self, body: BodyId) -> Result<&Transform> {
        self.get(&self.pose, body)
    }

    /// Spatial velocity of a body in its own frame (m/s, rad/s), as of the last kinematics with
    /// velocities.
    ///
    /// # Errors
    /// If the body is not one of the model's.
    pub fn velocity(&self, body: BodyId) -> Result<&Motion> {
        self.get(&self.velocity, body)
    }

    /// Spatial acceleration of a body in its own frame (m/s², rad/s²), as of the last kinematics
    /// with accelerations.
    ///
    /// # Errors
    /// If the body is not one of the model's.
    pub fn acceleration(&self, body: BodyId) -> Result<&Motion> {
        self.get(&self.acceleration, body)
    }

    /// Force that the joint of a body transmits to it, in the body's frame (N, N·m), as of the
    /// last [`rnea`](crate::rnea). For the world: the reaction of everything mounted on it,
    /// negated, in world axes at the world's origin.
    ///
    /// # Errors
    /// If the body is not one of the model's.
    pub fn joint_force(&self, body: BodyId) -> Result<&Force> {
        self.get(&self.force, body)
    }

    fn get<'a, T>(&self, items: &'a [T], body: BodyId) -> Result<&'a T> {
        items.get(body.0).ok_or(DynamicsError::UnknownIndex {
            kind: "body",
            index: body.0,
            count: items.len(),
        })
    }

    /// Refuses data made for a model of another size.
    #[inline]
    pub(crate) fn check(&self, model: &Model) -> Result<()> {
        crate::error::check_length("data (bodies)", self.pose.len(), model.n_bodies())?;
        crate::error::check_length("data (dofs)", self.jacobian.len(), model.nv())?;
        crate::error::check_length("data (joints)", self.pivots.len(), model.topology.n_pivots)
    }
}
