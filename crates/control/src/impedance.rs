//! Joint impedance with gravity compensation.

use stiction_sim::dynamics::{Data, Model, gravity_torque};
use stiction_sim::{Commands, Controller, Result, RobotHandle, SimError, World};

use crate::joint_path::JointPath;
use crate::servo::Servo;

/// τ = K (q_d − q) + D (v_d − v) + g(q): joints of one robot as springs and dampers around a path, with the
/// torques that hold the whole robot against gravity where it is now.
///
/// Springs and dampers act implicitly, so that no gain is too stiff; a load that the model does not know bends
/// the springs by its torque over their stiffness.
#[derive(Debug, Clone)]
pub struct JointImpedance {
    robot: RobotHandle,
    dofs: Vec<usize>,
    servos: Vec<Servo>,
    path: JointPath,
    gravity: GravityCompensation,
}

impl JointImpedance {
    /// Joints (of one degree of freedom each) of a robot with a servo each, along a path.
    ///
    /// # Errors
    /// A robot or joint that does not exist; another number of servos or of joints in the path.
    pub fn new(
        world: &World,
        robot: RobotHandle,
        joints: &[&str],
        servos: &[Servo],
        path: JointPath,
    ) -> Result<Self> {
        if servos.len() != joints.len() || path.joints() != joints.len() {
            return Err(SimError::NotPossible {
                element: world.robot_name(robot)?.to_owned(),
                reason: format!(
                    "has {} servos and a path of {} for {} joints",
                    servos.len(),
                    path.joints(),
                    joints.len()
                ),
            });
        }
        let dofs = joints.iter().map(|joint| world.dof(robot, joint));
        Ok(Self {
            robot,
            dofs: dofs.collect::<Result<_>>()?,
            servos: servos.to_vec(),
            path,
            gravity: GravityCompensation::new(world.model(robot)?),
        })
    }

    /// Puts the joints where the path begins, at rest.
    ///
    /// # Errors
    /// A world that it was not made for.
    pub fn start(&self, world: &mut World) -> Result<()> {
        let joints: Vec<f64> = (0..self.dofs.len())
            .map(|joint| self.path.at(joint, 0.0)[0])
            .collect();
        crate::reach::place_joints(world, self.robot, &self.dofs, &joints)
    }
}

impl Controller for JointImpedance {
    fn control(&mut self, world: &World, commands: &mut Commands) -> Result<()> {
        let time = world.time() + world.settings().time_step;
        let held = self.gravity.torques(world, self.robot)?;
        for (joint, (&dof, servo)) in self.dofs.iter().zip(&self.servos).enumerate() {
            let [position, velocity, _] = self.path.at(joint, time);
            commands.track(
                self.robot,
                dof,
                servo.track([position, velocity], held[dof]),
            )?;
        }
        Ok(())
    }
}

/// g(q) of a robot, without allocation.
#[derive(Debug, Clone)]
pub struct GravityCompensation {
    data: Data,
}

impl GravityCompensation {
    /// For one robot.
    pub fn new(model: &Model) -> Self {
        Self {
            data: Data::new(model),
        }
    }

    /// Torques that hold the robot where it is now, per degree of freedom, N·m or N.
    ///
    /// # Errors
    /// Another robot than that it was made for.
    pub fn torques(&mut self, world: &World, robot: RobotHandle) -> Result<&[f64]> {
        let (q, _) = world.robot_state(robot)?;
        Ok(gravity_torque(world.model(robot)?, &mut self.data, q)?)
    }
}
