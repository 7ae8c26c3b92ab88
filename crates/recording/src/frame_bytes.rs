//! A frame as bytes: little-endian, every `f64` exact, layout in the README.

use crate::frame::{Contact, ContactState, Frame, Statistics};
use crate::header::Pose;

/// Appends `frame` to `out`.
pub(crate) fn encode(frame: &Frame, out: &mut Vec<u8>) {
    let mut sink = Sink(out);
    sink.floats(&[frame.time]);
    let statistics = &frame.statistics;
    sink.floats(&[
        statistics.step_time,
        statistics.residual,
        statistics.penetration,
        statistics.kinetic_energy,
        statistics.potential_energy,
    ]);
    sink.words(&[
        statistics.iterations,
        statistics.contacts,
        statistics.rows,
        statistics.islands,
    ]);
    sink.0.push(u8::from(statistics.converged));
    sink.floats(&[
        statistics.joint_error,
        statistics.joint_angle_error,
        statistics.work_given,
        statistics.work_of_constraints,
        statistics.energy_error,
    ]);

    sink.count(frame.poses.len());
    for pose in &frame.poses {
        sink.floats(&pose.position);
        sink.floats(&pose.rotation);
    }
    sink.count(frame.velocities.len());
    for velocity in &frame.velocities {
        sink.floats(velocity);
    }
    sink.count(frame.joints.len());
    sink.floats(&frame.joints);
    sink.count(frame.nodes.len());
    for nodes in &frame.nodes {
        sink.count(nodes.len());
        for node in nodes {
            sink.floats(node);
        }
    }
    for stress in &frame.stress {
        sink.count(stress.len());
        sink.floats(stress);
    }
    sink.count(frame.contacts.len());
    for contact in &frame.contacts {
        sink.floats(&contact.position);
        sink.floats(&contact.normal);
        sink.floats(&contact.force);
        sink.floats(&[contact.gap, contact.slip]);
        sink.words(&contact.bodies);
        sink.0.push(match contact.state {
            ContactState::Open => 0,
            ContactState::Stick => 1,
            ContactState::Slip => 2,
        });
    }
}

/// Reads what [`encode`] wrote, for a run with so many deformables; the error says what did not fit.
/// Files of version 1 have no errors of joints and no work, those of version 2 no stress.
///
/// Knowing the number of lists of nodes keeps a forged frame from claiming millions of empty ones.
pub(crate) fn decode(bytes: &[u8], deformables: usize, version: u32) -> Result<Frame, String> {
    let mut source = Source { bytes };
    let time = source.float()?;
    let [
        step_time,
        residual,
        penetration,
        kinetic_energy,
        potential_energy,
    ] = source.floats()?;
    let [iterations, contacts, rows, islands] = source.words()?;
    let converged = match source.byte()? {
        0 => false,
        1 => true,
        other => return Err(format!("converged is {other}, neither 0 nor 1")),
    };
    let [
        joint_error,
        joint_angle_error,
        work_given,
        work_of_constraints,
        energy_error,
    ] = match version {
        1 => [0.0; 5],
        _ => source.floats()?,
    };
    let frame = Frame {
        time,
        statistics: Statistics {
            step_time,
            iterations,
            contacts,
            rows,
            islands,
            residual,
            penetration,
            kinetic_energy,
            potential_energy,
            converged,
            joint_error,
            joint_angle_error,
            work_given,
            work_of_constraints,
            energy_error,
        },
        poses: source.list(|source| {
            Ok(Pose {
                position: source.floats()?,
                rotation: source.floats()?,
            })
        })?,
        velocities: source.list(Source::floats)?,
        joints: source.list(Source::float)?,
        nodes: source.nodes(deformables)?,
        stress: match version {
            1 | 2 => vec![Vec::new(); deformables],
            _ => source.lists(deformables, Source::float)?,
        },
        contacts: source.list(Source::contact)?,
    };
    match source.bytes.len() {
        0 => Ok(frame),
        left => Err(format!("{left} bytes left over after the frame")),
    }
}

struct Sink<'a>(&'a mut Vec<u8>);

impl Sink<'_> {
    fn floats(&mut self, values: &[f64]) {
        for value in values {
            self.0.extend_from_slice(&value.to_le_bytes());
        }
    }

    fn words(&mut self, values: &[u32]) {
        for value in values {
            self.0.extend_from_slice(&value.to_le_bytes());
        }
    }

    /// A list longer than `u32::MAX` is cut short here, and refused by its block's size limit.
    fn count(&mut self, length: usize) {
        self.words(&[u32::try_from(length).unwrap_or(u32::MAX)]);
    }
}

struct Source<'a> {
    bytes: &'a [u8],
}

impl Source<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (head, tail) = self
            .bytes
            .split_first_chunk::<N>()
            .ok_or_else(|| "the frame ends too early".to_owned())?;
        self.bytes = tail;
        Ok(*head)
    }

    fn byte(&mut self) -> Result<u8, String> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn float(&mut self) -> Result<f64, String> {
        self.take().map(f64::from_le_bytes)
    }

    fn floats<const N: usize>(&mut self) -> Result<[f64; N], String> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = self.float()?;
        }
        Ok(values)
    }

    fn words<const N: usize>(&mut self) -> Result<[u32; N], String> {
        let mut values = [0; N];
        for value in &mut values {
            *value = u32::from_le_bytes(self.take()?);
        }
        Ok(values)
    }

    /// Entries are read one by one, so a count that lies costs no memory.
    fn list<T>(
        &mut self,
        mut entry: impl FnMut(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        let [count] = self.words()?;
        let mut list = Vec::new();
        for _ in 0..count {
            list.push(entry(self)?);
        }
        Ok(list)
    }

    fn nodes(&mut self, deformables: usize) -> Result<Vec<Vec<[f64; 3]>>, String> {
        match self.words()? {
            [count] if count as usize == deformables => {}
            [count] => {
                return Err(format!(
                    "nodes of {count} deformables, expected {deformables}"
                ));
            }
        }
        self.lists(deformables, Self::floats)
    }

    /// So many lists, one after the other.
    fn lists<T>(
        &mut self,
        count: usize,
        entry: impl Fn(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<Vec<T>>, String> {
        (0..count).map(|_| self.list(&entry)).collect()
    }

    fn contact(&mut self) -> Result<Contact, String> {
        let position = self.floats()?;
        let normal = self.floats()?;
        let force = self.floats()?;
        let [gap, slip] = self.floats()?;
        let bodies = self.words()?;
        let state = match self.byte()? {
            0 => ContactState::Open,
            1 => ContactState::Stick,
            2 => ContactState::Slip,
            other => return Err(format!("contact state {other} is none of 0, 1, 2")),
        };
        Ok(Contact {
            position,
            normal,
            force,
            gap,
            slip,
            state,
            bodies,
        })
    }
}
