//! A cable hangs between two walls.
//!
//! With wL/EA = 1e-4 and (EI/w)^⅓ = 0.02 L it hangs as the catenary does, y = a cosh(x/a), to a fraction of
//! a per cent. 1.2 m of cable over a span of 1 m, 100 links, time step 10 ms. It starts as an arc of a
//! circle and is damped, so that it settles in seconds.

use stiction_sim::deformable::rod::{Damping, Profile, Rod, RodError, RodShape, Stiffness};
use stiction_sim::{Isometry3, Result, RigidBody, RodBody, Settings, Shape, SimError, Vector3};

use super::arc::hanging;
use crate::scene::{Options, Scene, SceneInfo};

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "catenary",
    summary: "a cable of 1.2 m hangs over a span of 1 m",
    build,
};

/// Length and span, m.
const LENGTH: f64 = 1.2;
const SPAN: f64 = 1.0;
const LINKS: usize = 101;
/// kg/m.
const MASS: f64 = 0.05;

fn build(options: &Options) -> Result<Scene> {
    let settings = Settings {
        time_step: 0.01,
        ..Settings::default()
    };
    let mut world = options.world(settings, "canal")?;
    let weight = MASS * world.settings().gravity.norm();
    let points = hanging(LENGTH, SPAN, LINKS);
    let cable = cable(weight).map_err(refuse)?;
    let poses = RodShape::along_points(&points).map_err(refuse)?.poses;
    let mut body = RodBody {
        poses,
        ..RodBody::new("cable", cable)
    };
    for (name, link) in [("left", 0), ("right", LINKS - 1)] {
        let wall = RigidBody::fixed(name).at(Isometry3::from(points[link]));
        let wall = world.add_body(wall)?;
        let hook = Shape::sphere("hook", 0.01)?;
        world.attach_visual(wall, hook, Isometry3::identity(), None)?;
        body = body.fixed_to(link, wall);
    }
    world.add_rod(body)?;
    Ok(options.scene(SCENE.name, world, 10.0))
}

fn refuse(error: RodError) -> SimError {
    SimError::NotPossible {
        element: SCENE.name.to_owned(),
        reason: error.to_string(),
    }
}

fn cable(weight: f64) -> std::result::Result<Rod, RodError> {
    let end = Vector3::new(LENGTH, 0.0, 0.0);
    let shape = RodShape::straight(Vector3::zeros(), end, LINKS)?;
    let stretch = weight * LENGTH / 1e-4;
    let bend = weight * (0.02_f64 * LENGTH).powi(3);
    let profile = Profile {
        stiffness: Stiffness {
            shear: [0.4 * stretch; 2],
            stretch,
            bend: [bend; 2],
            twist: bend,
        },
        mass_per_length: MASS,
        rotary_inertia: [1e-7; 2],
    };
    Rod::new(shape, profile)?.with_damping(Damping {
        mass: 2.0,
        ..Damping::default()
    })
}
