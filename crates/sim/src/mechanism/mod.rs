//! Any kind of mechanism: what a step asks of everything that moves.

mod layout;
mod registry;
mod set;

pub use layout::{Element, Layout};
pub use registry::Registry;
pub(crate) use registry::Tables;
pub(crate) use set::Mechanisms;

use std::any::Any;
use std::marker::PhantomData;

use nalgebra::Vector3;
use stiction_constraints::{Problem, Subsystem};
use stiction_islands::{AssemblyError, RowList, RowNote};
use stiction_modeling::{Places, RowWriter, Scheme};

use crate::drive::Inputs;
use crate::error::Result;
use crate::settings::Settings;
use crate::state::State;

/// A mechanism of a world: bodies, a robot, a soft body, or whatever a user adds with
/// [`World::add`](crate::World::add).
///
/// It owns ranges of the world's state, frames and nodes, which its [`Registry`] gave it, and
/// subsystems, numbered from 0 in the order in which it asked for them. A step calls the verbs in the
/// order in which they stand here. Saving and recording follow from state, frames and nodes.
pub trait Mechanism: Any + Send + Sync {
    /// Writes poses and velocities of its frames and nodes.
    ///
    /// # Errors
    /// Positions that make no sense.
    fn place(&mut self, at: &Placing<'_>, places: &mut Places) -> Result<()>;

    /// Computes A and b of its subsystems and writes their reference points. Forces are those of the
    /// start of the step; A and J belong to where it was [placed](Self::place) last.
    ///
    /// # Errors
    /// Numbers that cannot be had.
    fn prepare(&mut self, now: &Now<'_>, places: &mut Places) -> Result<()>;

    /// A subsystem of the right shape, its numbers still to be written.
    fn shape(&self, subsystem: usize) -> Subsystem;

    /// Writes A of a subsystem, kg, divided by 1 − θ. Called from any thread.
    fn write_matrix(&self, subsystem: usize, a: &mut Subsystem);

    /// Writes b of a subsystem, N·s. Called from any thread.
    fn write_right_hand_side(&self, subsystem: usize, b: &mut [f64]);

    /// Whether it knows A⁻¹ b of a subsystem that nothing touches without a solver, see
    /// [`solve_alone`](Self::solve_alone).
    fn solves_alone(&self, _subsystem: usize) -> bool {
        false
    }

    /// Turns b of a subsystem that is [solved alone](Self::solves_alone) into A⁻¹ b.
    fn solve_alone(&self, _subsystem: usize, _b: &mut [f64]) {}

    /// By how many steps its velocities lag behind its positions where nothing touches it: half a step for
    /// implicit Euler, none for what has a better free path.
    fn velocity_lag(&self) -> f64 {
        0.5
    }

    /// Looks at the v̂ that was solved for, before it is used: whether A and b were changed, so that the
    /// step is to be solved again. Asked again after every solve, and to say no in the end.
    ///
    /// # Errors
    /// Numbers that cannot be had.
    fn revise(&mut self, _now: &Now<'_>, _v_hat: &[f64]) -> Result<bool> {
        Ok(false)
    }

    /// Moves a subsystem on which no constraint acts through the step, and writes the constant velocity
    /// of its way, (q⁺ ⊖ q)/dt; [`advance`](Self::advance) then ends there. `false` where it has no better
    /// way than A⁻¹ b.
    ///
    /// # Errors
    /// A state from which it cannot move.
    fn take_free_path(
        &mut self,
        _subsystem: usize,
        _now: &Now<'_>,
        _v_hat: &mut [f64],
    ) -> Result<bool> {
        Ok(false)
    }

    /// The free path of a subsystem is not taken after all: a constraint is in its way.
    fn leave_free_path(&mut self, _subsystem: usize) {}

    /// Constraints of its own: limits, couplings, seams.
    fn rows(&self) -> Option<&dyn RowSource> {
        None
    }

    /// Writes the positions that are reached from the state with v̂ in `time` s: q ⊕ time v̂.
    ///
    /// # Errors
    /// Positions that make no sense.
    fn retract(&self, now: &Now<'_>, v_hat: &[f64], time: f64, q: &mut [f64]) -> Result<()>;

    /// Brings A, reference points and the constraints that [hold positions](RowSource::list_positions)
    /// up to date where it was [placed](Self::place) last, at positions `q`, for a problem in which v̂ is
    /// a displacement and e an error of position. Without an implementation A stays that of the step.
    ///
    /// # Errors
    /// Positions that make no sense.
    fn prepare_positions(&mut self, _q: &[f64], _places: &mut Places) -> Result<()> {
        Ok(())
    }

    /// Writes its part of the state at the end of the step; `next` holds the present state.
    ///
    /// # Errors
    /// Positions that make no sense.
    fn advance(&mut self, now: &Now<'_>, v_hat: &[f64], next: &mut State) -> Result<()>;

    /// Work in the step of what acts on it beside constraints, gravity and springs. `mean` is the mean of
    /// the velocities before and after, and places are those of the step. What is not told counts as
    /// an error of the time step, or as energy that nobody put in.
    fn work(&self, _now: &Now<'_>, _v_hat: &[f64], _mean: &[f64], _places: &Places) -> Work {
        Work::default()
    }

    /// What accounts and free paths did in the step that [`advance`](Self::advance) has just ended.
    fn step_work(&self) -> StepWork {
        StepWork::default()
    }

    /// Kinetic and potential energy where it was [placed](Self::place) last.
    ///
    /// # Errors
    /// None for a valid world.
    fn energy(&self, state: &State, settings: &Settings) -> Result<Energy>;

    /// Momentum.
    ///
    /// # Errors
    /// None for a valid world.
    fn momentum(&self, state: &State) -> Result<Momentum>;
}

/// Where a mechanism is placed: at the state, or on the way of the last pass.
#[derive(Debug, Clone, Copy)]
pub struct Placing<'a> {
    /// Positions.
    pub q: &'a [f64],
    /// Velocities at the start of the step.
    pub v: &'a [f64],
    /// [`State::memory`].
    pub memory: &'a [f64],
    /// v̂ of the last pass; `None` where the world is placed at its state.
    pub guess: Option<&'a [f64]>,
    /// What drives the world.
    pub inputs: &'a Inputs,
}

/// What a mechanism may read in a step.
#[derive(Debug, Clone, Copy)]
pub struct Now<'a> {
    /// The state at the start of the step.
    pub state: &'a State,
    /// What drives the world.
    pub inputs: &'a Inputs,
    /// How the world is stepped.
    pub settings: &'a Settings,
    /// v̂ of the last pass; `None` in the first.
    pub guess: Option<&'a [f64]>,
}

/// What forces did in a step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepWork {
    /// Energy that accounts took away because no force had given it, J.
    pub taken: f64,
    /// Substeps on free paths.
    pub substeps: usize,
    /// Trees in contact whose step took more than one evaluation.
    pub staged: usize,
}

impl std::ops::AddAssign for StepWork {
    fn add_assign(&mut self, other: Self) {
        self.taken += other.taken;
        self.substeps += other.substeps;
        self.staged += other.staged;
    }
}

/// Energy, J.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Energy {
    /// Of motion.
    pub kinetic: f64,
    /// Of gravity and springs.
    pub potential: f64,
}

/// Work in a step, J.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Work {
    /// Drives and forces that were asked for.
    pub drives: f64,
    /// Damping.
    pub damping: f64,
    /// Taken (negative) by an account that keeps the mechanism from gaining energy.
    pub account: f64,
}

/// Momentum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Momentum {
    /// kg·m/s.
    pub linear: Vector3<f64>,
    /// About the world's origin, kg·m²/s.
    pub angular: Vector3<f64>,
}

/// Constraints of one origin: first named, then written, each into the problem of its island.
pub trait RowSource: Sync {
    /// Names the constraints of this pass and the subsystems that they touch.
    fn list(&self, places: &Places, rows: &mut RowList);

    /// Names the constraints that errors of position are projected with, as
    /// [`prepare_positions`](Mechanism::prepare_positions) left them: those that hold positions, and
    /// limits that a projection must not break.
    fn list_positions(&self, _places: &Places, _rows: &mut RowList) {}

    /// Writes a constraint by the `item` that [`list`](Self::list) gave it. Called from any thread.
    ///
    /// # Errors
    /// Numbers that make no constraint.
    fn write(
        &self,
        item: usize,
        context: RowContext<'_>,
    ) -> std::result::Result<RowNote, AssemblyError>;
}

/// What writing a constraint needs.
#[derive(Debug)]
pub struct RowContext<'a> {
    /// Where everything is.
    pub places: &'a Places,
    /// How the step goes through time.
    pub scheme: &'a Scheme,
    pub(crate) local: &'a [u32],
    pub(crate) problem: &'a mut Problem,
}

impl<'a> RowContext<'a> {
    /// Begins a constraint of this many rows.
    pub fn begin(self, rows: usize) -> RowWriter<'a> {
        RowWriter::new(self.problem, rows, self.local, self.places)
    }
}

/// A mechanism of a world, by its type.
#[derive(Debug)]
pub struct MechanismHandle<M> {
    pub(crate) index: usize,
    kind: PhantomData<fn() -> M>,
}

impl<M> MechanismHandle<M> {
    pub(crate) fn new(index: usize) -> Self {
        Self {
            index,
            kind: PhantomData,
        }
    }
}

impl<M> Clone for MechanismHandle<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for MechanismHandle<M> {}
