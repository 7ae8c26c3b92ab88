//! Whose numbers are where.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A named part of the state: a body, a robot, a soft body, an actuator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Element {
    /// Its name.
    pub name: String,
    /// Its part of [`State::q`](crate::State::q).
    pub q: Range<usize>,
    /// Its part of [`State::v`](crate::State::v).
    pub v: Range<usize>,
    /// Its part of [`State::memory`](crate::State::memory).
    pub memory: Range<usize>,
}

/// Whose numbers are where; append-only.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    pub(crate) elements: Vec<Element>,
    /// Of each subsystem: its mechanism, and which of that mechanism's subsystems it is.
    pub(crate) owner: Vec<(usize, usize)>,
    /// First velocity of each subsystem, and their number.
    pub(crate) dof_start: Vec<usize>,
    /// Of each subsystem: the frame of its first body, where bodies that follow have the frames that
    /// follow; `None` for one without.
    pub(crate) first_frame: Vec<Option<usize>>,
    /// Whether there is such a subsystem.
    pub(crate) has_links: bool,
}

impl Layout {
    /// The named parts of the state, in the order of adding.
    pub fn elements(&self) -> &[Element] {
        &self.elements
    }

    /// Number of subsystems.
    pub fn subsystem_count(&self) -> usize {
        self.owner.len()
    }

    /// The velocities of a subsystem in [`State::v`](crate::State::v).
    pub fn dofs(&self, subsystem: usize) -> Range<usize> {
        self.dof_start[subsystem]..self.dof_start[subsystem + 1]
    }
}
