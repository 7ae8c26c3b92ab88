//! A Panda screws an M48 nut onto a bolt.
//!
//! The nut is fixed to the hand; the arm follows an assembly trajectory by joint impedance: down to the end of the
//! bolt, then along the helix of the thread as far as the last joint turns. Chosen here: the impedance, clearance
//! 0.2 mm, 4.8 rad in 4 s. The seed draws friction (0.1 to 0.2), from where the arm comes (±10 mm), by how much it
//! misjudges the place of the bolt (±0.2 mm) and the beginning of its thread (±0.05 rad), and how fast it works
//! (±10 %).

use std::f64::consts::{FRAC_PI_4, PI};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stiction_control::{Arm, Reach, Servo, minimum_jerk};
use stiction_io::scene_file::{
    InertiaDescription, LinkDescription, MassDescription, RobotJointDescription,
};
use stiction_sim::sdf::{MetricThread, NutSdf, ThreadEnd};
use stiction_sim::{
    DofProperties, Isometry3, JointKind, Material, Result, RigidBody, Shape, SimError, Vector3,
    World, uniform_inertia,
};

use super::panda_arm::PANDA_JOINTS;
use super::stage::{Stage, swing};
use super::stick::WRIST;
use crate::builtin::parts::{Thread, floor, m48_bolt};
use crate::robots::PANDA_GRIPPER;
use crate::scene::{Options, Scene, SceneInfo};
use crate::tasks::{NutPlace, Threading};

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "bolt-nut-assembly",
    summary: "a Panda screws an M48 nut onto a bolt by joint impedance, through a 0.2 mm clearance",
    build: build_exact,
};
pub(in crate::builtin) const NEURAL: SceneInfo = SceneInfo {
    name: "bolt-nut-assembly-neural",
    summary: "the same, with a bolt whose thread is a network",
    build: build_neural,
};

/// Length of the bolt, m, and where its thread begins, m.
const LENGTH: f64 = 0.12;
const FOOT: Vector3<f64> = Vector3::new(0.5, 0.0, 0.2);
/// Height of the nut, and between its flats, m; its mass, kg.
const HEIGHT: f64 = 0.038;
const ACROSS: f64 = 0.075;
const MASS: f64 = 0.9;
const CLEARANCE: f64 = 2e-4;
/// From the hand's frame to the middle of the nut, m.
const PADS: f64 = 0.1034;
/// Height above the end of the bolt at which the nut starts, and where it begins to turn, m.
const ABOVE: f64 = 0.03;
const BEGIN: f64 = 0.001;
/// By how much it turns, rad; when it has come down and when it has turned, s.
const TURN: f64 = 4.8;
const DOWN: f64 = 1.0;
const TURNED: f64 = 5.0;
/// Joint impedance of the arm: as stiff as a Franka's is by default.
pub(super) const SERVOS: [Servo; 7] = [
    Servo::new(600.0, 50.0),
    Servo::new(600.0, 50.0),
    Servo::new(600.0, 50.0),
    Servo::new(600.0, 50.0),
    Servo::new(250.0, 30.0),
    Servo::new(150.0, 25.0),
    Servo::new(50.0, 15.0),
];
/// A posture with the hand pointing down and the last joint near its lower end, rad.
const READY: [f64; 7] = [0.0, -0.3, 0.0, -2.3, 0.0, 2.0, -0.5 * TURN];
/// Heading of the nut when the last joint is at zero, rad.
const MIDDLE: f64 = FRAC_PI_4;
const FINGER: Servo = Servo::new(1e3, 50.0);

fn build_exact(options: &Options) -> Result<Scene> {
    build(SCENE.name, options, Thread::Exact)
}

fn build_neural(options: &Options) -> Result<Scene> {
    build(NEURAL.name, options, Thread::Neural)
}

fn build(name: &str, options: &Options, kind: Thread) -> Result<Scene> {
    let mut random = ChaCha8Rng::seed_from_u64(options.seed);
    let friction = random.random_range(0.1..0.2);
    let mut beside = |by: f64| {
        let [x, y] = [(); 2].map(|()| random.random_range(-by..by));
        Vector3::new(x, y, 0.0)
    };
    let (start, misjudged) = (beside(0.01), beside(2e-4));
    let turned_wrongly = random.random_range(-0.05..0.05);
    let pace = random.random_range(0.9..1.1);
    let mut stage = Stage::new(&PANDA_GRIPPER, name, 6.0)?;
    stage.drop_actuators();
    let settings = stage.settings();
    settings.contact_margin = Some(2e-4);
    settings.tolerance = Some(1e-6);
    for finger in ["left_finger", "right_finger"] {
        stage.start(finger, 0.5 * ACROSS)?;
        stage.track(finger, FINGER, swing(0.5 * ACROSS, 0.0, 0.0, 0.0))?;
    }
    let thread = MetricThread::coarse(48)?;
    let nut = NutSdf::new(thread, HEIGHT, ACROSS, CLEARANCE, ThreadEnd::Chamfered)?;
    let shape = Shape::nut("thread", nut, 4e-3)?;
    mount(&mut stage, &shape)?;
    let name = stage.robot_name();
    let mut scene = stage.build(options)?;
    let world = &mut scene.world;
    let steel = Material::with_friction(friction);
    floor(world, steel)?;
    // Turned so that the thread's start meets the nut in the middle of the wrist's range.
    let down = BEGIN + LENGTH;
    let phase = MIDDLE + 0.5 * TURN - down / thread.lead();
    let fixed = RigidBody::fixed("bolt").at(Isometry3::new(FOOT, Vector3::z() * phase));
    let fixed = world.add_body(fixed.colored(0.62, 0.64, 0.68))?;
    world.attach(fixed, m48_bolt(LENGTH, kind)?, steel)?;
    // The nut is one body with the wrist that carries the hand; the fingers never touch that.
    let wrist = world.find_body(&format!("{name}/{WRIST}"))?;
    world.attach_at(wrist, shape, nut_on_wrist(world, &name)?, steel)?;
    let arm = Arm {
        robot: world.find_robot(&name)?,
        joints: &PANDA_JOINTS,
        near: &READY,
        hand: "nut",
        tool: Isometry3::identity(),
        servos: &SERVOS,
    };
    let lead = thread.lead();
    let path = move |time: f64| {
        let time = time / pace;
        let come = minimum_jerk(time / DOWN);
        let turned = TURN * minimum_jerk((time - DOWN) / (TURNED - DOWN));
        let height = LENGTH + BEGIN + (ABOVE - BEGIN) * (1.0 - come) - lead * turned;
        let at = FOOT + misjudged + start * (1.0 - come) + Vector3::z() * height;
        let heading = MIDDLE + 0.5 * TURN + turned_wrongly - turned;
        Isometry3::new(at, Vector3::z() * heading)
    };
    let reach = Reach::along(world, &arm, scene.seconds, path)?;
    reach.start(world)?;
    world.add_controller(Box::new(reach));
    let nut = NutPlace::Link(arm.robot, "nut".to_owned());
    let goal = LENGTH + BEGIN - lead * TURN;
    let task = Threading::new(nut, fixed, &thread, [CLEARANCE, LENGTH, goal]);
    scene.task = Some(Box::new(task));
    Ok(scene)
}

/// Pose of the nut in the frame of the wrist.
fn nut_on_wrist(world: &World, robot: &str) -> Result<Isometry3<f64>> {
    let model = world.model(world.find_robot(robot)?)?;
    let nut = model.frame_id("nut").ok_or_else(|| SimError::Unknown {
        what: "link",
        name: "nut".to_owned(),
    })?;
    Ok(model.frame(nut)?.placement.to_isometry())
}

/// Puts the nut between the fingers, its thread's z axis against that of the hand.
fn mount(stage: &mut Stage, shape: &Shape) -> Result<()> {
    let inertia = uniform_inertia(shape, MASS)?;
    let robot = stage.robot()?;
    robot.links.push(LinkDescription {
        name: "nut".to_owned(),
        mass: Some(MassDescription::Inertia(InertiaDescription::from(inertia))),
        gravity_compensation: 0.0,
        shapes: Vec::new(),
    });
    let over = Isometry3::new(
        Vector3::new(0.0, 0.0, PADS + 0.5 * HEIGHT),
        Vector3::x() * PI,
    );
    robot.joints.push(RobotJointDescription {
        name: "nut".to_owned(),
        kind: JointKind::Fixed,
        parent: "hand".to_owned(),
        child: "nut".to_owned(),
        pose: over,
        properties: DofProperties::default(),
        initial: Vec::new(),
        initial_velocity: Vec::new(),
    });
    Ok(())
}
