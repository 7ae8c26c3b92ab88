//! The text of a scene file, and the way from a key to its line.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::error::IoError;
use crate::lines::Lines;

/// Where the keys of a scene stand.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Places {
    by_key: HashMap<String, Place>,
}

/// Where something stands in a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    /// Line, from 1.
    pub(crate) line: usize,
    /// Column in characters, from 1.
    pub(crate) column: usize,
    /// File and element (such as `joint "elbow"`) where it comes from another format than a scene
    /// file.
    pub(crate) element: Option<(String, String)>,
}

impl Places {
    /// Remembers where a key is.
    pub(crate) fn insert(&mut self, key: String, place: Place) {
        self.by_key.insert(key, place);
    }

    /// The place of a key, or of the closest table around it.
    pub(crate) fn find(&self, key: &str) -> Place {
        let mut key = key;
        loop {
            if let Some(place) = self.by_key.get(key) {
                return place.clone();
            }
            match key.rfind(['.', '[']) {
                Some(end) => key = &key[..end],
                None => {
                    return Place {
                        line: 1,
                        column: 1,
                        element: None,
                    };
                }
            }
        }
    }
}

/// A text with the places that were visited in it.
pub(super) struct Source<'a> {
    pub(super) file: &'a str,
    lines: Lines<'a>,
    visited: RefCell<HashMap<String, usize>>,
}

impl<'a> Source<'a> {
    pub(super) fn new(file: &'a str, text: &'a str) -> Self {
        Self {
            file,
            lines: Lines::new(text),
            visited: RefCell::default(),
        }
    }

    /// Line and column of a byte, both from 1.
    pub(super) fn position(&self, offset: usize) -> (usize, usize) {
        self.lines.position(offset)
    }

    /// Remembers where a key is.
    pub(super) fn visit(&self, key: &str, offset: usize) {
        self.visited.borrow_mut().insert(key.to_owned(), offset);
    }

    /// Where all visited keys are.
    pub(super) fn places(&self) -> Places {
        let visited = self.visited.borrow();
        Places {
            by_key: visited
                .iter()
                .map(|(key, &offset)| {
                    let (line, column) = self.position(offset);
                    let place = Place {
                        line,
                        column,
                        element: None,
                    };
                    (key.clone(), place)
                })
                .collect(),
        }
    }

    /// An error at a byte.
    pub(super) fn error(
        &self,
        offset: usize,
        key: &str,
        problem: impl Into<String>,
        advice: impl Into<String>,
    ) -> IoError {
        let (line, column) = self.position(offset);
        IoError::Scene {
            file: self.file.to_owned(),
            line,
            column,
            key: key.to_owned(),
            problem: problem.into(),
            advice: advice.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_a_missing_key_is_where_its_table_is() {
        let source = Source::new("f", "µ = 1\n\nx = 2");
        assert_eq!(source.position(0), (1, 1));
        assert_eq!(source.position(5), (1, 5));
        assert_eq!(source.position(8), (3, 1));
        assert_eq!(source.position(999), (3, 6));
        source.visit("a[1]", 8);
        let places = source.places();
        assert_eq!(places.find("a[1].b[2].c").line, 3);
        assert_eq!(places.find("other").line, 1);
    }
}
