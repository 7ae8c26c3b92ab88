//! The energy account of trees that constraints act on.
//!
//! Their step is of first order. What it does to the energy beside the work of what acts is an error (see
//! `robot::contact_step`), and so is the work of joints between bodies, loops and couplings, which do none, of
//! contacts, limits and dry friction where they give any, and what putting positions right lifts: pushing apart what
//! overlaps, and bringing joints back. What all of it together gives the trees of an island is taken from their
//! motion at once; what it takes from them is lost. Only errors of joints come and go with the motion: those of an
//! island that has any are added up, and what exceeds what a step of gravity does is taken.

use stiction_islands::Head;

use super::rows::RowKind;
use crate::error::Result;
use crate::ledger::{driven_work, exerted};
use crate::robot::{ContactEnd, ContactMemory, Robot};
use crate::world::World;

/// How fast the scale forgets, s.
const MEMORY: f64 = 10.0;

/// A tree on no free path.
#[derive(Debug, Clone, Copy)]
struct TreeEnd {
    /// Position among the world's robots, and in the robot.
    robot: usize,
    tree: usize,
    island: usize,
    end: ContactEnd,
}

/// The trees of an island that are on no free path, added up.
#[derive(Debug, Clone, Copy, Default)]
struct Balance {
    trees: f64,
    error: f64,
    /// Of the trees, and of free bodies that joints hold to something, J.
    kinetic: f64,
    /// What gravity may do in a second, W.
    power: f64,
    /// What errors have added to the energy and may be paid back, J.
    debt: f64,
    /// Work of joints, loops and couplings, J.
    of_joints: f64,
    /// Work of contacts, limits and friction, J.
    of_touch: f64,
    /// Sum of what contacts exert along their normals, and of what all constraints do, N·s or N·m·s.
    impulse: f64,
    exerted: f64,
    is_joined: bool,
    /// Whether it has members whose velocities are not those of its positions.
    lags: bool,
    /// What velocities are multiplied by.
    factor: f64,
}

/// Work space of the accounts.
#[derive(Debug, Default)]
pub(super) struct TreeAccounts {
    ends: Vec<TreeEnd>,
    /// Per subsystem that names an island.
    islands: Vec<Balance>,
}

impl World {
    /// Takes from trees that constraints act on what the step gave them.
    pub(super) fn settle_tree_accounts(&mut self) -> Result<()> {
        if !self.settings.energy_account {
            return Ok(());
        }
        let mut accounts = std::mem::take(&mut self.account.trees);
        let result = self.collect_ends(&mut accounts.ends);
        if result.is_ok() && !accounts.ends.is_empty() {
            accounts.islands.clear();
            let count = self.tables.layout.subsystem_count();
            accounts.islands.resize(count, Balance::default());
            self.add_up_rows(&mut accounts.islands);
            self.add_up_trees(&mut accounts);
            self.find_lagging(&mut accounts.islands);
            let step = self.settings.time_step;
            // With θ = 0 impacts act at their instant within the step, and their work is seen by what gravity does in
            // it off.
            let lag = match self.settings.theta > 0.0 {
                true => 0.0,
                false => step * self.settings.gravity.norm(),
            };
            for island in &mut accounts.islands {
                self.report.energy_taken += island.settle(step, lag, self.settings.tolerance);
            }
            self.slow_down(&accounts);
        }
        self.account.trees = accounts;
        result
    }

    /// How all trees on no free path end.
    fn collect_ends(&self, ends: &mut Vec<TreeEnd>) -> Result<()> {
        ends.clear();
        let q = &self.next.q;
        for (number, handle) in self.robots.iter().enumerate() {
            let Some(robot) = self.mechanisms.typed::<Robot>(handle.index) else {
                continue;
            };
            robot.for_each_contact_end([q, &self.next.v], |tree, end| {
                let island = self.islands.island_of(robot.first_subsystem + tree);
                ends.extend(island.map(|island| TreeEnd {
                    robot: number,
                    tree,
                    island,
                    end,
                }));
            })?;
        }
        Ok(())
    }

    fn add_up_rows(&self, islands: &mut [Balance]) {
        for (head, result) in self.rows.heads().iter().zip(self.last.results()) {
            let mut touched = self.rows.touched(head);
            let island = touched.find_map(|subsystem| self.islands.island_of(subsystem));
            let (Some(at), true) = (island, result.impulse.iter().any(|&one| one != 0.0)) else {
                continue;
            };
            let island = &mut islands[at];
            let own = result.work - driven_work(result);
            island.exerted += exerted(result);
            let is = |kind: RowKind| head.key.kind == kind as u16;
            if is(RowKind::Contact) {
                let point = &self.contacts.points[head.item as usize];
                // A surface that gives stores energy.
                let gives = point.material.compliance > 0.0;
                island.of_touch += if gives { own.min(0.0) } else { own };
                island.impulse += result.impulse[2].abs();
            } else if is(RowKind::Limit) || is(RowKind::Friction) {
                island.of_touch += own;
            } else if is(RowKind::Coupling) || (is(RowKind::Connection) && self.is_joint(head)) {
                island.is_joined = true;
                island.of_joints += own;
            }
        }
    }

    /// Islands whose velocities are not those of their positions at the same time: those of implicit Euler lag
    /// behind by half a step.
    fn find_lagging(&self, islands: &mut [Balance]) {
        let is_euler = self.settings.theta == 0.0;
        for (subsystem, &(mechanism, _)) in self.tables.layout.owner.iter().enumerate() {
            if let Some(at) = self.islands.island_of(subsystem) {
                let lag = self.mechanisms.get(mechanism).velocity_lag();
                islands[at].lags |= is_euler && lag != 0.0;
            }
        }
    }

    /// Whether a constraint is of a connection that holds positions.
    fn is_joint(&self, head: &Head) -> bool {
        let connection = self.connections.get(head.key.owner as usize);
        connection.is_some_and(|connection| connection.kind.holds_positions())
    }

    fn add_up_trees(&self, accounts: &mut TreeAccounts) {
        for tree in &accounts.ends {
            let island = &mut accounts.islands[tree.island];
            island.trees += 1.0;
            island.error += tree.end.error;
            island.kinetic += tree.end.kinetic;
            island.power += tree.end.power;
            let memory = self
                .robot_at(tree.robot)
                .map(|robot| robot.contact_memory(tree.tree, &self.next));
            island.debt += memory.unwrap_or_default().debt;
        }
        let bodies = &self.mechanisms.free_bodies;
        for (subsystem, _, _, energy) in bodies.energies(&self.next, &self.settings) {
            if let Some(at) = self.islands.island_of(subsystem)
                && accounts.islands[at].is_joined
            {
                accounts.islands[at].kinetic += energy.kinetic;
            }
        }
    }

    /// Multiplies velocities, and remembers what is still owed: every tree of an island a part of it.
    fn slow_down(&mut self, accounts: &TreeAccounts) {
        let kept = (1.0 - self.settings.time_step / MEMORY).max(0.0);
        for tree in &accounts.ends {
            let island = &accounts.islands[tree.island];
            let Some(robot) = self
                .robots
                .get(tree.robot)
                .and_then(|handle| self.mechanisms.typed::<Robot>(handle.index))
            else {
                continue;
            };
            let before = robot.contact_memory(tree.tree, &self.next);
            let memory = ContactMemory {
                scale: (kept * before.scale).max(tree.end.kinetic),
                debt: island.debt / island.trees,
            };
            robot.set_contact_memory(tree.tree, memory, &mut self.next);
            let dofs = self.tables.layout.dofs(robot.first_subsystem + tree.tree);
            self.next.v[dofs]
                .iter_mut()
                .for_each(|v| *v *= island.factor);
        }
        for (subsystem, dofs) in self.mechanisms.free_bodies.subsystems() {
            if let Some(at) = self.islands.island_of(subsystem)
                && accounts.islands[at].is_joined
                && accounts.islands[at].trees > 0.0
            {
                let factor = accounts.islands[at].factor;
                self.next.v[dofs].iter_mut().for_each(|v| *v *= factor);
            }
        }
    }

    fn robot_at(&self, number: usize) -> Option<&Robot> {
        self.mechanisms.typed(self.robots.get(number)?.index)
    }
}

impl Balance {
    /// Decides what is taken, J, of what the solver's tolerance does not explain; `lag` is the velocity (m/s) by which
    /// impacts may be seen off.
    fn settle(&mut self, step: f64, lag: f64, tolerance: f64) -> f64 {
        self.factor = 1.0;
        let lift = step * self.power;
        // Impacts act at their instant: where velocities lag, their work is seen by what gravity does in the step off.
        let unseen = if self.lags { lag * self.impulse } else { 0.0 };
        let noise = tolerance * self.exerted;
        let given = self.error + self.of_joints + self.of_touch - unseen - noise;
        let excess = match self.is_joined {
            // Errors of joints come and go with the motion.
            true => {
                let owed = (self.debt + given).max(0.0);
                self.debt = owed.min(lift);
                // A debt that is too large because the motion died down is forgiven.
                (owed - lift).min(given).max(0.0)
            }
            false => {
                self.debt = 0.0;
                given.max(0.0)
            }
        };
        if !(excess > 0.0 && self.trees > 0.0 && self.kinetic > 0.0) {
            return 0.0;
        }
        let excess = excess.min(self.kinetic);
        self.factor = (1.0 - excess / self.kinetic).sqrt();
        excess
    }
}
