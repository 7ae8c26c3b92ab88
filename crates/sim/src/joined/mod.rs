//! What is joined, and what nothing else acts on, on a path of its own.
//!
//! A step is of first order: a pendulum of a body on a joint loses its swing, a linkage its energy. Where no
//! contact, tendon or other mechanism acts on free bodies and robots' trees that joints, loops, couplings and
//! springs connect, they move by Runge–Kutta on the constrained equations of motion instead, as trees do that
//! nothing touches. What only they connect is not solved for at all; where a contact or limit is near, the step is
//! solved first and says whether it acts. The step is also what remains where there is no such path: joints that do
//! not close, springs or drives too stiff for substeps, a contact in the way.

mod account;
mod creep;
mod energy;
mod factor;
mod groups;
mod joint;
mod learn;
mod mechanism;
mod member;
mod result;
mod rule;
mod spring;

use nalgebra::{UnitQuaternion, Vector3};
use stiction_dynamics::{Integrator, MotionMemory};

use crate::error::Result;
use crate::settings::Settings;
use crate::step::RowKind;
use crate::world::World;
use groups::Groups;
use mechanism::{Mechanism, Reaction};
use rule::Rule;

pub(crate) use member::Body;

/// Multiplications of a factorisation from which on a mechanism takes no path: nets of thousands of joints,
/// whose envelope is wide.
const MOST_COST: usize = 4_000_000;

/// Mechanisms and their paths. Keeps its storage.
#[derive(Debug, Default)]
pub(crate) struct JoinedPaths {
    groups: Groups,
    /// What may be on paths, by groups.
    members: Vec<(usize, Item)>,
    /// All that were met; which of them are of this step.
    known: Vec<Known>,
    active: Vec<usize>,
    /// Whether a contact or limit that may do nothing touches something joined.
    may_come: bool,
    rule: Rule,
    /// v̂ of all islands before paths were taken, and the subsystems whose paths must still be compared with
    /// contacts.
    solved: Vec<f64>,
    is_asked: Vec<bool>,
    disobeyed: Vec<usize>,
    taken: Vec<Taken>,
}

/// What connects subsystems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    /// Among the world's connections.
    Connection(usize),
    /// A robot's position among robots, and which of its couplings.
    Coupling(usize, usize),
}

/// What moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mover {
    /// A free body by its number.
    Body(usize),
    /// A robot's position among robots, and which of its trees.
    Tree(usize, usize),
}

/// A mechanism, and what it was made of.
#[derive(Debug, Default)]
struct Known {
    items: Vec<Item>,
    movers: Vec<Mover>,
    mechanism: Mechanism,
    /// What each joint exerted on its last path.
    impulses: Vec<(Item, Reaction)>,
}

/// A path that was taken.
#[derive(Debug, Clone, Copy)]
struct Taken {
    /// The group, and its mechanism among those that are known.
    root: usize,
    known: usize,
    /// Work of what connects the mechanism, J.
    work: f64,
    /// Whether it was taken before the step was solved.
    is_early: bool,
}

/// Where a free body is and how it moves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyAt {
    /// Centre of mass, world, m.
    pub(crate) center: Vector3<f64>,
    pub(crate) rotation: UnitQuaternion<f64>,
    /// Of the centre of mass, world axes, m/s.
    pub(crate) velocity: Vector3<f64>,
    /// Body axes, rad/s.
    pub(crate) spin: Vector3<f64>,
}

/// The end of a body's path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathEnd {
    pub(crate) at: BodyAt,
    /// What the body carries on with.
    pub(crate) memory: MotionMemory,
    /// Of the mechanism, told by one of its members.
    pub(crate) substeps: usize,
    pub(crate) taken: f64,
}

impl World {
    /// Whether anything that is joined may take a path of its own.
    fn has_joined_paths(&self) -> bool {
        self.settings.integrator == Integrator::Rk4
            && (!self.connections.is_empty() || self.has_couplings())
    }

    /// Before islands are made: paths of what nothing but joints connects. Their constraints are settled.
    pub(crate) fn take_clear_joined_paths(&mut self) -> Result<()> {
        let mut paths = std::mem::take(&mut self.joined);
        // Of a solve before this one.
        for taken in &paths.taken {
            for &mover in &paths.known[taken.known].movers {
                self.leave(mover);
            }
        }
        paths.taken.clear();
        paths.may_come = false;
        let result = match self.has_joined_paths() {
            true => self.take_joined(&mut paths, true),
            false => Ok(()),
        };
        self.joined = paths;
        result
    }

    /// After the step was solved: paths of what nothing else turned out to act on.
    pub(crate) fn take_joined_paths(&mut self) -> Result<()> {
        if !self.has_joined_paths() {
            return Ok(());
        }
        let mut paths = std::mem::take(&mut self.joined);
        let result = match paths.may_come {
            true => self.take_joined(&mut paths, false),
            false => Ok(()),
        };
        if result.is_ok() {
            self.write_impulses(&mut paths);
        }
        self.joined = paths;
        result
    }

    fn take_joined(&mut self, paths: &mut JoinedPaths, is_early: bool) -> Result<()> {
        self.group_joined(paths, is_early);
        paths.is_asked.clear();
        let count = self.tables.layout.subsystem_count();
        paths.is_asked.resize(count, false);
        paths.solved.clone_from(&self.v_hat);
        self.deal_out(paths)?;
        for at in 0..paths.active.len() {
            let number = paths.active[at];
            let root = self.root_of(paths, number);
            let is_taken = paths.taken.iter().any(|taken| taken.root == root);
            if !is_taken {
                self.try_path(paths, number, is_early)?;
            }
        }
        match is_early {
            true => self.settle(paths),
            false => self.leave_obstructed(paths),
        }
        Ok(())
    }

    /// The group of a mechanism.
    fn root_of(&self, paths: &mut JoinedPaths, number: usize) -> usize {
        let first = paths.known[number].movers.first();
        let subsystem = first.map_or(0, |mover| self.subsystem_of(*mover));
        paths.groups.root(subsystem)
    }

    /// Finds the path of a mechanism and puts its members there.
    fn try_path(&mut self, paths: &mut JoinedPaths, number: usize, is_early: bool) -> Result<()> {
        let known = &mut paths.known[number];
        let is_midpoint = self.settings.theta != Settings::IMPLICIT_EULER;
        // The midpoint rule is as good on bodies as long as their joints are all there is.
        if known.mechanism.cost() > MOST_COST || is_midpoint && !known.mechanism.has_trees() {
            return Ok(());
        }
        let step = self.settings.time_step;
        let mut memory = self.renew(known, &mut paths.rule)?;
        let motion = self.settings.motion();
        let settings = &self.settings;
        paths.rule.may_take_longer = settings.max_iterations.is_none()
            && settings.solver_time.is_none()
            && settings.step_time.is_none();
        known.mechanism.place(&paths.rule.q, &paths.rule.v);
        let stored = known.mechanism.spring_energy();
        let mechanism = &mut known.mechanism;
        let Some(moved) = paths.rule.step(mechanism, step, &motion, &mut memory) else {
            return Ok(());
        };
        let share = 1.0 / known.movers.len() as f64;
        memory.margin *= share;
        memory.scale *= share;
        known.mechanism.place(&paths.rule.q, &paths.rule.v);
        let given = known.mechanism.spring_energy() - stored;
        let pushed = self.put_on_paths(known, &paths.rule, memory, &moved)?;
        for mover in &known.movers {
            paths.is_asked[self.subsystem_of(*mover)] = true;
        }
        known.impulses.clear();
        let joints = known.mechanism.holdings.iter().zip(&paths.rule.impulses);
        known
            .impulses
            .extend(joints.map(|(holding, impulse)| (Item::of(holding), *impulse)));
        known.impulses.sort_unstable_by_key(|&(item, _)| item);
        let root = self.root_of(paths, number);
        paths.taken.push(Taken {
            root,
            known: number,
            work: moved.work - moved.tree_work - pushed - given - moved.refused,
            is_early,
        });
        Ok(())
    }

    /// Takes constraints of what is on its path out of the step, and what is beyond a limit there off its path.
    fn settle(&mut self, paths: &mut JoinedPaths) {
        for index in 0..self.rows.heads().len() {
            let Some(limit) = self.rows.heads()[index].inactive else {
                continue;
            };
            let velocity = self.v_hat[self.tables.layout.dof_start[limit.subsystem] + limit.dof];
            let [lowest, highest] = limit.interval;
            if paths.is_asked[limit.subsystem] && !(lowest..=highest).contains(&velocity) {
                let root = paths.groups.root(limit.subsystem);
                self.leave_path(paths, root);
            }
        }
        for index in 0..self.rows.heads().len() {
            let head = self.rows.heads()[index];
            let is_on_path = |subsystem: usize| paths.is_asked[subsystem];
            let is_touched = self.rows.touched(&head).any(is_on_path);
            if head.inactive.is_none() && is_touched {
                self.rows.settle(index);
            }
        }
    }

    /// Takes mechanisms off their paths where a contact or limit is in the way.
    fn leave_obstructed(&mut self, paths: &mut JoinedPaths) {
        let is_joint =
            |kind: u16| kind == RowKind::Connection as u16 || kind == RowKind::Coupling as u16;
        let has_others = self.rows.heads().iter().any(|head| {
            let mut touched = self.rows.touched(head);
            !is_joint(head.key.kind) && touched.any(|subsystem| paths.is_asked[subsystem])
        });
        while has_others && !paths.taken.is_empty() {
            self.islands.disobeyed(
                &self.rows,
                &self.tables.layout.dof_start,
                &paths.is_asked,
                &self.v_hat,
                &mut paths.disobeyed,
            );
            let mut is_changed = false;
            for at in 0..paths.disobeyed.len() {
                let head = self.rows.heads()[paths.disobeyed[at]];
                if is_joint(head.key.kind) {
                    continue;
                }
                let touched: [Option<usize>; 4] = {
                    let mut touched = self.rows.touched(&head);
                    std::array::from_fn(|_| touched.next())
                };
                for subsystem in touched.into_iter().flatten() {
                    let root = paths.groups.root(subsystem);
                    is_changed |= self.leave_path(paths, root);
                }
            }
            if !is_changed {
                break;
            }
        }
    }

    /// Takes the mechanism of a group off its path; whether it was on one.
    fn leave_path(&mut self, paths: &mut JoinedPaths, root: usize) -> bool {
        let Some(at) = paths.taken.iter().position(|taken| taken.root == root) else {
            return false;
        };
        let Taken { known, .. } = paths.taken.swap_remove(at);
        for &mover in &paths.known[known].movers {
            let subsystem = self.subsystem_of(mover);
            self.leave(mover);
            let dofs = self.tables.layout.dofs(subsystem);
            self.v_hat[dofs.clone()].copy_from_slice(&paths.solved[dofs]);
            paths.is_asked[subsystem] = false;
        }
        true
    }
}
