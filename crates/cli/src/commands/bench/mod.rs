//! `stiction bench`: the solvers on generated problems, against each other and against their promises.

mod ablation;
pub(crate) mod conformance;
mod families;
mod scaling;
mod timing;
mod warm_start;

use std::io::Write;

use crate::Ending;
use crate::arguments::{BenchArguments, BenchSubject};

/// Runs the benchmark and prints its tables.
pub(crate) fn run(arguments: &BenchArguments) -> anyhow::Result<Ending> {
    let mut out = std::io::stdout().lock();
    match arguments.subject {
        BenchSubject::Solvers => {
            families::print(&mut out, arguments)?;
            writeln!(out)?;
            warm_start::print(&mut out, arguments)?;
            writeln!(out)?;
            ablation::print(&mut out, arguments)?;
            writeln!(out)?;
            scaling::print(&mut out)?;
        }
        BenchSubject::Conformance => return conformance::run(&mut out, arguments),
    }
    Ok(Ending::Fine)
}
