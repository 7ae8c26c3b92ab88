//! The smoothed complementarity problem as a system of λ and θ = log τ, and Newton systems with it.
//!
//! F(λ, θ) = λ − T(λ, J v̂ + κ λ/β; τ) is the F of [`natural_map`](crate::natural_map) with one addition: κ
//! proportional to τ makes every constraint give a little. A smoothed contact wants a velocity that
//! separates strictly, and where constraints leave no such velocity it has no solution however large
//! τ is; where they are redundant, it has many. With κ > 0 it has one whatever the constraints are,
//! and both additions vanish together.
//!
//! With τ/τ₀ F(λ₀, θ₀) subtracted from it any start (λ₀, θ₀) is on a path (the Newton homotopy); that
//! vanishes with τ too.

use nalgebra::{Matrix3, Vector3};
use stiction_constraints::{Constraint, Criterion, SmoothedResponse};

use crate::natural_map::{Context, impulse_system};
use crate::rules::LEAST_REGULARIZATION;

/// Impulses with the logarithm of a smoothing, or a direction in the space of both.
#[derive(Debug, Default)]
pub(crate) struct Point {
    /// λ.
    pub(crate) lambda: Vec<f64>,
    /// θ = log τ, τ in m/s.
    pub(crate) theta: f64,
}

impl Point {
    pub(crate) fn start(&mut self, rows: usize) {
        self.lambda.clear();
        self.lambda.resize(rows, 0.0);
        self.theta = 0.0;
    }

    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.lambda.copy_from_slice(&other.lambda);
        self.theta = other.theta;
    }

    /// self += factor · direction.
    pub(crate) fn add(&mut self, factor: f64, direction: &Self) {
        for (value, change) in self.lambda.iter_mut().zip(&direction.lambda) {
            *value += factor * change;
        }
        self.theta += factor * direction.theta;
    }

    pub(crate) fn scale(&mut self, factor: f64) {
        for value in &mut self.lambda {
            *value *= factor;
        }
        self.theta *= factor;
    }
}

/// F, linearised at one point. Buffers live between solves.
#[derive(Debug, Default)]
pub(crate) struct SmoothedSystem {
    /// The point.
    pub(crate) at: Point,
    /// Matrices factorised since the start.
    pub(crate) factorizations: usize,
    /// κ/τ in s/m.
    compliance: f64,
    /// Smoothing of each constraint relative to τ.
    widths: Vec<f64>,
    /// F over τ where a path begins that does not begin with F = 0.
    offset: Vec<f64>,
    v: Vec<f64>,
    /// J v̂.
    x: Vec<f64>,
    /// Every constraint: where τ > 0 all of them respond.
    active: Vec<usize>,
    /// C K of each constraint, with C = (∂F/∂λ at constant v̂, + ε I)⁻¹.
    stiffness: Vec<Matrix3<f64>>,
    /// C F and C ∂F/∂θ.
    value: Vec<f64>,
    by_theta: Vec<f64>,
}

impl SmoothedSystem {
    /// Begins with a τ as large as the error is there; `compliance` is κ then. Which path it is, of the
    /// many that lead to τ = 0, is told by a number. The first is the central path, near to no impulses.
    /// The second is the one through no impulses. On the others each constraint is smoothed by a factor
    /// of its own, and those that are smoothed less than usual begin with their part of the impulses `best`.
    pub(crate) fn start(
        &mut self,
        context: &mut Context<'_>,
        compliance: f64,
        (path, best): (usize, &[f64]),
    ) {
        let (n, m, count) = (
            context.problem.dof_count(),
            context.problem.row_count(),
            context.problem.constraints().len(),
        );
        self.v.resize(n, 0.0);
        for buffer in [
            &mut self.x,
            &mut self.offset,
            &mut self.value,
            &mut self.by_theta,
        ] {
            buffer.resize(m, 0.0);
        }
        self.stiffness.resize(count, Matrix3::zeros());
        self.active.clear();
        self.active.extend(0..count);
        self.factorizations = 0;
        self.widths.clear();
        self.widths
            .extend((0..count).map(|index| width(path, index)));
        self.at.start(m);
        for (constraint, width) in context.problem.constraints().iter().zip(&self.widths) {
            if *width < 1.0 {
                constraint.store(&constraint.load(best), &mut self.at.lambda);
            }
        }
        let tau = self.residual(context, Criterion::Scaled);
        self.at.theta = tau.ln();
        self.compliance = compliance / tau;
        self.offset.fill(0.0);
        if path > 0 {
            for (index, constraint) in context.problem.constraints().iter().enumerate() {
                let (lambda, _, response) = self.respond(context, index, constraint);
                constraint.store(&((lambda - response.impulse) / tau), &mut self.offset);
            }
        }
    }

    /// λ of a constraint, the velocity by which it gives for an impulse, and how its law answers.
    fn respond(
        &self,
        context: &Context<'_>,
        index: usize,
        constraint: &Constraint,
    ) -> (Vector3<f64>, f64, SmoothedResponse) {
        let tau = self.at.theta.exp();
        let mass = context.evaluator.effective_masses()[index];
        let inverse_mass = self.compliance * tau / mass;
        let lambda: Vector3<f64> = constraint.load(&self.at.lambda);
        let response = constraint.law.smoothed_response(
            constraint.rows,
            &(constraint.load(&self.x) + lambda * inverse_mass),
            &constraint.load(context.problem.errors()),
            &lambda,
            mass,
            tau * mass * self.widths[index],
        );
        (lambda, inverse_mass, response)
    }

    /// Linearises F at the point; returns the largest |F_i|/β_i in m/s.
    pub(crate) fn linearize(&mut self, context: &mut Context<'_>) -> f64 {
        self.update_velocity(context);
        let tau = self.at.theta.exp();
        let mut size: f64 = 0.0;
        for (index, constraint) in context.problem.constraints().iter().enumerate() {
            let (lambda, inverse_mass, response) = self.respond(context, index, constraint);
            let offset = constraint.load(&self.offset) * tau;
            let f = lambda - response.impulse - offset;
            size = size.max(f.amax() / context.evaluator.effective_masses()[index]);
            let by_impulse = Matrix3::identity() * (1.0 + LEAST_REGULARIZATION)
                - response.by_impulse
                + response.by_velocity * inverse_mass;
            let by_theta =
                response.by_velocity * lambda * inverse_mass - response.by_log_smoothing - offset;
            let c = by_impulse.try_inverse().unwrap_or_else(Matrix3::zeros);
            self.stiffness[index] = c * response.by_velocity;
            constraint.store(&(c * f), &mut self.value);
            constraint.store(&(c * by_theta), &mut self.by_theta);
        }
        size
    }

    /// Factorises the last linearisation; `false` when it is singular.
    pub(crate) fn factorize(&mut self, context: &mut Context<'_>) -> bool {
        if context.stopwatch.is_spent() {
            return false;
        }
        self.factorizations += 1;
        let system = impulse_system(
            context.problem,
            context.evaluator,
            context.columns,
            (&self.active, &self.stiffness),
        );
        context.hessian.factorize_impulses(&system)
    }

    /// −(∂F/∂λ)⁻¹ F at constant θ.
    pub(crate) fn newton_step(&self, context: &mut Context<'_>, out: &mut Point) {
        self.solve(context, &self.value, &mut out.lambda);
        out.theta = 0.0;
    }

    /// The direction in which F stays as it is: dλ/dθ = −(∂F/∂λ)⁻¹ ∂F/∂θ.
    pub(crate) fn level_direction(&self, context: &mut Context<'_>, out: &mut Point) {
        self.solve(context, &self.by_theta, &mut out.lambda);
        out.theta = 1.0;
    }

    /// −(∂F/∂λ)⁻¹ times a vector, with the factors of the last factorisation.
    fn solve(&self, context: &mut Context<'_>, of: &[f64], out: &mut [f64]) {
        let system = impulse_system(
            context.problem,
            context.evaluator,
            context.columns,
            (&self.active, &self.stiffness),
        );
        context.hessian.solve_impulses(&system, of, out);
    }

    /// A criterion's residual of the impulses, which have changed since the linearisation.
    pub(crate) fn residual(&mut self, context: &mut Context<'_>, criterion: Criterion) -> f64 {
        self.update_velocity(context);
        context
            .evaluator
            .measure_at(context.problem, &self.at.lambda, &self.x, criterion)
    }

    fn update_velocity(&mut self, context: &mut Context<'_>) {
        context.row_velocity(&self.at.lambda, &mut self.v, &mut self.x);
    }
}

/// A factor between 1/10 and 10 that looks random and is the same in every run (the finaliser of
/// SplitMix64); 1 on the first two paths.
fn width(path: usize, index: usize) -> f64 {
    if path < 2 {
        return 1.0;
    }
    let mut bits = (path as u64) << 32 | index as u64;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    let uniform = (bits >> 11) as f64 / (1_u64 << 53) as f64;
    10.0_f64.powf(2.0 * uniform - 1.0)
}
