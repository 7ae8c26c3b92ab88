//! Newton on the complementarity problem itself, along a smoothed path or straight at it.
//!
//! With T the smoothed natural maps of the laws (β_i each constraint's effective mass), a solution
//! is the limit τ → 0 of the zeros of
//!   F(λ) = λ − T(λ, J v̂; τ),  v̂ = A⁻¹(b + Jᵀλ).
//! A Newton step solves (I − ∂T/∂λ) dλ = −K J dv̂ − F with K = −∂T/∂z. Where contacts are
//! redundant I − ∂T/∂λ is singular in the limit: a small ε I is added, the proximal-point
//! regularisation, which slows the iteration by the factor ε and does not move its fixed point.
//! Eliminating dλ leaves (A + Jᵀ C K J) dv̂ = −Jᵀ C F with C = (I − ∂T/∂λ + ε I)⁻¹: a system in the
//! degrees of freedom, whatever the number of contacts.

use nalgebra::{Matrix3, Vector3};
use stiction_constraints::{Criterion, Problem, Yardstick};

use crate::hessian::Hessian;
use crate::products::Columns;
use crate::smoothed_system::Context;

/// ε: large enough that C does not drown the step in rounding, small enough to be invisible.
const REGULARIZATION: f64 = 1e-6;
/// ε of one step from where that is too small: where contacts and joints that hold contradict each other,
/// it tells which of them give way.
const SOFT: f64 = 1e-2;
/// The path parameter is cut to this part of itself when the iterate is close to the path.
const CUT: f64 = 0.1;
/// ‖F‖ may grow by this factor in one step before the step is shortened.
const GROWTH: f64 = 2.0;
/// Shortest step along the path.
const SHORTEST_STEP: f64 = 0.05;
/// Steps that may raise ‖F‖ before the path is abandoned.
const PATIENCE: usize = 5;

/// Buffers of the path-following Newton.
#[derive(Debug, Default)]
pub(crate) struct PathNewton {
    /// The best impulses, on exit.
    pub(crate) best: Vec<f64>,
    lambda: Vec<f64>,
    v: Vec<f64>,
    x: Vec<f64>,
    /// Constraints with C K ≠ 0.
    awake: Vec<usize>,
    /// C K of each constraint.
    stiffness: Vec<Matrix3<f64>>,
    /// C F.
    residual: Vec<f64>,
    step: Vec<f64>,
    row_step: Vec<f64>,
}

/// Where to start and what counts as arrived.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathTask<'a> {
    /// Impulses to start from.
    pub(crate) start: &'a [f64],
    pub(crate) criterion: Criterion,
    pub(crate) tolerance: f64,
    /// The criterion's residual of the start.
    pub(crate) start_residual: f64,
    /// A residual beyond which a step straight at the problem is made again from the start, softly.
    pub(crate) hopeless: f64,
    /// First smoothing τ as a velocity, m/s; 0 goes straight at the problem.
    pub(crate) smoothing: f64,
    pub(crate) max_steps: usize,
}

/// What was reached.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathReport {
    pub(crate) residual: f64,
    pub(crate) steps: usize,
}

impl PathNewton {
    /// Newton from the task's start; the best impulses are left in `self.best`.
    pub(crate) fn run(&mut self, context: &mut Context<'_>, task: PathTask<'_>) -> PathReport {
        let Context {
            problem,
            yardstick,
            columns,
            hessian,
            stopwatch,
        } = context;
        self.start(problem, yardstick, columns, task.start);
        let mut report = PathReport {
            residual: task.start_residual,
            steps: 0,
        };
        let mut tau = task.smoothing;
        let mut setbacks = 0;
        let mut is_soft = false;
        let mut size = self.linearize(problem, yardstick, tau, REGULARIZATION);
        while report.steps < task.max_steps && !stopwatch.is_spent() {
            if !hessian.factorize_general(yardstick.rows(), &self.awake, &self.stiffness) {
                break;
            }
            self.compute_step(problem, yardstick, columns, hessian);
            report.steps += 1;
            let (mut alpha, mut taken) = (1.0, 0.0);
            let (residual, new_size) = loop {
                self.advance(problem, yardstick, columns, alpha - taken);
                taken = alpha;
                let new_size = self.linearize(problem, yardstick, tau, REGULARIZATION);
                let is_acceptable = new_size <= GROWTH * size.max(tau);
                if is_acceptable || tau == 0.0 || alpha < SHORTEST_STEP {
                    let residual =
                        yardstick.measure_at(problem, &self.lambda, &self.x, task.criterion);
                    break (residual, new_size);
                }
                alpha *= 0.5;
            };
            if !residual.is_finite() {
                break;
            }
            // Straight at the problem every step must pay; along the path setbacks are allowed.
            if residual < report.residual {
                if tau == 0.0 && residual > 0.5 * report.residual {
                    setbacks += 1;
                }
                report.residual = residual;
                self.best.copy_from_slice(&self.lambda);
                if residual <= task.tolerance {
                    break;
                }
            } else if tau == 0.0 || new_size > size {
                setbacks += 1;
            }
            if tau == 0.0 && residual > task.hopeless {
                if is_soft {
                    break;
                }
                is_soft = true;
                setbacks = 0;
                self.start(problem, yardstick, columns, task.start);
                size = self.linearize(problem, yardstick, tau, SOFT);
                continue;
            }
            if setbacks > if tau == 0.0 { 1 } else { PATIENCE } {
                break;
            }
            size = new_size;
            if tau > 0.0 && new_size <= tau {
                // Close to the path: go on along it; very close: leave it for the problem itself.
                tau = if new_size <= 1e-2 * tau && alpha == 1.0 {
                    0.0
                } else {
                    CUT * tau
                };
                setbacks = 0;
                size = self.linearize(problem, yardstick, tau, REGULARIZATION);
            }
        }
        report
    }

    fn start(
        &mut self,
        problem: &Problem,
        yardstick: &mut Yardstick,
        columns: &Columns,
        start: &[f64],
    ) {
        let (n, m, count) = (
            problem.dof_count(),
            problem.row_count(),
            problem.constraints().len(),
        );
        self.v.resize(n, 0.0);
        self.step.resize(n, 0.0);
        for buffer in [&mut self.x, &mut self.residual, &mut self.row_step] {
            buffer.resize(m, 0.0);
        }
        self.stiffness.resize(count, Matrix3::zeros());
        for buffer in [&mut self.lambda, &mut self.best] {
            buffer.clear();
            buffer.extend_from_slice(start);
        }
        yardstick.velocity_of(problem, &self.lambda, &mut self.v);
        columns.mul(&self.v, &mut self.x);
    }

    /// C K and C F at the current λ and v̂; returns the largest |F_i|/β_i in m/s.
    fn linearize(
        &mut self,
        problem: &Problem,
        yardstick: &Yardstick,
        tau: f64,
        epsilon: f64,
    ) -> f64 {
        let mut size: f64 = 0.0;
        self.awake.clear();
        for (index, constraint) in problem.constraints().iter().enumerate() {
            if tau == 0.0 && constraint.is_free(&self.x, &self.lambda) {
                self.stiffness[index] = Matrix3::zeros();
                constraint.store(&Vector3::zeros(), &mut self.residual);
                continue;
            }
            let mass = yardstick.effective_masses()[index];
            let lambda: Vector3<f64> = constraint.load(&self.lambda);
            let response = constraint.law.smoothed_response(
                constraint.rows,
                &constraint.load(&self.x),
                &constraint.error,
                &lambda,
                mass,
                tau * mass,
            );
            let f = lambda - response.impulse;
            size = size.max(f.amax() / mass);
            if response.by_velocity == Matrix3::zeros() && response.by_impulse == Matrix3::zeros() {
                // An open contact: C is a number.
                self.stiffness[index] = Matrix3::zeros();
                constraint.store(&(f / (1.0 + epsilon)), &mut self.residual);
                continue;
            }
            let singular = Matrix3::identity() * (1.0 + epsilon) - response.by_impulse;
            let c = singular.try_inverse().unwrap_or_else(Matrix3::zeros);
            self.stiffness[index] = c * response.by_velocity;
            self.awake.push(index);
            constraint.store(&(c * f), &mut self.residual);
        }
        size
    }

    /// dλ into `row_step`.
    fn compute_step(
        &mut self,
        problem: &Problem,
        yardstick: &Yardstick,
        columns: &Columns,
        hessian: &mut Hessian,
    ) {
        self.step.fill(0.0);
        yardstick
            .rows()
            .mul_transpose_add(&self.residual, &mut self.step);
        for value in &mut self.step {
            *value = -*value;
        }
        hessian.solve_general(&mut self.step);
        columns.mul(&self.step, &mut self.row_step);
        for (index, constraint) in problem.constraints().iter().enumerate() {
            let row_velocity: Vector3<f64> = constraint.load(&self.row_step);
            let change = -(self.stiffness[index] * row_velocity) - constraint.load(&self.residual);
            constraint.store(&change, &mut self.row_step);
        }
    }

    /// λ += α dλ, with v̂ and J v̂ that belong to it.
    fn advance(
        &mut self,
        problem: &Problem,
        yardstick: &mut Yardstick,
        columns: &Columns,
        alpha: f64,
    ) {
        for (lambda, change) in self.lambda.iter_mut().zip(&self.row_step) {
            *lambda += alpha * change;
        }
        yardstick.velocity_of(problem, &self.lambda, &mut self.v);
        columns.mul(&self.v, &mut self.x);
    }
}
