//! The normal shift p between outer iterations, damped where it oscillates.

use stiction_constraints::Problem;

use crate::state::State;

/// p follows μ‖z_t + e_t‖, [AL, (21)], undamped at first; once `damp` is on, each contact's step
/// is halved when its direction flips and grows again when it does not.
#[derive(Debug, Default)]
pub(crate) struct ShiftUpdate {
    weight: Vec<f64>,
    last_change: Vec<f64>,
    pub(crate) is_damped: bool,
    has_started: bool,
}

impl ShiftUpdate {
    pub(crate) fn start(&mut self, constraints: usize) {
        self.weight.clear();
        self.weight.resize(constraints, 1.0);
        self.last_change.clear();
        self.last_change.resize(constraints, 0.0);
        self.is_damped = false;
        self.has_started = false;
    }

    /// Sets `state.shift` from z and λ of the last multiplier update.
    pub(crate) fn update(&mut self, problem: &Problem, state: &mut State) {
        for (index, constraint) in problem.constraints().iter().enumerate() {
            let target = constraint.law.normal_shift(
                &constraint.load(&state.z),
                &constraint.error,
                &constraint.load(&state.lambda),
            );
            let change = target - state.shift[index];
            if self.is_damped && self.has_started {
                let weight = &mut self.weight[index];
                *weight = if change * self.last_change[index] < 0.0 {
                    (0.5 * *weight).max(0.1)
                } else {
                    (1.2 * *weight).min(1.0)
                };
                state.shift[index] += *weight * change;
            } else {
                state.shift[index] = target;
            }
            self.last_change[index] = change;
        }
        self.has_started = true;
    }
}
