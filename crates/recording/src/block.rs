//! The container: a magic number, a version, then length-prefixed, checksummed, compressed blocks.
//!
//! ```text
//! file  = "STICTREC" version:u32 block*
//! block = kind:[u8;4] stored_length:u32 raw_length:u32 crc32:u32 payload:[u8; stored_length]
//! ```
//! All numbers are little-endian. The checksum covers kind, both lengths and the payload, so a
//! flipped bit anywhere in a block is noticed.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::Crc;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

use crate::error::Error;

/// First bytes of every recording.
pub(crate) const MAGIC: [u8; 8] = *b"STICTREC";

/// Bytes of a block before its payload.
pub(crate) const PREFIX: usize = 16;

/// Payload of [`Kind::End`]: the number of frames as `u64`.
pub(crate) const END_PAYLOAD: usize = 8;

/// What a block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The header as JSON, compressed.
    Header,
    /// A frame, compressed.
    Frame,
    /// The number of frames, uncompressed; the run ended as planned.
    End,
}

impl Kind {
    fn tag(self) -> [u8; 4] {
        match self {
            Self::Header => *b"HEAD",
            Self::Frame => *b"FRAM",
            Self::End => *b"DONE",
        }
    }

    fn from_tag(tag: [u8; 4]) -> Option<Self> {
        [Self::Header, Self::Frame, Self::End]
            .into_iter()
            .find(|kind| kind.tag() == tag)
    }

    /// The largest uncompressed payload, bytes.
    pub(crate) fn limit(self) -> usize {
        match self {
            Self::Header => 1 << 28, // 256 MiB: room for millions of triangles
            Self::Frame => 1 << 26,  // 64 MiB: half a million bodies
            Self::End => END_PAYLOAD,
        }
    }

    fn compressed(self) -> bool {
        self != Self::End
    }
}

/// What reading one block gave.
pub(crate) enum Outcome {
    /// A whole block, uncompressed.
    Block(Kind, Vec<u8>),
    /// The data ends exactly before a block.
    AtEnd,
    /// The data ends inside a block.
    Cut,
    /// The block is whole but wrong.
    Bad(String),
}

/// Makes a whole block in `out` (cleared first), so that one `write_all` sends all of it.
pub(crate) fn encode(kind: Kind, raw: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    if raw.len() > kind.limit() {
        return Err(Error::TooLarge {
            what: format!("{kind:?} block"),
            size: raw.len() as u64,
            limit: kind.limit() as u64,
        });
    }
    out.clear();
    out.extend_from_slice(&[0; PREFIX]);
    if kind.compressed() {
        let mut encoder = DeflateEncoder::new(&mut *out, Compression::fast());
        encoder.write_all(raw)?;
        encoder.finish()?;
    } else {
        out.extend_from_slice(raw);
    }
    let stored = (out.len() - PREFIX) as u32; // limits keep both lengths far below 2³²
    out[0..4].copy_from_slice(&kind.tag());
    out[4..8].copy_from_slice(&stored.to_le_bytes());
    out[8..12].copy_from_slice(&(raw.len() as u32).to_le_bytes());
    let checksum = checksum(&out[..12], &out[PREFIX..]);
    out[12..16].copy_from_slice(&checksum.to_le_bytes());
    Ok(())
}

/// Reads one block. Memory stays below the size of the data that is really there plus the limit
/// of the block's kind, whatever the lengths in the prefix claim.
pub(crate) fn decode(source: &mut impl Read) -> Result<Outcome, Error> {
    let mut prefix = [0; PREFIX];
    match read_up_to(source, &mut prefix)? {
        0 => return Ok(Outcome::AtEnd),
        PREFIX => {}
        _ => return Ok(Outcome::Cut),
    }
    let tag = [prefix[0], prefix[1], prefix[2], prefix[3]];
    let Some(kind) = Kind::from_tag(tag) else {
        return Ok(Outcome::Bad(format!("unknown block kind {tag:02x?}")));
    };
    let word = |at: usize| {
        u32::from_le_bytes([prefix[at], prefix[at + 1], prefix[at + 2], prefix[at + 3]])
    };
    let (stored, raw, expected) = (word(4) as usize, word(8) as usize, word(12));
    // Deflate of incompressible data adds a few bytes per 16 KiB, far less than 1 in 64.
    if raw > kind.limit() || stored > kind.limit() + kind.limit() / 64 + 64 {
        return Ok(Outcome::Bad(format!(
            "{kind:?} block claims {stored} bytes stored and {raw} bytes uncompressed, \
             more than the limit of {}",
            kind.limit()
        )));
    }
    let mut payload = Vec::new();
    source.take(stored as u64).read_to_end(&mut payload)?;
    if payload.len() < stored {
        return Ok(Outcome::Cut);
    }
    if checksum(&prefix[..12], &payload) != expected {
        return Ok(Outcome::Bad(format!("{kind:?} block fails its checksum")));
    }
    if !kind.compressed() {
        return Ok(Outcome::Block(kind, payload));
    }
    let mut bytes = Vec::new();
    let inflated = DeflateDecoder::new(payload.as_slice())
        .take(raw as u64 + 1)
        .read_to_end(&mut bytes);
    match inflated {
        Ok(length) if length == raw => Ok(Outcome::Block(kind, bytes)),
        Ok(_) => Ok(Outcome::Bad(format!(
            "{kind:?} block does not inflate to the {raw} bytes it claims"
        ))),
        Err(error) => Ok(Outcome::Bad(format!("{kind:?} block: {error}"))),
    }
}

fn checksum(prefix: &[u8], payload: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(prefix);
    crc.update(payload);
    crc.sum()
}

/// Fills as much of `buffer` as there is data for; returns how many bytes that was.
pub(crate) fn read_up_to(source: &mut impl Read, buffer: &mut [u8]) -> Result<usize, Error> {
    let mut filled = 0;
    while filled < buffer.len() {
        match source.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(filled)
}
