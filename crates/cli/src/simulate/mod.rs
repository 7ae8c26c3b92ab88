//! Running a scene: the loop that `run`, `compare` and `view` share.

mod exports;
mod interrupt;
mod mesh_log;
mod plot;
mod problem_log;
mod recorder;
mod sensor_log;
mod series;
mod summary;
mod task;
mod warnings;

pub(crate) use exports::Exports;
pub(crate) use interrupt::Interrupt;
pub(crate) use mesh_log::{MeshFormat, MeshLog};
pub(crate) use plot::{Curve, draw};
pub(crate) use problem_log::ProblemLog;
pub(crate) use recorder::{FrameClock, Recorder};
pub(crate) use sensor_log::SensorLog;
pub(crate) use series::Series;
pub(crate) use summary::{print_profile, print_summary, summary_json};
pub(crate) use task::{print_task, task_json};
pub(crate) use warnings::{JointWarning, SpeedWarning, tell_gain, tell_start};

use std::path::Path;

use crate::model_arguments::{ModelArguments, tell_overlaps, warn_of_ignored};
use stiction_scenes::{Options, Scene};
use stiction_sim::SimError;

/// Whether a scene is a file, and not built in.
pub(crate) fn is_file(name: &str) -> bool {
    let path = Path::new(name);
    let is_builtin = stiction_scenes::all().iter().any(|info| info.name == name);
    !is_builtin && (path.extension().is_some() || path.exists())
}

/// A built-in scene by its name, or a scene from a file of any kind.
pub(crate) fn open(name: &str, options: &Options, model: &ModelArguments) -> anyhow::Result<Scene> {
    let path = Path::new(name);
    if is_file(name) {
        anyhow::ensure!(path.is_file(), "there is no scene file \"{name}\"");
        anyhow::ensure!(
            options.velocity.is_none(),
            "the scene \"{name}\" is a file: --velocity is for built-in scenes that walk"
        );
        let file = model.read(path)?;
        warn_of_ignored(&file);
        let scene = model.build(&file, options)?;
        tell_overlaps(&scene);
        return Ok(scene);
    }
    anyhow::ensure!(
        options.keyframe.is_none() && *model == ModelArguments::default(),
        "the scene \"{name}\" is built in: --keyframe and the options for URDF and MJCF files are \
         for files only"
    );
    Ok(stiction_scenes::build(name, options)?)
}

/// How a run ended.
pub(crate) enum End {
    /// All of it was simulated.
    Finished,
    /// Somebody pressed Ctrl-C.
    Interrupted,
    /// A step failed.
    Failed(SimError),
}

/// Steps the scene's world to its end; `watch` is called after every step.
pub(crate) fn simulate(
    scene: &mut Scene,
    interrupt: &Interrupt,
    mut watch: impl FnMut(&mut Scene) -> anyhow::Result<()>,
) -> anyhow::Result<End> {
    let steps = step_count(scene);
    scene.world.stop_with(Some(interrupt.flag()));
    for _ in 0..steps {
        if interrupt.is_raised() {
            return Ok(End::Interrupted);
        }
        match scene.world.step() {
            Ok(_) => {}
            Err(SimError::Interrupted) => return Ok(End::Interrupted),
            Err(error) => return Ok(End::Failed(error)),
        }
        if let Some(task) = &mut scene.task {
            task.observe(&scene.world)?;
        }
        watch(scene)?;
    }
    Ok(End::Finished)
}

/// Refuses a run of no steps, or of more than can be counted.
pub(crate) fn check_length(scene: &Scene) -> anyhow::Result<()> {
    let (step, seconds) = (scene.world.settings().time_step, scene.seconds);
    anyhow::ensure!(
        step_count(scene) > 0,
        "a step of {step} s does not fit into a run of {seconds} s: nothing would be simulated; give a smaller \
         --dt or a larger --seconds"
    );
    anyhow::ensure!(
        seconds / step < MOST_STEPS,
        "a run of {seconds} s in steps of {step} s has more steps than can be counted; give a larger --dt or a \
         smaller --seconds"
    );
    Ok(())
}

/// From here on counting by one in a 64-bit floating-point number, as times are, changes nothing.
const MOST_STEPS: f64 = 9e15;

/// Steps from now to the scene's end.
pub(crate) fn step_count(scene: &Scene) -> u64 {
    let steps = scene.seconds / scene.world.settings().time_step;
    // Half a step less or more is rounding, not a step.
    (steps + 1e-6).floor().max(0.0) as u64
}
