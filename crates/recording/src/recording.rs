//! A whole run in memory.

use std::fs::File;
use std::io::{BufReader, Error as OsError, ErrorKind, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::atomic::write_atomically;
use crate::error::Error;
use crate::frame::Frame;
use crate::header::Header;
use crate::reader::{Ending, Reader};
use crate::validate;
use crate::writer::Writer;

/// The largest recording that is read into memory at once, in uncompressed bytes.
pub const LARGEST_RECORDING: u64 = 1 << 32;

/// A run: what was simulated and how it moved.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Recording {
    /// What does not change.
    pub header: Header,
    /// What does, in order of time.
    pub frames: Vec<Frame>,
}

/// A recording that was read, and whether all of it was there.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Loaded {
    /// What was read.
    pub recording: Recording,
    /// Whether the run was recorded to its end.
    pub ending: Ending,
}

impl Loaded {
    /// Whether the recording was interrupted.
    pub fn truncated(&self) -> bool {
        self.ending != Ending::Complete
    }
}

impl Recording {
    /// Reads a file. A file whose writing was interrupted gives the frames that are whole and says
    /// so in [`Loaded::ending`]; a damaged one is an error.
    pub fn read(path: impl AsRef<Path>) -> Result<Loaded, Error> {
        let path = path.as_ref();
        let open = || {
            // Nobody may ever write into a pipe, and a device may have no end.
            match std::fs::metadata(path)?.is_file() {
                true => File::open(path),
                false => Err(OsError::new(ErrorKind::InvalidInput, "it is no file")),
            }
        };
        let file = open().map_err(|error| Error::from(error).at(path))?;
        Self::from_reader(BufReader::new(file)).map_err(|error| error.at(path))
    }

    /// Reads a recording from any source of bytes; refuses more than 4 GiB uncompressed.
    pub fn from_reader(source: impl Read) -> Result<Loaded, Error> {
        let mut reader = Reader::new(source)?;
        let mut frames = Vec::new();
        while let Some(frame) = reader.next_frame()? {
            frames.push(frame);
            if reader.raw_bytes() > LARGEST_RECORDING {
                return Err(Error::TooLarge {
                    what: format!("the recording up to frame {}", frames.len()),
                    size: reader.raw_bytes(),
                    limit: LARGEST_RECORDING,
                });
            }
        }
        let ending = reader
            .ending()
            .unwrap_or(Ending::Truncated { lost_frames: 0 });
        Ok(Loaded {
            recording: Self {
                header: reader.into_header(),
                frames,
            },
            ending,
        })
    }

    /// Writes a file, all of it or nothing.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        write_atomically(path.as_ref(), |sink| self.to_writer(sink))
    }

    /// Writes the recording to any sink.
    pub fn to_writer(&self, sink: impl Write) -> Result<(), Error> {
        let mut writer = Writer::new(sink, &self.header)?;
        for frame in &self.frames {
            writer.write_frame(frame)?;
        }
        writer.finish().map(|_| ())
    }

    /// Checks the header, and that every frame fits it and the frames before.
    pub fn validate(&self) -> Result<(), Error> {
        validate::header(&self.header)?;
        let joints = self.frames.first().map(|frame| frame.joints.len());
        for (index, frame) in self.frames.iter().enumerate() {
            validate::frame(&self.header, index, frame, joints)?;
        }
        Ok(())
    }

    /// Simulated time from the first frame to the last, s.
    pub fn duration(&self) -> f64 {
        match (self.frames.first(), self.frames.last()) {
            (Some(first), Some(last)) => last.time - first.time,
            _ => 0.0,
        }
    }
}
