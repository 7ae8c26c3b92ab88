//! Many random problems, each examined for what must never happen.

use std::time::{Duration, Instant};

use stiction_constraints::{Budget, Outcome, Problem, Report, Solution, Solver};
use stiction_generators::transform::perturb_b;
use stiction_generators::{RandomWideParams, WideProblem, random_wide};

use crate::attempt::{attempt, is_refusal, not_finite};
use crate::checks::DYNAMICS;
use crate::judge::Judge;
use crate::same::difference;

/// Iterations on the problems that give the used solver its history.
const HISTORY_ITERATIONS: usize = 20;

/// What must never happen.
#[derive(Debug, Clone, PartialEq)]
pub enum Finding {
    /// The time limit ended it: without one it might not have ended.
    Endless,
    /// It panicked, with this message.
    Panicked(String),
    /// A number that is not finite, or a vector of the wrong size.
    NotFinite,
    /// Said to have converged with this violation of a law, m/s.
    FalselyConverged(f64),
    /// v̂ is not A⁻¹(b + Jᵀλ), by this much.
    VelocityOff(f64),
    /// A solver that solved other problems before answers otherwise; how.
    HistoryDependent(String),
    /// A plain problem that is certified to have a solution ended so.
    PlainNotSolved(Outcome),
}

impl Finding {
    /// All findings by name, in the order of tables.
    pub const NAMES: [&'static str; 7] = [
        "endless",
        "panicked",
        "not finite",
        "falsely converged",
        "velocity does not belong to impulse",
        "history-dependent",
        "plain and certified, not solved",
    ];

    /// Which of [`NAMES`](Self::NAMES) it is.
    pub fn index(&self) -> usize {
        match self {
            Finding::Endless => 0,
            Finding::Panicked(_) => 1,
            Finding::NotFinite => 2,
            Finding::FalselyConverged(_) => 3,
            Finding::VelocityOff(_) => 4,
            Finding::HistoryDependent(_) => 5,
            Finding::PlainNotSolved(_) => 6,
        }
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Finding::Panicked(message) => f.write_str(message),
            Finding::FalselyConverged(violation) => {
                write!(
                    f,
                    "falsely converged: a law is violated by {violation:.1e} m/s"
                )
            }
            Finding::VelocityOff(error) => {
                write!(f, "velocity does not belong to impulse: off by {error:.1e}")
            }
            Finding::HistoryDependent(how) => write!(f, "history-dependent: {how}"),
            Finding::PlainNotSolved(outcome) => {
                write!(f, "plain and certified, not solved: {outcome}")
            }
            other => f.write_str(Self::NAMES[other.index()]),
        }
    }
}

/// What problems are drawn and what a solver may spend on each.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepSettings {
    /// Tolerance on the scaled residual, m/s.
    pub tolerance: f64,
    /// Processor time after which a solve counts as endless.
    pub time_limit: Duration,
    /// What problems are drawn from; the seed is that of each problem.
    pub params: RandomWideParams,
}

impl Default for SweepSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            time_limit: Duration::from_secs(30),
            params: RandomWideParams::default(),
        }
    }
}

/// What became of one problem.
#[derive(Debug, Clone)]
pub struct Examination {
    /// The problem's seed.
    pub seed: u64,
    /// Whether it is plain and certified to have a solution.
    pub is_plain: bool,
    /// Whether it is certified to have a solution.
    pub is_certified: bool,
    /// How the solve ended; `None` where it panicked.
    pub outcome: Option<Outcome>,
    /// Iterations of the solve.
    pub iterations: usize,
    /// Wall-clock time of the solve.
    pub time: Duration,
    /// Whether it falsely converged and rounding alone may explain it.
    pub is_off_by_rounding: bool,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

/// The problem of a seed.
///
/// # Panics
/// Parameters that make no sense.
pub fn draw_for_sweep(settings: &SweepSettings, seed: u64) -> WideProblem {
    let params = RandomWideParams {
        seed,
        ..settings.params.clone()
    };
    random_wide(&params).expect("parameters of a sweep make sense")
}

/// Solves the problem of a seed with a fresh solver and with one that solved others before, and
/// judges the answer.
pub fn examine(
    settings: &SweepSettings,
    seed: u64,
    make: &dyn Fn() -> Box<dyn Solver>,
) -> Examination {
    let drawn = draw_for_sweep(settings, seed);
    let budget = Budget {
        time_limit: Some(settings.time_limit),
        ..Budget::with_tolerance(settings.tolerance)
    };
    let mut out = Examination {
        seed,
        is_plain: drawn.labels.is_plain,
        is_certified: drawn.certificate.is_some(),
        outcome: None,
        iterations: 0,
        time: Duration::ZERO,
        is_off_by_rounding: false,
        findings: Vec::new(),
    };
    let mut fresh = make();
    let start = Instant::now();
    let (report, solution) =
        match attempt(fresh.as_mut(), &drawn.problem, &budget, Solution::cold()) {
            Ok(answer) => answer,
            Err(message) => {
                out.findings.push(Finding::Panicked(message));
                return out;
            }
        };
    out.time = start.elapsed();
    out.iterations = report.iterations;
    judge(
        fresh.as_ref(),
        &drawn,
        (&report, &solution),
        settings,
        &mut out,
    );
    if report.outcome == Outcome::OutOfTime {
        // Where a clock decides, bits differ.
        out.findings.push(Finding::Endless);
    } else {
        match with_history(settings, seed, &drawn.problem, &budget, make) {
            Ok((later, other)) => {
                let how = difference((&report, &solution), (&later, &other));
                out.findings.extend(how.map(Finding::HistoryDependent));
            }
            Err(message) => out.findings.push(Finding::Panicked(message)),
        }
    }
    out.outcome = Some(report.outcome);
    out
}

fn judge(
    solver: &dyn Solver,
    drawn: &WideProblem,
    (report, solution): (&Report, &Solution),
    settings: &SweepSettings,
    out: &mut Examination,
) {
    let problem = &drawn.problem;
    if not_finite(problem, solution).is_some() {
        out.findings.push(Finding::NotFinite);
        return;
    }
    let is_exact = solver.declaration().is_exact();
    let Some(judge) = Judge::new(problem) else {
        return;
    };
    let verdict = judge.judge(solution);
    out.is_off_by_rounding =
        report.outcome.is_converged() && is_exact && verdict.is_off_by_rounding(settings.tolerance);
    if report.outcome.is_converged() && is_exact && !verdict.is_within(settings.tolerance) {
        out.findings
            .push(Finding::FalselyConverged(verdict.violation));
    }
    if verdict.dynamics > DYNAMICS && !is_refusal(&report.outcome) {
        out.findings.push(Finding::VelocityOff(verdict.dynamics));
    }
    if drawn.labels.is_plain && is_exact && !report.outcome.is_converged() {
        let outcome = report.outcome.clone();
        out.findings.push(Finding::PlainNotSolved(outcome));
    }
}

/// The answer of a solver that solved one problem of another size and one of the same size before.
fn with_history(
    settings: &SweepSettings,
    seed: u64,
    problem: &Problem,
    budget: &Budget,
    make: &dyn Fn() -> Box<dyn Solver>,
) -> Result<(Report, Solution), String> {
    let mut used = make();
    let brief = Budget {
        max_iterations: Some(HISTORY_ITERATIONS),
        ..budget.clone()
    };
    let other = draw_for_sweep(settings, seed.wrapping_add(1)).problem;
    attempt(used.as_mut(), &other, &brief, Solution::cold())?;
    if let Ok(similar) = perturb_b(problem, 0.1, seed) {
        attempt(used.as_mut(), &similar, &brief, Solution::cold())?;
    }
    attempt(used.as_mut(), problem, budget, Solution::cold())
}
