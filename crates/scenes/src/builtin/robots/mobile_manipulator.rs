//! A vehicle drives a curve on two wheels and two casters while the arm on it moves.

use std::f64::consts::FRAC_PI_2;

use stiction_sim::{Material, Result};

use super::stage::{Stage, ease, swing};
use crate::builtin::parts::floor;
use crate::robots::MOBILE_MANIPULATOR;
use crate::scene::{Options, Scene, SceneInfo};

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "mobile-manipulator",
    summary: "a vehicle drives a curve on two wheels and two casters while its arm moves",
    build,
};

/// Speeds of the left and the right wheel once it drives, rad/s, and how long it takes to get there.
const WHEELS: [(&str, f64); 2] = [("left_wheel", 5.0), ("right_wheel", 7.0)];
const START: f64 = 0.5;
/// Middle (rad), half width (rad) and frequency (Hz) of the arm's joints.
const ARM: [(&str, f64, f64, f64); 4] = [
    ("shoulder_pan", 0.0, 0.6, 0.3),
    ("shoulder_lift", -0.8, 0.2, 0.4),
    ("elbow", 2.0, 0.3, 0.25),
    ("wrist_2", -FRAC_PI_2, 0.5, 0.5),
];

fn build(options: &Options) -> Result<Scene> {
    let mut stage = Stage::new(&MOBILE_MANIPULATOR, SCENE.name, 5.0)?;
    stage.start_at_home()?;
    for (wheel, speed) in WHEELS {
        stage.control(wheel, ease(&[(0.0, 0.0), (START, speed)]))?;
    }
    for (joint, mean, amplitude, frequency) in ARM {
        stage.control(joint, swing(mean, amplitude, frequency, 0.0))?;
    }
    let mut scene = stage.build(options)?;
    floor(&mut scene.world, Material::with_friction(0.8))?;
    Ok(scene)
}
