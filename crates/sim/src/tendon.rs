//! Tendons: lengths that depend on where things are, with limits, dry friction, a spring and a
//! drive of their own.
//!
//! With the gradient J of the length, l̇ = J v, every part of a tendon is one row: the limits keep
//! l + dt J v̂ in an interval, dry friction opposes J v̂, spring, damper and drive are one implicit
//! force along J.

mod rows;

use nalgebra::{Point3, Vector6};
use serde::{Deserialize, Serialize};

use crate::body::BodyHandle;
use crate::control::Tracking;
use crate::error::{Result, SimError, check, finite, finite_vector, not_negative, positive};
use crate::robot::RobotHandle;
use crate::rows::Key;
use crate::world::World;
use rows::Site;
pub(crate) use rows::{TendonContext, TendonEntry};

/// A tendon of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TendonHandle(pub(crate) usize);

impl TendonHandle {
    /// Position among the world's tendons.
    pub fn index(self) -> usize {
        self.0
    }
}

/// A length with limits, friction and a spring. Its unit is m for a path through points, and that
/// of coefficient · coordinate for a sum of joints.
#[derive(Debug, Clone, PartialEq)]
pub struct Tendon {
    /// Unique name.
    pub name: String,
    /// What its length is made of.
    pub path: TendonPath,
    /// Shortest and longest length, hard; infinite for none. A tendon that starts beyond comes back
    /// as a joint does, see [`Settings::push_out_speed`](crate::Settings::push_out_speed).
    pub limits: [f64; 2],
    /// Spring, N/m.
    pub stiffness: f64,
    /// Damper, N·s/m; acts at any length.
    pub damping: f64,
    /// Lengths between which the spring is slack; equal ones are a rest length, m.
    pub rest: [f64; 2],
    /// Dry friction, N.
    pub friction_loss: f64,
}

/// What the length of a tendon is made of.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TendonPath {
    /// Σ coefficient · coordinate.
    Joints {
        /// The robot.
        robot: RobotHandle,
        /// Degree of freedom (see [`World::dof`]) and coefficient.
        terms: Vec<(usize, f64)>,
    },
    /// Straight lines through points of bodies, Σ length / divisor.
    Points(Vec<TendonBranch>),
}

/// A run of straight lines of a tendon.
#[derive(Debug, Clone, PartialEq)]
pub struct TendonBranch {
    /// What its length is divided by: how many such branches share a pulley.
    pub divisor: f64,
    /// Body and point in its frame, m; two or more.
    pub points: Vec<(BodyHandle, Point3<f64>)>,
}

impl Tendon {
    /// A tendon without limits, friction or spring.
    pub fn new(name: &str, path: TendonPath) -> Self {
        Self {
            name: name.to_owned(),
            path,
            limits: [f64::NEG_INFINITY, f64::INFINITY],
            stiffness: 0.0,
            damping: 0.0,
            rest: [0.0, 0.0],
            friction_loss: 0.0,
        }
    }

    fn validate(&self) -> Result<()> {
        let name = &self.name;
        for (field, [lower, upper]) in [("limits", self.limits), ("rest", self.rest)] {
            check(
                name,
                field,
                lower,
                lower < f64::INFINITY,
                "must be below infinity",
            )?;
            let above = upper > f64::NEG_INFINITY;
            check(name, field, upper, above, "must be above minus infinity")?;
            check(
                name,
                field,
                lower,
                lower <= upper,
                "must not exceed the upper one",
            )?;
        }
        not_negative(name, "stiffness", self.stiffness)?;
        not_negative(name, "damping", self.damping)?;
        not_negative(name, "friction_loss", self.friction_loss)?;
        match &self.path {
            TendonPath::Joints { terms, .. } => {
                for (number, &(dof, coefficient)) in terms.iter().enumerate() {
                    finite(name, "coefficient", coefficient)?;
                    let twice = terms[..number].iter().any(|&(other, _)| other == dof);
                    check(
                        name,
                        "degree of freedom",
                        dof as f64,
                        !twice,
                        "is named twice",
                    )?;
                }
                positive(name, "number of joints", terms.len() as f64)
            }
            TendonPath::Points(branches) => {
                for branch in branches {
                    positive(name, "divisor", branch.divisor)?;
                    let count = branch.points.len();
                    check(
                        name,
                        "points",
                        count as f64,
                        count > 1,
                        "must be two or more",
                    )?;
                    for (_, point) in &branch.points {
                        finite_vector(name, "point", point.iter())?;
                    }
                }
                positive(name, "number of branches", branches.len() as f64)
            }
        }
    }
}

/// Length of a tendon, how fast it changes, and what it did in the last step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TendonState {
    /// Length, m (or the unit of a sum of joints).
    pub length: f64,
    /// Rate of change of the length, m/s.
    pub velocity: f64,
    /// Force along the length in the last step, N: positive pushes its ends apart, negative is
    /// tension. Limits, friction, spring and drive together; zero if the state was set since.
    pub force: f64,
}

impl Tendon {
    /// How far a length is outside the range in which the spring is slack, m.
    fn stretch(&self, length: f64) -> f64 {
        length - length.clamp(self.rest[0], self.rest[1])
    }
}

impl World {
    /// Adds a tendon.
    ///
    /// # Errors
    /// A taken name, numbers that no tendon can have, unknown bodies or degrees of freedom, and a
    /// path over more than two free bodies or kinematic trees.
    pub fn add_tendon(&mut self, tendon: Tendon) -> Result<TendonHandle> {
        tendon.validate()?;
        if self
            .tendons
            .iter()
            .any(|other| other.tendon.name == tendon.name)
        {
            return Err(SimError::DuplicateName {
                what: "tendon",
                name: tendon.name,
            });
        }
        let mut sites: Vec<Site> = Vec::new();
        let gradients = match &tendon.path {
            TendonPath::Joints { robot, terms } => self.joint_gradients(&tendon, *robot, terms)?,
            TendonPath::Points(branches) => {
                for &(body, _) in branches.iter().flat_map(|branch| &branch.points) {
                    let kind = self.body(body)?.kind;
                    if let Some((subsystem, link)) = kind.site()
                        && !sites.iter().any(|site| site.body == body.0)
                    {
                        sites.push(Site {
                            body: body.0,
                            subsystem,
                            link,
                            values: Vector6::zeros(),
                        });
                    }
                }
                self.point_gradients(&sites)
            }
        };
        if gradients.len() > 2 {
            return Err(SimError::NotPossible {
                element: tendon.name,
                reason: format!(
                    "pulls at {} free bodies and kinematic trees; a tendon can pull at two",
                    gradients.len()
                ),
            });
        }
        self.tendons.push(TendonEntry {
            tendon,
            sites,
            gradients,
            start: 0.0,
            direct: 0.0,
        });
        self.commands.tendons.push(Tracking::default());
        Ok(TendonHandle(self.tendons.len() - 1))
    }

    /// A tendon by its name.
    ///
    /// # Errors
    /// A name that no tendon has.
    pub fn find_tendon(&self, name: &str) -> Result<TendonHandle> {
        let found = self
            .tendons
            .iter()
            .position(|entry| entry.tendon.name == name);
        found.map(TendonHandle).ok_or_else(|| SimError::Unknown {
            what: "tendon",
            name: name.to_owned(),
        })
    }

    /// Length of a tendon, its rate of change and the force of the last step.
    ///
    /// # Errors
    /// An unknown tendon.
    pub fn tendon_state(&self, tendon: TendonHandle) -> Result<TendonState> {
        let entry = self
            .tendons
            .get(tendon.0)
            .ok_or_else(|| SimError::Unknown {
                what: "tendon",
                name: tendon.0.to_string(),
            })?;
        let motion = entry.measure(&self.tendon_context());
        Ok(TendonState {
            length: motion.length,
            velocity: motion.before,
            force: self.tendon_impulse(tendon.0) / self.settings.time_step,
        })
    }

    fn tendon_context(&self) -> TendonContext<'_> {
        TendonContext {
            placement: &self.placement,
            bodies: &self.bodies,
            robots: &self.robots,
            states: &self.state.robots,
            settings: &self.settings,
        }
    }

    /// Impulse along a tendon in the last step, N·s.
    pub(crate) fn tendon_impulse(&self, index: usize) -> f64 {
        if !self.has_previous {
            return 0.0;
        }
        let rows = self.rows.rows.iter().filter(|row| {
            let Key::Tendon(tendon, _) = row.key else {
                return false;
            };
            tendon as usize == index
        });
        rows.map(|row| row.impulse[0]).sum::<f64>() + self.tendons[index].direct
    }

    /// Energy of the springs of all tendons, J.
    pub(crate) fn tendon_energy(&self) -> f64 {
        let context = self.tendon_context();
        let energies = self.tendons.iter().map(|entry| {
            if entry.tendon.stiffness == 0.0 {
                return 0.0;
            }
            let stretch = entry.tendon.stretch(entry.measure(&context).length);
            0.5 * entry.tendon.stiffness * stretch * stretch
        });
        energies.sum()
    }
}
