//! Runs every URDF, MJCF and scene file under some folders with several solvers, and says which of
//! them stayed stable: `cargo run --release --example run_models -- [--seconds S] [--solvers A,B] PATH…`
//!
//! A run is stable when nothing moves faster than free fall and a margin allow, and its kinetic energy,
//! the largest of which is shown, stays finite.
#![expect(clippy::print_stdout, reason = "an example that shows a table")]

use std::path::{Path, PathBuf};

use stiction_io::ModelOptions;
use stiction_scenes::{Options, SettingsDescription, from_scene_file};

/// Fastest speed of a stable run, m/s: free fall of two seconds and half as much again.
const FASTEST: f64 = 30.0;

/// What is asked for.
struct Task {
    seconds: f64,
    solvers: Vec<String>,
    files: Vec<PathBuf>,
}

/// How a run went.
struct Run {
    speed: f64,
    energy: f64,
    residual: f64,
    unconverged: usize,
    steps: usize,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let task = Task::from_arguments(std::env::args().skip(1))?;
    println!(
        "{:<44} {:<16} {:>9} {:>12} {:>11} {:>13}  stable",
        "file", "solver", "m/s", "J", "residual", "missed"
    );
    let mut all_stable = true;
    for file in &task.files {
        for solver in &task.solvers {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            match run(file, solver, task.seconds) {
                Ok(run) => {
                    let is_stable = run.speed < FASTEST && run.energy.is_finite();
                    all_stable &= is_stable;
                    println!(
                        "{name:<44} {solver:<16} {:>9.2} {:>12.3e} {:>11.1e} {:>6} of {:>4}  {}",
                        run.speed,
                        run.energy,
                        run.residual,
                        run.unconverged,
                        run.steps,
                        if is_stable { "yes" } else { "NO" }
                    );
                }
                Err(error) => {
                    all_stable = false;
                    println!("{name:<44} {solver:<16} {error}");
                }
            }
        }
    }
    match all_stable {
        true => Ok(()),
        false => Err("not every run was stable".into()),
    }
}

fn run(file: &Path, solver: &str, seconds: f64) -> Result<Run, Box<dyn std::error::Error>> {
    let file = stiction_io::read(file, &ModelOptions::default())?;
    let options = Options {
        settings: SettingsDescription {
            solver: Some(solver.to_owned()),
            tolerance: Some(1e-6),
            ..SettingsDescription::default()
        },
        seconds: Some(seconds),
        ..Options::default()
    };
    let mut scene = from_scene_file(&file, &options)?;
    let steps = (seconds / scene.world.settings().time_step).round() as usize;
    let mut out = Run {
        speed: 0.0,
        energy: 0.0,
        residual: 0.0,
        unconverged: 0,
        steps,
    };
    for _ in 0..steps {
        scene.world.step()?;
        let report = scene.world.report();
        out.energy = out.energy.max(report.kinetic_energy);
        out.residual = out.residual.max(report.residual);
        out.unconverged += usize::from(report.unconverged > 0);
        for [x, y, z, ..] in scene.world.record().velocities {
            out.speed = out.speed.max((x * x + y * y + z * z).sqrt());
        }
    }
    Ok(out)
}

impl Task {
    fn from_arguments(
        mut arguments: impl Iterator<Item = String>,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let mut task = Self {
            seconds: 2.0,
            solvers: vec!["canal".to_owned()],
            files: Vec::new(),
        };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or("an option needs a value");
            match argument.as_str() {
                "--seconds" => task.seconds = value()?.parse()?,
                "--solvers" => task.solvers = value()?.split(',').map(str::to_owned).collect(),
                path => collect(Path::new(path), &mut task.files)?,
            }
        }
        Ok(task)
    }
}

/// Adds a file, or all robot and scene files under a folder.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut entries: Vec<PathBuf> = std::fs::read_dir(path)?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    entries.sort();
    for entry in entries {
        let ending = entry.extension().map(|ending| ending.to_string_lossy());
        let is_model = matches!(ending.as_deref(), Some("xml" | "urdf" | "mjcf" | "toml"));
        if entry.is_dir() || is_model {
            collect(&entry, files)?;
        }
    }
    Ok(())
}
