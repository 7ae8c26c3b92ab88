//! Grasp and place with inverse kinematics and joint impedance:
//! `cargo run -p stiction-examples --bin grasp_and_place`.
//!
//! A Panda takes a box from the floor between its fingers, carries it to another place, and turns it on the way.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::f64::consts::PI;

use anyhow::{Context, Result};
use stiction_control::{Arm, GraspAndPlace, Hand, HandJoint, Manipulation, Servo, State};
use stiction_scenes::{Options, from_scene_file, robots};
use stiction_sim::{
    Inertia, Isometry3, Material, RigidBody, Shape, UnitQuaternion, Vector3, World,
};

/// Side of the box, m, and its mass, kg.
const SIDE: f64 = 0.04;
const MASS: f64 = 0.2;
/// From the hand's frame to between the pads of the fingers, m.
const PADS: f64 = 0.1034;
/// Where the box is and where it goes, m, and by how much it is turned, rad.
const FROM: [f64; 2] = [0.5, -0.15];
const TO: [f64; 2] = [0.4, 0.25];
const TURN: f64 = 0.7;

fn main() -> Result<()> {
    let panda = robots().iter().find(|robot| robot.name == "panda-gripper");
    let mut file = panda.context("the Panda comes along")?.read()?;
    // The file's own servos would fight with the controller.
    file.scene.actuators.clear();
    file.scene.settings.time_step = None;
    let name = file.scene.robots[0].name.clone();
    let mut world = from_scene_file(&file, &Options::default())?.world;
    let robot = world.find_robot(&name)?;
    let block = add_floor_and_box(&mut world)?;

    // The tool points down; its y axis is the way of the fingers.
    let down = UnitQuaternion::from_scaled_axis(Vector3::x() * PI);
    let tool_at = |[x, y]: [f64; 2], turn: f64| {
        let about = UnitQuaternion::from_scaled_axis(Vector3::z() * turn);
        Isometry3::from_parts(Vector3::new(x, y, 0.5 * SIDE).into(), about * down)
    };
    let task = GraspAndPlace {
        grasp: tool_at(FROM, 0.0),
        place: tool_at(TO, TURN),
        away: Vector3::z() * 0.15,
        seconds: [1.0, 0.6],
        holding: 10.0,
        within: 5e-3,
    };
    let finger = |name: &str| HandJoint {
        name: name.to_owned(),
        servo: Servo::new(2e3, 50.0),
        open: 0.04,
        closed: 0.5 * SIDE - 0.01,
    };
    let hand = Hand {
        joints: vec![finger("left_finger"), finger("right_finger")],
    };
    let arm = Arm {
        robot,
        joints: &[
            "joint1", "joint2", "joint3", "joint4", "joint5", "joint6", "joint7",
        ],
        near: &[0.0, -0.3, 0.0, -2.3, 0.0, 2.0, 0.785],
        hand: "hand",
        tool: Isometry3::translation(0.0, 0.0, PADS),
        servos: &[Servo::new(2e3, 200.0); 7],
    };
    let phases = task.phases();
    let names: Vec<String> = phases.iter().map(|phase| phase.name.clone()).collect();
    let controller = Manipulation::new(&world, &arm, hand, phases)?;
    controller.start(&mut world)?;
    let progress = controller.progress();
    world.add_controller(Box::new(controller));

    let mut shown = None;
    while world.time() < 10.0 {
        world.step()?;
        let state = progress.state();
        if shown != Some(state) {
            shown = Some(state);
            let word = match state {
                State::Running(phase) => names[phase].as_str(),
                State::Done => "done",
                State::Failed(phase) => anyhow::bail!("failed to {}", names[phase]),
            };
            let height = world.pose(block)?.translation.z;
            println!("{:5.2} s  {word:10} box at {height:.3} m", world.time());
        }
    }
    let pose = world.pose(block)?;
    let at = pose.translation.vector;
    let turn = pose.rotation.euler_angles().2;
    println!(
        "error: {:.4} {:.4} {:.4} m",
        at.x - TO[0],
        at.y - TO[1],
        at.z - 0.5 * SIDE
    );
    println!("turned by {turn:.3} rad");
    Ok(())
}

/// The box is called `box`.
fn add_floor_and_box(world: &mut World) -> Result<stiction_sim::BodyHandle> {
    let material = Material::with_friction(0.8);
    let floor = world.add_body(RigidBody::fixed("floor"))?;
    world.attach(floor, Shape::half_space("plane"), material)?;
    let sides = Vector3::repeat(SIDE);
    let block = RigidBody::free("box", Inertia::solid_box(MASS, sides));
    let block = world.add_body(block.at_position(FROM[0], FROM[1], 0.5 * SIDE))?;
    world.attach(block, Shape::cuboid("box", sides / 2.0)?, material)?;
    Ok(block)
}
