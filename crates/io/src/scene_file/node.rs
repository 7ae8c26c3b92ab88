//! Values of a scene file with their place: every reading either gives a checked value or an error
//! that says where, what and what to do.

use nalgebra::Vector3;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::source::Source;
use super::suggest;
use super::units::Dimension;
use crate::error::{IoError, Result};

/// Larger numbers are mistakes: they would only overflow later.
const LARGEST: f64 = 1e15;
/// Largest coordinate of a position, m: beyond it a metre has few digits left.
const FARTHEST: f64 = 1e7;

/// A value, its key and its place.
#[derive(Clone)]
pub(super) struct Node<'a> {
    source: &'a Source<'a>,
    /// Path of keys, such as `bodies[2].shapes[0].radius`.
    pub(super) key: String,
    offset: usize,
    value: &'a DeValue<'a>,
}

/// A table whose keys were found to be known.
pub(super) struct Table<'a> {
    pub(super) node: Node<'a>,
    map: &'a DeTable<'a>,
    keys: &'static [&'static str],
}

impl<'a> Node<'a> {
    /// The whole file.
    pub(super) fn root(
        source: &'a Source<'a>,
        map: &'a DeTable<'a>,
        keys: &'static [&'static str],
    ) -> Result<Table<'a>> {
        // The value of the root is never read: it is a table already.
        const NOTHING: &DeValue<'static> = &DeValue::Boolean(true);
        let node = Node {
            source,
            key: String::new(),
            offset: 0,
            value: NOTHING,
        };
        Table { node, map, keys }.checked()
    }

    /// An error about this value.
    pub(super) fn fail(&self, problem: impl Into<String>, advice: impl Into<String>) -> IoError {
        self.source.error(self.offset, &self.key, problem, advice)
    }

    fn wrong_type(&self, advice: impl Into<String>) -> IoError {
        self.fail(format!("is {}", describe(self.value)), advice)
    }

    /// A finite quantity in SI units.
    pub(super) fn number(&self, dimension: Dimension) -> Result<f64> {
        let value = match self.value {
            DeValue::Float(float) => float.as_str().parse().ok(),
            DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
                .ok()
                .map(|integer| integer as f64),
            DeValue::String(text) => Some(
                dimension
                    .parse(text)
                    .map_err(|error| self.fail(error.0, dimension.advice()))?,
            ),
            _ => return Err(self.wrong_type(dimension.advice())),
        };
        match value {
            Some(value) if value.abs() <= LARGEST => Ok(value),
            _ => Err(self.fail(
                format!("is not a finite number between -{LARGEST:e} and {LARGEST:e}"),
                dimension.advice(),
            )),
        }
    }

    /// A quantity above zero.
    pub(super) fn positive(&self, dimension: Dimension) -> Result<f64> {
        self.ranged(dimension, |value| value > 0.0, "must be positive")
    }

    /// A quantity that is zero or above.
    pub(super) fn not_negative(&self, dimension: Dimension) -> Result<f64> {
        self.ranged(dimension, |value| value >= 0.0, "must not be negative")
    }

    /// A quantity in a range.
    pub(super) fn ranged(
        &self,
        dimension: Dimension,
        good: impl Fn(f64) -> bool,
        rule: &str,
    ) -> Result<f64> {
        let value = self.number(dimension)?;
        if good(value) {
            return Ok(value);
        }
        let unit = if dimension.unit.is_empty() { "" } else { " " };
        Err(self.fail(
            format!("{rule}, is {value}{unit}{}", dimension.unit),
            dimension.advice(),
        ))
    }

    /// A whole number of at most `most`.
    pub(super) fn count(&self, most: usize) -> Result<usize> {
        let advice = format!("give a whole number from 0 to {most}");
        let DeValue::Integer(integer) = self.value else {
            return Err(self.wrong_type(advice));
        };
        u64::from_str_radix(integer.as_str(), integer.radix())
            .ok()
            .and_then(|value| usize::try_from(value).ok())
            .filter(|&value| value <= most)
            .ok_or_else(|| self.fail(format!("is {integer}"), advice))
    }

    pub(super) fn flag(&self) -> Result<bool> {
        match self.value {
            DeValue::Boolean(flag) => Ok(*flag),
            _ => Err(self.wrong_type("give true or false")),
        }
    }

    pub(super) fn text(&self) -> Result<&'a str> {
        match self.value {
            DeValue::String(text) => Ok(text),
            _ => Err(self.wrong_type("give text in quotes")),
        }
    }

    /// A name: not empty, at most 200 letters, none of them a control character.
    pub(super) fn name(&self) -> Result<String> {
        let text = self.text()?;
        let fits = !text.trim().is_empty() && text.chars().count() <= 200;
        if fits && !text.chars().any(char::is_control) {
            return Ok(text.to_owned());
        }
        Err(self.fail(
            "is no name",
            "give 1 to 200 letters without line breaks or other control characters",
        ))
    }

    /// One of several words.
    pub(super) fn one_of(&self, words: &[&'static str]) -> Result<&'static str> {
        let text = self.text()?;
        words
            .iter()
            .copied()
            .find(|&word| word == text)
            .ok_or_else(|| {
                self.fail(
                    format!("there is no \"{text}\" here"),
                    suggest::advice("words", text, words.iter().copied()),
                )
            })
    }

    pub(super) fn is_text(&self) -> bool {
        matches!(self.value, DeValue::String(_))
    }

    pub(super) fn is_table(&self) -> bool {
        matches!(self.value, DeValue::Table(_))
    }

    pub(super) fn is_list(&self) -> bool {
        matches!(self.value, DeValue::Array(_))
    }

    /// The elements of a list.
    pub(super) fn items(&self) -> Result<Vec<Node<'a>>> {
        let DeValue::Array(array) = self.value else {
            return Err(self.wrong_type("give a list in [ ]"));
        };
        let item = |(index, value): (usize, &'a Spanned<DeValue<'a>>)| Node {
            source: self.source,
            key: format!("{}[{index}]", self.key),
            offset: value.span().start,
            value: value.get_ref(),
        };
        Ok(array.iter().enumerate().map(item).collect())
    }

    /// Elements of a list of a given length.
    pub(super) fn items_exactly<const N: usize>(&self, what: &str) -> Result<[Node<'a>; N]> {
        let items = self.items()?;
        let found = items.len();
        items.try_into().map_err(|_| {
            self.fail(
                format!("has {found} entries, not {N}"),
                format!("give {what}"),
            )
        })
    }

    /// Several quantities of one dimension.
    pub(super) fn numbers<const N: usize>(&self, dimension: Dimension) -> Result<[f64; N]> {
        let items = self.items_exactly::<N>(&format!("{N} numbers in [ ]"))?;
        let mut out = [0.0; N];
        for (out, item) in out.iter_mut().zip(&items) {
            *out = item.number(dimension)?;
        }
        Ok(out)
    }

    /// A vector.
    pub(super) fn vector(&self, dimension: Dimension) -> Result<Vector3<f64>> {
        Ok(Vector3::from(self.numbers::<3>(dimension)?))
    }

    /// A position, m.
    pub(super) fn position(&self) -> Result<Vector3<f64>> {
        let position = self.vector(super::units::LENGTH)?;
        if position.amax() <= FARTHEST {
            return Ok(position);
        }
        Err(self.fail(
            format!("is more than {FARTHEST:e} m from the origin"),
            "move the scene towards the origin",
        ))
    }

    /// A direction: a vector whose length does not matter, unless it is zero.
    pub(super) fn direction(&self) -> Result<Vector3<f64>> {
        let vector = self.vector(super::units::PLAIN)?;
        if vector.norm() > 1e-12 {
            return Ok(vector);
        }
        Err(self.fail("has no length", "give a direction such as [0, 0, 1]"))
    }

    /// A table that may have `keys` and no others.
    pub(super) fn table(&self, keys: &'static [&'static str]) -> Result<Table<'a>> {
        self.any_table(keys)?.checked()
    }

    /// A table whose key `kind` says which keys it may have: the kind and the table.
    pub(super) fn table_by_kind(
        &self,
        kinds: &[(&'static str, &'static [&'static str])],
    ) -> Result<(&'static str, Table<'a>)> {
        let table = self.any_table(&["kind"])?;
        let words: Vec<&'static str> = kinds.iter().map(|&(word, _)| word).collect();
        let word = table.need("kind")?.one_of(&words)?;
        let keys = kinds.iter().find(|&&(known, _)| known == word);
        let table = Table {
            keys: keys.map_or(&[], |&(_, keys)| keys),
            ..table
        };
        Ok((word, table.checked()?))
    }

    /// A table with any keys.
    pub(super) fn any_table(&self, keys: &'static [&'static str]) -> Result<Table<'a>> {
        let DeValue::Table(map) = self.value else {
            let example = format!("give a table with keys such as {}", keys.join(", "));
            return Err(self.wrong_type(example));
        };
        self.source.visit(&self.key, self.offset);
        Ok(Table {
            node: self.clone(),
            map,
            keys,
        })
    }
}

impl<'a> Table<'a> {
    /// Refuses the first key that is not known.
    fn checked(self) -> Result<Self> {
        let unknown = self
            .map
            .iter()
            .filter(|(key, _)| !self.keys.contains(&key.get_ref().as_ref()))
            .min_by_key(|(key, _)| key.span().start);
        match unknown {
            None => Ok(self),
            Some((key, _)) => {
                let word = key.get_ref().as_ref();
                Err(self.node.source.error(
                    key.span().start,
                    &self.path(word),
                    "is not a key known here",
                    suggest::advice("keys", word, self.keys.iter().copied()),
                ))
            }
        }
    }

    pub(super) fn path(&self, key: &str) -> String {
        match self.node.key.as_str() {
            "" => key.to_owned(),
            path => format!("{path}.{key}"),
        }
    }

    /// The value of a key, if it is there.
    pub(super) fn get(&self, key: &'static str) -> Option<Node<'a>> {
        debug_assert!(
            self.keys.contains(&key),
            "{key} is not among the allowed keys"
        );
        let value = self.map.get(key)?;
        let node = Node {
            source: self.node.source,
            key: self.path(key),
            offset: value.span().start,
            value: value.get_ref(),
        };
        self.node.source.visit(&node.key, node.offset);
        Some(node)
    }

    /// The value of a key that must be there.
    pub(super) fn need(&self, key: &'static str) -> Result<Node<'a>> {
        self.get(key).ok_or_else(|| {
            let path = self.path(key);
            let offset = self.node.offset;
            let advice = format!("add {key} = … to the table that begins here");
            self.node.source.error(offset, &path, "is missing", advice)
        })
    }

    /// Reads a key if it is there.
    pub(super) fn read<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(Node<'a>) -> Result<T>,
    ) -> Result<Option<T>> {
        self.get(key).map(read).transpose()
    }

    /// The tables of an array of tables; none if it is not there.
    pub(super) fn list(&self, key: &'static str) -> Result<Vec<Node<'a>>> {
        let items = self.read(key, |node| node.items())?.unwrap_or_default();
        for item in &items {
            self.node.source.visit(&item.key, item.offset);
        }
        Ok(items)
    }

    /// All entries of a table whose keys are names.
    pub(super) fn entries(&self) -> Vec<(String, Node<'a>)> {
        let mut entries: Vec<_> = self
            .map
            .iter()
            .map(|(key, value)| {
                let node = Node {
                    source: self.node.source,
                    key: self.path(key.get_ref()),
                    offset: value.span().start,
                    value: value.get_ref(),
                };
                (key.get_ref().to_string(), node)
            })
            .collect();
        entries.sort_by_key(|(_, node)| node.offset);
        entries
    }
}

/// What a value is, in words.
fn describe(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) if text.chars().count() <= 40 => format!("the text {text:?}"),
        DeValue::String(_) => "text".to_owned(),
        DeValue::Integer(integer) => format!("the number {integer}"),
        DeValue::Float(float) => format!("the number {float}"),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}
