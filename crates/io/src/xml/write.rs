//! Indented XML.

use std::fmt::{Display, Write};

/// Writes elements one after another.
#[derive(Debug, Default)]
pub(crate) struct XmlWriter {
    text: String,
    /// Tags of the elements around, and whether anything is inside.
    open: Vec<(&'static str, bool)>,
    /// Elements around what is written.
    depth: usize,
}

impl XmlWriter {
    /// A section one level deep, to be put into another text; nothing if it stays empty.
    pub(crate) fn inside(tag: &'static str) -> Self {
        let mut out = Self {
            depth: 1,
            ..Self::default()
        };
        out.begin(tag);
        out
    }

    /// The text of a section made by [`inside`](Self::inside).
    pub(crate) fn finish_section(mut self) -> String {
        let is_empty = matches!(self.open[..], [(_, false)]);
        self.end();
        match is_empty {
            true => String::new(),
            false => self.finish(),
        }
    }

    /// The text so far, with elements that have not ended.
    pub(crate) fn unfinished(self) -> String {
        self.text
    }

    /// Begins an element; what follows is inside it until [`end`](Self::end).
    pub(crate) fn begin(&mut self, tag: &'static str) -> &mut Self {
        if let Some((_, filled)) = self.open.last_mut() {
            if !*filled {
                self.text.push_str(">\n");
            }
            *filled = true;
        }
        let indent = "  ".repeat(self.depth + self.open.len());
        // Writing to a string does not fail.
        let _ = write!(self.text, "{indent}<{tag}");
        self.open.push((tag, false));
        self
    }

    /// An attribute of the element begun last.
    pub(crate) fn attribute(&mut self, name: &str, value: impl Display) -> &mut Self {
        let _ = write!(self.text, " {name}=\"{}\"", escaped(&value.to_string()));
        self
    }

    /// An attribute with numbers, all digits kept.
    pub(crate) fn numbers<'a>(
        &mut self,
        name: &str,
        values: impl IntoIterator<Item = &'a f64>,
    ) -> &mut Self {
        let words: Vec<String> = values.into_iter().map(|value| number(*value)).collect();
        self.attribute(name, words.join(" "))
    }

    /// An attribute with a number, unless it is what is meant without it.
    pub(crate) fn unless(&mut self, name: &str, value: f64, default: f64) -> &mut Self {
        if value != default {
            self.numbers(name, [&value]);
        }
        self
    }

    /// Ends the element begun last that has not ended.
    pub(crate) fn end(&mut self) -> &mut Self {
        if let Some((tag, filled)) = self.open.pop() {
            let indent = "  ".repeat(self.depth + self.open.len());
            let _ = match filled {
                true => writeln!(self.text, "{indent}</{tag}>"),
                false => writeln!(self.text, "/>"),
            };
        }
        self
    }

    /// The text; all elements must have ended.
    pub(crate) fn finish(self) -> String {
        debug_assert!(self.open.is_empty());
        self.text
    }
}

/// The shortest text that reads as the same number.
pub(crate) fn number(value: f64) -> String {
    match value {
        // Negative zero says nothing.
        0.0 => "0".to_owned(),
        value if value.abs() < 1e-4 || value.abs() >= 1e15 => format!("{value:e}"),
        value => format!("{value}"),
    }
}

/// Text as it may stand in an attribute.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(out, "&#{};", u32::from(letter));
            }
            // Other control characters cannot stand in XML at all.
            control if control.is_control() => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_the_same() {
        let odd = "<a> & \"b\"\n\t'é'";
        let mut out = XmlWriter::default();
        out.begin("robot").attribute("name", odd);
        out.begin("link")
            .numbers("x", &[0.1, -0.0, 1e-300, 1.5e20, 1.0 / 3.0])
            .end();
        out.begin("empty").end();
        out.end();
        let text = out.finish();
        let root = crate::xml::parse(&text, "t").unwrap();
        assert_eq!(root.attribute("name"), Some(odd));
        assert_eq!(root.children.len(), 2);
        assert_eq!(
            root.children[0].attribute("x"),
            Some("0.1 0 1e-300 1.5e20 0.3333333333333333")
        );
    }
}
