//! Tendons as a user describes them and as the world keeps them; `stiction_modeling::tendon` has the
//! mechanics.

use nalgebra::Point3;
use serde::{Deserialize, Serialize};
use stiction_constraints::Subsystem;
use stiction_modeling::Places;
use stiction_modeling::tendon::{self, DofTerm, LengthMotion, Strand};

use crate::body::BodyHandle;
use crate::error::{Result, SimError, check, finite, finite_vector, not_negative, positive};
use crate::robot::RobotHandle;
use crate::state::State;
use crate::step::RowKind;
use crate::world::World;

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

/// A tendon of a world.
#[derive(Debug)]
pub(crate) struct TendonEntry {
    pub(crate) name: String,
    pub(crate) model: tendon::Tendon,
    /// Of a sum of joints: coordinate, degree of freedom (both of the world) and coefficient.
    joints: Vec<(usize, usize, f64)>,
    /// The subsystems that it pulls at, and room for their A.
    pub(crate) subsystems: Vec<(usize, Subsystem)>,
}

impl TendonEntry {
    /// Length at positions `q` and the places that belong to them, m.
    pub(crate) fn length(&self, q: &[f64], places: &Places) -> f64 {
        self.model.length(places).unwrap_or_else(|| {
            let terms = self.joints.iter();
            terms.map(|&(at, _, coefficient)| coefficient * q[at]).sum()
        })
    }

    /// Length and rates.
    pub(crate) fn measure(&self, state: &State, places: &Places) -> LengthMotion {
        self.model.measure(places).unwrap_or_else(|| {
            let mut motion = LengthMotion::default();
            for &(q, v, coefficient) in &self.joints {
                motion.length += coefficient * state.q[q];
                motion.before += coefficient * state.v[v];
            }
            motion
        })
    }
}

impl World {
    /// Adds a tendon.
    ///
    /// # Errors
    /// A taken name, numbers that no tendon can have, unknown bodies or degrees of freedom.
    pub fn add_tendon(&mut self, tendon: Tendon) -> Result<TendonHandle> {
        tendon.validate()?;
        if self.tendons.iter().any(|other| other.name == tendon.name) {
            return Err(SimError::DuplicateName {
                what: "tendon",
                name: tendon.name,
            });
        }
        let mut joints = Vec::new();
        let path = match &tendon.path {
            TendonPath::Joints { robot, terms } => {
                let (path, found) = self.sum_of_joints(&tendon.name, *robot, terms)?;
                joints = found;
                path
            }
            TendonPath::Points(branches) => {
                let mut lines = Vec::new();
                for branch in branches {
                    for &(body, _) in &branch.points {
                        self.body(body)?;
                    }
                    let points = branch.points.iter();
                    lines.push(tendon::Branch {
                        divisor: branch.divisor,
                        points: points.map(|&(body, at)| (body.0 as u32, at)).collect(),
                    });
                }
                tendon::Path::Lines(lines)
            }
        };
        let strand = Strand {
            limits: tendon.limits,
            stiffness: tendon.stiffness,
            damping: tendon.damping,
            rest: tendon.rest,
            friction_loss: tendon.friction_loss,
        };
        let shape = |subsystem: usize| {
            let (mechanism, own) = self.tables.layout.owner[subsystem];
            self.mechanisms.get(mechanism).shape(own)
        };
        let model = tendon::Tendon::new(path, strand, &self.places, shape);
        let touched = model.touches();
        self.tendons.push(TendonEntry {
            subsystems: touched.map(|at| (at, shape(at))).collect(),
            model,
            name: tendon.name,
            joints,
        });
        self.commands.add_tendon();
        self.last.is_known = false;
        Ok(TendonHandle(self.tendons.len() - 1))
    }

    #[expect(
        clippy::type_complexity,
        reason = "where the joints are, as `TendonEntry` keeps it"
    )]
    fn sum_of_joints(
        &self,
        name: &str,
        robot: RobotHandle,
        terms: &[(usize, f64)],
    ) -> Result<(tendon::Path, Vec<(usize, usize, f64)>)> {
        let robot = self.robot(robot)?;
        let (mut path, mut joints) = (Vec::new(), Vec::new());
        for &(dof, coefficient) in terms {
            let position = robot.position_of_dof(dof)?;
            let (Some(q), Some((subsystem, local))) = (position, robot.place_of_dof(dof)) else {
                return Err(SimError::NotPossible {
                    element: name.to_owned(),
                    reason: format!("degree of freedom {dof} has no coordinate of its own"),
                });
            };
            joints.push((robot.q.start + q, robot.v.start + dof, coefficient));
            path.push(DofTerm {
                subsystem,
                dof: local,
                coefficient,
            });
        }
        Ok((tendon::Path::Dofs(path), joints))
    }

    /// A tendon by its name.
    ///
    /// # Errors
    /// A name that no tendon has.
    pub fn find_tendon(&self, name: &str) -> Result<TendonHandle> {
        let found = self.tendons.iter().position(|entry| entry.name == name);
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
        let motion = self.tendon_motion(tendon)?;
        Ok(TendonState {
            length: motion.length,
            velocity: motion.before,
            force: self.tendon_impulse(tendon.0) / self.settings.time_step,
        })
    }

    /// Length of a tendon and its rates.
    pub(crate) fn tendon_motion(&self, tendon: TendonHandle) -> Result<LengthMotion> {
        let entry = self.tendons.get(tendon.0);
        let entry = entry.ok_or_else(|| SimError::Unknown {
            what: "tendon",
            name: tendon.0.to_string(),
        })?;
        Ok(entry.measure(&self.state, &self.places))
    }

    /// Impulse along a tendon in the last step, N·s.
    pub(crate) fn tendon_impulse(&self, index: usize) -> f64 {
        if !self.last.is_known {
            return 0.0;
        }
        let own = self.last.rows_of(RowKind::Tendon, index);
        own.map(|(_, result)| result.impulse[0]).sum::<f64>() + self.last.direct[index]
    }

    /// Energy of the springs of all tendons, J.
    pub(crate) fn tendon_energy(&self) -> f64 {
        let energies = self.tendons.iter().map(|entry| {
            if entry.model.strand.stiffness == 0.0 {
                return 0.0;
            }
            let length = entry.measure(&self.state, &self.places).length;
            entry.model.energy(length)
        });
        energies.sum()
    }
}
