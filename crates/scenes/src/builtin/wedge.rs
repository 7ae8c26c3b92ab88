//! Two blocks on a slope: one just rough enough to stay, one just too smooth.

use stiction_sim::{
    CombineRule, Isometry3, Material, Result, RigidBody, Settings, Shape, UnitQuaternion, Vector3,
};

use super::parts::solid_box;
use crate::scene::{Options, Scene, SceneInfo};

pub(super) const SCENE: SceneInfo = SceneInfo {
    name: "wedge",
    summary: "two blocks on a slope of 20°: one sticks 0.1 % under the friction angle, one slides",
    build,
};

/// Slope, rad.
const ANGLE: f64 = 20.0 * std::f64::consts::PI / 180.0;

fn build(options: &Options) -> Result<Scene> {
    let settings = Settings {
        tolerance: 1e-12,
        ..Settings::default()
    };
    let mut world = options.world(settings, "canal")?;
    // The smaller coefficient counts, so that each block brings its own.
    let surface = |friction| Material {
        friction_rule: CombineRule::Min,
        ..Material::with_friction(friction)
    };
    let tilt = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), ANGLE);
    let slope = RigidBody::fixed("slope").at(Isometry3::from_parts(Vector3::zeros().into(), tilt));
    let slope = world.add_body(slope)?;
    world.attach(slope, Shape::half_space("plane"), surface(1.0))?;
    let sides = Vector3::new(0.2, 0.2, 0.1);
    for (name, y, share) in [("sticks", -0.2, 1.001), ("slides", 0.2, 0.95)] {
        let position = tilt * Vector3::new(0.0, y, 0.05);
        let pose = Isometry3::from_parts(position.into(), tilt);
        solid_box(
            &mut world,
            name,
            1.0,
            sides,
            pose,
            surface(share * ANGLE.tan()),
        )?;
    }
    Ok(options.scene(SCENE.name, world, 10.0))
}
