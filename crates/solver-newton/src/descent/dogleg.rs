//! A trust region with the dogleg step, [NW, Alg. 11.5 and 11.6].

use stiction_constraints::Stopwatch;

use super::{Descent, Equation, Step, norm};

/// Agreement of the merit function with its model above which a step is taken, below which the region
/// shrinks, and above which it may grow, [NW, Alg. 11.5].
const TAKEN: f64 = 1e-4;
const POOR: f64 = 0.25;
const GOOD: f64 = 0.75;
/// A region so much smaller than x, or than it was at first, that steps in it change nothing.
const NOTHING: f64 = 1e-15;

impl Descent {
    pub(super) fn dogleg(
        &mut self,
        equation: &mut impl Equation,
        x: &mut [f64],
        has_newton: bool,
        stopwatch: &Stopwatch,
    ) -> Step {
        let slope = norm(&self.gradient);
        let mut tried = 0;
        if !(slope > 0.0 && slope.is_finite()) {
            return self.give_up(equation, x, 1);
        }
        let [curvature, _] = equation.along(&self.gradient);
        // The lowest point of the model along −Hᵀr is this long a step away.
        let cauchy = if curvature > 0.0 {
            slope.powi(3) / curvature
        } else {
            f64::INFINITY
        };
        let newton = if has_newton {
            norm(&self.newton)
        } else {
            f64::INFINITY
        };
        // The whole first step is tried.
        if self.radius == f64::INFINITY {
            self.radius = if has_newton { newton } else { cauchy };
        }
        let least = NOTHING * norm(x).max(self.radius);
        while self.radius > least && self.radius.is_finite() && !stopwatch.is_spent() {
            self.set_dogleg(slope, cauchy, newton);
            let length = norm(&self.step);
            let [square, product] = equation.along(&self.step);
            // ‖r‖² − ‖r + H p‖².
            let foreseen = -(2.0 * product + square);
            tried += 1;
            let size = self.try_step(equation, x, 1.0);
            let agreement = (self.size * self.size - size * size) / foreseen;
            // A step that is not taken makes the region shrink, also where rounding makes the model agree.
            let is_taken = agreement > TAKEN && size < self.size;
            if !is_taken || agreement < POOR {
                self.radius = 0.25 * length;
            } else if agreement > GOOD && length >= 0.99 * self.radius {
                self.radius *= 2.0;
            }
            if is_taken {
                x.copy_from_slice(&self.trial);
                return Step {
                    size,
                    tried,
                    has_moved: true,
                };
            }
            // Back to the pieces of x, which the model is made of.
            equation.evaluate(x);
        }
        self.give_up(equation, x, tried.max(1))
    }

    /// The step along the dogleg that ends at the radius.
    fn set_dogleg(&mut self, slope: f64, cauchy: f64, newton: f64) {
        let Self {
            step,
            gradient,
            newton: whole,
            radius,
            ..
        } = self;
        if newton <= *radius {
            step.copy_from_slice(whole);
            return;
        }
        let down = cauchy.min(*radius) / slope;
        for (step, gradient) in step.iter_mut().zip(&*gradient) {
            *step = -down * gradient;
        }
        if cauchy >= *radius || newton == f64::INFINITY {
            return;
        }
        // ‖p_U + t (p_N − p_U)‖ = Δ.
        let (mut a, mut b) = (0.0, 0.0);
        for (step, whole) in step.iter().zip(&*whole) {
            let leg = whole - step;
            a += leg * leg;
            b += step * leg;
        }
        let c = cauchy * cauchy - *radius * *radius;
        let t = -c / (b + (b * b - a * c).max(0.0).sqrt());
        for (step, whole) in step.iter_mut().zip(&*whole) {
            *step += t * (whole - *step);
        }
    }
}
