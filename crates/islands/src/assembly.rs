//! Who writes the numbers of an island's problem.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use stiction_constraints::{MAX_ROWS, Problem, Subsystem};

use crate::push_delay::PushDelay;
use crate::rows::Head;

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
    /// The part of e of its third row that pushes bodies apart which overlap, m/s.
    pub push_out: f64,
}

/// What was found of a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct RowResult {
    /// As it was written.
    pub note: RowNote,
    /// Impulse by rows, N·s; zero where the constraint was left out.
    pub impulse: [f64; MAX_ROWS],
    /// Whether the guess of its island was good.
    pub(crate) is_settled: bool,
    /// Whether the contact is only held, and for how long.
    pub(crate) delay: PushDelay,
}
