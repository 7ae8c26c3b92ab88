//! What acts in joint space: drives, damping and springs.

use std::ops::Range;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use stiction_dynamics::{DofProperties, JointDescription, JointKind, Model};
use stiction_modeling::{Saturation, Tracking};

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
    /// Drives without their limits, per degree of freedom.
    laws: Vec<DriveLaw>,
    /// The piece of the drive that acts, and how often pieces were changed in this step.
    pieces: Vec<Saturation>,
    revisions: usize,
}

/// Most times that a step looks for the drives that end at their limits: one joint needs two, joints that
/// push each other seldom more. Then every drive within its limits is what it is, and some at a limit may
/// end the step where they would ask for less.
pub(super) const MOST_REVISIONS: usize = 5;

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
            laws: vec![DriveLaw::default(); model.nv()],
            pieces: vec![Saturation::Within; model.nv()],
            revisions: 0,
        })
    }

    /// Takes the drives of this step; `v` guesses the v̂ that decides which of them are at their limits.
    pub(super) fn prepare(
        &mut self,
        properties: &[DofProperties],
        [q, v]: [&[f64]; 2],
        commands: &[Tracking],
        dt: f64,
    ) {
        self.revisions = 0;
        for dof in 0..self.laws.len() {
            let command = &commands[dof];
            let stiffness = match self.position_of_dof[dof] {
                Some(_) => command.stiffness,
                None => 0.0,
            };
            let deflection = command.position - self.position(dof, q);
            let law = DriveLaw {
                torque: command.feed_forward
                    + stiffness * deflection
                    + command.damping * command.velocity,
                damping: command.damping,
                stiffness,
            };
            self.laws[dof] = law;
            self.pieces[dof] = Saturation::of(law.at(v[dof], dt), limits(&properties[dof]));
        }
        self.add_up(properties, q, dt);
    }

    /// Looks at the v̂ that was solved for: whether a drive of these degrees of freedom turned out to be
    /// on another piece, so that torques and diagonal have changed.
    pub(super) fn revise(
        &mut self,
        properties: &[DofProperties],
        [q, v_hat]: [&[f64]; 2],
        dofs: impl Iterator<Item = usize>,
        dt: f64,
    ) -> bool {
        if self.revisions == MOST_REVISIONS {
            return false;
        }
        let mut is_revised = false;
        for dof in dofs.filter(|&dof| properties[dof].effort_limit.is_finite()) {
            let force = self.laws[dof].at(v_hat[dof], dt);
            let piece = self.pieces[dof].revised(force, limits(&properties[dof]));
            is_revised |= piece != self.pieces[dof];
            self.pieces[dof] = piece;
        }
        if is_revised {
            self.revisions += 1;
            self.add_up(properties, q, dt);
        }
        is_revised
    }

    fn position(&self, dof: usize, q: &[f64]) -> f64 {
        self.position_of_dof[dof].map_or(0.0, |at| q[at])
    }

    /// Torques and joint-space diagonal of this step: A v̂ = … with the drive
    /// τ = feed-forward + K (q_d − q − dt v̂) + D (v_d − v̂), damping −d v̂ and the joint's own spring
    /// k (reference − q − dt v̂).
    fn add_up(&mut self, properties: &[DofProperties], q: &[f64], dt: f64) {
        for dof in 0..self.torque.len() {
            // A drive at its limit does not feel its gains.
            let limit = self.pieces[dof].limit(limits(&properties[dof]));
            let drive = limit.map_or(self.laws[dof], DriveLaw::constant);
            let damping = properties[dof].damping + drive.damping;
            self.torque[dof] = drive.torque;
            self.implicit[dof] = dt * damping + dt * dt * drive.stiffness;
            self.drive[dof] = [drive.torque, dt * drive.damping + dt * dt * drive.stiffness];
            let spring = properties[dof].stiffness;
            if self.position_of_dof[dof].is_some() && spring > 0.0 {
                self.torque[dof] += spring * (properties[dof].reference - self.position(dof, q));
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

    /// Energy of the own springs of the joints of some degrees of freedom, J.
    pub(super) fn spring_energy(
        &self,
        properties: &[DofProperties],
        q: &[f64],
        dofs: Range<usize>,
    ) -> f64 {
        let mut energy = 0.0;
        for dof in dofs.clone() {
            if let Some(at) = self.position_of_dof[dof] {
                let stretch = q[at] - properties[dof].reference;
                energy += 0.5 * properties[dof].stiffness * stretch * stretch;
            }
        }
        for ball in self
            .ball_springs
            .iter()
            .filter(|ball| dofs.contains(&ball.dof))
        {
            energy += 0.5 * ball.stiffness * ball.turn(q).norm_squared();
        }
        energy
    }

    /// What the own spring of a joint exerts in a step of `dt` s: an impulse at v̂ = 0, N·m·s, and how it falls with
    /// v̂, kg·m².
    pub(super) fn spring_impulse(
        &self,
        properties: &DofProperties,
        dof: usize,
        dt: f64,
    ) -> [f64; 2] {
        let [drive, implicit] = self.drive[dof];
        let rest = self.implicit[dof] - implicit - dt * properties.damping;
        [dt * (self.torque[dof] - drive), rest]
    }
}

/// A drive as a function of v̂: torque − (damping + dt stiffness) v̂.
#[derive(Debug, Clone, Copy, Default)]
struct DriveLaw {
    /// At v̂ = 0, N·m.
    torque: f64,
    damping: f64,
    stiffness: f64,
}

impl DriveLaw {
    fn constant(torque: f64) -> Self {
        Self {
            torque,
            ..Self::default()
        }
    }

    fn at(&self, v_hat: f64, dt: f64) -> f64 {
        self.torque - (self.damping + dt * self.stiffness) * v_hat
    }
}

/// What a drive may exert, N·m.
fn limits(properties: &DofProperties) -> [f64; 2] {
    [-properties.effort_limit, properties.effort_limit]
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
