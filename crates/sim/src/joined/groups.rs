//! What is joined with what, and where something else acts.

use stiction_modeling::Motion;

use super::{Item, JoinedPaths, Known, Mover};
use crate::body::{BodyHandle, Kind};
use crate::error::Result;
use crate::mechanism::Mechanisms;
use crate::robot::Robot;
use crate::step::RowKind;
use crate::world::World;

/// Subsystems by what connects them.
#[derive(Debug, Default)]
pub(super) struct Groups {
    parent: Vec<usize>,
    is_blocked: Vec<bool>,
    /// Whether a connection or coupling touches a subsystem.
    is_joined: Vec<bool>,
}

impl Groups {
    fn reset(&mut self, count: usize) {
        self.parent.clear();
        self.parent.extend(0..count);
        self.is_blocked.clear();
        self.is_blocked.resize(count, false);
        self.is_joined.clear();
        self.is_joined.resize(count, false);
    }

    pub(super) fn root(&mut self, mut of: usize) -> usize {
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
    /// A robot by its position among robots.
    pub(super) fn robot_number(&self, number: usize) -> Option<&Robot> {
        self.mechanisms.typed(self.robots.get(number)?.index)
    }

    pub(super) fn has_couplings(&self) -> bool {
        (0..self.robots.len())
            .filter_map(|number| self.robot_number(number))
            .any(|robot| !robot.model.couplings().is_empty())
    }

    /// What moves a subsystem, if it may be on a path.
    fn mover_of(&self, subsystem: usize) -> Option<Mover> {
        let (mechanism, own) = self.tables.layout.owner[subsystem];
        if mechanism == Mechanisms::FREE_BODIES {
            return Some(Mover::Body(own));
        }
        let robots = self.robots.iter();
        let number = robots
            .map(|handle| handle.index)
            .position(|at| at == mechanism)?;
        let robot = self.robot_number(number)?;
        robot.has_free_paths().then_some(Mover::Tree(number, own))
    }

    /// The subsystem of what moves.
    pub(super) fn subsystem_of(&self, mover: Mover) -> usize {
        match mover {
            Mover::Body(item) => self.mechanisms.free_bodies.subsystem(item),
            Mover::Tree(robot, tree) => {
                let robot = self.robot_number(robot);
                robot.map_or(0, |robot| robot.first_subsystem + tree)
            }
        }
    }

    /// Who is joined with whom, and where something else acts; before the step is solved, where something else
    /// may act.
    pub(super) fn group_joined(&self, paths: &mut JoinedPaths, is_early: bool) {
        let groups = &mut paths.groups;
        let layout = &self.tables.layout;
        groups.reset(layout.subsystem_count());
        let frames = &self.places.frames;
        for connection in &self.connections {
            let ends = [connection.body_a, connection.body_b].map(|body| frames.motion[body.0]);
            let mut moving = ends.iter().filter_map(|motion| motion.subsystem());
            let Some(first) = moving.next() else {
                continue;
            };
            groups.is_joined[first] = true;
            for other in moving {
                groups.is_joined[other] = true;
                groups.join(first, other);
            }
            let is_ours = |motion: &Motion| match motion.subsystem() {
                Some(subsystem) => self.mover_of(subsystem).is_some(),
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
        for number in 0..self.robots.len() {
            let Some(robot) = self.robot_number(number) else {
                continue;
            };
            for coupling in 0..robot.model.couplings().len() {
                let mut trees = robot.coupled(coupling);
                let Some(first) = trees.next() else {
                    continue;
                };
                let first = robot.first_subsystem + first;
                groups.is_joined[first] = true;
                for other in trees.map(|other| robot.first_subsystem + other) {
                    groups.is_joined[other] = true;
                    groups.join(first, other);
                }
                if !robot.has_free_paths() {
                    groups.block(first);
                }
            }
        }
        for (index, head) in self.rows.heads().iter().enumerate() {
            let is = |kind: RowKind| head.key.kind == kind as u16;
            if is(RowKind::Connection) || is(RowKind::Coupling) {
                continue;
            }
            let may_be_open = is(RowKind::Contact) || is(RowKind::Limit);
            let is_open = match is_early {
                true => head.inactive.is_some(),
                false => {
                    let impulse = &self.results[index].impulse;
                    may_be_open && impulse.iter().all(|&impulse| impulse == 0.0)
                }
            };
            if !is_open {
                for subsystem in self.rows.touched(head) {
                    groups.block(subsystem);
                    paths.may_come |= is_early && may_be_open && groups.is_joined[subsystem];
                }
            }
        }
        if !is_early {
            self.islands
                .for_each_on_way(|subsystem| groups.block(subsystem));
        }
        for subsystem in self.tendons.iter().flat_map(|t| t.model.touches()) {
            groups.block(subsystem);
        }
    }

    /// Gives every group what connects it; mechanisms that are as they were stay as they are.
    pub(super) fn deal_out(&self, paths: &mut JoinedPaths) -> Result<()> {
        let mut members = std::mem::take(&mut paths.members);
        members.clear();
        let mut add = |subsystem: usize, item: Item| {
            let root = paths.groups.root(subsystem);
            if !paths.groups.is_blocked[root] {
                members.push((root, item));
            }
        };
        for (index, connection) in self.connections.iter().enumerate() {
            let ends = [connection.body_a, connection.body_b];
            let motion = |body: BodyHandle| self.places.frames.motion[body.0].subsystem();
            if let Some(subsystem) = ends.into_iter().find_map(motion) {
                add(subsystem, Item::Connection(index));
            }
        }
        for number in 0..self.robots.len() {
            let Some(robot) = self.robot_number(number) else {
                continue;
            };
            for coupling in 0..robot.model.couplings().len() {
                if let Some(tree) = robot.coupled(coupling).next() {
                    let subsystem = robot.first_subsystem + tree;
                    add(subsystem, Item::Coupling(number, coupling));
                }
            }
        }
        members.sort_unstable();
        let mut number = 0;
        let mut active = std::mem::take(&mut paths.active);
        for group in members.chunk_by(|a, b| a.0 == b.0) {
            let same = |known: &Known| {
                let items = group.iter().map(|&(_, item)| item);
                known.items.len() == group.len() && items.eq(known.items.iter().copied())
            };
            // Most often they are those of the last step.
            let last = active.get(number).copied();
            let last = last.filter(|&at| same(&paths.known[at]));
            let found = last.or_else(|| paths.known.iter().position(same));
            let at = match found {
                Some(at) => at,
                None => {
                    let mut known = Known::default();
                    known.items.extend(group.iter().map(|&(_, item)| item));
                    self.find_movers(&mut known);
                    self.learn(&mut known)?;
                    paths.known.push(known);
                    paths.known.len() - 1
                }
            };
            match active.get_mut(number) {
                Some(active) => *active = at,
                None => active.push(at),
            }
            number += 1;
        }
        active.truncate(number);
        paths.active = active;
        paths.members = members;
        Ok(())
    }

    /// What moves in a mechanism.
    fn find_movers(&self, known: &mut Known) {
        known.movers.clear();
        for item in &known.items {
            match *item {
                Item::Connection(index) => {
                    let connection = &self.connections[index];
                    for body in [connection.body_a, connection.body_b] {
                        let motion = self.places.frames.motion[body.0];
                        let mover = match self.tables.bodies[body.0].kind {
                            Kind::Free(item) => Some(Mover::Body(item)),
                            _ => motion.subsystem().and_then(|at| self.mover_of(at)),
                        };
                        known.movers.extend(mover);
                    }
                }
                Item::Coupling(number, coupling) => {
                    if let Some(robot) = self.robot_number(number) {
                        let trees = robot.coupled(coupling);
                        known
                            .movers
                            .extend(trees.map(|tree| Mover::Tree(number, tree)));
                    }
                }
            }
        }
        known.movers.sort_unstable();
        known.movers.dedup();
    }
}
