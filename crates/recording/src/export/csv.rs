//! One row per frame: time, statistics, then pose and velocity of every body, then joints.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use crate::atomic::write_atomically;
use crate::error::Error;
use crate::recording::Recording;

const STATISTICS: [&str; 16] = [
    "time",
    "step_time",
    "iterations",
    "contacts",
    "rows",
    "islands",
    "residual",
    "penetration",
    "kinetic_energy",
    "potential_energy",
    "converged",
    "joint_error",
    "joint_angle_error",
    "work_given",
    "work_of_constraints",
    "energy_error",
];

const PER_BODY: [&str; 13] = [
    "x", "y", "z", "qx", "qy", "qz", "qw", "vx", "vy", "vz", "wx", "wy", "wz",
];

/// Writes one row per frame to a file.
///
/// Columns are `time`, the statistics, `NAME.x … NAME.wz` for every body (position, quaternion
/// `x y z w`, linear and angular velocity), and coordinates of robots by name. Bodies that share a name get their index
/// appended. Nodes of deformables and single contacts are lists of their own: see
/// [`npz`](crate::export::npz) and [`json`](crate::export::json).
pub fn csv(recording: &Recording, path: impl AsRef<Path>) -> Result<(), Error> {
    write_atomically(path.as_ref(), |sink| write_csv(recording, sink))
}

/// Writes the same table to any sink; use a buffered one for files.
pub fn write_csv(recording: &Recording, mut sink: impl Write) -> Result<(), Error> {
    recording.validate()?;
    writeln!(sink, "{}", titles(recording).join(","))?;
    for frame in &recording.frames {
        let statistics = &frame.statistics;
        write!(
            sink,
            "{:?},{:?},{},{},{},{},{:?},{:?},{:?},{:?},{},{:?},{:?},{:?},{:?},{:?}",
            frame.time,
            statistics.step_time,
            statistics.iterations,
            statistics.contacts,
            statistics.rows,
            statistics.islands,
            statistics.residual,
            statistics.penetration,
            statistics.kinetic_energy,
            statistics.potential_energy,
            u8::from(statistics.converged),
            statistics.joint_error,
            statistics.joint_angle_error,
            statistics.work_given,
            statistics.work_of_constraints,
            statistics.energy_error,
        )?;
        for (pose, velocity) in frame.poses.iter().zip(&frame.velocities) {
            for value in pose.position.iter().chain(&pose.rotation).chain(velocity) {
                write!(sink, ",{value:?}")?; // `Debug` prints the shortest digits that read back exactly
            }
        }
        for joint in &frame.joints {
            write!(sink, ",{joint:?}")?;
        }
        writeln!(sink)?;
    }
    Ok(())
}

fn titles(recording: &Recording) -> Vec<String> {
    let bodies = &recording.header.bodies;
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for body in bodies {
        *uses.entry(&body.name).or_default() += 1;
    }
    let mut titles: Vec<String> = STATISTICS.iter().map(|&name| name.to_owned()).collect();
    for (index, body) in bodies.iter().enumerate() {
        let name = match uses[body.name.as_str()] {
            1 => body.name.clone(),
            _ => format!("{}#{index}", body.name),
        };
        titles.extend(
            PER_BODY
                .iter()
                .map(|column| quoted(&format!("{name}.{column}"))),
        );
    }
    let joints = recording
        .frames
        .first()
        .map_or(0, |frame| frame.joints.len());
    titles.extend((0..joints).map(|joint| quoted(&recording.header.joint_name(joint))));
    titles
}

/// Quotes a field where RFC 4180 asks for it.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
