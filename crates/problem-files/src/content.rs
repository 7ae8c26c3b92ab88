//! What problem files hold.

use stiction_constraints::{Problem, Solution};

use crate::reduction::{GlobalProblem, LocalProblem};

/// What a contact file says about itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Origin {
    /// Name of the problem.
    pub name: String,
    /// Collection it belongs to.
    pub family: Option<String>,
    /// Where the numbers come from.
    pub source: Option<String>,
    /// Licence of the numbers.
    pub license: Option<String>,
    /// Anything else.
    pub info: Option<serde_json::Value>,
    /// Remarks.
    pub note: Option<serde_json::Value>,
}

impl Origin {
    /// Only a name.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }
}

/// A problem with masses, Jacobians and laws.
#[derive(Debug, Clone, PartialEq)]
pub struct FullProblem {
    /// Name of the problem, empty when the file gave none.
    pub name: String,
    /// The problem.
    pub problem: Problem,
    /// A solution that came with the file.
    pub solution: Option<StoredSolution>,
    /// λ from which a solver once began, as a recorded step has it: where to start from again.
    pub guess: Option<Vec<f64>>,
}

/// A solution that came with a file.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSolution {
    /// Velocity and impulses.
    pub solution: Solution,
    /// Whether every solution has this velocity, where that is known.
    pub velocity_is_unique: Option<bool>,
    /// How far other solvers' velocities were from it, m/s.
    pub velocity_tolerance: Option<f64>,
}

/// What a problem file holds.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "one value per file that is read, never many side by side"
)]
pub enum ProblemFile {
    /// u = W r + q.
    Local(LocalProblem),
    /// M v = H r + f, u = Hᵀ v + w.
    Global(GlobalProblem),
    /// A problem with any subsystems and laws.
    Full(FullProblem),
}

impl ProblemFile {
    /// The name that the file gives itself; may be empty.
    pub fn name(&self) -> &str {
        match self {
            ProblemFile::Local(local) => &local.origin.name,
            ProblemFile::Global(global) => &global.origin.name,
            ProblemFile::Full(full) => &full.name,
        }
    }
}
