//! What can be wrong with a recording, said with the element that is wrong.

use std::path::PathBuf;

use thiserror::Error;

/// Why a recording was refused, or could not be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    File {
        /// The file that was to be read or written.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// A stream without a path failed.
    #[error("recording stream: {0}")]
    Stream(#[from] std::io::Error),
    /// The data does not begin like a recording.
    #[error("not a stiction recording: it {}", opening(found))]
    NotARecording {
        /// The bytes found where the magic number belongs.
        found: Vec<u8>,
    },
    /// The file was written by another version of this crate.
    #[error("recording format version {found}, but this program reads versions 1 to {supported}")]
    Version {
        /// Version found in the file.
        found: u32,
        /// Newest version this crate reads.
        supported: u32,
    },
    /// A block fails its checksum or does not decode.
    #[error(
        "recording is damaged at byte {offset}, after {frames} sound frames: {reason}; \
         a `Reader` still gives the frames before the damage"
    )]
    Damaged {
        /// Offset of the block in the file, in bytes.
        offset: u64,
        /// Frames that were read before it.
        frames: usize,
        /// What is wrong with the block.
        reason: String,
    },
    /// The file ends before the header does.
    #[error("recording ends inside its header, after {bytes} bytes: nothing to show")]
    NoHeader {
        /// How many bytes there are.
        bytes: u64,
    },
    /// Something is larger than the format allows.
    #[error("{what} has {size} bytes, more than the limit of {limit}")]
    TooLarge {
        /// The element that is too large.
        what: String,
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// A value of the header is unusable.
    #[error("{element}: {field} = {value}: {reason}")]
    Header {
        /// The element, for example `body 3 "cup", visual 0`.
        element: String,
        /// Which of its fields.
        field: &'static str,
        /// The value found.
        value: String,
        /// Why it is refused.
        reason: &'static str,
    },
    /// A frame does not fit the header or the frames before it.
    #[error("frame {frame}: {field} has {found} entries, expected {expected}")]
    FrameSize {
        /// Index of the frame.
        frame: usize,
        /// Which of its lists.
        field: String,
        /// How many entries it has.
        found: usize,
        /// How many it should have.
        expected: usize,
    },
    /// A value of a frame is unusable.
    #[error("frame {frame}: {field} = {value}: {reason}")]
    FrameValue {
        /// Index of the frame.
        frame: usize,
        /// Which of its fields.
        field: String,
        /// The value found.
        value: String,
        /// Why it is refused.
        reason: &'static str,
    },
    /// The header cannot be written as JSON, or the exported JSON cannot be produced.
    #[error("JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// How data begins that is no recording, for people.
fn opening(found: &[u8]) -> String {
    match found {
        [] => "is empty".to_owned(),
        _ => format!("begins with {found:02x?}"),
    }
}

impl Error {
    /// Names the file an error of the operating system was about.
    pub(crate) fn at(self, path: &std::path::Path) -> Self {
        match self {
            Self::Stream(source) => Self::File {
                path: path.to_owned(),
                source,
            },
            other => other,
        }
    }
}
