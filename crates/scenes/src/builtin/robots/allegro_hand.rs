//! The fingers of an Allegro hand close around a ball on its palm.

use stiction_sim::{Material, Result, Vector3};

use super::stage::{Stage, ease};
use crate::builtin::parts::ball;
use crate::robots::ALLEGRO_HAND;
use crate::scene::{Options, Scene, SceneInfo};

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "allegro-hand",
    summary: "the sixteen servos of an Allegro hand close its fingers around a 100 g ball",
    build,
};

/// Where each joint begins and where its servo goes, rad.
const FINGER: [(&str, f64, f64); 4] = [
    ("spread", 0.0, 0.0),
    ("knuckle", 0.3, 1.2),
    ("middle", 0.3, 0.9),
    ("end", 0.3, 0.8),
];
const THUMB: [(&str, f64, f64); 4] = [
    ("opposition", 1.2, 1.39),
    ("spread", 0.2, 0.5),
    ("middle", 0.2, 0.8),
    ("end", 0.3, 0.8),
];
/// How long the hand takes to close, s.
const CLOSING: f64 = 0.6;
/// Of the ball, m.
const RADIUS: f64 = 0.033;
/// Height of the palm, m.
const PALM: f64 = 0.0111;

fn build(options: &Options) -> Result<Scene> {
    let mut stage = Stage::new(&ALLEGRO_HAND, SCENE.name, 4.0)?;
    stage.start_at_home()?;
    for finger in ["index", "middle", "ring", "thumb"] {
        let joints = if finger == "thumb" { THUMB } else { FINGER };
        for (joint, from, to) in joints {
            let closing = ease(&[(0.0, from), (CLOSING, to)]);
            stage.control(&format!("{finger}_{joint}"), closing)?;
        }
    }
    let mut scene = stage.build(options)?;
    let position = Vector3::new(0.0, 0.0, PALM + RADIUS);
    let rubber = Material::with_friction(0.8);
    ball(&mut scene.world, "ball", 0.1, RADIUS, position, rubber)?;
    Ok(scene)
}
