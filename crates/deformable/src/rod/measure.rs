//! Read-outs: energies, strains, forces.

use nalgebra::{Isometry3, Vector3, Vector6};

use super::error::{RodError, same_length};
use super::joint::Joint;
use super::model::Rod;

/// Energy of a rod, J.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RodEnergy {
    /// Of motion.
    pub kinetic: f64,
    /// Of strains.
    pub elastic: f64,
    /// Of weight, zero at the world's origin.
    pub gravity: f64,
}

impl RodEnergy {
    /// Sum.
    pub fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.gravity
    }
}

/// What a joint carries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointStress {
    /// e: strains less those at rest.
    pub strain: Vector6<f64>,
    /// What the part behind the joint (links after it) is pulled back with by the part before, in the
    /// axes of the joint (d1, d2, d3 half-way between its links): shear forces and tension, N.
    pub force: Vector3<f64>,
    /// Moments about d1, d2 (bending) and d3 (twisting), N·m.
    pub moment: Vector3<f64>,
    /// The force in world axes, N.
    pub force_world: Vector3<f64>,
    /// The moment in world axes, N·m.
    pub moment_world: Vector3<f64>,
}

impl JointStress {
    /// Tension, N; negative where the rod is pressed.
    pub fn tension(&self) -> f64 {
        self.force.z
    }

    /// Size of the bending moment, N·m.
    pub fn bending_moment(&self) -> f64 {
        self.moment.x.hypot(self.moment.y)
    }

    /// Twisting moment, N·m.
    pub fn twisting_moment(&self) -> f64 {
        self.moment.z
    }
}

impl Rod {
    /// Energy in a state; `gravity` in m/s².
    ///
    /// # Errors
    /// Lists of the wrong length.
    pub fn energy(
        &self,
        poses: &[Isometry3<f64>],
        velocity: &[f64],
        gravity: &Vector3<f64>,
    ) -> Result<RodEnergy, RodError> {
        same_length("poses of links", self.link_count(), poses.len())?;
        same_length("velocities of links", self.dof_count(), velocity.len())?;
        let mut energy = RodEnergy::default();
        for (link, inertia) in self.links.iter().enumerate() {
            let velocity = &velocity[6 * link..6 * link + 6];
            let linear = Vector3::from_column_slice(&velocity[..3]);
            let angular = Vector3::from_column_slice(&velocity[3..]);
            let local = poses[link].rotation.inverse() * angular;
            energy.kinetic += 0.5 * inertia.mass * linear.norm_squared()
                + 0.5 * local.dot(&inertia.moments.component_mul(&local));
            energy.gravity -= inertia.mass * gravity.dot(&poses[link].translation.vector);
        }
        for (at, rest) in self.joints.iter().enumerate() {
            let joint = Joint::new(&poses[at], &poses[at + 1], rest.length);
            let strain = joint.strain() - rest.strain;
            let stiffness = Vector6::from(rest.stiffness);
            energy.elastic += 0.5 * rest.length * strain.dot(&stiffness.component_mul(&strain));
        }
        Ok(energy)
    }

    /// Strain, force and moment of a joint.
    ///
    /// # Errors
    /// A joint that does not exist, poses of another number than links.
    pub fn stress(&self, joint: usize, poses: &[Isometry3<f64>]) -> Result<JointStress, RodError> {
        same_length("poses of links", self.link_count(), poses.len())?;
        let joints = self.joint_count();
        let rest = self.joints.get(joint);
        let rest = rest.ok_or(RodError::NoSuchJoint { joint, joints })?;
        let now = Joint::new(&poses[joint], &poses[joint + 1], rest.length);
        let strain = now.strain() - rest.strain;
        let stress = Vector6::from(rest.stiffness).component_mul(&strain);
        let [force, moment] = [0, 3].map(|at| stress.fixed_rows::<3>(at).into_owned());
        Ok(JointStress {
            strain,
            force,
            moment,
            force_world: now.frame * force,
            moment_world: now.frame * moment,
        })
    }
}
