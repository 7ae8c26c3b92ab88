//! `stiction run`: simulate a scene, measure it, write what it did.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use stiction_problem_files::{FullProblem, ProblemFile};
use stiction_scenes::{Options, Scene, SettingsDescription};
use stiction_sim::SimError;

use crate::arguments::{RunArguments, SceneArguments};
use crate::commands::export::{write_problem, write_text};
use crate::deformables;
use crate::outputs::{Outputs, output};
use crate::simulate::{
    Curve, End, Exports, FrameClock, Interrupt, JointWarning, MeshFormat, MeshLog, ProblemLog,
    Recorder, SensorLog, Series, SpeedWarning, check_length, draw, open, print_profile,
    print_summary, print_task, simulate, step_count, summary_json, task_json, tell_gain,
    tell_start,
};
use crate::{Ending, complain, explain};

pub(crate) fn run(arguments: &RunArguments) -> anyhow::Result<Ending> {
    set_threads(&arguments.scene)?;
    let options = options(&arguments.scene, arguments.solver.as_deref());
    let mut scene = open(&arguments.scene.scene, &options, &arguments.scene.model)?;
    check_length(&scene)?;
    let outputs = Outputs::choose(arguments);
    outputs.check(&arguments.scene.scene)?;
    let problems = match &arguments.problems {
        Some(folder) => Some(ProblemLog::create(folder, arguments.every)?),
        None => None,
    };
    let mut meshes = Vec::new();
    for (folder, format) in [
        (&arguments.vtu, MeshFormat::Vtu),
        (&arguments.obj, MeshFormat::Obj),
    ] {
        if let Some(folder) = folder {
            meshes.push(MeshLog::create(folder, format, &scene)?);
        }
    }
    tell_start(&mut scene.world)?;
    scene.world.measure_start()?;
    // What is written from the start replaces what was there: nothing may fail any more that is known now.
    let sensors = match &outputs.sensors {
        Some(path) => Some(SensorLog::create(path, &scene)?),
        None => None,
    };
    let header = scene
        .world
        .recording_header(&scene.name, 1.0 / arguments.fps);
    let recorder = Recorder::start(&outputs, header)?;
    let mut sinks = Sinks {
        scene: scene.name.clone(),
        solver: scene.world.solver_name().to_owned(),
        json: arguments.json,
        outputs,
        recorder,
        sensors,
        problems,
        meshes,
        frames: FrameClock::new(1.0 / arguments.fps),
        series: Series::default(),
        joints: JointWarning::default(),
        speed: SpeedWarning::default(),
    };
    let bar = progress(&scene, arguments.quiet || arguments.json);
    sinks.take_frame(&scene)?;
    let sinks = Arc::new(Mutex::new(Some(sinks)));
    let interrupt = Interrupt::listen_with(Some({
        let sinks = sinks.clone();
        move |deadline| rescue(&sinks, deadline)
    }));
    let clock = Instant::now();
    let end = simulate(&mut scene, &interrupt, |scene| {
        if let Some(sinks) = &mut *lock(&sinks) {
            sinks.take(scene)?;
        }
        show(&bar, scene, clock.elapsed());
        Ok(())
    });
    interrupt.stopped();
    let end = end?;
    bar.finish_and_clear();
    let Some(mut sinks) = lock(&sinks).take() else {
        return Ok(Ending::Fine);
    };
    let deadline = match end {
        End::Interrupted => interrupt.deadline(),
        End::Finished | End::Failed(_) => None,
    };
    let missing = sinks.finish(deadline)?;
    report(arguments, &scene, &sinks, &end, &missing)?;
    if !arguments.json && !arguments.quiet {
        let problems = sinks.problems.iter().map(ProblemLog::summary);
        for log in sinks.meshes.iter().map(MeshLog::summary).chain(problems) {
            writeln!(std::io::stdout(), "wrote {log}")?;
        }
    }
    match end {
        End::Finished => Ok(Ending::Fine),
        End::Interrupted => {
            complain(&sinks.outputs.interrupted(&missing));
            Ok(Ending::Fine)
        }
        End::Failed(error) => {
            complain(&error.to_string());
            if !arguments.no_output {
                write_failed_problem(&arguments.scene.scene, &scene.name, &error)?;
            }
            Ok(Ending::NotConverged)
        }
    }
}

/// How a run ended, for programs.
const INTERRUPTED: &str = "interrupted";

/// Where everything goes that a run leaves behind.
struct Sinks {
    /// Name of the scene.
    scene: String,
    solver: String,
    /// Whether the summary is one for programs.
    json: bool,
    outputs: Outputs,
    recorder: Recorder,
    sensors: Option<SensorLog>,
    problems: Option<ProblemLog>,
    meshes: Vec<MeshLog>,
    frames: FrameClock,
    series: Series,
    joints: JointWarning,
    speed: SpeedWarning,
}

impl Sinks {
    /// To be called after every step.
    fn take(&mut self, scene: &Scene) -> anyhow::Result<()> {
        if let Some(gain) = self.series.take(&scene.world) {
            tell_gain(&scene.name, gain);
        }
        self.joints.look(scene);
        self.speed.look(&scene.world);
        self.take_frame(scene)?;
        if let Some(log) = &mut self.sensors {
            log.take(&scene.world)?;
        }
        if let Some(log) = &mut self.problems {
            log.take(scene)?;
        }
        Ok(())
    }

    /// Takes a frame where one is due.
    fn take_frame(&mut self, scene: &Scene) -> anyhow::Result<()> {
        if self.frames.is_due(scene) {
            self.recorder.take(scene)?;
            let logs = &mut self.meshes;
            logs.iter_mut().try_for_each(|log| log.take(&scene.world))?;
        }
        Ok(())
    }

    /// Writes what is written at the end; with a deadline, what can be written until then beside the recording. Returns
    /// what could not.
    fn finish(&mut self, deadline: Option<Instant>) -> anyhow::Result<Vec<PathBuf>> {
        self.recorder.finish()?;
        self.meshes.iter().try_for_each(MeshLog::finish)?;
        if let Some(log) = self.sensors.take() {
            log.finish()?;
        }
        let mut exports = Exports::default();
        self.recorder.export(&self.outputs, &mut exports);
        if let Some(path) = &self.outputs.plot {
            let (solver, series) = (self.solver.clone(), self.series.clone());
            let title = format!("{} with {}", self.scene, self.solver);
            exports.add(path, move |path| {
                let curves = [Curve {
                    label: &solver,
                    series: &series,
                }];
                write_text(path, &draw(&title, &curves)?)
            });
        }
        // Without a recording nothing else keeps what was simulated: it is waited for.
        match deadline.filter(|_| self.outputs.record.is_some()) {
            Some(deadline) => exports.write_until(deadline),
            None => exports.write().map(|()| Vec::new()),
        }
    }

    /// Writes what there is while a step goes on, which nobody asks anything; what to say about it.
    fn finish_without_the_world(&mut self, deadline: Instant) -> anyhow::Result<String> {
        let missing = self.finish(Some(deadline))?;
        if self.json {
            let summary = summary_json(&self.scene, &self.solver, &self.series, INTERRUPTED);
            writeln!(std::io::stdout(), "{summary}")?;
        }
        Ok(self.outputs.interrupted(&missing))
    }
}

fn lock(sinks: &Mutex<Option<Sinks>>) -> MutexGuard<'_, Option<Sinks>> {
    sinks.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes what there is while a step goes on that takes no notice of the signal, and ends the program.
fn rescue(sinks: &Mutex<Option<Sinks>>, deadline: Instant) {
    // Kept locked, so that the step that ends meanwhile adds nothing.
    let mut sinks = lock(sinks);
    let Some(mut found) = sinks.take() else {
        return;
    };
    let code = match found.finish_without_the_world(deadline) {
        Ok(words) => {
            complain(&words);
            0
        }
        Err(error) => {
            complain(&explain(&error));
            2
        }
    };
    std::process::exit(code);
}

/// What the user asked of the scene.
pub(crate) fn options(arguments: &SceneArguments, solver: Option<&str>) -> Options {
    Options {
        seed: arguments.seed,
        settings: SettingsDescription {
            time_step: arguments.dt,
            solver: solver.map(str::to_owned),
            tolerance: arguments.tolerance,
            max_iterations: arguments.max_iterations.map(|count| count as usize),
            solver_time: arguments.solver_time,
            contact_reuse: arguments.contact_reuse,
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
    sinks: &Sinks,
    end: &End,
    missing: &[PathBuf],
) -> anyhow::Result<()> {
    let (series, outputs) = (&sinks.series, &sinks.outputs);
    let mut out = std::io::stdout().lock();
    let solver = scene.world.solver_name();
    if arguments.json {
        let outcome = match end {
            End::Finished => "finished",
            End::Interrupted => INTERRUPTED,
            End::Failed(_) => "failed",
        };
        let mut summary = summary_json(&scene.name, solver, series, outcome);
        summary["task"] = task_json(scene)?;
        summary["soft"] = deformables::soft_json(&scene.world)?;
        summary["rods"] = deformables::rod_json(&scene.world)?;
        writeln!(out, "{summary}")?;
    } else if !arguments.quiet {
        print_summary(&mut out, &scene.name, solver, series)?;
        print_task(&mut out, scene)?;
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
        let written = written.into_iter().flatten();
        for path in written.filter(|path| !missing.contains(path)) {
            writeln!(out, "wrote {}", path.display())?;
        }
    }
    Ok(())
}

/// Writes the problem that could not be solved, for `stiction solve`.
fn write_failed_problem(scene: &str, name: &str, error: &SimError) -> anyhow::Result<()> {
    let SimError::Step(failure) = error else {
        return Ok(());
    };
    let Some(problem) = &failure.problem else {
        return Ok(());
    };
    let path = output(scene, &format!("-step-{}.json", failure.step));
    let file = ProblemFile::Full(FullProblem {
        name: format!("{name}, step {}", failure.step),
        problem: (**problem).clone(),
        solution: None,
        guess: None,
    });
    write_problem(&path, &file)?;
    complain(&format!(
        "the problem that failed is in {0}; try `stiction solve {0} --solver all`",
        path.display()
    ));
    Ok(())
}
