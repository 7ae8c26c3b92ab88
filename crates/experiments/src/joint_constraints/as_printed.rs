//! The problems of the Panda's steps again, by both algorithms as printed and with their own stopping tests.

use stiction_constraints::{Budget, Criterion, Outcome, Solution};
use stiction_scenes::Options;
use stiction_sim::solvers::make;

use crate::Run;
use crate::error::Result;
use crate::report::{Section, Table};

/// The algorithms of \[AL\] to the letter, with the tolerance of their tests.
const SOLVERS: [(&str, f64); 2] = [("canal-paper", 1e-12), ("subadmm-paper", 1e-4)];
/// Every so many steps are solved.
const EVERY: usize = 10;

/// How the solves with one algorithm went.
#[derive(Default)]
struct Tally {
    /// Scaled residuals in m/s.
    residuals: Vec<f64>,
    iterations: usize,
    /// Ends by the test, and those of them whose residual is above the tolerance.
    tested: usize,
    early: usize,
}

pub(super) fn section(run: &mut Run<'_>) -> Result<Section> {
    let seconds = run.or_quick(10.0, 0.5);
    let options = Options {
        seconds: Some(seconds),
        ..Options::default()
    };
    let mut scene = stiction_scenes::build("panda-box", &options)?;
    let mut solvers = Vec::new();
    for (name, tolerance) in SOLVERS {
        let solver = make(name)?;
        let criterion = solver.declaration().own_test.unwrap_or_default();
        let budget = Budget {
            criterion,
            ..Budget::with_tolerance(tolerance)
        };
        solvers.push((solver, budget, Tally::default()));
    }
    let steps = (seconds / scene.world.settings().time_step) as usize;
    for step in 0..steps {
        scene.world.step()?;
        if step % EVERY != 0 {
            continue;
        }
        run.tell(
            step as f64 / steps as f64,
            "Panda with the algorithms as printed",
        )?;
        for solved in scene.world.problems() {
            for (solver, budget, tally) in &mut solvers {
                let mut solution = Solution::cold();
                let report = solver.solve(solved.problem, budget, &mut solution);
                let is_stopped = matches!(report.outcome, Outcome::Stopped(_));
                tally.residuals.push(report.residuals.scaled);
                tally.iterations += report.iterations;
                tally.tested += usize::from(is_stopped || report.outcome.is_converged());
                tally.early += usize::from(is_stopped);
            }
        }
    }
    let header = [
        "solver",
        "test",
        "tolerance",
        "ended by it",
        "of these, residual above the tolerance",
        "median residual (m/s)",
        "largest residual (m/s)",
        "iterations a problem",
    ];
    let rows = solvers.iter_mut().map(|(solver, budget, tally)| {
        tally.residuals.sort_by(f64::total_cmp);
        let count = tally.residuals.len();
        let at = |index: usize| tally.residuals.get(index).copied().unwrap_or(f64::NAN);
        vec![
            solver.name().to_owned(),
            words(budget.criterion).to_owned(),
            format!("{:.0e}", budget.tolerance),
            format!("{} of {count}", tally.tested),
            tally.early.to_string(),
            format!("{:.1e}", at(count / 2)),
            format!("{:.1e}", at(count.saturating_sub(1))),
            format!("{:.1}", tally.iterations as f64 / count.max(1) as f64),
        ]
    });
    Ok(Section {
        heading: "The same problems by the algorithms as printed, with their own stopping tests"
            .to_owned(),
        text: format!(
            "The contact problems of every {EVERY}th step of such a run, without a guess. Algorithm 1 is run from \
             β = 1e4 until its ‖J v̂ − z‖ is within the tolerance, Algorithm 2 until its θ_p + θ_d is. Both \
             tests may be met far from a solution: the residual is what the impulses leave where they ended."
        ),
        tables: vec![Table {
            rows: rows.collect(),
            ..Table::new("", header)
        }],
        ..Section::default()
    })
}

fn words(criterion: Criterion) -> &'static str {
    match criterion {
        Criterion::Consensus => "‖J v̂ − z‖₂",
        Criterion::PrimalDual => "θ_p + θ_d",
        other => other.word(),
    }
}
