//! Geometric stiffness of joints: a force that a joint transmits turns with the arm that it acts on.
//!
//! A link under tension swings back as a string does, however short it is. Rows at the start of the step
//! miss that, and the shorter and lighter the links the sooner a rope of them whips itself apart. What
//! the impulses of the last step (in a later pass: of the pass before) add to A makes it implicit.

use nalgebra::Vector3;
use stiction_islands::{RowKey, RowResult};
use stiction_modeling::ConnectionKind;

use super::rows::RowKind;
use crate::body::Kind;
use crate::connection::Connection;
use crate::free_bodies::FreeBodies;
use crate::mechanism::Tables;
use crate::state::State;
use crate::world::World;

impl World {
    /// Brings up to date what joints between bodies add to A.
    pub(super) fn stiffen(&mut self) {
        if !self.connections.iter().any(turns_arms) {
            return;
        }
        let bodies = &mut self.mechanisms.free_bodies;
        bodies.slacken();
        let mut joints = Joints {
            bodies,
            connections: &self.connections,
            tables: &self.tables,
            state: &self.state,
            dt: self.settings.time_step,
        };
        if self.places.advance > 0.0 {
            let named = self.rows.heads().iter().zip(&self.results);
            named.for_each(|(head, result)| joints.stiffen(head.key, result));
        } else if self.last.is_known {
            let named = self.last.named_results();
            named.for_each(|(key, result)| joints.stiffen(key, result));
        }
    }
}

/// Whether a connection transmits a force at a point that turns with its bodies.
fn turns_arms(connection: &Connection) -> bool {
    matches!(
        connection.kind,
        ConnectionKind::Ball | ConnectionKind::Hinge | ConnectionKind::Weld
    )
}

struct Joints<'a> {
    bodies: &'a mut FreeBodies,
    connections: &'a [Connection],
    tables: &'a Tables,
    state: &'a State,
    dt: f64,
}

impl Joints<'_> {
    /// Adds the stiffness of one constraint, if it is the point of a joint.
    fn stiffen(&mut self, key: RowKey, result: &RowResult) {
        let is_point = key.kind == RowKind::Connection.key(0, 0).kind && key.part == 0;
        let connection = match self.connections.get(key.owner as usize) {
            Some(connection) if is_point && turns_arms(connection) => connection,
            _ => return,
        };
        let parts = result.note.frame.iter().zip(result.impulse);
        let impulse = parts.fold(Vector3::zeros(), |sum, (direction, part)| {
            sum + direction * part
        });
        for (body, anchor, impulse) in [
            (connection.body_a, &connection.frame_a, -impulse),
            (connection.body_b, &connection.frame_b, impulse),
        ] {
            if let Kind::Free(item) = self.tables.bodies[body.0].kind {
                let point = &anchor.translation.vector;
                self.bodies
                    .stiffen(item, point, &impulse, self.state, self.dt);
            }
        }
    }
}
