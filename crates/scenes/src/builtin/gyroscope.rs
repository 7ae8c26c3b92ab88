//! A fast wheel on a rod whose end stands on a ball joint: it precesses instead of falling.

use stiction_sim::{
    Connection, ConnectionKind, Inertia, Isometry3, Material, Result, RigidBody, Settings, Shape,
    Symmetric3, Vector3,
};

use crate::scene::{Options, Scene, SceneInfo};

pub(super) const SCENE: SceneInfo = SceneInfo {
    name: "gyroscope",
    summary: "a wheel spinning at 300 rad/s on a rod precesses at m g l/(I ω)",
    build,
};

/// Mass (kg), radius (m), distance from the pivot (m) and spin (rad/s) of the wheel.
const MASS: f64 = 1.0;
const RADIUS: f64 = 0.1;
const ARM: f64 = 0.15;
const SPIN: f64 = 300.0;

fn build(options: &Options) -> Result<Scene> {
    let settings = Settings {
        time_step: 1.0 / 1000.0,
        tolerance: 1e-10,
        ..Settings::default()
    };
    let mut world = options.world(settings, "canal")?;
    let stand = world.add_body(RigidBody::fixed("stand").at_position(0.0, 0.0, 0.3))?;
    let steel = Material::default();
    world.attach_at(
        stand,
        Shape::capsule("post", 0.14, 0.008)?,
        Isometry3::translation(0.0, 0.0, -0.15),
        steel,
    )?;
    let along = 0.5 * MASS * RADIUS * RADIUS;
    let across = 0.5 * along;
    let inertia = Inertia::from_com(
        MASS,
        Vector3::zeros(),
        Symmetric3::diagonal(along, across, across),
    );
    // Steady precession from the start: no nutation to speak of.
    let precession = MASS * 9.81 * ARM / (along * SPIN);
    let wheel = RigidBody::free("wheel", inertia)
        .at_position(ARM, 0.0, 0.3)
        .moving(
            Vector3::new(0.0, ARM * precession, 0.0),
            Vector3::new(SPIN, 0.0, precession),
        );
    let wheel = world.add_body(wheel)?;
    let turned = Isometry3::rotation(Vector3::y() * std::f64::consts::FRAC_PI_2);
    world.attach_at(wheel, Shape::cylinder("rim", 0.012, RADIUS)?, turned, steel)?;
    let rod = Isometry3::translation(-0.5 * ARM, 0.0, 0.0) * turned;
    world.attach_at(wheel, Shape::capsule("rod", 0.5 * ARM, 0.006)?, rod, steel)?;
    world.exclude(stand, wheel)?;
    world.connect(
        Connection::new("pivot", ConnectionKind::Ball, stand, wheel).anchored(
            Isometry3::identity(),
            Isometry3::translation(-ARM, 0.0, 0.0),
        ),
    )?;
    Ok(options.scene(SCENE.name, world, 4.0))
}
