//! An arch of loose stones, held by friction alone.

use std::f64::consts::PI;

use stiction_sim::{
    Isometry3, Material, Point3, Result, RigidBody, Settings, Shape, Vector3, uniform_inertia,
};

use super::parts::floor;
use crate::scene::{Options, Scene, SceneInfo};

pub(super) const SCENE: SceneInfo = SceneInfo {
    name: "arch",
    summary: "a half-circle of loose stones stands by friction alone",
    build,
};

const STONES: usize = 9;
const INNER: f64 = 0.4;
const OUTER: f64 = 0.55;
const DEPTH: f64 = 0.15;
/// kg/m³
const DENSITY: f64 = 2400.0;

fn build(options: &Options) -> Result<Scene> {
    let settings = Settings {
        contact_margin: 1e-4,
        ..Settings::default()
    };
    let mut world = options.world(settings, "canal")?;
    let stone = Material::with_friction(0.7);
    floor(&mut world, stone)?;
    let step = PI / STONES as f64;
    for index in 0..STONES {
        let (from, to) = (index as f64 * step, (index + 1) as f64 * step);
        let middle = 0.5 * (from + to);
        let center = 0.5 * (INNER + OUTER);
        let position = Vector3::new(center * middle.cos(), 0.0, center * middle.sin());
        let mut corners = Vec::with_capacity(8);
        for angle in [from, to] {
            for radius in [INNER, OUTER] {
                for y in [-0.5 * DEPTH, 0.5 * DEPTH] {
                    let corner = Vector3::new(radius * angle.cos(), y, radius * angle.sin());
                    corners.push(Point3::from(corner - position));
                }
            }
        }
        let shape = Shape::convex_hull("stone", &corners)?;
        let area = 0.5 * step.sin() * (OUTER * OUTER - INNER * INNER);
        let inertia = uniform_inertia(&shape, DENSITY * DEPTH * area)?;
        let shade = 0.62 + 0.1 * ((index * 7) % 4) as f32 / 4.0;
        let body = RigidBody::free(&format!("stone {index}"), inertia)
            .at(Isometry3::from(position))
            .colored(shade, shade * 0.94, shade * 0.84);
        let handle = world.add_body(body)?;
        world.attach(handle, shape, stone)?;
    }
    Ok(options.scene(SCENE.name, world, 5.0))
}
