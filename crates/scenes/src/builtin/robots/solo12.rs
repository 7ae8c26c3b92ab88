//! A quadruped of 2.5 kg trots on the spot.

use std::f64::consts::PI;

use stiction_control::Servo;
use stiction_sim::{Isometry3, Material, Result};

use super::stage::{Stage, swing};
use crate::builtin::parts::floor;
use crate::robots::SOLO12;
use crate::scene::{Options, Scene, SceneInfo};

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "solo12",
    summary: "a Solo 12 trots on the spot: opposite feet lift together, twice a second",
    build,
};

const SERVO: Servo = Servo::new(20.0, 0.4);
/// Angle of the upper leg, rad; the knee bends twice as much the other way.
const HIP: f64 = 0.8;
/// Half the way of the upper leg (rad) and frequency (Hz) of the trot.
const LIFT: f64 = 0.15;
const FREQUENCY: f64 = 2.0;
/// Friction of feet and ground.
const GRIP: f64 = 0.8;
/// Length of the upper and of the lower leg, and radius of the foot, m.
const LEG: f64 = 0.16;
const FOOT: f64 = 0.0165;

fn build(options: &Options) -> Result<Scene> {
    on(options, LIFT, Material::with_friction(GRIP))
}

/// The robot standing still on ground of a material.
pub(in crate::builtin) fn standing(options: &Options, ground: Material) -> Result<Scene> {
    on(options, 0.0, ground)
}

fn on(options: &Options, lift: f64, ground: Material) -> Result<Scene> {
    let mut stage = Stage::new(&SOLO12, SCENE.name, 5.0)?;
    // Front knees point backwards, hind knees forwards.
    let legs = [
        ("front_left", 1.0, 0.0),
        ("front_right", 1.0, PI),
        ("hind_left", -1.0, PI),
        ("hind_right", -1.0, 0.0),
    ];
    for (leg, side, phase) in legs {
        let joints = [
            ("abduction", 0.0, 0.0),
            ("hip", side * HIP, side * lift),
            ("knee", -2.0 * side * HIP, -2.0 * side * lift),
        ];
        for (joint, mean, amplitude) in joints {
            let joint = format!("{leg}_{joint}");
            stage.start(&joint, mean)?;
            stage.track(&joint, SERVO, swing(mean, amplitude, FREQUENCY, phase))?;
        }
    }
    stage.cover("rubber", Material::with_friction(GRIP))?;
    let standing = 2.0 * LEG * HIP.cos() + FOOT;
    stage.place(Isometry3::translation(0.0, 0.0, standing))?;
    let mut scene = stage.build(options)?;
    floor(&mut scene.world, ground)?;
    Ok(scene)
}
