//! Limits in files: a number, or null for none, since JSON has no infinity.

/// Writes a module for serde's `with` that reads null as the given infinity.
macro_rules! limit_format {
    ($name:ident, $none:expr) => {
        pub(super) mod $name {
            use serde::{Deserialize, Deserializer, Serialize, Serializer};

            pub(in crate::model) fn serialize<S: Serializer>(
                limit: &f64,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                Some(*limit).filter(|&x| x != $none).serialize(serializer)
            }

            pub(in crate::model) fn deserialize<'de, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<f64, D::Error> {
                Ok(Option::<f64>::deserialize(deserializer)?.unwrap_or($none))
            }
        }
    };
}

limit_format!(lower, f64::NEG_INFINITY);
limit_format!(upper, f64::INFINITY);
