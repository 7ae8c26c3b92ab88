//! The inner problem of one outer iteration, solved for v̂ by Newton.
//!
//! Two forms of it: the convex one with proximal operators and a frozen shift, [AL, (22)], which
//! always has a solution that Newton with exact line search finds; and the strict one, [AL, (20)],
//! which is the surrogate problem itself and needs no further iteration on the shift, but may
//! resist.

use nalgebra::Vector3;
use stiction_constraints::{Problem, Stopwatch, Yardstick};

use crate::hessian::Hessian;
use crate::line_search::{Slope, find_step};
use crate::settings::{CanalSettings, InnerStop};
use crate::state::{Operators, State, dot};

/// How an inner solve went.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct InnerReport {
    pub(crate) steps: usize,
    pub(crate) factorizations: usize,
    /// Whether every step was a full Newton step: the active set has settled.
    pub(crate) is_smooth: bool,
    /// Whether the stopping test was met.
    pub(crate) is_solved: bool,
}

/// Step length, relative to v̂, that rounding can no longer tell from zero.
const ROUNDING: f64 = 4e-16;
/// ‖r‖, relative to the impulses it balances, that rounding can no longer reduce.
const FLOOR: f64 = 1e-14;
/// Shortest step that the strict solve tries before it gives up.
const SHORTEST_STEP: f64 = 1e-7;

/// Minimises h(v̂), [AL, (23)], from the current v̂ until r(v̂), [AL, (22)], is small enough. On
/// exit `state.response` holds λ(v̂).
pub(crate) fn minimize(
    problem: &Problem,
    settings: &CanalSettings,
    yardstick: &Yardstick,
    hessian: &mut Hessian,
    stopwatch: &Stopwatch,
    state: &mut State,
) -> InnerReport {
    let rows = yardstick.rows();
    let mut report = InnerReport {
        is_smooth: true,
        ..InnerReport::default()
    };
    state.respond(problem, 0.0, Operators::Proximal);
    loop {
        state.update_gradient(problem, rows);
        if state.energy_norm(|i| state.gradient[i])
            <= enough(settings.inner_stop, problem.b(), state)
        {
            report.is_solved = true;
            return report;
        }
        if report.steps == settings.max_newton || stopwatch.is_spent() {
            return report;
        }

        // Direction, [AL, (25)–(26)].
        report.factorizations += 1;
        if !hessian.factorize_symmetric(rows, &state.stiffness) {
            return report;
        }
        state.set_direction(problem, yardstick, |d| hessian.solve_symmetric(d));

        // Exact line search, [AL, (27)]: minimises h, whose gradient is r (the text prints f).
        let slope_at_zero = dot(&state.direction, &state.gradient);
        if slope_at_zero >= 0.0 || slope_at_zero.is_nan() {
            return report;
        }
        let constant = dot(&state.direction, &state.a_v) - dot(&state.direction, problem.b());
        let linear = dot(&state.direction, &state.a_direction);
        let alpha = find_step(slope_at_zero, settings.line_search_tolerance, |alpha| {
            state.respond(problem, alpha, Operators::Proximal);
            Slope {
                value: constant + alpha * linear - dot(&state.j_direction, &state.response),
                derivative: linear + curvature(problem, state),
            }
        });
        report.steps += 1;
        report.is_smooth &= alpha == 1.0;
        let is_rounding = state.advance(alpha) <= ROUNDING;
        state.x.copy_from_slice(&state.trial_x);
        if is_rounding {
            report.is_solved = true;
            return report;
        }
    }
}

/// Solves the strict surrogate problem (20) from the current v̂ by damped semismooth Newton. When
/// it gives up, v̂ is as before.
pub(crate) fn solve_strict(
    problem: &Problem,
    settings: &CanalSettings,
    yardstick: &Yardstick,
    hessian: &mut Hessian,
    stopwatch: &Stopwatch,
    state: &mut State,
) -> InnerReport {
    let rows = yardstick.rows();
    let mut report = InnerReport {
        is_smooth: true,
        ..InnerReport::default()
    };
    state.keep_velocity();
    state.respond(problem, 0.0, Operators::Strict);
    state.update_gradient(problem, rows);
    let mut size = state.energy_norm(|i| state.gradient[i]);
    loop {
        if size <= enough(settings.inner_stop, problem.b(), state) {
            report.is_solved = true;
            return report;
        }
        report.factorizations += 1;
        if report.steps == settings.max_strict
            || stopwatch.is_spent()
            || !hessian.factorize_general(rows, &state.stiffness)
        {
            break;
        }
        state.set_direction(problem, yardstick, |d| hessian.solve_general(d));
        report.steps += 1;

        // Backtracking on ‖r‖.
        let (mut alpha, mut taken) = (1.0, 0.0);
        loop {
            state.respond(problem, alpha, Operators::Strict);
            state.advance(alpha - taken);
            taken = alpha;
            state.update_gradient(problem, rows);
            let new_size = state.energy_norm(|i| state.gradient[i]);
            if new_size <= (1.0 - 1e-4 * alpha) * size {
                size = new_size;
                break;
            }
            report.is_smooth = false;
            alpha *= 0.5;
            if alpha < SHORTEST_STEP {
                state.restore_velocity(yardstick);
                return report;
            }
        }
        state.x.copy_from_slice(&state.trial_x);
    }
    state.restore_velocity(yardstick);
    report
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

/// (J d)ᵀ K (J d).
fn curvature(problem: &Problem, state: &State) -> f64 {
    let along =
        |(constraint, stiffness): (&stiction_constraints::Constraint, &nalgebra::Matrix3<f64>)| {
            let d: Vector3<f64> = constraint.load(&state.j_direction);
            d.dot(&(stiffness * d))
        };
    problem
        .constraints()
        .iter()
        .zip(&state.stiffness)
        .map(along)
        .sum()
}
