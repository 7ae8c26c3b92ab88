//! A ball thrown along the floor: it slips, then rolls with 5/7 of its speed.

use stiction_sim::{Isometry3, Material, Result, Settings, Vector3};

use super::parts::{ball, floor};
use crate::scene::{Options, Scene, SceneInfo};

pub(super) const SCENE: SceneInfo = SceneInfo {
    name: "rolling",
    summary: "a ball goes from slipping to rolling and keeps 5/7 of its speed",
    build,
};

fn build(options: &Options) -> Result<Scene> {
    let mut world = options.world(Settings::default(), "canal")?;
    let material = Material::with_friction(0.3);
    floor(&mut world, material)?;
    let radius = 0.1;
    let position = Vector3::new(0.0, 0.0, radius);
    let ball = ball(&mut world, "ball", 1.0, radius, position, material)?;
    let velocity = Vector3::new(2.0, 0.0, 0.0);
    world.set_body_state(ball, Isometry3::from(position), velocity, Vector3::zeros())?;
    Ok(options.scene(SCENE.name, world, 2.0))
}
