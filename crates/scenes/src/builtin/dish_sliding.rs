//! Two stacked bowls are pushed along the floor, let go, and come to rest.

use stiction_sim::sdf::Dish;
use stiction_sim::{
    BodyHandle, Commands, Controller, Isometry3, Material, Result, RigidBody, Settings, Shape,
    Vector3, World, uniform_inertia,
};

use super::parts::floor;
use crate::scene::{Options, Scene, SceneInfo};

pub(super) const SCENE: SceneInfo = SceneInfo {
    name: "dish-sliding",
    summary: "two stacked bowls are pushed along the floor by 1.2 N for half a second, and come to rest",
    build,
};

const FRICTION: f64 = 0.3;
/// Of one bowl, kg.
const MASS: f64 = 0.1;
/// Half the thickness of the walls, m.
const PADDING: f64 = 0.003;
/// The push along x, N, and from when to when, s.
const PUSH: f64 = 1.2;
const PUSHED: [f64; 2] = [0.5, 1.0];

fn build(options: &Options) -> Result<Scene> {
    let settings = Settings {
        tolerance: 1e-8,
        contact_margin: 5e-4,
        ..Settings::default()
    };
    let mut world = options.world(settings, "canal")?;
    world.set_detection(24, Default::default())?;
    let china = Material::with_friction(FRICTION);
    floor(&mut world, china)?;
    let bowl = Dish::bowl(0.04, 0.08, 0.06, PADDING)?;
    let mut dish = |name: &str, height: f64, [red, green, blue]: [f32; 3]| -> Result<BodyHandle> {
        let shape = Shape::dish("dish", bowl, 1e-2)?;
        let body = RigidBody::free(name, uniform_inertia(&shape, MASS)?);
        let body = body.at(Isometry3::translation(0.0, 0.0, height));
        let body = world.add_body(body.colored(red, green, blue))?;
        world.attach(body, shape, china)?;
        Ok(body)
    };
    let lower = dish("lower bowl", PADDING, [0.93, 0.93, 0.90])?;
    // Just above where its wall rests on that of the lower one.
    dish("upper bowl", 0.0142, [0.36, 0.56, 0.80])?;
    world.add_controller(Box::new(Push { dish: lower }));
    Ok(options.scene(SCENE.name, world, 2.5))
}

/// Pushes a dish at its centre of mass for a while.
struct Push {
    dish: BodyHandle,
}

impl Controller for Push {
    fn control(&mut self, world: &World, commands: &mut Commands) -> Result<()> {
        // The middle of the step decides, so that the impulse does not depend on rounding.
        let time = world.time() + 0.5 * world.settings().time_step;
        match time > PUSHED[0] && time < PUSHED[1] {
            true => commands.push(self.dish, Vector3::x() * PUSH, Vector3::zeros()),
            false => Ok(()),
        }
    }
}
