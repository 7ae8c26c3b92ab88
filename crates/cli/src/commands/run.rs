//! `stiction run`: simulate a scene, measure it, write what it did.

use std::fs::File;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use stiction_problem_files::{self as problem_files, FullProblem, ProblemFile};
use stiction_recording::{Header, Recording, Writer, export};
use stiction_scenes::{Options, Scene, SettingsDescription};
use stiction_sim::SimError;

use crate::arguments::{RunArguments, SceneArguments};
use crate::commands::export::{unwritable, write_page};
use crate::deformables;
use crate::simulate::{
    Curve, End, Interrupt, JointWarning, ProblemLog, SensorLog, Series, draw, open, print_profile,
    print_summary, simulate, step_count, summary_json, tell_gain, tell_start,
};
use crate::{Ending, complain};

pub(crate) fn run(arguments: &RunArguments) -> anyhow::Result<Ending> {
    set_threads(&arguments.scene)?;
    let options = options(&arguments.scene, arguments.solver.as_deref());
    let mut scene = open(&arguments.scene.scene, &options, &arguments.scene.model)?;
    let outputs = Outputs::choose(arguments, &scene.name);
    let header = scene
        .world
        .recording_header(&scene.name, 1.0 / arguments.fps);
    let mut recorder = Recorder::start(&outputs, header)?;
    let mut sensors = match &outputs.sensors {
        Some(path) => Some(SensorLog::create(path, &scene)?),
        None => None,
    };
    let mut problems = match &arguments.problems {
        Some(folder) => Some(ProblemLog::create(folder, arguments.every)?),
        None => None,
    };
    tell_start(&mut scene.world)?;
    let mut series = Series::default();
    let mut joints = JointWarning::default();
    let bar = progress(&scene, arguments.quiet || arguments.json);
    let interrupt = Interrupt::listen();
    let clock = Instant::now();
    recorder.take(&scene)?;
    let end = simulate(&mut scene, &interrupt, |scene| {
        if let Some(gain) = series.take(&scene.world) {
            tell_gain(&scene.name, gain);
        }
        joints.look(scene);
        recorder.take(scene)?;
        if let Some(log) = &mut sensors {
            log.take(&scene.world)?;
        }
        if let Some(log) = &mut problems {
            log.take(scene)?;
        }
        show(&bar, scene, clock.elapsed());
        Ok(())
    })?;
    bar.finish_and_clear();
    let solver = scene.world.solver_name().to_owned();
    recorder.finish(&outputs)?;
    if let Some(log) = sensors {
        log.finish()?;
    }
    if let Some(path) = &outputs.plot {
        let curves = [Curve {
            label: &solver,
            series: &series,
        }];
        let svg = draw(&format!("{} with {solver}", scene.name), &curves)?;
        std::fs::write(path, svg).with_context(|| unwritable(path))?;
    }
    report(arguments, &scene, &series, &end, &outputs)?;
    if let Some(log) = problems.filter(|_| !arguments.json && !arguments.quiet) {
        writeln!(std::io::stdout(), "wrote {}", log.summary())?;
    }
    match end {
        End::Finished => Ok(Ending::Fine),
        End::Interrupted => {
            complain("interrupted: what was simulated so far is written");
            Ok(Ending::Fine)
        }
        End::Failed(error) => {
            complain(&error.to_string());
            write_failed_problem(&scene.name, &error)?;
            Ok(Ending::NotConverged)
        }
    }
}

/// What the user asked of the scene.
pub(crate) fn options(arguments: &SceneArguments, solver: Option<&str>) -> Options {
    Options {
        seed: arguments.seed,
        settings: SettingsDescription {
            time_step: arguments.dt,
            solver: solver.map(str::to_owned),
            tolerance: arguments.tolerance,
            ..SettingsDescription::default()
        },
        seconds: arguments.seconds,
        velocity: arguments.velocity,
        keyframe: arguments.keyframe.clone(),
        ..Options::default()
    }
}

pub(crate) fn set_threads(arguments: &SceneArguments) -> anyhow::Result<()> {
    if let Some(threads) = arguments.threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(usize::from(threads))
            .build_global()?;
    }
    Ok(())
}

/// Where things are written.
struct Outputs {
    record: Option<PathBuf>,
    html: Option<PathBuf>,
    csv: Option<PathBuf>,
    plot: Option<PathBuf>,
    sensors: Option<PathBuf>,
}

impl Outputs {
    fn choose(arguments: &RunArguments, scene: &str) -> Self {
        let or_default = |named: &Option<PathBuf>, ending: &str| match named {
            Some(path) => Some(path.clone()),
            None if arguments.no_output => None,
            None => Some(PathBuf::from(format!("{}.{ending}", file_name(scene)))),
        };
        Self {
            record: or_default(&arguments.record, "stic"),
            html: or_default(&arguments.html, "html"),
            csv: arguments.csv.clone(),
            plot: arguments.plot.clone(),
            sensors: arguments.sensors.clone(),
        }
    }
}

/// A scene's name without what a file name should not have.
fn file_name(scene: &str) -> String {
    let plain = |letter: char| match letter {
        letter if letter.is_alphanumeric() => letter,
        '-' | '_' | '.' => letter,
        _ => '-',
    };
    scene.chars().map(plain).collect()
}

/// Takes frames at the recording's rate; streams them to the file.
struct Recorder {
    writer: Option<Writer<File>>,
    recording: Option<Recording>,
    interval: f64,
    frames: u64,
}

impl Recorder {
    fn start(outputs: &Outputs, header: Header) -> anyhow::Result<Self> {
        // Find out now, not after an hour, that something cannot be written.
        for path in [&outputs.html, &outputs.csv, &outputs.plot, &outputs.sensors]
            .into_iter()
            .flatten()
        {
            check_folder(path)?;
        }
        let writer = match &outputs.record {
            Some(path) => Some(Writer::create(path, &header).with_context(|| unwritable(path))?),
            None => None,
        };
        let interval = header.frame_interval;
        let is_needed = outputs.html.is_some() || outputs.csv.is_some();
        let recording = is_needed.then(|| Recording {
            header,
            frames: Vec::new(),
        });
        Ok(Self {
            writer,
            recording,
            interval,
            frames: 0,
        })
    }

    fn take(&mut self, scene: &Scene) -> anyhow::Result<()> {
        // Half a step of tolerance, so that rounding does not skip a frame.
        let early = 0.5 * scene.world.settings().time_step;
        let due = self.frames as f64 * self.interval;
        if scene.world.time() + early < due || (self.writer.is_none() && self.recording.is_none()) {
            return Ok(());
        }
        self.frames += 1;
        let frame = scene.world.record();
        if let Some(writer) = &mut self.writer {
            writer.write_frame(&frame)?;
        }
        if let Some(recording) = &mut self.recording {
            recording.frames.push(frame);
        }
        Ok(())
    }

    fn finish(self, outputs: &Outputs) -> anyhow::Result<()> {
        if let Some(writer) = self.writer {
            writer.finish()?;
        }
        if let Some(recording) = &self.recording {
            if let Some(path) = &outputs.html {
                write_page(recording, path)?;
            }
            if let Some(path) = &outputs.csv {
                export::csv(recording, path).with_context(|| unwritable(path))?;
            }
        }
        Ok(())
    }
}

/// Refuses a target whose folder is not there.
fn check_folder(path: &Path) -> anyhow::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    anyhow::ensure!(
        folder.is_dir() && !path.is_dir(),
        "{}: {} is not a folder that files can be written to",
        unwritable(path),
        folder.display()
    );
    Ok(())
}

fn progress(scene: &Scene, is_hidden: bool) -> ProgressBar {
    let target = if is_hidden || !std::io::stderr().is_terminal() {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr()
    };
    let bar = ProgressBar::with_draw_target(Some(step_count(scene)), target);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}  {eta} left") {
        bar.set_style(style);
    }
    bar
}

fn show(bar: &ProgressBar, scene: &Scene, elapsed: Duration) {
    bar.inc(1);
    if !bar.is_hidden() {
        let time = scene.world.time();
        let speed = time / elapsed.as_secs_f64().max(1e-9);
        bar.set_message(format!(
            "{time:.2} / {:.2} s, {speed:.1} × real time",
            scene.seconds
        ));
    }
}

fn report(
    arguments: &RunArguments,
    scene: &Scene,
    series: &Series,
    end: &End,
    outputs: &Outputs,
) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let solver = scene.world.solver_name();
    if arguments.json {
        let outcome = match end {
            End::Finished => "finished",
            End::Interrupted => "interrupted",
            End::Failed(_) => "failed",
        };
        let mut summary = summary_json(&scene.name, solver, series, outcome);
        summary["soft"] = deformables::soft_json(&scene.world)?;
        summary["rods"] = deformables::rod_json(&scene.world)?;
        writeln!(out, "{summary}")?;
    } else if !arguments.quiet {
        print_summary(&mut out, &scene.name, solver, series)?;
        for line in deformables::soft_lines(&scene.world)? {
            writeln!(out, "soft body {line}")?;
        }
        for line in deformables::rod_lines(&scene.world)? {
            writeln!(out, "rod {line}")?;
        }
        if arguments.profile {
            print_profile(&mut out, series)?;
        }
        let written = [
            &outputs.record,
            &outputs.html,
            &outputs.csv,
            &outputs.plot,
            &outputs.sensors,
        ];
        for path in written.into_iter().flatten() {
            writeln!(out, "wrote {}", path.display())?;
        }
    }
    Ok(())
}

/// Writes the problem that could not be solved, for `stiction solve`.
fn write_failed_problem(scene: &str, error: &SimError) -> anyhow::Result<()> {
    let SimError::Step(failure) = error else {
        return Ok(());
    };
    let Some(problem) = &failure.problem else {
        return Ok(());
    };
    let path = PathBuf::from(format!("{}-step-{}.json", file_name(scene), failure.step));
    let file = ProblemFile::Full(FullProblem {
        name: format!("{scene}, step {}", failure.step),
        problem: (**problem).clone(),
        solution: None,
        guess: None,
    });
    problem_files::write(&path, &file).with_context(|| unwritable(&path))?;
    complain(&format!(
        "the problem that failed is in {0}; try `stiction solve {0} --solver all`",
        path.display()
    ));
    Ok(())
}
