//! Articulated robots: a kinematic model, its trees as subsystems, its joints' rows.

mod contact_step;
mod forces;
mod free_path;
mod indicator;
mod inverse_masses;
mod joints;
mod motion;
mod rows;
mod work;

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use stiction_constraints::{Subsystem, Tree};
use stiction_dynamics::{
    BodyId, Data, Force, Model, Motion, MotionMemory, TreeView, center_of_mass,
    centroidal_momentum, energy_from_kinematics, integrate,
};
use stiction_modeling::{Motion as Mover, Places};

use crate::body::{Body, Kind};
use crate::drive::CommandKind;
use crate::error::{Result, SimError};
use crate::mechanism::{
    Energy, Mechanism, Momentum, Now, Placing, Registry, RowSource, StepWork, Work,
};
use crate::settings::Settings;
use crate::state::State;
pub(crate) use contact_step::ContactEnd;
use contact_step::ContactStep;
pub(crate) use forces::TreeForces;
use free_path::FreePaths;
pub(crate) use free_path::PathWork;
use indicator::Indicator;
use inverse_masses::SoftJoints;
use joints::JointForces;
use rows::JointRow;

/// A robot of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RobotHandle(pub(crate) usize);

impl RobotHandle {
    /// Position among the world's robots.
    pub fn index(self) -> usize {
        self.0
    }
}

/// Numbers that a tree carries from step to step: those of its free motion, what errors of steps in contact
/// have added to its energy, J, and whether its acceleration is known. Accelerations follow those of all trees.
const TREE_MEMORY: usize = MotionMemory::LEN + 2;

/// What the energy account of trees in contact carries from step to step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct ContactMemory {
    /// Largest kinetic energy of the last seconds, J.
    pub(crate) scale: f64,
    /// What errors have added to the energy, J.
    pub(crate) debt: f64,
}

/// A robot and the buffers of its equations of motion; one subsystem for each tree.
#[derive(Debug)]
pub(crate) struct Robot {
    pub(crate) name: String,
    /// Position among the world's robots.
    number: usize,
    pub(crate) model: Model,
    /// Its part of the state.
    pub(crate) q: Range<usize>,
    pub(crate) v: Range<usize>,
    /// What its trees carry from step to step, tree by tree.
    pub(crate) memory: Range<usize>,
    /// One per tree; subsystem `first_subsystem + t`.
    pub(crate) views: Vec<TreeView>,
    trees: Vec<Tree>,
    /// Coordinates of each tree in the robot's q.
    coordinates: Vec<Range<usize>>,
    pub(crate) first_subsystem: usize,
    /// World body of the model's world; the model's body i is `first_body + i`.
    pub(crate) first_body: usize,
    pub(crate) ids: Vec<BodyId>,
    /// Kinematics where it was placed last: a step relies on them.
    placed: Data,
    /// Kinematics of whatever was measured last.
    measured: Mutex<Data>,
    joints: JointForces,
    joint_rows: Vec<JointRow>,
    /// How limits of joints give way; `None` where they don't.
    soft: Option<SoftJoints>,
    paths: FreePaths,
    /// By how many steps velocities lag behind positions on a free path.
    lag: f64,
    external: Vec<Force>,
    b: Vec<f64>,
    /// Bias force of the last [`prepare`](Mechanism::prepare), forces from outside included.
    bias: Vec<f64>,
    /// Of each tree, kg.
    masses: Vec<f64>,
    /// Work space: momentum by degree of freedom; kinetic energy and that of gravity by tree.
    momentum: Vec<f64>,
    mean: Vec<f64>,
    energies: Vec<[f64; 2]>,
    /// Of each tree: the step that it makes where constraints act.
    contact_steps: Vec<ContactStep>,
    indicators: Vec<Indicator>,
    /// Under gravity and motion alone, by degree of freedom.
    acceleration: Vec<f64>,
    /// 1/(1 − θ).
    scale: f64,
    twists: Vec<Motion>,
    momenta: Vec<Force>,
}

impl Robot {
    /// A robot at rest in its neutral configuration, its links as bodies `name/link`.
    pub(crate) fn new(
        name: &str,
        number: usize,
        model: Model,
        registry: &mut Registry<'_>,
    ) -> Result<Self> {
        let ids: Vec<BodyId> = model.bodies().collect();
        let roots = ids
            .iter()
            .filter(|&&id| id != BodyId::WORLD && model.parent(id) == Some(BodyId::WORLD));
        let views = roots
            .map(|&root| TreeView::new(&model, root))
            .collect::<std::result::Result<Vec<_>, _>>()?;
        let trees = views
            .iter()
            .map(|view| Self::empty_tree(name, view))
            .collect::<Result<Vec<_>>>()?;
        let joints = JointForces::new(name, &model)?;
        let paths = FreePaths::new(&model, views.len())?;
        let memory = vec![0.0; views.len() * TREE_MEMORY + model.nv()];
        let element = registry.element(name, &model.neutral(), &memory);
        let first_dof = registry.state.v.len();
        let first_subsystem = registry.tables.layout.subsystem_count();
        let first_body = registry.tables.bodies.len();
        for view in &views {
            let (subsystem, _) = registry.subsystem(&vec![0.0; view.dofs.len()]);
            let first_frame = first_body + view.bodies.start;
            registry.tables.layout.first_frame[subsystem] = Some(first_frame);
            registry.tables.layout.has_links = true;
        }
        let most_bodies = views.iter().map(|view| view.parents.len()).max();
        let robot = Self {
            name: name.to_owned(),
            number,
            q: element.q,
            memory: element.memory,
            paths,
            lag: 0.0,
            v: first_dof..first_dof + model.nv(),
            placed: Data::new(&model),
            measured: Mutex::new(Data::new(&model)),
            first_subsystem,
            first_body,
            joints,
            joint_rows: Vec::new(),
            soft: None,
            external: vec![Force::zero(); model.n_bodies()],
            b: vec![0.0; model.nv()],
            bias: vec![0.0; model.nv()],
            momentum: vec![0.0; model.nv()],
            mean: Vec::new(),
            energies: vec![[0.0; 2]; views.len()],
            indicators: vec![Indicator::default(); views.len()],
            acceleration: vec![0.0; model.nv()],
            contact_steps: vec![ContactStep::default(); views.len()],
            masses: model.trees().map(|tree| mass_of(&model, tree)).collect(),
            scale: 1.0,
            twists: vec![Motion::zero(); most_bodies.unwrap_or(0)],
            momenta: vec![Force::zero(); most_bodies.unwrap_or(0)],
            coordinates: model
                .trees()
                .map(|tree| model.coordinates_of(tree))
                .collect(),
            views,
            trees,
            ids,
            model,
        };
        robot.register_links(registry)?;
        registry.commands.add_robot(robot.v.clone());
        Ok(robot)
    }

    fn register_links(&self, registry: &mut Registry<'_>) -> Result<()> {
        for (link, &id) in self.ids.iter().enumerate() {
            let at = self.views.iter().enumerate().find_map(|(tree, view)| {
                let index = view.body_index(id)? as u32;
                let subsystem = (self.first_subsystem + tree) as u32;
                Some(Mover::Solved { subsystem, index })
            });
            let (motion, command) = match at {
                None => (Mover::Fixed, CommandKind::Nothing),
                Some(motion) => (motion, CommandKind::Force),
            };
            let link_name = self.model.body_name(id).unwrap_or(stiction_dynamics::WORLD);
            let name = format!("{}/{link_name}", self.name);
            let mass = self.model.inertia(id).map_or(0.0, |inertia| inertia.mass);
            let body = Body {
                kind: Kind::Link {
                    robot: self.number,
                    link,
                },
                ..Body::new(&name, mass, registry.mechanism)
            };
            registry.add_body(body, motion, command)?;
        }
        Ok(())
    }

    /// The robot's degree of freedom of a joint by name.
    pub(crate) fn dof(&self, joint: &str) -> Result<usize> {
        let info = self.model.joint(joint).ok_or_else(|| SimError::Unknown {
            what: "joint",
            name: format!("{}/{joint}", self.name),
        })?;
        if info.v.len() != 1 {
            return Err(SimError::NotPossible {
                element: format!("{}/{joint}", self.name),
                reason: format!("has {} degrees of freedom, not one", info.v.len()),
            });
        }
        Ok(info.v.start)
    }

    /// Coordinate of q that is the integral of a degree of freedom, where there is one.
    ///
    /// # Errors
    /// A degree of freedom that the robot does not have.
    pub(crate) fn position_of_dof(&self, dof: usize) -> Result<Option<usize>> {
        let found = self.joints.position_of_dof.get(dof).copied();
        found.ok_or_else(|| SimError::Unknown {
            what: "degree of freedom",
            name: format!("{}, {dof}", self.name),
        })
    }

    /// Coordinate and rate of a degree of freedom at the end of the step, as v̂ of the world leads there from
    /// its positions `q`.
    pub(crate) fn coordinate_at_end(
        &self,
        dof: usize,
        q: &[f64],
        v_hat: &[f64],
        dt: f64,
    ) -> Option<[f64; 2]> {
        let position = *self.joints.position_of_dof.get(dof)?;
        let tree = self
            .views
            .iter()
            .position(|view| view.dofs.contains(&dof))?;
        Some(match self.paths.is_on(tree) {
            true => {
                let (q, v) = self.paths.end();
                [position.map_or(0.0, |at| q[at]), v[dof]]
            }
            false => {
                let rate = v_hat[self.v.start + dof];
                let start = position.map_or(0.0, |at| q[self.q.start + at]);
                [start + dt * rate, rate]
            }
        })
    }

    /// What the account of a tree in contact carries, in a state.
    pub(crate) fn contact_memory(&self, tree: usize, state: &State) -> ContactMemory {
        let own = &state.memory[self.memory.start + tree * TREE_MEMORY..];
        ContactMemory {
            scale: own[1],
            debt: own[MotionMemory::LEN],
        }
    }

    pub(crate) fn set_contact_memory(&self, tree: usize, to: ContactMemory, state: &mut State) {
        let own = &mut state.memory[self.memory.start + tree * TREE_MEMORY..];
        (own[1], own[MotionMemory::LEN]) = (to.scale, to.debt);
    }

    /// Kinematics to measure with.
    pub(crate) fn measured(&self) -> MutexGuard<'_, Data> {
        // Whatever a panic left there is overwritten before it is read.
        self.measured.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn mass_of(model: &Model, tree: Range<usize>) -> f64 {
    let own = model.bodies().filter(|id| tree.contains(&id.index()));
    own.filter_map(|id| Some(model.inertia(id)?.mass)).sum()
}

impl Mechanism for Robot {
    fn place(&mut self, at: &Placing<'_>, places: &mut Places) -> Result<()> {
        let (q, v) = (&at.q[self.q.clone()], &at.v[self.v.clone()]);
        let guess = at.guess.map(|guess| &guess[self.v.clone()]);
        self.place_links([q, v], guess, places)
    }

    fn prepare(&mut self, now: &Now<'_>, places: &mut Places) -> Result<()> {
        match now.guess {
            None => self.paths.begin_step(),
            Some(_) => self.paths.forget_velocities(),
        }
        self.prepare_trees(now, places)?;
        let (q, v) = (&now.state.q[self.q.clone()], &now.state.v[self.v.clone()]);
        self.prepare_rows([q, v], &now.settings.scheme())
    }

    fn shape(&self, subsystem: usize) -> Subsystem {
        Subsystem::Tree(self.trees[subsystem].clone())
    }

    fn write_matrix(&self, subsystem: usize, a: &mut Subsystem) {
        self.write_tree(subsystem, a);
    }

    fn write_right_hand_side(&self, subsystem: usize, b: &mut [f64]) {
        b.copy_from_slice(&self.b[self.views[subsystem].dofs.clone()]);
    }

    fn solves_alone(&self, subsystem: usize) -> bool {
        self.paths.is_on(subsystem)
    }

    fn solve_alone(&self, subsystem: usize, b: &mut [f64]) {
        b.copy_from_slice(&self.paths.velocity[self.views[subsystem].dofs.clone()]);
    }

    fn velocity_lag(&self) -> f64 {
        self.lag
    }

    /// A drive's limit is decided by the end of the step.
    fn revise(&mut self, now: &Now<'_>, v_hat: &[f64]) -> Result<bool> {
        let (q, v_hat) = (&now.state.q[self.q.clone()], &v_hat[self.v.clone()]);
        // Free paths have looked for themselves.
        let trees = self.views.iter().enumerate();
        let off_path = trees.filter(|(tree, _)| !self.paths.is_on(*tree));
        let dofs = off_path.flat_map(|(_, view)| view.dofs.clone());
        let properties = self.model.dof_properties();
        let step = now.settings.time_step;
        if !self.joints.revise(properties, [q, v_hat], dofs, step) {
            return Ok(false);
        }
        self.add_up_forces(now)?;
        Ok(true)
    }

    fn take_free_path(
        &mut self,
        subsystem: usize,
        now: &Now<'_>,
        v_hat: &mut [f64],
    ) -> Result<bool> {
        if !self.paths.are_there {
            return Ok(false);
        }
        self.move_freely(subsystem, now)?;
        self.solve_alone(subsystem, v_hat);
        Ok(true)
    }

    fn leave_free_path(&mut self, subsystem: usize) {
        self.paths.leave(subsystem);
    }

    fn rows(&self) -> Option<&dyn RowSource> {
        Some(self)
    }

    fn retract(&self, now: &Now<'_>, v_hat: &[f64], time: f64, q: &mut [f64]) -> Result<()> {
        let (from, to) = (&now.state.q[self.q.clone()], &mut q[self.q.clone()]);
        Ok(integrate(
            &self.model,
            from,
            &v_hat[self.v.clone()],
            time,
            to,
        )?)
    }

    fn prepare_positions(&mut self, q: &[f64], places: &mut Places) -> Result<()> {
        self.prepare_tree_positions(places)?;
        self.prepare_position_rows(&q[self.q.clone()])
    }

    fn advance(&mut self, now: &Now<'_>, v_hat: &[f64], next: &mut State) -> Result<()> {
        let theta = now.settings.theta;
        self.retract(now, v_hat, now.settings.time_step, &mut next.q)?;
        for dof in self.v.clone() {
            next.v[dof] = (v_hat[dof] - theta * now.state.v[dof]) / (1.0 - theta);
        }
        self.follow_paths(next);
        self.keep_accelerations(next);
        self.note_contact_steps(now, next)
    }

    fn work(&self, now: &Now<'_>, v_hat: &[f64], mean: &[f64], places: &Places) -> Work {
        let (v_hat, mean) = (&v_hat[self.v.clone()], &mean[self.v.clone()]);
        Work {
            account: -self.paths.work.taken,
            ..self.work_of_step(now, [v_hat, mean], places)
        }
    }

    fn step_work(&self) -> StepWork {
        self.paths.work
    }

    fn energy(&self, state: &State, _settings: &Settings) -> Result<Energy> {
        let (q, v) = (&state.q[self.q.clone()], &state.v[self.v.clone()]);
        let [kinetic, high] = energy_from_kinematics(&self.model, &self.placed, v)?;
        let dofs = 0..self.model.nv();
        let springs = self
            .joints
            .spring_energy(self.model.dof_properties(), q, dofs);
        Ok(Energy {
            kinetic,
            potential: high + springs,
        })
    }

    fn momentum(&self, state: &State) -> Result<Momentum> {
        let (q, v) = (&state.q[self.q.clone()], &state.v[self.v.clone()]);
        let mut measured = self.measured();
        let momentum = centroidal_momentum(&self.model, &mut measured, q, v)?;
        let center = center_of_mass(&self.model, &mut measured, q)?;
        Ok(Momentum {
            linear: momentum.linear,
            angular: momentum.angular + center.cross(&momentum.linear),
        })
    }
}
