//! A block that slides to rest: v²/(2 μ g) far, at constant height.

use stiction_sim::{Isometry3, Material, Result, Settings, Vector3};

use super::parts::{floor, solid_box};
use crate::scene::{Options, Scene, SceneInfo};

pub(super) const SCENE: SceneInfo = SceneInfo {
    name: "box-slide",
    summary: "a block slides to rest after v²/(2 μ g), without gliding above the floor",
    build,
};

/// Speed at the start, m/s.
const SPEED: f64 = 1.0;
/// Coefficient of friction.
const FRICTION: f64 = 0.2;

fn build(options: &Options) -> Result<Scene> {
    let mut world = options.world(Settings::default(), "canal")?;
    let material = Material::with_friction(FRICTION);
    floor(&mut world, material)?;
    let sides = Vector3::new(0.2, 0.2, 0.1);
    let pose = Isometry3::translation(0.0, 0.0, 0.05);
    let block = solid_box(&mut world, "block", 1.0, sides, pose, material)?;
    let velocity = Vector3::new(SPEED, 0.0, 0.0);
    world.set_body_state(block, pose, velocity, Vector3::zeros())?;
    Ok(options.scene(SCENE.name, world, 1.0))
}
