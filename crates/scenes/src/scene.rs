//! What a scene is: a world, how long to run it, and what to look at.

use stiction_sim::{Result, Settings, SimError, World};

use crate::panel::Panel;
use crate::sensor::Sensor;

/// A world that is ready to run.
pub struct Scene {
    /// Name of the scene.
    pub name: String,
    /// The world, at time zero.
    pub world: World,
    /// How long to simulate, s.
    pub seconds: f64,
    /// Links that never touch each other because they overlap where their robot starts.
    pub skipped_overlaps: Vec<[String; 2]>,
    pub(crate) panel: Panel,
    pub(crate) sensors: Vec<Sensor>,
}

impl Scene {
    /// Names of the actuators, in the order of the scene file.
    pub fn actuator_names(&self) -> Vec<String> {
        let dials = self.panel.dials();
        dials.iter().map(|dial| dial.name.clone()).collect()
    }

    /// Sets the control of an actuator from now on, in place of what the scene file says.
    ///
    /// # Errors
    /// A name that no actuator has (the error lists those that there are), a value that is not
    /// finite.
    pub fn set_control(&mut self, actuator: &str, value: f64) -> Result<()> {
        let index = self.panel.find(actuator)?;
        if !value.is_finite() {
            return Err(SimError::InvalidParameter {
                element: actuator.to_owned(),
                field: "control",
                value,
                reason: "must be finite",
            });
        }
        self.panel.dials()[index].control = Some(value);
        Ok(())
    }

    /// Gives the control of an actuator back to what the scene file says.
    ///
    /// # Errors
    /// A name that no actuator has.
    pub fn release_control(&mut self, actuator: &str) -> Result<()> {
        let index = self.panel.find(actuator)?;
        self.panel.dials()[index].control = None;
        Ok(())
    }

    /// Names of the sensors, in the order of the scene file.
    pub fn sensor_names(&self) -> impl Iterator<Item = &str> {
        self.sensors.iter().map(|sensor| sensor.name.as_str())
    }

    /// What every sensor shows now, by name and in SI units. Accelerometers show the change of
    /// velocity over the last step, force and torque sensors the mean over it; before the first
    /// step (and after the state was set) a body counts as at rest and joints as without load.
    ///
    /// # Errors
    /// None for a valid scene.
    pub fn read_sensors(&mut self) -> Result<Vec<(String, Vec<f64>)>> {
        let mut readings = Vec::with_capacity(self.sensors.len());
        for sensor in &self.sensors {
            let values = sensor.read(&mut self.world, &self.panel)?;
            readings.push((sensor.name.clone(), values));
        }
        Ok(readings)
    }
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
            panel: Panel::default(),
            sensors: Vec::new(),
        }
    }
}
