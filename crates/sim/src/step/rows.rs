//! All constraints of a step: who names them, and who writes them into the problems of islands.

use stiction_constraints::{Problem, Subsystem};
use stiction_islands::{Assembly, AssemblyError, Bounce, Head, RowKey, RowList, RowNote};
use stiction_modeling::{Places, Scheme};

use super::contacts::{Contacts, touches};
use crate::connection::Connection;
use crate::mechanism::{Layout, Mechanisms, RowContext, RowSource};
use crate::tendon::TendonEntry;

/// What sort of constraint a key names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowKind {
    Contact,
    Connection,
    Limit,
    Friction,
    Coupling,
    Tendon,
    /// Of a mechanism that is none of ours.
    Mechanism,
}

impl RowKind {
    pub(crate) fn key(self, owner: usize, part: u64) -> RowKey {
        RowKey {
            kind: self as u16,
            owner: owner as u32,
            part,
        }
    }
}

/// Who writes a constraint; mechanisms follow by their numbers.
pub(super) const CONTACTS: usize = 0;
pub(super) const CONNECTIONS: usize = 1;
pub(super) const TENDONS: usize = 2;
pub(super) const FIRST_MECHANISM: usize = 3;

/// Everything that the numbers of a step's problems are made from.
#[derive(Clone, Copy)]
pub(crate) struct WorldAssembly<'a> {
    pub(crate) mechanisms: &'a Mechanisms,
    pub(crate) layout: &'a Layout,
    pub(crate) contacts: &'a Contacts,
    pub(crate) connections: &'a [Connection],
    pub(crate) tendons: &'a [TendonEntry],
    pub(crate) places: &'a Places,
    pub(crate) scheme: &'a Scheme,
}

impl WorldAssembly<'_> {
    /// Names all constraints: contacts, connections, those of mechanisms, tendons.
    pub(crate) fn list(&self, rows: &mut RowList) {
        rows.clear();
        rows.set_source(CONTACTS);
        self.contacts.list(self.places, rows);
        rows.set_source(CONNECTIONS);
        for (index, connection) in self.connections.iter().enumerate() {
            let connector = connection.connector();
            for part in 0..connection.kind.parts().len() {
                let key = RowKind::Connection.key(index, part as u64);
                rows.push_with(key, (index << PART_BITS) + part, |out| {
                    connector.touches(self.places, |subsystem| out.touch(subsystem));
                });
            }
        }
        for (number, mechanism) in self.mechanisms.iter().enumerate() {
            if let Some(source) = mechanism.rows() {
                rows.set_source(FIRST_MECHANISM + number);
                source.list(self.places, rows);
            }
        }
        rows.set_source(TENDONS);
        for (index, tendon) in self.tendons.iter().enumerate() {
            for (number, part) in tendon.model.parts().enumerate() {
                let key = RowKind::Tendon.key(index, part);
                rows.push(key, (index << PART_BITS) + number, tendon.model.touches());
            }
        }
    }
}

/// Connections and tendons have at most four constraints each.
pub(super) const PART_BITS: usize = 2;

impl Assembly for WorldAssembly<'_> {
    fn shape(&self, subsystem: usize) -> Subsystem {
        let (mechanism, own) = self.layout.owner[subsystem];
        self.mechanisms.get(mechanism).shape(own)
    }

    fn write_subsystem(
        &self,
        subsystem: usize,
        a: &mut Subsystem,
        b: &mut [f64],
    ) -> Result<(), AssemblyError> {
        let (mechanism, own) = self.layout.owner[subsystem];
        let mechanism = self.mechanisms.get(mechanism);
        mechanism.write_matrix(own, a);
        mechanism.write_right_hand_side(own, b);
        for tendon in self.tendons {
            tendon.model.add_direct(subsystem, Some(a), b);
        }
        Ok(())
    }

    fn write_row(
        &self,
        head: &Head,
        local: &[u32],
        problem: &mut Problem,
    ) -> Result<RowNote, AssemblyError> {
        let context = RowContext {
            places: self.places,
            scheme: self.scheme,
            local,
            problem,
        };
        let item = head.item as usize;
        let (index, part) = (item >> PART_BITS, item % (1 << PART_BITS));
        match head.source as usize {
            CONTACTS => self.contacts.write(item, context),
            CONNECTIONS => {
                let connection = &self.connections[index];
                let rows = context.begin(connection.kind.parts()[part]);
                let written = connection.connector().write(part, self.scheme, rows)?;
                Ok(RowNote {
                    frame: written.frame,
                    driven: written.driven,
                    ..RowNote::default()
                })
            }
            TENDONS => {
                let tendon = &self.tendons[index].model;
                Ok(RowNote {
                    push_out: tendon.write(part, context.begin(1))?,
                    driven: [tendon.driven(), 0.0, 0.0],
                    ..RowNote::default()
                })
            }
            source => match self.mechanisms.get(source - FIRST_MECHANISM).rows() {
                Some(source) => source.write(item, context),
                None => Err("a mechanism took back its constraints within a step".into()),
            },
        }
    }

    fn bounce(&self, head: &Head, note: &RowNote, free: &[f64]) -> Option<Bounce> {
        match head.source as usize {
            CONTACTS => {
                let item = head.item as usize;
                let (mut lags, mut count) = (0.0, 0.0);
                touches(&self.contacts.points[item], self.places, |subsystem| {
                    let (mechanism, _) = self.layout.owner[subsystem];
                    lags += self.mechanisms.get(mechanism).velocity_lag();
                    count += 1.0;
                });
                let lag = if count > 0.0 { lags / count } else { 0.5 };
                self.contacts.bounce((item, lag), self.scheme, note, free)
            }
            _ => None,
        }
    }

    fn solves_alone(&self, subsystem: usize) -> bool {
        let (mechanism, own) = self.layout.owner[subsystem];
        self.mechanisms.get(mechanism).solves_alone(own)
    }

    fn free_velocity(&self, subsystem: usize, v_hat: &mut [f64]) {
        let (mechanism, own) = self.layout.owner[subsystem];
        let mechanism = self.mechanisms.get(mechanism);
        mechanism.write_right_hand_side(own, v_hat);
        for tendon in self.tendons {
            tendon.model.add_direct(subsystem, None, v_hat);
        }
        mechanism.solve_alone(own, v_hat);
    }
}
