//! Plots as SVG: convergence of one problem, performance profile of several.

mod convergence;
mod profile;

use std::path::Path;

use stiction_constraints::Budget;

use super::Record;

/// Draws what fits the number of problems.
pub(crate) fn draw(
    path: &Path,
    records: &[Record],
    solvers: &[String],
    budget: &Budget,
) -> anyhow::Result<()> {
    let is_one_problem = records
        .iter()
        .all(|record| record.problem == records[0].problem);
    let svg = if is_one_problem {
        convergence::svg(records, budget)?
    } else {
        profile::svg(records, solvers)?
    };
    let written = stiction_recording::write_atomically(path, |sink| {
        std::io::Write::write_all(sink, svg.as_bytes())?;
        Ok(())
    });
    Ok(written?)
}
