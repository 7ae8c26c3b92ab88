//! Impulses of the last step, found again by the names of their constraints.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use stiction_constraints::MAX_ROWS;

use crate::assembly::{RowNote, RowResult};
use crate::push_delay::PushDelay;
use crate::rows::{RowKey, RowList};

/// Impulses of the last step. Those of contacts are kept in world axes, because a contact's
/// tangents need not be the same in the next step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WarmStart {
    /// Sorted by key.
    impulses: Vec<(RowKey, Stored)>,
}

/// What is known of a constraint from the last step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Stored {
    impulse: [f64; MAX_ROWS],
    is_settled: bool,
    delay: PushDelay,
}

/// What a constraint is expected to do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Guess {
    /// In the rows of the constraint, N·s.
    pub(crate) impulse: [f64; MAX_ROWS],
    /// Whether the guess of the last step was good: if not, the impulse may be one that stopped a
    /// motion and is too large for what is now at rest.
    pub(crate) is_settled: bool,
    /// Whether it was only held, and for how long still.
    pub(crate) delay: PushDelay,
}

impl Guess {
    /// What is said of a constraint that is new.
    pub(crate) const NONE: Self = Self {
        impulse: [0.0; MAX_ROWS],
        is_settled: true,
        delay: PushDelay::NONE,
    };
}

impl WarmStart {
    /// Keeps the impulses of the constraints for the next step; one that is not found again has none.
    pub fn store(&mut self, rows: &RowList, results: &[RowResult]) {
        self.impulses.clear();
        for (head, result) in rows.heads().iter().zip(results) {
            if result.impulse == [0.0; MAX_ROWS] && result.delay == PushDelay::NONE {
                continue;
            }
            let stored = Stored {
                impulse: to_world(&result.note, result.impulse),
                is_settled: result.is_settled,
                delay: result.delay,
            };
            self.impulses.push((head.key, stored));
        }
        self.impulses.sort_unstable_by_key(|&(key, _)| key);
    }

    /// Multiplies all impulses: forces that go on act over a step of another length.
    pub fn scale(&mut self, factor: f64) {
        for (_, stored) in &mut self.impulses {
            stored.impulse.iter_mut().for_each(|part| *part *= factor);
        }
    }

    /// Whether all that is remembered is finite.
    pub fn is_finite(&self) -> bool {
        let stored = self.impulses.iter();
        stored
            .flat_map(|(_, stored)| &stored.impulse)
            .all(|value| value.is_finite())
    }

    /// The guess for a constraint; zero for one that is new.
    pub(crate) fn guess(&self, key: RowKey, note: &RowNote) -> Guess {
        let found = self.impulses.binary_search_by_key(&key, |&(key, _)| key);
        let Ok(at) = found else {
            return Guess::NONE;
        };
        let stored = &self.impulses[at].1;
        Guess {
            impulse: to_rows(note, stored.impulse),
            is_settled: stored.is_settled,
            delay: stored.delay,
        }
    }
}

/// The three rows of force of a contact in world axes; rows behind them stay as they are.
pub(crate) fn to_world(note: &RowNote, mut impulse: [f64; MAX_ROWS]) -> [f64; MAX_ROWS] {
    if note.turns {
        let [t1, t2, n] = note.frame;
        let world = t1 * impulse[0] + t2 * impulse[1] + n * impulse[2];
        impulse[..3].copy_from_slice(world.as_slice());
    }
    impulse
}

pub(crate) fn to_rows(note: &RowNote, mut impulse: [f64; MAX_ROWS]) -> [f64; MAX_ROWS] {
    if note.turns {
        let world = Vector3::new(impulse[0], impulse[1], impulse[2]);
        let rows = note.frame.map(|direction| direction.dot(&world));
        impulse[..3].copy_from_slice(&rows);
    }
    impulse
}
