//! A world: what is in it, and where everything is.

mod access;
mod build;
mod drawing;
mod overlap;

pub use build::MOST_COUPLINGS;
pub use drawing::{ColliderHandle, DrawnShape};
pub use overlap::{BodyOverlap, JointBeyondLimits, MassRatio, Overlap};

use std::time::Instant;

use stiction_collision::{
    BuiltInDetector, ColliderSet, DetectionSettings, Detector, Execution, NarrowSettings,
};
use stiction_constraints::{Solver, StopFlag};
use stiction_islands::{Islands, MakeSolver, RowList, RowResult, WarmStart};
use stiction_modeling::Places;

use crate::connection::Connection;
use crate::drive::{ActuatorEntry, Commands, Controller, Sums};
use crate::error::{Result, SimError};
use crate::joined::JoinedPaths;
use crate::ledger::WorldEnergy;
use crate::measure::LastStep;
use crate::mechanism::{MechanismHandle, Mechanisms, Tables};
use crate::robot::Robot;
use crate::sense::Sensor;
use crate::settings::Settings;
use crate::solvers;
use crate::state::State;
use crate::step::{Account, ContactForce, Contacts, FreePaths, Projection, StepReport, WholeStep};
use crate::tendon::TendonEntry;
use drawing::Drawing;

/// Bodies, robots and what holds and drives them; [`step`](World::step) moves it on in time.
///
/// ```
/// use stiction_sim::{Inertia, Material, RigidBody, Settings, Shape, Vector3, World};
///
/// # fn main() -> stiction_sim::Result<()> {
/// let mut world = World::new(Settings::default())?;
/// let ground = world.add_body(RigidBody::fixed("ground"))?;
/// world.attach(ground, Shape::half_space("plane"), Material::with_friction(0.5))?;
/// let sides = Vector3::new(0.2, 0.2, 0.2);
/// let block = world.add_body(
///     RigidBody::free("block", Inertia::solid_box(1.0, sides)).at_position(0.0, 0.0, 0.1),
/// )?;
/// world.attach(block, Shape::cuboid("box", sides / 2.0)?, Material::with_friction(0.5))?;
/// for _ in 0..240 {
///     world.step()?;
/// }
/// assert!((world.pose(block)?.translation.z - 0.1).abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
pub struct World {
    // How it is stepped.
    pub(crate) settings: Settings,
    pub(crate) solver_name: String,
    pub(crate) make_solver: MakeSolver,
    pub(crate) stop: Option<StopFlag>,
    // What is in it.
    pub(crate) tables: Tables,
    pub(crate) mechanisms: Mechanisms,
    pub(crate) robots: Vec<MechanismHandle<Robot>>,
    #[cfg(feature = "deformable")]
    pub(crate) softs: Vec<crate::soft::SoftEntry>,
    #[cfg(feature = "deformable")]
    pub(crate) rods: Vec<crate::rod::RodEntry>,
    pub(crate) connections: Vec<Connection>,
    /// What the errors of each connection are compared with, m.
    pub(crate) connection_sizes: Vec<f64>,
    pub(crate) tendons: Vec<TendonEntry>,
    pub(crate) actuators: Vec<ActuatorEntry>,
    pub(crate) sensors: Vec<Sensor>,
    pub(crate) colliders: ColliderSet,
    pub(crate) detector: BuiltInDetector,
    /// A whole collision of the user's, in place of ours.
    pub(crate) own_detector: Option<Box<dyn Detector>>,
    /// Per collider: farthest point from the body's origin, m.
    pub(crate) reach: Vec<f64>,
    /// Per collider: how far it moves in a step, m.
    pub(crate) travel: Vec<f64>,
    pub(crate) drawing: Drawing,
    pub(crate) controllers: Vec<Box<dyn Controller>>,
    /// What the controllers remembered when the step began: while they run, nobody can ask them.
    pub(crate) controller_memory: Vec<Vec<f64>>,
    pub(crate) commands: Commands,
    /// What controllers write while the world keeps its commands for them to see.
    pub(crate) pending: Commands,
    pub(crate) sums: Sums,
    /// How often limits of actuators were decided in this step.
    pub(crate) drive_revisions: usize,
    // Where it is, and what the next step begins with.
    pub(crate) state: State,
    pub(crate) warm_start: WarmStart,
    // What a step computes.
    pub(crate) deadline: Option<Instant>,
    pub(crate) places: Places,
    /// Positions about which a later pass linearises.
    pub(crate) passing: Vec<f64>,
    pub(crate) contacts: Contacts,
    pub(crate) rows: RowList,
    pub(crate) free_paths: FreePaths,
    pub(crate) joined: JoinedPaths,
    pub(crate) islands: Islands,
    pub(crate) v_hat: Vec<f64>,
    /// Velocities with which everything goes through the step, where that is not v̂.
    pub(crate) way: Vec<f64>,
    pub(crate) has_way: bool,
    /// Whether that is because something is pushed back.
    pub(crate) is_pushed: bool,
    /// The first impact with restitution in the step, see [`SolveSummary::strike`](stiction_islands::SolveSummary).
    pub(crate) strike: Option<f64>,
    /// Whether in the last step what overlaps was.
    pub(crate) is_pushed_apart: bool,
    /// Positions at the end of the step before any were put right, where some were.
    pub(crate) plain: Vec<f64>,
    /// Mean of the velocities before and after the step.
    pub(crate) mean_velocity: Vec<f64>,
    /// Energies of the state; `None` if somebody changed it.
    pub(crate) energy: Option<WorldEnergy>,
    pub(crate) results: Vec<RowResult>,
    /// v̂ of the pass before.
    pub(crate) last_pass: Vec<f64>,
    pub(crate) projection: Projection,
    pub(crate) account: Account,
    /// What a step began with that is made in parts.
    pub(crate) whole_step: WholeStep,
    /// The state at the end of the step, before it takes effect.
    pub(crate) next: State,
    // What can be asked about the last step.
    pub(crate) last: LastStep,
    pub(crate) contact_forces: Vec<ContactForce>,
    pub(crate) report: StepReport,
}

impl World {
    /// An empty world with the default solver.
    ///
    /// # Errors
    /// Settings that make no sense.
    pub fn new(settings: Settings) -> Result<Self> {
        Self::with_solver(settings, solvers::maker(solvers::DEFAULT)?)
    }

    /// An empty world with a solver of one's own: `make` is called for every island that needs one.
    ///
    /// # Errors
    /// Settings that make no sense.
    pub fn with_solver(
        settings: Settings,
        make: impl Fn() -> Box<dyn Solver> + Send + Sync + 'static,
    ) -> Result<Self> {
        settings.validate()?;
        let detector = BuiltInDetector::new(DetectionSettings {
            narrow: NarrowSettings {
                margin: settings.contact_margin,
                reuse: settings.contact_reuse,
                ..NarrowSettings::default()
            },
            execution: Execution::Parallel,
        })?;
        let solver = make();
        Ok(Self {
            settings,
            solver_name: solver.name().to_owned(),
            make_solver: Box::new(make),
            stop: None,
            tables: Tables::default(),
            mechanisms: Mechanisms::default(),
            robots: Vec::new(),
            #[cfg(feature = "deformable")]
            softs: Vec::new(),
            #[cfg(feature = "deformable")]
            rods: Vec::new(),
            connections: Vec::new(),
            connection_sizes: Vec::new(),
            tendons: Vec::new(),
            actuators: Vec::new(),
            sensors: Vec::new(),
            colliders: ColliderSet::new(),
            detector,
            own_detector: None,
            reach: Vec::new(),
            travel: Vec::new(),
            drawing: Drawing::default(),
            controllers: Vec::new(),
            controller_memory: Vec::new(),
            commands: Commands::default(),
            pending: Commands::default(),
            sums: Sums::default(),
            drive_revisions: 0,
            state: State::default(),
            warm_start: WarmStart::default(),
            deadline: None,
            places: Places::default(),
            passing: Vec::new(),
            contacts: Contacts::giving_way(solver.soft_contacts()),
            rows: RowList::default(),
            free_paths: FreePaths::default(),
            joined: JoinedPaths::default(),
            islands: Islands::default(),
            v_hat: Vec::new(),
            way: Vec::new(),
            has_way: false,
            is_pushed: false,
            strike: None,
            is_pushed_apart: false,
            plain: Vec::new(),
            mean_velocity: Vec::new(),
            energy: None,
            results: Vec::new(),
            last_pass: Vec::new(),
            projection: Projection::default(),
            account: Account::default(),
            whole_step: WholeStep::default(),
            next: State::default(),
            last: LastStep::default(),
            contact_forces: Vec::new(),
            report: StepReport::default(),
        })
    }

    /// How the world is stepped.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes how the world is stepped.
    ///
    /// # Errors
    /// Settings that make no sense.
    pub fn set_settings(&mut self, settings: Settings) -> Result<()> {
        settings.validate()?;
        let mut collision = *self.detector.settings();
        collision.narrow.margin = settings.contact_margin;
        collision.narrow.reuse = settings.contact_reuse;
        self.detector.set_settings(collision)?;
        let is_other = settings.gravity != self.settings.gravity;
        for robot in &self.robots {
            if let Some(robot) = self.mechanisms.typed_mut::<Robot>(robot.index) {
                robot.model.set_gravity(settings.gravity)?;
                if is_other {
                    // Energy counts from elsewhere.
                    self.state.memory[robot.memory.clone()].fill(0.0);
                }
            }
        }
        if is_other {
            self.mechanisms.free_bodies.forget_memory(&mut self.state);
        }
        self.settings = settings;
        self.energy = None;
        Ok(())
    }

    /// Most contact points that are kept of a pair of bodies with many, and whether pairs are
    /// tested in parallel.
    ///
    /// # Errors
    /// Zero contacts.
    pub fn set_detection(&mut self, max_contacts: usize, execution: Execution) -> Result<()> {
        if max_contacts == 0 {
            return Err(SimError::NotPossible {
                element: "max_contacts".to_owned(),
                reason: "must be at least 1".to_owned(),
            });
        }
        let mut settings = *self.detector.settings();
        settings.narrow.reduce.max_contacts = max_contacts;
        settings.execution = execution;
        Ok(self.detector.set_settings(settings)?)
    }

    /// Chooses a solver by its name, see [`solvers::all`](crate::solvers::all).
    ///
    /// # Errors
    /// A name that no solver has.
    pub fn set_solver(&mut self, name: &str) -> Result<()> {
        let make = solvers::maker(name)?;
        self.set_solver_with(make);
        Ok(())
    }

    /// Chooses a solver by value: `make` is called for every island that needs one.
    pub fn set_solver_with(&mut self, make: impl Fn() -> Box<dyn Solver> + Send + Sync + 'static) {
        let solver = make();
        self.solver_name = solver.name().to_owned();
        self.contacts.soft = solver.soft_contacts();
        self.make_solver = Box::new(make);
        self.islands.clear();
        self.projection.clear();
    }

    /// Looks at this flag while solving: a step during which it is raised ends at once with
    /// [`SimError::Interrupted`]. `None` looks at none.
    pub fn stop_with(&mut self, flag: Option<StopFlag>) {
        self.stop = flag;
    }

    /// Name of the solver.
    pub fn solver_name(&self) -> &str {
        &self.solver_name
    }
}
