//! Newton straight at the complementarity problem.
//!
//! Where it is known which contacts stick, slide and open, the natural map is smooth and Newton
//! converges quadratically, but for the regularisation ε of [`natural_map`](crate::natural_map): in
//! directions that hardly anything moves, such as those of nearly redundant joints, a step leaves
//! ε/(ε + σ²) of the error. Where a step gains little, ε is as small as it can be for the next.

use crate::natural_map::{Context, NaturalMap, Reached};
use crate::rules::{LEAST_REGULARIZATION, PAID};
use crate::settings::Finish;

/// Buffers of the finish.
#[derive(Debug, Default)]
pub(crate) struct FinishNewton {
    /// The best impulses, on exit.
    pub(crate) best: Vec<f64>,
    map: NaturalMap,
}

impl FinishNewton {
    /// Newton from impulses with their residual; ends where a second step in a row brings nothing. A first
    /// step beyond what is `hopeless` is made again, softly: joints that hold and feet that stick may
    /// contradict each other in a guess, and that tells which of them give way.
    pub(crate) fn run(
        &mut self,
        context: &mut Context<'_>,
        settings: &Finish,
        (start, residual): (&[f64], f64),
        hopeless: f64,
    ) -> Reached {
        self.best.clear();
        self.best.extend_from_slice(start);
        self.map.start(context, start);
        let mut reached = Reached { residual, steps: 0 };
        let mut epsilon = settings.regularization;
        let (mut failures, mut is_soft) = (0, false);
        while reached.steps < settings.max_steps && !context.stopwatch.is_spent() {
            self.map.linearize(context, 0.0, epsilon);
            reached.steps += 1;
            if !self.map.compute_step(context) {
                break;
            }
            self.map.advance(context, 1.0);
            let residual = self.map.residual(context);
            if !residual.is_finite() || (residual > hopeless && is_soft) {
                break;
            }
            if residual > hopeless {
                self.map.start(context, start);
                (epsilon, is_soft) = (settings.soft_regularization, true);
                continue;
            }
            if is_soft {
                epsilon = epsilon.min(settings.regularization);
            }
            let gains_little = residual > PAID * reached.residual;
            if residual < reached.residual {
                reached.residual = residual;
                self.best.copy_from_slice(&self.map.lambda);
                if residual <= context.tolerance {
                    break;
                }
            }
            if gains_little {
                let is_least = epsilon == LEAST_REGULARIZATION;
                failures += usize::from(residual >= reached.residual || is_least);
                epsilon = LEAST_REGULARIZATION;
                if failures > 1 {
                    break;
                }
            }
        }
        reached
    }
}
