//! What `stiction bench stages` can be told.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::arguments::{positive, seconds};

const EXAMPLES: &str = "\
Examples:
  stiction bench stages --generated 20              generated problems only
  stiction run dish-piling --no-output --problems steps --every 10
  stiction bench stages steps --solver subadmm      recorded steps
  stiction bench stages problems/ --generated 100 --seed 7 --json > stages.json

Every problem is solved with all stages and without each. Times are processor time of the solver, the
smallest of three runs that take turns. Ctrl-C ends with what was measured so far.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct StagesArguments {
    /// Problem files, or directories with problem files, as for `stiction solve`
    #[arg(value_name = "FILE_OR_DIR", required_unless_present = "generated")]
    pub(crate) inputs: Vec<PathBuf>,

    /// Whose stages
    #[arg(long, short, value_name = "NAME", default_value = "canal")]
    pub(crate) solver: StagedSolver,

    /// Generate this many problems of each family: bolt-nut, dishes, quadrupeds, towers, random
    /// small ones and mixed laws
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(crate) generated: Option<u64>,

    /// First seed of the generators
    #[arg(
        long,
        value_name = "SEED",
        default_value_t = 1000,
        requires = "generated"
    )]
    pub(crate) seed: u64,

    /// Residual at which a problem counts as solved, as for `stiction solve`
    #[arg(long, short, value_name = "RESIDUAL", default_value = "1e-8", value_parser = positive)]
    pub(crate) tolerance: f64,

    /// Most processor time of each solve, in seconds
    #[arg(long, short = 'b', value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    pub(crate) time_budget: Duration,

    /// Start without impulses, also where a file has some from a recorded step
    #[arg(long)]
    pub(crate) cold: bool,

    /// Write one JSON object to standard output, and nothing else
    #[arg(long, short)]
    pub(crate) json: bool,
}

/// Solvers that have stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StagedSolver {
    /// CANAL
    Canal,
    /// SubADMM
    Subadmm,
}
