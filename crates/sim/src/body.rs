//! Rigid bodies as a user describes them and as the world keeps them.

use nalgebra::{Isometry3, Matrix3, Vector3};
use serde::{Deserialize, Serialize};
use stiction_dynamics::Inertia;

use crate::error::{Result, SimError, check, finite_vector, positive};

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

/// What the world keeps of a body.
#[derive(Debug, Clone)]
pub(crate) struct Body {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) color: Option<[f32; 4]>,
    /// Mass, kg; zero for what forces don't move.
    pub(crate) mass: f64,
    /// Centre of mass in the body's frame, m; the origin for driven and fixed bodies and links.
    pub(crate) center: Vector3<f64>,
    /// Rotational inertia about the centre of mass, body axes, kg·m².
    pub(crate) inertia: Matrix3<f64>,
    /// Its inverse.
    pub(crate) inverse_inertia: Matrix3<f64>,
}

/// How a body takes part in the equations of motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Fixed,
    Driven,
    Free {
        subsystem: usize,
    },
    /// Moving link of a robot: body of one of its trees.
    Link {
        robot: usize,
        subsystem: usize,
        link: usize,
    },
}

impl Kind {
    /// Subsystem and body within it, for what the solver moves.
    pub(crate) fn site(self) -> Option<(usize, usize)> {
        match self {
            Kind::Fixed | Kind::Driven => None,
            Kind::Free { subsystem } => Some((subsystem, 0)),
            Kind::Link {
                subsystem, link, ..
            } => Some((subsystem, link)),
        }
    }
}

impl Body {
    /// Checks a description; `subsystem` is the one a free body would get.
    pub(crate) fn from_description(body: &RigidBody, subsystem: usize) -> Result<Self> {
        let name = &body.name;
        let pose = body.pose.translation.vector.iter();
        finite_vector(name, "pose", pose.chain(body.pose.rotation.coords.iter()))?;
        finite_vector(name, "velocity", body.velocity.iter())?;
        finite_vector(name, "angular velocity", body.angular_velocity.iter())?;
        if let Some(color) = body.color {
            for value in color.map(f64::from) {
                let good = (0.0..=1.0).contains(&value);
                check(name, "color", value, good, "must be in [0, 1]")?;
            }
        }
        let mut out = Self {
            name: name.clone(),
            kind: Kind::Fixed,
            color: body.color,
            mass: 0.0,
            center: Vector3::zeros(),
            inertia: Matrix3::zeros(),
            inverse_inertia: Matrix3::zeros(),
        };
        match body.mobility {
            Mobility::Fixed => {
                let still = body.velocity.norm() + body.angular_velocity.norm();
                check(
                    name,
                    "velocity",
                    still,
                    still == 0.0,
                    "must be zero for a fixed body",
                )?;
            }
            Mobility::Driven => out.kind = Kind::Driven,
            Mobility::Free(inertia) => {
                positive(name, "mass", inertia.mass)?;
                out.kind = Kind::Free { subsystem };
                out.mass = inertia.mass;
                out.center = inertia.com();
                finite_vector(name, "center of mass", out.center.iter())?;
                out.inertia = inertia.about_com().to_matrix();
                let Some(factor) = out.inertia.cholesky() else {
                    return Err(SimError::NotPossible {
                        element: name.clone(),
                        reason: format!(
                            "its rotational inertia about the centre of mass must be positive \
                             definite, its eigenvalues are {:?} kg·m²",
                            inertia.about_com().eigenvalues()
                        ),
                    });
                };
                out.inverse_inertia = factor.inverse();
            }
        }
        Ok(out)
    }
}
