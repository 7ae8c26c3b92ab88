//! A robot from a URDF file with joint control: `cargo run -p stiction-examples --bin robot_from_urdf`.
//!
//! `stiction_scenes::load` takes MJCF and scene files just as well.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use anyhow::Result;
use stiction_scenes::Options;
use stiction_sim::Tracking;
use stiction_sim::dynamics::{Data, gravity_torque};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/arm.urdf");

fn main() -> Result<()> {
    let scene = stiction_scenes::load(FILE, &Options::default())?;
    // What the file asks for and is not supported; nothing is left out silently.
    for ignored in &scene.ignored {
        println!("not supported: {ignored}");
    }
    let mut world = scene.world;
    let arm = world.find_robot("arm")?;

    println!("joint      kind      moves                limits, rad");
    for joint in world.model(arm)?.joints() {
        let (parent, child) = (joint.parent, joint.child);
        let limits = joint.dofs.iter().map(|dof| [dof.lower, dof.upper]);
        let limits: Vec<[f64; 2]> = limits.collect();
        let kind = joint.kind.word();
        println!(
            "{:<10} {kind:<9} {child:<6} against {parent:<6} {limits:?}",
            joint.name
        );
    }

    // Position control with the torque that gravity takes there. Gains are implicit: stiff ones need no
    // small time step.
    let targets = [("shoulder", 0.3), ("elbow", 1.2)];
    let model = world.model(arm)?;
    let torques = gravity_torque(model, &mut Data::new(model), &[0.3, 1.2])?.to_vec();
    for ((joint, position), feed_forward) in targets.into_iter().zip(torques) {
        let dof = world.dof(arm, joint)?;
        let drive = Tracking {
            position,
            stiffness: 2000.0,
            damping: 200.0,
            feed_forward,
            ..Tracking::default()
        };
        world.commands().track(arm, dof, drive)?;
    }
    while world.time() < 2.0 {
        world.step()?;
    }

    for (joint, target) in targets {
        let position = world.joint_state(arm, joint)?.position;
        let friction = world.joint_forces(arm, joint)?.friction;
        println!("{joint}: {position:.5} rad for {target}, held by {friction:.3} N·m of friction");
    }
    let tip = world.find_body("arm/lower")?;
    println!(
        "elbow link at {:.4?} m",
        world.pose(tip)?.translation.vector.as_slice()
    );
    Ok(())
}
