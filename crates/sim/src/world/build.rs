//! Putting things into a world.

use nalgebra::Isometry3;
use stiction_collision::{Collider, Detector, Geometry, Material, PairDetector, Shape};
use stiction_dynamics::{BodyId, Model, check_resistance};

use super::{ColliderHandle, World};
use crate::body::{BodyHandle, Mobility, RigidBody};
use crate::connection::{Connection, ConnectionHandle};
use crate::drive::Controller;
use crate::error::{Result, SimError};
use crate::mechanism::{Mechanism, MechanismHandle, Mechanisms, Registry};
use crate::robot::{Robot, RobotHandle};

impl World {
    /// Adds a mechanism of any kind: `make` asks the registry for its part of the world.
    ///
    /// # Errors
    /// What `make` refuses; the world is then as it was.
    pub fn add<M: Mechanism>(
        &mut self,
        make: impl FnOnce(&mut Registry<'_>) -> Result<M>,
    ) -> Result<MechanismHandle<M>> {
        let number = self.mechanisms.count();
        let mut registry = self.registry(number);
        let mark = registry.mark();
        match make(&mut registry) {
            Err(error) => {
                registry.back_to(&mark);
                Err(error)
            }
            Ok(mechanism) => {
                self.mechanisms.add(Box::new(mechanism));
                self.last.is_known = false;
                self.refresh()?;
                Ok(MechanismHandle::new(number))
            }
        }
    }

    pub(crate) fn registry(&mut self, mechanism: usize) -> Registry<'_> {
        Registry {
            tables: &mut self.tables,
            state: &mut self.state,
            places: &mut self.places,
            commands: &mut self.commands,
            mechanism,
            subsystems: 0,
        }
    }

    /// Adds a rigid body.
    ///
    /// # Errors
    /// A taken name, or numbers that no body can have.
    pub fn add_body(&mut self, body: RigidBody) -> Result<BodyHandle> {
        body.validate()?;
        let mechanism = match body.mobility {
            Mobility::Free(_) => Mechanisms::FREE_BODIES,
            Mobility::Fixed | Mobility::Driven => Mechanisms::SCENERY,
        };
        let mut registry = Registry {
            tables: &mut self.tables,
            state: &mut self.state,
            places: &mut self.places,
            commands: &mut self.commands,
            mechanism,
            subsystems: 0,
        };
        let handle = match &body.mobility {
            Mobility::Free(inertia) => {
                let bodies = &mut self.mechanisms.free_bodies;
                bodies.add(&body, inertia, &mut registry)?
            }
            Mobility::Fixed | Mobility::Driven => {
                self.mechanisms.scenery.add(&body, &mut registry)?
            }
        };
        self.last.is_known = false;
        self.refresh_body(handle)?;
        Ok(handle)
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

    /// Adds a collider with all its options: a rigid shape, a chain of bodies, or points or a surface
    /// made of nodes. Its frames are [`BodyHandle::index`]es, its nodes what [`Registry::node`]
    /// returned.
    ///
    /// # Errors
    /// Unknown bodies or nodes, a taken name, a material that makes no sense.
    pub fn attach_collider(&mut self, collider: Collider) -> Result<ColliderHandle> {
        let (frames, nodes): (&[u32], &[u32]) = match &collider.geometry {
            Geometry::Rigid { frame, .. } => (std::slice::from_ref(frame), &[]),
            Geometry::Chain { frames, .. } => (frames, &[]),
            Geometry::Surface { nodes, .. } | Geometry::Points { nodes, .. } => (&[], nodes),
        };
        for &frame in frames {
            self.body(BodyHandle(frame as usize))?;
        }
        let count = self.places.nodes.position.len();
        if let Some(node) = nodes.iter().find(|&&node| node as usize >= count) {
            return Err(SimError::Unknown {
                what: "node",
                name: node.to_string(),
            });
        }
        let reach = collider.reach();
        let index = self.colliders.add(collider)?;
        self.reach.push(reach);
        self.drawing.collider_colors.push(None);
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

    /// Lets `detector` find all contacts in place of the built-in detection.
    pub fn set_detector(&mut self, detector: Box<dyn Detector>) {
        self.own_detector = Some(detector);
    }

    /// Adds a robot at rest in its neutral configuration. Its links become bodies named
    /// `robot/link`, its base (what does not move) the body `robot/world`; a link does not collide
    /// with its parent.
    ///
    /// # Errors
    /// A taken name, or springs that its joints cannot have.
    pub fn add_robot(&mut self, name: &str, mut model: Model) -> Result<RobotHandle> {
        if self.find_robot(name).is_ok() {
            return Err(SimError::DuplicateName {
                what: "robot",
                name: name.to_owned(),
            });
        }
        refuse_absurd_depth(name, &model)?;
        check_resistance(&model)?;
        model.set_gravity(self.settings.gravity)?;
        let number = self.robots.len();
        let handle = self.add(|registry| Robot::new(name, number, model, registry))?;
        self.robots.push(handle);
        let robot = self.robot(RobotHandle(number))?;
        let (first, model) = (robot.first_body, &robot.model);
        let mut pairs = Vec::new();
        for (link, &id) in robot.ids.iter().enumerate() {
            if let Some(parent) = model.parent(id)
                && id != BodyId::WORLD
            {
                pairs.push((first + link, first + parent.index()));
            }
        }
        for (link, parent) in pairs {
            self.colliders.exclude_frames(link as u32, parent as u32);
        }
        Ok(RobotHandle(number))
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
        self.connection_sizes.push(self.size_of(&connection));
        self.connections.push(connection);
        Ok(ConnectionHandle(self.connections.len() - 1))
    }

    /// Adds a controller; controllers are called in the order of adding.
    pub fn add_controller(&mut self, controller: Box<dyn Controller>) {
        self.controllers.push(controller);
    }
}

/// Most numbers of the mass matrix of a robot, which couples each joint with all those above it: a chain
/// of 14 000 joints has as many, 800 MB.
pub const MOST_COUPLINGS: usize = 100_000_000;

/// Refuses a robot whose joints hang so deep on each other that no memory holds what couples them.
fn refuse_absurd_depth(name: &str, model: &Model) -> Result<()> {
    let mut dofs = vec![0; model.n_bodies()];
    for joint in model.joints() {
        dofs[joint.body.index()] += joint.v.len();
    }
    let mut above = vec![0_usize; model.n_bodies()];
    let mut couplings = 0_usize;
    for body in model.bodies() {
        // Parents come before their children.
        let carried = model.parent(body).map_or(0, |parent| above[parent.index()]);
        let own = dofs[body.index()];
        above[body.index()] = carried + own;
        couplings = couplings.saturating_add(own * (carried + own));
    }
    if couplings <= MOST_COUPLINGS {
        return Ok(());
    }
    Err(SimError::NotPossible {
        element: name.to_owned(),
        reason: format!(
            "its joints hang so deep on each other that its mass matrix has {couplings} numbers, more than \
             {MOST_COUPLINGS}: make robots of its parts"
        ),
    })
}
