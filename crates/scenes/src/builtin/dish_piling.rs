//! Free dishes fall into a stack: bowl, bowl, plate, and a heavy pot on top.

use stiction_sim::sdf::Dish;
use stiction_sim::{
    Isometry3, Material, Result, RigidBody, Settings, Shape, Vector3, World, uniform_inertia,
};

use super::parts::floor;
use crate::scene::{Options, Scene, SceneInfo};

pub(super) const SCENE: SceneInfo = SceneInfo {
    name: "dish-piling",
    summary: "two bowls, a plate and a 5 kg pot pile up on 0.1 kg of china: 50 : 1 in mass",
    build,
};

/// Side of the triangles on the dishes' walls, m.
const RESOLUTION: f64 = 1e-2;

fn build(options: &Options) -> Result<Scene> {
    let settings = Settings {
        tolerance: 1e-6,
        contact_margin: 5e-4,
        ..Settings::default()
    };
    let mut world = options.world(settings, "canal")?;
    world.set_detection(24, Default::default())?;
    let china = Material::with_friction(0.4);
    floor(&mut world, china)?;
    // Half the wall's thickness is what pads the centre line.
    let bowl = Dish::bowl(0.04, 0.08, 0.06, 0.003)?;
    let plate = Dish::plate(0.07, 0.11, 0.02, 0.003)?;
    let pot = Dish::pot(0.07, 0.12, 0.003)?;
    dish(
        &mut world,
        "lower bowl",
        bowl,
        0.1,
        0.006,
        [0.93, 0.93, 0.90],
    )?;
    dish(
        &mut world,
        "upper bowl",
        bowl,
        0.1,
        0.035,
        [0.36, 0.56, 0.80],
    )?;
    dish(&mut world, "plate", plate, 0.1, 0.115, [0.89, 0.55, 0.27])?;
    dish(&mut world, "pot", pot, 5.0, 0.145, [0.45, 0.47, 0.50])?;
    Ok(options.scene(SCENE.name, world, 5.0))
}

fn dish(
    world: &mut World,
    name: &str,
    dish: Dish,
    mass: f64,
    height: f64,
    [red, green, blue]: [f32; 3],
) -> Result<()> {
    let shape = Shape::dish("dish", dish, RESOLUTION)?;
    let body = RigidBody::free(name, uniform_inertia(&shape, mass)?)
        .at(Isometry3::new(
            Vector3::new(0.0, 0.0, height),
            Vector3::new(0.02, 0.01, 0.0),
        ))
        .colored(red, green, blue);
    let handle = world.add_body(body)?;
    world.attach(handle, shape, Material::with_friction(0.4))
}
