//! What a scene is: a world, how long to run it, and what to look at.

use stiction_sim::{Result, Settings, World};

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
}

/// What a user may ask of a scene; `None` leaves it to the scene.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Options {
    /// Seed of everything random in the scene.
    pub seed: u64,
    /// Time step, s.
    pub time_step: Option<f64>,
    /// Solver by name.
    pub solver: Option<String>,
    /// Residual at which the solver stops, m/s.
    pub tolerance: Option<f64>,
    /// How long to simulate, s.
    pub seconds: Option<f64>,
    /// Keyframe of a scene file to start at, by name.
    pub keyframe: Option<String>,
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
        let settings = Settings {
            time_step: self.time_step.unwrap_or(scene.time_step),
            tolerance: self.tolerance.unwrap_or(scene.tolerance),
            ..scene
        };
        let mut world = World::new(settings)?;
        world.set_solver(self.solver.as_deref().unwrap_or(solver))?;
        Ok(world)
    }

    /// The finished scene.
    pub(crate) fn scene(&self, name: &str, world: World, seconds: f64) -> Scene {
        Scene {
            name: name.to_owned(),
            world,
            seconds: self.seconds.unwrap_or(seconds),
            skipped_overlaps: Vec::new(),
        }
    }
}
