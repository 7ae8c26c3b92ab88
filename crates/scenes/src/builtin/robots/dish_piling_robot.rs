//! A Panda with an Allegro hand takes dishes from the floor one after another and piles them.
//!
//! A bowl stands; another bowl, a plate and a pot of 5 kg go upon it: 47 degrees of freedom in all. Three fingers and
//! the thumb come down around a dish, close on it from outside, and open again. Chosen here: sizes that the hand can
//! span, fingers that are stronger than an Allegro's, since those hold no 5 kg. The seed draws where the dishes are
//! (±15 mm) and how far the robot misjudges that (±1.5 mm), friction, and how fast it works (±10 %).

use std::f64::consts::FRAC_PI_2;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stiction_control::{Arm, GraspAndPlace, Hand, HandJoint, Manipulation, Phase, Servo};
use stiction_sim::sdf::Dish;
use stiction_sim::{
    BodyHandle, Isometry3, Material, Result, RigidBody, Shape, UnitQuaternion, Vector3, World,
    uniform_inertia,
};

use super::panda_arm::{PANDA_JOINTS, PANDA_SERVOS};
use super::stage::Stage;
use crate::builtin::parts::floor;
use crate::robots::PANDA_ALLEGRO;
use crate::scene::{Options, Scene, SceneInfo};
use crate::tasks::Piling;

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "dish-piling-robot",
    summary: "a Panda with an Allegro hand takes dishes one after another and piles them",
    build,
};

/// Half the thickness of the dishes' walls, m.
const PADDING: f64 = 0.003;
/// Radius of floor and rim, height, m, and mass, kg.
const LOWER_BOWL: [f64; 4] = [0.03, 0.0531, 0.04, 0.1];
const UPPER_BOWL: [f64; 4] = [0.03, 0.0646, 0.06, 0.1];
const PLATE: [f64; 4] = [0.05, 0.072, 0.024, 0.1];
const POT: [f64; 4] = [0.042, 0.042, 0.06, 5.0];
/// Distance of the dishes from the robot's axis, m.
const AWAY: f64 = 0.52;

/// What the robot does with a dish.
struct Job {
    name: &'static str,
    dish: [f64; 4],
    color: [f32; 3],
    /// Where it stands at the start, about the robot's axis, rad.
    bearing: f64,
    /// Height of its origin above that of the dish below in the pile, m.
    rise: f64,
    /// Height of the fingertips above its origin, m.
    grip: f64,
    /// How far they are told to close, m from the axis: inside of the dish, so that they press.
    close: f64,
}

const JOBS: [Job; 3] = [
    Job {
        name: "upper bowl",
        dish: UPPER_BOWL,
        color: [0.36, 0.56, 0.80],
        bearing: 0.6,
        // Cones of one slope: walls touch where they are as far apart as they are thick.
        rise: 0.012,
        grip: 0.05,
        close: 0.059,
    },
    Job {
        name: "plate",
        dish: PLATE,
        color: [0.89, 0.55, 0.27],
        bearing: -0.6,
        // Its border lies on the bowl's rim.
        rise: 0.0529,
        grip: 0.018,
        close: 0.070,
    },
    Job {
        name: "pot",
        dish: POT,
        color: [0.45, 0.47, 0.50],
        bearing: 1.2,
        rise: 2.0 * PADDING,
        grip: 0.045,
        close: 0.035,
    },
];

/// Joints of the hand: stiffness, N·m/rad, and where they are with the fingertips at `OPEN` and at `CLOSED` from the
/// axis between them, rad.
const HAND: [(&str, f64, f64, f64); 16] = [
    ("index_spread", 30.0, 0.400, -0.048),
    ("index_knuckle", 30.0, -0.053, 0.021),
    ("index_middle", 20.0, 0.938, 1.664),
    ("index_end", 12.0, 0.3175, -0.227),
    ("middle_spread", 30.0, 0.466, 0.313),
    ("middle_knuckle", 30.0, -0.013, 0.006),
    ("middle_middle", 20.0, 0.603, 1.601),
    ("middle_end", 12.0, 0.510, -0.227),
    ("ring_spread", 30.0, 0.391, 0.470),
    ("ring_knuckle", 30.0, -0.097, 0.252),
    ("ring_middle", 20.0, 1.059, 1.461),
    ("ring_end", 12.0, 0.277, -0.227),
    ("thumb_opposition", 75.0, 1.396, 1.396),
    ("thumb_spread", 75.0, 0.636, 0.281),
    ("thumb_middle", 75.0, 0.222, 0.831),
    ("thumb_end", 50.0, 0.321, -0.010),
];
const OPEN: f64 = 0.080;
const CLOSED: f64 = 0.034;
/// How far the fingertips are from the axis around a dish that they do not touch, m.
const WIDE: f64 = 0.085;
/// The palm seen from the middle between the fingertips, which are at one height: m, and turned about y, rad.
const PALM: Vector3<f64> = Vector3::new(0.01, -0.02, 0.09);
const TILT: f64 = 0.5 + FRAC_PI_2;
/// A posture with the hand above the floor in front of the robot, rad.
const READY: [f64; 7] = [0.0, -0.1, 0.0, -2.3, 0.0, 2.2, 0.785];
/// How high dishes are lifted, and above what they are let go, m.
const LIFT: f64 = 0.16;
const DROP: f64 = 0.0015;
/// When the last dish has been let go at the latest, and the end, s.
const REST: f64 = 16.0;
const END: f64 = 18.0;

fn build(options: &Options) -> Result<Scene> {
    let mut random = ChaCha8Rng::seed_from_u64(options.seed);
    let mut stage = Stage::new(&PANDA_ALLEGRO, SCENE.name, END)?;
    stage.drop_actuators();
    let pads = Material::with_friction(random.random_range(1.0..1.4));
    stage.cover("rubber", pads)?;
    let settings = stage.settings();
    settings.contact_margin = Some(5e-4);
    settings.tolerance = Some(1e-7);
    settings.max_contacts = Some(24);
    let name = stage.robot_name();
    let mut scene = stage.build(options)?;
    let world = &mut scene.world;
    let china = Material::with_friction(random.random_range(0.35..0.45));
    floor(world, china)?;
    let scatter = |random: &mut ChaCha8Rng, by: f64| {
        Vector3::new(
            random.random_range(-by..by),
            random.random_range(-by..by),
            0.0,
        )
    };
    let base = standing(0.0, scatter(&mut random, 0.015));
    let base_body = add_dish(
        world,
        "lower bowl",
        LOWER_BOWL,
        [0.93, 0.93, 0.90],
        base,
        china,
    )?;
    let pace = random.random_range(0.9..1.1);
    let mut pile = vec![(base_body, 0.0)];
    let (mut phases, mut top) = (Vec::new(), base);
    for job in &JOBS {
        let pose = standing(job.bearing, scatter(&mut random, 0.015));
        let dish = add_dish(world, job.name, job.dish, job.color, pose, china)?;
        pile.push((dish, job.rise));
        top.translation.z += job.rise;
        let misjudged = scatter(&mut random, 0.0015);
        phases.extend(job.phases(&pose, &top, misjudged, pace));
    }
    let arm = Arm {
        robot: world.find_robot(&name)?,
        joints: &PANDA_JOINTS,
        near: &READY,
        hand: "palm",
        tool: Isometry3::new(PALM, Vector3::y() * TILT).inverse(),
        servos: &PANDA_SERVOS,
    };
    let joints = HAND
        .iter()
        .map(|&(name, stiffness, open, closed)| HandJoint {
            name: name.to_owned(),
            servo: Servo::new(stiffness, 0.03 * stiffness),
            open,
            closed,
        });
    let hand = Hand {
        joints: joints.collect(),
    };
    let task = Manipulation::new(world, &arm, hand, phases)?;
    task.start(world)?;
    world.add_controller(Box::new(task));
    scene.task = Some(Box::new(Piling::new(pile, [0.015, 0.006, PADDING], REST)));
    Ok(scene)
}

/// A dish on the floor at a bearing from the robot (rad), and a little beside (m).
fn standing(bearing: f64, beside: Vector3<f64>) -> Isometry3<f64> {
    let about = UnitQuaternion::from_scaled_axis(Vector3::z() * bearing);
    let at = about * Vector3::new(AWAY, 0.0, PADDING) + beside;
    Isometry3::from_parts(at.into(), about)
}

fn add_dish(
    world: &mut World,
    name: &str,
    [floor, rim, height, mass]: [f64; 4],
    [red, green, blue]: [f32; 3],
    pose: Isometry3<f64>,
    material: Material,
) -> Result<BodyHandle> {
    let shape = Shape::dish("dish", Dish::bowl(floor, rim, height, PADDING)?, 8e-3)?;
    let body = RigidBody::free(name, uniform_inertia(&shape, mass)?).at(pose);
    let body = world.add_body(body.colored(red, green, blue))?;
    world.attach(body, shape, material)?;
    Ok(body)
}

/// How far the hand is closed with its fingertips at a distance from the axis between them, m.
fn closing(distance: f64) -> f64 {
    (OPEN - distance) / (OPEN - CLOSED)
}

impl Job {
    /// Takes the dish where it stands and lets it go just above its place.
    fn phases(
        &self,
        from: &Isometry3<f64>,
        to: &Isometry3<f64>,
        misjudged: Vector3<f64>,
        pace: f64,
    ) -> Vec<Phase> {
        let grip = Vector3::z() * self.grip;
        let task = GraspAndPlace {
            grasp: Isometry3::from(grip + misjudged) * from,
            place: Isometry3::from(grip + Vector3::z() * DROP) * to,
            away: Vector3::z() * LIFT,
            seconds: [0.8 * pace, 0.5 * pace],
            holding: 2.0,
            within: 0.01,
        };
        let [wide, closed] = [WIDE, self.close].map(closing);
        let mut phases = task.phases();
        for phase in &mut phases {
            phase.name = format!("{} {}", phase.name, self.name);
            phase.grip = wide + phase.grip * (closed - wide);
        }
        phases
    }
}
