//! Everything as one JSON document.

use std::io::Write;
use std::path::Path;

use crate::atomic::write_atomically;
use crate::error::Error;
use crate::recording::Recording;

/// Writes `{"header": …, "frames": […]}` to a file.
///
/// JSON has no NaN and no infinity: such values become `null`. Finite numbers are exact.
pub fn json(recording: &Recording, path: impl AsRef<Path>) -> Result<(), Error> {
    write_atomically(path.as_ref(), |sink| write_json(recording, sink))
}

/// Writes the same document to any sink.
pub fn write_json(recording: &Recording, mut sink: impl Write) -> Result<(), Error> {
    recording.validate()?;
    serde_json::to_writer(&mut sink, recording).map_err(|error| {
        if error.is_io() {
            Error::Stream(error.into())
        } else {
            Error::Json(error)
        }
    })?;
    sink.write_all(b"\n")?;
    Ok(())
}
