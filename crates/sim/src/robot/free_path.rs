//! The way of a robot's trees through a step in which no constraint acts on them.

use stiction_dynamics::{
    Data, DynamicsError, Model, MotionMemory, Moved, TreeMotion, light_joint_inertias,
};

use super::forces::TreeForces;
use super::joints::MOST_REVISIONS;
use super::{Robot, TREE_MEMORY};
use crate::drive::Inputs;
use crate::error::Result;
use crate::mechanism::{Now, StepWork};
use crate::state::State;

/// Free paths of a robot's trees.
#[derive(Debug)]
pub(super) struct FreePaths {
    motion: TreeMotion,
    forces: TreeForces,
    /// Constant velocities of the trees' ways, as the robot's v.
    pub(super) velocity: Vec<f64>,
    trees: Vec<Path>,
    /// Of trees that are on paths that were found elsewhere: their own paths, which b followed from.
    own: Vec<OwnPath>,
    /// Whether all joints have inertia: a link without mass on a joint without any moves only by what
    /// holds it, and has no accelerations of its own.
    pub(super) are_there: bool,
    /// What the last step did.
    pub(super) work: StepWork,
}

/// A path of a tree alone: its end, and the velocities that lead there.
#[derive(Debug, Clone, Default)]
struct OwnPath {
    path: Option<Path>,
    end: [Vec<f64>; 2],
    velocity: Vec<f64>,
}

/// What a path that was found elsewhere did.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathWork {
    pub(crate) substeps: usize,
    /// Energy that its account took, and work of what has no potential, J.
    pub(crate) taken: f64,
    pub(crate) work: f64,
}

/// The path of one tree.
#[derive(Debug, Clone, Copy, Default)]
struct Path {
    /// Whether it was found in this step.
    is_known: bool,
    is_taken: bool,
    /// Whether b came from it.
    gave_velocity: bool,
    memory: MotionMemory,
    moved: Moved,
}

impl FreePaths {
    pub(super) fn new(model: &Model, trees: usize) -> Result<Self> {
        let (inertias, are_there) = match light_joint_inertias(model, &mut Data::new(model)) {
            Ok(inertias) => (inertias, true),
            Err(DynamicsError::NotPositiveDefinite { .. }) => (vec![0.0; model.nv()], false),
            Err(error) => return Err(error.into()),
        };
        Ok(Self {
            are_there,
            motion: TreeMotion::new(model),
            forces: TreeForces::new(model, inertias),
            velocity: vec![0.0; model.nv()],
            trees: vec![Path::default(); trees],
            own: vec![OwnPath::default(); trees],
            work: StepWork::default(),
        })
    }

    /// Forgets the paths of the last step.
    pub(super) fn begin_step(&mut self) {
        self.own.iter_mut().for_each(|own| own.path = None);
        for path in &mut self.trees {
            (path.is_known, path.is_taken, path.gave_velocity) = (false, false, false);
        }
    }

    /// b of no tree follows from its path: a later pass evaluates anew.
    pub(super) fn forget_velocities(&mut self) {
        for path in &mut self.trees {
            path.gave_velocity = false;
        }
    }

    pub(super) fn is_on(&self, tree: usize) -> bool {
        self.trees[tree].is_taken
    }

    /// Positions and velocities of the robot, each tree at the end of the path that was found last.
    pub(super) fn end(&self) -> (&[f64], &[f64]) {
        self.motion.end()
    }

    /// b of a tree follows from its path.
    pub(super) fn give_velocity(&mut self, tree: usize) {
        self.trees[tree].gave_velocity = true;
    }

    /// Whether b of a tree followed from its path.
    pub(super) fn gave_velocity(&self, tree: usize) -> bool {
        self.trees[tree].gave_velocity
    }

    /// Work (J) of drives, damping and forces from outside on the path of a tree that is on it, or whose b followed
    /// from it.
    pub(super) fn work_on(&self, tree: usize) -> Option<f64> {
        let path = &self.trees[tree];
        (path.is_taken || path.gave_velocity).then_some(path.moved.work)
    }

    pub(super) fn leave(&mut self, tree: usize) {
        self.trees[tree].is_taken = false;
    }
}

impl Robot {
    /// Finds the free path of a tree and puts it there.
    pub(super) fn move_freely(&mut self, tree: usize, now: &Now<'_>) -> Result<()> {
        self.find_path(tree, now)?;
        self.paths.trees[tree].is_taken = true;
        Ok(())
    }

    /// Finds the free path of a tree, once in a step.
    pub(super) fn find_path(&mut self, tree: usize, now: &Now<'_>) -> Result<()> {
        let FreePaths {
            motion,
            forces,
            velocity,
            trees,
            ..
        } = &mut self.paths;
        let path = &mut trees[tree];
        if path.is_known {
            return Ok(());
        }
        let (q, v) = (&now.state.q[self.q.clone()], &now.state.v[self.v.clone()]);
        let step = now.settings.time_step;
        forces.begin(&self.model, &self.joints, &self.views[tree], step);
        forces.drive(&now.inputs.dofs[self.v.clone()]);
        let links = self.first_body..self.first_body + self.ids.len();
        forces.push(&now.inputs.wrenches[links]);
        forces.choose([q, v]);
        let memory = &now.state.memory[self.memory.clone()];
        for _ in 0..=MOST_REVISIONS {
            path.memory = MotionMemory::from_slice(&memory[tree * TREE_MEMORY..]);
            path.moved = motion.step(
                &self.model,
                tree,
                step,
                &now.settings.motion(),
                forces,
                [q, v],
                &mut path.memory,
            )?;
            if !forces.revise(motion.end()) {
                break;
            }
        }
        motion.mean_velocity(&self.model, tree, q, step, velocity)?;
        path.is_known = true;
        Ok(())
    }

    /// Whether its trees may be on paths.
    pub(crate) fn has_free_paths(&self) -> bool {
        self.paths.are_there
    }

    /// Forces of a tree on a path, to be [renewed](Self::renew_path_forces).
    pub(crate) fn path_forces(&self) -> TreeForces {
        self.paths.forces.clone()
    }

    /// Takes the forces on a tree at the start of a step.
    pub(crate) fn renew_path_forces(
        &self,
        tree: usize,
        state: &State,
        inputs: &Inputs,
        step: f64,
        forces: &mut TreeForces,
    ) {
        forces.begin(&self.model, &self.joints, &self.views[tree], step);
        forces.drive(&inputs.dofs[self.v.clone()]);
        let links = self.first_body..self.first_body + self.ids.len();
        forces.push(&inputs.wrenches[links]);
        forces.choose([&state.q[self.q.clone()], &state.v[self.v.clone()]]);
    }

    /// What a tree's motion without contacts carries, in a state.
    pub(crate) fn motion_memory(&self, tree: usize, state: &State) -> MotionMemory {
        MotionMemory::from_slice(&state.memory[self.memory.start + tree * TREE_MEMORY..])
    }

    /// Puts a tree on a path that was found together with what it is joined to; `q` and `v` are those of the tree.
    pub(crate) fn put_on_path(
        &mut self,
        tree: usize,
        end: [&[f64]; 2],
        memory: MotionMemory,
        work: PathWork,
        (state, step): (&State, f64),
        v_hat: &mut [f64],
    ) -> Result<()> {
        let FreePaths {
            motion,
            velocity,
            trees,
            own,
            ..
        } = &mut self.paths;
        let dofs = self.views[tree].dofs.clone();
        if trees[tree].gave_velocity {
            let (q, v) = motion.end();
            let own = &mut own[tree];
            own.path = Some(trees[tree]);
            own.end[0].clear();
            own.end[0].extend_from_slice(&q[self.coordinates[tree].clone()]);
            own.end[1].clear();
            own.end[1].extend_from_slice(&v[dofs.clone()]);
            own.velocity.clear();
            own.velocity.extend_from_slice(&velocity[dofs.clone()]);
        }
        motion.put(tree, end);
        motion.mean_velocity(&self.model, tree, &state.q[self.q.clone()], step, velocity)?;
        trees[tree] = Path {
            is_known: true,
            is_taken: true,
            gave_velocity: false,
            memory,
            moved: Moved {
                substeps: work.substeps,
                work: work.work,
                taken: work.taken,
                ..Moved::default()
            },
        };
        v_hat[self.v.start + dofs.start..self.v.start + dofs.end].copy_from_slice(&velocity[dofs]);
        Ok(())
    }

    /// Takes a tree off a path that was found elsewhere.
    pub(crate) fn leave_path(&mut self, tree: usize) {
        let paths = &mut self.paths;
        paths.trees[tree] = Path::default();
        let own = &mut paths.own[tree];
        if let Some(path) = own.path.take() {
            let [q, v] = &own.end;
            paths.motion.put(tree, [q, v]);
            paths.velocity[self.views[tree].dofs.clone()].copy_from_slice(&own.velocity);
            paths.trees[tree] = Path {
                is_taken: false,
                ..path
            };
        }
    }

    /// Writes where trees on free paths end, and adds up what moving did.
    pub(super) fn follow_paths(&mut self, next: &mut State) {
        self.paths.work = StepWork::default();
        let (q, v) = self.paths.motion.end();
        for (tree, path) in self.paths.trees.iter().enumerate() {
            let at = self.memory.start + tree * TREE_MEMORY;
            let memory = &mut next.memory[at..at + MotionMemory::LEN];
            if !path.is_taken {
                self.paths.work.staged += usize::from(path.gave_velocity);
                // What a contact took is nothing to win back.
                memory[0] = memory[0].min(0.0);
                continue;
            }
            memory.copy_from_slice(&path.memory.to_array());
            let view = &self.views[tree];
            let coordinates = self.coordinates[tree].clone();
            let from = self.q.start;
            next.q[from + coordinates.start..from + coordinates.end]
                .copy_from_slice(&q[coordinates]);
            let from = self.v.start;
            next.v[from + view.dofs.start..from + view.dofs.end]
                .copy_from_slice(&v[view.dofs.clone()]);
            self.paths.work += StepWork {
                taken: path.moved.taken,
                substeps: path.moved.substeps,
                staged: 0,
            };
        }
    }
}
