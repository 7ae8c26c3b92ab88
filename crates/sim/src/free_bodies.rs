//! Free bodies: their equations of motion about the centre of mass, and their way through a step.

use nalgebra::{Matrix3, Matrix6, Vector3};

use crate::body::Kind;
use crate::gyroscopic::{free_rotation, turn};
use crate::island::SubsystemMatrix;
use crate::world::World;

impl World {
    /// A = M/(1 − θ) and b = M v/(1 − θ) + M (v_free − v) of free bodies, about the centre of mass.
    pub(crate) fn assemble_free_bodies(&mut self) {
        let (dt, theta) = (self.settings.time_step, self.settings.theta);
        let scale = 1.0 / (1.0 - theta);
        for (index, body) in self.bodies.iter().enumerate() {
            let Kind::Free { subsystem } = body.kind else {
                continue;
            };
            let state = &self.state.bodies[index];
            let wrench = &self.commands.wrenches[index];
            let omega = state.angular_velocity;
            let local = state.rotation.inverse() * omega;
            let free = free_rotation(&body.inertia, &local, dt);
            self.rotations[index] = free;
            let turned = turn(&state.rotation, &(state.rotation * free.middle), dt);
            let change = turned * free.end - omega;
            let rotation = state.rotation.to_rotation_matrix();
            let inertia = rotation.matrix() * body.inertia * rotation.matrix().transpose();
            let inertia = (inertia + inertia.transpose()) * 0.5;
            let linear = (state.velocity * scale + self.settings.gravity * dt) * body.mass
                + wrench.force * dt;
            let angular = inertia * (omega * scale + change) + wrench.torque * dt;
            let mut matrix = Matrix6::zeros();
            matrix
                .fixed_view_mut::<3, 3>(0, 0)
                .copy_from(&(Matrix3::identity() * (body.mass * scale)));
            matrix
                .fixed_view_mut::<3, 3>(3, 3)
                .copy_from(&(inertia * scale));
            let data = &mut self.subsystems[subsystem];
            data.matrix = SubsystemMatrix::FreeBody(matrix);
            data.b[..3].copy_from_slice(linear.as_slice());
            data.b[3..].copy_from_slice(angular.as_slice());
        }
    }

    /// v̂ of free bodies that touch nothing: A⁻¹ b in closed form.
    pub(crate) fn fly_free_bodies(&mut self) {
        let share = 1.0 - self.settings.theta;
        for (index, body) in self.bodies.iter().enumerate() {
            let Kind::Free { subsystem } = body.kind else {
                continue;
            };
            if self.islands.is_solved(subsystem) {
                continue;
            }
            let data = &mut self.subsystems[subsystem];
            let rotation = self.state.bodies[index].rotation;
            let linear = Vector3::from_column_slice(&data.b[..3]) * (share / body.mass);
            let angular = Vector3::from_column_slice(&data.b[3..]);
            let angular =
                rotation * (body.inverse_inertia * (rotation.inverse() * angular)) * share;
            data.velocity[..3].copy_from_slice(linear.as_slice());
            data.velocity[3..].copy_from_slice(angular.as_slice());
        }
    }

    /// v̂ → pose and velocity at the end of the step, of free and driven bodies.
    pub(crate) fn integrate_bodies(&mut self) {
        let (dt, theta) = (self.settings.time_step, self.settings.theta);
        for (index, body) in self.bodies.iter().enumerate() {
            let state = &self.state.bodies[index];
            let next = &mut self.next.bodies[index];
            match body.kind {
                Kind::Fixed | Kind::Link { .. } => {}
                Kind::Driven => {
                    let twist = &self.commands.driven[index];
                    next.velocity = twist.linear;
                    next.angular_velocity = twist.angular;
                    next.center += twist.linear * dt;
                    next.rotation = turn(&state.rotation, &twist.angular, dt);
                }
                Kind::Free { subsystem } => {
                    let found = &self.subsystems[subsystem].velocity;
                    let linear = Vector3::from_column_slice(&found[..3]);
                    let angular = Vector3::from_column_slice(&found[3..]);
                    next.velocity = (linear - state.velocity * theta) / (1.0 - theta);
                    next.center += linear * dt;
                    // The body turns with the middle velocity of its free rotation, changed by
                    // what the impulses changed.
                    let free = &self.rotations[index];
                    let omega = state.angular_velocity;
                    let middle = state.rotation * free.middle;
                    let end = turn(&state.rotation, &middle, dt) * free.end;
                    let free_hat = omega * theta + end * (1.0 - theta);
                    next.rotation = turn(&state.rotation, &(angular - free_hat + middle), dt);
                    // Angular momentum is what impulses add to; velocity follows from it.
                    let after = (angular - omega * theta) / (1.0 - theta);
                    let local = state.rotation.inverse() * (omega + after - end);
                    let momentum = state.rotation * (body.inertia * local);
                    let local = body.inverse_inertia * (next.rotation.inverse() * momentum);
                    next.angular_velocity = next.rotation * local;
                }
            }
        }
    }
}
