//! Friction of a compliant contact in a file: one number, or one for each of the two directions.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Deserialize)]
#[serde(untagged)]
enum Friction {
    Isotropic(f64),
    TwoAxis([f64; 2]),
}

pub(super) fn serialize<S: Serializer>(
    friction: &[f64; 2],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    if friction[0] == friction[1] {
        serializer.serialize_f64(friction[0])
    } else {
        friction.serialize(serializer)
    }
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<[f64; 2], D::Error> {
    Ok(match Friction::deserialize(deserializer)? {
        Friction::Isotropic(friction) => [friction; 2],
        Friction::TwoAxis(friction) => friction,
    })
}
