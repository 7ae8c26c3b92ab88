//! 64 worlds at once: `cargo run -p stiction-examples --bin many_worlds`.
//!
//! The same push on the same block with 64 coefficients of friction. Worlds share nothing: `step_all`
//! spreads them over the cores, and the results are those of stepping them one by one, to the bit.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use anyhow::Result;
use stiction_sim::{
    BodyHandle, Inertia, Material, RigidBody, Settings, Shape, Vector3, World, step_all,
};

const WORLDS: usize = 64;

fn friction(number: usize) -> f64 {
    0.02 * (number + 1) as f64
}

/// A block on a floor that moves at 2 m/s.
fn build(number: usize) -> Result<(World, BodyHandle)> {
    let mut world = World::new(Settings::default())?;
    let material = Material::with_friction(friction(number));
    let floor = world.add_body(RigidBody::fixed("floor"))?;
    world.attach(floor, Shape::half_space("plane"), material)?;
    let sides = Vector3::new(0.2, 0.2, 0.05);
    let block = RigidBody::free("block", Inertia::solid_box(1.0, sides));
    let block = block
        .at_position(0.0, 0.0, 0.025)
        .moving(Vector3::x() * 2.0, Vector3::zeros());
    let block = world.add_body(block)?;
    world.attach(block, Shape::cuboid("box", sides / 2.0)?, material)?;
    Ok((world, block))
}

fn main() -> Result<()> {
    let built = (0..WORLDS).map(build).collect::<Result<Vec<_>>>()?;
    let (mut worlds, blocks): (Vec<World>, Vec<BodyHandle>) = built.into_iter().unzip();
    for _ in 0..240 {
        // One result a world: one that fails does not stop the others.
        for stepped in step_all(&mut worlds) {
            stepped?;
        }
    }

    println!("friction   slid in 1 s   v²/(2 μ g)");
    for number in (15..WORLDS).step_by(16) {
        let slid = worlds[number].pose(blocks[number])?.translation.x;
        let expected = 4.0 / (2.0 * friction(number) * 9.81);
        println!("{:<10.2} {slid:<13.4} {expected:.4} m", friction(number));
    }

    let (mut alone, _) = build(WORLDS / 2)?;
    for _ in 0..240 {
        alone.step()?;
    }
    let is_same = alone.state() == worlds[WORLDS / 2].state();
    println!("one of them stepped alone is the same to the bit: {is_same}");
    Ok(())
}
