//! What can be said on the command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Solve frictional contact problems and compare solvers.
#[derive(Debug, Parser)]
#[command(name = "stiction", version, about, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Solve problem files and report how it went
    Solve(SolveArguments),
    /// List the solvers and what each is for
    Solvers,
    /// Measure solvers against each other on generated problems, in one run
    Bench(BenchArguments),
    /// Write a completion script for a shell to standard output
    Completions {
        /// The shell to complete in
        shell: clap_complete::Shell,
    },
}

const SOLVE_EXAMPLES: &str = "\
Examples:
  stiction solve                                    the bundled example, a box sliding down a slope
  stiction solve problem.json                       one problem with the default solver
  stiction solve problem.h5 --solver canal,pgs --plot convergence.svg
  stiction solve problems/ --solver all --plot profile.svg
  stiction solve problems/ --json > answers.jsonl
  stiction solve problems/ --warm-start answers.jsonl

Exit code: 0 when everything converged, 1 when something did not, 2 on bad usage or input that
cannot be read (everything else is still solved).";

#[derive(Debug, Args)]
#[command(after_help = SOLVE_EXAMPLES)]
pub(crate) struct SolveArguments {
    /// Problem files, or directories with problem files (.json, .h5, .hdf5); without any, the
    /// bundled example is solved
    #[arg(value_name = "FILE_OR_DIR")]
    pub(crate) inputs: Vec<PathBuf>,

    /// Solvers by name, separated by commas, or `all`; `stiction solvers` lists them
    #[arg(
        long,
        short,
        value_name = "NAME[,NAME…]",
        value_delimiter = ',',
        default_value = crate::solvers::DEFAULT
    )]
    pub(crate) solver: Vec<String>,

    /// Residual at which a problem counts as solved: the larger of natural and balanced residual
    /// for local and global contact problems, the scaled residual in m/s for full problems
    #[arg(long, short, value_name = "RESIDUAL", default_value = "1e-8", value_parser = positive)]
    pub(crate) tolerance: f64,

    /// Most iterations of each solve (sweeps for per-contact solvers) [default: the solver's own]
    #[arg(long, short = 'n', value_name = "COUNT")]
    pub(crate) max_iterations: Option<usize>,

    /// Most wall-clock time of each solve, in seconds
    #[arg(long, short = 'b', value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time_budget: Option<Duration>,

    /// Start from the answers in this file, written by `--json` and found by problem name
    #[arg(long, short, value_name = "FILE")]
    pub(crate) warm_start: Option<PathBuf>,

    /// Write one JSON object per problem and solver to standard output, and nothing else
    #[arg(long, short)]
    pub(crate) json: bool,

    /// Draw a convergence plot of one problem, or a performance profile of several
    #[arg(long, short, value_name = "OUT.svg")]
    pub(crate) plot: Option<PathBuf>,
}

const BENCH_EXAMPLES: &str = "\
Examples:
  stiction bench solvers                 100 problems a family, a few minutes
  stiction bench solvers --count 10      a quick look

Times are the fastest of three equal solves; compare them within one run only.";

#[derive(Debug, Args)]
#[command(after_help = BENCH_EXAMPLES)]
pub(crate) struct BenchArguments {
    /// What to measure
    pub(crate) subject: BenchSubject,

    /// Problems of each family
    #[arg(long, short = 'n', value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(crate) count: u64,

    /// First seed of the generators
    #[arg(long, value_name = "SEED", default_value_t = 1000)]
    pub(crate) seed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BenchSubject {
    /// Accuracy and time of the solvers, warm start, ablations, scaling
    Solvers,
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        _ => Err("a positive number is needed, such as 1e-8".into()),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    positive(text)
        .ok()
        .and_then(|value| Duration::try_from_secs_f64(value).ok())
        .ok_or_else(|| "a positive number of seconds is needed, such as 0.5".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn numbers_must_be_positive() {
        assert!(positive("0").is_err() && positive("nan").is_err() && positive("x").is_err());
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert!(seconds("1e300").is_err());
    }
}
