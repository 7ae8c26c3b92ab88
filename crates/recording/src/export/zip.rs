//! As much of the ZIP format as an NPZ file needs: stored entries and a central directory.

use std::io::Write;

use flate2::Crc;

use crate::error::Error;

/// Sizes and offsets of plain ZIP are 32 bits wide.
const LIMIT: u64 = u32::MAX as u64;

/// 1 January 1980, the earliest date ZIP knows: files of equal content are equal byte for byte.
const DATE: u16 = 0x0021;

/// Writes an archive entry by entry.
pub(super) struct Archive<W: Write> {
    sink: W,
    offset: u64,
    directory: Vec<u8>,
    entries: u16,
}

impl<W: Write> Archive<W> {
    pub(super) fn new(sink: W) -> Self {
        Self {
            sink,
            offset: 0,
            directory: Vec::new(),
            entries: 0,
        }
    }

    /// Appends a file.
    pub(super) fn add(&mut self, name: &str, data: &[u8]) -> Result<(), Error> {
        let size = 30 + name.len() as u64 + data.len() as u64;
        if self.offset + size > LIMIT {
            return Err(Error::TooLarge {
                what: format!("the archive up to {name}"),
                size: self.offset + size,
                limit: LIMIT,
            });
        }
        let mut crc = Crc::new();
        crc.update(data);
        let mut common = Vec::new(); // the part that local header and directory share
        half_words(&mut common, &[20, 0x0800, 0, 0, DATE]); // version 2.0, UTF-8 names, stored
        let length = data.len() as u32;
        words(&mut common, &[crc.sum(), length, length]);
        half_words(&mut common, &[name.len() as u16, 0]);

        self.sink.write_all(b"PK\x03\x04")?;
        self.sink.write_all(&common)?;
        self.sink.write_all(name.as_bytes())?;
        self.sink.write_all(data)?;

        self.directory.extend_from_slice(b"PK\x01\x02");
        half_words(&mut self.directory, &[20]);
        self.directory.extend_from_slice(&common);
        half_words(&mut self.directory, &[0, 0, 0]);
        words(&mut self.directory, &[0, self.offset as u32]);
        self.directory.extend_from_slice(name.as_bytes());
        self.entries += 1;
        self.offset += size;
        Ok(())
    }

    /// Writes the directory.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        self.sink.write_all(&self.directory)?;
        let mut end = b"PK\x05\x06".to_vec();
        half_words(&mut end, &[0, 0, self.entries, self.entries]);
        words(&mut end, &[self.directory.len() as u32, self.offset as u32]);
        half_words(&mut end, &[0]);
        self.sink.write_all(&end)?;
        Ok(())
    }
}

fn half_words(out: &mut Vec<u8>, values: &[u16]) {
    for value in values {
        out.extend_from_slice(&value.to_le_bytes());
    }
}

fn words(out: &mut Vec<u8>, values: &[u32]) {
    for value in values {
        out.extend_from_slice(&value.to_le_bytes());
    }
}
