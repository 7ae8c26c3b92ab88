//! A limit in a file: a number, or `"inf"` and `"-inf"`, which JSON has no numbers for.

use serde::{Deserialize, Deserializer, Serializer};

#[derive(Deserialize)]
#[serde(untagged)]
enum Bound {
    Number(f64),
    Word(String),
}

pub(super) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.is_finite() {
        serializer.serialize_f64(*value)
    } else if *value > 0.0 {
        serializer.serialize_str("inf")
    } else {
        serializer.serialize_str("-inf")
    }
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    match Bound::deserialize(deserializer)? {
        Bound::Number(value) => Ok(value),
        Bound::Word(word) if word == "inf" => Ok(f64::INFINITY),
        Bound::Word(word) if word == "-inf" => Ok(f64::NEG_INFINITY),
        Bound::Word(word) => Err(serde::de::Error::custom(format!(
            "\"{word}\" is no limit: a number, \"inf\" or \"-inf\" is"
        ))),
    }
}
