//! What can be measured on a world: forces, energy, momentum.

mod joint_force;
mod joints;
mod last_step;
mod position_errors;

pub use joint_force::JointForces;
pub use joints::JointState;
pub use position_errors::{PositionConstraint, PositionError};

pub(crate) use last_step::LastStep;
pub(crate) use position_errors::radius_of_gyration;

use nalgebra::{Point3, Vector3};
use stiction_collision::Support;
use stiction_islands::SolvedProblem;

use crate::body::BodyHandle;
use crate::connection::ConnectionHandle;
use crate::drive::Wrench;
use crate::error::{Result, SimError};
use crate::step::{ContactForce, ContactMode, JointErrors, RowKind, StepReport, relative_velocity};
use crate::world::{ColliderHandle, World};

/// Something that touches: a body, or a collider, which soft bodies and rods have one of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Touching {
    /// A body with all its colliders.
    Body(BodyHandle),
    /// A collider ([`World::soft_collider`], [`World::rod_collider`]).
    Collider(ColliderHandle),
}

impl World {
    /// How the last step went.
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// The contact problems of the last step as its solvers saw them, one for each island that has
    /// constraints; islands in the order of their first bodies.
    pub fn problems(&self) -> impl Iterator<Item = SolvedProblem<'_>> {
        self.islands.problems()
    }

    /// Contacts of the last step with their forces.
    pub fn contact_forces(&self) -> &[ContactForce] {
        &self.contact_forces
    }

    /// Lowest and highest corner of the box around everything that collides and is bounded, world
    /// axes, m; `None` where nothing is.
    pub fn bounds(&self) -> Option<[Point3<f64>; 2]> {
        let boxes = self.colliders.as_slice().iter().filter_map(|collider| {
            let (frame, pose, shape) = collider.as_rigid()?;
            let pose = self.places.frames.pose[frame as usize] * pose;
            Some(shape.bounds().transformed(&pose))
        });
        let bounded = boxes.filter(|bounds| {
            let mut corners = bounds.min.iter().chain(bounds.max.iter());
            corners.all(|value| value.is_finite())
        });
        bounded
            .map(|bounds| [bounds.min, bounds.max])
            .reduce(|[low, high], [min, max]| [low.inf(&min), high.sup(&max)])
    }

    /// Sum of the contact forces on a body in the last step, about its centre of mass (the origin
    /// of a link), world axes.
    ///
    /// # Errors
    /// An unknown body.
    pub fn contact_wrench(&self, body: BodyHandle) -> Result<Wrench> {
        self.body(body)?;
        let center = self.center(body.0);
        let mut sum = Wrench::default();
        for contact in &self.contact_forces {
            let force = if contact.body_b == Some(body) {
                contact.force
            } else if contact.body_a == Some(body) {
                -contact.force
            } else {
                continue;
            };
            sum.force += force;
            sum.torque += (contact.point.coords - center).cross(&force);
        }
        Ok(sum)
    }

    /// Sum of the contact forces on something in the last step, world axes, N: of all contacts, or of
    /// those with something else.
    ///
    /// # Errors
    /// Something unknown.
    pub fn contact_force(&self, on: Touching, from: Option<Touching>) -> Result<Vector3<f64>> {
        for one in [Some(on), from].into_iter().flatten() {
            match one {
                Touching::Body(body) => {
                    self.body(body)?;
                }
                Touching::Collider(collider) if collider.0 < self.colliders.as_slice().len() => {}
                Touching::Collider(collider) => {
                    return Err(SimError::Unknown {
                        what: "collider",
                        name: collider.0.to_string(),
                    });
                }
            }
        }
        let mut sum = Vector3::zeros();
        for contact in &self.contact_forces {
            let bodies = [contact.body_a, contact.body_b];
            let is = |side: usize, one: Touching| match one {
                Touching::Body(body) => bodies[side] == Some(body),
                Touching::Collider(collider) => contact.colliders[side] == collider,
            };
            let is_from = |side: usize| from.is_none_or(|from| is(side, from));
            if is(1, on) && is_from(0) {
                sum += contact.force;
            }
            if is(0, on) && is_from(1) {
                sum -= contact.force;
            }
        }
        Ok(sum)
    }

    /// Force and torque that a connection exerted on its second body in the last step, world axes,
    /// the torque about the anchor; mean over the step.
    ///
    /// # Errors
    /// An unknown connection.
    pub fn connection_wrench(&self, connection: ConnectionHandle) -> Result<Wrench> {
        if connection.0 >= self.connections.len() {
            return Err(SimError::Unknown {
                what: "connection",
                name: connection.0.to_string(),
            });
        }
        let mut sum = Wrench::default();
        for (part, row) in self.last.rows_of(RowKind::Connection, connection.0) {
            let mut total = Vector3::zeros();
            for (direction, impulse) in row.note.frame.iter().zip(row.impulse) {
                total += direction * (impulse / self.settings.time_step);
            }
            // The first constraint of a connection is its linear one.
            if part == 0 {
                sum.force += total;
            } else {
                sum.torque += total;
            }
        }
        Ok(sum)
    }

    /// Linear momentum (kg·m/s) and angular momentum about the world's origin (kg·m²/s) of
    /// everything that moves.
    ///
    /// # Errors
    /// None for a valid world.
    pub fn momentum(&self) -> Result<(Vector3<f64>, Vector3<f64>)> {
        let (mut linear, mut angular) = (Vector3::zeros(), Vector3::zeros());
        for mechanism in self.mechanisms.iter() {
            let own = mechanism.momentum(&self.state)?;
            linear += own.linear;
            angular += own.angular;
        }
        Ok((linear, angular))
    }

    /// Keeps what can be asked about the step that has just been computed.
    pub(crate) fn keep_last_step(&mut self) {
        let last = &mut self.last;
        last.is_known = true;
        last.previous.copy_from(&self.state);
        last.wrenches.clone_from(&self.commands.inputs.wrenches);
        last.keep_rows(&self.rows, &mut self.results);
        let bodies = self.tables.bodies.len();
        last.add_up_loads(bodies, &self.tables.layout, &self.islands);
        last.references.clone_from(&self.places.references);
        last.keep_tendons(&self.tendons);
        self.add_path_loads();
    }

    /// Fills the [report](Self::report) with what there is to say before the first step: energies, errors
    /// of joints, points that may touch and the deepest penetration. After a step it is full already, and
    /// nothing is done.
    ///
    /// # Errors
    /// Pairs of shapes that cannot be tested.
    pub fn measure_start(&mut self) -> Result<()> {
        if self.state.step > 0 {
            return Ok(());
        }
        let stages = self.report.stages;
        self.detect_contacts()?;
        self.report.stages = stages;
        self.report.contacts = self.contacts.points.len();
        self.measure_joints();
        let energy = self.energy_now()?;
        self.report.kinetic_energy = energy.kinetic;
        self.report.potential_energy = energy.potential();
        Ok(())
    }

    /// Forces and modes of the contacts, from the impulses of the step.
    pub(crate) fn measure_contacts(&mut self) {
        /// Slower sliding than this counts as sticking, m/s.
        const SLIP_SPEED: f64 = 1e-5;
        let dt = self.settings.time_step;
        let slip_speed = SLIP_SPEED.max(10.0 * self.settings.tolerance);
        self.contact_forces.clear();
        for (contact, row) in self.contacts.with_results(&self.rows, self.last.results()) {
            let [t1, t2, n] = row.note.frame;
            let force = (t1 * row.impulse[0] + t2 * row.impulse[1] + n * row.impulse[2]) / dt;
            let relative = relative_velocity(contact, &self.places);
            let slip = (relative - n * n.dot(&relative)).norm();
            let mode = if row.impulse[2] <= 0.0 {
                ContactMode::Open
            } else if slip > slip_speed {
                ContactMode::Slip
            } else {
                ContactMode::Stick
            };
            self.contact_forces.push(ContactForce {
                body_a: body_of(&contact.on[0]),
                body_b: body_of(&contact.on[1]),
                colliders: contact
                    .colliders
                    .map(|index| ColliderHandle(index as usize)),
                point: contact.point,
                normal: contact.normal,
                gap: contact.gap,
                force,
                slip,
                mode,
            });
        }
    }

    /// Largest errors of position of joints between bodies, loops, couplings and tendons.
    pub(crate) fn measure_joints(&mut self) {
        let mut largest = JointErrors::default();
        self.for_each_position_error(|error| {
            largest.distance = largest.distance.max(error.distance);
            largest.angle = largest.angle.max(error.angle);
            largest.relative = largest.relative.max(error.relative());
        });
        self.report.joints = largest;
    }
}

/// The body that a contact stands on, if it stands on one.
fn body_of(support: &Support) -> Option<BodyHandle> {
    match support {
        Support::Frame(frame) => Some(BodyHandle(*frame as usize)),
        Support::Frames { .. } | Support::Nodes { .. } => None,
    }
}
