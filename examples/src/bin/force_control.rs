//! A controller that reads contact forces and sensors: `cargo run -p stiction-examples --bin force_control`.
//!
//! A press on a sliding joint comes down on a block, and pushes on it with the force that it was told,
//! whatever it weighs: gently until it touches, then by the integral of the error of the force.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use anyhow::Result;
use stiction_sim::{
    BodyHandle, Commands, Controller, Inertia, JointKind, Material, ModelDescription, RigidBody,
    RobotHandle, Sensor, SensorHandle, SensorKind, Settings, Shape, Transform, Vector3, World,
};

/// Force that the press is to exert, N.
const WANTED: f64 = 20.0;

struct Press {
    robot: RobotHandle,
    pad: BodyHandle,
    speed: SensorHandle,
    /// Force of the drive that the error has added up to, N; positive is down.
    drive: f64,
}

impl Controller for Press {
    fn control(&mut self, world: &World, commands: &mut Commands) -> stiction_sim::Result<()> {
        let dt = world.settings().time_step;
        // What the contacts of the last step pushed up with, and what the sensor shows.
        let measured = world.contact_wrench(self.pad)?.force.z;
        let speed = world.read_sensor(self.speed)?[0];
        self.drive += 20.0 * dt * (WANTED - measured);
        commands.set_torque(self.robot, 0, self.drive - 80.0 * speed)
    }

    // So that a snapshot of the world knows all of it.
    fn memory(&self) -> Vec<f64> {
        vec![self.drive]
    }

    fn restore(&mut self, memory: &[f64]) {
        self.drive = memory[0];
    }
}

fn main() -> Result<()> {
    let mut world = World::new(Settings::default())?;
    let material = Material::with_friction(0.5);
    let floor = world.add_body(RigidBody::fixed("floor"))?;
    world.attach(floor, Shape::half_space("plane"), material)?;
    let sides = Vector3::repeat(0.1);
    let block = RigidBody::free("block", Inertia::solid_box(0.5, sides));
    let block = world.add_body(block.at_position(0.0, 0.0, 0.05))?;
    world.attach(block, Shape::cuboid("box", sides / 2.0)?, material)?;

    let mut press = ModelDescription::new("press");
    press.add_body("pad", Inertia::solid_sphere(2.0, 0.03));
    let slide = JointKind::Prismatic {
        axis: -Vector3::z(),
    };
    let above = Transform::from_translation(Vector3::new(0.0, 0.0, 0.2));
    press.add_joint("slide", slide, "world", "pad").at(above);
    let robot = world.add_robot("press", press.build()?)?;
    let pad = world.find_body("press/pad")?;
    world.attach(pad, Shape::sphere("tip", 0.03)?, material)?;
    let kind = SensorKind::JointVelocity { robot, dof: 0 };
    let speed = world.add_sensor(Sensor::new("speed", kind))?;
    world.add_controller(Box::new(Press {
        robot,
        pad,
        speed,
        drive: 0.0,
    }));

    println!("time    height of the tip   force on the block");
    for step in 1..=480 {
        world.step()?;
        if step % 60 == 0 {
            let tip = world.pose(pad)?.translation.z - 0.03;
            let force = world.contact_wrench(pad)?.force.z;
            println!("{:.2} s  {tip:.4} m            {force:8.4} N", world.time());
        }
    }
    Ok(())
}
