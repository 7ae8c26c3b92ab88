//! `stiction solvers`: every solver with a line on what it is for.

use std::io::Write;

use crate::{Ending, solvers};

pub(crate) fn run() -> anyhow::Result<Ending> {
    let width = solvers::all()
        .map(|(name, _)| name.len())
        .max()
        .unwrap_or(0);
    let mut out = std::io::stdout().lock();
    for (name, purpose) in solvers::all() {
        writeln!(out, "{name:width$}  {purpose}")?;
    }
    Ok(Ending::Fine)
}
