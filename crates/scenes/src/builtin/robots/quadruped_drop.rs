//! Quadrupeds fall onto the floor and onto each other.
//!
//! Shapes are boxes and spheres: trunk, thighs, calves and feet. Chosen here: friction 0.6, weak servos that give
//! way, heights and headings from the seed.

use std::f64::consts::TAU;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stiction_control::Servo;
use stiction_io::scene_file::ShapeKind;
use stiction_sim::{Isometry3, Material, Result, UnitQuaternion, Vector3};

use super::stage::{Stage, swing};
use crate::builtin::parts::floor;
use crate::robots::LAIKAGO;
use crate::scene::{Options, Scene, SceneInfo};

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "quadruped-drop",
    summary: "eight quadrupeds of 18 degrees of freedom fall onto the floor and each other",
    build: build_eight,
};
pub(in crate::builtin) const WITH_27: SceneInfo = SceneInfo {
    name: "quadruped-drop-27",
    summary: "twenty-seven quadrupeds fall onto the floor and each other",
    build: build_27,
};

/// Too weak to stand up with.
const SERVO: Servo = Servo::new(15.0, 1.0);
/// Angle of the thigh, rad; the knee bends twice as much.
const THIGH: f64 = 0.75;
/// Distance between neighbours along x, y and z, m, and the height of the lowest, m.
const SPACING: [f64; 3] = [0.75, 0.5, 0.6];
const LOWEST: f64 = 0.55;

fn build_eight(options: &Options) -> Result<Scene> {
    build(SCENE.name, 2, options)
}

fn build_27(options: &Options) -> Result<Scene> {
    build(WITH_27.name, 3, options)
}

fn build(name: &str, edge: usize, options: &Options) -> Result<Scene> {
    let mut stage = Stage::new(&LAIKAGO, name, 3.0)?;
    for leg in ["front_right", "front_left", "rear_right", "rear_left"] {
        for (joint, angle) in [
            ("abduction", 0.0),
            ("flexion", THIGH),
            ("knee", -2.0 * THIGH),
        ] {
            let joint = format!("{leg}_{joint}");
            stage.start(&joint, angle)?;
            stage.track(&joint, SERVO, swing(angle, 0.0, 0.0, 0.0))?;
        }
    }
    for link in &mut stage.robot()?.links {
        let simple =
            |kind: &ShapeKind| matches!(kind, ShapeKind::Box { .. } | ShapeKind::Sphere { .. });
        link.shapes.retain(|shape| simple(&shape.kind));
    }
    let rubber = Material::with_friction(0.6);
    stage.cover("rubber", rubber)?;
    stage.settings().tolerance = Some(1e-6);
    let mut random = ChaCha8Rng::seed_from_u64(options.seed);
    let mut poses = Vec::new();
    for place in 0..edge * edge * edge {
        let cell = [place % edge, place / edge % edge, place / (edge * edge)];
        let along = |axis: usize| cell[axis] as f64 * SPACING[axis];
        let middle = |axis: usize| along(axis) - 0.5 * (edge - 1) as f64 * SPACING[axis];
        let mut aside = || random.random_range(-0.03..0.03);
        let at = Vector3::new(middle(0) + aside(), middle(1) + aside(), LOWEST + along(2));
        // A little askew, so that none lands on four feet.
        let tilt = Vector3::new(4.0 * aside(), 4.0 * aside(), TAU * 0.5 * aside());
        poses.push(Isometry3::from_parts(
            at.into(),
            UnitQuaternion::from_scaled_axis(tilt),
        ));
    }
    stage.multiply(&poses)?;
    let mut scene = stage.build(options)?;
    floor(&mut scene.world, rubber)?;
    Ok(scene)
}
