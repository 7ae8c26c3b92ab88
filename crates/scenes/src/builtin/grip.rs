//! A capsule is held between two pads by friction alone, and does not creep.

use stiction_sim::{
    Inertia, Isometry3, JointKind, Material, ModelDescription, Result, RigidBody, Settings, Shape,
    Transform, Vector3, World, uniform_inertia,
};

use crate::scene::{Options, Scene, SceneInfo};

pub(super) const SCENE: SceneInfo = SceneInfo {
    name: "grip",
    summary: "a 45 g capsule pinched between two force-controlled pads: it does not creep",
    build,
};

/// Radius of the capsule, m, and force of each pad, N.
const RADIUS: f64 = 4e-3;
const FORCE: f64 = 3.82;

fn build(options: &Options) -> Result<Scene> {
    let settings = Settings {
        time_step: 2e-3,
        tolerance: 1e-13,
        contact_margin: 1e-4,
        ..Settings::default()
    };
    let mut world = options.world(settings, "canal")?;
    let rubber = Material::with_friction(0.7);
    let capsule = Shape::capsule("capsule", 0.02, RADIUS)?;
    let inertia = uniform_inertia(&capsule, 0.045)?;
    let lying = Isometry3::new(
        Vector3::new(0.0, 0.0, 0.1),
        Vector3::y() * std::f64::consts::FRAC_PI_2,
    );
    let body = world.add_body(RigidBody::free("capsule", inertia).at(lying))?;
    world.attach(body, capsule, rubber)?;
    pad(&mut world, "left pad", -1.0, rubber)?;
    pad(&mut world, "right pad", 1.0, rubber)?;
    Ok(options.scene(SCENE.name, world, 10.0))
}

/// A pad that slides along y and presses inwards with a constant force.
fn pad(world: &mut World, name: &str, side: f64, material: Material) -> Result<()> {
    let half = Vector3::new(0.02, 0.004, 0.015);
    let mut model = ModelDescription::new(name);
    model.add_body("pad", Inertia::solid_box(0.05, half * 2.0));
    let slide = JointKind::Prismatic { axis: Vector3::y() };
    let at = Vector3::new(0.0, side * (RADIUS + half.y), 0.1);
    model
        .add_joint("slide", slide, "world", "pad")
        .at(Transform::from_translation(at));
    let robot = world.add_robot(name, model.build()?)?;
    let link = world.find_body(&format!("{name}/pad"))?;
    world.attach(link, Shape::cuboid("box", half)?, material)?;
    let dof = world.dof(robot, "slide")?;
    world.commands().set_torque(robot, dof, -side * FORCE)
}
