//! Writes a recording while the run goes on.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use crate::FORMAT_VERSION;
use crate::atomic::create_in_place;
use crate::block::{self, Kind};
use crate::error::Error;
use crate::frame::Frame;
use crate::frame_bytes;
use crate::header::Header;
use crate::validate;

/// Streams a run to `W`, one block per frame.
///
/// Every frame is handed to `W` whole and flushed, so a run that is interrupted keeps all frames
/// written so far. Only [`Writer::finish`] marks the recording as complete.
#[derive(Debug)]
pub struct Writer<W: Write> {
    sink: W,
    header: Header,
    frames: usize,
    joints: Option<usize>,
    broken: bool,
    raw: Vec<u8>,
    block: Vec<u8>,
}

impl Writer<File> {
    /// Creates (or overwrites) a file and writes the header into it.
    pub fn create(path: impl AsRef<Path>, header: &Header) -> Result<Self, Error> {
        let path = path.as_ref();
        validate::header(header)?; // before an existing file is emptied
        let file = create_in_place(path)?;
        Self::new(file, header).map_err(|error| error.at(path))
    }
}

impl<W: Write> Writer<W> {
    /// Writes magic number, version and header to `sink`.
    pub fn new(mut sink: W, header: &Header) -> Result<Self, Error> {
        validate::header(header)?;
        let raw = serde_json::to_vec(header)?;
        let mut encoded = Vec::new();
        block::encode(Kind::Header, &raw, &mut encoded)?;
        sink.write_all(&block::MAGIC)?;
        sink.write_all(&FORMAT_VERSION.to_le_bytes())?;
        sink.write_all(&encoded)?;
        sink.flush()?;
        Ok(Self {
            sink,
            header: header.clone(),
            frames: 0,
            joints: None,
            broken: false,
            raw: Vec::new(),
            block: encoded,
        })
    }

    /// Appends a frame. A frame that does not fit the header is refused and nothing is written.
    pub fn write_frame(&mut self, frame: &Frame) -> Result<(), Error> {
        validate::frame(&self.header, self.frames, frame, self.joints)?;
        self.raw.clear();
        frame_bytes::encode(frame, &mut self.raw);
        block::encode(Kind::Frame, &self.raw, &mut self.block)?;
        self.send()?;
        self.joints = Some(frame.joints.len());
        self.frames += 1;
        Ok(())
    }

    /// How many frames were written.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Marks the recording as complete and gives back what was written to.
    pub fn finish(mut self) -> Result<W, Error> {
        block::encode(
            Kind::End,
            &(self.frames as u64).to_le_bytes(),
            &mut self.block,
        )?;
        self.send()?;
        Ok(self.sink)
    }

    /// Sends the block whole. Once that failed, part of a block may be in the sink and anything
    /// after it would read as damage: nothing more is written, and the recording reads as truncated.
    fn send(&mut self) -> Result<(), Error> {
        if self.broken {
            return Err(Error::Stream(std::io::Error::other(
                "an earlier frame could not be written",
            )));
        }
        self.broken = true;
        self.sink.write_all(&self.block)?;
        self.sink.flush()?;
        self.broken = false;
        Ok(())
    }
}
