//! Numbers one after another, as words of text or as bytes.

use crate::error::{IoError, Result};
use crate::mesh::refuse;

/// Reads lines, and numbers that are written as text or as little-endian bytes.
pub(super) struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    is_binary: bool,
    file: &'a str,
}

impl<'a> Words<'a> {
    pub(super) fn new(bytes: &'a [u8], file: &'a str) -> Self {
        Self {
            bytes,
            at: 0,
            line: 1,
            is_binary: false,
            file,
        }
    }

    /// From here on numbers are bytes; lines stay lines.
    pub(super) fn become_binary(&mut self) {
        self.is_binary = true;
    }

    pub(super) fn is_binary(&self) -> bool {
        self.is_binary
    }

    /// An error here: at this line, or at this byte of a binary file.
    pub(super) fn wrong(&self, problem: impl std::fmt::Display) -> IoError {
        match self.is_binary {
            true => refuse(self.file, self.line, format!("byte {}: {problem}", self.at)),
            false => refuse(self.file, self.line, problem.to_string()),
        }
    }

    /// The line of the next word.
    pub(super) fn line(&mut self) -> usize {
        if !self.is_binary {
            self.skip_space();
        }
        self.line
    }

    fn skip_space(&mut self) {
        while let Some(byte) = self
            .bytes
            .get(self.at)
            .filter(|byte| byte.is_ascii_whitespace())
        {
            self.line += usize::from(*byte == b'\n');
            self.at += 1;
        }
    }

    /// The next word of text, if there is one.
    pub(super) fn word(&mut self) -> Option<&'a str> {
        self.skip_space();
        let rest = &self.bytes[self.at..];
        let end = rest
            .iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(rest.len());
        self.at += end;
        match end {
            0 => None,
            // What is not text is no number and no section either.
            _ => Some(std::str::from_utf8(&rest[..end]).unwrap_or("\u{fffd}")),
        }
    }

    /// The rest of this line, as text.
    pub(super) fn rest_of_line(&mut self) -> String {
        let rest = &self.bytes[self.at..];
        let end = rest
            .iter()
            .position(|&byte| byte == b'\n')
            .unwrap_or(rest.len());
        self.at += end;
        String::from_utf8_lossy(&rest[..end]).trim().to_owned()
    }

    /// Steps over the end of this line, before bytes.
    pub(super) fn end_line(&mut self) {
        let rest = &self.bytes[self.at..];
        if let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            self.at += end + 1;
            self.line += 1;
        }
    }

    /// Goes to behind this text; whether there is any.
    pub(super) fn skip_past(&mut self, text: &str) -> bool {
        let text = text.as_bytes();
        let rest = &self.bytes[self.at..];
        let found = rest.windows(text.len()).position(|window| window == text);
        let end = found.map_or(rest.len(), |place| place + text.len());
        self.line += rest[..end].iter().filter(|&&byte| byte == b'\n').count();
        self.at += end;
        found.is_some()
    }

    fn text_number<T: std::str::FromStr>(&mut self, what: &str) -> Result<T> {
        let Some(word) = self.word() else {
            return Err(self.wrong(format!("the file ends before {what}")));
        };
        word.parse()
            .map_err(|_| self.wrong(format!("\"{word}\" is not {what}")))
    }

    fn raw<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        let Some(raw) = self.bytes[self.at..].first_chunk::<N>() else {
            return Err(self.wrong(format!("the file ends before {what}")));
        };
        self.at += N;
        Ok(*raw)
    }

    /// A count of things, each of which takes at least a byte, written as text even in binary files.
    pub(super) fn text_count(&mut self, what: &str) -> Result<usize> {
        let count = self.text_number(what)?;
        self.bounded(count, what)
    }

    /// A whole number of any sign; four bytes.
    pub(super) fn int(&mut self, what: &str) -> Result<i64> {
        match self.is_binary {
            true => Ok(i64::from(i32::from_le_bytes(self.raw(what)?))),
            false => self.text_number(what),
        }
    }

    /// A number of the kind that the file calls size; eight bytes.
    pub(super) fn size(&mut self, what: &str) -> Result<u64> {
        match self.is_binary {
            true => Ok(u64::from_le_bytes(self.raw(what)?)),
            false => self.text_number(what),
        }
    }

    /// A count of things, each of which takes at least a byte.
    pub(super) fn count(&mut self, what: &str) -> Result<usize> {
        let count = self.size(what)?;
        self.bounded(count, what)
    }

    fn bounded(&self, count: u64, what: &str) -> Result<usize> {
        let rest = self.bytes.len() - self.at;
        match usize::try_from(count) {
            Ok(count) if count <= rest => Ok(count),
            _ => Err(self.wrong(format!("{what} is {count}, more than the file holds"))),
        }
    }

    /// A finite number; eight bytes.
    pub(super) fn float(&mut self, what: &str) -> Result<f64> {
        let value = match self.is_binary {
            true => f64::from_le_bytes(self.raw(what)?),
            false => self.text_number(what)?,
        };
        match value.is_finite() {
            true => Ok(value),
            false => Err(self.wrong(format!("{what} is {value}, which is not finite"))),
        }
    }
}
