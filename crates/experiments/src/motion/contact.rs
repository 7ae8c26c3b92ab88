//! How robots move that something touches: energy under other limits of
//! [`ContactMotion`], one at a time.

use std::time::Instant;

use stiction_dynamics::{Inertia, JointKind, ModelDescription, Symmetric3, Transform, WORLD};
use stiction_scenes::Options;
use stiction_sim::{
    Connection, ConnectionKind, ContactMotion, EnergyWatch, Isometry3, Material, RigidBody,
    Settings, Shape, SimError, Vector3, World,
};

use super::models::{Links, chain};
use crate::error::Result;

/// What was measured of one model.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredInContact {
    /// Its name.
    pub name: &'static str,
    /// Largest kinetic energy, J.
    pub scale: f64,
    /// Largest rise of the energy that nobody put in above its lowest value before, as a share.
    pub gain: f64,
    /// Change of that energy from start to end, as a share.
    pub change: f64,
    /// What the accounts took, as a share.
    pub taken: f64,
    /// Trees for which stages were evaluated in a step, on average.
    pub staged: f64,
    /// Wall-clock time of a step, s.
    pub step_time: f64,
}

/// Names of the limits.
pub const LIMITS: [&str; 3] = ["fast turn", "fast change", "slow"];

/// The default limits, one of them times `factor`.
pub fn with_limit(limit: usize, factor: f64) -> ContactMotion {
    let mut limits = ContactMotion::default();
    match limit {
        0 => limits.fast_turn *= factor,
        1 => limits.fast_change *= factor,
        _ => limits.slow *= factor,
    }
    limits
}

type Build = fn(Settings) -> Result<World>;

/// The models, by name.
pub const MODELS: [(&str, Build); 5] = [
    ("rotor on the floor", rotor_on_floor),
    ("top", top),
    ("bouncing leg", bouncing_leg),
    ("whip", whip),
    ("drag link", drag_link),
];

/// Built-in scenes with robots that touch something, beside the models.
pub const SCENES: [&str; 10] = [
    "panda",
    "panda-gripper",
    "panda-box",
    "allegro-hand",
    "laikago",
    "solo12",
    "humanoid",
    "dual-arm",
    "mobile-manipulator",
    "door-handle",
];

/// Moves a model for `seconds` s.
///
/// # Errors
/// A step that fails.
pub fn measure_in_contact(
    (name, build): (&'static str, Build),
    limits: ContactMotion,
    seconds: f64,
) -> Result<MeasuredInContact> {
    let settings = Settings {
        contact_motion: limits,
        ..Settings::default()
    };
    measure_world(name, build(settings)?, seconds)
}

/// Moves a built-in scene for `seconds` s.
///
/// # Errors
/// A scene that there is not; a step that fails.
pub fn measure_scene(
    name: &'static str,
    limits: ContactMotion,
    seconds: f64,
) -> Result<MeasuredInContact> {
    let mut world = stiction_scenes::build(name, &Options::default())?.world;
    let settings = Settings {
        contact_motion: limits,
        ..world.settings().clone()
    };
    world.set_settings(settings)?;
    measure_world(name, world, seconds)
}

fn measure_world(name: &'static str, mut world: World, seconds: f64) -> Result<MeasuredInContact> {
    let steps = (seconds / world.settings().time_step).round().max(1.0) as usize;
    let mut watch = EnergyWatch::default();
    let (mut scale, mut taken, mut change) = (0.0f64, 0.0, 0.0);
    let (mut staged, mut time) = (0, 0.0);
    for step in 0..steps {
        let clock = Instant::now();
        let report = world.step()?;
        time += clock.elapsed().as_secs_f64();
        scale = scale.max(report.kinetic_energy);
        if step > 0 {
            change += report.energy.change - report.energy.given();
        }
        taken += report.energy_taken;
        staged += report.staged_trees;
        watch.look(&world);
    }
    Ok(MeasuredInContact {
        name,
        scale,
        gain: watch.largest() / scale,
        change: change / scale,
        taken: taken / scale,
        staged: staged as f64 / steps as f64,
        step_time: time / steps as f64,
    })
}

fn add_floor(world: &mut World, height: f64, restitution: f64) -> Result<Material> {
    let material = Material {
        restitution,
        ..Material::with_friction(0.5)
    };
    let floor = world.add_body(RigidBody::fixed("floor"))?;
    let at = Isometry3::translation(0.0, 0.0, height);
    world.attach_at(floor, Shape::half_space("plane"), at, material)?;
    Ok(material)
}

fn touch(world: &mut World, body: &str, shape: Shape, at: [f64; 3], of: Material) -> Result<()> {
    let body = world.find_body(body)?;
    let [x, y, z] = at;
    world.attach_at(body, shape, Isometry3::translation(x, y, z), of)?;
    Ok(())
}

/// A box that stands, with an eccentric rotor at 100 rad/s about an axis that is not quite upright.
fn rotor_on_floor(settings: Settings) -> Result<World> {
    let mut world = World::new(settings)?;
    let material = add_floor(&mut world, 0.0, 0.0)?;
    let mut tree = ModelDescription::new("rotor");
    let sides = Vector3::new(0.3, 0.2, 0.1);
    tree.add_body("base", Inertia::solid_box(5.0, sides));
    let about = Symmetric3::diagonal(1e-5, 2e-4, 2e-4);
    let rotor = Inertia::from_com(0.1, Vector3::new(0.02, 0.0, 0.0), about);
    tree.add_body("rotor", rotor);
    tree.add_joint("float", JointKind::Free, WORLD, "base");
    let axis = Vector3::new(0.0, 0.1, 1.0);
    tree.add_joint("axle", JointKind::Continuous { axis }, "base", "rotor")
        .at(Transform::from_translation(Vector3::new(0.0, 0.0, 0.1)));
    let robot = world.add_robot("r", tree.build()?)?;
    let q = [0.0, 0.0, 0.05, 0.0, 0.0, 0.0, 1.0, 0.0];
    world.set_robot_state(robot, &q, &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 100.0])?;
    let shape = Shape::cuboid("box", sides / 2.0).map_err(SimError::from)?;
    touch(&mut world, "r/base", shape, [0.0; 3], material)?;
    Ok(world)
}

/// A top with a round tip at 150 rad/s, leaning by 0.2 rad.
fn top(settings: Settings) -> Result<World> {
    let mut world = World::new(settings)?;
    let material = add_floor(&mut world, 0.0, 0.0)?;
    let mut tree = ModelDescription::new("top");
    let about = Symmetric3::diagonal(5e-5, 5e-5, 4e-5);
    let body = Inertia::from_com(0.1, Vector3::new(0.0, 0.0, 0.03), about);
    tree.add_body("top", body);
    tree.add_joint("float", JointKind::Free, WORLD, "top");
    let robot = world.add_robot("r", tree.build()?)?;
    let (sin, cos) = 0.1f64.sin_cos();
    let q = [0.0, 0.0, 0.005, sin, 0.0, 0.0, cos];
    world.set_robot_state(robot, &q, &[0.0, 0.0, 0.0, 0.0, 0.0, 150.0])?;
    touch(
        &mut world,
        "r/top",
        Shape::sphere("tip", 0.005).map_err(SimError::from)?,
        [0.0; 3],
        material,
    )?;
    Ok(world)
}

/// A box with a foot on a hinge, thrown onto the floor with ε = 1/2.
fn bouncing_leg(settings: Settings) -> Result<World> {
    let mut world = World::new(settings)?;
    let material = add_floor(&mut world, 0.0, 0.5)?;
    let mut tree = ModelDescription::new("leg");
    let sides = Vector3::new(0.3, 0.2, 0.1);
    tree.add_body("base", Inertia::solid_box(1.0, sides));
    let about = Symmetric3::diagonal(2e-3, 2e-3, 1e-4);
    let foot = Inertia::from_com(0.3, Vector3::new(0.0, 0.0, -0.15), about);
    tree.add_body("foot", foot);
    tree.add_joint("float", JointKind::Free, WORLD, "base");
    let axis = Vector3::y();
    tree.add_joint("knee", JointKind::Continuous { axis }, "base", "foot")
        .at(Transform::from_translation(Vector3::new(0.1, 0.0, -0.05)));
    let robot = world.add_robot("r", tree.build()?)?;
    let q = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.3];
    world.set_robot_state(robot, &q, &[1.0, 0.0, 0.0, 1.0, 2.0, 0.5, 0.0])?;
    let shape = Shape::cuboid("box", sides / 2.0).map_err(SimError::from)?;
    touch(&mut world, "r/base", shape, [0.0; 3], material)?;
    let toe = Shape::sphere("toe", 0.04).map_err(SimError::from)?;
    touch(&mut world, "r/foot", toe, [0.0, 0.0, -0.3], material)?;
    Ok(world)
}

/// A chain of twenty links that swings, its end over the floor.
fn whip(settings: Settings) -> Result<World> {
    let mut world = World::new(settings)?;
    let material = add_floor(&mut world, -1.3, 0.0)?;
    let chain = chain(20, Links::Planar)?;
    let robot = world.add_robot("r", chain.model)?;
    world.set_robot_state(robot, &chain.start.q, &chain.start.v)?;
    for link in 0..20 {
        let shape = Shape::sphere("end", 0.01).map_err(SimError::from)?;
        touch(
            &mut world,
            &format!("r/link {link}"),
            shape,
            [0.08, 0.0, 0.0],
            material,
        )?;
    }
    Ok(world)
}

/// A drag link: the ground is the shortest bar, and the others go round.
fn drag_link(settings: Settings) -> Result<World> {
    let [crank, coupler, rocker, ground] = [0.4, 0.35, 0.45, 0.15f64];
    let start = 1.2f64;
    let (x, z) = (crank * start.cos(), crank * start.sin());
    let apart = (ground - x).hypot(z);
    let along = (coupler * coupler - rocker * rocker + apart * apart) / (2.0 * apart);
    let across = (coupler * coupler - along * along).sqrt();
    let joint = [
        x + (along * (ground - x) + across * z) / apart,
        z + (across * (ground - x) - along * z) / apart,
    ];
    let angles = [
        (joint[1] - z).atan2(joint[0] - x),
        joint[1].atan2(joint[0] - ground),
    ];
    let mut world = World::new(settings)?;
    let mut tree = ModelDescription::new("drag link");
    let hinge = || JointKind::Revolute {
        axis: -Vector3::y(),
    };
    for (name, mass, length) in [
        ("crank", 0.5, crank),
        ("coupler", 0.8, coupler),
        ("rocker", 0.6, rocker),
    ] {
        let across = mass * length * length / 12.0;
        let about = Symmetric3::diagonal(0.02 * across, across, across);
        let center = Vector3::new(0.5 * length, 0.0, 0.0);
        tree.add_body(name, Inertia::from_com(mass, center, about));
    }
    let at = |x: f64| Transform::from_translation(Vector3::new(x, 0.0, 0.0));
    tree.add_joint("j1", hinge(), WORLD, "crank");
    tree.add_joint("j2", hinge(), "crank", "coupler")
        .at(at(crank));
    tree.add_joint("j3", hinge(), WORLD, "rocker")
        .at(at(ground));
    let robot = world.add_robot("r", tree.build()?)?;
    let q = [start, angles[0] - start, angles[1]];
    world.set_robot_state(robot, &q, &[0.0; 3])?;
    let [a, b] = [world.find_body("r/coupler")?, world.find_body("r/rocker")?];
    let across = Vector3::x() * -std::f64::consts::FRAC_PI_2;
    let at = |x: f64| Isometry3::new(Vector3::new(x, 0.0, 0.0), across);
    let joint = Connection::new("loop", ConnectionKind::Hinge, a, b);
    world.connect(joint.anchored(at(coupler), at(rocker)))?;
    Ok(world)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What errors of loops may add up to is what half a step of gravity explains.
    #[test]
    fn touched_robots_gain_nothing() {
        for model in MODELS {
            let found = measure_in_contact(model, ContactMotion::default(), 1.0).unwrap();
            let most = if model.0 == "drag link" { 0.1 } else { 1e-4 };
            assert!(found.gain < most, "{found:?}");
        }
    }

    /// What turns fast and stands or leans on something keeps its energy but for a little friction.
    #[test]
    fn what_turns_fast_on_the_floor_keeps_its_energy() {
        for model in MODELS.into_iter().take(2) {
            let found = measure_in_contact(model, ContactMotion::default(), 1.0).unwrap();
            assert!(found.change > -5e-3, "{found:?}");
        }
    }
}
