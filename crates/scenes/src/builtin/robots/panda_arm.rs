//! The Panda's arm: its joints, a posture and its servos.

use stiction_control::Servo;

/// The joints of the Panda's arm, from its base to its hand.
pub(in crate::builtin) const PANDA_JOINTS: [&str; 7] = [
    "joint1", "joint2", "joint3", "joint4", "joint5", "joint6", "joint7",
];
/// A posture of the Panda with its hand in front of it, pointing down, rad.
pub(in crate::builtin) const PANDA_READY: [f64; 7] = [0.0, -0.3, 0.0, -2.3, 0.0, 2.0, 0.785];
/// Servos of the Panda's arm.
pub(in crate::builtin) const PANDA_SERVOS: [Servo; 7] = [
    Servo::new(4500.0, 450.0),
    Servo::new(4500.0, 450.0),
    Servo::new(3500.0, 350.0),
    Servo::new(3500.0, 350.0),
    Servo::new(2000.0, 200.0),
    Servo::new(2000.0, 200.0),
    Servo::new(2000.0, 200.0),
];

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_control::{Arm, Reach, through};
    use stiction_sim::{Isometry3, Result, RobotHandle, Vector3, World};

    use crate::builtin::robots::stage::Stage;
    use crate::robots::PANDA_GRIPPER;
    use crate::scene::Options;

    const TOOL: f64 = 0.1;

    /// From one place in front of the robot to another, turned.
    fn path() -> impl Fn(f64) -> Isometry3<f64> {
        let down = Isometry3::rotation(Vector3::x() * std::f64::consts::PI);
        let turned = Isometry3::rotation(Vector3::z() * 0.8) * down;
        through(vec![
            (0.2, Isometry3::translation(0.4, -0.2, 0.3) * down),
            (1.2, Isometry3::translation(0.5, 0.25, 0.15) * turned),
        ])
    }

    fn reach(path: impl Fn(f64) -> Isometry3<f64>) -> Result<(World, RobotHandle, Reach)> {
        let mut stage = Stage::new(&PANDA_GRIPPER, "reach", 2.0)?;
        stage.drop_actuators();
        let name = stage.robot_name();
        let world = stage.build(&Options::default())?.world;
        let robot = world.find_robot(&name)?;
        let arm = Arm {
            robot,
            joints: &PANDA_JOINTS,
            near: &PANDA_READY,
            hand: "hand",
            tool: Isometry3::translation(0.0, 0.0, TOOL),
            servos: &PANDA_SERVOS,
        };
        let reach = Reach::along(&world, &arm, 1.4, path)?;
        Ok((world, robot, reach))
    }

    #[test]
    fn the_hand_follows_its_path() {
        let (mut world, robot, reach) = reach(path()).unwrap();
        reach.start(&mut world).unwrap();
        world.add_controller(Box::new(reach));
        let tool = Isometry3::translation(0.0, 0.0, TOOL);
        let path = path();
        let mut worst = 0.0_f64;
        while world.time() < 1.5 {
            world.step().unwrap();
            let (hand, _) = world.frame_state(robot, "hand").unwrap();
            let miss = (hand * tool).inverse() * path(world.time());
            let miss = miss.translation.vector.norm().max(miss.rotation.angle());
            worst = worst.max(miss);
        }
        let (hand, _) = world.frame_state(robot, "hand").unwrap();
        let miss = (hand * tool).inverse() * path(2.0);
        assert!(worst < 2e-2, "{worst} on the way");
        assert!(miss.translation.vector.norm() < 2e-3, "{miss} at the end");
    }

    #[test]
    fn a_path_out_of_reach_is_refused_with_the_time() {
        let far = |time: f64| Isometry3::translation(0.5 + time, 0.0, 0.5);
        let error = reach(far).err().unwrap().to_string();
        assert!(
            error.starts_with("hand: is ") && error.contains(" from its path at 0."),
            "{error}"
        );
    }
}
