//! What can be measured on a world: forces, energy, momentum.

use nalgebra::{Point3, Vector3};
use stiction_dynamics::{center_of_mass, centroidal_momentum, energy_from_kinematics};

use crate::body::{BodyHandle, Kind};
use crate::connection::ConnectionHandle;
use crate::contact_rows::bodies_of;
use crate::control::Wrench;
use crate::error::{Result, SimError};
use crate::island::SolvedProblem;
use crate::report::{ContactForce, ContactMode, StepReport};
use crate::rows::Key;
use crate::world::World;

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
            let pose = self.placement.poses[frame as usize] * pose;
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
        let center = self.commands.centers[body.0];
        let mut sum = Wrench::default();
        for contact in &self.contact_forces {
            let force = if contact.body_b == body {
                contact.force
            } else if contact.body_a == body {
                -contact.force
            } else {
                continue;
            };
            sum.force += force;
            sum.torque += (contact.point.coords - center).cross(&force);
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
        for row in &self.rows.rows {
            let Key::Connection(index, part) = row.key else {
                continue;
            };
            if index as usize != connection.0 {
                continue;
            }
            let mut total = Vector3::zeros();
            for (direction, impulse) in row.frame.iter().zip(row.impulse) {
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
    pub fn momentum(&mut self) -> Result<(Vector3<f64>, Vector3<f64>)> {
        let (mut linear, mut angular) = (Vector3::zeros(), Vector3::zeros());
        for (body, state) in self.bodies.iter().zip(&self.state.bodies) {
            if let Kind::Free { .. } = body.kind {
                let p = state.velocity * body.mass;
                let local = state.rotation.inverse() * state.angular_velocity;
                linear += p;
                angular += state.center.cross(&p) + state.rotation * (body.inertia * local);
            }
        }
        for (robot, state) in self.robots.iter_mut().zip(&self.state.robots) {
            let momentum =
                centroidal_momentum(&robot.model, &mut robot.measured, &state.q, &state.v)?;
            let center = center_of_mass(&robot.model, &mut robot.measured, &state.q)?;
            linear += momentum.linear;
            angular += momentum.angular + center.cross(&momentum.linear);
        }
        Ok((linear, angular))
    }

    /// Forces and modes of the contacts, from the impulses of the step.
    pub(crate) fn measure_contacts(&mut self) {
        /// Slower sliding than this counts as sticking, m/s.
        const SLIP_SPEED: f64 = 1e-5;
        let dt = self.settings.time_step;
        let slip_speed = SLIP_SPEED.max(10.0 * self.settings.tolerance);
        self.contact_forces.clear();
        for (contact, row) in self.contacts.iter().zip(&self.rows.rows) {
            let [t1, t2, n] = row.frame;
            let force = (t1 * row.impulse[0] + t2 * row.impulse[1] + n * row.impulse[2]) / dt;
            let velocity = |body: usize| {
                let origin = &self.placement.poses[body].translation.vector;
                self.placement.twists[body].at(origin, &contact.point)
            };
            let [body_a, body_b] = bodies_of(contact);
            let relative = velocity(body_b) - velocity(body_a);
            let slip = (relative - n * n.dot(&relative)).norm();
            let mode = if row.impulse[2] <= 0.0 {
                ContactMode::Open
            } else if slip > slip_speed {
                ContactMode::Slip
            } else {
                ContactMode::Stick
            };
            self.contact_forces.push(ContactForce {
                body_a: BodyHandle(body_a),
                body_b: BodyHandle(body_b),
                point: contact.point,
                normal: contact.normal,
                gap: contact.gap,
                force,
                slip,
                mode,
            });
        }
    }

    /// Kinetic energy, and that of gravity and springs.
    pub(crate) fn measure_energy(&mut self) -> Result<()> {
        let (mut kinetic, mut potential) = (0.0, 0.0);
        for (body, state) in self.bodies.iter().zip(&self.state.bodies) {
            if let Kind::Free { .. } = body.kind {
                let local = state.rotation.inverse() * state.angular_velocity;
                kinetic += 0.5 * body.mass * state.velocity.norm_squared()
                    + 0.5 * local.dot(&(body.inertia * local));
                potential -= body.mass * self.settings.gravity.dot(&state.center);
            }
        }
        for (robot, state) in self.robots.iter().zip(&self.state.robots) {
            let [moving, high] = energy_from_kinematics(&robot.model, &robot.placed, &state.v)?;
            kinetic += moving;
            potential += high + robot.spring_energy(state);
        }
        for connection in &self.connections {
            potential += connection.energy(&self.placement.poses);
        }
        potential += self.tendon_energy();
        self.report.kinetic_energy = kinetic;
        self.report.potential_energy = potential;
        Ok(())
    }
}
