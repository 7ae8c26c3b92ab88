//! What can be said on the command line.

use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use stiction_constraints::Criterion;

use crate::commands::bench::conformance::ConformanceArguments;
use crate::commands::bench::{LoadingArguments, MotionArguments, SoftArguments, StagesArguments};
use crate::model_arguments::ModelArguments;

/// Simulate robots and objects in frictional contact, exactly; solve contact problems; compare solvers.
#[derive(Debug, Parser)]
#[command(name = "stiction", version, about, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Simulate a scene, measure it, and write a recording and a page that replays it
    Run(RunArguments),
    /// List the built-in scenes
    Scenes,
    /// Show a recording, or a scene while it is simulated, in the browser
    View(ViewArguments),
    /// Run one scene with several solvers, side by side
    Compare(CompareArguments),
    /// Write a recording as CSV, NPZ or JSON
    Export(ExportArguments),
    /// Solve problem files and report how it went
    Solve(SolveArguments),
    /// List the solvers and what each is for
    Solvers(SolversArguments),
    /// Measure solvers, and what the stages of a solver are worth
    #[command(subcommand)]
    Bench(BenchSubject),
    /// Show what a URDF, MJCF or scene file says, and what of it is not done
    Inspect(InspectArguments),
    /// Write a scene, URDF or MJCF file in another of these formats
    Convert(ConvertArguments),
    /// Run an experiment of a paper anew and write its report
    Reproduce(ReproduceArguments),
    /// Write a completion script for a shell to standard output
    Completions {
        /// The shell to complete in
        shell: clap_complete::Shell,
    },
}

const RUN_EXAMPLES: &str = "\
Examples:
  stiction run dish-piling                        simulate, print a summary, write dish-piling.stic
                                                  and dish-piling.html
  stiction run box-tower --solver pgs --seconds 2
  stiction run robot.urdf --base free --floor
  stiction run scene.xml --keyframe home --sensors sensors.csv
  stiction run my-scene.toml --record run.stic --html run.html --csv run.csv --plot run.svg
  stiction run spheres --no-output --json | jq .real_time_factor
  stiction run box-tower --no-output --problems steps --every 10 && stiction solve steps

Files are called after the scene or its file, and are written to the current folder. A file that is there is
replaced once the new one is whole; a link stays one; pipes and terminals are written through; read-only
files, folders, disks and sockets are refused.

Ctrl-C (SIGINT), SIGTERM and SIGHUP end a run within a tenth of a second; what was simulated so far is
then written. A second one ends it at once, with exit code 130.
Exit code: 0 when the run ended (by itself or by a signal), 1 when a step failed (what was simulated
before is still written, and the problem that could not be solved too, unless --no-output), 2 on bad usage or input.";

/// What a run of a scene may change; everything else is the scene's own.
#[derive(Debug, Args)]
pub(crate) struct SceneArguments {
    /// A built-in scene (`stiction scenes` lists them), or a scene, URDF or MJCF file
    #[arg(value_name = "SCENE")]
    pub(crate) scene: String,

    /// Start from this keyframe of the file [default: its initial state]
    #[arg(long, value_name = "NAME")]
    pub(crate) keyframe: Option<String>,

    /// Time step, s [default: the scene's own]
    #[arg(long, value_name = "SECONDS", value_parser = time_step, allow_negative_numbers = true)]
    pub(crate) dt: Option<f64>,

    /// Simulated time, s [default: the scene's own]
    #[arg(long, value_name = "SECONDS", value_parser = duration, allow_negative_numbers = true)]
    pub(crate) seconds: Option<f64>,

    /// Residual at which the solver stops, m/s [default: the scene's own]
    #[arg(long, short, value_name = "RESIDUAL", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,

    /// Most iterations of the solver per island and step [default: the scene's own]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) max_iterations: Option<u64>,

    /// Processor time of the solver per island and step, s; with it results depend on the machine
    /// [default: no limit]
    #[arg(long, value_name = "SECONDS", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) solver_time: Option<f64>,

    /// Change of a distance after which the contacts of a pair with many are chosen anew, m; 0 chooses
    /// in every step [default: the scene's own]
    #[arg(long, value_name = "METRES", value_parser = not_negative)]
    pub(crate) contact_reuse: Option<f64>,

    /// Seed of what is random in the scene
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Velocity of a walking robot: forwards and left in m/s, turning in rad/s [default: the scene's own]
    #[arg(long, value_name = "X,Y,TURN", value_parser = velocity, allow_hyphen_values = true)]
    pub(crate) velocity: Option<[f64; 3]>,

    /// Threads; the result does not depend on them [default: all cores]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,

    #[command(flatten)]
    pub(crate) model: ModelArguments,
}

#[derive(Debug, Args)]
#[command(after_help = RUN_EXAMPLES)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) scene: SceneArguments,

    /// Solver by name; `stiction solvers` lists them [default: the scene's own]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) solver: Option<String>,

    /// Frames of the recording per simulated second
    #[arg(long, value_name = "RATE", default_value = "60", value_parser = rate, allow_negative_numbers = true)]
    pub(crate) fps: f64,

    /// Where to write the recording [default: SCENE.stic]
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,

    /// Where to write the page that replays it [default: SCENE.html]
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Write no file but those that are named
    #[arg(long)]
    pub(crate) no_output: bool,

    /// Write poses, velocities and statistics of every frame as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,

    /// Write what the sensors of the scene measure after every step as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) sensors: Option<PathBuf>,

    /// Write soft bodies and rods as they deform, with stresses and velocities, frame by frame into this
    /// folder: VTU files with a PVD list each, which ParaView opens
    #[arg(long, value_name = "FOLDER")]
    pub(crate) vtu: Option<PathBuf>,

    /// Write the surfaces of soft bodies as they deform, frame by frame, as OBJ files into this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) obj: Option<PathBuf>,

    /// Write the contact problems of steps, with the impulses that the solver began with, as files
    /// for `stiction solve` into this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) problems: Option<PathBuf>,

    /// Write the problems of every so many steps only
    #[arg(long, value_name = "STEPS", default_value = "1", requires = "problems")]
    pub(crate) every: NonZeroU64,

    /// Draw time, residual, penetration and energy over time
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) plot: Option<PathBuf>,

    /// Print the share of each stage of a step
    #[arg(long)]
    pub(crate) profile: bool,

    /// Print nothing but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Print the summary as one JSON object, and nothing else
    #[arg(long, short, conflicts_with = "quiet")]
    pub(crate) json: bool,
}

const VIEW_EXAMPLES: &str = "\
Examples:
  stiction view dish-piling.stic         replay a recording
  stiction view dish-piling              simulate and watch
  stiction view spheres --port 8000 --no-browser

The page is served on the loopback address only, unless --public is given. Ctrl-C ends it.";

#[derive(Debug, Args)]
#[command(after_help = VIEW_EXAMPLES)]
pub(crate) struct ViewArguments {
    /// A recording (.stic), a built-in scene, or a scene, URDF or MJCF file
    #[arg(value_name = "FILE_OR_SCENE")]
    pub(crate) what: String,

    /// Solver by name, for a scene [default: the scene's own]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) solver: Option<String>,

    /// Start from this keyframe of the file [default: its initial state]
    #[arg(long, value_name = "NAME")]
    pub(crate) keyframe: Option<String>,

    #[command(flatten)]
    pub(crate) model: ModelArguments,

    /// Port; 0 takes a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub(crate) port: u16,

    /// Do not open a browser
    #[arg(long)]
    pub(crate) no_browser: bool,

    /// Listen on all addresses, for viewers on other machines
    #[arg(long)]
    pub(crate) public: bool,
}

const COMPARE_EXAMPLES: &str = "\
Examples:
  stiction compare mass-ratio --solvers canal,subadmm,pgs --seconds 2 --plot compare.svg
  stiction compare box-tower --solvers all --seconds 1

Exit code: 0 when every solver simulated the scene, 1 when a step failed with one of them, 2 on bad
usage or input.";

#[derive(Debug, Args)]
#[command(after_help = COMPARE_EXAMPLES)]
pub(crate) struct CompareArguments {
    #[command(flatten)]
    pub(crate) scene: SceneArguments,

    /// Solvers by name, separated by commas, or `all`
    #[arg(
        long,
        short,
        value_name = "NAME[,NAME…]",
        value_delimiter = ',',
        default_value = "canal,subadmm,pgs"
    )]
    pub(crate) solvers: Vec<String>,

    /// Draw time, residual, penetration and energy over time
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) plot: Option<PathBuf>,

    /// Write one JSON object per solver to standard output, and nothing else
    #[arg(long, short)]
    pub(crate) json: bool,
}

const EXPORT_EXAMPLES: &str = "\
Examples:
  stiction export run.stic                       run.csv, run.npz and run.json
  stiction export run.stic --npz states.npz      only what is named";

#[derive(Debug, Args)]
#[command(after_help = EXPORT_EXAMPLES)]
pub(crate) struct ExportArguments {
    /// The recording
    #[arg(value_name = "RECORDING")]
    pub(crate) recording: PathBuf,

    /// One row per frame
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,

    /// Arrays for numpy.load
    #[arg(long, value_name = "FILE")]
    pub(crate) npz: Option<PathBuf>,

    /// Everything, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// The page that replays it
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

const SOLVE_EXAMPLES: &str = "\
Examples:
  stiction solve                                    the bundled example, a box sliding down a slope
  stiction solve problem.json                       one problem with the default solver
  stiction solve problem.h5 --solver canal,pgs --plot convergence.svg
  stiction solve problems/ --solver all --plot profile.svg
  stiction solve problems/ --solver all --time-budget 2 --matrix
  stiction solve problems/ --json > answers.jsonl
  stiction solve problems/ --warm-start answers.jsonl

Ctrl-C ends the solve that runs with its best iterate and prints what there is.
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
    #[arg(long, short, value_name = "RESIDUAL", default_value = "1e-8", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) tolerance: f64,

    /// What the tolerance is about: one of our residuals (scaled, paper, natural), or a stopping test
    /// of a paper, which may be met far from a solution and is reported as `stopped` then [default: the
    /// test of the paper that a solver follows to the letter, otherwise scaled for full problems
    /// and natural for the others]
    #[arg(long, short, value_name = "WORD", value_parser = criterion(), hide_default_value = true)]
    pub(crate) criterion: Option<Criterion>,

    /// Do not let a solver whose algorithm leads nowhere try its other methods
    #[arg(long)]
    pub(crate) no_rescue: bool,

    /// Most iterations of each solve (sweeps for per-contact solvers) [default: the solver's own]
    #[arg(long, short = 'n', value_name = "COUNT")]
    pub(crate) max_iterations: Option<usize>,

    /// Most processor time of each solve, in seconds
    #[arg(long, short = 'b', value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time_budget: Option<Duration>,

    /// Start from the answers in this file, written by `--json` and found by problem name
    #[arg(long, short, value_name = "FILE")]
    pub(crate) warm_start: Option<PathBuf>,

    /// Start without impulses, also where a file has some from a recorded step
    #[arg(long, conflicts_with = "warm_start")]
    pub(crate) cold: bool,

    /// Write one JSON object per problem and solver to standard output, and nothing else
    #[arg(long, short)]
    pub(crate) json: bool,

    /// Print one Markdown table, a line for each problem and a column for each solver: iterations where it
    /// converged (on its own model, where that is another)
    #[arg(long, conflicts_with = "json")]
    pub(crate) matrix: bool,

    /// Draw a convergence plot of one problem, or a performance profile of several
    #[arg(long, short, value_name = "OUT.svg")]
    pub(crate) plot: Option<PathBuf>,
}

const SOLVERS_EXAMPLES: &str = "\
Examples:
  stiction solvers                     names and purposes
  stiction solvers --table             what each supports, relaxes and promises
  stiction solvers --json | jq 'select(.relaxes == [])'";

#[derive(Debug, Args)]
#[command(after_help = SOLVERS_EXAMPLES)]
pub(crate) struct SolversArguments {
    /// Print what each solver declares: laws and subsystems, what it relaxes of them, when it is
    /// proven to converge, and its stopping tests
    #[arg(long)]
    pub(crate) table: bool,

    /// Write the declarations as one JSON object per solver
    #[arg(long, short)]
    pub(crate) json: bool,
}

const INSPECT_EXAMPLES: &str = "\
Examples:
  stiction inspect panda.urdf
  stiction inspect scene.xml --json | jq .ignored";

#[derive(Debug, Args)]
#[command(after_help = INSPECT_EXAMPLES)]
pub(crate) struct InspectArguments {
    /// A URDF, MJCF or scene file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Write one JSON object to standard output, and nothing else
    #[arg(long, short)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) model: ModelArguments,
}

const CONVERT_EXAMPLES: &str = "\
Examples:
  stiction convert robot.urdf robot.xml          URDF to MJCF
  stiction convert scene.xml scene.toml          MJCF to a scene file

What the new format cannot say is listed on standard error.";

#[derive(Debug, Args)]
#[command(after_help = CONVERT_EXAMPLES)]
pub(crate) struct ConvertArguments {
    /// A URDF, MJCF or scene file
    #[arg(value_name = "FILE")]
    pub(crate) input: PathBuf,

    /// The new file: .toml for a scene file, .urdf, .xml or .mjcf
    #[arg(value_name = "NEW_FILE")]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) model: ModelArguments,
}

const REPRODUCE_EXAMPLES: &str = "\
Examples:
  stiction reproduce                             list the experiments
  stiction reproduce joint-constraints           write reports/joint-constraints/report.html
  stiction reproduce joint-constraints --quick
  stiction reproduce subsystem-admm --only table-1

Each statement is one line that begins with met, not met, or not comparable (an input was not published).
Ctrl-C ends a run; what is done is kept. Exit code: 0 when no statement is \"not met\", 1 when one is or the
run was interrupted, 2 on bad usage.";

#[derive(Debug, Args)]
#[command(after_help = REPRODUCE_EXAMPLES)]
pub(crate) struct ReproduceArguments {
    /// The experiment; without one, all are listed
    #[arg(value_name = "EXPERIMENT")]
    pub(crate) experiment: Option<String>,

    /// Folder of the report [default: reports/EXPERIMENT]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,

    /// Less of everything, for a first look
    #[arg(long)]
    pub(crate) quick: bool,

    /// Randomised trials, where an experiment has them
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=10_000))]
    pub(crate) trials: Option<usize>,

    /// Only these parts, by the names that `stiction reproduce` lists
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    pub(crate) only: Vec<String>,

    /// Folder with the data of a paper that is not ours to pass on
    #[arg(long, value_name = "FOLDER")]
    pub(crate) data: Option<PathBuf>,

    /// Print statements and tables as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const BENCH_EXAMPLES: &str = "\
Examples:
  stiction bench solvers                 100 problems a family, a few minutes
  stiction bench solvers --count 10      a quick look
  stiction bench conformance --count 24000 --solver canal --save failures

Times are the fastest of three equal solves; compare them within one run only.";

#[derive(Debug, Args)]
#[command(after_help = BENCH_EXAMPLES)]
pub(crate) struct BenchArguments {
    /// Problems of each family
    #[arg(long, short = 'n', value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(crate) count: u64,

    /// First seed of the generators
    #[arg(long, value_name = "SEED", default_value_t = 1000)]
    pub(crate) seed: u64,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BenchSubject {
    /// Accuracy and time of the solvers, warm start, ablations, scaling
    Solvers(BenchArguments),
    /// What each stage of a solver is worth: solves with all of them and without each
    Stages(StagesArguments),
    /// Energy and momentum of robots that nothing touches, model by model
    Motion(MotionArguments),
    /// Time from a file to a world, and whether it is linear: bodies, links, excludes, triangles
    Loading(LoadingArguments),
    /// Steps of a soft box with each solver; cost of `subadmm` against the nodes of bars in pieces
    Soft(SoftArguments),
    /// What must never happen, looked for on random problems from plain to wild
    Conformance(ConformanceArguments),
}

/// The words of [`Criterion::ALL`].
fn criterion() -> impl TypedValueParser<Value = Criterion> {
    let words = Criterion::ALL.map(|(_, word)| word);
    PossibleValuesParser::new(words).map(|text| {
        let known = Criterion::ALL.into_iter().find(|(_, word)| *word == text);
        known.map_or_else(Criterion::default, |(criterion, _)| criterion)
    })
}

fn number_above_zero(text: &str, advice: &str) -> Result<f64, String> {
    positive(text).map_err(|_| advice.to_owned())
}

fn time_step(text: &str) -> Result<f64, String> {
    let advice = "a step takes a positive time in s: give one such as 0.002, or leave out --dt for the \
                  scene's own";
    number_above_zero(text, advice)
}

fn duration(text: &str) -> Result<f64, String> {
    let advice = "a run takes a positive time in s: give one such as 2, or leave out --seconds for the \
                  scene's own; `stiction inspect FILE` shows a file without a run";
    number_above_zero(text, advice)
}

fn rate(text: &str) -> Result<f64, String> {
    let advice = "a recording has a positive number of frames in a second: give one such as 60; \
                  --no-output records nothing";
    number_above_zero(text, advice)
}

pub(crate) fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        _ => Err("a positive number is needed, such as 1e-8".into()),
    }
}

fn not_negative(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err("a number that is not negative is needed, such as 1e-5 or 0".into()),
    }
}

/// Three numbers, those that are left out zero.
fn velocity(text: &str) -> Result<[f64; 3], String> {
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        return Err("give at most three numbers: forwards, left, turning".to_owned());
    }
    let mut velocity = [0.0; 3];
    for (number, part) in velocity.iter_mut().zip(parts) {
        let parsed = part
            .trim()
            .parse::<f64>()
            .ok()
            .filter(|number| number.is_finite());
        *number = parsed.ok_or_else(|| format!("\"{part}\" is not a finite number"))?;
    }
    Ok(velocity)
}

pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
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

    #[test]
    fn a_velocity_is_up_to_three_numbers() {
        assert_eq!(velocity("-0.5"), Ok([-0.5, 0.0, 0.0]));
        assert_eq!(velocity("0.3, 0.1,-0.6"), Ok([0.3, 0.1, -0.6]));
        for bad in ["", "1,2,3,4", "1,x", "inf"] {
            assert!(velocity(bad).is_err(), "{bad}");
        }
    }
}
