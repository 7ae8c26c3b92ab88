//! Errors of position that a step left in joints between bodies, loops, couplings and hard tendons are
//! projected out at its end.
//!
//! Newton's method on the errors φ of the equality rows with the smallest displacement by mass,
//! min ½ Δqᵀ M Δq with J Δq + φ = 0: the problem of a step with v̂ = Δq, b = 0 and e = φ, dealt out to
//! the islands of the step and solved by their solver. Limits and contacts are kept in as inequalities,
//! so that nothing is pushed through another; with θ = 1/2, where an impact lets bodies go on into each
//! other for a part of the step, what the step added to an overlap is undone as well. A displacement is taken only if the worst error of its
//! island falls, halved until it does. Momenta stay as they are: velocities follow from them.

use nalgebra::{Isometry3, Point3, Vector3};
use stiction_collision::{ContactPoint, Support};
use stiction_constraints::{Budget, Law, Problem, Subsystem};
use stiction_islands::{
    Assembly, AssemblyError, Head, Islands, RowList, RowNote, RowResult, StepContext,
};
use stiction_modeling::{Places, RowWriter, Scheme, Site, Twist};

use super::contacts::touches;
use super::rows::WorldAssembly;
use super::rows::{CONNECTIONS, CONTACTS, FIRST_MECHANISM, PART_BITS, RowKind, TENDONS};
use crate::error::Result;
use crate::mechanism::{Mechanisms, Now, Placing};
use crate::settings::Settings;
use crate::world::World;

/// Most Newton steps: from an error of 1 % of a link three are enough for 1e-6.
const MOST_PASSES: usize = 6;
/// Most times that a displacement is halved before its island is left as it is.
const MOST_HALVINGS: usize = 4;
/// Most iterations of the solver: errors that nothing closes must not take longer than the step.
const MOST_ITERATIONS: usize = 200;
/// Share of the tolerance that the solver may leave.
const SOLVER_SHARE: f64 = 0.05;

/// What overlaps are compared with, m: at the default tolerance 1 nm is left.
const CONTACT_SIZE: f64 = 1e-3;

/// Rows of a problem in positions: displacements over one unit of time, errors closed whole.
const POSITIONS: Scheme = Scheme {
    dt: 1.0,
    theta: 0.0,
    baumgarte: 1.0,
    push_out_speed: f64::INFINITY,
};

/// Work space of projections.
#[derive(Default)]
pub(crate) struct Projection {
    islands: Islands,
    rows: RowList,
    results: Vec<RowResult>,
    contacts: Vec<HeldContact>,
    /// Poses and nodes where the contacts were found, and poses at the start of the step.
    poses: Vec<Isometry3<f64>>,
    start: Vec<Isometry3<f64>>,
    nodes: Vec<Point3<f64>>,
    /// Per subsystem that names an island: its worst relative error, that of a trial, and the share of
    /// the displacement that is tried; islands that are not projected have none.
    worst: Vec<f64>,
    trial: Vec<f64>,
    share: Vec<f64>,
    /// Δq, and what is tried of it.
    way: Vec<f64>,
    tried: Vec<f64>,
}

/// What a projection does about contacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Undo {
    /// It closes none that is open, and no closed one any further.
    Nothing,
    /// It opens those that the step closed too far.
    Overlaps,
}

/// A contact that a projection must not close any further than the gap.
#[derive(Debug, Clone, Copy)]
struct HeldContact {
    sites: [Site; 2],
    normal: Vector3<f64>,
    /// How far it may close, m; negative where it has to open by as much.
    gap: f64,
}

impl Projection {
    /// Forgets all solvers.
    pub(crate) fn clear(&mut self) {
        self.islands.clear();
    }

    /// Whether any island still has to be projected.
    fn is_wanted(&self) -> bool {
        self.share.iter().any(|&share| share > 0.0)
    }

    /// Takes over where the contacts of the step are: they are followed from there.
    fn follow(&mut self, places: &Places) {
        self.poses.clone_from(&places.frames.pose);
        self.nodes.clone_from(&places.nodes.position);
        let frames = &places.frames;
        self.start.clone_from(match places.advance > 0.0 {
            true => &frames.start,
            false => &frames.pose,
        });
    }

    /// Where one side of a contact of the step is now, and how far its material point went.
    fn side(
        &self,
        support: &Support,
        point: &Point3<f64>,
        places: &Places,
    ) -> (Site, Vector3<f64>) {
        let went = |frame: u32, from: &Point3<f64>| {
            let local = self.poses[frame as usize].inverse_transform_point(from);
            places.frames.pose[frame as usize] * local - from
        };
        match *support {
            Support::Frame(frame) => {
                let way = went(frame, point);
                let at = point + way;
                (Site::Frame { frame, at }, way)
            }
            Support::Frames { frames, weights } => {
                let origins = frames.map(|frame| self.poses[frame as usize].translation.vector);
                let mean = origins[0] * weights[0] + origins[1] * weights[1];
                let offset = point.coords - mean;
                let ways = [0, 1].map(|end| {
                    went(frames[end], &Point3::from(origins[end] + offset)) * weights[end]
                });
                let site = Site::Between {
                    frames,
                    weights,
                    offset,
                };
                (site, ways[0] + ways[1])
            }
            Support::Nodes {
                nodes,
                weights,
                count,
            } => {
                let mut terms = [(0, 0.0); 3];
                let mut way = Vector3::zeros();
                let count = usize::from(count);
                for at in 0..count {
                    let (node, weight) = (nodes[at], weights[at]);
                    terms[at] = (node, weight);
                    let position = &places.nodes.position[node as usize];
                    way += (position - self.nodes[node as usize]) * weight;
                }
                (Site::weighted(&terms[..count]), way)
            }
        }
    }

    fn hold(&self, point: &ContactPoint, places: &Places, undo: Undo) -> HeldContact {
        let (a, way_a) = self.side(&point.on[0], &point.point, places);
        let (b, way_b) = self.side(&point.on[1], &point.point, places);
        let gap = point.gap + point.normal.dot(&(way_b - way_a));
        HeldContact {
            sites: [a, b],
            normal: point.normal,
            gap: match undo {
                Undo::Nothing => gap.max(0.0),
                Undo::Overlaps => gap - self.gap_at_start(point).min(0.0),
            },
        }
    }

    /// Gap of a contact between bodies at the start of the step, m.
    fn gap_at_start(&self, point: &ContactPoint) -> f64 {
        let way = |support: &Support| match *support {
            Support::Frame(frame) => {
                let local = self.poses[frame as usize].inverse_transform_point(&point.point);
                self.start[frame as usize] * local - point.point
            }
            Support::Frames { .. } | Support::Nodes { .. } => Vector3::zeros(),
        };
        point.gap + point.normal.dot(&(way(&point.on[1]) - way(&point.on[0])))
    }

    /// Names the rows of the islands that are projected; `island` names the island of a subsystem.
    fn list(
        &mut self,
        world: &WorldAssembly<'_>,
        points: &[ContactPoint],
        undo: Undo,
        island: impl Fn(usize) -> Option<usize>,
    ) {
        let share = &self.share;
        let is_wanted = |subsystem: usize| island(subsystem).is_some_and(|at| share[at] > 0.0);
        let places = world.places;
        self.contacts.clear();
        let mut rows = std::mem::take(&mut self.rows);
        rows.clear();
        rows.set_source(CONTACTS);
        for point in points {
            let mut wanted = false;
            touches(point, places, |subsystem| wanted |= is_wanted(subsystem));
            if wanted {
                let item = self.contacts.len();
                let held = self.hold(point, places, undo);
                self.contacts.push(held);
                rows.push_with(RowKind::Contact.key(0, item as u64), item, |out| {
                    touches(point, places, |subsystem| out.touch(subsystem));
                });
            }
        }
        rows.set_source(CONNECTIONS);
        for (index, connection) in world.connections.iter().enumerate() {
            let connector = connection.connector();
            let mut wanted = false;
            connector.touches(places, |subsystem| wanted |= is_wanted(subsystem));
            if !wanted || connection.kind.is_spring() {
                continue;
            }
            for part in 0..connection.kind.parts().len() {
                let key = RowKind::Connection.key(index, part as u64);
                rows.push_with(key, (index << PART_BITS) + part, |out| {
                    connector.touches(places, |subsystem| out.touch(subsystem));
                });
            }
        }
        for (number, mechanism) in world.mechanisms.iter().enumerate() {
            if let Some(source) = mechanism.rows() {
                rows.set_source(FIRST_MECHANISM + number);
                source.list_positions(places, &mut rows);
            }
        }
        rows.set_source(TENDONS);
        for (index, tendon) in world.tendons.iter().enumerate() {
            for (number, part) in tendon.model.parts().enumerate() {
                let key = RowKind::Tendon.key(index, part);
                rows.push(key, (index << PART_BITS) + number, tendon.model.touches());
            }
        }
        self.rows = rows;
    }
}

/// Writes the problems of a projection.
struct PositionAssembly<'a> {
    world: WorldAssembly<'a>,
    contacts: &'a [HeldContact],
}

impl Assembly for PositionAssembly<'_> {
    fn shape(&self, subsystem: usize) -> Subsystem {
        self.world.shape(subsystem)
    }

    fn write_subsystem(
        &self,
        subsystem: usize,
        a: &mut Subsystem,
        b: &mut [f64],
    ) -> std::result::Result<(), AssemblyError> {
        let (mechanism, own) = self.world.layout.owner[subsystem];
        self.world.mechanisms.get(mechanism).write_matrix(own, a);
        b.fill(0.0);
        Ok(())
    }

    fn write_row(
        &self,
        head: &Head,
        local: &[u32],
        problem: &mut Problem,
    ) -> std::result::Result<RowNote, AssemblyError> {
        if head.source as usize != CONTACTS {
            return self.world.write_row(head, local, problem);
        }
        let contact = &self.contacts[head.item as usize];
        let mut row = RowWriter::new(problem, 1, local, self.world.places);
        row.point(&contact.sites[0], -1.0, &[contact.normal]);
        row.point(&contact.sites[1], 1.0, &[contact.normal]);
        row.finish(Law::Unilateral, &[contact.gap])?;
        Ok(RowNote::default())
    }

    fn solves_alone(&self, _subsystem: usize) -> bool {
        true
    }

    fn free_velocity(&self, _subsystem: usize, v_hat: &mut [f64]) {
        v_hat.fill(0.0);
    }
}

impl World {
    /// Projects the positions of the next state; those of the step before are where the contacts are.
    pub(crate) fn project(&mut self) -> Result<()> {
        let has_overlaps = self.undo() == Undo::Overlaps && !self.contacts.points.is_empty();
        if self.held_positions().is_empty() && !has_overlaps {
            return Ok(());
        }
        let tolerance = self.settings.joint_tolerance;
        self.projection.follow(&self.places);
        self.passing.clone_from(&self.next.q);
        self.place_passing()?;
        self.measure_trial();
        let projection = &mut self.projection;
        projection.worst.clone_from(&projection.trial);
        projection.share.clear();
        let wanted = projection.worst.iter();
        let wanted = wanted.map(|&worst| if worst > tolerance { 1.0 } else { 0.0 });
        projection.share.extend(wanted);
        for _ in 0..MOST_PASSES {
            if !self.projection.is_wanted() || !self.find_displacement()? {
                break;
            }
            self.try_displacement()?;
            if !self.is_pushed {
                // The ledger compares with positions before any were put right.
                self.plain.clone_from(&self.next.q);
                self.is_pushed = true;
            }
            self.mechanisms
                .free_bodies
                .keep_momentum(&self.passing, &mut self.next);
            let projection = &mut self.projection;
            projection.worst.clone_from(&projection.trial);
            for (share, worst) in projection.share.iter_mut().zip(&projection.worst) {
                let is_done = *share == 0.0 || *worst <= tolerance;
                *share = if is_done { 0.0 } else { 1.0 };
            }
            self.next.q.clone_from(&self.passing);
        }
        Ok(())
    }

    /// Whether the projection left no joint between bodies open by more than the tolerance, or than it was
    /// before.
    pub(super) fn holds_joints(&self) -> bool {
        let mut worst = 0.0f64;
        let held = self.held_positions();
        held.for_each(&self.next.q, &self.places, |error, _| {
            worst = worst.max(error.relative());
        });
        let before = self.report.joints.relative;
        worst <= self.settings.joint_tolerance.max(1.01 * before)
    }

    fn undo(&self) -> Undo {
        match self.settings.theta == Settings::MIDPOINT {
            true => Undo::Overlaps,
            false => Undo::Nothing,
        }
    }

    /// Places everything at the positions of a trial, at rest as far as rows see it.
    pub(super) fn place_passing(&mut self) -> Result<()> {
        let at = Placing {
            q: &self.passing,
            v: &self.next.v,
            memory: &self.next.memory,
            guess: None,
            inputs: &self.commands.inputs,
        };
        self.places.advance = 0.0;
        for mechanism in self.mechanisms.iter_mut() {
            mechanism.place(&at, &mut self.places)?;
        }
        self.places.frames.twist.fill(Twist::default());
        Ok(())
    }

    /// Worst error of each island at the positions of a trial.
    fn measure_trial(&mut self) {
        let mut trial = std::mem::take(&mut self.projection.trial);
        trial.clear();
        trial.resize(self.tables.layout.subsystem_count(), 0.0);
        let held = self.held_positions();
        held.for_each(&self.passing, &self.places, |error, subsystem| {
            if let Some(at) = subsystem.and_then(|at| self.islands.island_of(at)) {
                // What is not a number is worse than anything.
                let relative = error.relative();
                trial[at] = match relative.is_nan() {
                    true => f64::INFINITY,
                    false => trial[at].max(relative),
                };
            }
        });
        if self.undo() == Undo::Overlaps {
            for point in &self.contacts.points {
                let held = self.projection.hold(point, &self.places, Undo::Overlaps);
                let mut touched = None;
                touches(point, &self.places, |subsystem| touched = Some(subsystem));
                if let Some(at) = touched.and_then(|at| self.islands.island_of(at)) {
                    trial[at] = trial[at].max(-held.gap / CONTACT_SIZE);
                }
            }
        }
        self.projection.trial = trial;
    }

    /// Solves for Δq; whether there is one.
    fn find_displacement(&mut self) -> Result<bool> {
        for mechanism in self.mechanisms.iter_mut() {
            mechanism.prepare_positions(&self.passing, &mut self.places)?;
        }
        for tendon in &mut self.tendons {
            let length = tendon.length(&self.passing, &self.places);
            tendon.model.prepare_positions(length, &self.places);
        }
        let undo = self.undo();
        let world = WorldAssembly {
            mechanisms: &self.mechanisms,
            layout: &self.tables.layout,
            contacts: &self.contacts,
            connections: &self.connections,
            tendons: &self.tendons,
            places: &self.places,
            scheme: &POSITIONS,
        };
        let projection = &mut self.projection;
        let islands = &self.islands;
        projection.list(&world, &self.contacts.points, undo, |subsystem| {
            islands.island_of(subsystem)
        });
        let assembly = PositionAssembly {
            world,
            contacts: &projection.contacts,
        };
        let largest = match undo {
            Undo::Nothing => 1.0,
            Undo::Overlaps => CONTACT_SIZE,
        };
        let sizes = self.connection_sizes.iter().copied();
        let smallest = sizes.fold(largest, f64::min);
        let budget = Budget {
            max_iterations: Some(MOST_ITERATIONS),
            rescue: false,
            stop: self.stop.clone(),
            all_residuals: false,
            ..Budget::with_tolerance(SOLVER_SHARE * self.settings.joint_tolerance * smallest)
        };
        let policy = &self.settings.overlaps;
        let step = StepContext::new(&projection.rows, &assembly, None, policy, &budget);
        let step = step.until(self.deadline);
        let starts = &self.tables.layout.dof_start;
        let count = self.tables.layout.subsystem_count();
        let make = &self.make_solver;
        projection
            .islands
            .group(&step, count, self.settings.islands, make);
        projection.way.clear();
        projection.way.resize(self.next.v.len(), 0.0);
        let (way, results) = (&mut projection.way, &mut projection.results);
        // What cannot be projected stays as it is.
        Ok(projection
            .islands
            .solve(&step, starts, way, results)
            .is_ok())
    }

    /// Takes as much of the displacement of every island as makes its worst error fall.
    fn try_displacement(&mut self) -> Result<()> {
        for halvings in 0..=MOST_HALVINGS + 1 {
            self.scale_displacement();
            let now = Now {
                state: &self.next,
                inputs: &self.commands.inputs,
                settings: &self.settings,
                guess: None,
            };
            self.passing.clone_from(&self.next.q);
            for (number, mechanism) in self.mechanisms.iter().enumerate() {
                // Driven bodies are where they are.
                if number != Mechanisms::SCENERY {
                    mechanism.retract(&now, &self.projection.tried, 1.0, &mut self.passing)?;
                }
            }
            self.place_passing()?;
            self.measure_trial();
            let Projection {
                share,
                worst,
                trial,
                ..
            } = &mut self.projection;
            let mut is_good = true;
            for ((share, worst), trial) in share.iter_mut().zip(worst).zip(trial) {
                if *share > 0.0 && !(*trial < *worst) {
                    is_good = false;
                    *share = if halvings < MOST_HALVINGS {
                        0.5 * *share
                    } else {
                        0.0
                    };
                }
            }
            if is_good {
                break;
            }
        }
        Ok(())
    }

    /// What is tried: each subsystem the share of its island.
    fn scale_displacement(&mut self) {
        let projection = &mut self.projection;
        projection.tried.clone_from(&projection.way);
        for (subsystem, dofs) in self.tables.layout.dof_start.windows(2).enumerate() {
            let island = self.islands.island_of(subsystem);
            let share = island.map_or(0.0, |at| projection.share[at]);
            for value in &mut projection.tried[dofs[0]..dofs[1]] {
                *value *= share;
            }
        }
    }
}
