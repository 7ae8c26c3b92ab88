//! The natural map of the complementarity problem, linearised for Newton.
//!
//! With T the natural maps of the laws, smoothed by τ ≥ 0 (β_i each constraint's effective mass), a
//! solution is a zero at τ = 0 of
//!   F(λ) = λ − T(λ, J v̂; τ),  v̂ = A⁻¹(b + Jᵀλ).
//! A Newton step solves (I − ∂T/∂λ) dλ = −K J dv̂ − F with K = −∂T/∂z. Where contacts are
//! redundant I − ∂T/∂λ is singular in the limit: a small ε I is added, the proximal-point
//! regularisation, which slows the iteration by the factor ε and does not move its fixed point.
//! Eliminating dλ leaves (A + Jᵀ C K J) dv̂ = −Jᵀ C F with C = (I − ∂T/∂λ + ε I)⁻¹: a system in the
//! degrees of freedom, whatever the number of contacts.

use nalgebra::{Matrix3, Vector3};
use stiction_constraints::{Criterion, Problem, ResidualEvaluator, Stopwatch};

use crate::hessian::{Hessian, ImpulseSystem};
use crate::products::Columns;

/// The problem at hand and what its Newton systems are solved with.
pub(crate) struct Context<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) evaluator: &'a mut ResidualEvaluator,
    pub(crate) columns: &'a Columns,
    pub(crate) hessian: &'a mut Hessian,
    pub(crate) stopwatch: &'a Stopwatch,
    /// The residual that counts, and what it must come down to.
    pub(crate) criterion: Criterion,
    pub(crate) tolerance: f64,
    /// Newton steps along a path, or onto it.
    pub(crate) max_newton: usize,
}

impl Context<'_> {
    /// J v̂ of impulses; `v` is work space.
    pub(crate) fn row_velocity(&mut self, lambda: &[f64], v: &mut [f64], x: &mut [f64]) {
        let free = self.evaluator.free_row_velocity();
        if !self.hessian.row_velocity(free, lambda, x) {
            self.evaluator.velocity_of(self.problem, lambda, v);
            self.columns.mul(v, x);
        }
    }
}

/// A step in impulses of a context's problem.
pub(crate) fn impulse_system<'a>(
    problem: &'a Problem,
    evaluator: &'a ResidualEvaluator,
    columns: &'a Columns,
    (active, stiffness): (&'a [usize], &'a [Matrix3<f64>]),
) -> ImpulseSystem<'a> {
    ImpulseSystem {
        problem,
        rows: evaluator.rows(),
        columns,
        stiffness,
        active,
    }
}

/// What a Newton method reached.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reached {
    /// The criterion's residual of the best impulses.
    pub(crate) residual: f64,
    /// Newton steps, each with a factorisation.
    pub(crate) steps: usize,
}

/// F at one λ, linearised. Buffers live between solves.
#[derive(Debug, Default)]
pub(crate) struct NaturalMap {
    pub(crate) lambda: Vec<f64>,
    v: Vec<f64>,
    /// J v̂.
    x: Vec<f64>,
    /// Constraints with C K ≠ 0.
    active: Vec<usize>,
    /// C K of each constraint.
    stiffness: Vec<Matrix3<f64>>,
    /// C F.
    value: Vec<f64>,
    /// dλ.
    step: Vec<f64>,
}

impl NaturalMap {
    /// Sizes the buffers.
    fn prepare(&mut self, problem: &Problem) {
        self.v.resize(problem.dof_count(), 0.0);
        for buffer in [&mut self.x, &mut self.value, &mut self.step] {
            buffer.resize(problem.row_count(), 0.0);
        }
        self.stiffness
            .resize(problem.constraints().len(), Matrix3::zeros());
        self.lambda.resize(problem.row_count(), 0.0);
        let count = problem.constraints().len();
        self.active.clear();
        self.active.reserve(count);
    }

    /// Goes to some impulses.
    pub(crate) fn start(&mut self, context: &mut Context<'_>, start: &[f64]) {
        self.prepare(context.problem);
        self.lambda.copy_from_slice(start);
        self.update_velocity(context);
    }

    /// C K and C F at λ; returns the largest |F_i|/β_i in m/s.
    pub(crate) fn linearize(&mut self, context: &Context<'_>, tau: f64, epsilon: f64) -> f64 {
        let mut size: f64 = 0.0;
        self.active.clear();
        let errors = context.problem.errors();
        for (index, constraint) in context.problem.constraints().iter().enumerate() {
            if tau == 0.0 && constraint.is_free(errors, &self.x, &self.lambda) {
                self.stiffness[index] = Matrix3::zeros();
                constraint.store(&Vector3::zeros(), &mut self.value);
                continue;
            }
            let mass = context.evaluator.effective_masses()[index];
            let lambda: Vector3<f64> = constraint.load(&self.lambda);
            let response = constraint.law.smoothed_response(
                constraint.rows,
                &constraint.load(&self.x),
                &constraint.load(errors),
                &lambda,
                mass,
                tau * mass,
            );
            let f = lambda - response.impulse;
            size = size.max(f.amax() / mass);
            if response.by_velocity == Matrix3::zeros() && response.by_impulse == Matrix3::zeros() {
                // An open contact: C is a number.
                self.stiffness[index] = Matrix3::zeros();
                constraint.store(&(f / (1.0 + epsilon)), &mut self.value);
                continue;
            }
            let singular = Matrix3::identity() * (1.0 + epsilon) - response.by_impulse;
            let c = singular.try_inverse().unwrap_or_else(Matrix3::zeros);
            self.stiffness[index] = c * response.by_velocity;
            self.active.push(index);
            constraint.store(&(c * f), &mut self.value);
        }
        size
    }

    /// dλ of the last linearisation; `false` where the matrix is singular.
    pub(crate) fn compute_step(&mut self, context: &mut Context<'_>) -> bool {
        let system = impulse_system(
            context.problem,
            context.evaluator,
            context.columns,
            (&self.active, &self.stiffness),
        );
        if !context.hessian.factorize_impulses(&system) {
            return false;
        }
        let hessian = &mut *context.hessian;
        hessian.solve_impulses(&system, &self.value, &mut self.step);
        true
    }

    /// λ += α dλ, with v̂ and J v̂ that belong to it.
    pub(crate) fn advance(&mut self, context: &mut Context<'_>, alpha: f64) {
        for (lambda, change) in self.lambda.iter_mut().zip(&self.step) {
            *lambda += alpha * change;
        }
        self.update_velocity(context);
    }

    /// The criterion's residual of λ.
    pub(crate) fn residual(&self, context: &Context<'_>) -> f64 {
        let evaluator = &context.evaluator;
        evaluator.measure_at(context.problem, &self.lambda, &self.x, context.criterion)
    }

    fn update_velocity(&mut self, context: &mut Context<'_>) {
        context.row_velocity(&self.lambda, &mut self.v, &mut self.x);
    }
}
