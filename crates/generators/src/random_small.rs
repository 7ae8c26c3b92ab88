//! Anything that is a valid problem.

use rand::{Rng, RngExt};
use stiction_constraints::{JointRows, Law, Problem, ProblemError, Subsystem};

use crate::geometry::refuse;
use crate::kinds::SubsystemKind;
use crate::random_parts::{Numbers, random_numbers, subsystem_of_kind};
use crate::sampling::{log_uniform, normal, seeded, uniform};

/// Whether some velocity satisfies all constraints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Feasibility {
    /// The errors e are chosen around a random velocity that satisfies everything. With friction that
    /// does not yet make sure of a solution (Painlevé's paradox): for about one problem in thirty
    /// `canal` finds none.
    #[default]
    Guaranteed,
    /// The errors e are random: hard constraints may contradict each other.
    Arbitrary,
}

/// How large a random problem may be and how wild its numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct RandomSmallParams {
    /// Largest number of subsystems; at least one is made.
    pub max_subsystems: usize,
    /// Largest number of constraints; none are possible.
    pub max_constraints: usize,
    /// Masses reach from 1/spread kg to spread kg.
    pub mass_spread: f64,
    /// Whether some velocity satisfies all constraints.
    pub feasibility: Feasibility,
    /// Seed of everything.
    pub seed: u64,
}

impl Default for RandomSmallParams {
    fn default() -> Self {
        Self {
            max_subsystems: 5,
            max_constraints: 12,
            mass_spread: 10.0,
            feasibility: Feasibility::default(),
            seed: 0,
        }
    }
}

/// An arbitrary small problem: subsystems of every kind, constraints of every law on one to three
/// row blocks of every kind.
///
/// # Errors
/// None for the defaults; a `mass_spread` that is not positive and finite is refused.
pub fn random_small(params: &RandomSmallParams) -> Result<Problem, ProblemError> {
    random_small_from(&mut seeded(params.seed), params)
}

/// [`random_small`] with random numbers from anywhere, such as the bytes of a fuzzer;
/// `params.seed` is not used.
///
/// # Errors
/// As [`random_small`].
pub fn random_small_from(
    rng: &mut impl Rng,
    params: &RandomSmallParams,
) -> Result<Problem, ProblemError> {
    if !(params.mass_spread.is_finite() && params.mass_spread > 0.0) {
        return Err(refuse(
            "mass_spread",
            params.mass_spread,
            "must be finite and positive",
        ));
    }
    let mut problem = Problem::new();
    for _ in 0..rng.random_range(1..=params.max_subsystems.max(1)) {
        let mass = log_uniform(rng, 1.0 / params.mass_spread, params.mass_spread);
        let subsystem = random_subsystem(rng, mass)?;
        let b: Vec<f64> = (0..subsystem.dof_count())
            .map(|_| mass * normal(rng))
            .collect();
        problem.push_subsystem(subsystem, &b)?;
    }
    for _ in 0..rng.random_range(0..=params.max_constraints) {
        push_random_constraint(rng, &mut problem)?;
    }
    if params.feasibility == Feasibility::Guaranteed {
        make_feasible(rng, &mut problem)?;
    }
    Ok(problem)
}

fn random_subsystem(rng: &mut impl Rng, mass: f64) -> Result<Subsystem, ProblemError> {
    let kind = SubsystemKind::ALL[rng.random_range(0..4)];
    subsystem_of_kind(rng, kind, mass)
}

fn push_random_constraint(rng: &mut impl Rng, problem: &mut Problem) -> Result<(), ProblemError> {
    let law = random_law(rng);
    let rows = if law.is_contact() {
        3
    } else {
        rng.random_range(1..=3)
    };
    let terms: Vec<(usize, Numbers)> = (0..rng.random_range(1..=3))
        .map(|_| {
            let subsystem = rng.random_range(0..problem.subsystems().len());
            let numbers = random_numbers(rng, &problem.subsystems()[subsystem], rows);
            (subsystem, numbers)
        })
        .collect();
    let blocks: Vec<_> = terms
        .iter()
        .map(|(subsystem, numbers)| (*subsystem, numbers.block(rows)))
        .collect();
    let error: Vec<f64> = (0..rows).map(|_| 0.3 * normal(rng)).collect();
    problem.push_constraint(law, &error, &blocks)?;
    Ok(())
}

fn random_law(rng: &mut impl Rng) -> Law {
    // Now and then no friction at all.
    let mut friction = |low: f64| {
        if low == 0.0 && rng.random_bool(0.1) {
            0.0
        } else {
            uniform(rng, low.max(0.05), 1.2)
        }
    };
    let isotropic = friction(0.0);
    let elliptic = [friction(0.1), friction(0.1)];
    match rng.random_range(0..10) {
        0 => Law::Unilateral,
        1 => Law::Equality,
        2 => Law::Soft {
            stiffness: log_uniform(rng, 0.1, 1e3),
            damping: log_uniform(rng, 0.01, 10.0),
        },
        3 => Law::AnisotropicContact { friction: elliptic },
        4 => Law::CompliantContact {
            friction: [isotropic; 2],
            tangential_compliance: uniform(rng, 0.0, 0.3),
            normal_compliance: uniform(rng, 0.0, 0.3),
        },
        5 => Law::JointFriction {
            bound: uniform(rng, 0.0, 1.0),
        },
        6 => Law::JointLimit {
            lower: -uniform(rng, 0.0, 0.5),
            upper: uniform(rng, 0.0, 0.5),
        },
        _ => Law::Contact {
            friction: isotropic,
        },
    }
}

/// Chooses e so that a random velocity satisfies every hard constraint, some of them strictly.
fn make_feasible(rng: &mut impl Rng, problem: &mut Problem) -> Result<(), ProblemError> {
    let mut rows = JointRows::default();
    rows.update(problem);
    let velocity: Vec<f64> = (0..problem.dof_count())
        .map(|_| 0.3 * normal(rng))
        .collect();
    let mut reached = vec![0.0; problem.row_count()];
    rows.mul(&velocity, &mut reached);
    for index in 0..problem.constraints().len() {
        let constraint = problem.constraints()[index].clone();
        let z = constraint.load(&reached);
        let mut error = constraint.load(problem.errors());
        for row in 0..constraint.rows {
            let slack = if rng.random_bool(0.5) {
                uniform(rng, 0.0, 0.3)
            } else {
                0.0
            };
            match constraint.law {
                Law::Equality => error[row] = -z[row],
                Law::Unilateral => error[row] = slack - z[row],
                Law::JointLimit { lower, upper } => error[row] = 0.5 * (lower + upper) - z[row],
                // Friction can always be overcome: only the normal row is hard.
                law if law.is_contact() && row == 2 => error[row] = slack - z[row],
                _ => {}
            }
        }
        problem.set_error(index, &error.as_slice()[..constraint.rows])?;
    }
    Ok(())
}
