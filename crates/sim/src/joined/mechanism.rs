//! Bodies joined to each other: accelerations that joints allow, projections onto what they hold, energy.
//!
//! With M the inertias, J the rows of the joints and J̇ v what they change by on their own,
//!
//! ```text
//! M a = f + Jᵀ λ,  J a + J̇ v = 0   ⇒   (J M⁻¹ Jᵀ) λ = −(J M⁻¹ f + J̇ v)
//! ```
//!
//! and the same matrix projects velocities, J v = 0, and positions, φ = 0, with the smallest change by mass.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use stiction_modeling::averaged::arm_stiffness;

use super::factor::{Envelope, order};
use super::joint::{BodyAt, End, Joint, Measure, Rows};

/// h² k/m + h c/m of a spring at which an explicit rule is no longer precise; RK4 is stable up to 2.8.
const STIFF: f64 = 1.0;

/// What of a body stays through a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Body {
    /// kg.
    pub(crate) mass: f64,
    /// About the centre of mass, body axes, kg·m², and its inverse.
    pub(crate) inertia: Matrix3<f64>,
    pub(crate) inverse_inertia: Matrix3<f64>,
    /// What takes the place of the latter where the stiffness of joints is in it.
    pub(crate) mobility: Matrix3<f64>,
    /// Force and torque from outside, world axes, N and N·m.
    pub(crate) force: Vector3<f64>,
    pub(crate) torque: Vector3<f64>,
}

/// A spring with a damper.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spring {
    /// Among the world's connections.
    pub(super) connection: usize,
    pub(super) ends: [End; 2],
    /// N/m, N·s/m, m.
    pub(super) stiffness: f64,
    pub(super) damping: f64,
    pub(super) rest_length: f64,
}

/// How fast a body's state changes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rate {
    /// World axes, m/s².
    pub(super) linear: Vector3<f64>,
    /// Body axes, rad/s².
    pub(super) angular: Vector3<f64>,
}

/// Force and torque on the second body of a joint at its point, world axes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reaction {
    pub(super) force: Vector3<f64>,
    pub(super) torque: Vector3<f64>,
}

/// Bodies that joints and springs connect, and nothing else acts on. Keeps its storage.
#[derive(Debug, Default)]
pub(super) struct Mechanism {
    pub(super) bodies: Vec<Body>,
    pub(super) joints: Vec<Joint>,
    pub(super) springs: Vec<Spring>,
    pub(super) gravity: Vector3<f64>,
    /// Whether nothing ties it to what stands still.
    pub(super) floats: bool,
    /// First row of each joint, and joints and ends of each body.
    first_row: Vec<usize>,
    incidence: Vec<Vec<(usize, usize)>>,
    /// First columns of the rows of J M⁻¹ Jᵀ.
    envelope: Vec<usize>,
    matrix: Envelope,
    /// At the state that was linearised last.
    rows: Vec<Rows>,
    solution: Vec<f64>,
}

impl Mechanism {
    /// Finds the order of elimination for the joints and bodies that are there.
    pub(super) fn order_joints(&mut self) {
        let ends = self.joints.iter().map(|joint| joint.ends);
        let springs = self.springs.iter().map(|spring| spring.ends);
        let mut all = ends.chain(springs).flatten();
        self.floats = all.all(|end| end.body().is_some());
        let neighbours = |joints: &[Joint], incidence: &[Vec<(usize, usize)>]| {
            let of = |(at, joint): (usize, &Joint)| {
                let bodies = joint.ends.iter().filter_map(End::body);
                let mut near: Vec<usize> = bodies
                    .flat_map(|body| incidence[body].iter().map(|&(other, _)| other))
                    .filter(|&other| other != at)
                    .collect();
                near.sort_unstable();
                near.dedup();
                near
            };
            let near: Vec<Vec<usize>> = joints.iter().enumerate().map(of).collect();
            near
        };
        self.meet();
        let near = neighbours(&self.joints, &self.incidence);
        let order = order(&near);
        self.joints = order.iter().map(|&at| self.joints[at]).collect();
        self.meet();
        self.first_row.clear();
        let mut count = 0;
        for joint in &self.joints {
            self.first_row.push(count);
            count += joint.row_count();
        }
        let near = neighbours(&self.joints, &self.incidence);
        self.envelope.clear();
        for (at, joint) in self.joints.iter().enumerate() {
            let first = near[at].iter().copied().fold(at, usize::min);
            let first = self.first_row[first];
            self.envelope
                .extend(std::iter::repeat_n(first, joint.row_count()));
        }
    }

    /// Which joints meet at each body.
    fn meet(&mut self) {
        self.incidence.iter_mut().for_each(Vec::clear);
        self.incidence.resize_with(self.bodies.len(), Vec::new);
        for (at, joint) in self.joints.iter().enumerate() {
            for (end, on) in joint.ends.iter().enumerate() {
                if let Some(body) = on.body() {
                    self.incidence[body].push((at, end));
                }
            }
        }
    }

    /// Multiplications that one evaluation takes about.
    pub(super) fn cost(&self) -> usize {
        Envelope::cost(&self.envelope)
    }

    /// Makes room for the numbers.
    pub(super) fn begin(&mut self) {
        self.matrix.reset(&self.envelope);
    }

    /// Rows at a state, and the factor of J M⁻¹ Jᵀ.
    pub(super) fn linearize(&mut self, at: &[BodyAt]) {
        self.write_rows(at);
        self.factorize();
    }

    fn factorize(&mut self) {
        self.matrix.clear();
        for (body, meeting) in self.bodies.iter().zip(&self.incidence) {
            for &(joint, end) in meeting {
                let own = &self.rows[joint];
                for row in 0..own.count {
                    let moved = body.inverse_mass(&own.blocks[end][row]);
                    for &(other, other_end) in meeting.iter().filter(|(other, _)| *other <= joint) {
                        let others = &self.rows[other];
                        for column in 0..others.count {
                            let [i, j] =
                                [self.first_row[joint] + row, self.first_row[other] + column];
                            if j <= i {
                                let entry = dot(&moved, &others.blocks[other_end][column]);
                                self.matrix.add(i, j, entry);
                            }
                        }
                    }
                }
            }
        }
        self.matrix.factorize();
    }

    /// Rows at a state; the factor stays.
    pub(super) fn write_rows(&mut self, at: &[BodyAt]) {
        self.rows.clear();
        let joints = self.joints.iter();
        self.rows.extend(joints.map(|joint| joint.rows(at)));
    }

    /// Largest error of position, relative.
    pub(super) fn worst_error(&self) -> f64 {
        let errors = self.rows.iter().map(|rows| rows.relative);
        errors.fold(0.0, |worst: f64, one| match one.is_nan() {
            true => f64::INFINITY,
            false => worst.max(one),
        })
    }

    /// Accelerations at the state that was linearised last; what joints exert; the power of what has no
    /// potential, W.
    pub(super) fn accelerate(
        &mut self,
        at: &[BodyAt],
        rates: &mut Vec<Rate>,
        reactions: &mut Vec<Reaction>,
    ) -> f64 {
        let mut power = self.push_freely(at, rates);
        for spring in &self.springs {
            power += self.pull(spring, at, rates);
        }
        let rows = |mechanism: &Self, rates: &[Rate], out: &mut Vec<f64>| {
            out.clear();
            for (joint, rows) in mechanism.joints.iter().zip(&mechanism.rows) {
                for row in 0..rows.count {
                    out.push(-rows.drift[row] - measured(joint, rows, row, rates));
                }
            }
        };
        let mut right = std::mem::take(&mut self.solution);
        rows(self, rates, &mut right);
        self.matrix.solve(&mut right);
        self.add_reactions(&right, rates);
        reactions.clear();
        for (rows, &first) in self.rows.iter().zip(&self.first_row) {
            let mut reaction = Reaction::default();
            for row in 0..rows.count {
                let part = rows.direction[row] * right[first + row];
                match rows.measure[row] {
                    Measure::Points => reaction.force += part,
                    Measure::Spin => reaction.torque += part,
                }
            }
            reactions.push(reaction);
        }
        self.solution = right;
        power
    }

    /// Accelerations without joints and springs.
    fn push_freely(&self, at: &[BodyAt], rates: &mut Vec<Rate>) -> f64 {
        rates.clear();
        let mut power = 0.0;
        for (body, at) in self.bodies.iter().zip(at) {
            let torque = at.rotation.inverse() * body.torque;
            power += body.force.dot(&at.velocity) + torque.dot(&at.spin);
            let gyroscopic = at.spin.cross(&(body.inertia * at.spin));
            rates.push(Rate {
                linear: self.gravity + body.force / body.mass,
                angular: body.inverse_inertia * (torque - gyroscopic),
            });
        }
        power
    }

    /// Whether a spring or damper is too stiff for substeps of `h` s by an explicit rule.
    pub(super) fn is_stiff(&self, at: &[BodyAt], h: f64) -> bool {
        self.springs.iter().any(|spring| {
            let [a, b] = spring.ends.map(|end| end.at(at));
            let along = (b.point - a.point).try_normalize(0.0);
            let along = along.unwrap_or_else(Vector3::x);
            let ends = spring.ends.iter().filter_map(|end| {
                let row = end.along(at, &along);
                let body = &self.bodies[end.body()?];
                Some(dot(&body.inverse_mass(&row), &row))
            });
            let mobility: f64 = ends.sum();
            h * (h * spring.stiffness + spring.damping) * mobility > STIFF
        })
    }

    /// Adds what a spring does to its bodies; the power of its damper, W.
    fn pull(&self, spring: &Spring, at: &[BodyAt], rates: &mut [Rate]) -> f64 {
        let [a, b] = spring.ends.map(|end| end.at(at));
        let apart = b.point - a.point;
        let Some(along) = apart.try_normalize(0.0) else {
            return 0.0;
        };
        let rate = along.dot(&(b.velocity - a.velocity));
        let tension =
            spring.stiffness * (apart.norm() - spring.rest_length) + spring.damping * rate;
        for (end, sign) in [(&spring.ends[0], 1.0), (&spring.ends[1], -1.0)] {
            if let Some(body) = end.body() {
                let row = end.along(at, &(along * (sign * tension)));
                self.bodies[body].add(&row, &mut rates[body]);
            }
        }
        -spring.damping * rate * rate
    }

    /// Adds M⁻¹ Jᵀ λ.
    fn add_reactions(&self, lambda: &[f64], rates: &mut [Rate]) {
        for (body, (meeting, rate)) in self.bodies.iter().zip(self.incidence.iter().zip(rates)) {
            let mut sum = [0.0; 6];
            for &(joint, end) in meeting {
                let rows = &self.rows[joint];
                for row in 0..rows.count {
                    let lambda = lambda[self.first_row[joint] + row];
                    for (sum, value) in sum.iter_mut().zip(&rows.blocks[end][row]) {
                        *sum += value * lambda;
                    }
                }
            }
            body.add(&sum, rate);
        }
    }

    /// Brings velocities to what joints allow: the rows of `at`, the factor of the last linearisation.
    pub(super) fn project_velocities(&mut self, at: &mut [BodyAt], rates: &mut Vec<Rate>) {
        rates.clear();
        rates.extend(at.iter().map(|at| Rate {
            linear: at.velocity,
            angular: at.spin,
        }));
        let mut right = std::mem::take(&mut self.solution);
        right.clear();
        for (joint, rows) in self.joints.iter().zip(&self.rows) {
            for row in 0..rows.count {
                right.push(-measured(joint, rows, row, rates));
            }
        }
        self.matrix.solve(&mut right);
        self.add_reactions(&right, rates);
        self.solution = right;
        for (at, rate) in at.iter_mut().zip(rates) {
            (at.velocity, at.spin) = (rate.linear, rate.angular);
        }
    }

    /// Velocities after `h` s by the linearly implicit Euler rule, (M + h² K) Δv = h (f − h K v) with J v⁺ = 0,
    /// where K is the geometric stiffness of what joints exert: a force turns with the arm that it acts on. What
    /// swings too fast for the step dies down, what is slow hardly feels it.
    pub(super) fn creep(
        &mut self,
        from: &[BodyAt],
        reactions: &[Reaction],
        h: f64,
        at: &mut Vec<BodyAt>,
        rates: &mut Vec<Rate>,
    ) {
        at.clear();
        at.extend_from_slice(from);
        self.write_rows(from);
        self.push_freely(from, rates);
        for spring in &self.springs {
            self.pull(spring, from, rates);
        }
        let meeting = self.bodies.iter_mut().zip(&self.incidence);
        for ((body, meeting), (at, rate)) in meeting.zip(at.iter_mut().zip(rates.iter())) {
            let mut stiffness = Matrix3::zeros();
            for &(joint, end) in meeting {
                if let End::Body { point, .. } = &self.joints[joint].ends[end] {
                    let sign = if end == 0 { -1.0 } else { 1.0 };
                    let force = at.rotation.inverse() * (reactions[joint].force * sign);
                    stiffness += arm_stiffness(point, &force);
                }
            }
            let whole = body.inertia + stiffness * (h * h);
            body.mobility = whole.try_inverse().unwrap_or(body.inverse_inertia);
            let push = body.inertia * rate.angular - stiffness * at.spin * h;
            at.velocity += rate.linear * h;
            at.spin += body.mobility * push * h;
        }
        self.factorize();
        self.project_velocities(at, rates);
        for body in &mut self.bodies {
            body.mobility = body.inverse_inertia;
        }
    }

    /// One step of Newton's method towards φ = 0; velocities turn with their bodies.
    pub(super) fn project_positions(&mut self, at: &mut [BodyAt], rates: &mut Vec<Rate>) {
        let mut right = std::mem::take(&mut self.solution);
        right.clear();
        for rows in &self.rows {
            right.extend(rows.error[..rows.count].iter().map(|error| -error));
        }
        self.matrix.solve(&mut right);
        rates.clear();
        rates.resize(self.bodies.len(), Rate::default());
        self.add_reactions(&right, rates);
        self.solution = right;
        for (at, way) in at.iter_mut().zip(rates) {
            at.center += way.linear;
            at.rotation *= UnitQuaternion::from_scaled_axis(way.angular);
        }
    }

    /// Energy of motion, J.
    pub(super) fn kinetic(&self, at: &[BodyAt]) -> f64 {
        let of = |(body, at): (&Body, &BodyAt)| {
            0.5 * body.mass * at.velocity.norm_squared()
                + 0.5 * at.spin.dot(&(body.inertia * at.spin))
        };
        self.bodies.iter().zip(at).map(of).sum()
    }

    /// Energy of gravity and springs, J.
    pub(super) fn potential(&self, at: &[BodyAt]) -> f64 {
        let of = |(body, at): (&Body, &BodyAt)| -body.mass * self.gravity.dot(&at.center);
        let heights: f64 = self.bodies.iter().zip(at).map(of).sum();
        let springs = self.springs.iter();
        heights + springs.map(|spring| spring.energy(at)).sum::<f64>()
    }

    /// √(2 energy) of what rates would be as velocities.
    pub(super) fn norm_squared(&self, rates: impl Iterator<Item = Rate>) -> f64 {
        let of = |(body, rate): (&Body, Rate)| {
            body.mass * rate.linear.norm_squared()
                + rate.angular.dot(&(body.inertia * rate.angular))
        };
        self.bodies.iter().zip(rates).map(of).sum()
    }

    /// The motion as of one rigid body with the same momenta.
    pub(super) fn locked(&self, at: &[BodyAt]) -> Locked {
        let mass: f64 = self.bodies.iter().map(|body| body.mass).sum();
        let (mut center, mut velocity) = (Vector3::zeros(), Vector3::zeros());
        for (body, at) in self.bodies.iter().zip(at) {
            center += at.center * (body.mass / mass);
            velocity += at.velocity * (body.mass / mass);
        }
        let (mut angular, mut inertia) = (Vector3::zeros(), Matrix3::zeros());
        for (body, at) in self.bodies.iter().zip(at) {
            let arm = at.center - center;
            let turn = at.rotation.to_rotation_matrix();
            let turn = turn.matrix();
            angular += arm.cross(&at.velocity) * body.mass + turn * (body.inertia * at.spin);
            let point = Matrix3::identity() * arm.norm_squared() - arm * arm.transpose();
            inertia += point * body.mass + turn * body.inertia * turn.transpose();
        }
        let inverse = inertia.try_inverse().unwrap_or_else(Matrix3::zeros);
        Locked {
            mass,
            center,
            velocity,
            angular,
            inverse,
        }
    }

    /// Moment of the torques and forces from outside about the centre of mass, N·m.
    pub(super) fn moment(&self, at: &[BodyAt], center: &Vector3<f64>) -> Vector3<f64> {
        let of =
            |(body, at): (&Body, &BodyAt)| body.torque + (at.center - center).cross(&body.force);
        self.bodies.iter().zip(at).map(of).sum()
    }
}

/// A mechanism as one rigid body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Locked {
    /// kg.
    pub(super) mass: f64,
    /// Of mass, world, m; its velocity, m/s.
    pub(super) center: Vector3<f64>,
    pub(super) velocity: Vector3<f64>,
    /// Angular momentum about the centre of mass, kg·m²/s.
    pub(super) angular: Vector3<f64>,
    /// Inverse of the rotational inertia, 1/(kg·m²).
    pub(super) inverse: Matrix3<f64>,
}

impl Locked {
    /// Energy of motion of the rigid body, J: of its centre, and of its rotation.
    pub(super) fn kinetic(&self) -> [f64; 2] {
        [
            0.5 * self.mass * self.velocity.norm_squared(),
            0.5 * self.angular.dot(&(self.inverse * self.angular)),
        ]
    }

    /// Adds a rigid motion: a change of the centre's velocity and of the angular momentum.
    pub(super) fn add(&self, at: &mut [BodyAt], velocity: &Vector3<f64>, momentum: &Vector3<f64>) {
        let turn = self.inverse * momentum;
        for at in at {
            at.velocity += velocity + turn.cross(&(at.center - self.center));
            at.spin += at.rotation.inverse() * turn;
        }
    }

    /// Multiplies what moves otherwise than the rigid body.
    pub(super) fn scale_relative(&self, at: &mut [BodyAt], factor: f64) {
        let turn = self.inverse * self.angular;
        for at in at {
            let rigid = self.velocity + turn.cross(&(at.center - self.center));
            at.velocity = rigid + (at.velocity - rigid) * factor;
            let spin = at.rotation.inverse() * turn;
            at.spin = spin + (at.spin - spin) * factor;
        }
    }
}

impl Body {
    /// M⁻¹ of a row.
    fn inverse_mass(&self, row: &[f64; 6]) -> [f64; 6] {
        let angular = self.mobility * Vector3::new(row[3], row[4], row[5]);
        [
            row[0] / self.mass,
            row[1] / self.mass,
            row[2] / self.mass,
            angular.x,
            angular.y,
            angular.z,
        ]
    }

    /// Adds M⁻¹ of a row to a rate.
    fn add(&self, row: &[f64; 6], rate: &mut Rate) {
        rate.linear += Vector3::new(row[0], row[1], row[2]) / self.mass;
        rate.angular += self.mobility * Vector3::new(row[3], row[4], row[5]);
    }
}

impl Spring {
    /// Energy that it stores, J.
    pub(super) fn energy(&self, at: &[BodyAt]) -> f64 {
        let [a, b] = self.ends.map(|end| end.at(at));
        let stretch = (b.point - a.point).norm() - self.rest_length;
        0.5 * self.stiffness * stretch * stretch
    }
}

/// What a row measures of velocities or accelerations of the bodies.
fn measured(joint: &Joint, rows: &Rows, row: usize, rates: &[Rate]) -> f64 {
    let of = |(end, on): (usize, &End)| {
        on.body().map_or(0.0, |body| {
            let block = &rows.blocks[end][row];
            let Rate { linear, angular } = &rates[body];
            let both = [
                linear.x, linear.y, linear.z, angular.x, angular.y, angular.z,
            ];
            dot(block, &both)
        })
    };
    joint.ends.iter().enumerate().map(of).sum()
}

fn dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
