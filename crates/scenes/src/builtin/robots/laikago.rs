//! Quadrupeds of 25 kg stand up and squat.

use std::f64::consts::TAU;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stiction_control::Servo;
use stiction_sim::{Isometry3, Material, Result, UnitQuaternion, Vector3};

use super::stage::{Stage, swing};
use crate::builtin::parts::floor;
use crate::robots::LAIKAGO;
use crate::scene::{Options, Scene, SceneInfo};

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "laikago",
    summary: "a Unitree Laikago lands on its feet and squats",
    build: build_one,
};
pub(in crate::builtin) const EIGHT: SceneInfo = SceneInfo {
    name: "laikago-eight",
    summary: "eight Laikagos in a ring land on their feet and squat",
    build: build_eight,
};

const SERVO: Servo = Servo::new(400.0, 12.0);
/// Angle of the thigh, rad; the knee bends twice as much, so that the foot stays below the hip.
const THIGH: f64 = 0.75;
/// Half the way of the thigh (rad) and frequency (Hz) of squats.
const SQUAT: f64 = 0.25;
const FREQUENCY: f64 = 0.75;
/// Length of thigh and of calf, and radius of the foot, m.
const LEG: f64 = 0.25;
const FOOT: f64 = 0.0265;

fn build_one(options: &Options) -> Result<Scene> {
    build(SCENE.name, &[Vector3::zeros()], options)
}

fn build_eight(options: &Options) -> Result<Scene> {
    let places: Vec<Vector3<f64>> = (0..8)
        .map(|index| {
            let angle = TAU * f64::from(index) / 8.0;
            Vector3::new(1.5 * angle.cos(), 1.5 * angle.sin(), 0.0)
        })
        .collect();
    build(EIGHT.name, &places, options)
}

/// One robot at each place, with a heading and a height to fall from that depend on the seed.
fn build(name: &str, places: &[Vector3<f64>], options: &Options) -> Result<Scene> {
    let mut stage = Stage::new(&LAIKAGO, name, 5.0)?;
    for leg in ["front_right", "front_left", "rear_right", "rear_left"] {
        stage.start(&format!("{leg}_abduction"), 0.0)?;
        stage.start(&format!("{leg}_flexion"), THIGH)?;
        stage.start(&format!("{leg}_knee"), -2.0 * THIGH)?;
        let (hip, thigh) = (
            swing(0.0, 0.0, 0.0, 0.0),
            swing(THIGH, SQUAT, FREQUENCY, 0.0),
        );
        let knee = swing(-2.0 * THIGH, -2.0 * SQUAT, FREQUENCY, 0.0);
        stage.track(&format!("{leg}_abduction"), SERVO, hip)?;
        stage.track(&format!("{leg}_flexion"), SERVO, thigh)?;
        stage.track(&format!("{leg}_knee"), SERVO, knee)?;
    }
    let rubber = Material::with_friction(0.8);
    stage.cover("rubber", rubber)?;
    let mut random = ChaCha8Rng::seed_from_u64(options.seed);
    let standing = 2.0 * LEG * THIGH.cos() + FOOT;
    let mut pose = |place: &Vector3<f64>| {
        let height = standing + random.random_range(0.0..0.02);
        let heading = random.random_range(0.0..TAU);
        Isometry3::from_parts(
            (place + Vector3::new(0.0, 0.0, height)).into(),
            UnitQuaternion::from_scaled_axis(Vector3::z() * heading),
        )
    };
    match places {
        [place] => stage.place(pose(place))?,
        _ => stage.multiply(&places.iter().map(pose).collect::<Vec<_>>())?,
    }
    let mut scene = stage.build(options)?;
    floor(&mut scene.world, rubber)?;
    Ok(scene)
}
