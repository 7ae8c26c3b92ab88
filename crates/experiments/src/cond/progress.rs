//! Why a solve takes the iterations it takes: its changes one after the other, and what an iteration can do.

use stiction_constraints::{Budget, DynamicsMatrix, Failure, Problem, Solver};

use super::box_sliding::problem_error;
use super::follow::{Ending, Sample};
use super::spectrum::Spectrum;
use super::variants::make;
use crate::error::Result;
use crate::report::Table;

/// Iterations after which the change is shown.
const SHOWN: [usize; 7] = [1, 10, 30, 100, 300, 600, 1000];

/// ‖Δv̂‖ of the variants of COND over iterations on one problem, and the share of a body's motion as a whole that an
/// iteration brings.
pub(super) fn table(solvers: &[&'static str], test: f64, sample: &Sample) -> Result<Table> {
    let last = SHOWN[SHOWN.len() - 1];
    let limit = Limit::of(sample, test)?;
    let mut table = Table {
        caption: format!(
            "Iteration by iteration: ‖Δv̂‖ (m/s) on one problem of the first trial, and the scaled residual of the true problem after {last}. \
             A diagonal W brings a body as a whole about Σ a_ij / Σ a_ii of what it lacks nearer in an iteration, here 1/{:.0}: changes are small \
             long before the way is gone, and a threshold between the two ends it early or late by how far the guess was off. Here {}",
            1.0 / translation_share(&sample.problem)?,
            limit.words(test),
        ),
        header: vec!["solver".to_owned()],
        rows: Vec::new(),
    };
    table.header.extend(SHOWN.map(|at| format!("after {at}")));
    table.header.push(format!("first ≤ {test:.0e} after"));
    table.header.push("residual (m/s)".to_owned());
    for name in solvers {
        let mut solver: Box<dyn Solver> = make(name)?;
        let budget = Budget {
            record_history: true,
            all_residuals: true,
            ..Ending::Iterations(last).budget(&Budget::default())
        };
        let mut solution = sample.guess.clone();
        let report = solver.solve(&sample.problem, &budget, &mut solution);
        let change = |at: usize| report.history.get(at - 1).map(|entry| entry.residual);
        let mut row = vec![(*name).to_owned()];
        row.extend(SHOWN.map(|at| change(at).map_or("–".to_owned(), |size| format!("{size:.0e}"))));
        let first = report.history.iter().find(|entry| entry.residual <= test);
        row.push(first.map_or("–".to_owned(), |entry| entry.iteration.to_string()));
        row.push(format!("{:.1e}", report.residuals.scaled));
        table.rows.push(row);
    }
    Ok(table)
}

/// What bounds iterations that only multiply with A: how far the guess is off, and the spectrum.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limit {
    /// ‖v̂ − guess‖, m/s.
    pub(super) off: f64,
    /// Largest over smallest eigenvalue of P⁻¹A.
    pub(super) condition: f64,
    /// Iterations of Chebyshev's polynomial from there to the threshold.
    pub(super) iterations: f64,
}

impl Limit {
    pub(super) fn of(sample: &Sample, test: f64) -> Result<Self> {
        let refuse = |failure: Failure| problem_error(format!("{failure:?}"));
        let spectrum = Spectrum::of(&sample.problem).map_err(refuse)?;
        let mut truth = sample.guess.clone();
        make("canal")?.solve(&sample.problem, &Budget::with_tolerance(1e-10), &mut truth);
        let guess = &sample.guess.velocity;
        let square: f64 = match guess.len() == truth.velocity.len() {
            true => (truth.velocity.iter().zip(guess))
                .map(|(v, guess)| (v - guess).powi(2))
                .sum(),
            false => truth.velocity.iter().map(|v| v * v).sum(),
        };
        let off = square.sqrt();
        Ok(Self {
            off,
            condition: spectrum.largest / spectrum.smallest,
            iterations: spectrum.iterations(off, test),
        })
    }

    /// What it says.
    pub(super) fn words(&self, test: f64) -> String {
        format!(
            "the guess was off by {:.1e} m/s and P⁻¹A, P = diag A, has the condition number {:.0}: Chebyshev's polynomial, the best for a \
             spectrum with these ends, needs {:.0} products with A until what is left is {test:.0e} m/s",
            self.off, self.condition, self.iterations
        )
    }
}

/// Σ a_ij / Σ a_ii of the largest subsystem, entries of the same direction only.
fn translation_share(problem: &Problem) -> Result<f64> {
    let starts = problem.dof_starts().windows(2);
    let Some(largest) = starts.max_by_key(|dofs| dofs[1] - dofs[0]) else {
        return Ok(f64::NAN);
    };
    let mut matrix = DynamicsMatrix::default();
    matrix
        .update(problem)
        .map_err(|failure| problem_error(format!("{failure:?}")))?;
    let (mut all, mut own) = (0.0, 0.0);
    matrix.for_each_lower_entry(|row, column, value| {
        let is_inside = |dof: usize| (largest[0]..largest[1]).contains(&dof);
        if !is_inside(row) || !is_inside(column) {
            return;
        }
        if row == column {
            all += value;
            own += value;
        } else if (row - largest[0]) % 3 == (column - largest[0]) % 3 {
            all += 2.0 * value;
        }
    });
    Ok(all / own)
}
