//! Damped semismooth Newton, [DFK, §4]: halved steps, and steepest descent where Newton's does not lead down.

use stiction_constraints::Stopwatch;

use super::{Descent, Equation, Step, norm};

/// Least share of the decrease that the slope foresees, σ of [DFK].
const DECREASE: f64 = 1e-4;
/// ρ and p of [DFK]: a Newton step must lead down by ρ‖d‖^p at least.
const DOWN: f64 = 1e-8;
const POWER: f64 = 2.1;
/// Shortest step.
const SHORTEST: f64 = 1e-9;
/// How far beyond an edge a step ends, of the way to it.
const BEYOND: f64 = 1e-6;

impl Descent {
    pub(super) fn backtrack(
        &mut self,
        equation: &mut impl Equation,
        x: &mut [f64],
        has_newton: bool,
        sees_edges: bool,
        stopwatch: &Stopwatch,
    ) -> Step {
        let along = |direction: &[f64], gradient: &[f64]| {
            let both = direction.iter().zip(gradient);
            both.map(|(d, g)| d * g).sum::<f64>()
        };
        let mut slope = f64::NAN;
        if has_newton {
            slope = along(&self.newton, &self.gradient);
            self.step.copy_from_slice(&self.newton);
        }
        let leads_down = slope <= -DOWN * norm(&self.step).powf(POWER);
        if !(has_newton && leads_down) {
            for (step, gradient) in self.step.iter_mut().zip(&self.gradient) {
                *step = -gradient;
            }
            slope = -norm(&self.gradient).powi(2);
        }
        if !(slope < 0.0 && slope.is_finite()) {
            return self.give_up(equation, x, 1);
        }
        self.edges.clear();
        if sees_edges {
            equation.edges(x, &self.step, &mut self.edges);
            self.edges.sort_unstable_by(f64::total_cmp);
        }
        let merit = 0.5 * self.size * self.size;
        let (mut alpha, mut tried) = (1.0, 0);
        while alpha > SHORTEST && !stopwatch.is_spent() {
            tried += 1;
            let size = self.try_step(equation, x, alpha);
            if 0.5 * size * size <= merit + DECREASE * alpha * slope && size < self.size {
                x.copy_from_slice(&self.trial);
                return Step {
                    size,
                    tried,
                    has_moved: true,
                };
            }
            alpha *= 0.5;
            // Just beyond the last edge before that, if it is not much shorter.
            let before = self.edges.partition_point(|&edge| edge < alpha);
            if before > 0 && self.edges[before - 1] > 0.5 * alpha {
                alpha = (1.0 + BEYOND) * self.edges[before - 1];
            }
        }
        self.give_up(equation, x, tried)
    }
}
