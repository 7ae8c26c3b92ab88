//! Stiff servos, a light thing: a Panda waves a cube of 1 g between its fingers.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

use stiction_control::Servo;
use stiction_sim::{Isometry3, Material, Result, Vector3};

use super::stage::{Stage, swing};
use crate::builtin::parts::{floor, solid_box};
use crate::robots::PANDA_GRIPPER;
use crate::scene::{Options, Scene, SceneInfo};

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "panda-gripper",
    summary: "a Panda with servos of 1e5 N·m/rad waves a cube of 1 g between its fingers",
    build,
};

/// Servos of the arm and of a finger.
const ARM: Servo = Servo::new(1e5, 1e3);
const FINGER: Servo = Servo::new(1e4, 1e2);
/// Middle (rad), half width (rad) and frequency (Hz) of each joint's swing, which begins at its lower
/// end, at rest.
const SWINGS: [[f64; 3]; 7] = [
    [0.0, 0.3, 0.25],
    [0.0, 0.15, 0.2],
    [0.0, 0.0, 0.0],
    [-FRAC_PI_2, 0.2, 0.3],
    [0.0, 0.0, 0.0],
    [FRAC_PI_2, 0.2, 0.35],
    [FRAC_PI_4, 0.4, 0.25],
];
/// Side of the cube, m, and its mass, kg.
const SIDE: f64 = 0.03;
const MASS: f64 = 1e-3;
/// How far each finger is told to go into the cube, m: this times the stiffness is its force.
const SQUEEZE: f64 = 1e-3;
/// From the frame of a finger to the middle of its pad, m.
const PAD: f64 = 0.046;

fn build(options: &Options) -> Result<Scene> {
    let mut stage = Stage::new(&PANDA_GRIPPER, SCENE.name, 5.0)?;
    stage.drop_actuators();
    for (index, [mean, amplitude, frequency]) in SWINGS.into_iter().enumerate() {
        let joint = format!("joint{}", index + 1);
        stage.start(&joint, mean - amplitude)?;
        stage.track(&joint, ARM, swing(mean, amplitude, frequency, -FRAC_PI_2))?;
    }
    for finger in ["left_finger", "right_finger"] {
        stage.start(finger, 0.5 * SIDE)?;
        stage.track(finger, FINGER, swing(0.5 * SIDE - SQUEEZE, 0.0, 0.0, 0.0))?;
    }
    let name = stage.robot_name();
    let mut scene = stage.build(options)?;
    let world = &mut scene.world;
    floor(world, Material::default())?;
    let left = world.pose(world.find_body(&format!("{name}/left_finger"))?)?;
    let right = world.pose(world.find_body(&format!("{name}/right_finger"))?)?;
    let middle = 0.5 * (left.translation.vector + right.translation.vector);
    let between = middle + left.rotation * Vector3::new(0.0, 0.0, PAD);
    let pose = Isometry3::from_parts(between.into(), left.rotation);
    let sides = Vector3::repeat(SIDE);
    let rubber = Material::with_friction(1.0);
    solid_box(world, "cube", MASS, sides, pose, rubber)?;
    Ok(scene)
}
