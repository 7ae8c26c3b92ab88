//! A closed chain falls over a bar.

use std::f64::consts::TAU;

use stiction_sim::{
    Connection, ConnectionKind, Isometry3, Material, Result, RigidBody, Settings, Shape,
    UnitQuaternion, Vector3, uniform_inertia,
};

use crate::scene::{Options, Scene, SceneInfo};

pub(super) const SCENE: SceneInfo = SceneInfo {
    name: "chain",
    summary: "a closed loop of sixteen links hangs over a bar",
    build,
};

const LINKS: usize = 16;
const RADIUS: f64 = 0.25;
const THICKNESS: f64 = 0.012;

fn build(options: &Options) -> Result<Scene> {
    let mut world = options.world(Settings::default(), "canal")?;
    let steel = Material::with_friction(0.3);
    let along_y = Vector3::x() * std::f64::consts::FRAC_PI_2;
    // The bar is inside the loop, a little under its top.
    let bar = RigidBody::fixed("bar").at(Isometry3::new(Vector3::new(0.0, 0.0, 1.15), along_y));
    let bar = world.add_body(bar)?;
    world.attach(bar, Shape::capsule("bar", 0.2, 0.04)?, steel)?;
    let step = TAU / LINKS as f64;
    let length = 2.0 * RADIUS * (0.5 * step).sin();
    let half = 0.5 * length;
    let mut links = Vec::with_capacity(LINKS);
    for index in 0..LINKS {
        let angle = (index as f64 + 0.5) * step;
        let middle = RADIUS * (0.5 * step).cos();
        let position = Vector3::new(middle * angle.cos(), 0.0, 1.0 + middle * angle.sin());
        // Local z along the chord, from the start of the link to its end.
        let chord = Vector3::new(-angle.sin(), 0.0, angle.cos());
        let rotation = UnitQuaternion::rotation_between(&Vector3::z(), &chord)
            .unwrap_or_else(|| UnitQuaternion::from_scaled_axis(Vector3::y() * (0.5 * TAU)));
        let shape = Shape::capsule("link", half - THICKNESS, THICKNESS)?;
        let body = RigidBody::free(&format!("link {index}"), uniform_inertia(&shape, 0.1)?)
            .at(Isometry3::from_parts(position.into(), rotation));
        let handle = world.add_body(body)?;
        world.attach(handle, shape, steel)?;
        links.push(handle);
    }
    for index in 0..LINKS {
        let next = (index + 1) % LINKS;
        world.connect(
            Connection::new(
                &format!("joint {index}"),
                ConnectionKind::Ball,
                links[index],
                links[next],
            )
            .anchored(
                Isometry3::translation(0.0, 0.0, half),
                Isometry3::translation(0.0, 0.0, -half),
            ),
        )?;
    }
    Ok(options.scene(SCENE.name, world, 4.0))
}
