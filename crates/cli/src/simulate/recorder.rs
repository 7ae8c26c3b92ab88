//! Frames of a run, on their way to files.

use std::fs::File;
use std::sync::Arc;

use stiction_recording::{Header, Recording, Writer, export};
use stiction_scenes::Scene;

use crate::commands::export::{writable, write_page};
use crate::outputs::Outputs;
use crate::simulate::Exports;

/// Says when a frame is due.
pub(crate) struct FrameClock {
    interval: f64,
    frames: u64,
}

impl FrameClock {
    pub(crate) fn new(interval: f64) -> Self {
        Self {
            interval,
            frames: 0,
        }
    }

    pub(crate) fn is_due(&mut self, scene: &Scene) -> bool {
        // Half a step of tolerance, so that rounding does not skip a frame.
        let early = 0.5 * scene.world.settings().time_step;
        let is_due = scene.world.time() + early >= self.frames as f64 * self.interval;
        self.frames += u64::from(is_due);
        is_due
    }
}

/// Takes frames; streams them to the file.
pub(crate) struct Recorder {
    writer: Option<Writer<File>>,
    recording: Option<Recording>,
}

impl Recorder {
    pub(crate) fn start(outputs: &Outputs, header: Header) -> anyhow::Result<Self> {
        let writer = match &outputs.record {
            Some(path) => Some(writable(path, Writer::create(path, &header))?),
            None => None,
        };
        let is_needed = outputs.html.is_some() || outputs.csv.is_some();
        let recording = is_needed.then(|| Recording {
            header,
            frames: Vec::new(),
        });
        Ok(Self { writer, recording })
    }

    pub(crate) fn take(&mut self, scene: &Scene) -> anyhow::Result<()> {
        if self.writer.is_none() && self.recording.is_none() {
            return Ok(());
        }
        let frame = scene.world.record();
        if let Some(writer) = &mut self.writer {
            writer.write_frame(&frame)?;
        }
        if let Some(recording) = &mut self.recording {
            recording.frames.push(frame);
        }
        Ok(())
    }

    /// Ends the recording.
    pub(crate) fn finish(&mut self) -> anyhow::Result<()> {
        if let Some(writer) = self.writer.take() {
            writer.finish()?;
        }
        Ok(())
    }

    /// Adds what is made of all frames, which are gone afterwards.
    pub(crate) fn export(&mut self, outputs: &Outputs, exports: &mut Exports) {
        let Some(recording) = self.recording.take().map(Arc::new) else {
            return;
        };
        if let Some(path) = &outputs.html {
            let recording = recording.clone();
            exports.add(path, move |path| write_page(&recording, path));
        }
        if let Some(path) = &outputs.csv {
            exports.add(path, move |path| {
                writable(path, export::csv(&recording, path))
            });
        }
    }
}
