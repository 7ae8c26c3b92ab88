//! 216 balls fall into a box.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stiction_sim::{Isometry3, Material, Result, RigidBody, Settings, Shape, Vector3};

use super::parts::{ball, floor};
use crate::scene::{Options, Scene, SceneInfo};

pub(super) const SCENE: SceneInfo = SceneInfo {
    name: "spheres",
    summary: "216 balls fall into a box and come to rest",
    build,
};

const EDGE: usize = 6;
const RADIUS: f64 = 0.05;

fn build(options: &Options) -> Result<Scene> {
    let settings = Settings {
        tolerance: 1e-3,
        max_iterations: Some(20),
        ..Settings::default()
    };
    let mut world = options.world(settings, "subadmm")?;
    let rubber = Material::with_friction(0.5);
    floor(&mut world, rubber)?;
    let half = 0.36;
    let height = 0.25;
    for (index, (direction, sides)) in [
        (Vector3::x(), Vector3::new(0.02, half + 0.04, height)),
        (-Vector3::x(), Vector3::new(0.02, half + 0.04, height)),
        (Vector3::y(), Vector3::new(half + 0.04, 0.02, height)),
        (-Vector3::y(), Vector3::new(half + 0.04, 0.02, height)),
    ]
    .into_iter()
    .enumerate()
    {
        let position = direction * (half + 0.02) + Vector3::z() * height;
        let mut wall = RigidBody::fixed(&format!("wall {index}")).at(Isometry3::from(position));
        wall.color = Some([0.55, 0.60, 0.66, 0.25]);
        let wall = world.add_body(wall)?;
        world.attach(wall, Shape::cuboid("board", sides)?, rubber)?;
    }
    let mut random = ChaCha8Rng::seed_from_u64(options.seed);
    let mut jitter = move || random.random_range(-0.004..0.004);
    for layer in 0..EDGE {
        for row in 0..EDGE {
            for column in 0..EDGE {
                let grid = |index: usize| (index as f64 - 0.5 * (EDGE - 1) as f64) * 0.115;
                let position = Vector3::new(
                    grid(column) + jitter(),
                    grid(row) + jitter(),
                    RADIUS + 0.01 + 0.115 * layer as f64 + jitter(),
                );
                let name = format!("ball {}", (layer * EDGE + row) * EDGE + column);
                ball(&mut world, &name, 0.5, RADIUS, position, rubber)?;
            }
        }
    }
    Ok(options.scene(SCENE.name, world, 4.0))
}
