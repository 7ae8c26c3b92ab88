//! Reads a recording frame by frame.

use std::io::Read;

use crate::FORMAT_VERSION;
use crate::block::{self, Kind, MAGIC, Outcome};
use crate::error::Error;
use crate::frame::Frame;
use crate::frame_bytes;
use crate::header::Header;
use crate::validate;

/// How a recording ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// [`Writer::finish`](crate::Writer::finish) was called, nothing is missing.
    Complete,
    /// The run was interrupted: the file ends without the closing block.
    Truncated {
        /// Frames that were begun but not wholly written, and are lost: 0 or 1. What the run would
        /// have written later is not in the file, so nobody can count it.
        lost_frames: usize,
    },
}

/// Streams the frames of a recording out of `R`; use a buffered reader for files.
#[derive(Debug)]
pub struct Reader<R: Read> {
    source: Counted<R>,
    version: u32,
    header: Header,
    frames: usize,
    joints: Option<usize>,
    raw_bytes: u64,
    ending: Option<Ending>,
    failed: bool,
}

impl<R: Read> Reader<R> {
    /// Reads magic number, version and header.
    pub fn new(source: R) -> Result<Self, Error> {
        let mut source = Counted { source, offset: 0 };
        let mut opening = [0; MAGIC.len() + 4];
        let found = block::read_up_to(&mut source, &mut opening)?;
        let (magic, version) = opening.split_at(MAGIC.len());
        if found < MAGIC.len() || magic != MAGIC {
            return Err(Error::NotARecording {
                found: opening[..found.min(MAGIC.len())].to_vec(),
            });
        }
        if found < opening.len() {
            return Err(Error::NoHeader {
                bytes: source.offset,
            });
        }
        let version = u32::from_le_bytes([version[0], version[1], version[2], version[3]]);
        if !(1..=FORMAT_VERSION).contains(&version) {
            return Err(Error::Version {
                found: version,
                supported: FORMAT_VERSION,
            });
        }
        let offset = source.offset;
        let damaged = |reason: String| Error::Damaged {
            offset,
            frames: 0,
            reason,
        };
        let raw = match block::decode(&mut source)? {
            Outcome::Block(Kind::Header, raw) => raw,
            Outcome::Block(kind, _) => {
                return Err(damaged(format!(
                    "expected the header, found a {kind:?} block"
                )));
            }
            Outcome::Bad(reason) => return Err(damaged(reason)),
            Outcome::AtEnd | Outcome::Cut => {
                return Err(Error::NoHeader {
                    bytes: source.offset,
                });
            }
        };
        let header: Header =
            serde_json::from_slice(&raw).map_err(|error| damaged(error.to_string()))?;
        validate::header(&header)?;
        Ok(Self {
            source,
            version,
            header,
            frames: 0,
            joints: None,
            raw_bytes: raw.len() as u64,
            ending: None,
            failed: false,
        })
    }

    /// The constant part of the recording.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The next frame, or `None` once [`Reader::ending`] is known.
    ///
    /// After an error every further call gives `None` and the ending stays unknown.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, Error> {
        if self.ending.is_some() || self.failed {
            return Ok(None);
        }
        let outcome = self.read_frame();
        self.failed = outcome.is_err();
        outcome
    }

    /// How the recording ended; `None` before the last frame was read.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// Uncompressed bytes read so far.
    pub(crate) fn raw_bytes(&self) -> u64 {
        self.raw_bytes
    }

    pub(crate) fn into_header(self) -> Header {
        self.header
    }

    fn read_frame(&mut self) -> Result<Option<Frame>, Error> {
        let offset = self.source.offset;
        let frames = self.frames;
        let damaged = |reason: String| Error::Damaged {
            offset,
            frames,
            reason,
        };
        match block::decode(&mut self.source)? {
            Outcome::Block(Kind::Frame, raw) => {
                let deformables = self.header.deformables.len();
                let frame =
                    frame_bytes::decode(&raw, deformables, self.version).map_err(damaged)?;
                validate::frame(&self.header, self.frames, &frame, self.joints)?;
                self.joints = Some(frame.joints.len());
                self.raw_bytes += raw.len() as u64;
                self.frames += 1;
                Ok(Some(frame))
            }
            Outcome::Block(Kind::End, raw) => {
                if raw != (frames as u64).to_le_bytes() {
                    return Err(damaged(format!(
                        "the closing block counts other frames than the {frames} that are there"
                    )));
                }
                if block::read_up_to(&mut self.source, &mut [0])? != 0 {
                    return Err(damaged("data after the closing block".to_owned()));
                }
                self.ending = Some(Ending::Complete);
                Ok(None)
            }
            Outcome::Block(Kind::Header, _) => Err(damaged("a second header".to_owned())),
            Outcome::Bad(reason) => Err(damaged(reason)),
            Outcome::AtEnd => {
                self.ending = Some(Ending::Truncated { lost_frames: 0 });
                Ok(None)
            }
            Outcome::Cut => {
                self.ending = Some(Ending::Truncated { lost_frames: 1 });
                Ok(None)
            }
        }
    }
}

/// Counts the bytes that go by, for error messages.
#[derive(Debug)]
struct Counted<R> {
    source: R,
    offset: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.offset += count as u64;
        Ok(count)
    }
}
