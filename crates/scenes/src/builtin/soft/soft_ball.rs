//! A gripper with six axes and two fingers picks up a soft ball.
//!
//! The ball has a radius of 40 mm, 1 483 nodes and 6 768 tetrahedra, E 1 MPa, ν 0.35, μ 0.5. Chosen here:
//! its density (1000 kg/m³, so 0.26 kg) and damping, the gripper (three sliding and three turning axes in
//! a row, 1 kg in all but the fingers), its servos, and its way: it closes in 0.25 s until each finger
//! presses with about 36 N, lifts by 0.15 m in 0.4 s, then carries the ball aside and tilts it. Time step
//! 10 ms.

use stiction_control::{Follow, Servo};
use stiction_sim::deformable::fem::Material as SoftMaterial;
use stiction_sim::deformable::mesh::ball;
use stiction_sim::{
    Inertia, Isometry3, JointKind, Material, ModelDescription, Result, Shape, Signal, SoftBody,
    Transform, Vector3, World,
};

use super::{SoftChoice, of_mesh, settings};
use crate::builtin::parts::floor;
use crate::builtin::robots::stage::ease;
use crate::scene::{Options, Scene, SceneInfo};

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "soft-ball",
    summary: "a gripper with six axes and two fingers picks up a soft ball",
    build: |options| of(options, RUBBER),
};

/// Radius of the ball, and the side of a cube of its lattice, m.
const RADIUS: f64 = 0.04;
const CUBE: f64 = RADIUS / 5.0;
const RUBBER: SoftChoice = SoftChoice {
    young: 1e6,
    poisson: 0.35,
    friction: 0.5,
    is_cut: false,
    pace: 1.0,
};
/// Half sides of a finger's pad, m.
const PAD: Vector3<f64> = Vector3::new(0.02, 0.005, 0.02);
/// Where the inner faces of the open fingers are, and where the closed ones are told to go, m.
const OPEN: f64 = RADIUS + 5e-3;
const CLOSED: f64 = RADIUS - 6e-3;
/// Servos of the sliding axes, of the turning axes, and of a finger.
const SLIDE: Servo = Servo::new(1e5, 2e3);
const TURN: Servo = Servo::new(1e3, 20.0);
const FINGER: Servo = Servo::new(1e4, 200.0);
/// When it is closed, lifted, and has carried the ball aside, and when the scene ends, s.
const GRIPPED: f64 = 0.25;
const LIFTED: f64 = 0.7;
const CARRIED: f64 = 1.5;
const SECONDS: f64 = 1.8;
/// How far it lifts and carries, m, and how far it tilts, rad.
const LIFT: f64 = 0.15;
const ASIDE: f64 = 0.2;
const TILT: f64 = 0.6;

/// The scene with a ball of something else.
pub(in crate::builtin) fn of(options: &Options, stuff: SoftChoice) -> Result<Scene> {
    let stuff = stuff.checked(SCENE.name)?;
    let mut world = options.world(settings(), "canal")?;
    let surface = Material::with_friction(stuff.friction);
    floor(&mut world, surface)?;
    add_gripper(&mut world, surface, stuff.pace)?;
    let mesh = ball(RADIUS, CUBE).map_err(|error| of_mesh(SCENE.name, &error))?;
    let rubber = SoftMaterial::corotational(stuff.young, stuff.poisson, 1000.0).damped(0.1, 0.002);
    let mut body = SoftBody::new("ball", mesh, rubber).touching(surface);
    body.pieces = stuff.pieces();
    world.add_soft_body(body.at(Isometry3::translation(0.0, 0.0, RADIUS)))?;
    Ok(options.scene(SCENE.name, world, SECONDS / stuff.pace))
}

/// Axes x, y, z, then about x, y, z, all through the middle of the ball; then the fingers along y.
fn add_gripper(world: &mut World, surface: Material, pace: f64) -> Result<()> {
    let sliding = |axis| JointKind::Prismatic { axis };
    let turning = |axis| JointKind::Revolute { axis };
    let axes = [
        ("x", sliding(Vector3::x())),
        ("y", sliding(Vector3::y())),
        ("z", sliding(Vector3::z())),
        ("roll", turning(Vector3::x())),
        ("pitch", turning(Vector3::y())),
        ("yaw", turning(Vector3::z())),
    ];
    let mut model = ModelDescription::new("gripper");
    let mut parent = "world";
    for (name, kind) in axes {
        model.add_body(name, Inertia::solid_sphere(1.0 / 6.0, 0.05));
        let joint = model.add_joint(format!("to {name}"), kind, parent, name);
        if parent == "world" {
            joint.at(Transform::from_translation(Vector3::z() * RADIUS));
        }
        parent = name;
    }
    for (name, side) in [("left", 1.0), ("right", -1.0)] {
        model.add_body(name, Inertia::solid_box(0.1, 2.0 * PAD));
        let axis = Vector3::y() * side;
        model.add_joint(format!("to {name}"), sliding(axis), parent, name);
    }
    let robot = world.add_robot("gripper", model.build()?)?;
    for (name, side) in [("left", 1.0), ("right", -1.0)] {
        let finger = world.find_body(&format!("gripper/{name}"))?;
        let outside = Isometry3::translation(0.0, side * PAD.y, 0.0);
        world.attach_at(finger, Shape::cuboid("pad", PAD)?, outside, surface)?;
    }
    let mut q = world.robot_state(robot)?.0.to_vec();
    let mut follow = Follow {
        robot,
        joints: Vec::new(),
    };
    let still = Signal::Constant(0.0);
    let [gripped, pulling, lifted, carried] =
        [GRIPPED, GRIPPED + 0.05, LIFTED, CARRIED].map(|time| time / pace);
    for (name, servo, target) in [
        ("to x", SLIDE, ease(&[(lifted, 0.0), (carried, ASIDE)])),
        ("to y", SLIDE, still.clone()),
        ("to z", SLIDE, ease(&[(pulling, 0.0), (lifted, LIFT)])),
        ("to roll", TURN, ease(&[(lifted, 0.0), (carried, TILT)])),
        ("to pitch", TURN, ease(&[(lifted, 0.0), (carried, TILT)])),
        ("to yaw", TURN, still),
        ("to left", FINGER, ease(&[(0.0, OPEN), (gripped, CLOSED)])),
        ("to right", FINGER, ease(&[(0.0, OPEN), (gripped, CLOSED)])),
    ] {
        let dof = world.dof(robot, name)?;
        q[dof] = target.at(0.0, 0.0).0;
        follow.joints.push((dof, servo, target));
    }
    let v = vec![0.0; q.len()];
    world.set_robot_state(robot, &q, &v)?;
    world.add_controller(Box::new(follow));
    Ok(())
}
