//! The constraints of a step before they are dealt out to islands.

use nalgebra::Vector3;
use stiction_constraints::Law;

use crate::hold::Hold;

/// Name of a constraint that stays the same from step to step.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub(crate) enum Key {
    /// A contact by its id.
    Contact(u64),
    /// A connection and which of its constraints.
    Connection(u32, u32),
    /// Robot and degree of freedom.
    Limit(u32, u32),
    /// Robot and degree of freedom.
    Friction(u32, u32),
    /// Robot and coupling.
    Coupling(u32, u32),
    /// A tendon and which of its constraints.
    Tendon(u32, u32),
}

impl Key {
    pub(crate) fn limit(robot: usize, dof: usize) -> Self {
        Self::Limit(robot as u32, dof as u32)
    }

    pub(crate) fn friction(robot: usize, dof: usize) -> Self {
        Self::Friction(robot as u32, dof as u32)
    }

    pub(crate) fn coupling(robot: usize, coupling: usize) -> Self {
        Self::Coupling(robot as u32, coupling as u32)
    }

    pub(crate) fn tendon(tendon: usize, part: usize) -> Self {
        Self::Tendon(tendon as u32, part as u32)
    }

    pub(crate) fn connection(connection: usize, part: usize) -> Self {
        Self::Connection(connection as u32, part as u32)
    }
}

/// One constraint with what it sees of the subsystems.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) key: Key,
    pub(crate) law: Law,
    /// Number of rows, 1 to 3.
    pub(crate) count: usize,
    pub(crate) error: [f64; 3],
    /// Directions that a contact's rows measure, world axes: (t1, t2, n).
    pub(crate) frame: [Vector3<f64>; 3],
    pub(crate) terms: [Option<Term>; 2],
    /// Whether the constraint will hardly act in this step: it is left out of the problem, and
    /// taken in only if what is found without it does not obey it.
    pub(crate) is_dormant: bool,
    /// Found by the solver, N·s.
    pub(crate) impulse: [f64; 3],
    /// Whether the guess of its island was good.
    pub(crate) is_settled: bool,
    /// The part of the normal `error` that pushes bodies apart which overlap, m/s.
    pub(crate) push_out: f64,
    /// Whether the contact is only held, and for how long.
    pub(crate) hold: Hold,
}

/// What a constraint sees of one subsystem.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Term {
    /// A body, and which of the buffer's blocks.
    Body {
        subsystem: usize,
        body: usize,
        block: usize,
    },
    /// A range of the buffer's degrees of freedom.
    Dofs {
        subsystem: usize,
        first: usize,
        count: usize,
    },
}

impl Term {
    pub(crate) fn subsystem(&self) -> usize {
        match *self {
            Term::Body { subsystem, .. } | Term::Dofs { subsystem, .. } => subsystem,
        }
    }
}

/// What a constraint sees of one body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyTerm {
    pub(crate) subsystem: usize,
    pub(crate) body: usize,
    /// rows × 6 by rows.
    pub(crate) values: [f64; 18],
}

/// All constraints of a step; keeps its storage.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowBuffer {
    pub(crate) rows: Vec<Row>,
    pub(crate) blocks: Vec<[f64; 18]>,
    pub(crate) dofs: Vec<usize>,
    pub(crate) values: Vec<f64>,
}

impl RowBuffer {
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.blocks.clear();
        self.dofs.clear();
        self.values.clear();
    }

    /// A constraint on bodies. One that touches nothing that moves is left out.
    pub(crate) fn push_bodies(
        &mut self,
        key: Key,
        law: Law,
        error: &[f64],
        frame: [Vector3<f64>; 3],
        terms: &[Option<BodyTerm>; 2],
    ) {
        if terms.iter().all(Option::is_none) {
            return;
        }
        let terms = terms.each_ref().map(|term| {
            term.as_ref().map(|term| {
                self.blocks.push(term.values);
                Term::Body {
                    subsystem: term.subsystem,
                    body: term.body,
                    block: self.blocks.len() - 1,
                }
            })
        });
        let mut padded = [0.0; 3];
        padded[..error.len()].copy_from_slice(error);
        self.rows.push(Row {
            key,
            law,
            count: error.len(),
            error: padded,
            frame,
            terms,
            is_dormant: false,
            impulse: [0.0; 3],
            is_settled: false,
            push_out: 0.0,
            hold: Hold::NONE,
        });
    }

    /// A constraint of one row on degrees of freedom of one subsystem.
    pub(crate) fn push_dofs(
        &mut self,
        key: Key,
        law: Law,
        error: f64,
        subsystem: usize,
        dofs: &[usize],
        values: &[f64],
    ) {
        self.begin_dofs(key, law, error);
        self.add_dofs(subsystem, dofs.iter().copied().zip(values.iter().copied()));
    }

    /// Begins a constraint of one row on degrees of freedom.
    pub(crate) fn begin_dofs(&mut self, key: Key, law: Law, error: f64) {
        self.rows.push(Row {
            key,
            law,
            count: 1,
            error: [error, 0.0, 0.0],
            frame: [Vector3::zeros(); 3],
            terms: [None; 2],
            is_dormant: false,
            impulse: [0.0; 3],
            is_settled: false,
            push_out: 0.0,
            hold: Hold::NONE,
        });
    }

    /// How much of the normal error of the contact pushed last pushes it apart, m/s.
    pub(crate) fn set_push_out(&mut self, push_out: f64) {
        if let Some(row) = self.rows.last_mut() {
            row.push_out = push_out;
        }
    }

    /// Whether the constraint begun last is [dormant](Row::is_dormant).
    pub(crate) fn set_dormant(&mut self, is_dormant: bool) {
        if let Some(row) = self.rows.last_mut() {
            row.is_dormant = is_dormant;
        }
    }

    /// Adds a subsystem to the constraint begun last: degrees of freedom and coefficients.
    pub(crate) fn add_dofs(&mut self, subsystem: usize, terms: impl Iterator<Item = (usize, f64)>) {
        let first = self.dofs.len();
        for (dof, value) in terms {
            self.dofs.push(dof);
            self.values.push(value);
        }
        let count = self.dofs.len() - first;
        let Some(row) = self.rows.last_mut() else {
            return;
        };
        if let Some(slot) = row.terms.iter_mut().find(|slot| slot.is_none()) {
            *slot = Some(Term::Dofs {
                subsystem,
                first,
                count,
            });
        }
    }
}
