//! A frame as the page wants it: 32-bit words, ready to be uploaded to the graphics card.
//!
//! ```text
//! words              content
//! 1                  length of the record in words
//! 2                  time, f64, s
//! 5                  step time (s), residual, penetration (m), kinetic and potential energy (J)
//! 2                  errors of joints (m, rad)
//! 5                  iterations, contacts, rows, islands, converged, u32
//! 7 per body         position (m), quaternion x, y, z, w
//! 6 per body         linear (m/s) and angular (rad/s) velocity
//! 3 per node         position (m), deformable after deformable
//! 1 per node         von Mises stress (Pa), not a number where there is none
//! 1                  number of contacts, u32
//! 14 per contact     position, normal, force (N), gap (m), slip (m/s), body a, body b, state, u32
//! ```
//! Little-endian; f32 where nothing else is said. `page/data.js` reads this.

use stiction_recording::{ContactState, Frame, Header};

use crate::error::Error;

/// Appends the words of `frame` to `out`, as bytes; nothing is appended if the frame does not fit.
pub(crate) fn encode(header: &Header, frame: &Frame, out: &mut Vec<u8>) -> Result<(), Error> {
    check(header, frame)?;
    let start = out.len();
    let statistics = &frame.statistics;
    words(out, &[0]);
    out.extend_from_slice(&frame.time.to_le_bytes());
    floats(
        out,
        &[
            statistics.step_time,
            statistics.residual,
            statistics.penetration,
            statistics.kinetic_energy,
            statistics.potential_energy,
            statistics.joint_error,
            statistics.joint_angle_error,
        ],
    );
    words(
        out,
        &[
            statistics.iterations,
            statistics.contacts,
            statistics.rows,
            statistics.islands,
            u32::from(statistics.converged),
        ],
    );
    for pose in &frame.poses {
        floats(out, &pose.position);
        floats(out, &pose.rotation);
    }
    for velocity in &frame.velocities {
        floats(out, velocity);
    }
    for node in frame.nodes.iter().flatten() {
        floats(out, node);
    }
    for (stress, deformable) in frame.stress.iter().zip(&header.deformables) {
        match stress.is_empty() {
            true => (0..deformable.nodes).for_each(|_| floats(out, &[f64::NAN])),
            false => floats(out, stress),
        }
    }
    words(out, &[frame.contacts.len() as u32]);
    for contact in &frame.contacts {
        floats(out, &contact.position);
        floats(out, &contact.normal);
        floats(out, &contact.force);
        floats(out, &[contact.gap, contact.slip]);
        words(out, &contact.bodies);
        words(
            out,
            &[match contact.state {
                ContactState::Open => 0,
                ContactState::Stick => 1,
                ContactState::Slip => 2,
            }],
        );
    }
    let length = ((out.len() - start) / 4) as u32;
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
    Ok(())
}

/// The page trusts the sizes in the header, so they are checked here.
fn check(header: &Header, frame: &Frame) -> Result<(), Error> {
    let expect = |field, found, expected| {
        if found == expected {
            Ok(())
        } else {
            Err(Error::FrameSize {
                field,
                found,
                expected,
            })
        }
    };
    expect("poses", frame.poses.len(), header.bodies.len())?;
    expect("velocities", frame.velocities.len(), header.bodies.len())?;
    expect("nodes", frame.nodes.len(), header.deformables.len())?;
    for (nodes, deformable) in frame.nodes.iter().zip(&header.deformables) {
        expect("nodes of a deformable", nodes.len(), deformable.nodes)?;
    }
    expect("stress", frame.stress.len(), header.deformables.len())?;
    for (stress, deformable) in frame.stress.iter().zip(&header.deformables) {
        if !stress.is_empty() {
            expect("stress of a deformable", stress.len(), deformable.nodes)?;
        }
    }
    Ok(())
}

fn floats(out: &mut Vec<u8>, values: &[f64]) {
    for &value in values {
        out.extend_from_slice(&(value as f32).to_le_bytes());
    }
}

fn words(out: &mut Vec<u8>, values: &[u32]) {
    for value in values {
        out.extend_from_slice(&value.to_le_bytes());
    }
}

/// Records of `frames` one after another, made easy to compress: each word is XORed with the same
/// word of the record before (what rests becomes zero), then the words' first bytes are put
/// together, then their second bytes, and so on.
pub(crate) fn pack<'a>(
    header: &Header,
    frames: impl Iterator<Item = &'a Frame>,
) -> Result<Vec<u8>, Error> {
    let mut previous: Vec<u8> = Vec::new();
    let mut current = Vec::new();
    let mut differences = Vec::new();
    for frame in frames {
        current.clear();
        encode(header, frame, &mut current)?;
        differences.extend_from_slice(&current[..4]); // the length stays readable
        differences.extend(
            current[4..]
                .iter()
                .enumerate()
                .map(|(index, &byte)| byte ^ previous.get(index + 4).copied().unwrap_or(0)),
        );
        std::mem::swap(&mut previous, &mut current);
    }
    let mut planes = Vec::with_capacity(differences.len());
    for plane in 0..4 {
        planes.extend(differences.iter().skip(plane).step_by(4));
    }
    Ok(planes)
}

/// Bytes of the record of `frame`.
pub(crate) fn size(frame: &Frame) -> usize {
    let nodes: usize = frame.nodes.iter().map(Vec::len).sum();
    4 * (16 + 13 * frame.poses.len() + 4 * nodes + 14 * frame.contacts.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_recording::{Body, Contact, Deformable, DeformableKind};

    fn scene() -> (Header, Frame) {
        let header = Header {
            bodies: vec![Body::default(); 2],
            deformables: vec![Deformable {
                name: "cable".into(),
                kind: DeformableKind::Rod {
                    radius: 0.1,
                    links: Vec::new(),
                },
                nodes: 3,
            }],
            ..Header::default()
        };
        let mut frame = Frame::resting(&header);
        frame.contacts = vec![Contact::default(); 2];
        (header, frame)
    }

    #[test]
    fn records_have_the_size_they_say() {
        let (header, frame) = scene();
        let mut bytes = Vec::new();
        encode(&header, &frame, &mut bytes).unwrap();
        assert_eq!(bytes.len(), size(&frame));
        assert_eq!(bytes.len(), 4 * (15 + 2 * 13 + 4 * 3 + 1 + 2 * 14));
        assert_eq!(bytes[..4], (bytes.len() as u32 / 4).to_le_bytes());
    }

    #[test]
    fn packing_can_be_undone() {
        let (header, first) = scene();
        let mut second = first.clone();
        second.time = 0.5;
        second.contacts.pop();
        second.poses[1].position = [1.0, 2.0, 3.0];
        let mut plain = Vec::new();
        for frame in [&first, &second, &first] {
            encode(&header, frame, &mut plain).unwrap();
        }
        let planes = pack(&header, [&first, &second, &first].into_iter()).unwrap();

        let count = planes.len() / 4;
        let mut words: Vec<u32> = (0..count)
            .map(|k| {
                let byte = |plane: usize| planes[plane * count + k];
                u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)])
            })
            .collect();
        let (mut at, mut before) = (0, None);
        while at < count {
            let length = words[at] as usize;
            if let Some((start, old)) = before {
                for k in 1..length.min(old) {
                    words[at + k] ^= words[start + k];
                }
            }
            before = Some((at, length));
            at += length;
        }
        let undone: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(undone, plain);
    }

    #[test]
    fn a_frame_that_does_not_fit_is_refused() {
        let (header, mut frame) = scene();
        frame.poses.pop();
        let mut bytes = vec![1];
        let error = encode(&header, &frame, &mut bytes).unwrap_err();
        assert_eq!(
            error.to_string(),
            "published frame: poses has 1 entries, expected 2"
        );
        assert_eq!(bytes, [1]);
    }
}
