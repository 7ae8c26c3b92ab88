//! The iterate and everything that is recomputed along with it.

use nalgebra::{Matrix3, Vector3};
use stiction_constraints::{ConeOperator, Constraint, JointRows, Law, Problem, ResidualEvaluator};

use crate::products::{Columns, add_transpose};

/// Which closed forms answer a velocity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operators {
    Proximal,
    Strict,
}

/// How penalties grow that are each constraint's own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnGrowth {
    /// ζ and κ of (28), for each ‖J v̂ − z‖ by itself.
    pub(crate) test: f64,
    pub(crate) factor: f64,
    /// Most that a penalty may grow in all.
    pub(crate) most: f64,
}

/// What a multiplier update changed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MultiplierChange {
    /// ‖J v̂ − z‖.
    pub(crate) gap: f64,
    /// The same weighed by effective masses, √J.
    pub(crate) violation: f64,
    /// ‖Jᵀ Δλ‖: what the new multipliers push, √J.
    pub(crate) push: f64,
}

/// v̂, λ and the quantities that follow from them. Buffers live between solves.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// v̂.
    pub(crate) v: Vec<f64>,
    /// A v̂.
    pub(crate) a_v: Vec<f64>,
    /// J v̂.
    pub(crate) x: Vec<f64>,
    /// λ of the last multiplier update; u = −λ always holds after it, so that u is not stored.
    pub(crate) lambda: Vec<f64>,
    /// z of the last multiplier update.
    pub(crate) z: Vec<f64>,
    /// Penalty β, set by [`set_penalty`](Self::set_penalty).
    pub(crate) beta: f64,
    /// Penalty of each constraint relative to β, now and by its mass, and β times it.
    weight: Vec<f64>,
    mass_weight: Vec<f64>,
    penalty: Vec<f64>,
    inverse_penalty: Vec<f64>,
    /// ‖J v̂ − z‖ of each constraint at the last multiplier update.
    gaps: Vec<f64>,
    /// Normal shift p of each constraint, [AL, (21)].
    pub(crate) shift: Vec<f64>,
    /// λ(v̂) of the closed forms.
    pub(crate) response: Vec<f64>,
    /// K = −∂λ/∂x̄ of each constraint.
    pub(crate) stiffness: Vec<Matrix3<f64>>,
    /// The constraints that are not silent, λ(v̂) = 0 and K = 0, all along the present line search.
    pub(crate) active: Vec<usize>,
    /// Search direction d, A d and J d.
    pub(crate) direction: Vec<f64>,
    pub(crate) a_direction: Vec<f64>,
    pub(crate) j_direction: Vec<f64>,
    /// r(v̂) = A v̂ − b − Jᵀλ(v̂), [AL, (22)].
    pub(crate) gradient: Vec<f64>,
    /// Jᵀ λ of the last multiplier update.
    pub(crate) jt_lambda: Vec<f64>,
    /// 1 / diagonal of A: makes norms of generalised impulses comparable across units (√J).
    pub(crate) inverse_diagonal: Vec<f64>,
    /// x + α J d while a step is tried.
    pub(crate) trial_x: Vec<f64>,
    /// v̂ before a strict solve.
    kept: Vec<f64>,
    merged: Vec<usize>,
    /// J for products.
    pub(crate) columns: Columns,
    /// How each constraint answered at the last [`Self::note_modes`].
    modes: Vec<u16>,
}

impl State {
    /// Starts from A⁻¹b and λ = 0.
    pub(crate) fn start(&mut self, problem: &Problem, evaluator: &ResidualEvaluator) {
        for buffer in [&mut self.v, &mut self.a_v] {
            buffer.resize(problem.dof_count(), 0.0);
        }
        for buffer in [&mut self.x, &mut self.lambda, &mut self.z] {
            buffer.resize(problem.row_count(), 0.0);
        }
        self.columns.update(problem, evaluator.rows());
        self.lambda.fill(0.0);
        self.v.copy_from_slice(evaluator.free_velocity());
        self.refresh_products(evaluator);
        self.z.fill(0.0);
    }

    /// Makes ready what the outer loop needs beyond a start: a guess that is good enough, or one Newton
    /// step away from it, goes without.
    pub(crate) fn prepare_loop(&mut self, problem: &Problem, evaluator: &ResidualEvaluator) {
        let (n, m, count) = (
            problem.dof_count(),
            problem.row_count(),
            problem.constraints().len(),
        );
        for buffer in [
            &mut self.direction,
            &mut self.a_direction,
            &mut self.gradient,
            &mut self.jt_lambda,
            &mut self.inverse_diagonal,
        ] {
            buffer.resize(n, 0.0);
        }
        for buffer in [&mut self.response, &mut self.j_direction, &mut self.trial_x] {
            buffer.resize(m, 0.0);
        }
        self.stiffness.resize(count, Matrix3::zeros());
        let (dynamics, _) = evaluator.matrices();
        dynamics.for_each_lower_entry(|row, column, value| {
            if row == column {
                self.inverse_diagonal[row] = 1.0 / value;
            }
        });
        self.shift.clear();
        self.shift.resize(count, 0.0);
        self.modes.clear();
        // These two change places.
        for list in [&mut self.active, &mut self.merged] {
            list.clear();
            list.reserve(count);
        }
        self.weight.clear();
        self.weight.resize(count, 1.0);
        self.penalty.resize(count, 0.0);
        self.inverse_penalty.resize(count, 0.0);
        self.gaps.clear();
        self.gaps.resize(count, f64::INFINITY);
    }

    /// Penalties in proportion to the geometric mean of the largest mass that a constraint sees in one
    /// subsystem and the largest of all.
    pub(crate) fn weigh_by_mass(&mut self, evaluator: &ResidualEvaluator) {
        let largest = evaluator.largest_term_mass();
        for (index, weight) in self.weight.iter_mut().enumerate() {
            let seen = evaluator.segment_diagonals(index).iter();
            let smallest = seen
                .filter(|diagonal| **diagonal > 0.0)
                .fold(f64::INFINITY, |a, b| a.min(*b));
            if smallest.is_finite() {
                *weight = (1.0 / (smallest * largest)).sqrt();
            }
        }
        self.mass_weight.clone_from(&self.weight);
    }

    pub(crate) fn set_penalty(&mut self, beta: f64) {
        self.beta = beta;
        for ((penalty, inverse), weight) in self
            .penalty
            .iter_mut()
            .zip(&mut self.inverse_penalty)
            .zip(&self.weight)
        {
            *penalty = beta * weight;
            *inverse = 1.0 / *penalty;
        }
    }

    /// p of each constraint from z and λ of the last multiplier update, [AL, (21)].
    pub(crate) fn update_shift(&mut self, problem: &Problem) {
        for (shift, constraint) in self.shift.iter_mut().zip(problem.constraints()) {
            let (z, lambda) = (constraint.load(&self.z), constraint.load(&self.lambda));
            let e = constraint.load(problem.errors());
            *shift = constraint.law.normal_shift(&z, &e, &lambda);
        }
    }

    /// z = J v̂ + (λ(v̂) − λ)/β by (14), then λ ← λ(v̂), which is −u by (13).
    pub(crate) fn update_multiplier(
        &mut self,
        problem: &Problem,
        masses: &[f64],
        own: Option<OwnGrowth>,
    ) -> MultiplierChange {
        let push = self.multiplier_change(problem.b());
        let (mut gap, mut violation) = (0.0, 0.0);
        for (index, constraint) in problem.constraints().iter().enumerate() {
            let inverse = self.inverse_penalty[index];
            let mut own_gap = 0.0;
            for row in constraint.row_range() {
                let change = (self.response[row] - self.lambda[row]) * inverse;
                own_gap += change * change;
                self.z[row] = self.x[row] + change;
                self.lambda[row] = self.response[row];
            }
            gap += own_gap;
            violation += masses[index] * own_gap;
            let own_gap = own_gap.sqrt();
            if let Some(own) = own
                && own_gap > own.test * self.gaps[index]
            {
                let most = own.most * self.mass_weight[index];
                self.weight[index] = (own.factor * self.weight[index]).min(most);
            }
            self.gaps[index] = own_gap;
        }
        MultiplierChange {
            gap: gap.sqrt(),
            violation: violation.sqrt(),
            push,
        }
    }

    /// ‖Jᵀ d‖ of the last change d of the multipliers and the violation it answers, both in √J, without
    /// what cannot grow for ever: friction, springs, and what shrinks that must not change its sign.
    pub(crate) fn hard_change(
        &mut self,
        problem: &Problem,
        rows: &JointRows,
        masses: &[f64],
    ) -> (f64, f64) {
        let mut violation = 0.0;
        // Work space that the next inner solve computes anew.
        for (index, constraint) in problem.constraints().iter().enumerate() {
            let gap: Vector3<f64> = constraint.load(&self.z) - constraint.load(&self.x);
            let mut change = gap * self.penalty[index];
            match constraint.law {
                // Whether the impulse of a custom law can grow for ever is not known.
                Law::Soft { .. } | Law::JointFriction { .. } | Law::Custom { .. } => {
                    change.fill(0.0);
                }
                Law::Equality => {}
                Law::Unilateral => change.apply(|d| *d = d.max(0.0)),
                Law::JointLimit { .. } => {
                    let lambda: Vector3<f64> = constraint.load(&self.lambda);
                    change.zip_apply(&lambda, |d, lambda| {
                        if *d * lambda <= 0.0 {
                            *d = 0.0;
                        }
                    });
                }
                Law::Contact { .. }
                | Law::AnisotropicContact { .. }
                | Law::CompliantContact { .. } => {
                    change = Vector3::new(0.0, 0.0, change.z.max(0.0));
                }
            }
            constraint.store(&change, &mut self.trial_x);
            violation += masses[index] * (change * self.inverse_penalty[index]).norm_squared();
        }
        self.jt_lambda.fill(0.0);
        rows.mul_transpose_add(&self.trial_x, &mut self.jt_lambda);
        (self.energy_norm(|i| self.jt_lambda[i]), violation.sqrt())
    }

    /// The constraints whose ‖J v̂ − z‖ is at least this part of the largest.
    pub(crate) fn violated(&self, share: f64) -> Vec<usize> {
        let largest = self.gaps.iter().fold(0.0, |a: f64, b| a.max(*b));
        let all = self.gaps.iter().enumerate();
        all.filter(|(_, gap)| **gap >= share * largest)
            .map(|(index, _)| index)
            .collect()
    }

    /// Recomputes A v̂ and J v̂.
    pub(crate) fn refresh_products(&mut self, evaluator: &ResidualEvaluator) {
        evaluator.matrices().0.mul(&self.v, &mut self.a_v);
        self.columns.mul(&self.v, &mut self.x);
    }

    /// λ(v̂) and K of all constraints at the current v̂, and which of them are active.
    pub(crate) fn respond_here(&mut self, problem: &Problem, operators: Operators) {
        self.trial_x.copy_from_slice(&self.x);
        self.active.clear();
        for (index, constraint) in problem.constraints().iter().enumerate() {
            if operators == Operators::Strict && self.is_open(index, constraint, problem.errors()) {
                constraint.store(&Vector3::zeros(), &mut self.response);
                self.stiffness[index] = Matrix3::zeros();
            } else if self.respond_one(index, constraint, problem.errors(), operators) {
                self.active.push(index);
            }
        }
    }

    /// λ(v̂) and K at the end of a line search's range, `self.x + alpha · J d`; who wakes up is added
    /// to the active.
    pub(crate) fn respond_at_end(&mut self, problem: &Problem, alpha: f64, operators: Operators) {
        for ((trial, x), d) in self.trial_x.iter_mut().zip(&self.x).zip(&self.j_direction) {
            *trial = x + alpha * d;
        }
        let mut known = std::mem::take(&mut self.active);
        self.merged.clear();
        let mut next = known.iter().copied().peekable();
        for (index, constraint) in problem.constraints().iter().enumerate() {
            let was_awake = next.next_if_eq(&index).is_some();
            if !was_awake
                && operators == Operators::Strict
                && self.is_open(index, constraint, problem.errors())
            {
                continue;
            }
            if self.respond_one(index, constraint, problem.errors(), operators) || was_awake {
                self.merged.push(index);
            }
        }
        std::mem::swap(&mut self.merged, &mut known);
        self.active = known;
    }

    /// λ(v̂) and K between the ends that were tried. The velocities to which a law's answer is no
    /// impulse and no stiffness are a convex set: who is silent at both ends is silent between
    /// them, and is not looked at.
    pub(crate) fn respond_between(&mut self, problem: &Problem, alpha: f64, operators: Operators) {
        let active = std::mem::take(&mut self.active);
        for &index in &active {
            let constraint = &problem.constraints()[index];
            for row in constraint.row_range() {
                self.trial_x[row] = self.x[row] + alpha * self.j_direction[row];
            }
            self.respond_one(index, constraint, problem.errors(), operators);
        }
        self.active = active;
    }

    /// Whether a contact is open at `trial_x` under the strict operators, which look at the normal
    /// velocity first. Most contacts are, in every step.
    #[inline]
    fn is_open(&self, index: usize, constraint: &Constraint, errors: &[f64]) -> bool {
        let normal = constraint.first_row + 2;
        matches!(constraint.law, Law::Contact { .. })
            && self.lambda[normal] - self.penalty[index] * (self.trial_x[normal] + errors[normal])
                <= 0.0
    }

    /// λ(v̂) and K of one constraint at `trial_x`; whether it is active.
    #[inline]
    fn respond_one(
        &mut self,
        index: usize,
        constraint: &Constraint,
        errors: &[f64],
        operators: Operators,
    ) -> bool {
        let x_bar: Vector3<f64> = constraint.load(&self.trial_x)
            - constraint.load(&self.lambda) * self.inverse_penalty[index];
        let operator = match operators {
            Operators::Strict => ConeOperator::Strict,
            Operators::Proximal => ConeOperator::Proximal {
                shift: self.shift[index],
            },
        };
        let response = constraint.law.response(
            constraint.rows,
            &x_bar,
            &constraint.load(errors),
            self.penalty[index],
            operator,
        );
        constraint.store(&response.impulse, &mut self.response);
        self.stiffness[index] = response.stiffness;
        response.stiffness != Matrix3::zeros() || response.impulse != Vector3::zeros()
    }

    /// d = −(matrix)⁻¹ r with its products A d and J d.
    pub(crate) fn set_direction(
        &mut self,
        evaluator: &ResidualEvaluator,
        solve: impl FnOnce(&mut [f64]),
    ) {
        let (dynamics, _) = evaluator.matrices();
        for (d, g) in self.direction.iter_mut().zip(&self.gradient) {
            *d = -g;
        }
        solve(&mut self.direction);
        dynamics.mul(&self.direction, &mut self.a_direction);
        self.columns.mul(&self.direction, &mut self.j_direction);
    }

    /// A v̂ += α A d: all of v̂ that a trial step needs beside its response.
    pub(crate) fn try_step(&mut self, alpha: f64) {
        for (a, d) in self.a_v.iter_mut().zip(&self.a_direction) {
            *a += alpha * d;
        }
    }

    /// v̂ += α d and J v̂ with it (A v̂ by [`try_step`](Self::try_step)); returns the largest change
    /// relative to the largest velocity.
    pub(crate) fn advance(&mut self, alpha: f64) -> f64 {
        for (x, d) in self.x.iter_mut().zip(&self.j_direction) {
            *x += alpha * d;
        }
        let (mut step_size, mut size): (f64, f64) = (0.0, f64::MIN_POSITIVE);
        for i in 0..self.v.len() {
            let step = alpha * self.direction[i];
            self.v[i] += step;
            step_size = step_size.max(step.abs());
            size = size.max(self.v[i].abs());
        }
        step_size / size
    }

    /// Notes which constraints are open, stick or slide, read off the zeros of K; whether any has
    /// changed since the last time.
    pub(crate) fn note_modes(&mut self) -> bool {
        let mut has_changed = self.modes.len() != self.stiffness.len();
        self.modes.resize(self.stiffness.len(), 0);
        let mut active = self.active.iter().copied().peekable();
        for (index, mode) in self.modes.iter_mut().enumerate() {
            let now = if active.next_if_eq(&index).is_some() {
                self.stiffness[index]
                    .iter()
                    .fold(0, |bits, &entry| 2 * bits + u16::from(entry != 0.0))
            } else {
                0
            };
            has_changed |= *mode != now;
            *mode = now;
        }
        has_changed
    }

    pub(crate) fn keep_velocity(&mut self) {
        self.kept.clone_from(&self.v);
    }

    pub(crate) fn restore_velocity(&mut self, evaluator: &ResidualEvaluator) {
        self.v.copy_from_slice(&self.kept);
        self.refresh_products(evaluator);
    }

    /// Goes on from other impulses: v̂ = A⁻¹(b + Jᵀλ), z = J v̂.
    pub(crate) fn adopt(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        lambda: &[f64],
    ) {
        self.lambda.copy_from_slice(lambda);
        evaluator.velocity_of(problem, &self.lambda, &mut self.v);
        self.refresh_products(evaluator);
        self.z.copy_from_slice(&self.x);
    }

    /// r(v̂) from the last response.
    pub(crate) fn update_gradient(&mut self, problem: &Problem, rows: &JointRows) {
        // −(b + Jᵀλ) first, so that one pass over J suffices.
        self.gradient.copy_from_slice(problem.b());
        add_transpose(
            problem,
            rows,
            &self.active,
            &self.response,
            &mut self.gradient,
        );
        for (g, a) in self.gradient.iter_mut().zip(&self.a_v) {
            *g = a - *g;
        }
    }
}

impl State {
    /// ‖a‖ in the metric of the diagonal of A⁻¹, in √J.
    pub(crate) fn energy_norm(&self, a: impl Fn(usize) -> f64) -> f64 {
        let mut sum = 0.0;
        for (i, weight) in self.inverse_diagonal.iter().enumerate() {
            let value = a(i);
            sum += weight * value * value;
        }
        sum.sqrt()
    }

    /// ‖Jᵀ(λ(v̂) − λ)‖ in √J, read off the gradient of the last response.
    pub(crate) fn multiplier_change(&self, b: &[f64]) -> f64 {
        self.energy_norm(|i| self.a_v[i] - self.gradient[i] - b[i] - self.jt_lambda[i])
    }
}
