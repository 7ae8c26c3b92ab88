//! Impulses of the last step, found again by the names of their constraints.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::hold::Hold;
use crate::rows::{Key, Row};

/// Impulses of the last step. Those of contacts are kept in world axes, because a contact's
/// tangents need not be the same in the next step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct WarmStart {
    /// Sorted by key.
    impulses: Vec<(Key, Stored)>,
}

/// What is known of a constraint from the last step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Stored {
    impulse: Vector3<f64>,
    is_settled: bool,
    hold: Hold,
}

/// What a constraint is expected to do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Guess {
    /// In the rows of the constraint, N·s.
    pub(crate) impulse: [f64; 3],
    /// Whether the guess of the last step was good: if not, the impulse may be one that stopped a
    /// motion and is too large for what is now at rest.
    pub(crate) is_settled: bool,
    /// Whether it was only held, and for how long still.
    pub(crate) hold: Hold,
}

impl Guess {
    /// What is said of a constraint that is new.
    pub(crate) const NONE: Self = Self {
        impulse: [0.0; 3],
        is_settled: true,
        hold: Hold::NONE,
    };
}

impl WarmStart {
    /// Keeps the impulses of the rows for the next step; a row that is not found again has none.
    pub(crate) fn store(&mut self, rows: &[Row]) {
        self.impulses.clear();
        let known = |row: &&Row| row.impulse != [0.0; 3] || row.hold != Hold::NONE;
        self.impulses.extend(rows.iter().filter(known).map(|row| {
            let [a, b, c] = row.impulse;
            let impulse = match row.key {
                Key::Contact(_) => row.frame[0] * a + row.frame[1] * b + row.frame[2] * c,
                _ => Vector3::new(a, b, c),
            };
            let stored = Stored {
                impulse,
                is_settled: row.is_settled,
                hold: row.hold,
            };
            (row.key, stored)
        }));
        self.impulses.sort_unstable_by_key(|&(key, _)| key);
    }

    /// The guess for a row; zero for one that is new.
    pub(crate) fn guess(&self, row: &Row) -> Guess {
        let found = self
            .impulses
            .binary_search_by_key(&row.key, |&(key, _)| key);
        let Ok(at) = found else {
            return Guess::NONE;
        };
        let stored = &self.impulses[at].1;
        Guess {
            impulse: match row.key {
                Key::Contact(_) => row.frame.map(|direction| direction.dot(&stored.impulse)),
                _ => stored.impulse.into(),
            },
            is_settled: stored.is_settled,
            hold: stored.hold,
        }
    }
}
