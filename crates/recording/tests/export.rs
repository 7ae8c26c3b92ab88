//! Exports hold the recording's numbers exactly, and files are whole or not there.

mod common;

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use stiction_recording::{Body, Error, Frame, Header, Recording, export, write_atomically};

/// A folder that is removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("stiction-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn two_bodies() -> Recording {
    let body = |name: &str| Body {
        name: name.into(),
        mass: 2.0,
        ..Body::default()
    };
    let header = Header {
        bodies: vec![body("cup, \"red\""), body("cup"), body("cup")],
        ..Header::default()
    };
    let mut frame = Frame::resting(&header);
    frame.time = 0.1 + 0.2; // 0.30000000000000004: needs all its digits
    frame.joints = vec![1e-300];
    frame.poses[1].position[2] = f64::INFINITY;
    frame.statistics.residual = f64::NAN;
    Recording {
        frames: vec![frame.clone(), frame],
        header,
    }
}

#[test]
fn csv_has_a_row_per_frame_and_names_every_column() {
    let mut bytes = Vec::new();
    export::write_csv(&two_bodies(), &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[0].starts_with("time,step_time,iterations,contacts,rows,islands,residual,"));
    assert!(lines[0].contains("\"cup, \"\"red\"\".x\""));
    assert!(lines[0].contains("cup#1.z,") && lines[0].contains("cup#2.wz,joint0"));
    let values: Vec<&str> = lines[1].split(',').collect();
    assert_eq!(values.len(), 16 + 3 * 13 + 1);
    assert_eq!(values[0].parse::<f64>().unwrap(), 0.1 + 0.2);
    assert_eq!(values[6], "NaN");
    assert_eq!(values[16 + 13 + 2], "inf");
    assert_eq!(values[16 + 3 * 13].parse::<f64>().unwrap(), 1e-300);
}

#[test]
fn json_reads_back_as_the_same_recording_where_numbers_are_finite() {
    let mut recording = two_bodies();
    for frame in &mut recording.frames {
        frame.poses[1].position[2] = 1.0 / 3.0;
        frame.statistics.residual = 1e-9;
    }
    let mut bytes = Vec::new();
    export::write_json(&recording, &mut bytes).unwrap();
    let back: Recording = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(back, recording);
}

/// The entries of a ZIP archive of stored files, by its central directory.
fn unzip(archive: &[u8]) -> HashMap<String, Vec<u8>> {
    let half = |at: usize| u16::from_le_bytes([archive[at], archive[at + 1]]) as usize;
    let word = |at: usize| {
        u32::from_le_bytes([
            archive[at],
            archive[at + 1],
            archive[at + 2],
            archive[at + 3],
        ]) as usize
    };
    let end = archive.len() - 22;
    assert_eq!(&archive[end..end + 4], b"PK\x05\x06");
    let mut at = word(end + 16);
    let mut files = HashMap::new();
    for _ in 0..half(end + 10) {
        assert_eq!(&archive[at..at + 4], b"PK\x01\x02");
        let (crc, size, name_length, offset) =
            (word(at + 16), word(at + 24), half(at + 28), word(at + 42));
        let name = String::from_utf8(archive[at + 46..at + 46 + name_length].to_vec()).unwrap();
        assert_eq!(&archive[offset..offset + 4], b"PK\x03\x04");
        let start = offset + 30 + name_length;
        let data = archive[start..start + size].to_vec();
        let mut check = flate2::Crc::new();
        check.update(&data);
        assert_eq!(check.sum() as usize, crc, "{name}");
        files.insert(name, data);
        at += 46 + name_length;
    }
    files
}

/// Shape text and values of an `.npy` array of `f8`.
fn floats(npy: &[u8]) -> (String, Vec<f64>) {
    assert_eq!(&npy[..8], b"\x93NUMPY\x01\0");
    let length = u16::from_le_bytes([npy[8], npy[9]]) as usize;
    assert_eq!((10 + length) % 64, 0);
    let text = std::str::from_utf8(&npy[10..10 + length]).unwrap();
    assert!(
        text.starts_with("{'descr': '<f8', 'fortran_order': False, 'shape': ("),
        "{text}"
    );
    assert!(text.ends_with('\n'));
    let shape = text[text.find('(').unwrap()..=text.find(')').unwrap()].to_owned();
    let values = npy[10 + length..].chunks_exact(8);
    (
        shape,
        values
            .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
            .collect(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(32) })]

    #[test]
    fn npz_holds_every_number_exactly(recording in common::recording()) {
        let mut bytes = Vec::new();
        export::write_npz(&recording, &mut bytes).unwrap();
        let files = unzip(&bytes);
        let (f, b) = (recording.frames.len(), recording.header.bodies.len());

        let (shape, position) = floats(&files["position.npy"]);
        prop_assert_eq!(shape, format!("({f}, {b}, 3,)"));
        let expected: Vec<f64> = recording.frames.iter()
            .flat_map(|frame| frame.poses.iter().flat_map(|pose| pose.position)).collect();
        prop_assert_eq!(position, expected);

        let (shape, nodes) = floats(&files["nodes_1.npy"]);
        prop_assert_eq!(shape, format!("({f}, 2, 3,)"));
        let expected: Vec<f64> = recording.frames.iter()
            .flat_map(|frame| frame.nodes[1].iter().copied().flatten()).collect();
        prop_assert_eq!(nodes, expected);

        let (_, force) = floats(&files["contact_force.npy"]);
        let expected: Vec<f64> = recording.frames.iter()
            .flat_map(|frame| frame.contacts.iter().flat_map(|c| c.force)).collect();
        prop_assert_eq!(force, expected);
    }
}

#[test]
fn files_are_whole_or_not_there() {
    let folder = Folder::new("whole");
    let path = folder.0.join("run.stic");
    let recording = two_bodies();
    recording.write(&path).unwrap();
    export::csv(&recording, folder.0.join("run.csv")).unwrap();
    export::npz(&recording, folder.0.join("run.npz")).unwrap();
    export::json(&recording, folder.0.join("run.json")).unwrap();
    let all = ["run.csv", "run.json", "run.npz", "run.stic"];
    assert_eq!(folder.files(), all);
    let loaded = Recording::read(&path).unwrap();
    assert_eq!(loaded.recording.frames.len(), 2);

    // A failure in the middle leaves the old file as it was and no other behind.
    let before = fs::read(&path).unwrap();
    let failed = write_atomically(&path, |sink| {
        use std::io::Write;
        sink.write_all(b"half")?;
        Err(Error::Stream(std::io::Error::other("disk full")))
    });
    let message = failed.unwrap_err().to_string();
    assert!(message.ends_with("run.stic: disk full"), "{message}");
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(folder.files(), all);

    // An invalid recording is refused before anything is replaced.
    let mut torn = recording;
    torn.frames[1].poses.clear();
    assert!(export::csv(&torn, folder.0.join("torn.csv")).is_err());
    assert!(torn.write(&path).is_err());
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(folder.files(), all);
}

#[test]
fn missing_and_unwritable_files_are_named() {
    let folder = Folder::new("missing");
    let error = Recording::read(folder.0.join("none.stic")).unwrap_err();
    assert!(error.to_string().contains("none.stic"), "{error}");
    let error = export::csv(&two_bodies(), folder.0.join("no/such/folder.csv")).unwrap_err();
    assert!(error.to_string().contains("folder.csv"), "{error}");
    let error = export::csv(&two_bodies(), "/").unwrap_err();
    assert!(error.to_string().contains("it is a folder"), "{error}");
}
