//! Ends of paths, and what joints exerted on them, handed to the world.

use nalgebra::Vector6;
use stiction_dynamics::MotionMemory;

use super::learn::gone;
use super::rule::{Moved, Rule};
use super::{BodyAt, Item, JoinedPaths, Known, Mover, PathEnd};
use crate::error::Result;
use crate::free_bodies::{read_pose, read_vector};
use crate::robot::{PathWork, Robot};
use crate::step::RowKind;
use crate::world::World;

impl World {
    /// Puts the members of a mechanism at the ends of their paths, and writes v̂; the work of what pushes free
    /// bodies, J.
    pub(super) fn put_on_paths(
        &mut self,
        known: &Known,
        rule: &Rule,
        memory: MotionMemory,
        moved: &Moved,
    ) -> Result<f64> {
        let step = self.settings.time_step;
        let (mut substeps, mut taken, mut tree_work) =
            (moved.substeps, moved.taken, moved.tree_work);
        let mut pushed = 0.0;
        for (at, mover) in known.movers.iter().enumerate() {
            let place = &known.mechanism.places[at];
            let (q, v) = (&rule.q[place.q.clone()], &rule.v[place.v.clone()]);
            // One member tells of the mechanism.
            let (substeps, taken) = (std::mem::take(&mut substeps), std::mem::take(&mut taken));
            match *mover {
                Mover::Body(item) => {
                    let (center, rotation) = read_pose(q);
                    let at = BodyAt {
                        center,
                        rotation,
                        velocity: read_vector(v),
                        spin: read_vector(&v[3..]),
                    };
                    let end = PathEnd {
                        at,
                        memory,
                        substeps,
                        taken,
                    };
                    let bodies = &mut self.mechanisms.free_bodies;
                    bodies.put_on_path(item, end, &self.state, step, &mut self.v_hat);
                    pushed += bodies.pushed(item, &self.commands.inputs, &self.v_hat, step);
                }
                Mover::Tree(number, tree) => {
                    let work = PathWork {
                        substeps,
                        taken,
                        work: std::mem::take(&mut tree_work),
                    };
                    let handle = self.robots.get(number).ok_or_else(gone)?;
                    let robot = self.mechanisms.typed_mut::<Robot>(handle.index);
                    let robot = robot.ok_or_else(gone)?;
                    let state = (&self.state, step);
                    robot.put_on_path(tree, [q, v], memory, work, state, &mut self.v_hat)?;
                }
            }
        }
        Ok(pushed)
    }

    /// Takes a member off its path.
    pub(super) fn leave(&mut self, mover: Mover) {
        match mover {
            Mover::Body(item) => {
                self.mechanisms.free_bodies.leave_path(item);
            }
            Mover::Tree(number, tree) => {
                let handle = self.robots.get(number).map(|handle| handle.index);
                let robot = handle.and_then(|at| self.mechanisms.typed_mut::<Robot>(at));
                if let Some(robot) = robot {
                    robot.leave_path(tree);
                }
            }
        }
    }

    /// Impulses of joints are those of the paths. Joints do no work; what springs and dampers do, and what
    /// velocities lose that joints do not allow, is told by one joint of each mechanism.
    pub(super) fn write_impulses(&mut self, paths: &mut JoinedPaths) {
        if paths.taken.is_empty() {
            return;
        }
        for (head, result) in self.rows.heads().iter().zip(&mut self.results) {
            let owner = head.key.owner as usize;
            let item = match head.key.kind {
                kind if kind == RowKind::Connection as u16 => Item::Connection(owner),
                kind if kind == RowKind::Coupling as u16 => {
                    Item::Coupling(owner, head.key.part as usize)
                }
                _ => continue,
            };
            let mut touched = self.rows.touched(head);
            let root = touched.next().map(|subsystem| paths.groups.root(subsystem));
            let Some(taken) = paths
                .taken
                .iter_mut()
                .find(|taken| Some(taken.root) == root)
            else {
                continue;
            };
            result.work = std::mem::take(&mut taken.work);
            let impulses = &paths.known[taken.known].impulses;
            let Ok(at) = impulses.binary_search_by_key(&item, |&(own, _)| own) else {
                continue;
            };
            let reaction = &impulses[at].1;
            let Item::Connection(connection) = item else {
                result.impulse[0] = reaction.force.x;
                continue;
            };
            let exerted = match head.key.part {
                0 => reaction.force,
                _ => reaction.torque,
            };
            let connection = &self.connections[connection];
            let part = head.key.part as usize;
            result.note.frame = connection.connector().directions(part, &self.places);
            let count = connection.kind.parts().get(part);
            for row in 0..count.copied().unwrap_or(0) {
                result.impulse[row] = result.note.frame[row].dot(&exerted);
            }
        }
    }

    /// Adds to the loads of links what joints of paths exerted on them that the step was not solved for.
    pub(crate) fn add_path_loads(&mut self) {
        for taken in self.joined.taken.iter().filter(|taken| taken.is_early) {
            let known = &self.joined.known[taken.known];
            for (item, reaction) in &known.impulses {
                let Item::Connection(connection) = *item else {
                    continue;
                };
                let connection = &self.connections[connection];
                let anchors = connection
                    .connector()
                    .world_anchors(&self.places.frames.pose);
                let bodies = [connection.body_a, connection.body_b];
                for ((body, anchor), sign) in bodies.iter().zip(anchors).zip([-1.0, 1.0]) {
                    let Some(subsystem) = self.places.frames.motion[body.0].subsystem() else {
                        continue;
                    };
                    let is_link = self.tables.layout.first_frame[subsystem].is_some();
                    let Some(load) = self.last.loads.get_mut(body.0).filter(|_| is_link) else {
                        continue;
                    };
                    let arm = anchor.translation.vector - self.places.references[subsystem];
                    let torque = reaction.torque + arm.cross(&reaction.force);
                    let force = &reaction.force;
                    let wrench = [force.x, force.y, force.z, torque.x, torque.y, torque.z];
                    *load += Vector6::from(wrench) * sign;
                }
            }
        }
    }
}
