//! Lines of `key = value`, and the values in them.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use toml_edit::{Array, ArrayOfTables, InlineTable, Item, Table, Value};

/// What is written into a table, one line each.
pub(super) trait Lines {
    fn line(&mut self, key: &str, value: impl Into<Value>);

    fn text(&mut self, key: &str, value: &str) {
        self.line(key, value);
    }

    fn number(&mut self, key: &str, value: f64) {
        self.line(key, value);
    }

    /// A number, unless it is what is meant without it.
    fn unless(&mut self, key: &str, value: f64, default: f64) {
        if value != default {
            self.number(key, value);
        }
    }

    fn numbers<'a>(&mut self, key: &str, values: impl IntoIterator<Item = &'a f64>) {
        self.line(key, numbers(values));
    }

    fn pose(&mut self, pose: &Isometry3<f64>) {
        if pose.translation.vector != Vector3::zeros() {
            self.numbers("position", pose.translation.vector.iter());
        }
        if pose.rotation != UnitQuaternion::identity() {
            self.line("rotation", quaternion(pose.rotation.coords.as_slice()));
        }
    }
}

impl Lines for Table {
    fn line(&mut self, key: &str, value: impl Into<Value>) {
        self.insert(key, Item::Value(value.into()));
    }
}

impl Lines for InlineTable {
    fn line(&mut self, key: &str, value: impl Into<Value>) {
        self.insert(key, value.into());
    }
}

/// A table for each item, under one name; nothing where there are none.
pub(super) fn tables<T>(out: &mut Table, key: &str, items: &[T], write: impl Fn(&T) -> Table) {
    if !items.is_empty() {
        let all: ArrayOfTables = items.iter().map(write).collect();
        out.insert(key, Item::ArrayOfTables(all));
    }
}

pub(super) fn float(value: f64) -> Value {
    value.into()
}

/// TOML counts in i64; no scene has more of anything.
pub(super) fn count(value: usize) -> Value {
    i64::try_from(value).unwrap_or(i64::MAX).into()
}

pub(super) fn list(items: impl Iterator<Item = Value>) -> Value {
    Value::Array(items.collect::<Array>())
}

pub(super) fn numbers<'a>(values: impl IntoIterator<Item = &'a f64>) -> Value {
    list(values.into_iter().map(|&value| float(value)))
}

/// A table in one line.
pub(super) fn table<'a>(fields: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    Value::InlineTable(fields.into_iter().collect::<InlineTable>())
}

/// A rotation as (x, y, z, w).
pub(super) fn quaternion(q: &[f64]) -> Value {
    table([("quaternion_xyzw", numbers(q))])
}

pub(super) fn pose_value(pose: &Isometry3<f64>) -> Value {
    table([
        ("position", numbers(pose.translation.vector.iter())),
        ("rotation", quaternion(pose.rotation.coords.as_slice())),
    ])
}
