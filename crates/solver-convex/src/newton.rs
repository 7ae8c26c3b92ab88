//! Newton with an exact line search on the convex function whose gradient is A v̂ − b − Jᵀλ(J v̂).

use nalgebra::{Matrix3, Vector3};
use stiction_constraints::factor::WholeMatrix;
use stiction_constraints::linear::{Slope, dot_in_order, find_step};
use stiction_constraints::{Problem, ResidualEvaluator};

use crate::model::Model;

/// |slope| that the line search leaves, relative to that at its start, and its most probes.
const SEARCH: (f64, usize) = (1e-8, 40);

/// The iterate and what follows from it. Buffers live between solves.
#[derive(Debug, Default)]
pub(crate) struct Newton {
    pub(crate) matrix: WholeMatrix,
    pub(crate) velocity: Vec<f64>,
    /// λ(J v̂).
    pub(crate) response: Vec<f64>,
    stiffness: Vec<Matrix3<f64>>,
    a_velocity: Vec<f64>,
    gradient: Vec<f64>,
    pushed: Vec<f64>,
    direction: Vec<f64>,
    a_direction: Vec<f64>,
    row_velocity: Vec<f64>,
    row_direction: Vec<f64>,
    inverse_diagonal: Vec<f64>,
}

impl Newton {
    pub(crate) fn prepare(&mut self, problem: &Problem, evaluator: &ResidualEvaluator) {
        let (dynamics, rows) = evaluator.matrices();
        self.matrix.update(dynamics, rows, true);
        for buffer in [
            &mut self.velocity,
            &mut self.a_velocity,
            &mut self.gradient,
            &mut self.pushed,
            &mut self.direction,
            &mut self.a_direction,
            &mut self.inverse_diagonal,
        ] {
            buffer.resize(problem.dof_count(), 0.0);
        }
        for buffer in [
            &mut self.response,
            &mut self.row_velocity,
            &mut self.row_direction,
        ] {
            buffer.resize(problem.row_count(), 0.0);
        }
        self.stiffness
            .resize(problem.constraints().len(), Matrix3::zeros());
        for (inverse, diagonal) in self.inverse_diagonal.iter_mut().zip(self.matrix.diagonal()) {
            *inverse = 1.0 / diagonal;
        }
    }

    /// λ, K and the gradient at v̂; ‖gradient‖ over what it balances, both in √J.
    pub(crate) fn evaluate(
        &mut self,
        problem: &Problem,
        evaluator: &ResidualEvaluator,
        model: &Model,
    ) -> f64 {
        let (dynamics, rows) = evaluator.matrices();
        dynamics.mul(&self.velocity, &mut self.a_velocity);
        rows.mul(&self.velocity, &mut self.row_velocity);
        for (index, constraint) in problem.constraints().iter().enumerate() {
            let z: Vector3<f64> = constraint.load(&self.row_velocity);
            let answer = model.respond(problem, (index, constraint), &z);
            constraint.store(&answer.impulse, &mut self.response);
            self.stiffness[index] = answer.stiffness;
        }
        self.pushed.fill(0.0);
        rows.mul_transpose_add(&self.response, &mut self.pushed);
        let (mut size, mut b_size, mut push_size) = (0.0, 0.0, 0.0);
        for (dof, &b) in problem.b().iter().enumerate() {
            let gradient = self.a_velocity[dof] - b - self.pushed[dof];
            self.gradient[dof] = gradient;
            let weight = self.inverse_diagonal[dof];
            size += weight * gradient * gradient;
            b_size += weight * b * b;
            push_size += weight * self.pushed[dof] * self.pushed[dof];
        }
        let balanced = b_size.max(push_size);
        match size > 0.0 {
            true => (size / balanced.max(f64::MIN_POSITIVE)).sqrt(),
            false if size == 0.0 => 0.0,
            false => f64::INFINITY,
        }
    }

    /// One step; `false` where the matrix is not positive definite or the step leads nowhere.
    pub(crate) fn step(
        &mut self,
        problem: &Problem,
        evaluator: &ResidualEvaluator,
        model: &Model,
    ) -> bool {
        let (dynamics, rows) = evaluator.matrices();
        if !self.matrix.factorize(rows, 0.0, &self.stiffness) {
            return false;
        }
        for (direction, gradient) in self.direction.iter_mut().zip(&self.gradient) {
            *direction = -gradient;
        }
        self.matrix.solve_in_place(&mut self.direction);
        let slope = dot_in_order(&self.direction, &self.gradient);
        if !(slope < 0.0) {
            return false;
        }
        dynamics.mul(&self.direction, &mut self.a_direction);
        rows.mul(&self.direction, &mut self.row_direction);
        let constant = dot_in_order(&self.direction, &self.a_velocity)
            - dot_in_order(&self.direction, problem.b());
        let linear = dot_in_order(&self.direction, &self.a_direction);
        let alpha = find_step(slope, SEARCH, |alpha| {
            let (mut push, mut curvature) = (0.0, 0.0);
            for (index, constraint) in problem.constraints().iter().enumerate() {
                let d: Vector3<f64> = constraint.load(&self.row_direction);
                let z = constraint.load(&self.row_velocity) + d * alpha;
                let answer = model.respond(problem, (index, constraint), &z);
                push += d.dot(&answer.impulse);
                curvature += d.dot(&(answer.stiffness * d));
            }
            Slope {
                value: constant + alpha * linear - push,
                derivative: linear + curvature,
            }
        });
        let mut moves = false;
        for (v, d) in self.velocity.iter_mut().zip(&self.direction) {
            let next = *v + alpha * d;
            moves |= next != *v;
            *v = next;
        }
        moves
    }
}
