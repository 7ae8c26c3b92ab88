//! A Panda swings its joints with the servos of its file.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

use stiction_sim::{Material, Result};

use super::stage::{Stage, swing};
use crate::builtin::parts::floor;
use crate::robots::PANDA;
use crate::scene::{Options, Scene, SceneInfo};

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "panda",
    summary: "a Franka Emika Panda swings all seven joints, each with dry friction and limits",
    build,
};

/// Middle (rad), half width (rad) and frequency (Hz) of each joint's swing.
const SWINGS: [[f64; 3]; 7] = [
    [0.0, 0.8, 0.25],
    [0.0, 0.4, 0.31],
    [0.0, 0.5, 0.23],
    [-FRAC_PI_2, 0.5, 0.37],
    [0.0, 0.8, 0.43],
    [FRAC_PI_2, 0.6, 0.29],
    [FRAC_PI_4, 1.0, 0.41],
];

fn build(options: &Options) -> Result<Scene> {
    let mut stage = Stage::new(&PANDA, SCENE.name, 8.0)?;
    stage.start_at_home()?;
    for (index, [mean, amplitude, frequency]) in SWINGS.into_iter().enumerate() {
        let target = swing(mean, amplitude, frequency, 0.0);
        stage.control(&format!("servo{}", index + 1), target)?;
    }
    let mut scene = stage.build(options)?;
    floor(&mut scene.world, Material::default())?;
    Ok(scene)
}
