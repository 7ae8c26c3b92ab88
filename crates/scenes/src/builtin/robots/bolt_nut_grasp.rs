//! A Panda takes a nut, finds the thread of a bolt, and screws the nut onto it grasp by grasp.
//!
//! The nut lies on a stand. The hand closes on two of its flats and, a sixth of a turn on, on two others, so that the nut
//! is in its middle; bears its weight on the way, sets it on the bolt's end and turns it by five flats, going down by the
//! pitch; then opens, goes up, turns back, and takes it anew: what it knows of the thread is its pitch, not
//! where it begins. Chosen here: joint impedance below a Franka's, so that the nut may settle into the thread; clearance 0.2 mm. The seed draws friction (0.1 to 0.2 on steel, 0.7 to 0.9 on the pads), by how much the
//! robot misjudges the place of the nut (±1 mm, ±0.03 rad) and of the bolt (±0.2 mm), where the thread begins, and how
//! fast it works (±10 %).

use std::f64::consts::{FRAC_PI_2, FRAC_PI_3, FRAC_PI_4, PI, TAU};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stiction_control::{Arm, Hand, HandJoint, Manipulation, Phase, Servo, Until};
use stiction_sim::sdf::{BoltSdf, MetricThread, NutSdf, ThreadEnd};
use stiction_sim::{
    BodyHandle, Isometry3, Material, Result, RigidBody, Shape, UnitQuaternion, Vector3, World,
    uniform_inertia,
};

use super::panda_arm::PANDA_JOINTS;
use super::stage::Stage;
use crate::builtin::parts::floor;
use crate::robots::PANDA_GRIPPER;
use crate::scene::{Options, Scene, SceneInfo};
use crate::tasks::{NutPlace, Threading};

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "bolt-nut-grasp",
    summary: "a Panda takes an M48 nut, finds the thread of a bolt and screws it on, grasp by grasp",
    build,
};

/// Length of the bolt and where its thread begins, m.
const LENGTH: f64 = 0.06;
const FOOT: Vector3<f64> = Vector3::new(0.5, 0.0, 0.1);
/// Middle of the stand and its height, m.
const STAND: Vector3<f64> = Vector3::new(0.5, -0.2, 0.1);
/// Height of the nut, and between its flats, m; its mass, kg.
const HEIGHT: f64 = 0.038;
const ACROSS: f64 = 0.075;
const MASS: f64 = 0.9;
const CLEARANCE: f64 = 2e-4;
/// How often the nut is taken on the bolt, and by how much it is turned in one part of that, rad.
const GRASPS: usize = 5;
const PART: f64 = 5.0 * PI / 9.0;
const PARTS: usize = 3;
/// How far the hand goes up above the nut, m.
const RISE: f64 = 0.045;
/// From the hand's frame to the middle of the pads, m.
const PADS: f64 = 0.1044;
/// By how much a point of the pads gives way, m/N.
const PADS_GIVE: f64 = 1e-5;
/// Joint impedance of the arm, N·m/rad and N·m·s/rad: below a Franka's own 3000, so that the nut may settle into the
/// thread, and stiff enough to bring it there.
const SERVOS: [Servo; 7] = [
    Servo::new(1800.0, 100.0),
    Servo::new(1800.0, 100.0),
    Servo::new(1800.0, 100.0),
    Servo::new(1800.0, 100.0),
    Servo::new(750.0, 60.0),
    Servo::new(450.0, 40.0),
    Servo::new(150.0, 20.0),
];
/// Heading of the hand with the last joint in its middle, rad.
const MIDDLE: f64 = FRAC_PI_4;

fn build(options: &Options) -> Result<Scene> {
    let mut random = ChaCha8Rng::seed_from_u64(options.seed);
    let chance = Chance {
        steel: random.random_range(0.1..0.2),
        pads: random.random_range(0.7..0.9),
        nut: Isometry3::new(beside(&mut random, 1e-3), {
            Vector3::z() * random.random_range(-0.03..0.03)
        }),
        bolt: Isometry3::new(beside(&mut random, 2e-4), {
            Vector3::z() * random.random_range(0.0..TAU)
        }),
        pace: random.random_range(0.9..1.1),
    };
    let mut stage = Stage::new(&PANDA_GRIPPER, SCENE.name, 44.0)?;
    stage.drop_actuators();
    let settings = stage.settings();
    settings.contact_margin = Some(2e-4);
    settings.tolerance = Some(1e-6);
    // Soft pads lie on the flats with all of their face, whose friction is theirs alone.
    let rubber = Material {
        compliance: PADS_GIVE,
        priority: 1,
        ..Material::with_friction(chance.pads)
    };
    stage.cover("rubber", rubber)?;
    let name = stage.robot_name();
    let mut scene = stage.build(options)?;
    let world = &mut scene.world;
    floor(world, Material::with_friction(0.5))?;
    let [bolt, nut] = add_bolt_and_nut(world, &chance)?;
    let finger = |name: &str| HandJoint {
        name: name.to_owned(),
        servo: Servo::new(2e4, 200.0),
        open: 0.04,
        closed: 0.5 * ACROSS - 0.006,
    };
    let hand = Hand {
        joints: vec![finger("left_finger"), finger("right_finger")],
    };
    let arm = Arm {
        robot: world.find_robot(&name)?,
        joints: &PANDA_JOINTS,
        near: &[-0.3, -0.2, 0.0, -2.4, 0.0, 2.2, 0.0],
        hand: "hand",
        tool: Isometry3::translation(0.0, 0.0, PADS),
        servos: &SERVOS,
    };
    let thread = MetricThread::coarse(48)?;
    let mut phases = phases(thread.lead());
    for phase in &mut phases {
        phase.seconds *= chance.pace;
    }
    let task = Manipulation::new(world, &arm, hand, phases)?;
    task.start(world)?;
    world.add_controller(Box::new(task));
    // Up to a turn goes by before the threads meet, of the four that the hand makes.
    let goal = LENGTH - 2.0 * thread.pitch();
    let nut = NutPlace::Body(nut);
    let task = Threading::new(nut, bolt, &thread, [CLEARANCE, LENGTH, goal]).caught_after(0.75);
    scene.task = Some(Box::new(task));
    Ok(scene)
}

/// What the seed draws.
struct Chance {
    /// Friction.
    steel: f64,
    pads: f64,
    /// From where the robot believes things to be to where they are.
    nut: Isometry3<f64>,
    bolt: Isometry3<f64>,
    /// Time that everything takes over the usual.
    pace: f64,
}

/// A level way, at most this far (m) along x and along y.
fn beside(random: &mut ChaCha8Rng, by: f64) -> Vector3<f64> {
    let [x, y] = [(); 2].map(|()| random.random_range(-by..by));
    Vector3::new(x, y, 0.0)
}

fn add_bolt_and_nut(world: &mut World, chance: &Chance) -> Result<[BodyHandle; 2]> {
    let steel = Material::with_friction(chance.steel);
    let thread = MetricThread::coarse(48)?;
    let bolt = BoltSdf::with_head(thread, LENGTH, 0.03, ACROSS, ThreadEnd::Chamfered)?;
    let fixed = RigidBody::fixed("bolt").at(Isometry3::from(FOOT) * chance.bolt);
    let fixed = world.add_body(fixed.colored(0.62, 0.64, 0.68))?;
    world.attach(fixed, Shape::bolt("thread", bolt, 10e-3)?, steel)?;
    let half = Vector3::new(0.03, 0.03, 0.5 * STAND.z);
    let stand = RigidBody::fixed("stand").at_position(STAND.x, STAND.y, half.z);
    let stand = world.add_body(stand)?;
    world.attach(
        stand,
        Shape::cuboid("block", half)?,
        Material::with_friction(0.5),
    )?;
    let nut = NutSdf::new(thread, HEIGHT, ACROSS, CLEARANCE, ThreadEnd::Chamfered)?;
    let shape = Shape::nut("thread", nut, 4e-3)?;
    // Two flats face the fingers.
    let pose = Isometry3::new(STAND, Vector3::z() * (heading(0.0) + FRAC_PI_2)) * chance.nut;
    let body = RigidBody::free("nut", uniform_inertia(&shape, MASS)?).at(pose);
    let body = world.add_body(body.colored(0.85, 0.65, 0.3))?;
    world.attach(body, shape, steel)?;
    Ok([fixed, body])
}

/// Heading of the hand after it has turned the nut by an angle (rad).
fn heading(turned: f64) -> f64 {
    MIDDLE + 0.5 * PARTS as f64 * PART - turned
}

/// The hand above a nut whose foot is at a place (m), turned by an angle (rad).
fn over(foot: Vector3<f64>, turned: f64) -> Isometry3<f64> {
    let down = UnitQuaternion::from_scaled_axis(Vector3::x() * PI);
    let about = UnitQuaternion::from_scaled_axis(Vector3::z() * heading(turned));
    Isometry3::from_parts((foot + Vector3::z() * (0.5 * HEIGHT)).into(), about * down)
}

/// Take the nut, set it on the bolt, then turn, let go, turn back and take it again.
fn phases(lead: f64) -> Vec<Phase> {
    let holding = Until::Holding { force: 10.0 };
    let up = Vector3::z() * RISE;
    let mut end = FOOT + Vector3::z() * (LENGTH + 1e-3);
    let aside = FRAC_PI_3;
    let mut phases = vec![
        Phase::new("approach", over(STAND + up, aside), 0.0, 1.0),
        Phase::new("descend", over(STAND, aside), 0.0, 0.6),
        Phase::new("centre", over(STAND, aside), 1.0, 0.5).until(holding),
        Phase::new("open", over(STAND, aside), 0.0, 0.4),
        Phase::new("go up", over(STAND + up, aside), 0.0, 0.5),
        Phase::new("turn on", over(STAND + up, 0.0), 0.0, 0.6),
        Phase::new("go down", over(STAND, 0.0), 0.0, 0.5),
        Phase::new("close", over(STAND, 0.0), 1.0, 0.5).until(holding),
        Phase::new("bear", over(STAND, 0.0), 1.0, 0.2).carrying(MASS),
        Phase::new("lift", over(STAND + up, 0.0), 1.0, 0.6)
            .carrying(MASS)
            .until(holding),
        Phase::new("carry", over(end + up, 0.0), 1.0, 1.2)
            .carrying(MASS)
            .until(holding),
        Phase::new("set on", over(end, 0.0), 1.0, 0.8)
            .carrying(MASS)
            .until(holding),
    ];
    let all = PARTS as f64 * PART;
    for grasp in 0..GRASPS {
        if grasp > 0 {
            phases.push(Phase::new("take again", over(end, 0.0), 1.0, 0.5).until(holding));
        }
        for part in 1..=PARTS {
            end.z -= lead * PART;
            let turned = part as f64 * PART;
            phases.push(Phase::new("turn", over(end, turned), 1.0, 1.0));
        }
        phases.push(Phase::new("let go", over(end, all), 0.0, 0.4));
        phases.push(Phase::new("go up", over(end + up, all), 0.0, 0.5));
        if grasp + 1 < GRASPS {
            for part in (0..PARTS).rev() {
                let turned = part as f64 * PART;
                phases.push(Phase::new("turn back", over(end + up, turned), 0.0, 0.5));
            }
            phases.push(Phase::new("go down", over(end, 0.0), 0.0, 0.5));
        }
    }
    phases
}
