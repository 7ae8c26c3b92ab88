//! What can go wrong, and with which element.

use stiction_collision::CollisionError;
use stiction_constraints::{Problem, ProblemError};
use stiction_dynamics::DynamicsError;
use thiserror::Error;

/// A result of this crate.
pub type Result<T> = std::result::Result<T, SimError>;

/// Everything a caller can do wrong, and every way in which a step can fail.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SimError {
    /// A number that no body, joint or setting can have.
    #[error("{element}: {field} = {value} {reason}")]
    InvalidParameter {
        /// The body, joint or setting.
        element: String,
        /// Which of its numbers.
        field: &'static str,
        /// The number as given.
        value: f64,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Two elements with one name.
    #[error("the {what} \"{name}\" exists already")]
    DuplicateName {
        /// What sort of element.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A name or handle that nobody has.
    #[error("there is no {what} \"{name}\"")]
    Unknown {
        /// What was looked for.
        what: &'static str,
        /// The name or index asked for.
        name: String,
    },
    /// A name that nobody has, and what there is instead.
    #[error("there is no {what} \"{name}\": {advice}")]
    UnknownName {
        /// What was looked for.
        what: &'static str,
        /// The name asked for.
        name: String,
        /// Names that there are.
        advice: String,
    },
    /// An operation that this element does not allow.
    #[error("{element}: {reason}")]
    NotPossible {
        /// The element.
        element: String,
        /// Why not.
        reason: String,
    },
    /// Shapes, materials or poses that collision detection refuses.
    #[error(transparent)]
    Collision(#[from] CollisionError),
    /// A robot that the dynamics refuse.
    #[error(transparent)]
    Dynamics(#[from] DynamicsError),
    /// Numbers that make no contact problem.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// A snapshot of another world, or of another version.
    #[error("the snapshot does not fit: {0}")]
    Snapshot(String),
    /// Somebody raised the flag of [`World::stop_with`](crate::World::stop_with) during a step. The
    /// state is as it was before.
    #[error("the step was interrupted")]
    Interrupted,
    /// A step that could not be made. The state is as it was before.
    #[error(transparent)]
    Step(Box<StepFailure>),
}

/// A step that could not be made.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("step {step} at t = {time:.6} s failed for {}: {reason}; {advice}", list(.bodies))]
pub struct StepFailure {
    /// Number of the step, from 0.
    pub step: u64,
    /// Simulated time at its start, s.
    pub time: f64,
    /// Names of the bodies involved.
    pub bodies: Vec<String>,
    /// What happened.
    pub reason: String,
    /// What to try.
    pub advice: &'static str,
    /// The problem that could not be solved, where there was one.
    pub problem: Option<Box<Problem>>,
}

impl SimError {
    /// Something that an element cannot do or be.
    pub(crate) fn not_possible(element: &str, reason: impl std::fmt::Display) -> Self {
        Self::NotPossible {
            element: element.to_owned(),
            reason: reason.to_string(),
        }
    }

    /// A name that nobody has, and those that there are.
    pub fn not_among<'a>(
        what: &'static str,
        name: &str,
        known: impl Iterator<Item = &'a str>,
    ) -> Self {
        let known: Vec<&str> = known.collect();
        Self::UnknownName {
            what,
            name: name.to_owned(),
            advice: match known.is_empty() {
                true => "there are none".to_owned(),
                false => format!("there are: {}", known.join(", ")),
            },
        }
    }

    /// A name that nobody has, the nearest of those that there are, and all of them.
    pub fn not_found(what: &'static str, name: &str, nearest: &str, known: &[&str]) -> Self {
        Self::UnknownName {
            what,
            name: name.to_owned(),
            advice: format!(
                "did you mean \"{nearest}\"? There are: {}",
                known.join(", ")
            ),
        }
    }
}

/// The first few names.
fn list(names: &[String]) -> String {
    const SHOWN: usize = 6;
    if names.is_empty() {
        return "the world".to_owned();
    }
    let mut out = names
        .iter()
        .take(SHOWN)
        .map(|name| format!("\"{name}\""))
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > SHOWN {
        out += &format!(" and {} more", names.len() - SHOWN);
    }
    out
}

/// Refuses what is not finite.
pub(crate) fn finite(element: &str, field: &'static str, value: f64) -> Result<()> {
    check(element, field, value, value.is_finite(), "must be finite")
}

/// Refuses what is not finite and above zero.
pub(crate) fn positive(element: &str, field: &'static str, value: f64) -> Result<()> {
    let good = value.is_finite() && value > 0.0;
    check(element, field, value, good, "must be finite and positive")
}

/// Refuses what is not finite or below zero.
pub(crate) fn not_negative(element: &str, field: &'static str, value: f64) -> Result<()> {
    let good = value.is_finite() && value >= 0.0;
    check(
        element,
        field,
        value,
        good,
        "must be finite and not negative",
    )
}

/// Refuses a value that is not `good`.
pub(crate) fn check(
    element: &str,
    field: &'static str,
    value: f64,
    good: bool,
    reason: &'static str,
) -> Result<()> {
    if good {
        return Ok(());
    }
    Err(SimError::InvalidParameter {
        element: element.to_owned(),
        field,
        value,
        reason,
    })
}

/// Refuses a vector with an entry that is not finite.
pub(crate) fn finite_vector<'a>(
    element: &str,
    field: &'static str,
    values: impl IntoIterator<Item = &'a f64>,
) -> Result<()> {
    values
        .into_iter()
        .try_for_each(|&value| finite(element, field, value))
}
