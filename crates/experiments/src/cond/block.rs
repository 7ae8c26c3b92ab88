//! A cube on the ground, four corners in contact, nothing that corrects positions.

use stiction_constraints::nalgebra::{Matrix6, Rotation3, Vector3, Vector6};
use stiction_constraints::{Budget, Law, Problem, ProblemError, RowBlock, Solution, Solver};

/// Side, m, mass, kg, and free fall, m/s².
pub(super) const SIDE: f64 = 0.2;
pub(super) const MASS: f64 = 0.5;
pub(super) const GRAVITY: f64 = 9.81;
/// Time step, s.
pub(super) const STEP: f64 = 0.01;

/// Where the cube is and how it moves, v̂ = θ v + (1 − θ) v⁺.
pub(super) struct Block {
    /// Of its middle, from where it started, m.
    pub(super) position: Vector3<f64>,
    rotation: Rotation3<f64>,
    velocity: Vector6<f64>,
    theta: f64,
    solution: Solution,
}

impl Block {
    /// On the ground, with a velocity in m/s.
    pub(super) fn new(velocity: Vector3<f64>, theta: f64) -> Self {
        Self {
            position: Vector3::zeros(),
            rotation: Rotation3::identity(),
            velocity: Vector6::new(velocity.x, velocity.y, velocity.z, 0.0, 0.0, 0.0),
            theta,
            solution: Solution::cold(),
        }
    }

    /// One step under a force at its middle, N.
    pub(super) fn step(
        &mut self,
        law: Law,
        force: Vector3<f64>,
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<(), ProblemError> {
        self.step_with_gap(law, force, 0.0, solver, budget)
    }

    /// The same with a φ of its contacts, m/s.
    pub(super) fn step_with_gap(
        &mut self,
        law: Law,
        force: Vector3<f64>,
        gap: f64,
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<(), ProblemError> {
        let turning = MASS * SIDE * SIDE / 6.0;
        let inertia = Vector6::new(MASS, MASS, MASS, turning, turning, turning);
        let inertia = inertia / (1.0 - self.theta);
        let mut b = inertia.component_mul(&self.velocity);
        b[2] -= STEP * MASS * GRAVITY;
        for axis in 0..3 {
            b[axis] += STEP * force[axis];
        }
        let mut problem = Problem::new();
        let body = problem.push_free_body(Matrix6::from_diagonal(&inertia), b.as_slice())?;
        for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)] {
            let arm = self.rotation * (Vector3::new(x, y, -1.0) * (0.5 * SIDE));
            let values: Vec<f64> = [Vector3::x(), Vector3::y(), Vector3::z()]
                .iter()
                .flat_map(|direction| {
                    let turn = arm.cross(direction);
                    [
                        direction.x,
                        direction.y,
                        direction.z,
                        turn.x,
                        turn.y,
                        turn.z,
                    ]
                })
                .collect();
            let block = RowBlock::Body {
                body: 0,
                values: &values,
            };
            problem.push_constraint(law, &[0.0, 0.0, gap], &[(body, block)])?;
        }
        solver.solve(&problem, budget, &mut self.solution);
        let mean = Vector6::from_column_slice(&self.solution.velocity);
        self.position += STEP * mean.fixed_rows::<3>(0);
        let turn: Vector3<f64> = STEP * mean.fixed_rows::<3>(3);
        self.rotation = Rotation3::new(turn) * self.rotation;
        self.velocity = (mean - self.theta * self.velocity) / (1.0 - self.theta);
        Ok(())
    }
}
