//! A tonne stands on a gram.

use stiction_sim::{Isometry3, Material, Result, Settings, Vector3};

use super::parts::{floor, solid_box};
use crate::scene::{Options, Scene, SceneInfo};

pub(super) const SCENE: SceneInfo = SceneInfo {
    name: "mass-ratio",
    summary: "a box of 1000 kg stands on a box of 1 g: 1e6 : 1 in mass",
    build,
};

fn build(options: &Options) -> Result<Scene> {
    let mut world = options.world(Settings::default(), "canal")?;
    let steel = Material::with_friction(0.5);
    floor(&mut world, steel)?;
    let (small, large) = (0.1, 0.3);
    let below = Isometry3::translation(0.0, 0.0, small / 2.0);
    let above = Isometry3::translation(0.0, 0.0, small + large / 2.0);
    solid_box(
        &mut world,
        "gram",
        1e-3,
        Vector3::repeat(small),
        below,
        steel,
    )?;
    solid_box(
        &mut world,
        "tonne",
        1e3,
        Vector3::repeat(large),
        above,
        steel,
    )?;
    Ok(options.scene(SCENE.name, world, 10.0))
}
