//! Any bytes into the reader of recordings.

use stiction_recording::{Reader, export};

/// Bytes unpacked from a recording that are enough for a fuzzer: a few bytes may stand for many.
const ENOUGH_FRAMES: usize = 16;

/// Reads bytes as a recording. Whatever they are, the answer is frames that can be exported, or an error
/// that says what is wrong.
pub fn read_recording(bytes: &[u8]) {
    let mut reader = match Reader::new(bytes) {
        Ok(reader) => reader,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let mut recording = stiction_recording::Recording {
        header: reader.header().clone(),
        frames: Vec::new(),
    };
    while let Ok(Some(frame)) = reader.next_frame() {
        recording.frames.push(frame);
        if recording.frames.len() == ENOUGH_FRAMES {
            break;
        }
    }
    export::write_csv(&recording, std::io::sink()).expect("what was read is sound");
    export::write_npz(&recording, std::io::sink()).expect("what was read is sound");
}
