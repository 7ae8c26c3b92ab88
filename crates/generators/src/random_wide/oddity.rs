//! What valid problems may contain and solvers trip over.

use rand::{Rng, RngExt};
use stiction_constraints::{Law, Problem, ProblemError};

use crate::random_parts::{Numbers, random_numbers};
use crate::sampling::{log_uniform, uniform};
use crate::transform::rebuild::push_copy;

/// What valid problems may contain and solvers trip over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Oddity {
    /// A constraint that is there twice.
    Duplicate,
    /// A row whose numbers are all zero: nothing moves along it.
    ZeroRow,
    /// A row of nothing but rounding.
    NoiseRow,
    /// Constraints that no velocity satisfies together.
    Contradiction,
    /// A right-hand side that is larger by many decades than masses times usual velocities.
    HugeB,
    /// A right-hand side that is smaller by many decades.
    TinyB,
}

impl Oddity {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Oddity::Duplicate => "duplicate",
            Oddity::ZeroRow => "zero row",
            Oddity::NoiseRow => "row of rounding",
            Oddity::Contradiction => "contradiction",
            Oddity::HugeB => "huge b",
            Oddity::TinyB => "tiny b",
        }
    }
}

/// Sets one row, or all of them, of a constraint's blocks to zero.
pub(super) fn make_zero(rng: &mut impl Rng, blocks: &mut [(usize, Numbers)], rows: usize) {
    let all = rng.random_bool(0.5);
    let only = rng.random_range(0..rows);
    for (_, numbers) in blocks {
        let values: &mut [f64] = match numbers {
            Numbers::Body(_, values) => &mut values[..6 * rows],
            Numbers::Dofs(_, values) => values,
            Numbers::Nodes(_, _, frame) => frame,
        };
        let width = values.len() / rows;
        for (row, values) in values.chunks_exact_mut(width).enumerate() {
            if all || row == only {
                values.fill(0.0);
            }
        }
    }
}

/// Leaves nothing but rounding of a constraint's blocks: tiny numbers, or numbers that cancel.
pub(super) fn make_noise(rng: &mut impl Rng, blocks: &mut Vec<(usize, Numbers)>) {
    let cancels = rng.random_bool(0.5);
    let factor = if cancels {
        -(1.0 + f64::EPSILON)
    } else {
        log_uniform(rng, 1e-18, 1e-14)
    };
    let scaled = |numbers: &Numbers| match numbers {
        Numbers::Body(body, values) => Numbers::Body(*body, values.map(|value| factor * value)),
        Numbers::Dofs(dofs, values) => {
            let values = values.iter().map(|value| factor * value);
            Numbers::Dofs(dofs.clone(), values.collect())
        }
        Numbers::Nodes(nodes, weights, frame) => {
            let weights = weights.iter().map(|weight| factor * weight);
            Numbers::Nodes(nodes.clone(), weights.collect(), frame.clone())
        }
    };
    let changed: Vec<_> = blocks
        .iter()
        .map(|(subsystem, numbers)| (*subsystem, scaled(numbers)))
        .collect();
    if cancels {
        blocks.extend(changed);
    } else {
        *blocks = changed;
    }
}

/// Adds a copy of a random constraint that may be there twice without changing the solutions'
/// velocities; returns its index.
pub(super) fn push_duplicate(
    rng: &mut impl Rng,
    problem: &mut Problem,
) -> Result<Option<usize>, ProblemError> {
    let count = problem.constraints().len();
    if count == 0 {
        return Ok(None);
    }
    let index = rng.random_range(0..count);
    let law = problem.constraints()[index].law;
    let adds_up = matches!(
        law,
        Law::Soft { .. } | Law::JointFriction { .. } | Law::CompliantContact { .. }
    );
    if adds_up {
        return Ok(None);
    }
    let original = problem.clone();
    push_copy(problem, &original, index, law, |subsystem| subsystem).map(Some)
}

/// Adds two constraints along the same row that no velocity satisfies together, and returns their
/// indices.
pub(super) fn push_contradiction(
    rng: &mut impl Rng,
    problem: &mut Problem,
) -> Result<[usize; 2], ProblemError> {
    let subsystem = rng.random_range(0..problem.subsystems().len());
    // One row with at least one number that is not small, so that the constraints do meet.
    let dof = rng.random_range(0..problem.subsystems()[subsystem].dof_count());
    let value = uniform(rng, 0.5, 2.0);
    let mut push = |law: Law, sign: f64, error: f64| {
        let numbers = Numbers::Dofs(vec![dof], vec![sign * value]);
        problem.push_constraint(law, &[error], &[(subsystem, numbers.block(1))])
    };
    let (at, gap) = (uniform(rng, -1.0, 1.0), log_uniform(rng, 1e-3, 10.0));
    Ok(match rng.random_range(0..3) {
        // z ≥ at + gap and z ≤ at.
        0 => [
            push(Law::Unilateral, 1.0, -at - gap)?,
            push(Law::Unilateral, -1.0, at)?,
        ],
        1 => [
            push(Law::Equality, 1.0, -at)?,
            push(Law::Equality, 1.0, -at - gap)?,
        ],
        _ => {
            let limit = Law::JointLimit {
                lower: at - 1.0,
                upper: at,
            };
            [push(limit, 1.0, 0.0)?, push(Law::Equality, 1.0, -at - gap)?]
        }
    })
}

/// Random blocks of one to three terms.
pub(super) fn random_blocks(
    rng: &mut impl Rng,
    problem: &Problem,
    rows: usize,
) -> Vec<(usize, Numbers)> {
    (0..rng.random_range(1..=3))
        .map(|_| {
            let subsystem = rng.random_range(0..problem.subsystems().len());
            let numbers = random_numbers(rng, &problem.subsystems()[subsystem], rows);
            (subsystem, numbers)
        })
        .collect()
}
