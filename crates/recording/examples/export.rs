//! Exports a recording to CSV, NPZ and JSON beside it.
//!
//! ```text
//! cargo run -p stiction-recording --example export -- run.stic
//! ```
#![expect(clippy::print_stdout, reason = "an example says what it made")]

use std::error::Error;
use std::path::PathBuf;

use stiction_recording::{Recording, export};

fn main() -> Result<(), Box<dyn Error>> {
    let path = PathBuf::from(std::env::args().nth(1).ok_or("usage: export RECORDING")?);
    let loaded = Recording::read(&path)?;
    println!(
        "{} frames, {:.3} s, ending: {:?}",
        loaded.recording.frames.len(),
        loaded.recording.duration(),
        loaded.ending
    );
    export::csv(&loaded.recording, path.with_extension("csv"))?;
    export::npz(&loaded.recording, path.with_extension("npz"))?;
    export::json(&loaded.recording, path.with_extension("json"))?;
    Ok(())
}
