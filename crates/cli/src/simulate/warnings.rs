//! What a user is told of a run beside its results.

use stiction_scenes::Scene;
use stiction_sim::{EnergyGain, JointErrors, PositionConstraint, World};

use crate::complain;

/// Overlaps (m) and joints beyond their limits (rad or m) that are worth naming.
const NOTABLE: f64 = 1e-5;
/// Most of each that are named.
const NAMED: usize = 8;

/// Names what overlaps at the start and how deep, joints beyond their limits, and masses that 64-bit
/// numbers do not carry together.
pub(crate) fn tell_start(world: &mut World) -> anyhow::Result<()> {
    let overlaps = world.overlaps(NOTABLE)?;
    let overlaps = overlaps.iter().map(|overlap| {
        let [a, b] = &overlap.names;
        format!("\"{a}\" and \"{b}\" by {}", length(overlap.depth))
    });
    tell_list("these bodies overlap at the start", overlaps);
    let joints = world.joints_beyond_limits(NOTABLE);
    let joints = joints
        .iter()
        .map(|joint| format!("\"{}\" by {:.3} rad or m", joint.name, joint.beyond));
    tell_list("these joints start beyond their limits", joints);
    if let Some(found) = world.excessive_mass_ratio() {
        let ([heavy, light], [large, small]) = (&found.names, found.masses);
        complain(&format!(
            "\"{heavy}\" ({large:.1e} kg) is {:.0e} times as heavy as \"{light}\" ({small:.1e} kg): 64-bit \
             numbers do not carry both, and one on the other may sink into it",
            found.ratio()
        ));
    }
    Ok(())
}

fn tell_list(what: &str, items: impl ExactSizeIterator<Item = String>) {
    let count = items.len();
    if count == 0 {
        return;
    }
    let named: Vec<String> = items.take(NAMED).collect();
    let more = match count > NAMED {
        true => format!(" and {} more", count - NAMED),
        false => String::new(),
    };
    complain(&format!("{what}: {}{more}", named.join(", ")));
}

/// A length in a unit that suits it.
fn length(value: f64) -> String {
    match value {
        value if value < 1e-3 => format!("{:.1} µm", 1e6 * value),
        value if value < 1.0 => format!("{:.2} mm", 1e3 * value),
        value => format!("{value:.3} m"),
    }
}

/// Says when a run has gained energy that nobody put in.
pub(crate) fn tell_gain(run: &str, gain: &EnergyGain) {
    let bodies: Vec<String> = gain
        .bodies
        .iter()
        .map(|name| format!("\"{name}\""))
        .collect();
    complain(&format!(
        "{run}: at t = {:.4} s there are {:.3e} J that nobody put in since t = {:.4} s; energy grows in {}; \
         try a smaller time step",
        gain.time,
        gain.gained,
        gain.since,
        match bodies.is_empty() {
            true => "the world".to_owned(),
            false => bodies.join(", "),
        }
    ));
}

/// Says once when a joint between bodies opens.
#[derive(Debug, Default)]
pub(crate) struct JointWarning {
    was_told: bool,
}

impl JointWarning {
    /// Looks at the last step.
    pub(crate) fn look(&mut self, scene: &Scene) {
        let world = &scene.world;
        if self.was_told || world.report().joints.relative <= JointErrors::LARGE {
            return;
        }
        self.was_told = true;
        let errors = world.position_errors();
        let by_size = errors
            .iter()
            .max_by(|a, b| a.relative().total_cmp(&b.relative()));
        let Some(worst) = by_size else {
            return;
        };
        complain(&format!(
            "at t = {:.4} s {} is off by {} and {:.3} rad, which is {:.1} % of the size of its links; the \
             summary has the largest error",
            world.time(),
            name_of(world, worst.of),
            length(worst.distance),
            worst.angle,
            100.0 * worst.relative(),
        ));
    }
}

/// Says once when something went farther in a step than contacts were looked for.
#[derive(Debug, Default)]
pub(crate) struct SpeedWarning {
    was_told: bool,
}

impl SpeedWarning {
    /// Looks at the last step.
    pub(crate) fn look(&mut self, world: &World) {
        let outran = world.report().outran;
        if self.was_told || outran == 0 {
            return;
        }
        self.was_told = true;
        complain(&format!(
            "at t = {:.4} s {outran} shapes went farther in one step than contacts were looked for, by more than \
             half their thickness: they may have passed through others; try a smaller time step",
            world.time(),
        ));
    }
}

fn name_of(world: &World, of: PositionConstraint) -> String {
    match of {
        PositionConstraint::Connection(connection) => {
            let name = world.connection_name(connection).unwrap_or("?");
            format!("the joint \"{name}\"")
        }
        PositionConstraint::Coupling { robot, number } => {
            let name = world.robot_name(robot).unwrap_or("?");
            format!("coupling {number} of \"{name}\"")
        }
        PositionConstraint::Tendon(tendon) => {
            let name = world.tendon_name(tendon).unwrap_or("?");
            format!("the tendon \"{name}\"")
        }
    }
}
