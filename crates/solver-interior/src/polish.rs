//! The last digits of an interior point's impulses: the method of multipliers on the same convex model.
//!
//! With β a multiple of each constraint's effective mass, T the laws' closed forms on the cones as they are (the shift
//! p of [AL, (21)] is zero) and λ the impulses so far:
//!
//! ```text
//! v̂ ← the root of r(v) = A v − b − Jᵀ T(J v − λ/β; β)      [AL, (22)]
//! λ ← T(J v̂ − λ/β; β)
//! ```
//!
//! r is the gradient of a smooth and strongly convex function, whose least value Newton steps [AL, (25)] with exact line
//! search [AL, (27)] find. λ converges from anywhere where the model has a solution; beside one, in a few steps.

use stiction_constraints::factor::WholeMatrix;
use stiction_constraints::linear::{Slope, dot, find_step};
use stiction_constraints::nalgebra::Matrix3;
use stiction_constraints::{ConeOperator, Problem, ResidualEvaluator, Stopwatch};

/// β of the first update, over the effective mass.
const FIRST_PENALTY: f64 = 10.0;
/// Factor of β where an update did not bring the residual down by as much.
const PENALTY_GROWTH: f64 = 10.0;
/// Largest β, over the effective mass: beyond it T loses more digits than it brings.
const LARGEST_PENALTY: f64 = 1e6;
/// An inner problem is solved where a Newton step moves by this share of the velocities.
const INNER_TOLERANCE: f64 = 1e-13;
/// Newton steps of one inner problem.
const MOST_INNER: usize = 30;
/// Updates in a row after which there is nothing more to be had, where none brings the residual below this share
/// of the least.
const PATIENCE: usize = 6;
const PROGRESS: f64 = 0.5;
/// Exactness and probes of a line search.
const LINE_SEARCH: (f64, usize) = (0.1, 20);

/// The inner problem and what it needs.
pub(crate) struct Polish<'a> {
    problem: &'a Problem,
    evaluator: &'a mut ResidualEvaluator,
    stopwatch: &'a Stopwatch,
    whole: WholeMatrix,
    /// β over the effective mass.
    penalty: f64,
    multiplier: Vec<f64>,
    velocity: Vec<f64>,
    response: Vec<f64>,
    stiffness: Vec<Matrix3<f64>>,
    /// r = A v − b − Jᵀ T.
    residual: Vec<f64>,
    row_velocity: Vec<f64>,
    /// A v.
    momentum: Vec<f64>,
    steps_left: usize,
}

impl<'a> Polish<'a> {
    /// Begins with impulses, of which at most `most` Newton steps are to make better ones.
    pub(crate) fn new(
        problem: &'a Problem,
        evaluator: &'a mut ResidualEvaluator,
        stopwatch: &'a Stopwatch,
        impulse: &[f64],
        most: usize,
    ) -> Self {
        let mut whole = WholeMatrix::default();
        let (dynamics, rows) = evaluator.matrices();
        whole.update(dynamics, rows, true);
        let mut velocity = vec![0.0; problem.dof_count()];
        evaluator.velocity_of(problem, impulse, &mut velocity);
        Self {
            problem,
            evaluator,
            stopwatch,
            whole,
            penalty: FIRST_PENALTY,
            multiplier: impulse.to_vec(),
            velocity,
            response: impulse.to_vec(),
            stiffness: vec![Matrix3::zeros(); problem.constraints().len()],
            residual: vec![0.0; problem.dof_count()],
            row_velocity: vec![0.0; problem.row_count()],
            momentum: vec![0.0; problem.dof_count()],
            steps_left: most,
        }
    }

    /// Updates λ until its residual is at most `tolerance`, m/s, or nothing brings it down. The best impulses are
    /// left in `impulse`, their residual is `least`; returns the Newton steps.
    pub(crate) fn run(mut self, tolerance: f64, impulse: &mut [f64], least: &mut f64) -> usize {
        let most = self.steps_left;
        let mut last = *least;
        let mut in_vain = 0;
        while *least > tolerance && in_vain < PATIENCE {
            if self.steps_left == 0 || self.stopwatch.is_spent() || !self.minimize() {
                break;
            }
            self.multiplier.copy_from_slice(&self.response);
            let problem = self.problem;
            let residual = self.evaluator.cone_model(problem, &self.multiplier);
            let residual = residual.max(self.evaluator.rounding(problem, &self.multiplier));
            in_vain = if residual < PROGRESS * *least {
                0
            } else {
                in_vain + 1
            };
            if residual < *least {
                *least = residual;
                impulse.copy_from_slice(&self.multiplier);
            }
            if residual > last / PENALTY_GROWTH {
                self.penalty = (self.penalty * PENALTY_GROWTH).min(LARGEST_PENALTY);
            }
            last = residual;
        }
        most - self.steps_left
    }

    /// Newton on the inner problem; `false` when numbers go wrong.
    fn minimize(&mut self) -> bool {
        let mut trial = self.velocity.clone();
        let mut row_direction = self.row_velocity.clone();
        let mut product = self.velocity.clone();
        self.evaluate(&trial);
        for _ in 0..MOST_INNER.min(self.steps_left) {
            if self.stopwatch.is_spent() {
                break;
            }
            self.steps_left -= 1;
            let (dynamics, rows) = self.evaluator.matrices();
            if !self.whole.factorize(rows, 0.0, &self.stiffness) {
                return false;
            }
            let mut direction: Vec<f64> = self.residual.iter().map(|r| -r).collect();
            self.whole.solve_in_place(&mut direction);
            rows.mul(&direction, &mut row_direction);
            dynamics.mul(&direction, &mut product);
            let curvature = dot(&direction, &product);
            dynamics.mul(&self.velocity, &mut product);
            let size = dot(&self.velocity, &product).max(curvature);
            let slope = dot(&direction, &self.residual);
            if slope.is_nan() || slope >= 0.0 || curvature <= INNER_TOLERANCE.powi(2) * size {
                break;
            }
            let start = self.velocity.clone();
            let step = find_step(slope, LINE_SEARCH, |alpha| {
                for ((trial, start), direction) in trial.iter_mut().zip(&start).zip(&direction) {
                    *trial = start + alpha * direction;
                }
                self.evaluate(&trial);
                let constraints = self.problem.constraints().iter().zip(&self.stiffness);
                let stiff = constraints.map(|(constraint, stiffness)| {
                    let d = constraint.load(&row_direction);
                    d.dot(&(stiffness * d))
                });
                Slope {
                    value: dot(&direction, &self.residual),
                    derivative: curvature + stiff.sum::<f64>(),
                }
            });
            if !step.is_finite() {
                return false;
            }
            self.velocity.copy_from_slice(&trial);
        }
        self.response.iter().all(|value| value.is_finite())
    }

    /// T, its stiffness and r at a velocity.
    fn evaluate(&mut self, velocity: &[f64]) {
        let (dynamics, rows) = self.evaluator.matrices();
        rows.mul(velocity, &mut self.row_velocity);
        let masses = self.evaluator.effective_masses();
        let operator = ConeOperator::Proximal { shift: 0.0 };
        for (index, constraint) in self.problem.constraints().iter().enumerate() {
            let beta = self.penalty * masses[index];
            let x_bar =
                constraint.load(&self.row_velocity) - constraint.load(&self.multiplier) / beta;
            let e = constraint.load(self.problem.errors());
            let answer = constraint
                .law
                .response(constraint.rows, &x_bar, &e, beta, operator);
            self.stiffness[index] = answer.stiffness;
            constraint.store(&answer.impulse, &mut self.response);
        }
        // −r = b + Jᵀ T − A v.
        self.residual.copy_from_slice(self.problem.b());
        rows.mul_transpose_add(&self.response, &mut self.residual);
        dynamics.mul(velocity, &mut self.momentum);
        for (r, momentum) in self.residual.iter_mut().zip(&self.momentum) {
            *r = momentum - *r;
        }
    }
}
