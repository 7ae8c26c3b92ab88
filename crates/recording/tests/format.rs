//! The file format: exact round trips, and no damage that goes unnoticed or does harm.

mod common;

use proptest::prelude::*;
use stiction_recording::{Ending, Error, Frame, Header, Reader, Recording, Writer};

fn bytes_of(recording: &Recording) -> Vec<u8> {
    let mut bytes = Vec::new();
    recording.to_writer(&mut bytes).expect("valid recording");
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn what_is_written_reads_back_exactly(recording in common::recording()) {
        prop_assert!(recording.validate().is_ok());
        let loaded = Recording::from_reader(bytes_of(&recording).as_slice()).unwrap();
        prop_assert_eq!(loaded.ending, Ending::Complete);
        prop_assert_eq!(loaded.recording, recording);
    }

    #[test]
    fn a_cut_file_gives_the_frames_before_the_cut(
        recording in common::recording(),
        cut in any::<prop::sample::Index>(),
    ) {
        let bytes = bytes_of(&recording);
        let cut = cut.index(bytes.len()); // always shorter than the whole
        match Recording::from_reader(&bytes[..cut]) {
            Ok(loaded) => {
                prop_assert!(loaded.truncated());
                let whole = loaded.recording.frames.len();
                prop_assert_eq!(&loaded.recording.frames[..], &recording.frames[..whole]);
            }
            Err(error) => prop_assert!(
                matches!(error, Error::NotARecording { .. } | Error::NoHeader { .. }),
                "{}", error
            ),
        }
    }

    #[test]
    fn every_flipped_bit_is_noticed(
        recording in common::recording(),
        place in any::<prop::sample::Index>(),
        bit in 0..8_u32,
    ) {
        let mut bytes = bytes_of(&recording);
        let place = place.index(bytes.len());
        bytes[place] ^= 1 << bit;
        // A flip in a length may make the rest look cut off; it must never pass as complete.
        if let Ok(loaded) = Recording::from_reader(bytes.as_slice()) {
            prop_assert!(loaded.truncated());
            let whole = loaded.recording.frames.len();
            prop_assert_eq!(&loaded.recording.frames[..], &recording.frames[..whole]);
        }
    }

    #[test]
    fn random_bytes_are_refused(mut bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(Recording::from_reader(bytes.as_slice()).is_err());
        // The same behind a valid beginning, so that the block reader is reached.
        let mut file = b"STICTREC\x01\0\0\0".to_vec();
        file.append(&mut bytes);
        prop_assert!(Recording::from_reader(file.as_slice()).is_err());
    }

    #[test]
    fn random_payloads_with_a_right_checksum_are_refused(
        payload in proptest::collection::vec(any::<u8>(), 0..400),
        raw in any::<u32>(),
    ) {
        let mut file = bytes_of(&Recording::default());
        file.truncate(file.len() - 24); // the closing block
        file.extend_from_slice(&block(*b"FRAM", raw, &payload));
        prop_assert!(Recording::from_reader(file.as_slice()).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    /// Whoever makes the checksums fit can still not make the reader panic, or accept a header or a
    /// frame that is not valid.
    #[test]
    fn forged_blocks_are_refused_or_valid(
        recording in common::recording(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
    ) {
        let mut json = serde_json::to_vec(&recording.header).unwrap();
        for (place, byte) in &changes {
            let place = place.index(json.len());
            json[place] = *byte;
        }
        let mut file = b"STICTREC\x01\0\0\0".to_vec();
        file.extend_from_slice(&block(*b"HEAD", json.len() as u32, &deflated(&json)));
        if let Ok(loaded) = Recording::from_reader(file.as_slice()) {
            prop_assert!(loaded.recording.validate().is_ok());
        }

        // The same with the raw bytes of a frame, taken out of a sound file.
        let whole = bytes_of(&recording);
        let Some(mut raw) = first_frame(&whole) else {
            return Ok(());
        };
        for (place, byte) in &changes {
            let place = place.index(raw.len());
            raw[place] = *byte;
        }
        let mut file = bytes_of(&Recording { frames: Vec::new(), ..recording });
        file.truncate(file.len() - 24);
        file.extend_from_slice(&block(*b"FRAM", raw.len() as u32, &deflated(&raw)));
        if let Ok(loaded) = Recording::from_reader(file.as_slice()) {
            prop_assert!(loaded.recording.validate().is_ok());
        }
    }
}

/// The uncompressed first frame of a sound file.
fn first_frame(file: &[u8]) -> Option<Vec<u8>> {
    use std::io::Read;
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    let at = 12 + 16 + word(12 + 4); // behind the header block
    if &file[at..at + 4] != b"FRAM" {
        return None;
    }
    let mut raw = Vec::new();
    flate2::read::DeflateDecoder::new(&file[at + 16..at + 16 + word(at + 4)])
        .read_to_end(&mut raw)
        .unwrap();
    Some(raw)
}

/// A block with a checksum that fits, whatever its content.
fn block(kind: [u8; 4], raw: u32, payload: &[u8]) -> Vec<u8> {
    let mut block = kind.to_vec();
    block.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    block.extend_from_slice(&raw.to_le_bytes());
    let mut crc = flate2::Crc::new();
    crc.update(&block);
    crc.update(payload);
    block.extend_from_slice(&crc.sum().to_le_bytes());
    block.extend_from_slice(payload);
    block
}

fn deflated(raw: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(raw).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_bomb_is_not_unpacked() {
    let bomb = deflated(&vec![0; 50_000_000]);
    assert!(bomb.len() < 100_000);
    let mut opening = bytes_of(&Recording::default());
    opening.truncate(opening.len() - 24);

    // Claims less than it holds: stops one byte after the claim.
    let mut file = opening.clone();
    file.extend_from_slice(&block(*b"FRAM", 100, &bomb));
    let error = Recording::from_reader(file.as_slice()).unwrap_err();
    assert!(error.to_string().contains("100 bytes it claims"), "{error}");

    // Claims more than any frame may hold: not unpacked at all.
    let mut file = opening;
    file.extend_from_slice(&block(*b"FRAM", 1 << 27, &bomb));
    let error = Recording::from_reader(file.as_slice()).unwrap_err();
    assert!(error.to_string().contains("limit"), "{error}");
}

#[test]
fn a_count_that_lies_is_refused() {
    let mut raw = vec![0; 8 + 5 * 8 + 4 * 4 + 1];
    raw.extend_from_slice(&u32::MAX.to_le_bytes()); // four billion poses, and none of them there
    let mut file = bytes_of(&Recording::default());
    file.truncate(file.len() - 24);
    file.extend_from_slice(&block(*b"FRAM", raw.len() as u32, &deflated(&raw)));
    let error = Recording::from_reader(file.as_slice()).unwrap_err();
    assert!(error.to_string().contains("ends too early"), "{error}");
}

#[test]
fn another_version_is_named() {
    let mut bytes = bytes_of(&Recording::default());
    bytes[8] = 7;
    let error = Recording::from_reader(bytes.as_slice()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "recording format version 7, but this program reads versions 1 to 3"
    );
}

#[test]
fn not_a_number_survives() {
    let mut frame = Frame::default();
    frame.statistics.residual = f64::NAN;
    frame.statistics.penetration = f64::NEG_INFINITY;
    let recording = Recording {
        frames: vec![frame],
        ..Recording::default()
    };
    let loaded = Recording::from_reader(bytes_of(&recording).as_slice()).unwrap();
    let statistics = loaded.recording.frames[0].statistics;
    assert_eq!(statistics.residual.to_bits(), f64::NAN.to_bits());
    assert_eq!(statistics.penetration, f64::NEG_INFINITY);
}

#[test]
fn the_reader_gives_what_lies_before_the_damage() {
    let header = Header::default();
    let mut writer = Writer::new(Vec::new(), &header).unwrap();
    for k in 0..3 {
        let frame = Frame {
            time: f64::from(k),
            ..Frame::default()
        };
        writer.write_frame(&frame).unwrap();
    }
    let mut bytes = writer.finish().unwrap();
    let place = bytes.len() - 24 - 3; // inside the last frame
    bytes[place] ^= 0x10;

    let mut reader = Reader::new(bytes.as_slice()).unwrap();
    assert_eq!(reader.next_frame().unwrap().unwrap().time, 0.0);
    assert_eq!(reader.next_frame().unwrap().unwrap().time, 1.0);
    let error = reader.next_frame().unwrap_err();
    assert!(matches!(error, Error::Damaged { frames: 2, .. }), "{error}");
    assert!(reader.next_frame().unwrap().is_none());
    assert_eq!(reader.ending(), None);
}

#[test]
fn an_interrupted_run_keeps_its_frames_and_says_so() {
    let mut writer = Writer::new(Vec::new(), &Header::default()).unwrap();
    writer.write_frame(&Frame::default()).unwrap();
    writer.write_frame(&Frame::default()).unwrap();
    let whole = writer.finish().unwrap();

    let without_closing = &whole[..whole.len() - 24];
    let loaded = Recording::from_reader(without_closing).unwrap();
    assert_eq!(loaded.recording.frames.len(), 2);
    assert_eq!(loaded.ending, Ending::Truncated { lost_frames: 0 });

    let inside_a_frame = &whole[..whole.len() - 24 - 5];
    let loaded = Recording::from_reader(inside_a_frame).unwrap();
    assert_eq!(loaded.recording.frames.len(), 1);
    assert_eq!(loaded.ending, Ending::Truncated { lost_frames: 1 });
}

/// Written by `stiction run rolling --seconds 0.1` before worlds held mechanisms of any kind.
#[test]
fn a_recording_of_before_still_reads() {
    let bytes = include_bytes!("data/rolling_0_1.stic");
    let mut reader = Reader::new(bytes.as_slice()).unwrap();
    assert_eq!(reader.header().scene, "rolling");
    let bodies = reader.header().bodies.len();
    let mut frames = 0;
    while let Some(frame) = reader.next_frame().unwrap() {
        assert_eq!(frame.poses.len(), bodies);
        frames += 1;
    }
    assert!(
        bodies == 2 && frames > 5,
        "{bodies} bodies, {frames} frames"
    );
}

/// Written by `stiction run` of a soft block and a rod before stress was recorded.
#[test]
fn a_recording_without_stress_still_reads() {
    let bytes = include_bytes!("data/soft_0_2.stic");
    assert_eq!(bytes[8], 2, "the version");
    let loaded = Recording::from_reader(bytes.as_slice()).unwrap();
    let Recording { header, frames } = &loaded.recording;
    assert_eq!(header.deformables.len(), 2);
    let rod = &header.deformables[1].kind;
    assert!(
        matches!(rod, stiction_recording::DeformableKind::Rod { links, .. } if links.is_empty())
    );
    assert_eq!(frames.len(), 2);
    for frame in frames {
        assert_eq!(frame.nodes[0].len(), header.deformables[0].nodes);
        assert_eq!(frame.stress, [Vec::<f64>::new(), Vec::new()]);
    }
}
