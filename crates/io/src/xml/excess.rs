//! How deep elements are nested and how many attributes each has, found before a parser calls itself for
//! each level and compares each attribute with all others.

use crate::error::{IoError, Result};
use crate::limits::{XML_ATTRIBUTES, XML_DEPTH};
use crate::lines::Lines;

/// Refuses a text whose elements are nested deeper than [`XML_DEPTH`], or one of which has more than
/// [`XML_ATTRIBUTES`].
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
            let (close, attributes) = tag_end(bytes, found + 1);
            if attributes > XML_ATTRIBUTES {
                let problem = format!("an element has more than {XML_ATTRIBUTES} attributes");
                return Err(error(text, file, found, problem));
            }
            let is_empty = close > 0 && bytes.get(close - 1) == Some(&b'/');
            depth += usize::from(!is_empty);
            if depth > XML_DEPTH + 1 {
                let problem = format!("elements are nested more than {XML_DEPTH} levels deep");
                return Err(error(text, file, found, problem));
            }
            close
        };
    }
    Ok(())
}

fn error(text: &str, file: &str, at: usize, problem: String) -> IoError {
    let (line, column) = Lines::new(text).position(at);
    IoError::Xml {
        file: file.to_owned(),
        line,
        column,
        problem,
    }
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

/// The `>` that ends a tag, quotes considered, and how many values in quotes come before it.
fn tag_end(bytes: &[u8], from: usize) -> (usize, usize) {
    let (mut quote, mut values) = (None, 0);
    for (at, &byte) in bytes.iter().enumerate().skip(from) {
        match (quote, byte) {
            (None, b'"' | b'\'') => {
                quote = Some(byte);
                values += 1;
            }
            (Some(open), byte) if byte == open => quote = None,
            (None, b'>') => return (at, values),
            _ => {}
        }
    }
    (bytes.len(), values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_counted_for_each_element() {
        let element = |count: usize| {
            let attributes = (0..count).map(|k| format!(" a{k}='\"'"));
            format!("<b{}/>", attributes.collect::<String>())
        };
        let most = element(XML_ATTRIBUTES);
        assert!(refuse(&format!("<a>{most}{most}</a>"), "f").is_ok());
        let error = refuse(&format!("<a>\n{}</a>", element(200_000)), "f").unwrap_err();
        assert_eq!(error.position(), Some((2, 1)));
        assert!(error.to_string().contains("more than 256 attributes"));
    }

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
