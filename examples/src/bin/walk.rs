//! A quadruped walks at the velocity that it is told: `cargo run -p stiction-examples --bin walk`.
//!
//! A Solo 12 of 2.5 kg stands up, trots forwards, and turns to the left, by convex model-predictive control.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use anyhow::{Context, Result};
use stiction_control::walking::{LegNames, Walker, WalkerSettings};
use stiction_control::{Servo, minimum_jerk};
use stiction_scenes::{Options, from_scene_file, robots};
use stiction_sim::{Isometry3, Material, RigidBody, Shape};

/// Angle of the upper leg, rad; the knee bends twice as much the other way.
const HIP: f64 = 0.8;
/// Length of the upper and of the lower leg, and radius of the foot, m.
const LEG: f64 = 0.16;
const FOOT: f64 = 0.0165;
/// Friction of the floor.
const FRICTION: f64 = 0.8;
/// Names of the legs, and whether the knee points backwards.
const LEGS: [(&str, f64); 4] = [
    ("front_right", 1.0),
    ("front_left", 1.0),
    ("hind_right", -1.0),
    ("hind_left", -1.0),
];

fn main() -> Result<()> {
    let solo = robots().iter().find(|robot| robot.name == "solo12");
    let mut file = solo.context("the Solo comes along")?.read()?;
    let robot = &mut file.scene.robots[0];
    robot.base = Isometry3::translation(0.0, 0.0, 2.0 * LEG * HIP.cos() + FOOT);
    for (leg, side) in LEGS {
        for (joint, position) in [("hip", side * HIP), ("knee", -2.0 * side * HIP)] {
            let name = format!("{leg}_{joint}");
            let joint = robot.joints.iter_mut().find(|joint| joint.name == name);
            joint.context("a joint of the file")?.initial = vec![position];
        }
    }
    let name = robot.name.clone();
    let mut world = from_scene_file(&file, &Options::default())?.world;
    let floor = world.add_body(RigidBody::fixed("floor"))?;
    let rubber = Material::with_friction(FRICTION);
    world.attach(floor, Shape::half_space("plane"), rubber)?;
    let robot = world.find_robot(&name)?;

    // Up to 0.3 m/s within a second, and turning from 3 s on.
    let command = |time: f64| {
        let forwards = 0.3 * minimum_jerk(time - 0.5);
        [forwards, 0.0, 0.5 * minimum_jerk(time - 3.0)]
    };
    let names = LEGS
        .map(|(leg, _)| ["abduction", "hip", "knee", "foot"].map(|part| format!("{leg}_{part}")));
    let legs = names
        .each_ref()
        .map(|[abduction, hip, knee, foot]| LegNames {
            joints: [abduction, hip, knee],
            foot,
        });
    let settings = WalkerSettings::trot(0.22, 0.6, Servo::new(20.0, 0.4));
    let walker = Walker::new(&world, robot, &legs, settings, command)?;
    world.add_controller(Box::new(walker));

    println!("time    forwards    left    turning   height");
    let mut before = world.pose(world.find_body(&format!("{name}/body"))?)?;
    for step in 1..=1200 {
        world.step()?;
        if step % 240 == 0 {
            let now = world.pose(world.find_body(&format!("{name}/body"))?)?;
            let moved = before.inverse() * now;
            let [x, y, _] = moved.translation.vector.into();
            let turned = moved.rotation.euler_angles().2;
            let height = now.translation.z;
            println!(
                "{:.2} s  {x:7.3} m  {y:7.3} m  {turned:6.3} rad  {height:.3} m",
                world.time()
            );
            before = now;
        }
    }
    Ok(())
}
