//! Ten boxes stand on each other.

use stiction_sim::{Isometry3, Material, Result, Settings, Vector3};

use super::parts::{floor, solid_box};
use crate::scene::{Options, Scene, SceneInfo};

pub(super) const SCENE: SceneInfo = SceneInfo {
    name: "box-tower",
    summary: "ten boxes stand on each other and stay where they are",
    build,
};

const BOXES: usize = 10;
const SIDE: f64 = 0.1;

fn build(options: &Options) -> Result<Scene> {
    let mut world = options.world(Settings::default(), "canal")?;
    let wood = Material::with_friction(0.6);
    floor(&mut world, wood)?;
    for level in 0..BOXES {
        let height = (level as f64 + 0.5) * SIDE;
        // Every second one is turned a little, so that corners don't meet corners.
        let turn = if level % 2 == 0 { 0.0 } else { 0.3 };
        let pose = Isometry3::new(Vector3::new(0.0, 0.0, height), Vector3::z() * turn);
        let name = format!("box {level}");
        solid_box(&mut world, &name, 1.0, Vector3::repeat(SIDE), pose, wood)?;
    }
    Ok(options.scene(SCENE.name, world, 10.0))
}
