//! A limp humanoid falls onto the floor.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stiction_sim::{Material, Result};

use super::stage::Stage;
use crate::builtin::parts::floor;
use crate::robots::HUMANOID;
use crate::scene::{Options, Scene, SceneInfo};

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "humanoid",
    summary: "a limp humanoid of 75 kg topples as its seed nudges it: 25 joints with friction and limits",
    build,
};

/// Fastest that joints turn at the start, rad/s, so that it does not stand.
const NUDGE: f64 = 1.0;

fn build(options: &Options) -> Result<Scene> {
    let mut stage = Stage::new(&HUMANOID, SCENE.name, 4.0)?;
    stage.start_at_home()?;
    let mut random = ChaCha8Rng::seed_from_u64(options.seed);
    for joint in stage.turning_joints()? {
        stage.push_off(&joint, random.random_range(-NUDGE..NUDGE))?;
    }
    let mut scene = stage.build(options)?;
    floor(&mut scene.world, Material::with_friction(0.7))?;
    Ok(scene)
}
