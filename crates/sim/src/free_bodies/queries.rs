//! What accounts, ledgers and projections ask of free bodies.

use std::ops::Range;

use nalgebra::{Isometry3, Matrix3, Vector3};
use stiction_modeling::Twist;

use super::{FreeBodies, at_origin, read_pose, read_vector};
use crate::measure::radius_of_gyration;
use crate::mechanism::Energy;
use crate::settings::Settings;
use crate::state::State;

/// A free body as something that moves, world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Moving {
    /// kg.
    pub(crate) mass: f64,
    /// Centre of mass, m.
    pub(crate) center: Vector3<f64>,
    /// Rotational inertia about the centre of mass, kg·m².
    pub(crate) inertia: Matrix3<f64>,
    /// Of the centre of mass, m/s.
    pub(crate) velocity: Vector3<f64>,
    /// rad/s.
    pub(crate) angular_velocity: Vector3<f64>,
}

impl FreeBodies {
    /// Every body: its subsystem, where its velocities are, its frame, and its energy in a state.
    pub(crate) fn energies<'a>(
        &'a self,
        state: &'a State,
        settings: &'a Settings,
    ) -> impl Iterator<Item = (usize, Range<usize>, usize, Energy)> + 'a {
        self.items.iter().map(move |body| {
            let energy = body.energy(state, settings);
            (body.subsystem, body.v..body.v + 6, body.frame, energy)
        })
    }

    /// Every body's subsystem, and the power of gravity on it in a state, W.
    pub(crate) fn falling<'a>(
        &'a self,
        state: &'a State,
        gravity: &'a Vector3<f64>,
    ) -> impl Iterator<Item = (usize, f64)> + 'a {
        self.items.iter().map(move |body| {
            let velocity = read_vector(&state.v[body.v..]);
            (body.subsystem, body.mass * gravity.dot(&velocity))
        })
    }

    /// Every body's subsystem, where its velocities are, and how it moves in a state.
    pub(crate) fn moving<'a>(
        &'a self,
        state: &'a State,
    ) -> impl Iterator<Item = (usize, Range<usize>, Moving)> + 'a {
        self.items.iter().map(move |body| {
            let at = body.read(&state.q, &state.v);
            let rotation = at.rotation.to_rotation_matrix();
            let moving = Moving {
                mass: body.mass,
                center: at.center,
                inertia: rotation.matrix() * body.inertia * rotation.matrix().transpose(),
                velocity: at.velocity,
                angular_velocity: at.angular_velocity,
            };
            (body.subsystem, body.v..body.v + 6, moving)
        })
    }

    /// Every body's subsystem, and where its velocities are.
    pub(crate) fn subsystems(&self) -> impl Iterator<Item = (usize, Range<usize>)> + '_ {
        let items = self.items.iter();
        items.map(|body| (body.subsystem, body.v..body.v + 6))
    }

    /// Centre of mass of a body in its frame and radius of gyration, m.
    pub(crate) fn extent(&self, item: usize) -> (Vector3<f64>, f64) {
        let body = &self.items[item];
        (body.center, radius_of_gyration(&body.inertia, body.mass))
    }

    /// Turns angular velocities of a state so that bodies that are put at the positions `q` keep their
    /// angular momentum about their centres.
    pub(crate) fn keep_momentum(&self, q: &[f64], state: &mut State) {
        for body in &self.items {
            let (_, before) = read_pose(&state.q[body.q..body.q + 7]);
            let (_, after) = read_pose(&q[body.q..body.q + 7]);
            if before != after {
                let omega = before.inverse() * read_vector(&state.v[body.v + 3..]);
                let omega = after * body.turned(&before, &omega, &after, |omega| *omega);
                state.v[body.v + 3..body.v + 6].copy_from_slice(omega.as_slice());
            }
        }
    }

    /// Pose and velocity of a body's frame in a state.
    pub(crate) fn motion(&self, item: usize, state: &State) -> (Isometry3<f64>, Twist) {
        let body = &self.items[item];
        let state = body.read(&state.q, &state.v);
        let pose = state.pose(&body.center);
        let arm = pose.translation.vector - state.center;
        (
            pose,
            at_origin(&state.velocity, &state.angular_velocity, &arm),
        )
    }
}
