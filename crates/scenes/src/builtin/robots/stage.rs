//! A robot from its file, before it becomes a scene: where it starts and what drives it.

use stiction_control::{Servo, minimum_jerk};
use stiction_io::scene_file::{ControllerDescription, SceneFile, Signal};
use stiction_io::scene_file::{RobotDescription, RobotJointDescription, SettingsDescription};
use stiction_sim::{Isometry3, JointKind, Material, Result, SimError};

use crate::file::{LoadError, from_scene_file};
use crate::robots::RobotFile;
use crate::scene::{Options, Scene};

/// A robot that is about to become a scene.
pub(in crate::builtin) struct Stage {
    file: SceneFile,
}

impl Stage {
    /// A scene of one robot, `seconds` long.
    pub(in crate::builtin) fn new(robot: &RobotFile, name: &str, seconds: f64) -> Result<Self> {
        let mut file = robot.read().map_err(|error| refuse(robot.name, error))?;
        file.scene.name = name.to_owned();
        file.scene.seconds = seconds;
        // MJCF files have a step of their own, 2 ms unless they say so.
        file.scene.settings.time_step = None;
        Ok(Self { file })
    }

    /// How the scene is stepped, where the user does not say otherwise.
    pub(in crate::builtin) fn settings(&mut self) -> &mut SettingsDescription {
        &mut self.file.scene.settings
    }

    /// The robot's name in the world.
    pub(in crate::builtin) fn robot_name(&self) -> String {
        let robot = self.file.scene.robots.first();
        robot.map_or_else(String::new, |robot| robot.name.clone())
    }

    /// The robot.
    pub(in crate::builtin) fn robot(&mut self) -> Result<&mut RobotDescription> {
        let robot = self.file.scene.robots.first_mut();
        robot.ok_or_else(|| unknown("robot", "of the file"))
    }

    fn joint(&mut self, name: &str) -> Result<&mut RobotJointDescription> {
        let joints = self.robot()?.joints.iter_mut();
        let mut named = joints.filter(|joint| joint.name == name);
        named.next().ok_or_else(|| unknown("joint", name))
    }

    /// Names of the robot's joints that turn about an axis.
    pub(in crate::builtin) fn turning_joints(&mut self) -> Result<Vec<String>> {
        let joints = self.robot()?.joints.iter();
        let turning = joints.filter(|joint| matches!(joint.kind, JointKind::Revolute { .. }));
        Ok(turning.map(|joint| joint.name.clone()).collect())
    }

    /// Starts from the keyframe `home` of the file: joints and controls.
    pub(in crate::builtin) fn start_at_home(&mut self) -> Result<()> {
        let keyframes = &self.file.scene.keyframes;
        let home = keyframes.iter().find(|keyframe| keyframe.name == "home");
        let home = home.cloned().ok_or_else(|| unknown("keyframe", "home"))?;
        for joint in home.joints {
            self.joint(&joint.joint)?.initial = joint.position;
        }
        for (actuator, value) in home.controls {
            self.control(&actuator, Signal::Constant(value))?;
        }
        Ok(())
    }

    /// Starts a joint at a position, rad or m.
    pub(in crate::builtin) fn start(&mut self, joint: &str, position: f64) -> Result<()> {
        self.joint(joint)?.initial = vec![position];
        Ok(())
    }

    /// Starts a joint with a speed, rad/s or m/s.
    pub(in crate::builtin) fn push_off(&mut self, joint: &str, speed: f64) -> Result<()> {
        self.joint(joint)?.initial_velocity = vec![speed];
        Ok(())
    }

    /// Places the robot in the world.
    pub(in crate::builtin) fn place(&mut self, pose: Isometry3<f64>) -> Result<()> {
        self.robot()?.base = pose;
        Ok(())
    }

    /// Gives all of the robot's shapes a material.
    pub(in crate::builtin) fn cover(&mut self, name: &str, material: Material) -> Result<()> {
        self.file.scene.materials.insert(name.to_owned(), material);
        for shape in self
            .robot()?
            .links
            .iter_mut()
            .flat_map(|link| &mut link.shapes)
        {
            shape.material = Some(name.to_owned());
        }
        Ok(())
    }

    /// Gives an actuator of the file its control over time.
    pub(in crate::builtin) fn control(
        &mut self,
        actuator: &str,
        control: Signal<f64>,
    ) -> Result<()> {
        let mut actuators = self.file.scene.actuators.iter_mut();
        let found = actuators.find(|found| found.name == actuator);
        found.ok_or_else(|| unknown("actuator", actuator))?.control = control;
        Ok(())
    }

    /// Leaves out the actuators of the file: the scene drives the joints itself.
    pub(in crate::builtin) fn drop_actuators(&mut self) {
        self.file.scene.actuators.clear();
    }

    /// Drives a joint along a target.
    pub(in crate::builtin) fn track(
        &mut self,
        joint: &str,
        servo: Servo,
        target: Signal<f64>,
    ) -> Result<()> {
        let robot = self.robot()?.name.clone();
        self.file.scene.controllers.push(ControllerDescription::Pd {
            robot,
            joint: joint.to_owned(),
            stiffness: servo.stiffness,
            damping: servo.damping,
            feed_forward: servo.feed_forward,
            target,
        });
        Ok(())
    }

    /// Adds copies of the robot with its controllers, named with a number from 1 on; the first one
    /// gets one as well.
    pub(in crate::builtin) fn multiply(&mut self, poses: &[Isometry3<f64>]) -> Result<()> {
        let original = self.robot()?.clone();
        let controllers = std::mem::take(&mut self.file.scene.controllers);
        self.file.scene.robots.clear();
        for (index, pose) in poses.iter().enumerate() {
            let name = format!("{} {}", original.name, index + 1);
            for controller in &controllers {
                let mut controller = controller.clone();
                if let ControllerDescription::Pd { robot, .. } = &mut controller {
                    robot.clone_from(&name);
                }
                self.file.scene.controllers.push(controller);
            }
            self.file.scene.robots.push(RobotDescription {
                name,
                base: *pose,
                ..original.clone()
            });
        }
        Ok(())
    }

    /// The scene.
    pub(in crate::builtin) fn build(self, options: &Options) -> Result<Scene> {
        from_scene_file(&self.file, options).map_err(|error| match error {
            LoadError::Options(error) => error,
            error @ LoadError::File(_) => refuse(&self.file.scene.name, error),
        })
    }
}

/// A signal around a mean.
pub(in crate::builtin) fn swing(
    mean: f64,
    amplitude: f64,
    frequency: f64,
    phase: f64,
) -> Signal<f64> {
    Signal::Sinusoid {
        mean,
        amplitude,
        frequency,
        phase,
    }
}

/// A signal through values at given times (s) that starts and stops gently at each of them, with no
/// jump in speed nor in acceleration.
pub(in crate::builtin) fn ease(points: &[(f64, f64)]) -> Signal<f64> {
    const PIECES: u32 = 16;
    let mut way = Vec::new();
    for pair in points.windows(2) {
        let [(start, from), (end, to)] = [pair[0], pair[1]];
        for piece in 0..PIECES {
            let share = f64::from(piece) / f64::from(PIECES);
            way.push((
                start + share * (end - start),
                from + minimum_jerk(share) * (to - from),
            ));
        }
    }
    way.extend(points.last());
    Signal::Waypoints(way)
}

fn refuse(name: &str, error: impl ToString) -> SimError {
    SimError::NotPossible {
        element: name.to_owned(),
        reason: error.to_string(),
    }
}

fn unknown(what: &'static str, name: &str) -> SimError {
    SimError::Unknown {
        what,
        name: name.to_owned(),
    }
}
