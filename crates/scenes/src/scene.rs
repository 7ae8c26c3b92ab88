//! What a scene is: a world, how long to run it, and what to look at.

use stiction_io::ModelOptions;
use stiction_io::scene_file::{Ignored, SettingsDescription};
use stiction_sim::{Execution, Result, Settings, World};

use crate::tasks::Task;

/// A world that is ready to run.
pub struct Scene {
    /// Name of the scene.
    pub name: String,
    /// The world, at time zero, with the actuators and sensors of the scene.
    pub world: World,
    /// How long to simulate, s.
    pub seconds: f64,
    /// Links that never touch each other because they overlap where their robot starts.
    pub skipped_overlaps: Vec<[String; 2]>,
    /// What its file asks for and is not supported, or looks wrong.
    pub ignored: Vec<Ignored>,
    /// Says whether the scene did what it is meant to do, where that is a task.
    pub task: Option<Box<dyn Task>>,
}

/// What a user may ask of a scene; `None` leaves it to the scene.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Options {
    /// Seed of everything random in the scene.
    pub seed: u64,
    /// Time step, solver and the like.
    pub settings: SettingsDescription,
    /// How long to simulate, s.
    pub seconds: Option<f64>,
    /// Velocity that a walking robot is told: forwards and to the left, m/s, turning to the left, rad/s.
    pub velocity: Option<[f64; 3]>,
    /// Keyframe of a scene file to start at, by name.
    pub keyframe: Option<String>,
    /// How a URDF or MJCF file is read: whether its root is free, what its meshes collide as, where
    /// packages are.
    pub model: ModelOptions,
}

/// A built-in scene.
#[derive(Debug, Clone, Copy)]
pub struct SceneInfo {
    /// Name by which it is asked for.
    pub name: &'static str,
    /// One line on what it shows.
    pub summary: &'static str,
    pub(crate) build: fn(&Options) -> Result<Scene>,
}

impl Options {
    /// A world with the scene's settings, changed as the user asked.
    pub(crate) fn world(&self, scene: Settings, solver: &str) -> Result<World> {
        let asked = &self.settings;
        let mut world = World::new(changed(scene, asked))?;
        world.set_solver(asked.solver.as_deref().unwrap_or(solver))?;
        if let Some(max_contacts) = asked.max_contacts {
            world.set_detection(max_contacts, Execution::Parallel)?;
        }
        Ok(world)
    }

    /// The finished scene.
    pub(crate) fn scene(&self, name: &str, world: World, seconds: f64) -> Scene {
        Scene {
            name: name.to_owned(),
            world,
            seconds: self.seconds.unwrap_or(seconds),
            skipped_overlaps: Vec::new(),
            ignored: Vec::new(),
            task: None,
        }
    }
}

/// Settings with what a file or a user says in place of theirs.
pub(crate) fn changed(settings: Settings, given: &SettingsDescription) -> Settings {
    Settings {
        time_step: given.time_step.unwrap_or(settings.time_step),
        theta: given.theta.unwrap_or(settings.theta),
        gravity: given.gravity.unwrap_or(settings.gravity),
        tolerance: given.tolerance.unwrap_or(settings.tolerance),
        max_iterations: given.max_iterations.or(settings.max_iterations),
        solver_time: given.solver_time.or(settings.solver_time),
        baumgarte: given.baumgarte.unwrap_or(settings.baumgarte),
        push_out_speed: given.push_out_speed.unwrap_or(settings.push_out_speed),
        contact_margin: given.contact_margin.unwrap_or(settings.contact_margin),
        contact_reuse: given.contact_reuse.unwrap_or(settings.contact_reuse),
        relinearizations: given.relinearizations.unwrap_or(settings.relinearizations),
        integrator: given.integrator.unwrap_or(settings.integrator),
        integration_tolerance: given
            .integration_tolerance
            .unwrap_or(settings.integration_tolerance),
        max_substeps: given.max_substeps.unwrap_or(settings.max_substeps),
        energy_account: given.energy_account.unwrap_or(settings.energy_account),
        joint_tolerance: given.joint_tolerance.unwrap_or(settings.joint_tolerance),
        islands: given.islands.unwrap_or(settings.islands),
        warm_start: given.warm_start.unwrap_or(settings.warm_start),
        ..settings
    }
}
