//! A humanoid upper body takes a bottle and pours what is in it into another.
//!
//! 28 degrees of freedom: two arms of seven joints, two hands of seven. Both bottles are solids of revolution;
//! particles are balls of 5 mm and 10 g/cm³. Chosen here: the robot's figures (see its file), walls of 3 mm, the
//! places, and the way: approach from the side, close the hand, lift, carry, tip by 2 rad about the bottle's mouth,
//! wait. The seed draws friction (0.5 to 0.7), the places of the bottles (±5 mm) and how fast the robot works (±10 %).

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stiction_control::{
    Arm, Hand, HandJoint, JointImpedance, JointPath, Manipulation, Phase, Servo, Until,
};
use stiction_sim::sdf::Dish;
use stiction_sim::{
    BodyHandle, Isometry3, Material, Result, RigidBody, RobotHandle, Shape, UnitQuaternion,
    Vector3, World, uniform_inertia,
};

use super::stage::Stage;
use crate::builtin::parts::{ball, floor};
use crate::robots::UPPER_BODY;
use crate::scene::{Options, Scene, SceneInfo};
use crate::tasks::Pouring;

macro_rules! pouring {
    ($constant:ident, $build:ident, $name:literal, $count:literal) => {
        pub(in crate::builtin) const $constant: SceneInfo = SceneInfo {
            name: $name,
            summary: concat!(
                "a humanoid upper body takes a bottle and pours ",
                $count,
                " particles into another"
            ),
            build: $build,
        };

        fn $build(options: &Options) -> Result<Scene> {
            build($name, options, $count, 1.0)
        }
    };
}

pouring!(SCENE, build_27, "pouring", 27);
pouring!(WITH_9, build_9, "pouring-9", 9);
pouring!(WITH_18, build_18, "pouring-18", 18);
pouring!(WITH_36, build_36, "pouring-36", 36);
pouring!(WITH_45, build_45, "pouring-45", 45);

/// Height of the table, and of the robot's root, m.
const TABLE: f64 = 0.75;
const ROOT: f64 = 0.67;
/// Half the thickness of the bottles' walls, m.
const PADDING: f64 = 0.0015;
/// The bottle: radius at its foot and at its mouth, height, m, mass, kg.
const FOOT: f64 = 0.03;
const MOUTH: f64 = 0.022;
const HEIGHT: f64 = 0.12;
const MASS: f64 = 0.08;
/// The other one: the same, and its mass, kg.
const OTHER: [f64; 3] = [0.05, 0.042, 0.1];
const OTHER_MASS: f64 = 0.3;
/// Where they stand on the table, m.
const FROM: [f64; 2] = [0.30, -0.14];
const TO: [f64; 2] = [0.30, 0.02];
/// Particles: radius, m, and density, kg/m³.
const RADIUS: f64 = 0.005;
const DENSITY: f64 = 1e4;
/// Height of the hand on the bottle, m.
const GRIP: f64 = 0.05;
/// How far the bottle is tipped, rad, and how high its mouth is above the other one, m.
const TIP: f64 = 2.0;
const ABOVE: f64 = 0.03;

/// Joints of an arm from its shoulder on, where they start and what drives them.
const ARM: [(&str, f64, Servo); 7] = [
    ("shoulder_pitch", 0.0, Servo::new(600.0, 30.0)),
    ("shoulder_roll", 0.5, Servo::new(600.0, 30.0)),
    ("shoulder_yaw", 0.0, Servo::new(400.0, 20.0)),
    ("elbow", 1.5, Servo::new(400.0, 20.0)),
    ("wrist_roll", 0.0, Servo::new(200.0, 10.0)),
    ("wrist_pitch", 0.0, Servo::new(100.0, 5.0)),
    ("wrist_yaw", 0.0, Servo::new(100.0, 5.0)),
];
/// Joints of a hand: stiffness, N·m/rad, open and closed, rad.
const HAND: [(&str, f64, f64, f64); 7] = [
    ("index_knuckle", 2.0, 0.0, 1.9),
    ("index_middle", 1.0, 0.0, 1.4),
    ("middle_knuckle", 2.0, 0.0, 1.9),
    ("middle_middle", 1.0, 0.0, 1.4),
    ("thumb_swing", 5.0, 0.0, 0.0),
    ("thumb_knuckle", 2.0, 0.7, 1.9),
    ("thumb_end", 1.0, 0.0, 1.4),
];

/// What the seed draws.
struct Chance {
    friction: f64,
    /// Where the bottles stand on the table, m.
    from: [f64; 2],
    to: [f64; 2],
    /// Time that everything takes over the usual.
    pace: f64,
}

impl Chance {
    fn new(seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut about = |place: [f64; 2]| place.map(|at| at + random.random_range(-5e-3..5e-3));
        Self {
            from: about(FROM),
            to: about(TO),
            friction: random.random_range(0.5..0.7),
            pace: random.random_range(0.9..1.1),
        }
    }
}

/// A number of particles, and a hand with `grip` times the usual stiffness.
pub(in crate::builtin) fn build(
    name: &str,
    options: &Options,
    particles: usize,
    grip: f64,
) -> Result<Scene> {
    let chance = Chance::new(options.seed);
    let mut stage = Stage::new(&UPPER_BODY, name, 8.5)?;
    stage.place(Isometry3::translation(0.0, 0.0, ROOT))?;
    let rubber = Material::with_friction(chance.friction);
    stage.cover("rubber", rubber)?;
    let settings = stage.settings();
    settings.tolerance = Some(1e-6);
    settings.contact_margin = Some(5e-4);
    let robot = stage.robot_name();
    let mut scene = stage.build(options)?;
    let world = &mut scene.world;
    // A foot on the table and a finger on the wall need no more.
    world.set_detection(12, Default::default())?;
    floor(world, rubber)?;
    add_table(world, rubber)?;
    let robot = world.find_robot(&robot)?;
    rest_left_side(world, robot)?;
    pour_with_right_hand(world, robot, &chance, grip)?;
    let bottles = add_bottles(world, &chance, rubber)?;
    let particles = add_particles(world, particles, chance.from, rubber)?;
    let task = Pouring::new(particles, RADIUS, bottles, TABLE);
    scene.task = Some(Box::new(task));
    Ok(scene)
}

fn add_table(world: &mut World, material: Material) -> Result<()> {
    let half = Vector3::new(0.15, 0.35, 0.02);
    let table = RigidBody::fixed("table").at_position(0.33, 0.0, TABLE - half.z);
    let table = world.add_body(table)?;
    world.attach(table, Shape::cuboid("top", half)?, material)
}

/// The one that is full and the one that is empty, with their forms.
fn add_bottles(
    world: &mut World,
    chance: &Chance,
    material: Material,
) -> Result<[(BodyHandle, Dish); 2]> {
    let [foot, mouth, height] = OTHER;
    let full = Dish::bottle(FOOT, MOUTH, HEIGHT, PADDING)?;
    let empty = Dish::bottle(foot, mouth, height, PADDING)?;
    let mut add = |name: &str, dish: Dish, mass, [x, y]: [f64; 2], color: [f32; 3]| -> Result<_> {
        let shape = Shape::dish("wall", dish, 6e-3)?;
        let body = RigidBody::free(name, uniform_inertia(&shape, mass)?);
        let mut body = body.at_position(x, y, TABLE + PADDING);
        let [red, green, blue] = color;
        body.color = Some([red, green, blue, 0.4]);
        let body = world.add_body(body)?;
        world.attach(body, shape, material)?;
        Ok((body, dish))
    };
    Ok([
        add("bottle", full, MASS, chance.from, [0.4, 0.6, 0.9])?,
        add(
            "other bottle",
            empty,
            OTHER_MASS,
            chance.to,
            [0.9, 0.7, 0.4],
        )?,
    ])
}

/// Layers of seven: one in the middle and six around it.
fn add_particles(
    world: &mut World,
    count: usize,
    [x, y]: [f64; 2],
    material: Material,
) -> Result<Vec<BodyHandle>> {
    let mass = DENSITY * 4.0 / 3.0 * PI * RADIUS.powi(3);
    let mut particles = Vec::with_capacity(count);
    for index in 0..count {
        let (layer, place) = (index / 7, index % 7);
        let (away, angle) = match place {
            0 => (0.0, 0.0),
            _ => (2.3 * RADIUS, TAU * place as f64 / 6.0 + 0.5 * layer as f64),
        };
        let at = Vector3::new(
            x + away * angle.cos(),
            y + away * angle.sin(),
            TABLE + 2.0 * PADDING + RADIUS * (1.1 + 2.1 * layer as f64),
        );
        let name = format!("particle {index}");
        particles.push(ball(world, &name, mass, RADIUS, at, material)?);
    }
    Ok(particles)
}

/// The other arm hangs, a little bent.
fn rest_left_side(world: &mut World, robot: RobotHandle) -> Result<()> {
    let mut joints = Vec::new();
    for (joint, _, servo) in ARM {
        let position = match joint {
            "shoulder_roll" => 0.15,
            "elbow" => 0.3,
            _ => 0.0,
        };
        joints.push((format!("left_{joint}"), position, servo));
    }
    for (joint, stiffness, open, _) in HAND {
        joints.push((format!("left_{joint}"), open, finger(stiffness)));
    }
    let names: Vec<&str> = joints.iter().map(|(name, ..)| name.as_str()).collect();
    let servos: Vec<Servo> = joints.iter().map(|joint| joint.2).collect();
    let positions: Vec<f64> = joints.iter().map(|joint| joint.1).collect();
    let path = JointPath::stay(&positions)?;
    let impedance = JointImpedance::new(world, robot, &names, &servos, path)?;
    impedance.start(world)?;
    world.add_controller(Box::new(impedance));
    Ok(())
}

fn finger(stiffness: f64) -> Servo {
    Servo::new(stiffness, 0.05 * stiffness)
}

fn pour_with_right_hand(
    world: &mut World,
    robot: RobotHandle,
    chance: &Chance,
    grip: f64,
) -> Result<()> {
    let names = ARM.map(|(name, ..)| format!("right_{name}"));
    let joints = names.each_ref().map(String::as_str);
    let radius = FOOT + (MOUTH - FOOT) * GRIP / HEIGHT + PADDING;
    let arm = Arm {
        robot,
        joints: &joints,
        near: &ARM.map(|(_, near, _)| near),
        hand: "right_palm",
        // The bottle's axis, where it lies against the palm.
        tool: Isometry3::translation(0.0, radius + 5e-4, -0.075),
        servos: &ARM.map(|(.., servo)| servo),
    };
    let hand = HAND.map(|(name, stiffness, open, closed)| HandJoint {
        name: format!("right_{name}"),
        servo: finger(grip * stiffness),
        open,
        closed,
    });
    let hand = Hand {
        joints: hand.to_vec(),
    };
    let mut phases = phases(chance);
    for phase in &mut phases {
        phase.seconds *= chance.pace;
    }
    let task = Manipulation::new(world, &arm, hand, phases)?;
    task.start(world)?;
    world.add_controller(Box::new(task));
    Ok(())
}

/// The way of the bottle's axis at the height of the grip.
fn phases(chance: &Chance) -> Vec<Phase> {
    let (from, to) = (chance.from, chance.to);
    // The forearm points forwards, the palm to the left, the thumb up.
    let level = UnitQuaternion::from_scaled_axis(-Vector3::y() * FRAC_PI_2);
    let upright = |at: Vector3<f64>| Isometry3::from_parts(at.into(), level);
    let grasp = Vector3::new(from[0], from[1], TABLE + PADDING + GRIP);
    let tipped = UnitQuaternion::from_scaled_axis(-Vector3::x() * TIP);
    let mouth = Vector3::new(to[0], to[1] - 0.01, TABLE + OTHER[2] + ABOVE);
    let to_mouth = tipped * Vector3::new(0.0, 0.0, HEIGHT - GRIP);
    let pouring = mouth - to_mouth;
    // So far aside that tipping leads the mouth down to its place from above.
    let ready = Vector3::new(pouring.x, pouring.y - 0.02, pouring.z + 0.02);
    let holding = Until::Holding { force: 5.0 };
    vec![
        Phase::new("approach", upright(grasp - Vector3::y() * 0.1), 0.0, 1.0),
        Phase::new("reach", upright(grasp), 0.0, 0.8),
        Phase::new("close", upright(grasp), 1.0, 0.6).until(holding),
        Phase::new("lift", upright(grasp + Vector3::z() * 0.12), 1.0, 0.8).until(holding),
        Phase::new("carry", upright(ready), 1.0, 0.8).until(holding),
        Phase::new(
            "tip",
            Isometry3::from_parts(pouring.into(), tipped * level),
            1.0,
            2.0,
        )
        .until(holding),
        Phase::new(
            "wait",
            Isometry3::from_parts(pouring.into(), tipped * level),
            1.0,
            1.0,
        ),
    ]
}
