//! Newton's cradle: balls on threads that pass a blow on.

use stiction_sim::{
    Connection, ConnectionKind, Inertia, Isometry3, Material, Result, RigidBody, Settings, Shape,
    Vector3,
};

use crate::scene::{Options, Scene, SceneInfo};

pub(super) const SCENE: SceneInfo = SceneInfo {
    name: "newton-cradle",
    summary: "five balls with restitution 1 on threads: one comes, one goes",
    build,
};

const BALLS: usize = 5;
const RADIUS: f64 = 0.02;
/// Gap between the balls at rest: a blow passes on from step to step.
const GAP: f64 = 2e-3;
const LENGTH: f64 = 0.3;
/// Half distance of the two bars, m.
const SPREAD: f64 = 0.08;
/// How far the first ball is drawn aside, rad.
const DRAWN: f64 = 0.5;

fn build(options: &Options) -> Result<Scene> {
    let settings = Settings {
        time_step: 1.0 / 1000.0,
        tolerance: 1e-10,
        theta: Settings::IMPLICIT_EULER,
        ..Settings::default()
    };
    let mut world = options.world(settings, "canal")?;
    let steel = Material {
        restitution: 1.0,
        ..Material::with_friction(0.0)
    };
    let frame = world.add_body(RigidBody::fixed("frame").at_position(0.0, 0.0, 0.5))?;
    let drop = (LENGTH * LENGTH - SPREAD * SPREAD).sqrt();
    for (index, side) in [-1.0, 1.0].into_iter().enumerate() {
        let turned = Isometry3::new(
            Vector3::new(0.0, side * SPREAD, 0.0),
            Vector3::y() * std::f64::consts::FRAC_PI_2,
        );
        let bar = Shape::capsule(&format!("bar {index}"), 0.12, 0.004)?;
        world.attach_at(frame, bar, turned, steel)?;
    }
    let inertia = Inertia::solid_sphere(0.25, RADIUS);
    for index in 0..BALLS {
        let x = (index as f64 - 0.5 * (BALLS - 1) as f64) * (2.0 * RADIUS + GAP);
        let angle: f64 = if index == 0 { DRAWN } else { 0.0 };
        let position = Vector3::new(x - drop * angle.sin(), 0.0, 0.5 - drop * angle.cos());
        let name = format!("ball {index}");
        let ball = world.add_body(RigidBody::free(&name, inertia).at(Isometry3::from(position)))?;
        world.attach(ball, Shape::sphere("ball", RADIUS)?, steel)?;
        for (thread, side) in [-1.0, 1.0].into_iter().enumerate() {
            let kind = ConnectionKind::Distance { length: LENGTH };
            let anchor = Isometry3::translation(x, side * SPREAD, 0.0);
            world.connect(
                Connection::new(&format!("{name} thread {thread}"), kind, frame, ball)
                    .anchored(anchor, Isometry3::identity()),
            )?;
        }
    }
    Ok(options.scene(SCENE.name, world, 3.0))
}
