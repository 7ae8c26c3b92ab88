//! The inner problem of one outer iteration, solved for v̂ by Newton.
//!
//! Two forms of it: the convex one with proximal operators and a frozen shift, [AL, (22)], which
//! always has a solution that Newton with exact line search finds; and the strict one, [AL, (20)],
//! which is the surrogate problem itself and needs no further iteration on the shift, but may
//! resist.

use nalgebra::Vector3;
use stiction_constraints::linear::{Slope, dot_in_order, find_step};
use stiction_constraints::{JointRows, Problem, ResidualEvaluator, Stopwatch};

use crate::hessian::Hessian;
use crate::rules::{DECREASE, HALF, SHORTEST_STEP};
use crate::settings::{InnerStop, OuterLoop};
use crate::state::{Operators, State};

/// How an inner solve went.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct InnerReport {
    pub(crate) steps: usize,
    pub(crate) factorizations: usize,
    /// Whether the stopping test was met.
    pub(crate) is_solved: bool,
}

/// ‖r‖, relative to the impulses it balances, that rounding can no longer reduce: some fifty last digits;
/// and a step, relative to v̂.
const FLOOR: f64 = 1e-14;

/// What the inner solves of one run share.
pub(crate) struct InnerProblem<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) settings: &'a OuterLoop,
    pub(crate) evaluator: &'a ResidualEvaluator,
    pub(crate) stopwatch: &'a Stopwatch,
    /// Newton steps of one solve, and probes of one line search.
    pub(crate) max_newton: usize,
}

impl InnerProblem<'_> {
    /// Minimises h(v̂), [AL, (23)], from the current v̂ until r(v̂), [AL, (22)], is small enough. On
    /// exit `state.response` holds λ(v̂).
    pub(crate) fn minimize(&self, hessian: &mut Hessian, state: &mut State) -> InnerReport {
        let (mut report, _) = self.begin(state, Operators::Proximal);
        while !report.is_solved && report.steps < self.max_newton && !self.stopwatch.is_spent() {
            // Direction, [AL, (25)–(26)].
            report.factorizations += 1;
            if !hessian.factorize_symmetric(self.rows(), &state.active, &state.stiffness) {
                break;
            }
            state.set_direction(self.evaluator, |d| hessian.solve_symmetric(d));
            let slope_at_zero = dot_in_order(&state.direction, &state.gradient);
            if slope_at_zero >= 0.0 || slope_at_zero.is_nan() {
                break;
            }
            let alpha = self.search_line(state, slope_at_zero);
            report.steps += 1;
            state.try_step(alpha);
            let is_rounding = state.advance(alpha) <= FLOOR;
            self.measure(state);
            report.is_solved = is_rounding || self.is_solved(state);
        }
        report
    }

    /// Exact line search, [AL, (27)]: minimises h, whose gradient is r (the text prints f).
    fn search_line(&self, state: &mut State, slope_at_zero: f64) -> f64 {
        let problem = self.problem;
        let constant = dot_in_order(&state.direction, &state.a_v)
            - dot_in_order(&state.direction, problem.b());
        let linear = dot_in_order(&state.direction, &state.a_direction);
        let mut end = 0.0;
        find_step(
            slope_at_zero,
            (self.settings.line_search_tolerance, self.max_newton),
            |alpha| {
                if alpha > end {
                    state.respond_at_end(problem, alpha, Operators::Proximal);
                    end = alpha;
                } else {
                    state.respond_between(problem, alpha, Operators::Proximal);
                }
                let (push, curvature) = along_direction(problem, state);
                Slope {
                    value: constant + alpha * linear - push,
                    derivative: linear + curvature,
                }
            },
        )
    }

    /// Solves the strict surrogate problem (20) from the current v̂ by damped semismooth Newton.
    /// When it gives up v̂ is as before.
    pub(crate) fn solve_strict(&self, hessian: &mut Hessian, state: &mut State) -> InnerReport {
        state.keep_velocity();
        let (mut report, mut size) = self.begin(state, Operators::Strict);
        while !report.is_solved {
            report.factorizations += 1;
            if report.steps == self.max_newton
                || self.stopwatch.is_spent()
                || !hessian.factorize_general(self.rows(), &state.active, &state.stiffness)
            {
                break;
            }
            state.set_direction(self.evaluator, |d| hessian.solve_general(d));
            report.steps += 1;
            let Some((alpha, new_size)) = self.backtrack(state, size) else {
                break;
            };
            state.advance(alpha);
            size = new_size;
            report.is_solved = self.is_solved(state);
        }
        if !report.is_solved {
            state.restore_velocity(self.evaluator);
        }
        report
    }

    /// The first of α = 1, ½, ¼, … at which ‖r‖ has come down from `size`, and what it is there.
    fn backtrack(&self, state: &mut State, size: f64) -> Option<(f64, f64)> {
        let (mut alpha, mut taken) = (1.0, 0.0);
        state.respond_at_end(self.problem, alpha, Operators::Strict);
        loop {
            state.try_step(alpha - taken);
            taken = alpha;
            let new_size = self.measure(state);
            if new_size <= (1.0 - DECREASE * alpha) * size {
                return Some((alpha, new_size));
            }
            alpha *= HALF;
            if alpha < SHORTEST_STEP {
                return None;
            }
            state.respond_between(self.problem, alpha, Operators::Strict);
        }
    }

    /// λ(v̂), K and r of the start; ‖r‖ and whether there is nothing to do.
    fn begin(&self, state: &mut State, operators: Operators) -> (InnerReport, f64) {
        state.respond_here(self.problem, operators);
        state.note_modes();
        let size = self.measure(state);
        let report = InnerReport {
            is_solved: self.is_solved(state),
            ..InnerReport::default()
        };
        (report, size)
    }

    /// Updates r from the last response; ‖r‖ in √J.
    fn measure(&self, state: &mut State) -> f64 {
        state.update_gradient(self.problem, self.rows());
        state.energy_norm(|i| state.gradient[i])
    }

    fn is_solved(&self, state: &State) -> bool {
        state.energy_norm(|i| state.gradient[i])
            <= enough(self.settings.inner_stop, self.problem.b(), state)
    }

    fn rows(&self) -> &JointRows {
        self.evaluator.rows()
    }
}

/// How small ‖r‖ must be, in √J.
fn enough(stop: InnerStop, b: &[f64], state: &State) -> f64 {
    let pushed = state.energy_norm(|i| state.a_v[i] - state.gradient[i]);
    let size = pushed.max(state.energy_norm(|i| b[i]));
    match stop {
        InnerStop::Relative(tolerance) => tolerance * size,
        InnerStop::Inexact(factor) => (factor * state.multiplier_change(b)).max(FLOOR * size),
    }
}

/// (J d)ᵀ λ(v̂) and (J d)ᵀ K (J d).
fn along_direction(problem: &Problem, state: &State) -> (f64, f64) {
    let (mut push, mut curvature) = (0.0, 0.0);
    for &index in &state.active {
        let constraint = &problem.constraints()[index];
        let d: Vector3<f64> = constraint.load(&state.j_direction);
        push += d.dot(&constraint.load(&state.response));
        curvature += d.dot(&(state.stiffness[index] * d));
    }
    (push, curvature)
}
