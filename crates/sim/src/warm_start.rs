//! Impulses of the last step, found again by the names of their constraints.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::rows::{Key, Row};

/// Impulses of the last step. Those of contacts are kept in world axes, because a contact's
/// tangents need not be the same in the next step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct WarmStart {
    /// Sorted by key.
    impulses: Vec<(Key, Vector3<f64>)>,
}

impl WarmStart {
    /// Keeps the impulses of the rows for the next step; a row that is not found again has none.
    pub(crate) fn store(&mut self, rows: &[Row]) {
        self.impulses.clear();
        let acting = rows.iter().filter(|row| row.impulse != [0.0; 3]);
        self.impulses.extend(acting.map(|row| {
            let [a, b, c] = row.impulse;
            let impulse = match row.key {
                Key::Contact(_) => row.frame[0] * a + row.frame[1] * b + row.frame[2] * c,
                _ => Vector3::new(a, b, c),
            };
            (row.key, impulse)
        }));
        self.impulses.sort_unstable_by_key(|&(key, _)| key);
    }

    /// The guess for a row; zero for one that is new.
    pub(crate) fn guess(&self, row: &Row) -> [f64; 3] {
        let found = self
            .impulses
            .binary_search_by_key(&row.key, |&(key, _)| key);
        let Ok(at) = found else {
            return [0.0; 3];
        };
        let impulse = self.impulses[at].1;
        match row.key {
            Key::Contact(_) => row.frame.map(|direction| direction.dot(&impulse)),
            _ => impulse.into(),
        }
    }
}
