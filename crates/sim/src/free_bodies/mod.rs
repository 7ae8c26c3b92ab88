//! Free bodies: their equations of motion about the centre of mass, and their way through a step.

mod midpoint;
mod path;
mod queries;
mod rotation;

pub(crate) use queries::Moving;
pub(crate) use rotation::turn;

use std::ops::Range;

use nalgebra::{
    Isometry3, Matrix3, Matrix6, Point3, Quaternion, Translation3, UnitQuaternion, Vector3,
};
use stiction_constraints::Subsystem;
use stiction_dynamics::{Inertia, MotionMemory};
use stiction_modeling::averaged::arm_stiffness;
use stiction_modeling::{Motion, Places, Twist};

use crate::body::{Body, BodyHandle, Kind, RigidBody};
use crate::drive::CommandKind;
use crate::error::{Result, SimError, finite_vector, positive};
use crate::joined::PathEnd;
use crate::mechanism::{Energy, Mechanism, Momentum, Now, Placing, Registry, StepWork, Work};
use crate::settings::Settings;
use crate::state::State;
use rotation::{FreeRotation, free_rotation};

/// All free bodies of a world: body i is subsystem i.
#[derive(Debug, Default)]
pub(crate) struct FreeBodies {
    items: Vec<FreeBody>,
    /// 1 − θ.
    share: f64,
}

/// A free body: q is the centre of mass and the orientation of the body's frame (x, y, z, w), v the
/// velocity of the centre of mass and the angular velocity, world axes.
#[derive(Debug)]
struct FreeBody {
    frame: usize,
    subsystem: usize,
    q: usize,
    v: usize,
    /// kg.
    mass: f64,
    /// Centre of mass in the body's frame, m.
    center: Vector3<f64>,
    /// Rotational inertia about the centre of mass, body axes, kg·m², and its inverse.
    inertia: Matrix3<f64>,
    inverse_inertia: Matrix3<f64>,
    /// Orientation whose inertia is in A, free rotation over the step, and what follows for A and b.
    rotation: UnitQuaternion<f64>,
    free: FreeRotation,
    /// Whether free rotation changes its velocity so much in the step that impulses act before it.
    is_kicked_first: bool,
    world_inertia: Matrix3<f64>,
    b: [f64; 6],
    /// What joints add to A where they turn with the body, and what they add to b if it goes on turning
    /// as it does (N·m·s), see [`FreeBodies::stiffen`].
    stiffness: Matrix3<f64>,
    expected: Vector3<f64>,
    /// Where its [`MotionMemory`] is in the state's memory.
    memory: Range<usize>,
    /// Where it ends if it is on a path with what it is joined to, and the constant velocities that lead there.
    path: Option<(PathEnd, [f64; 6])>,
}

/// Where a free body is and how it moves, world axes.
pub(crate) struct BodyState {
    /// Centre of mass, m.
    pub(crate) center: Vector3<f64>,
    /// Orientation of the body's frame.
    pub(crate) rotation: UnitQuaternion<f64>,
    /// Of the centre of mass, m/s.
    pub(crate) velocity: Vector3<f64>,
    /// rad/s.
    pub(crate) angular_velocity: Vector3<f64>,
}

impl BodyState {
    /// Pose of the body's frame; `center` is its centre of mass in that frame.
    fn pose(&self, center: &Vector3<f64>) -> Isometry3<f64> {
        let origin = self.center - self.rotation * center;
        Isometry3::from_parts(Translation3::from(origin), self.rotation)
    }
}

impl FreeBodies {
    pub(crate) fn add(
        &mut self,
        body: &RigidBody,
        inertia: &Inertia,
        registry: &mut Registry<'_>,
    ) -> Result<BodyHandle> {
        let name = &body.name;
        positive(name, "mass", inertia.mass)?;
        let center = inertia.com();
        finite_vector(name, "center of mass", center.iter())?;
        let about_center = inertia.about_com().to_matrix();
        let Some(factor) = about_center.cholesky() else {
            return Err(SimError::NotPossible {
                element: name.clone(),
                reason: format!(
                    "its rotational inertia about the centre of mass must be positive definite, its \
                     eigenvalues are {:?} kg·m²",
                    inertia.about_com().eigenvalues()
                ),
            });
        };
        let item = self.items.len();
        let subsystem = registry.tables.layout.subsystem_count();
        let motion = Motion::Solved {
            subsystem: subsystem as u32,
            index: 0,
        };
        let entry = Body {
            kind: Kind::Free(item),
            color: body.color,
            ..Body::new(name, inertia.mass, registry.mechanism)
        };
        let handle = registry.add_body(entry, motion, CommandKind::Force)?;
        registry.places.frames.is_averaged[handle.0] = true;
        registry.subsystems = item;
        let element = registry.element(name, &[0.0; 7], &[0.0; MotionMemory::LEN]);
        let (subsystem, v) = registry.subsystem(&[0.0; 6]);
        self.items.push(FreeBody {
            frame: handle.0,
            subsystem,
            q: element.q.start,
            v: v.start,
            mass: inertia.mass,
            center,
            inertia: about_center,
            inverse_inertia: factor.inverse(),
            rotation: UnitQuaternion::identity(),
            free: FreeRotation {
                end: Vector3::zeros(),
                middle: Vector3::zeros(),
            },
            is_kicked_first: false,
            world_inertia: about_center,
            b: [0.0; 6],
            stiffness: Matrix3::zeros(),
            expected: Vector3::zeros(),
            memory: element.memory,
            path: None,
        });
        let velocities = [&body.velocity, &body.angular_velocity];
        self.set(item, &body.pose, velocities, registry.state);
        Ok(handle)
    }

    /// Writes the pose of a body's frame and its velocities into a state.
    pub(crate) fn set(
        &self,
        item: usize,
        pose: &Isometry3<f64>,
        [velocity, angular_velocity]: [&Vector3<f64>; 2],
        state: &mut State,
    ) {
        let item = &self.items[item];
        let center = pose.transform_point(&Point3::from(item.center)).coords;
        write_pose(&mut state.q[item.q..item.q + 7], &center, &pose.rotation);
        item.write_velocity(velocity, angular_velocity, &mut state.v);
        state.memory[item.memory.clone()].fill(0.0);
    }

    /// Places one body.
    pub(crate) fn place_one(&self, item: usize, at: &Placing<'_>, places: &mut Places) {
        let body = &self.items[item];
        let state = body.read(at.q, at.v);
        let pose = state.pose(&body.center);
        let arm = pose.translation.vector - state.center;
        places.frames.pose[body.frame] = pose;
        places.frames.twist[body.frame] = at_origin(&state.velocity, &state.angular_velocity, &arm);
        places.frames.guess[body.frame] = match at.guess {
            None => Twist::default(),
            Some(guess) => {
                let guess = &guess[body.v..body.v + 6];
                at_origin(&read_vector(guess), &read_vector(&guess[3..]), &arm)
            }
        };
        places.references[body.subsystem] = state.center;
        places.frames.beside[body.frame] = Vector3::zeros();
    }

    /// Forgets what joints add to A.
    pub(crate) fn slacken(&mut self) {
        for body in &mut self.items {
            body.stiffness = Matrix3::zeros();
            body.expected = Vector3::zeros();
        }
    }

    /// Adds the geometric stiffness of an impulse (N·s) on a point of a body's frame (m) over a step of
    /// `dt` s: half of it, since the arm is averaged over the step.
    pub(crate) fn stiffen(
        &mut self,
        item: usize,
        point: &Vector3<f64>,
        impulse: &Vector3<f64>,
        state: &State,
        dt: f64,
    ) {
        let body = &mut self.items[item];
        let BodyState {
            rotation,
            angular_velocity,
            ..
        } = body.read(&state.q, &state.v);
        let arm = rotation * (point - body.center);
        body.stiffness += arm_stiffness(&arm, impulse) * (0.5 * dt);
        body.expected += angular_velocity.cross(&arm).cross(impulse) * (0.5 * dt);
    }
}

impl FreeBody {
    fn read(&self, q: &[f64], v: &[f64]) -> BodyState {
        let (center, rotation) = read_pose(&q[self.q..self.q + 7]);
        BodyState {
            center,
            rotation,
            velocity: read_vector(&v[self.v..]),
            angular_velocity: read_vector(&v[self.v + 3..]),
        }
    }

    /// Angular velocity (body axes) of a body that turned at `omega` (body axes) at orientation `before` and
    /// is at `after`: its angular momentum stays. Where joints turned a thin body otherwise than its momentum
    /// would have, that is no motion but an error, as large as the ratio of its inertias: then its energy
    /// stays, and `otherwise` says how it turns.
    fn turned(
        &self,
        before: &UnitQuaternion<f64>,
        omega: &Vector3<f64>,
        after: &UnitQuaternion<f64>,
        otherwise: impl Fn(&Vector3<f64>) -> Vector3<f64>,
    ) -> Vector3<f64> {
        /// Times the energy that turning may seem to change it by.
        const ABSURD: f64 = 1.1;
        let momentum = self.inertia * omega;
        let local = after.inverse() * (before * momentum);
        let turned = self.inverse_inertia * local;
        match local.dot(&turned) > ABSURD * momentum.dot(omega) {
            true => otherwise(omega),
            false => turned,
        }
    }

    /// Whether free rotation over a step takes a body from the angular velocity `start` to `end` (both in the body's
    /// axes at the start), by so much that what an impulse does to one says little of what it does to the other.
    fn is_changed_by_turning(&self, start: &Vector3<f64>, end: &Vector3<f64>) -> bool {
        /// Share of the motion, both as √ of kinetic energy.
        const LARGE: f64 = 0.1;
        let square = |omega: &Vector3<f64>| omega.dot(&(self.inertia * omega));
        square(&(end - start)) > LARGE * LARGE * square(start)
    }

    fn energy(&self, state: &State, settings: &Settings) -> Energy {
        let state = self.read(&state.q, &state.v);
        let local = state.rotation.inverse() * state.angular_velocity;
        Energy {
            kinetic: 0.5 * self.mass * state.velocity.norm_squared()
                + 0.5 * local.dot(&(self.inertia * local)),
            potential: -self.mass * settings.gravity.dot(&state.center),
        }
    }

    fn write_velocity(&self, linear: &Vector3<f64>, angular: &Vector3<f64>, v: &mut [f64]) {
        v[self.v..self.v + 3].copy_from_slice(linear.as_slice());
        v[self.v + 3..self.v + 6].copy_from_slice(angular.as_slice());
    }
}

impl Mechanism for FreeBodies {
    fn place(&mut self, at: &Placing<'_>, places: &mut Places) -> Result<()> {
        (0..self.items.len()).for_each(|item| self.place_one(item, at, places));
        Ok(())
    }

    /// A = M/(1 − θ) and b = M v/(1 − θ) + M (v_free − v), about the centre of mass; with θ = 1/2 the
    /// [balance](midpoint::balance) of angular momentum instead.
    fn prepare(&mut self, now: &Now<'_>, places: &mut Places) -> Result<()> {
        let (dt, theta) = (now.settings.time_step, now.settings.theta);
        let scale = 1.0 / (1.0 - theta);
        self.share = 1.0 - theta;
        for body in &mut self.items {
            body.path = None;
            let state = body.read(&now.state.q, &now.state.v);
            let wrench = &now.inputs.wrenches[body.frame];
            let omega = state.angular_velocity;
            let local = state.rotation.inverse() * omega;
            let free = free_rotation(&body.inertia, &local, dt);
            let linear = (state.velocity * scale + now.settings.gravity * dt) * body.mass
                + wrench.force * dt;
            let torque = wrench.torque * dt;
            let angular = if theta == Settings::MIDPOINT {
                let about = match now.guess {
                    Some(guess) => read_vector(&guess[body.v + 3..]),
                    None => state.rotation * free.middle,
                };
                let rotation = &state.rotation;
                let balance =
                    midpoint::balance(&body.inertia, rotation, &omega, &about, &torque, dt);
                body.rotation = balance.rotation;
                body.world_inertia = balance.inertia;
                balance.b
            } else {
                let turned = turn(&state.rotation, &(state.rotation * free.middle), dt);
                let end = turned * free.end;
                let end_seen = state.rotation.inverse() * end;
                body.is_kicked_first = body.is_changed_by_turning(&local, &end_seen);
                let end = if body.is_kicked_first { omega } else { end };
                let change = end - omega;
                // The body turns with the middle velocity of its free rotation.
                places.frames.beside[body.frame] =
                    state.rotation * free.middle - omega * theta - end * (1.0 - theta);
                let rotation = state.rotation.to_rotation_matrix();
                let inertia = rotation.matrix() * body.inertia * rotation.matrix().transpose();
                let inertia = (inertia + inertia.transpose()) * 0.5;
                body.rotation = state.rotation;
                body.world_inertia = inertia;
                inertia * (omega * scale + change) + torque
            };
            body.free = free;
            body.b[..3].copy_from_slice(linear.as_slice());
            body.b[3..].copy_from_slice(angular.as_slice());
            if body.stiffness != Matrix3::zeros() {
                // The stiffness acts on what turns otherwise than expected. Later passes have what is
                // expected in their arms.
                let known = match now.guess {
                    Some(guess) => body.stiffness * read_vector(&guess[body.v + 3..]),
                    None => body.stiffness * omega + body.expected,
                };
                for (b, known) in body.b[3..].iter_mut().zip(known.iter()) {
                    *b += known;
                }
            }
        }
        Ok(())
    }

    fn shape(&self, _subsystem: usize) -> Subsystem {
        Subsystem::FreeBody(Matrix6::identity())
    }

    fn write_matrix(&self, subsystem: usize, a: &mut Subsystem) {
        let body = &self.items[subsystem];
        let scale = 1.0 / self.share;
        if let Subsystem::FreeBody(matrix) = a {
            matrix.fill(0.0);
            matrix
                .fixed_view_mut::<3, 3>(0, 0)
                .copy_from(&(Matrix3::identity() * (body.mass * scale)));
            matrix
                .fixed_view_mut::<3, 3>(3, 3)
                .copy_from(&(body.world_inertia * scale + body.stiffness));
        }
    }

    fn write_right_hand_side(&self, subsystem: usize, b: &mut [f64]) {
        b.copy_from_slice(&self.items[subsystem].b);
    }

    fn solves_alone(&self, _subsystem: usize) -> bool {
        true
    }

    fn solve_alone(&self, subsystem: usize, b: &mut [f64]) {
        let body = &self.items[subsystem];
        if let Some((_, way)) = &body.path {
            b.copy_from_slice(way);
            return;
        }
        let linear = read_vector(b) * (self.share / body.mass);
        let angular = body.rotation.inverse() * read_vector(&b[3..]);
        let angular = body.rotation * (body.inverse_inertia * angular) * self.share;
        b[..3].copy_from_slice(linear.as_slice());
        b[3..].copy_from_slice(angular.as_slice());
    }

    fn retract(&self, now: &Now<'_>, v_hat: &[f64], time: f64, q: &mut [f64]) -> Result<()> {
        for body in &self.items {
            let range = body.q..body.q + 7;
            let (center, rotation) = read_pose(&now.state.q[range.clone()]);
            let center = center + read_vector(&v_hat[body.v..]) * time;
            let rotation = turn(&rotation, &read_vector(&v_hat[body.v + 3..]), time);
            write_pose(&mut q[range], &center, &rotation);
        }
        Ok(())
    }

    fn advance(&mut self, now: &Now<'_>, v_hat: &[f64], next: &mut State) -> Result<()> {
        let (dt, theta) = (now.settings.time_step, now.settings.theta);
        for body in &self.items {
            let memory = &mut next.memory[body.memory.clone()];
            if let Some((path, _)) = &body.path {
                memory.copy_from_slice(&path.memory.to_array());
                let PathEnd { at, .. } = path;
                let omega = at.rotation * at.spin;
                write_pose(&mut next.q[body.q..body.q + 7], &at.center, &at.rotation);
                body.write_velocity(&at.velocity, &omega, &mut next.v);
                continue;
            }
            // What was lost elsewhere is nothing to win back.
            memory[0] = 0.0;
            let state = body.read(&now.state.q, &now.state.v);
            let linear = read_vector(&v_hat[body.v..]);
            let angular = read_vector(&v_hat[body.v + 3..]);
            let velocity = (linear - state.velocity * theta) / (1.0 - theta);
            let center = state.center + linear * dt;
            if theta == Settings::MIDPOINT {
                let (from, omega) = (&state.rotation, &state.angular_velocity);
                let (rotation, after) = midpoint::end_of_step(from, omega, &angular, dt);
                write_pose(&mut next.q[body.q..body.q + 7], &center, &rotation);
                body.write_velocity(&velocity, &after, &mut next.v);
                continue;
            }
            // The body turns with the middle velocity of its free rotation, changed by what the
            // impulses changed.
            let omega = state.angular_velocity;
            if body.is_kicked_first {
                let after = (angular - omega * theta) / (1.0 - theta);
                let kicked = state.rotation.inverse() * after;
                let free = free_rotation(&body.inertia, &kicked, dt);
                let rotation = turn(&state.rotation, &(state.rotation * free.middle), dt);
                write_pose(&mut next.q[body.q..body.q + 7], &center, &rotation);
                body.write_velocity(&velocity, &(rotation * free.end), &mut next.v);
                continue;
            }
            let middle = state.rotation * body.free.middle;
            let end = turn(&state.rotation, &middle, dt) * body.free.end;
            let free_hat = omega * theta + end * (1.0 - theta);
            let rotation = turn(&state.rotation, &(angular - free_hat + middle), dt);
            // Angular momentum is what impulses add to; velocity follows from it.
            let after = (angular - omega * theta) / (1.0 - theta);
            let kicked = state.rotation.inverse() * (omega + after - end);
            let local = body.turned(&state.rotation, &kicked, &rotation, |_| {
                free_rotation(&body.inertia, &kicked, dt).end
            });
            write_pose(&mut next.q[body.q..body.q + 7], &center, &rotation);
            body.write_velocity(&velocity, &(rotation * local), &mut next.v);
        }
        Ok(())
    }

    fn work(&self, now: &Now<'_>, v_hat: &[f64], mean: &[f64], _places: &Places) -> Work {
        let dt = now.settings.time_step;
        let mut work = Work::default();
        for body in &self.items {
            let wrench = &now.inputs.wrenches[body.frame];
            if let Some((path, _)) = &body.path {
                work.drives += body.pushed(wrench, v_hat, dt);
                work.account -= path.taken;
                continue;
            }
            let linear = read_vector(&mean[body.v..]);
            let angular = read_vector(&mean[body.v + 3..]);
            work.drives += dt * (wrench.force.dot(&linear) + wrench.torque.dot(&angular));
        }
        work
    }

    fn step_work(&self) -> StepWork {
        let mut work = StepWork::default();
        for (path, _) in self.items.iter().filter_map(|body| body.path.as_ref()) {
            work.substeps += path.substeps;
            work.taken += path.taken;
        }
        work
    }

    fn energy(&self, state: &State, settings: &Settings) -> Result<Energy> {
        let mut energy = Energy::default();
        for body in &self.items {
            let own = body.energy(state, settings);
            energy.kinetic += own.kinetic;
            energy.potential += own.potential;
        }
        Ok(energy)
    }

    fn momentum(&self, state: &State) -> Result<Momentum> {
        let (mut linear, mut angular) = (Vector3::zeros(), Vector3::zeros());
        for body in &self.items {
            let state = body.read(&state.q, &state.v);
            let p = state.velocity * body.mass;
            let local = state.rotation.inverse() * state.angular_velocity;
            linear += p;
            angular += state.center.cross(&p) + state.rotation * (body.inertia * local);
        }
        Ok(Momentum { linear, angular })
    }
}

/// Velocity of a frame's origin from that of a point, `arm` away from the point.
fn at_origin(linear: &Vector3<f64>, angular: &Vector3<f64>, arm: &Vector3<f64>) -> Twist {
    Twist {
        linear: linear + angular.cross(arm),
        angular: *angular,
    }
}

/// The first three of some numbers.
pub(crate) fn read_vector(values: &[f64]) -> Vector3<f64> {
    Vector3::new(values[0], values[1], values[2])
}

/// Position and orientation from seven numbers, the quaternion as (x, y, z, w) and of unit length
/// already: normalising it again would change its last digits.
pub(crate) fn read_pose(values: &[f64]) -> (Vector3<f64>, UnitQuaternion<f64>) {
    let rotation = Quaternion::new(values[6], values[3], values[4], values[5]);
    (read_vector(values), UnitQuaternion::new_unchecked(rotation))
}

/// Writes position and orientation as [`read_pose`] reads them.
pub(crate) fn write_pose(
    values: &mut [f64],
    position: &Vector3<f64>,
    rotation: &UnitQuaternion<f64>,
) {
    values[..3].copy_from_slice(position.as_slice());
    values[3..7].copy_from_slice(rotation.coords.as_slice());
}
