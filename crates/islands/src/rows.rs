//! The constraints of a step before any number of them is written.

use serde::{Deserialize, Serialize};

/// Name of a constraint that stays the same from step to step.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct RowKey {
    /// What sort of constraint it is; numbers are the caller's.
    pub kind: u16,
    /// What it belongs to: a connection, a robot.
    pub owner: u32,
    /// Which constraint of its owner: the id of a contact, a degree of freedom.
    pub part: u64,
}

impl RowKey {
    /// The same sort and owner, another part.
    #[must_use]
    pub fn with(self, part: u64) -> Self {
        Self { part, ..self }
    }
}

/// A constraint on one degree of freedom that will hardly act in this step: it is left out of the
/// problem, and taken in only if the velocity found without it leaves the interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inactive {
    /// The subsystem.
    pub subsystem: usize,
    /// Degree of freedom inside the subsystem.
    pub dof: usize,
    /// Lowest and highest velocity that it allows, m/s or rad/s.
    pub interval: [f64; 2],
}

/// One constraint of a [`RowList`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Head {
    /// Its name.
    pub key: RowKey,
    /// Who writes it.
    pub source: u32,
    /// Which of its writer's constraints it is.
    pub item: u32,
    /// Set if it is left out until it is needed.
    pub inactive: Option<Inactive>,
    /// Whether what it does is known from elsewhere: islands leave it out, see [`RowList::settle`].
    pub is_settled: bool,
    first: u32,
    count: u32,
}

/// Which constraints there are and what they touch. Keeps its storage.
#[derive(Debug, Clone, Default)]
pub struct RowList {
    heads: Vec<Head>,
    touched: Vec<u32>,
    source: u32,
}

impl RowList {
    /// Forgets all constraints.
    pub fn clear(&mut self) {
        self.heads.clear();
        self.touched.clear();
    }

    /// Says who writes the constraints that follow.
    pub fn set_source(&mut self, source: usize) {
        self.source = source as u32;
    }

    /// Adds a constraint on these subsystems (one may be named several times). One that touches
    /// nothing is left out.
    pub fn push(&mut self, key: RowKey, item: usize, touched: impl IntoIterator<Item = usize>) {
        self.push_with(key, item, |out| {
            touched
                .into_iter()
                .for_each(|subsystem| out.touch(subsystem));
        });
    }

    /// Adds a constraint; `list` names the subsystems that it touches by [`touch`](Self::touch).
    pub fn push_with(&mut self, key: RowKey, item: usize, list: impl FnOnce(&mut Self)) {
        let first = self.touched.len() as u32;
        list(self);
        let count = self.touched.len() as u32 - first;
        if count > 0 {
            self.heads.push(Head {
                key,
                source: self.source,
                item: item as u32,
                inactive: None,
                is_settled: false,
                first,
                count,
            });
        }
    }

    /// Names a subsystem that the constraint that is being added touches.
    pub fn touch(&mut self, subsystem: usize) {
        self.touched.push(subsystem as u32);
    }

    /// Adds a constraint that is left out until it is needed.
    pub fn push_inactive(&mut self, key: RowKey, item: usize, inactive: Inactive) {
        self.push(key, item, [inactive.subsystem]);
        if let Some(head) = self.heads.last_mut() {
            head.inactive = Some(inactive);
        }
    }

    /// Leaves a constraint, by its position, out of all islands: what it does is known from elsewhere. All that it
    /// touches must be [solved alone](crate::Assembly::solves_alone).
    pub fn settle(&mut self, index: usize) {
        if let Some(head) = self.heads.get_mut(index) {
            head.is_settled = true;
        }
    }

    /// The constraints, in the order of adding.
    pub fn heads(&self) -> &[Head] {
        &self.heads
    }

    /// The subsystems that a constraint touches.
    pub fn touched(&self, head: &Head) -> impl Iterator<Item = usize> + '_ {
        let range = head.first as usize..(head.first + head.count) as usize;
        self.touched[range]
            .iter()
            .map(|&subsystem| subsystem as usize)
    }
}
