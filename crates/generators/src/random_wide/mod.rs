//! Everything that a valid problem may be, from plain to extreme.

mod family;
mod law;
mod oddity;

pub use family::{Family, families};
pub use oddity::Oddity;

use nalgebra::DMatrix;
use rand::{Rng, RngExt};
use stiction_constraints::{DynamicsMatrix, Problem, ProblemError};

use crate::certified::{Certificate, certify_drawn, certify_interior};
use crate::geometry::refuse;
use crate::kinds::{LawKind, SubsystemKind};
use crate::random_parts::subsystem_of_kind;
use crate::sampling::{log_uniform, normal, seeded, uniform};
use law::random_law;
use oddity::{make_noise, make_zero, push_contradiction, push_duplicate, random_blocks};

/// How far from ordinary a problem may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Breadth {
    /// Certified to have a solution, masses within 1e4 : 1, μ at most 1, cond A at most 1e8, nothing
    /// odd: what every exact solver should solve.
    Plain,
    /// Certified to have a solution; masses and friction as the parameters say, rows twice, zero rows
    /// and rows of rounding.
    Certified,
    /// Whatever is valid: contradictions and right-hand sides of any size too.
    Wild,
    /// Each of these now and then.
    #[default]
    Any,
}

/// What is drawn from.
#[derive(Debug, Clone, PartialEq)]
pub struct RandomWideParams {
    /// How far from ordinary.
    pub breadth: Breadth,
    /// Laws to choose from; at least one.
    pub laws: Vec<LawKind>,
    /// Kinds of subsystems to choose from; at least one.
    pub subsystems: Vec<SubsystemKind>,
    /// Largest number of subsystems; at least one is made.
    pub max_subsystems: usize,
    /// Largest number of constraints beside those that an oddity adds.
    pub max_constraints: usize,
    /// Masses reach from 1/spread kg to spread kg, in plain problems by 100 at most.
    pub mass_spread: f64,
    /// Largest friction coefficient, in plain problems 1 at most.
    pub max_friction: f64,
    /// Seed of everything.
    pub seed: u64,
}

impl Default for RandomWideParams {
    fn default() -> Self {
        Self {
            breadth: Breadth::default(),
            laws: LawKind::ALL.to_vec(),
            subsystems: SubsystemKind::ALL.to_vec(),
            max_subsystems: 6,
            max_constraints: 12,
            mass_spread: 1e6,
            max_friction: 5.0,
            seed: 0,
        }
    }
}

/// A problem and what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct WideProblem {
    /// The problem.
    pub problem: Problem,
    /// Why it has a solution, where that is known.
    pub certificate: Option<Certificate>,
    /// What it contains.
    pub labels: Labels,
}

/// What a problem contains.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Labels {
    /// Whether it has a solution and nothing about it is extreme.
    pub is_plain: bool,
    /// Kinds of laws, ascending, each once.
    pub laws: Vec<LawKind>,
    /// Kinds of subsystems, ascending, each once.
    pub subsystems: Vec<SubsystemKind>,
    /// What is odd about it, ascending, each once.
    pub oddities: Vec<Oddity>,
    /// Two constraints that contradict each other by construction.
    pub contradiction: Option<[usize; 2]>,
}

/// A random problem.
///
/// # Errors
/// Parameters that leave nothing to choose from, a `mass_spread` below 1 or not finite, a
/// `max_friction` that is negative or not finite.
pub fn random_wide(params: &RandomWideParams) -> Result<WideProblem, ProblemError> {
    random_wide_from(&mut seeded(params.seed), params)
}

/// [`random_wide`] with random numbers from anywhere, such as the bytes of a fuzzer;
/// `params.seed` is not used.
///
/// # Errors
/// As [`random_wide`].
pub fn random_wide_from(
    rng: &mut impl Rng,
    params: &RandomWideParams,
) -> Result<WideProblem, ProblemError> {
    check(params)?;
    let breadth = match params.breadth {
        Breadth::Any => match rng.random_range(0..4) {
            0 => Breadth::Plain,
            1 => Breadth::Certified,
            _ => Breadth::Wild,
        },
        chosen => chosen,
    };
    if breadth != Breadth::Plain {
        return draw(rng, params, breadth);
    }
    // Ill-conditioned matrices are rare; with equal masses there are none.
    for attempt in 0..20 {
        let params = RandomWideParams {
            mass_spread: params.mass_spread.min(if attempt < 19 { 1e2 } else { 1.0 }),
            max_friction: params.max_friction.min(1.0),
            ..params.clone()
        };
        let drawn = draw(rng, &params, breadth)?;
        if condition_number(&drawn.problem) <= 1e8 {
            return Ok(drawn);
        }
    }
    Err(refuse(
        "breadth",
        "plain",
        "no well-conditioned matrix found",
    ))
}

fn check(params: &RandomWideParams) -> Result<(), ProblemError> {
    if params.laws.is_empty() || params.subsystems.is_empty() {
        return Err(refuse("laws and subsystems", "none", "to choose from"));
    }
    if !(params.mass_spread.is_finite() && params.mass_spread >= 1.0) {
        let reason = "must be finite and at least 1";
        return Err(refuse("mass_spread", params.mass_spread, reason));
    }
    if !(params.max_friction.is_finite() && params.max_friction >= 0.0) {
        let reason = "must be finite and not negative";
        return Err(refuse("max_friction", params.max_friction, reason));
    }
    Ok(())
}

fn draw(
    rng: &mut impl Rng,
    params: &RandomWideParams,
    breadth: Breadth,
) -> Result<WideProblem, ProblemError> {
    let mut labels = Labels {
        is_plain: breadth == Breadth::Plain,
        ..Labels::default()
    };
    let mut problem = Problem::new();
    let masses = push_subsystems(rng, params, breadth, &mut problem, &mut labels)?;
    push_constraints(rng, params, &masses, &mut problem, &mut labels)?;
    let mut certificate = match breadth {
        Breadth::Wild => None,
        _ if rng.random_bool(0.5) => {
            let grazing = if labels.is_plain { 0.0 } else { 0.1 };
            Some(certify_drawn(rng, &mut problem, grazing)?)
        }
        _ => Some(certify_interior(rng, &mut problem)?),
    };
    if !labels.is_plain && rng.random_bool(0.3) {
        for _ in 0..rng.random_range(1..=3) {
            if push_duplicate(rng, &mut problem)?.is_some() {
                labels.oddities.push(Oddity::Duplicate);
            }
        }
        // What is there twice needs no second impulse.
        if let Some(Certificate::Drawn(solution)) = &mut certificate {
            solution.impulse.resize(problem.row_count(), 0.0);
        }
    }
    if breadth == Breadth::Wild && rng.random_bool(0.2) {
        labels.contradiction = Some(push_contradiction(rng, &mut problem)?);
        labels.oddities.push(Oddity::Contradiction);
    }
    labels.laws = sorted(
        problem
            .constraints()
            .iter()
            .filter_map(|c| LawKind::of(&c.law)),
    );
    labels.subsystems = sorted(problem.subsystems().iter().map(SubsystemKind::of));
    labels.oddities = sorted(labels.oddities.drain(..));
    Ok(WideProblem {
        problem,
        certificate,
        labels,
    })
}

/// Pushes the subsystems and returns their masses, kg.
fn push_subsystems(
    rng: &mut impl Rng,
    params: &RandomWideParams,
    breadth: Breadth,
    problem: &mut Problem,
    labels: &mut Labels,
) -> Result<Vec<f64>, ProblemError> {
    // Moderate spreads as often as extreme ones.
    let spread = if labels.is_plain {
        params.mass_spread
    } else {
        params.mass_spread.powf(rng.random())
    };
    let mut speed = 1.0;
    if breadth == Breadth::Wild {
        match rng.random_range(0..10) {
            0 => {
                speed = log_uniform(rng, 1e3, 1e12);
                labels.oddities.push(Oddity::HugeB);
            }
            1 => {
                speed = log_uniform(rng, 1e-15, 1e-4);
                labels.oddities.push(Oddity::TinyB);
            }
            _ => {}
        }
    }
    let mut masses = Vec::new();
    for _ in 0..rng.random_range(1..=params.max_subsystems.max(1)) {
        let mass = log_uniform(rng, 1.0 / spread, spread);
        let kind = params.subsystems[rng.random_range(0..params.subsystems.len())];
        let subsystem = subsystem_of_kind(rng, kind, mass)?;
        let b: Vec<f64> = (0..subsystem.dof_count())
            .map(|_| mass * speed * normal(rng))
            .collect();
        problem.push_subsystem(subsystem, &b)?;
        masses.push(mass);
    }
    Ok(masses)
}

fn push_constraints(
    rng: &mut impl Rng,
    params: &RandomWideParams,
    masses: &[f64],
    problem: &mut Problem,
    labels: &mut Labels,
) -> Result<(), ProblemError> {
    let least = usize::from(labels.is_plain).min(params.max_constraints);
    let odd_rows = match rng.random_range(0..8) {
        _ if labels.is_plain => None,
        0 => Some(Oddity::ZeroRow),
        1 => Some(Oddity::NoiseRow),
        _ => None,
    };
    for _ in 0..rng.random_range(least..=params.max_constraints) {
        let kind = params.laws[rng.random_range(0..params.laws.len())];
        let rows = if kind.is_contact() {
            3
        } else {
            rng.random_range(1..=3)
        };
        let mut blocks = random_blocks(rng, problem, rows);
        let mass = masses[blocks[0].0];
        let law = random_law(rng, kind, mass, params.max_friction, labels.is_plain);
        if let Some(oddity) = odd_rows
            && rng.random_bool(0.3)
        {
            labels.oddities.push(oddity);
            if oddity == Oddity::ZeroRow {
                make_zero(rng, &mut blocks, rows);
            } else {
                make_noise(rng, &mut blocks);
            }
        }
        let size = if rng.random_bool(0.9) || labels.is_plain {
            0.3
        } else {
            log_uniform(rng, 1e-6, 1e3)
        };
        let error: Vec<f64> = (0..rows).map(|_| size * uniform(rng, -1.0, 1.0)).collect();
        let blocks: Vec<_> = blocks
            .iter()
            .map(|(subsystem, numbers)| (*subsystem, numbers.block(rows)))
            .collect();
        problem.push_constraint(law, &error, &blocks)?;
    }
    Ok(())
}

/// Largest eigenvalue of A over the smallest; infinite where A is not positive definite.
fn condition_number(problem: &Problem) -> f64 {
    let mut dynamics = DynamicsMatrix::default();
    if dynamics.update(problem).is_err() {
        return f64::INFINITY;
    }
    let starts = problem.dof_starts();
    let mut blocks: Vec<DMatrix<f64>> = starts
        .windows(2)
        .map(|pair| DMatrix::zeros(pair[1] - pair[0], pair[1] - pair[0]))
        .collect();
    dynamics.for_each_lower_entry(|row, column, value| {
        let block = starts.partition_point(|&start| start <= row) - 1;
        let (row, column) = (row - starts[block], column - starts[block]);
        blocks[block][(row, column)] = value;
        blocks[block][(column, row)] = value;
    });
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for block in blocks {
        let eigenvalues = block.symmetric_eigenvalues();
        least = least.min(eigenvalues.min());
        most = most.max(eigenvalues.max());
    }
    if least > 0.0 {
        most / least
    } else {
        f64::INFINITY
    }
}

/// Ascending, each once.
fn sorted<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut out: Vec<T> = items.collect();
    out.sort_unstable();
    out.dedup();
    out
}
