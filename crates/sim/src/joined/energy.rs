//! Energy and momentum of a mechanism.

use nalgebra::{Matrix3, Vector3};

use super::joint::Holding;
use super::mechanism::{Mechanism, Reaction};
use super::member::Member;
use super::rule::CLOSED;

impl Mechanism {
    /// Energy of motion, and that of gravity and springs, J, where it was placed last.
    pub(super) fn energy(&self, [q, v]: [&[f64]; 2]) -> [f64; 2] {
        let [mut kinetic, mut potential] = [0.0; 2];
        for (member, place) in self.members.iter().zip(&self.places) {
            let (q, v) = (&q[place.q.clone()], &v[place.v.clone()]);
            let own = member.energy(&self.gravity, q, v);
            kinetic += own[0];
            potential += own[1];
        }
        [kinetic, potential + self.spring_energy()]
    }

    /// Energy of the springs between members where it was placed last, J.
    pub(super) fn spring_energy(&self) -> f64 {
        let springs = self.springs.iter();
        springs.map(|spring| spring.energy(&self.at)).sum()
    }

    /// xᵀ M x where it was placed last.
    pub(super) fn quadratic(&mut self, x: &[f64]) -> f64 {
        let members = self.members.iter_mut().zip(&self.places);
        members
            .map(|(member, place)| member.quadratic(&x[place.v.clone()]))
            .sum()
    }

    /// kg.
    pub(super) fn mass(&self) -> f64 {
        self.members.iter().map(Member::mass).sum()
    }

    /// Work of what joints exert over the errors of position that are left, J.
    pub(super) fn slack(&self, reactions: &[Reaction]) -> f64 {
        let of = |(holding, reaction): (&Holding, &Reaction)| {
            let size = match holding {
                Holding::Joint(joint) => joint.size,
                Holding::Coupling(_) => 1.0,
            };
            size * reaction.force.norm() + reaction.torque.norm()
        };
        let all = self.holdings.iter().zip(reactions);
        2.0 * self.worst_error().max(CLOSED) * all.map(of).sum::<f64>()
    }

    /// The motion as of one rigid body with the same momenta, of what floats.
    pub(super) fn locked(&self, [q, v]: [&[f64]; 2]) -> Option<Locked> {
        let bodies = || {
            self.members
                .iter()
                .zip(&self.places)
                .map(|(member, place)| member.as_one_body(&q[place.q.clone()], &v[place.v.clone()]))
        };
        let (mut mass, mut center, mut linear) = (0.0, Vector3::zeros(), Vector3::zeros());
        for body in bodies() {
            let body = body?;
            mass += body.mass;
            center += body.center * body.mass;
            linear += body.linear;
        }
        center /= mass;
        let (mut angular, mut inertia) = (Vector3::zeros(), Matrix3::zeros());
        for body in bodies() {
            let body = body?;
            let arm = body.center - center;
            angular += arm.cross(&body.linear) + body.angular;
            let point = Matrix3::identity() * arm.norm_squared() - arm * arm.transpose();
            inertia += point * body.mass + body.inertia;
        }
        Some(Locked {
            mass,
            center,
            velocity: linear / mass,
            angular,
            inverse: inertia.try_inverse().unwrap_or_else(Matrix3::zeros),
        })
    }

    /// Force from outside, N, and its moment about the centre of mass, N·m.
    pub(super) fn pushed(&self, q: &[f64], center: &Vector3<f64>) -> [Vector3<f64>; 2] {
        let [mut force, mut moment] = [Vector3::zeros(); 2];
        for (member, place) in self.members.iter().zip(&self.places) {
            let own = member.pushed(&q[place.q.clone()], center);
            force += own[0];
            moment += own[1];
        }
        [force, moment]
    }

    /// Adds a rigid motion: a change of the centre's velocity, and a turn.
    fn add_rigid_motion(
        &self,
        q: &[f64],
        [center, velocity, turn]: [&Vector3<f64>; 3],
        v: &mut [f64],
    ) {
        for (member, place) in self.members.iter().zip(&self.places) {
            let (q, v) = (&q[place.q.clone()], &mut v[place.v.clone()]);
            member.add_rigid_motion(q, [center, velocity, turn], v);
        }
    }

    /// Gives what floats the momenta that forces from outside leave it at the end of a substep of `h` s from
    /// `start`; `middle` is where it was in between. It must have been placed at the end last.
    pub(super) fn keep_momenta(
        &self,
        start: &Locked,
        q: [&[f64]; 2],
        h: f64,
        v: &mut [f64],
    ) -> Option<()> {
        let after = self.locked([q[1], v])?;
        let [[force, first], [_, last]] = [(q[0], &start.center), (q[1], &after.center)]
            .map(|(q, center)| self.pushed(q, center));
        let velocity = start.velocity + (self.gravity + force / start.mass) * h - after.velocity;
        let angular = start.angular + (first + last) * (0.5 * h) - after.angular;
        let turn = after.inverse * angular;
        self.add_rigid_motion(q[1], [&after.center, &velocity, &turn], v);
        Some(())
    }

    /// Takes `excess` J of `kinetic` out of the motion: of what floats first out of what its momenta do not ask
    /// for.
    pub(super) fn slow_down(&self, q: &[f64], excess: f64, kinetic: f64, v: &mut [f64]) {
        let share = |whole: f64| (1.0 - excess / whole).max(0.0).sqrt();
        if self.floats
            && let Some(locked) = self.locked([q, v])
        {
            let relative = kinetic - locked.kinetic();
            if relative > excess {
                let factor = share(relative);
                let turn = locked.inverse * locked.angular;
                let rigid = [&locked.center, &locked.velocity, &turn];
                self.add_rigid_motion(q, [rigid[0], &-rigid[1], &-rigid[2]], v);
                v.iter_mut().for_each(|v| *v *= factor);
                self.add_rigid_motion(q, rigid, v);
                return;
            }
        }
        if kinetic > 0.0 {
            let factor = share(kinetic);
            v.iter_mut().for_each(|v| *v *= factor);
        }
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
    /// Energy of motion of the rigid body, J.
    fn kinetic(&self) -> f64 {
        0.5 * self.mass * self.velocity.norm_squared()
            + 0.5 * self.angular.dot(&(self.inverse * self.angular))
    }
}
