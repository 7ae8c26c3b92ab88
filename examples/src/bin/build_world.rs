//! A world put together by hand: `cargo run -p stiction-examples --bin build_world`.
//!
//! Two blocks on a slope of 0.4 rad. The one with μ = 0.5 > tan 0.4 stays where it is, the one with
//! μ = 0.3 slides as physics says.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use anyhow::Result;
use stiction_sim::{
    BodyHandle, Inertia, Isometry3, Material, RigidBody, Settings, Shape, Vector3, World,
};

/// Angle of the slope, rad.
const SLOPE: f64 = 0.4;
/// Side of a block, m.
const SIDE: f64 = 0.2;

/// A point of the slope, as a pose whose z axis is the slope's normal: `down` m along it, `aside` m
/// across, `up` m above.
fn on_slope(down: f64, aside: f64, up: f64) -> Isometry3<f64> {
    let tilt = Isometry3::rotation(Vector3::y() * SLOPE);
    tilt * Isometry3::translation(down, aside, up)
}

fn add_block(world: &mut World, name: &str, aside: f64, friction: f64) -> Result<BodyHandle> {
    let sides = Vector3::repeat(SIDE);
    let body = RigidBody::free(name, Inertia::solid_box(1.0, sides));
    let block = world.add_body(body.at(on_slope(0.0, aside, SIDE / 2.0)))?;
    // The friction of a contact is the geometric mean of its two surfaces'; the slope has 1.
    let material = Material::with_friction(friction * friction);
    world.attach(block, Shape::cuboid("box", sides / 2.0)?, material)?;
    Ok(block)
}

fn main() -> Result<()> {
    let mut world = World::new(Settings {
        time_step: 1e-3,
        ..Settings::default()
    })?;
    let slope = world.add_body(RigidBody::fixed("slope").at(on_slope(0.0, 0.0, 0.0)))?;
    world.attach(
        slope,
        Shape::half_space("plane"),
        Material::with_friction(1.0),
    )?;
    let frictions = [0.5, 0.3];
    let mut blocks = Vec::new();
    for (number, friction) in frictions.into_iter().enumerate() {
        let aside = number as f64;
        blocks.push(add_block(
            &mut world,
            &format!("block {number}"),
            aside,
            friction,
        )?);
    }

    while world.time() < 1.0 {
        world.step()?;
    }

    println!("friction   slid       expected   force on the slope");
    for (block, friction) in blocks.into_iter().zip(frictions) {
        let slid = on_slope(0.0, 0.0, 0.0).inverse() * world.pose(block)?.translation.vector;
        let acceleration = 9.81 * (SLOPE.sin() - friction * SLOPE.cos());
        let expected = 0.5 * acceleration.max(0.0);
        let force = -world.contact_wrench(block)?.force;
        println!(
            "{friction:<10} {:<10.6} {expected:<10.6} {force:.3?} N",
            slid.x.abs()
        );
    }
    let report = world.report();
    println!(
        "{} contacts, residual {:.1e} m/s, penetration {:.1e} m",
        report.contacts, report.residual, report.penetration
    );
    Ok(())
}
