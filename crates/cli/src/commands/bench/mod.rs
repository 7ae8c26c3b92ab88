//! `stiction bench`: the solvers against each other, against themselves without their stages, and against
//! their promises.

mod ablation;
pub(crate) mod conformance;
mod families;
mod loading;
mod motion;
mod scaling;
mod soft;
mod stages;
mod timing;
mod warm_start;

use std::io::Write;

use crate::Ending;
use crate::arguments::BenchSubject;

pub(crate) use loading::LoadingArguments;
pub(crate) use motion::MotionArguments;
pub(crate) use soft::SoftArguments;
pub(crate) use stages::StagesArguments;

/// Runs the benchmark and prints its tables.
pub(crate) fn run(subject: &BenchSubject) -> anyhow::Result<Ending> {
    let mut out = std::io::stdout().lock();
    match subject {
        BenchSubject::Solvers(arguments) => {
            families::print(&mut out, arguments)?;
            writeln!(out)?;
            warm_start::print(&mut out, arguments)?;
            writeln!(out)?;
            ablation::print(&mut out, arguments)?;
            writeln!(out)?;
            scaling::print(&mut out)?;
            Ok(Ending::Fine)
        }
        BenchSubject::Stages(arguments) => stages::run(&mut out, arguments),
        BenchSubject::Loading(arguments) => loading::run(&mut out, arguments),
        BenchSubject::Motion(arguments) => motion::run(&mut out, arguments),
        BenchSubject::Soft(arguments) => soft::run(&mut out, arguments),
        BenchSubject::Conformance(arguments) => conformance::run(&mut out, arguments),
    }
}
