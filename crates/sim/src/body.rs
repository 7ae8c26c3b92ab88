//! Rigid bodies as a user describes them and as the world keeps them.

use nalgebra::{Isometry3, Vector3};
use serde::{Deserialize, Serialize};
use stiction_dynamics::Inertia;

use crate::error::{Result, check, finite_vector};

/// A body of a world: a rigid body, or a link of a robot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BodyHandle(pub(crate) usize);

impl BodyHandle {
    /// Position among the world's bodies.
    pub fn index(self) -> usize {
        self.0
    }
}

/// What moves a rigid body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mobility {
    /// Nothing: part of the environment.
    Fixed,
    /// Its velocity is given by the user or a controller, whatever it meets.
    Driven,
    /// Forces.
    Free(Inertia),
}

/// A rigid body to be added to a world.
#[derive(Debug, Clone, PartialEq)]
pub struct RigidBody {
    /// Unique name.
    pub name: String,
    /// What moves it.
    pub mobility: Mobility,
    /// Pose of the body's frame in the world.
    pub pose: Isometry3<f64>,
    /// Velocity of the centre of mass (of the frame's origin for a driven body), world axes, m/s.
    pub velocity: Vector3<f64>,
    /// Angular velocity, world axes, rad/s.
    pub angular_velocity: Vector3<f64>,
    /// Red, green, blue and opacity for drawing, 0 to 1; `None` leaves it to the world.
    pub color: Option<[f32; 4]>,
}

impl RigidBody {
    fn new(name: &str, mobility: Mobility) -> Self {
        Self {
            name: name.to_owned(),
            mobility,
            pose: Isometry3::identity(),
            velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
            color: None,
        }
    }

    /// A part of the environment.
    pub fn fixed(name: &str) -> Self {
        Self::new(name, Mobility::Fixed)
    }

    /// A body whose velocity is given.
    pub fn driven(name: &str) -> Self {
        Self::new(name, Mobility::Driven)
    }

    /// A body that forces move; its inertia is in the body's frame.
    pub fn free(name: &str, inertia: Inertia) -> Self {
        Self::new(name, Mobility::Free(inertia))
    }

    /// Places the body.
    #[must_use]
    pub fn at(mut self, pose: Isometry3<f64>) -> Self {
        self.pose = pose;
        self
    }

    /// Places the body's origin, unrotated.
    #[must_use]
    pub fn at_position(self, x: f64, y: f64, z: f64) -> Self {
        self.at(Isometry3::translation(x, y, z))
    }

    /// Sets the body in motion: linear (m/s) and angular velocity (rad/s) in world axes.
    #[must_use]
    pub fn moving(mut self, velocity: Vector3<f64>, angular_velocity: Vector3<f64>) -> Self {
        self.velocity = velocity;
        self.angular_velocity = angular_velocity;
        self
    }

    /// Colours the body.
    #[must_use]
    pub fn colored(mut self, red: f32, green: f32, blue: f32) -> Self {
        self.color = Some([red, green, blue, 1.0]);
        self
    }
}

/// What the world keeps of a body, by its frame.
#[derive(Debug, Clone)]
pub(crate) struct Body {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) color: Option<[f32; 4]>,
    /// Mass, kg; zero for what forces don't move.
    pub(crate) mass: f64,
}

/// Which of the world's mechanisms a body belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Fixed or driven: which of the scenery.
    Scenery(usize),
    /// Which of the free bodies.
    Free(usize),
    /// A link of a robot, or its base.
    Link { robot: usize, link: usize },
    /// A frame of another mechanism.
    Other { mechanism: usize },
}

impl Body {
    pub(crate) fn new(name: &str, mass: f64, mechanism: usize) -> Self {
        Self {
            name: name.to_owned(),
            kind: Kind::Other { mechanism },
            color: None,
            mass,
        }
    }
}

impl RigidBody {
    /// Refuses numbers that no body can have.
    pub(crate) fn validate(&self) -> Result<()> {
        let name = &self.name;
        let pose = self.pose.translation.vector.iter();
        finite_vector(name, "pose", pose.chain(self.pose.rotation.coords.iter()))?;
        finite_vector(name, "velocity", self.velocity.iter())?;
        finite_vector(name, "angular velocity", self.angular_velocity.iter())?;
        check_color(name, self.color)?;
        if self.mobility == Mobility::Fixed {
            let still = self.velocity.norm() + self.angular_velocity.norm();
            let reason = "must be zero for a fixed body";
            check(name, "velocity", still, still == 0.0, reason)?;
        }
        Ok(())
    }
}

/// Refuses a colour outside of 0 to 1.
pub(crate) fn check_color(name: &str, color: Option<[f32; 4]>) -> Result<()> {
    for value in color.into_iter().flatten().map(f64::from) {
        let good = (0.0..=1.0).contains(&value);
        check(name, "color", value, good, "must be in [0, 1]")?;
    }
    Ok(())
}
