//! What acts in joint space: drives, damping and springs.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use stiction_dynamics::{DofProperties, JointDescription, JointKind, Model};
use stiction_modeling::Tracking;

use crate::error::{Result, SimError};

/// Torques and joint-space diagonal of a robot in a step.
#[derive(Debug, Default)]
pub(super) struct JointForces {
    /// Coordinate of q that is the integral of each degree of freedom, where there is one.
    pub(super) position_of_dof: Vec<Option<usize>>,
    /// Springs of spherical joints.
    pub(super) ball_springs: Vec<BallSpring>,
    /// Torque that does not depend on v̂, per degree of freedom.
    pub(super) torque: Vec<f64>,
    /// What joint space adds to A, per degree of freedom.
    pub(super) implicit: Vec<f64>,
    /// The parts of both that are the drive's, per degree of freedom.
    pub(super) drive: Vec<[f64; 2]>,
}

impl JointForces {
    pub(super) fn new(robot: &str, model: &Model) -> Result<Self> {
        let mut position_of_dof = vec![None; model.nv()];
        let mut ball_springs = Vec::new();
        for joint in &model.description().joints {
            if !joint.kind.has_scalar_coordinates() {
                ball_springs.extend(BallSpring::of(robot, joint, model)?);
            } else if let Some(info) = model.joint(&joint.name) {
                for (q, v) in info.q.clone().zip(info.v.clone()) {
                    position_of_dof[v] = Some(q);
                }
            }
        }
        Ok(Self {
            position_of_dof,
            ball_springs,
            torque: vec![0.0; model.nv()],
            implicit: vec![0.0; model.nv()],
            drive: vec![[0.0; 2]; model.nv()],
        })
    }

    /// Torques and joint-space diagonal of this step: A v̂ = … with the drive
    /// τ = feed-forward + K (q_d − q − dt v̂) + D (v_d − v̂), damping −d v̂ and the joint's own spring
    /// k (reference − q − dt v̂).
    pub(super) fn prepare(
        &mut self,
        properties: &[DofProperties],
        [q, v]: [&[f64]; 2],
        commands: &[Tracking],
        dt: f64,
    ) {
        for dof in 0..self.torque.len() {
            let command = &commands[dof];
            let position = self.position_of_dof[dof].map_or(0.0, |at| q[at]);
            let stiffness = match self.position_of_dof[dof] {
                Some(_) => command.stiffness,
                None => 0.0,
            };
            let deflection = command.position - position;
            let limit = properties[dof].effort_limit;
            let drive =
                command.feed_forward + stiffness * deflection + command.damping * command.velocity;
            let now = drive - command.damping * v[dof];
            let damping = properties[dof].damping;
            if now.abs() > limit {
                // A drive at its limit does not feel its gains.
                self.torque[dof] = now.clamp(-limit, limit);
                self.implicit[dof] = dt * damping;
                self.drive[dof] = [self.torque[dof], 0.0];
            } else {
                self.torque[dof] = drive;
                self.implicit[dof] = dt * (damping + command.damping) + dt * dt * stiffness;
                self.drive[dof] = [drive, dt * command.damping + dt * dt * stiffness];
            }
            let spring = properties[dof].stiffness;
            if self.position_of_dof[dof].is_some() && spring > 0.0 {
                self.torque[dof] += spring * (properties[dof].reference - position);
                self.implicit[dof] += dt * dt * spring;
            }
        }
        // The gradient of k θ²/2 with θ the angle of the rotation is k times its rotation vector,
        // in the axes of either end.
        for ball in &self.ball_springs {
            let turn = ball.turn(q);
            for axis in 0..3 {
                self.torque[ball.dof + axis] -= ball.stiffness * turn[axis];
                self.implicit[ball.dof + axis] += dt * dt * ball.stiffness;
            }
        }
    }

    /// Energy of the joints' own springs, J.
    pub(super) fn spring_energy(&self, properties: &[DofProperties], q: &[f64]) -> f64 {
        let mut energy = 0.0;
        for (properties, at) in properties.iter().zip(&self.position_of_dof) {
            if let Some(at) = *at {
                let stretch = q[at] - properties.reference;
                energy += 0.5 * properties.stiffness * stretch * stretch;
            }
        }
        for ball in &self.ball_springs {
            energy += 0.5 * ball.stiffness * ball.turn(q).norm_squared();
        }
        energy
    }
}

/// The spring of a spherical joint, slack without rotation.
#[derive(Debug, Clone, Copy)]
pub(super) struct BallSpring {
    /// First of its four coordinates, a quaternion (x, y, z, w).
    q: usize,
    /// First of its three degrees of freedom.
    pub(super) dof: usize,
    /// N·m/rad.
    pub(super) stiffness: f64,
}

impl BallSpring {
    /// The spring of a joint whose coordinates are no numbers of their own, if it has one.
    fn of(robot: &str, joint: &JointDescription, model: &Model) -> Result<Option<Self>> {
        let refuse = |reason: &str| {
            Err(SimError::NotPossible {
                element: format!("{robot}/{}", joint.name),
                reason: reason.to_owned(),
            })
        };
        let Some(info) = model.joint(&joint.name) else {
            return Ok(None);
        };
        let properties = &model.dof_properties()[info.v.clone()];
        if properties.iter().all(|dof| dof.stiffness == 0.0) {
            return Ok(None);
        }
        if joint.kind != JointKind::Spherical {
            return refuse("a planar or free joint cannot have a stiffness; add a spring instead");
        }
        let stiffness = properties[0].stiffness;
        let alike = |dof: &DofProperties| dof.stiffness == stiffness && dof.reference == 0.0;
        if !properties.iter().all(alike) {
            return refuse(
                "the spring of a spherical joint has one stiffness and the reference 0: it is slack \
                 without rotation",
            );
        }
        Ok(Some(Self {
            q: info.q.start,
            dof: info.v.start,
            stiffness,
        }))
    }

    /// Rotation vector of the joint, rad.
    pub(super) fn turn(&self, q: &[f64]) -> Vector3<f64> {
        let q = &q[self.q..self.q + 4];
        UnitQuaternion::new_normalize(Quaternion::new(q[3], q[0], q[1], q[2])).scaled_axis()
    }
}
