//! Newton along the smoothed path, from the width of the current error down to none.
//!
//! The solutions of the smoothed problem form the central path of interior-point methods; it can be
//! followed from far away, where straight at the problem contacts would change their mode in every
//! step.

use crate::natural_map::{Context, NaturalMap, Reached};
use crate::rules::HALF;
use crate::settings::{Finish, Path};

/// Shortest step along the path: shorter ones mean that it is lost.
const SHORTEST_STRIDE: f64 = 0.05;

/// Buffers of the path-following Newton.
#[derive(Debug, Default)]
pub(crate) struct PathNewton {
    /// The best impulses, on exit.
    pub(crate) best: Vec<f64>,
    map: NaturalMap,
}

impl PathNewton {
    /// Newton from impulses with their residual, along the path of width `tau` (m/s) at first.
    pub(crate) fn run(
        &mut self,
        context: &mut Context<'_>,
        (settings, finish): (&Path, &Finish),
        (start, residual): (&[f64], f64),
        mut tau: f64,
    ) -> Reached {
        let epsilon = finish.regularization;
        self.best.clear();
        self.best.extend_from_slice(start);
        self.map.start(context, start);
        let mut reached = Reached { residual, steps: 0 };
        let mut setbacks = 0;
        let mut size = self.map.linearize(context, tau, epsilon);
        while reached.steps < context.max_newton && !context.stopwatch.is_spent() {
            reached.steps += 1;
            if !self.map.compute_step(context) {
                break;
            }
            let (mut alpha, mut taken) = (1.0, 0.0);
            let new_size = loop {
                self.map.advance(context, alpha - taken);
                taken = alpha;
                let new_size = self.map.linearize(context, tau, epsilon);
                if HALF * new_size <= size.max(tau) || tau == 0.0 || alpha < SHORTEST_STRIDE {
                    break new_size;
                }
                alpha *= HALF;
            };
            let residual = self.map.residual(context);
            if !residual.is_finite() {
                break;
            }
            if residual < reached.residual {
                reached.residual = residual;
                self.best.copy_from_slice(&self.map.lambda);
                if residual <= context.tolerance {
                    break;
                }
            }
            // Setbacks are allowed as long as τ is there to be lowered.
            setbacks += usize::from(new_size > size);
            if setbacks > settings.patience {
                break;
            }
            size = new_size;
            if tau > 0.0 && new_size <= tau {
                // Close to the path: go on along it; very close: leave it for the problem itself.
                let is_very_close = new_size <= settings.cut * settings.cut * tau && alpha == 1.0;
                tau = if is_very_close {
                    0.0
                } else {
                    settings.cut * tau
                };
                setbacks = 0;
                size = self.map.linearize(context, tau, epsilon);
            }
        }
        reached
    }
}
