//! Who writes the numbers of an island's problem.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use stiction_constraints::{MAX_ROWS, Problem, Subsystem};

use crate::push_delay::PushDelay;
use crate::rows::Head;
use crate::warm_start::{to_rows, to_world};

/// Why numbers could not be written.
pub type AssemblyError = Box<dyn std::error::Error + Send + Sync>;

/// All that islands know of a world. Called from any thread.
pub trait Assembly: Sync {
    /// A subsystem of the right shape, its numbers still to be written.
    fn shape(&self, subsystem: usize) -> Subsystem;

    /// Writes A and b of a subsystem.
    ///
    /// # Errors
    /// Numbers that cannot be had.
    fn write_subsystem(
        &self,
        subsystem: usize,
        a: &mut Subsystem,
        b: &mut [f64],
    ) -> Result<(), AssemblyError>;

    /// Writes a constraint: exactly one is added to `problem`. `local` names for each subsystem of
    /// the world its index in the problem.
    ///
    /// # Errors
    /// Numbers that make no constraint.
    fn write_row(
        &self,
        head: &Head,
        local: &[u32],
        problem: &mut Problem,
    ) -> Result<RowNote, AssemblyError>;

    /// What a constraint whose note says how it [closes](RowNote::closing) does in this step, given J v̂ of
    /// its rows in the motion without impacts; `None` if it does not bounce.
    fn bounce(&self, _head: &Head, _note: &RowNote, _free: &[f64]) -> Option<Bounce> {
        None
    }

    /// Whether v̂ of a subsystem that nothing touches is known without a solver, see
    /// [`free_velocity`](Self::free_velocity).
    fn solves_alone(&self, subsystem: usize) -> bool;

    /// Writes v̂ = A⁻¹ b of a subsystem that nothing touches and that [is solved alone](Self::solves_alone).
    fn free_velocity(&self, subsystem: usize, v_hat: &mut [f64]);
}

/// What islands need to know of a constraint beside what the problem says.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct RowNote {
    /// Directions that the first rows measure, world axes; those of a contact are (t1, t2, n).
    pub frame: [Vector3<f64>; 3],
    /// Whether its impulse is remembered in world axes, because its directions need not be the same
    /// in the next step.
    pub turns: bool,
    /// The part of e that brings back what starts where it must not be: bodies that overlap, m/s, or a
    /// joint or tendon beyond its limits, rad/s or m/s. Without it e of the normal row (of the last, if
    /// it is no contact) is larger by this.
    pub push_out: f64,
    /// The part of e of the first rows that driven frames and nodes contribute, m/s or rad/s.
    pub driven: [f64; 3],
    /// Of a contact whose restitution may act in this step: [`Assembly::bounce`] is asked about it.
    pub closing: Option<Closing>,
}

/// A contact that approaches, at the start of a step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Closing {
    /// Gap, m; negative when penetrating.
    pub gap: f64,
    /// J_n v, m/s; negative when approaching.
    pub velocity: f64,
}

/// An impact within a step: error terms of the first three rows, m/s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounce {
    /// For the velocity at the end of the step.
    pub error: [f64; 3],
    /// For the way through the step: up to the impact with the velocity before it, then with the one
    /// after it.
    pub way: [f64; 3],
    /// When it strikes; `None` where it flies on.
    pub strike: Option<Strike>,
}

/// The instant of an impact within a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strike {
    /// Normal speed at which it strikes, m/s; negative.
    pub speed: f64,
    /// Share of the change that velocities undergo in the step without impacts that they have undergone by then.
    pub share: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
}

/// What was found of a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct RowResult {
    /// As it was written.
    pub note: RowNote,
    /// Impulse by rows, N·s; zero where the constraint was left out.
    pub impulse: [f64; MAX_ROWS],
    /// Work on what is solved for, J: impulse times the mean of the velocities before and after.
    pub work: f64,
    /// Whether the guess of its island was good.
    pub(crate) is_settled: bool,
    /// Whether the contact is only held, and for how long.
    pub(crate) delay: PushDelay,
}

impl RowResult {
    /// Adds the impulse of the same constraint in another part of the step, whose directions may be others.
    pub fn add_impulse(&mut self, other: &Self) {
        let world = to_world(&other.note, other.impulse);
        let own = to_rows(&self.note, world);
        let both = self.impulse.iter_mut().zip(own);
        both.for_each(|(sum, part)| *sum += part);
    }
}
