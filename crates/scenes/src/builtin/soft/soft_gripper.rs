//! Two soft fingers grip a part and press it against a force sensor.
//!
//! Together the fingers have 4 336 nodes and 19 528 tetrahedra, E 83 kPa, ν 0.42, μ 2.1. Chosen
//! here: their shape, a tapered capsule of 66 mm that hangs from its thick end, density 1000 kg/m³ and
//! damping; the part, a box of 30 mm and 30 g on a slippery floor; the sensor, a plate 8 mm behind the
//! part on a stiff spring whose force is read. The roots close by 12 mm beyond touching in 0.6 s, lift the
//! part by 10 mm, and go on towards the sensor by 16 mm until the bent fingers press it there. Time step
//! 10 ms.

use stiction_control::minimum_jerk;
use stiction_sim::deformable::fem::Material as SoftMaterial;
use stiction_sim::deformable::mesh::{Bounds, TetMesh, fill};
use stiction_sim::{
    BodyHandle, Commands, Controller, FrameQuantity, Inertia, Isometry3, JointKind, Material,
    ModelDescription, Result, RigidBody, Sensor, SensorKind, Shape, SoftBody, Tracking, Transform,
    Vector3, World,
};

use super::{SoftChoice, of_mesh, settings};
use crate::builtin::parts::{floor, solid_box};
use crate::scene::{Options, Scene, SceneInfo};

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "soft-gripper",
    summary: "two soft fingers grip a part and press it against a force sensor",
    build: |options| of(options, SILICONE),
};

/// Radii of a finger's root and tip, the distance of their centres, and the side of its lattice's cubes, m.
const ROOT: f64 = 0.0145;
const TIP: f64 = 0.0105;
const LENGTH: f64 = 0.041;
const CUBE: f64 = 3.4e-3;
const SILICONE: SoftChoice = SoftChoice {
    young: 8.3e4,
    poisson: 0.42,
    friction: 2.1,
    is_cut: false,
    pace: 1.0,
};
/// Side (m) and mass (kg) of the part.
const PART: f64 = 0.03;
const MASS: f64 = 0.03;
/// Friction of the floor, with itself.
const SLIPPERY: f64 = 0.02;
/// Gap between part and sensor, m, and what carries its plate: N/m, N·s/m.
const BEHIND: f64 = 8e-3;
const SENSOR: [f64; 2] = [2e4, 200.0];
/// Gap between finger and part at first, and how far the roots go on from touching, m.
const ASIDE: f64 = 3e-3;
const SQUEEZE: f64 = 0.012;
/// How far the roots lift the part and push it towards the sensor, m.
const LIFT: f64 = 0.01;
const PUSH: f64 = 0.016;
/// When the roots are closed, lifted and pushed, s.
const CLOSED: f64 = 0.6;
const LIFTED: f64 = 1.0;
const PUSHED: f64 = 1.6;

/// The scene with fingers of something else.
pub(in crate::builtin) fn of(options: &Options, stuff: SoftChoice) -> Result<Scene> {
    let stuff = stuff.checked(SCENE.name)?;
    let mut world = options.world(settings(), "canal")?;
    let surface = Material::with_friction(stuff.friction);
    floor(&mut world, Material::with_friction(SLIPPERY))?;
    add_sensor(&mut world)?;
    let part = Isometry3::translation(0.0, 0.0, 0.5 * PART);
    let sides = Vector3::repeat(PART);
    solid_box(&mut world, "part", MASS, sides, part, surface)?;
    let mesh = finger()?;
    for (name, side) in [("left", 1.0), ("right", -1.0)] {
        add_finger(&mut world, &mesh, (name, side), stuff)?;
    }
    Ok(options.scene(SCENE.name, world, 2.0 / stuff.pace))
}

/// A plate behind the part whose spring says how hard it is pressed, along −x.
fn add_sensor(world: &mut World) -> Result<()> {
    // Narrower than the part, so that the fingers pass by it.
    let half = Vector3::new(0.005, 0.01, 0.025);
    let mut model = ModelDescription::new("sensor");
    model.add_body("plate", Inertia::solid_box(0.05, 2.0 * half));
    let axis = Vector3::x();
    let at = Vector3::new(0.5 * PART + BEHIND + half.x, 0.0, half.z + 5e-3);
    let rail = JointKind::Prismatic { axis };
    model
        .add_joint("rail", rail, "world", "plate")
        .at(Transform::from_translation(at));
    let robot = world.add_robot("sensor", model.build()?)?;
    let plate = world.find_body("sensor/plate")?;
    let smooth = Material::with_friction(SLIPPERY);
    world.attach(plate, Shape::cuboid("plate", half)?, smooth)?;
    let [stiffness, damping] = SENSOR;
    let spring = Tracking {
        stiffness,
        damping,
        ..Tracking::default()
    };
    world.commands().track(robot, 0, spring)?;
    let quantity = FrameQuantity::Force;
    world.add_sensor(Sensor::new(
        "force",
        SensorKind::Frame {
            body: plate,
            pose: Isometry3::identity(),
            quantity,
        },
    ))?;
    Ok(())
}

/// The two balls of a tapered capsule and what lies between them; the root's centre is the origin, the tip
/// points down.
fn finger() -> Result<TetMesh> {
    let slant = (ROOT - TIP) / LENGTH;
    let upright = (1.0 - slant * slant).sqrt();
    let distance = |at: &Vector3<f64>| {
        // Along the axis and away from it; the nearest ball is found along the normal of the side.
        let (along, away) = (-at.z, at.xy().norm());
        let foot = (along - away * slant / upright).clamp(0.0, LENGTH);
        (along - foot).hypot(away) - (ROOT - slant * foot)
    };
    let bounds = Bounds {
        min: Vector3::new(-ROOT, -ROOT, -LENGTH - TIP),
        max: Vector3::new(ROOT, ROOT, ROOT),
    };
    fill(&bounds, CUBE, distance).map_err(|error| of_mesh(SCENE.name, &error))
}

/// A finger at one side of the part, hanging from a root that is moved.
fn add_finger(
    world: &mut World,
    mesh: &TetMesh,
    (name, side): (&str, f64),
    stuff: SoftChoice,
) -> Result<()> {
    // The tip's centre is at the height of the part's middle.
    let at = Vector3::new(0.0, side * (0.5 * PART + TIP + ASIDE), 0.5 * PART + LENGTH);
    let pose = Isometry3::from(at);
    let root = world.add_body(RigidBody::driven(&format!("{name} root")).at(pose))?;
    let rubber = SoftMaterial::corotational(stuff.young, stuff.poisson, 1000.0).damped(0.5, 0.01);
    let mut finger = SoftBody::new(name, mesh.clone(), rubber);
    finger.pieces = stuff.pieces();
    finger = finger
        .touching(Material::with_friction(stuff.friction))
        .at(pose);
    let nodes = finger.mesh.nodes().iter().enumerate();
    let upper = nodes.filter(|(_, at)| at.z > 0.3 * ROOT);
    finger.attached = upper.map(|(node, _)| (node, root)).collect();
    world.add_soft_body(finger)?;
    world.add_controller(Box::new(Root {
        body: root,
        side,
        pace: stuff.pace,
    }));
    Ok(())
}

/// Moves the root of a finger.
struct Root {
    body: BodyHandle,
    side: f64,
    pace: f64,
}

impl Root {
    /// How far it has gone at a time, m.
    fn way(&self, time: f64) -> Vector3<f64> {
        let time = self.pace * time;
        let between = |from: f64, to: f64| minimum_jerk((time - from) / (to - from));
        Vector3::new(
            PUSH * between(LIFTED, PUSHED),
            -self.side * (ASIDE + SQUEEZE) * between(0.0, CLOSED),
            LIFT * between(CLOSED, LIFTED),
        )
    }
}

impl Controller for Root {
    fn control(&mut self, world: &World, commands: &mut Commands) -> Result<()> {
        let (now, step) = (world.time(), world.settings().time_step);
        let velocity = (self.way(now + step) - self.way(now)) / step;
        commands.drive(self.body, velocity, Vector3::zeros())
    }
}
