//! Arrays for `numpy.load`.

use std::io::Write;
use std::path::Path;

use super::zip::Archive;
use crate::atomic::write_atomically;
use crate::error::Error;
use crate::frame::{Contact, ContactState, Frame, Statistics};
use crate::recording::Recording;

/// Writes the arrays of a recording to an `.npz` file.
///
/// With F frames, B bodies, J joints and C contacts over all frames:
///
/// | array | shape | |
/// |---|---|---|
/// | `time` | F | s |
/// | `position`, `rotation` | F×B×3, F×B×4 | m; quaternion x, y, z, w |
/// | `velocity` | F×B×6 | linear m/s, angular rad/s |
/// | `joints` | F×J | rad or m |
/// | `nodes_K` | F×N×3 | deformable K, m |
/// | `stress_K` | F×N | von Mises stress of deformable K, Pa, where every frame has it |
/// | `step_time`, `residual`, `penetration`, `kinetic_energy`, `potential_energy` | F | SI |
/// | `joint_error`, `joint_angle_error`, `work_given`, `work_of_constraints`, `energy_error` | F | SI |
/// | `iterations`, `contacts`, `rows`, `islands` | F | counts |
/// | `converged` | F | bool |
/// | `contact_frame` | C | frame each contact belongs to |
/// | `contact_position`, `contact_normal`, `contact_force` | C×3 | m, –, N |
/// | `contact_gap`, `contact_slip` | C | m, m/s |
/// | `contact_state` | C | 0 open, 1 stick, 2 slip |
/// | `contact_bodies` | C×2 | |
/// | `body_names`, `body_mass` | B | kg |
/// | `joint_names` | J | |
pub fn npz(recording: &Recording, path: impl AsRef<Path>) -> Result<(), Error> {
    write_atomically(path.as_ref(), |sink| write_npz(recording, sink))
}

/// Writes the same archive to any sink.
pub fn write_npz(recording: &Recording, sink: impl Write) -> Result<(), Error> {
    recording.validate()?;
    let mut arrays = Arrays(Archive::new(sink));
    let frames = &recording.frames;
    let bodies = &recording.header.bodies;
    let joints = frames.first().map_or(0, |frame| frame.joints.len());
    let per_body = |width: usize| [frames.len(), bodies.len(), width];

    arrays.floats("time", &[frames.len()], frames.iter().map(|f| f.time))?;
    let poses = || frames.iter().flat_map(|f| &f.poses);
    let positions = poses().flat_map(|pose| pose.position);
    arrays.floats("position", &per_body(3), positions)?;
    let rotations = poses().flat_map(|pose| pose.rotation);
    arrays.floats("rotation", &per_body(4), rotations)?;
    let velocities = frames.iter().flat_map(|f| f.velocities.iter().flatten());
    arrays.floats("velocity", &per_body(6), velocities.copied())?;
    let joint_positions = frames.iter().flat_map(|f| f.joints.iter().copied());
    arrays.floats("joints", &[frames.len(), joints], joint_positions)?;
    for (k, deformable) in recording.header.deformables.iter().enumerate() {
        let nodes = frames.iter().flat_map(|f| f.nodes[k].iter().flatten());
        let shape = [frames.len(), deformable.nodes, 3];
        arrays.floats(&format!("nodes_{k}"), &shape, nodes.copied())?;
        if frames.iter().any(|f| f.stress[k].is_empty()) {
            continue;
        }
        let stress = frames.iter().flat_map(|f| f.stress[k].iter().copied());
        arrays.floats(&format!("stress_{k}"), &shape[..2], stress)?;
    }
    write_statistics(&mut arrays, frames)?;
    write_contacts(&mut arrays, frames)?;
    arrays.names(
        "body_names",
        bodies.iter().map(|body| body.name.clone()).collect(),
    )?;
    let joint_names = (0..joints).map(|joint| recording.header.joint_name(joint));
    arrays.names("joint_names", joint_names.collect())?;
    arrays.floats("body_mass", &[bodies.len()], bodies.iter().map(|b| b.mass))?;
    arrays.0.finish()
}

fn write_statistics<W: Write>(arrays: &mut Arrays<W>, frames: &[Frame]) -> Result<(), Error> {
    type Field<T> = (&'static str, fn(&Statistics) -> T);
    let floats: [Field<f64>; 10] = [
        ("step_time", |s| s.step_time),
        ("residual", |s| s.residual),
        ("penetration", |s| s.penetration),
        ("kinetic_energy", |s| s.kinetic_energy),
        ("potential_energy", |s| s.potential_energy),
        ("joint_error", |s| s.joint_error),
        ("joint_angle_error", |s| s.joint_angle_error),
        ("work_given", |s| s.work_given),
        ("work_of_constraints", |s| s.work_of_constraints),
        ("energy_error", |s| s.energy_error),
    ];
    for (name, field) in floats {
        let values = frames.iter().map(|f| field(&f.statistics));
        arrays.floats(name, &[frames.len()], values)?;
    }
    let counts: [Field<u32>; 4] = [
        ("iterations", |s| s.iterations),
        ("contacts", |s| s.contacts),
        ("rows", |s| s.rows),
        ("islands", |s| s.islands),
    ];
    for (name, field) in counts {
        let values = frames.iter().map(|f| field(&f.statistics));
        arrays.words(name, &[frames.len()], values)?;
    }
    let converged = frames.iter().map(|f| u8::from(f.statistics.converged));
    arrays.bytes("converged", "|b1", converged.collect())
}

fn write_contacts<W: Write>(arrays: &mut Arrays<W>, frames: &[Frame]) -> Result<(), Error> {
    let contacts = || frames.iter().flat_map(|f| &f.contacts);
    let count = contacts().count();
    let owners = frames
        .iter()
        .enumerate()
        .flat_map(|(index, f)| std::iter::repeat_n(index as u32, f.contacts.len()));
    arrays.words("contact_frame", &[count], owners)?;
    type Vector = (&'static str, fn(&Contact) -> [f64; 3]);
    let vectors: [Vector; 3] = [
        ("contact_position", |c| c.position),
        ("contact_normal", |c| c.normal),
        ("contact_force", |c| c.force),
    ];
    for (name, field) in vectors {
        arrays.floats(name, &[count, 3], contacts().flat_map(field))?;
    }
    arrays.floats("contact_gap", &[count], contacts().map(|c| c.gap))?;
    arrays.floats("contact_slip", &[count], contacts().map(|c| c.slip))?;
    let states = contacts().map(|c| match c.state {
        ContactState::Open => 0,
        ContactState::Stick => 1,
        ContactState::Slip => 2,
    });
    arrays.bytes("contact_state", "|u1", states.collect())?;
    let bodies = contacts().flat_map(|c| c.bodies);
    arrays.words("contact_bodies", &[count, 2], bodies)
}

/// Names arrays and puts them into the archive.
struct Arrays<W: Write>(Archive<W>);

impl<W: Write> Arrays<W> {
    fn floats(
        &mut self,
        name: &str,
        shape: &[usize],
        values: impl Iterator<Item = f64>,
    ) -> Result<(), Error> {
        let mut data = npy_header("<f8", shape);
        values.for_each(|value| data.extend_from_slice(&value.to_le_bytes()));
        self.add(name, &data)
    }

    fn words(
        &mut self,
        name: &str,
        shape: &[usize],
        values: impl Iterator<Item = u32>,
    ) -> Result<(), Error> {
        let mut data = npy_header("<u4", shape);
        values.for_each(|value| data.extend_from_slice(&value.to_le_bytes()));
        self.add(name, &data)
    }

    fn bytes(&mut self, name: &str, kind: &str, values: Vec<u8>) -> Result<(), Error> {
        let mut data = npy_header(kind, &[values.len()]);
        data.extend_from_slice(&values);
        self.add(name, &data)
    }

    /// NumPy's text arrays hold UTF-32 of a fixed length, padded with zeros.
    fn names(&mut self, name: &str, list: Vec<String>) -> Result<(), Error> {
        let longest = list.iter().map(|text| text.chars().count()).max();
        let width = longest.unwrap_or(0).max(1);
        let mut data = npy_header(&format!("<U{width}"), &[list.len()]);
        for text in &list {
            let letters = text.chars().map(u32::from);
            for letter in letters.chain(std::iter::repeat(0)).take(width) {
                data.extend_from_slice(&letter.to_le_bytes());
            }
        }
        self.add(name, &data)
    }

    fn add(&mut self, name: &str, data: &[u8]) -> Result<(), Error> {
        self.0.add(&format!("{name}.npy"), data)
    }
}

/// Header of NumPy's format version 1.0, padded so that the data starts at a multiple of 64 bytes.
fn npy_header(kind: &str, shape: &[usize]) -> Vec<u8> {
    let sizes: Vec<String> = shape.iter().map(|size| format!("{size},")).collect();
    let mut text = format!(
        "{{'descr': '{kind}', 'fortran_order': False, 'shape': ({}), }}",
        sizes.join(" ")
    );
    let unpadded = 10 + text.len() + 1;
    text.push_str(&" ".repeat(unpadded.next_multiple_of(64) - unpadded));
    text.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(text.len() as u16).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
    bytes
}
