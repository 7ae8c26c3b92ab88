//! A world: what is in it, and where everything is.

use std::collections::HashMap;

use nalgebra::{Isometry3, Matrix3, Matrix6, Point3, Vector3};
use stiction_collision::{
    BuiltInDetector, Collider, ColliderSet, ContactPoint, DetectionSettings, Execution, Material,
    NarrowSettings, PairDetector, Shape,
};
use stiction_constraints::{Solver, StopFlag};
use stiction_dynamics::{BodyId, Model};
use stiction_solver_canal::{Canal, CanalSettings};

use crate::body::{Body, BodyHandle, Kind, Mobility, RigidBody};
use crate::connection::{Connection, ConnectionHandle};
use crate::control::{CommandKind, Commands, Controller, Wrench};
use crate::error::{Result, SimError, finite_vector};
use crate::gyroscopic::FreeRotation;
use crate::island::{Islands, MakeSolver, SubsystemData, SubsystemMatrix};
use crate::placement::Placement;
use crate::report::{ContactForce, StepReport};
use crate::robot::{Robot, RobotHandle};
use crate::rows::RowBuffer;
use crate::settings::Settings;
use crate::solvers;
use crate::state::{BodyState, RobotState, State, Twist};
use crate::tendon::TendonEntry;
use crate::visual::{ColliderHandle, VisualShape};
use crate::warm_start::WarmStart;

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
    pub(crate) settings: Settings,
    pub(crate) solver_name: String,
    pub(crate) make_solver: MakeSolver,
    pub(crate) stop: Option<StopFlag>,
    pub(crate) bodies: Vec<Body>,
    body_by_name: HashMap<String, usize>,
    pub(crate) robots: Vec<Robot>,
    pub(crate) connections: Vec<Connection>,
    pub(crate) tendons: Vec<TendonEntry>,
    pub(crate) colliders: ColliderSet,
    pub(crate) detector: BuiltInDetector,
    /// Per collider: farthest point from the body's origin, m.
    pub(crate) reach: Vec<f64>,
    /// Per collider: how far it moves in a step, m.
    pub(crate) travel: Vec<f64>,
    /// Per collider: colour of its own.
    pub(crate) collider_colors: Vec<Option<[f32; 4]>>,
    pub(crate) visuals: Vec<VisualShape>,
    pub(crate) controllers: Vec<Box<dyn Controller>>,
    pub(crate) commands: Commands,
    pub(crate) state: State,
    /// The state that a step computes before it takes effect.
    pub(crate) next: State,
    /// Whether `next` is the state before the last step: nobody changed the state since.
    pub(crate) has_previous: bool,
    /// Forces on bodies in the last step.
    pub(crate) last_wrenches: Vec<Wrench>,
    pub(crate) placement: Placement,
    pub(crate) contacts: Vec<ContactPoint>,
    pub(crate) rows: RowBuffer,
    pub(crate) subsystems: Vec<SubsystemData>,
    pub(crate) islands: Islands,
    pub(crate) warm_start: WarmStart,
    /// Per body: the free rotation of this step.
    pub(crate) rotations: Vec<FreeRotation>,
    /// Per robot: where this pass linearises.
    pub(crate) linearized: Vec<RobotState>,
    pub(crate) robot_b: Vec<f64>,
    pub(crate) contact_forces: Vec<ContactForce>,
    pub(crate) report: StepReport,
}

impl World {
    /// An empty world with the default solver.
    ///
    /// # Errors
    /// Settings that make no sense.
    pub fn new(settings: Settings) -> Result<Self> {
        settings.validate()?;
        let detector = BuiltInDetector::new(DetectionSettings {
            narrow: NarrowSettings {
                margin: settings.contact_margin,
                ..NarrowSettings::default()
            },
            execution: Execution::Parallel,
        })?;
        let mut world = Self {
            settings,
            solver_name: String::new(),
            make_solver: Box::new(|| Box::new(Canal::new(CanalSettings::default()))),
            stop: None,
            bodies: Vec::new(),
            body_by_name: HashMap::new(),
            robots: Vec::new(),
            connections: Vec::new(),
            tendons: Vec::new(),
            colliders: ColliderSet::new(),
            detector,
            reach: Vec::new(),
            travel: Vec::new(),
            collider_colors: Vec::new(),
            visuals: Vec::new(),
            controllers: Vec::new(),
            commands: Commands::default(),
            state: State::default(),
            next: State::default(),
            has_previous: false,
            last_wrenches: Vec::new(),
            placement: Placement::default(),
            contacts: Vec::new(),
            rows: RowBuffer::default(),
            subsystems: Vec::new(),
            islands: Islands::default(),
            warm_start: WarmStart::default(),
            rotations: Vec::new(),
            linearized: Vec::new(),
            robot_b: Vec::new(),
            contact_forces: Vec::new(),
            report: StepReport::default(),
        };
        world.set_solver(solvers::DEFAULT)?;
        Ok(world)
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
        self.detector.set_settings(collision)?;
        for robot in &mut self.robots {
            robot.model.set_gravity(settings.gravity)?;
        }
        self.settings = settings;
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
        solvers::make(name)?;
        let owned = name.to_owned();
        let make: MakeSolver = Box::new(move || match solvers::make(&owned) {
            Ok(solver) => solver,
            // The name was found above, and names don't vanish.
            Err(_) => Box::new(Canal::new(CanalSettings::default())),
        });
        self.solver_name = name.to_owned();
        self.make_solver = make;
        self.islands.clear();
        Ok(())
    }

    /// Chooses a solver by value: `make` is called for every island that needs one.
    pub fn set_solver_with(&mut self, make: impl Fn() -> Box<dyn Solver> + Send + Sync + 'static) {
        self.solver_name = make().name().to_owned();
        self.make_solver = Box::new(make);
        self.islands.clear();
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

    /// Adds a rigid body.
    ///
    /// # Errors
    /// A taken name, or numbers that no body can have.
    pub fn add_body(&mut self, body: RigidBody) -> Result<BodyHandle> {
        let entry = Body::from_description(&body, self.subsystems.len())?;
        let center = entry.center;
        if let Mobility::Free(_) = body.mobility {
            self.subsystems.push(SubsystemData {
                matrix: SubsystemMatrix::FreeBody(Matrix6::identity()),
                b: vec![0.0; 6],
                velocity: vec![0.0; 6],
            });
            self.placement.references.push(Vector3::zeros());
        }
        let kind = match body.mobility {
            Mobility::Fixed => CommandKind::Nothing,
            Mobility::Driven => CommandKind::Velocity,
            Mobility::Free(_) => CommandKind::Force,
        };
        let twist = Twist {
            linear: body.velocity,
            angular: body.angular_velocity,
        };
        let state = BodyState {
            center: body.pose.transform_point(&Point3::from(center)).coords,
            rotation: body.pose.rotation,
            velocity: body.velocity,
            angular_velocity: body.angular_velocity,
        };
        let handle = self.register(entry, state, kind, twist)?;
        self.refresh()?;
        Ok(handle)
    }

    fn register(
        &mut self,
        body: Body,
        state: BodyState,
        kind: CommandKind,
        twist: Twist,
    ) -> Result<BodyHandle> {
        let index = self.bodies.len();
        if self.body_by_name.contains_key(&body.name) {
            return Err(SimError::DuplicateName {
                what: "body",
                name: body.name,
            });
        }
        self.body_by_name.insert(body.name.clone(), index);
        self.bodies.push(body);
        self.state.bodies.push(state);
        self.placement.poses.push(Isometry3::identity());
        self.placement.twists.push(Twist::default());
        self.placement.guess.push(Twist::default());
        self.rotations.push(FreeRotation {
            end: Vector3::zeros(),
            middle: Vector3::zeros(),
        });
        self.commands.add_body(kind, twist);
        Ok(BodyHandle(index))
    }

    /// Attaches a shape to a body at the body's origin.
    ///
    /// # Errors
    /// An unknown body, a taken name, a material that makes no sense.
    pub fn attach(&mut self, body: BodyHandle, shape: Shape, material: Material) -> Result<()> {
        self.attach_at(body, shape, Isometry3::identity(), material)
    }

    /// Attaches a shape to a body at a pose in the body's frame.
    ///
    /// # Errors
    /// As [`attach`](Self::attach).
    pub fn attach_at(
        &mut self,
        body: BodyHandle,
        shape: Shape,
        pose: Isometry3<f64>,
        material: Material,
    ) -> Result<()> {
        let name = format!("{}/{}", self.body(body)?.name, shape.name());
        self.attach_collider(Collider {
            material,
            ..Collider::rigid_at(&name, body.0 as u32, pose, shape)
        })?;
        Ok(())
    }

    /// Attaches a rigid collider with all its options; its frame is a [`BodyHandle::index`].
    ///
    /// # Errors
    /// As [`attach`](Self::attach).
    pub fn attach_collider(&mut self, collider: Collider) -> Result<ColliderHandle> {
        let Some(frame) = collider.frame() else {
            return Err(SimError::NotPossible {
                element: collider.name,
                reason: "only rigid shapes can be attached to a body".to_owned(),
            });
        };
        self.body(BodyHandle(frame as usize))?;
        let reach = collider.reach();
        let index = self.colliders.add(collider)?;
        self.reach.push(reach);
        self.collider_colors.push(None);
        Ok(ColliderHandle(index as usize))
    }

    /// Never lets two bodies touch.
    ///
    /// # Errors
    /// Unknown bodies.
    pub fn exclude(&mut self, a: BodyHandle, b: BodyHandle) -> Result<()> {
        self.body(a)?;
        self.body(b)?;
        self.colliders.exclude_frames(a.0 as u32, b.0 as u32);
        Ok(())
    }

    /// Lets `detector` find contacts before the built-in detection.
    pub fn add_detector(&mut self, detector: std::sync::Arc<dyn PairDetector>) {
        self.detector.add_pair_detector(detector);
    }

    /// Adds a robot at rest in its neutral configuration. Its links become bodies named
    /// `robot/link`, its base (what does not move) the body `robot/world`; a link does not collide
    /// with its parent.
    ///
    /// # Errors
    /// A taken name, or a coupling across more than two of its trees.
    pub fn add_robot(&mut self, name: &str, mut model: Model) -> Result<RobotHandle> {
        if self.robots.iter().any(|robot| robot.name == name) {
            return Err(SimError::DuplicateName {
                what: "robot",
                name: name.to_owned(),
            });
        }
        model.set_gravity(self.settings.gravity)?;
        let (first_body, first_subsystem) = (self.bodies.len(), self.subsystems.len());
        let robot = Robot::new(name, model, first_subsystem, first_body)?;
        for coupling in robot.model.couplings() {
            let trees = robot.views.iter().filter(|view| {
                coupling
                    .terms
                    .iter()
                    .any(|term| view.dofs.contains(&term.dof))
            });
            if trees.count() > 2 {
                return Err(SimError::NotPossible {
                    element: format!("{name}/{}", coupling.name),
                    reason: "couples joints of more than two trees".to_owned(),
                });
            }
        }
        self.register_links(&robot)?;
        for (tree, view) in robot.trees()?.into_iter().zip(&robot.views) {
            self.subsystems.push(SubsystemData {
                matrix: SubsystemMatrix::Tree(tree),
                b: vec![0.0; view.dofs.len()],
                velocity: vec![0.0; view.dofs.len()],
            });
            self.placement.references.push(Vector3::zeros());
        }
        let state = RobotState {
            q: robot.model.neutral(),
            v: vec![0.0; robot.model.nv()],
        };
        self.robot_b
            .resize(self.robot_b.len().max(robot.model.nv()), 0.0);
        self.commands
            .robots
            .push(vec![Default::default(); robot.model.nv()]);
        self.linearized.push(state.clone());
        self.state.robots.push(state);
        self.robots.push(robot);
        self.refresh()?;
        Ok(RobotHandle(self.robots.len() - 1))
    }

    fn register_links(&mut self, robot: &Robot) -> Result<()> {
        for (i, &id) in robot.ids().iter().enumerate() {
            let at = robot.views.iter().enumerate().find_map(|(tree, view)| {
                view.body_index(id)
                    .map(|link| (robot.first_subsystem + tree, link))
            });
            let (kind, command) = match at {
                None => (Kind::Fixed, CommandKind::Nothing),
                Some((subsystem, link)) => (
                    Kind::Link {
                        robot: self.robots.len(),
                        subsystem,
                        link,
                    },
                    CommandKind::Force,
                ),
            };
            let link_name = robot
                .model
                .body_name(id)
                .unwrap_or(stiction_dynamics::WORLD);
            let body = Body {
                name: format!("{}/{link_name}", robot.name),
                kind,
                color: None,
                mass: robot.model.inertia(id).map_or(0.0, |inertia| inertia.mass),
                center: Vector3::zeros(),
                inertia: Matrix3::zeros(),
                inverse_inertia: Matrix3::zeros(),
            };
            let state = BodyState {
                center: Vector3::zeros(),
                rotation: nalgebra::UnitQuaternion::identity(),
                velocity: Vector3::zeros(),
                angular_velocity: Vector3::zeros(),
            };
            self.register(body, state, command, Twist::default())?;
            if let Some(parent) = robot.model.parent(id)
                && id != BodyId::WORLD
            {
                let parent = robot.first_body + parent.index();
                self.colliders
                    .exclude_frames((robot.first_body + i) as u32, parent as u32);
            }
        }
        Ok(())
    }

    /// Connects two bodies.
    ///
    /// # Errors
    /// Unknown bodies, or numbers that no connection can have.
    pub fn connect(&mut self, connection: Connection) -> Result<ConnectionHandle> {
        self.body(connection.body_a)?;
        self.body(connection.body_b)?;
        connection.validate()?;
        if self
            .connections
            .iter()
            .any(|other| other.name == connection.name)
        {
            return Err(SimError::DuplicateName {
                what: "connection",
                name: connection.name,
            });
        }
        if !connection.collide {
            let [a, b] = [connection.body_a, connection.body_b].map(|body| body.0 as u32);
            self.colliders.exclude_frames(a, b);
        }
        self.connections.push(connection);
        Ok(ConnectionHandle(self.connections.len() - 1))
    }

    /// Adds a controller; controllers are called in the order of adding.
    pub fn add_controller(&mut self, controller: Box<dyn Controller>) {
        self.controllers.push(controller);
    }

    /// What drives the world in the next step; see [`Commands`].
    pub fn commands(&mut self) -> &mut Commands {
        &mut self.commands
    }

    /// A body by its name.
    ///
    /// # Errors
    /// A name that no body has.
    pub fn find_body(&self, name: &str) -> Result<BodyHandle> {
        let found = self.body_by_name.get(name).copied().map(BodyHandle);
        found.ok_or_else(|| SimError::Unknown {
            what: "body",
            name: name.to_owned(),
        })
    }

    /// A robot by its name.
    ///
    /// # Errors
    /// A name that no robot has.
    pub fn find_robot(&self, name: &str) -> Result<RobotHandle> {
        let found = self.robots.iter().position(|robot| robot.name == name);
        found.map(RobotHandle).ok_or_else(|| SimError::Unknown {
            what: "robot",
            name: name.to_owned(),
        })
    }

    /// Name of a body.
    ///
    /// # Errors
    /// An unknown body.
    pub fn body_name(&self, body: BodyHandle) -> Result<&str> {
        Ok(&self.body(body)?.name)
    }

    /// Names of all bodies, in the order of their handles.
    pub fn body_names(&self) -> impl Iterator<Item = &str> {
        self.bodies.iter().map(|body| body.name.as_str())
    }

    /// Model of a robot.
    ///
    /// # Errors
    /// An unknown robot.
    pub fn model(&self, robot: RobotHandle) -> Result<&Model> {
        Ok(&self.robot(robot)?.model)
    }

    /// The degree of freedom of a joint that has one.
    ///
    /// # Errors
    /// An unknown robot or joint, or a joint with another number of degrees of freedom.
    pub fn dof(&self, robot: RobotHandle, joint: &str) -> Result<usize> {
        self.robot(robot)?.dof(joint)
    }

    /// Configuration and velocity of a robot, as in `stiction_dynamics`.
    ///
    /// # Errors
    /// An unknown robot.
    pub fn robot_state(&self, robot: RobotHandle) -> Result<(&[f64], &[f64])> {
        self.robot(robot)?;
        let state = &self.state.robots[robot.0];
        Ok((&state.q, &state.v))
    }

    /// Places a robot: configuration and velocity, as in `stiction_dynamics`.
    ///
    /// # Errors
    /// An unknown robot, wrong lengths, numbers that are not finite, a quaternion of length zero.
    pub fn set_robot_state(&mut self, robot: RobotHandle, q: &[f64], v: &[f64]) -> Result<()> {
        let model = &self.robot(robot)?.model;
        let mut state = stiction_dynamics::State {
            q: q.to_vec(),
            v: v.to_vec(),
        };
        state.validate(model)?;
        self.state.robots[robot.0] = RobotState {
            q: state.q,
            v: state.v,
        };
        self.has_previous = false;
        self.refresh()
    }

    /// Places a rigid body: pose of its frame, velocity of its centre of mass (m/s) and angular
    /// velocity (rad/s), world axes.
    ///
    /// # Errors
    /// A link of a robot, a fixed body with a velocity, numbers that are not finite.
    pub fn set_body_state(
        &mut self,
        body: BodyHandle,
        pose: Isometry3<f64>,
        velocity: Vector3<f64>,
        angular_velocity: Vector3<f64>,
    ) -> Result<()> {
        let entry = self.body(body)?;
        let name = entry.name.clone();
        if let Kind::Link { .. } = entry.kind {
            return Err(SimError::NotPossible {
                element: name,
                reason: "is a link: place its robot instead".to_owned(),
            });
        }
        let position = pose.translation.vector.iter();
        finite_vector(&name, "pose", position.chain(pose.rotation.coords.iter()))?;
        finite_vector(&name, "velocity", velocity.iter())?;
        finite_vector(&name, "angular velocity", angular_velocity.iter())?;
        if entry.kind == Kind::Fixed && (velocity.norm() + angular_velocity.norm()) > 0.0 {
            return Err(SimError::NotPossible {
                element: name,
                reason: "is fixed and cannot have a velocity".to_owned(),
            });
        }
        if entry.kind == Kind::Driven {
            self.commands.drive(body, velocity, angular_velocity)?;
        }
        let center = pose.transform_point(&Point3::from(self.bodies[body.0].center));
        self.state.bodies[body.0] = BodyState {
            center: center.coords,
            rotation: pose.rotation,
            velocity,
            angular_velocity,
        };
        self.has_previous = false;
        self.refresh()
    }

    /// Simulated time, s.
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Steps made.
    pub fn step_count(&self) -> u64 {
        self.state.step
    }

    /// Pose of a body's frame.
    ///
    /// # Errors
    /// An unknown body.
    pub fn pose(&self, body: BodyHandle) -> Result<Isometry3<f64>> {
        self.body(body)?;
        Ok(self.placement.poses[body.0])
    }

    /// Velocity of a body's origin and its angular velocity, world axes.
    ///
    /// # Errors
    /// An unknown body.
    pub fn velocity(&self, body: BodyHandle) -> Result<Twist> {
        self.body(body)?;
        Ok(self.placement.twists[body.0])
    }

    /// Whether a body is a link that a joint carries.
    ///
    /// # Errors
    /// An unknown body.
    pub fn is_moving_link(&self, body: BodyHandle) -> Result<bool> {
        Ok(matches!(self.body(body)?.kind, Kind::Link { .. }))
    }

    /// Mass of a body, kg; zero for what forces don't move.
    ///
    /// # Errors
    /// An unknown body.
    pub fn mass(&self, body: BodyHandle) -> Result<f64> {
        Ok(self.body(body)?.mass)
    }

    pub(crate) fn body(&self, handle: BodyHandle) -> Result<&Body> {
        self.bodies.get(handle.0).ok_or_else(|| SimError::Unknown {
            what: "body",
            name: handle.0.to_string(),
        })
    }

    pub(crate) fn robot(&self, handle: RobotHandle) -> Result<&Robot> {
        self.robots.get(handle.0).ok_or_else(|| SimError::Unknown {
            what: "robot",
            name: handle.0.to_string(),
        })
    }

    /// Recomputes poses and velocities of all bodies from the state.
    pub(crate) fn refresh(&mut self) -> Result<()> {
        for (index, (body, state)) in self.bodies.iter().zip(&self.state.bodies).enumerate() {
            if let Kind::Link { .. } = body.kind {
                continue;
            }
            let pose = state.pose(&body.center);
            let arm = pose.translation.vector - state.center;
            self.placement.poses[index] = pose;
            self.placement.twists[index] = Twist {
                linear: state.velocity + state.angular_velocity.cross(&arm),
                angular: state.angular_velocity,
            };
            self.commands.centers[index] = state.center;
            if let Kind::Free { subsystem } = body.kind {
                self.placement.references[subsystem] = state.center;
            }
        }
        for (robot, state) in self.robots.iter_mut().zip(&self.state.robots) {
            let links = robot.first_body..robot.first_body + robot.ids().len();
            robot.place(
                state,
                &mut self.placement.poses[links.clone()],
                &mut self.placement.twists[links.clone()],
            )?;
            for link in links {
                self.commands.centers[link] = self.placement.poses[link].translation.vector;
            }
        }
        self.placement.guess.fill(Twist::default());
        self.placement.advance = 0.0;
        Ok(())
    }
}
