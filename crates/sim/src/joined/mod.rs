//! Bodies that are joined to each other, and that nothing else acts on, on a path of their own.
//!
//! With θ = 0 a step is of first order: a pendulum of a body on a joint loses its swing, a linkage its energy.
//! Where no contact, tendon or mechanism acts on bodies that joints and springs connect, they move by
//! Runge–Kutta on the constrained equations of motion instead, as trees do that nothing touches. The step is
//! solved first: it says which constraints act, and it is what remains where there is no such path: joints that
//! do not close, springs too stiff for substeps, a contact in the way.

mod factor;
mod joint;
mod mechanism;
mod rule;

use stiction_dynamics::{Integrator, MotionMemory};
use stiction_modeling::{ConnectionKind, Motion};

use crate::body::{BodyHandle, Kind};
use crate::error::Result;
use crate::mechanism::Mechanisms;
use crate::settings::Settings;
use crate::step::RowKind;
use crate::world::World;
use joint::{End, Joint};
use mechanism::{Mechanism, Reaction, Spring};
use rule::Rule;

pub(crate) use joint::BodyAt;
pub(crate) use mechanism::Body;

/// Multiplications of a factorisation from which on a mechanism takes no path: nets of thousands of joints,
/// whose envelope is wide.
const MOST_COST: usize = 4_000_000;

/// Mechanisms and their paths. Keeps its storage.
#[derive(Debug, Default)]
pub(crate) struct JoinedPaths {
    groups: Groups,
    /// Connections that may be on paths, by their groups.
    members: Vec<(usize, usize)>,
    known: Vec<Known>,
    rule: Rule,
    /// v̂ of all islands before paths were taken, and the subsystems whose paths must still be compared with
    /// contacts.
    solved: Vec<f64>,
    is_asked: Vec<bool>,
    disobeyed: Vec<usize>,
    taken: Vec<Taken>,
}

/// Subsystems by what connects them.
#[derive(Debug, Default)]
struct Groups {
    parent: Vec<usize>,
    is_blocked: Vec<bool>,
}

/// A mechanism, and the connections that it was made of.
#[derive(Debug, Default)]
struct Known {
    connections: Vec<usize>,
    /// Free bodies by their position in the world.
    items: Vec<usize>,
    mechanism: Mechanism,
    /// What each joint exerted on its last path, by its connection.
    impulses: Vec<(usize, Reaction)>,
}

/// A path that was taken.
#[derive(Debug, Clone, Copy)]
struct Taken {
    /// The group, and its mechanism among those that are known.
    root: usize,
    known: usize,
    /// Work of the mechanism's connections, J.
    work: f64,
}

/// The end of a body's path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathEnd {
    pub(crate) at: BodyAt,
    /// What the body carries on with.
    pub(crate) memory: MotionMemory,
    /// Of the mechanism, told by one of its bodies.
    pub(crate) substeps: usize,
    pub(crate) taken: f64,
}

impl Groups {
    fn reset(&mut self, count: usize) {
        self.parent.clear();
        self.parent.extend(0..count);
        self.is_blocked.clear();
        self.is_blocked.resize(count, false);
    }

    fn root(&mut self, mut of: usize) -> usize {
        while self.parent[of] != of {
            self.parent[of] = self.parent[self.parent[of]];
            of = self.parent[of];
        }
        of
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        // The smaller names both: the order of connections does not matter.
        let (small, large) = (a.min(b), a.max(b));
        self.parent[large] = small;
        self.is_blocked[small] |= self.is_blocked[large];
    }

    fn block(&mut self, subsystem: usize) {
        let root = self.root(subsystem);
        self.is_blocked[root] = true;
    }
}

impl World {
    /// Whether bodies that are joined may take paths of their own.
    fn has_joined_paths(&self) -> bool {
        !self.connections.is_empty()
            && self.settings.theta == Settings::IMPLICIT_EULER
            && self.settings.integrator == Integrator::Rk4
    }

    /// Moves joined bodies that nothing else acts on along their paths.
    pub(crate) fn take_joined_paths(&mut self) -> Result<()> {
        if !self.has_joined_paths() {
            return Ok(());
        }
        let mut paths = std::mem::take(&mut self.joined);
        self.group_joined(&mut paths.groups);
        paths.taken.clear();
        paths.solved.clone_from(&self.v_hat);
        paths.is_asked.clear();
        paths
            .is_asked
            .resize(self.tables.layout.subsystem_count(), false);
        self.deal_out(&mut paths);
        for number in 0..paths.known.len() {
            if !paths.known[number].connections.is_empty() {
                self.try_path(&mut paths, number);
            }
        }
        self.leave_obstructed(&mut paths);
        self.write_impulses(&mut paths);
        self.joined = paths;
        Ok(())
    }

    /// Who is joined with whom, and where something else acts.
    fn group_joined(&self, groups: &mut Groups) {
        let layout = &self.tables.layout;
        groups.reset(layout.subsystem_count());
        let frames = &self.places.frames;
        for connection in &self.connections {
            let ends = [connection.body_a, connection.body_b].map(|body| frames.motion[body.0]);
            let mut moving = ends.iter().filter_map(|motion| motion.subsystem());
            let Some(first) = moving.next() else {
                continue;
            };
            moving.for_each(|other| groups.join(first, other));
            let is_ours = |motion: &Motion| match motion.subsystem() {
                Some(subsystem) => layout.owner[subsystem].0 == Mechanisms::FREE_BODIES,
                None => true,
            };
            let stands = |body: BodyHandle| {
                let twist = &frames.twist[body.0];
                frames.motion[body.0] != Motion::Driven
                    || twist.linear.norm() + twist.angular.norm() == 0.0
            };
            let is_known = connection.kind.holds_positions() || connection.kind.is_spring();
            let both = [connection.body_a, connection.body_b];
            if !is_known || !ends.iter().all(is_ours) || !both.into_iter().all(stands) {
                groups.block(first);
            }
        }
        for (head, result) in self.rows.heads().iter().zip(&self.results) {
            let is = |kind: RowKind| head.key.kind == kind as u16;
            let is_open = result.impulse.iter().all(|&impulse| impulse == 0.0);
            let may_be_open = is(RowKind::Contact) || is(RowKind::Limit);
            if !(is(RowKind::Connection) || is_open && may_be_open) {
                let touched = self.rows.touched(head);
                touched.for_each(|subsystem| groups.block(subsystem));
            }
        }
        self.islands
            .for_each_on_way(|subsystem| groups.block(subsystem));
        for subsystem in self.tendons.iter().flat_map(|t| t.model.touches()) {
            groups.block(subsystem);
        }
    }

    /// Gives every group its connections; mechanisms that are as in the last step stay as they are.
    fn deal_out(&self, paths: &mut JoinedPaths) {
        let mut members = std::mem::take(&mut paths.members);
        members.clear();
        for (index, connection) in self.connections.iter().enumerate() {
            let ends = [connection.body_a, connection.body_b];
            let motion = |body: BodyHandle| self.places.frames.motion[body.0].subsystem();
            if let Some(subsystem) = ends.into_iter().find_map(motion) {
                let root = paths.groups.root(subsystem);
                if !paths.groups.is_blocked[root] {
                    members.push((root, index));
                }
            }
        }
        members.sort_unstable();
        let mut number = 0;
        for group in members.chunk_by(|a, b| a.0 == b.0) {
            if paths.known.len() == number {
                paths.known.push(Known::default());
            }
            let same = |known: &Known| {
                let indices = group.iter().map(|&(_, index)| index);
                known.connections.len() == group.len()
                    && indices.eq(known.connections.iter().copied())
            };
            if let Some(found) = paths.known[number..].iter().position(same) {
                paths.known.swap(number, number + found);
            } else {
                let known = &mut paths.known[number];
                known.connections.clear();
                known
                    .connections
                    .extend(group.iter().map(|&(_, index)| index));
                self.learn(known);
            }
            number += 1;
        }
        paths.known.truncate(number);
        paths.members = members;
    }

    /// Makes a mechanism of its connections.
    fn learn(&self, known: &mut Known) {
        known.items.clear();
        for &index in &known.connections {
            let connection = &self.connections[index];
            for body in [connection.body_a, connection.body_b] {
                if let Kind::Free(item) = self.tables.bodies[body.0].kind {
                    known.items.push(item);
                }
            }
        }
        known.items.sort_unstable();
        known.items.dedup();
        let mechanism = &mut known.mechanism;
        mechanism.joints.clear();
        mechanism.springs.clear();
        for &index in &known.connections {
            let connection = &self.connections[index];
            let bodies = [connection.body_a, connection.body_b];
            let anchors = [&connection.frame_a, &connection.frame_b];
            let ends = [0, 1].map(|end| {
                let (body, anchor) = (bodies[end], anchors[end]);
                match self.tables.bodies[body.0].kind {
                    Kind::Free(item) => End::Body {
                        body: known.items.binary_search(&item).unwrap_or(usize::MAX),
                        point: anchor.translation.vector
                            - self.mechanisms.free_bodies.extent(item).0,
                        rotation: anchor.rotation,
                    },
                    _ => End::Fixed(*anchor),
                }
            });
            match connection.kind {
                ConnectionKind::Spring {
                    stiffness,
                    damping,
                    rest_length,
                } => mechanism.springs.push(Spring {
                    connection: index,
                    ends,
                    stiffness,
                    damping,
                    rest_length,
                }),
                kind => mechanism.joints.push(Joint {
                    connection: index,
                    kind,
                    ends,
                    size: self.connection_sizes[index],
                }),
            }
        }
        mechanism.bodies.clear();
        let bodies = &self.mechanisms.free_bodies;
        let inputs = &self.commands.inputs;
        let items = known.items.iter();
        mechanism
            .bodies
            .extend(items.map(|&item| bodies.joined_body(item, inputs)));
        mechanism.order_joints();
    }

    /// Brings what may change from step to step up to date: forces, gravity, where ends that stand still are.
    fn renew(&self, known: &mut Known, rule: &mut Rule) -> MotionMemory {
        let bodies = &self.mechanisms.free_bodies;
        let mut memory = MotionMemory::default();
        rule.at.clear();
        for (body, &item) in known.mechanism.bodies.iter_mut().zip(&known.items) {
            *body = bodies.joined_body(item, &self.commands.inputs);
            let (at, own) = bodies.joined_state(item, &self.state);
            rule.at.push(at);
            memory.margin += own.margin;
            memory.scale += own.scale;
            memory.level = memory.level.max(own.level);
        }
        known.mechanism.gravity = self.settings.gravity;
        let fixed = |connection: usize, ends: &mut [End; 2]| {
            let connection = &self.connections[connection];
            let poses = connection
                .connector()
                .world_anchors(&self.places.frames.pose);
            for (end, pose) in ends.iter_mut().zip(poses) {
                if let End::Fixed(at) = end {
                    *at = pose;
                }
            }
        };
        for joint in &mut known.mechanism.joints {
            fixed(joint.connection, &mut joint.ends);
        }
        for spring in &mut known.mechanism.springs {
            fixed(spring.connection, &mut spring.ends);
        }
        known.mechanism.begin();
        memory
    }

    /// Finds the path of a mechanism and puts its bodies there.
    fn try_path(&mut self, paths: &mut JoinedPaths, number: usize) {
        let known = &mut paths.known[number];
        if known.mechanism.cost() > MOST_COST {
            return;
        }
        let step = self.settings.time_step;
        let mut memory = self.renew(known, &mut paths.rule);
        let springs = |known: &Known, rule: &Rule| -> f64 {
            let springs = known.mechanism.springs.iter();
            springs.map(|spring| spring.energy(&rule.at)).sum()
        };
        let stored = springs(known, &paths.rule);
        let motion = self.settings.motion();
        let settings = &self.settings;
        paths.rule.may_take_longer = settings.max_iterations.is_none()
            && settings.solver_time.is_none()
            && settings.step_time.is_none();
        let Some(moved) = paths
            .rule
            .step(&mut known.mechanism, step, &motion, &mut memory)
        else {
            return;
        };
        let share = 1.0 / known.items.len() as f64;
        memory.margin *= share;
        memory.scale *= share;
        let mut pushed = 0.0;
        let bodies = &mut self.mechanisms.free_bodies;
        for (position, (&item, at)) in known.items.iter().zip(&paths.rule.at).enumerate() {
            let is_first = position == 0;
            let end = PathEnd {
                at: *at,
                memory,
                substeps: if is_first { moved.substeps } else { 0 },
                taken: if is_first { moved.taken } else { 0.0 },
            };
            let subsystem = bodies.put_on_path(item, end, &self.state, step, &mut self.v_hat);
            pushed += bodies.pushed(item, &self.commands.inputs, &self.v_hat, step);
            paths.is_asked[subsystem] = true;
        }
        let given = springs(known, &paths.rule) - stored;
        known.impulses.clear();
        let joints = known.mechanism.joints.iter().zip(&paths.rule.impulses);
        let impulses = joints.map(|(joint, impulse)| (joint.connection, *impulse));
        known.impulses.extend(impulses);
        known
            .impulses
            .sort_unstable_by_key(|&(connection, _)| connection);
        if let Some(&item) = known.items.first() {
            let subsystem = self.mechanisms.free_bodies.subsystem(item);
            paths.taken.push(Taken {
                root: paths.groups.root(subsystem),
                known: number,
                work: moved.work - pushed - given - moved.refused,
            });
        }
    }

    /// Impulses of joints are those of the paths. Joints do no work; what springs and dampers do, and what
    /// velocities lose that joints do not allow, is told by one connection of each mechanism.
    fn write_impulses(&mut self, paths: &mut JoinedPaths) {
        if paths.taken.is_empty() {
            return;
        }
        for (head, result) in self.rows.heads().iter().zip(&mut self.results) {
            if head.key.kind != RowKind::Connection as u16 {
                continue;
            }
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
            let connection = head.key.owner as usize;
            let Ok(at) = impulses.binary_search_by_key(&connection, |&(own, _)| own) else {
                continue;
            };
            let exerted = match head.key.part {
                0 => impulses[at].1.force,
                _ => impulses[at].1.torque,
            };
            let kind = &self.connections[connection].kind;
            let count = kind.parts().get(head.key.part as usize);
            for row in 0..count.copied().unwrap_or(0) {
                result.impulse[row] = result.note.frame[row].dot(&exerted);
            }
        }
    }

    /// Takes mechanisms off their paths where a contact is in the way.
    fn leave_obstructed(&mut self, paths: &mut JoinedPaths) {
        let has_contacts = self.rows.heads().iter().any(|head| {
            let mut touched = self.rows.touched(head);
            head.key.kind != RowKind::Connection as u16
                && touched.any(|subsystem| paths.is_asked[subsystem])
        });
        while has_contacts && !paths.taken.is_empty() {
            self.islands.disobeyed(
                &self.rows,
                &self.tables.layout.dof_start,
                &paths.is_asked,
                &self.v_hat,
                &mut paths.disobeyed,
            );
            let mut is_changed = false;
            for &index in &paths.disobeyed {
                let head = &self.rows.heads()[index];
                if head.key.kind == RowKind::Connection as u16 {
                    continue;
                }
                for subsystem in self.rows.touched(head) {
                    let root = paths.groups.root(subsystem);
                    let Some(at) = paths.taken.iter().position(|taken| taken.root == root) else {
                        continue;
                    };
                    let Taken { known, .. } = paths.taken.swap_remove(at);
                    for &item in &paths.known[known].items {
                        let bodies = &mut self.mechanisms.free_bodies;
                        let subsystem = bodies.leave_path(item);
                        let dofs = self.tables.layout.dofs(subsystem);
                        self.v_hat[dofs.clone()].copy_from_slice(&paths.solved[dofs]);
                        paths.is_asked[subsystem] = false;
                    }
                    is_changed = true;
                }
            }
            if !is_changed {
                break;
            }
        }
    }
}
