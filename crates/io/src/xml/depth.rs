//! How deep elements are nested, found before a parser calls itself for each level.

use crate::error::{IoError, Result};
use crate::limits::XML_DEPTH;
use crate::lines::Lines;

/// Refuses a text whose elements are nested deeper than [`XML_DEPTH`].
///
/// What is no XML is left to the parser, which says better what is wrong with it.
pub(super) fn refuse(text: &str, file: &str) -> Result<()> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(found) = find(bytes, at, b"<") {
        let rest = &bytes[found..];
        at = if rest.starts_with(b"<!--") {
            end(bytes, found + 4, b"-->")
        } else if rest.starts_with(b"<![CDATA[") {
            end(bytes, found, b"]]>")
        } else if rest.starts_with(b"<?") {
            end(bytes, found, b"?>")
        } else if rest.starts_with(b"<!") {
            found + 2
        } else if rest.starts_with(b"</") {
            depth = depth.saturating_sub(1);
            found + 2
        } else {
            let close = tag_end(bytes, found + 1);
            let is_empty = close > 0 && bytes.get(close - 1) == Some(&b'/');
            depth += usize::from(!is_empty);
            if depth > XML_DEPTH + 1 {
                let (line, column) = Lines::new(text).position(found);
                return Err(IoError::Xml {
                    file: file.to_owned(),
                    line,
                    column,
                    problem: format!("elements are nested more than {XML_DEPTH} levels deep"),
                });
            }
            close
        };
    }
    Ok(())
}

/// Where some bytes are next, from a place on.
fn find(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let first = what.first()?;
    let mut start = 0;
    while let Some(at) = rest[start..].iter().position(|byte| byte == first) {
        if rest[start + at..].starts_with(what) {
            return Some(from + start + at);
        }
        start += at + 1;
    }
    None
}

/// Behind the next occurrence of some bytes, or behind everything.
fn end(bytes: &[u8], from: usize, what: &[u8]) -> usize {
    find(bytes, from, what).map_or(bytes.len(), |at| at + what.len())
}

/// The `>` that ends a tag, quotes considered.
fn tag_end(bytes: &[u8], from: usize) -> usize {
    let mut quote = None;
    for (at, &byte) in bytes.iter().enumerate().skip(from) {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if byte == open => quote = None,
            (None, b'>') => return at,
            _ => {}
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_open_counts() {
        let flat =
            "<a>".to_owned() + &"<b x='>' y=\"/\"/><!-- <c> --><d></d>".repeat(5000) + "</a>";
        assert!(refuse(&flat, "f").is_ok());
        let cdata = "<a>".to_owned() + "<![CDATA[" + &"<b>".repeat(5000) + "]]></a>";
        assert!(refuse(&cdata, "f").is_ok());
        let deep = |levels: usize| "<a>\n".repeat(levels) + &"</a>".repeat(levels);
        assert!(refuse(&deep(XML_DEPTH + 1), "f").is_ok());
        let error = refuse(&deep(16_000), "f").unwrap_err();
        assert_eq!(error.position().map(|at| at.0), Some(XML_DEPTH + 2));
        // What never ends is left to the parser.
        for text in ["<", "<a", "<!--", "<![CDATA[", "<?", "</", "<a b='"] {
            assert!(refuse(text, "f").is_ok(), "{text}");
        }
    }
}
