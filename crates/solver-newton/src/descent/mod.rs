//! Globalised Newton on an equation with kinks: steps that bring the merit function ½‖r‖² down.
//!
//! - `[NW]`: Nocedal, Wright, *Numerical Optimization*, 1999, section 11.2.
//! - `[DFK]`: De Luca, Facchinei, Kanzow, *A semismooth equation approach to the solution of nonlinear
//!   complementarity problems*, 1996.

mod backtracking;
mod dogleg;
mod matrix;

use stiction_constraints::Stopwatch;

pub(crate) use matrix::GeneralMatrix;

/// How a Newton step is kept from leading astray.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Globalization {
    /// A trust region, with the dogleg from the steepest descent to the Newton step, [NW, Alg. 11.5 and 11.6].
    #[default]
    Dogleg,
    /// Halved steps, and steepest descent where the Newton step does not lead down, [DFK, §4].
    Backtracking,
    /// The same with steps that end just beyond an edge, where a constraint opens, closes, starts or stops
    /// sliding: what lies behind it has another derivative.
    EdgeAware,
}

/// An equation r(x) = 0 with kinks. x and r are scaled so that their norms mean something: both are in √J.
pub(crate) trait Equation {
    /// Number of unknowns.
    fn len(&self) -> usize;

    /// ‖r‖ at x; r and its pieces are kept. Infinite where it is not finite.
    fn evaluate(&mut self, x: &[f64]) -> f64;

    /// The derivative H at the last x, ready to solve with; `false` where it is singular.
    fn linearize(&mut self) -> bool;

    /// −H⁻¹ r.
    fn newton_step(&mut self, out: &mut [f64]);

    /// Hᵀ r, the gradient of the merit function.
    fn gradient(&mut self, out: &mut [f64]);

    /// ‖H d‖² of a direction and rᵀ H d.
    fn along(&mut self, direction: &[f64]) -> [f64; 2];

    /// The lengths α in (0, 1) at which constraints change their way on the way from x along a direction, in no
    /// order.
    fn edges(&mut self, x: &[f64], direction: &[f64], out: &mut Vec<f64>);
}

/// A Newton step so short, relative to x, that rounding made it.
const ROUNDING: f64 = 1e-13;

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Step {
    /// ‖r‖ at the new x.
    pub(crate) size: f64,
    /// Steps that were tried: at least one.
    pub(crate) tried: usize,
    /// Whether x moved; no step from here leads down if not.
    pub(crate) has_moved: bool,
}

/// A descent on its way. Buffers live between solves.
#[derive(Debug, Default)]
pub(crate) struct Descent {
    /// ‖r‖ at the present x.
    pub(crate) size: f64,
    radius: f64,
    newton: Vec<f64>,
    gradient: Vec<f64>,
    step: Vec<f64>,
    trial: Vec<f64>,
    edges: Vec<f64>,
}

impl Descent {
    /// Begins at x.
    pub(crate) fn start(&mut self, equation: &mut impl Equation, x: &[f64]) {
        for buffer in [
            &mut self.newton,
            &mut self.gradient,
            &mut self.step,
            &mut self.trial,
        ] {
            buffer.resize(equation.len(), 0.0);
        }
        self.radius = f64::INFINITY;
        self.size = equation.evaluate(x);
    }

    /// One step from x, which is where [`start`](Self::start) or the last step ended.
    pub(crate) fn advance(
        &mut self,
        globalization: Globalization,
        equation: &mut impl Equation,
        x: &mut [f64],
        stopwatch: &Stopwatch,
    ) -> Step {
        let is_regular = equation.linearize();
        equation.gradient(&mut self.gradient);
        if is_regular {
            equation.newton_step(&mut self.newton);
        }
        // What rounding made of a singular matrix is no direction.
        let has_newton = is_regular && self.newton.iter().all(|value| value.is_finite());
        let step = match globalization {
            Globalization::Dogleg => self.dogleg(equation, x, has_newton, stopwatch),
            Globalization::Backtracking => {
                self.backtrack(equation, x, has_newton, false, stopwatch)
            }
            Globalization::EdgeAware => self.backtrack(equation, x, has_newton, true, stopwatch),
        };
        self.size = step.size;
        step
    }

    /// Whether the last Newton step was as short as rounding, so that nothing can be gained.
    pub(crate) fn is_rounding(&self, x: &[f64]) -> bool {
        norm(&self.newton) <= ROUNDING * norm(x)
    }

    /// No step leads down: back to where it began.
    fn give_up(&self, equation: &mut impl Equation, x: &[f64], tried: usize) -> Step {
        equation.evaluate(x);
        Step {
            size: self.size,
            tried,
            has_moved: false,
        }
    }

    /// ‖r‖ at x + `scale` · step.
    fn try_step(&mut self, equation: &mut impl Equation, x: &[f64], scale: f64) -> f64 {
        let steps = self.trial.iter_mut().zip(x).zip(&self.step);
        for ((trial, x), step) in steps {
            *trial = x + scale * step;
        }
        equation.evaluate(&self.trial)
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|value| value * value).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use stiction_constraints::Budget;

    use super::*;

    /// r = (x + k max(x, 0) − 1, 10 (y − x²)): a kink and a bent valley.
    struct Bent {
        at: [f64; 2],
        r: [f64; 2],
        h: [[f64; 2]; 2],
    }

    impl Equation for Bent {
        fn len(&self) -> usize {
            2
        }

        fn evaluate(&mut self, x: &[f64]) -> f64 {
            self.at = [x[0], x[1]];
            self.r = [
                x[0] + 4.0 * x[0].max(0.0) - 1.0,
                10.0 * (x[1] - x[0] * x[0]),
            ];
            norm(&self.r)
        }

        fn linearize(&mut self) -> bool {
            let [x, _] = self.at;
            self.h = [[if x > 0.0 { 5.0 } else { 1.0 }, 0.0], [-20.0 * x, 10.0]];
            true
        }

        fn newton_step(&mut self, out: &mut [f64]) {
            out[0] = -self.r[0] / self.h[0][0];
            out[1] = (-self.r[1] - self.h[1][0] * out[0]) / 10.0;
        }

        fn gradient(&mut self, out: &mut [f64]) {
            out[0] = self.h[0][0] * self.r[0] + self.h[1][0] * self.r[1];
            out[1] = self.h[1][1] * self.r[1];
        }

        fn along(&mut self, d: &[f64]) -> [f64; 2] {
            let hd = [
                self.h[0][0] * d[0],
                self.h[1][0] * d[0] + self.h[1][1] * d[1],
            ];
            [
                hd[0] * hd[0] + hd[1] * hd[1],
                hd[0] * self.r[0] + hd[1] * self.r[1],
            ]
        }

        fn edges(&mut self, x: &[f64], d: &[f64], out: &mut Vec<f64>) {
            let alpha = -x[0] / d[0];
            out.extend((alpha > 0.0 && alpha < 1.0).then_some(alpha));
        }
    }

    #[test]
    fn every_way_arrives_from_afar_and_goes_down_all_the_time() {
        let stopwatch = Stopwatch::start(&Budget::default());
        for globalization in [
            Globalization::Dogleg,
            Globalization::Backtracking,
            Globalization::EdgeAware,
        ] {
            let mut equation = Bent {
                at: [0.0; 2],
                r: [0.0; 2],
                h: [[0.0; 2]; 2],
            };
            let mut descent = Descent::default();
            let mut x = [-8.0, 3.0];
            descent.start(&mut equation, &x);
            let mut steps = 0;
            while descent.size > 1e-12 {
                let before = descent.size;
                let step = descent.advance(globalization, &mut equation, &mut x, &stopwatch);
                assert!(step.has_moved && step.size < before, "{globalization:?}");
                steps += 1;
                assert!(steps < 40, "{globalization:?}: {}", descent.size);
            }
            assert!((x[0] - 0.2).abs() < 1e-12 && (x[1] - 0.04).abs() < 1e-12);
            // At the solution no step leads down.
            let step = descent.advance(globalization, &mut equation, &mut x, &stopwatch);
            assert!(step.size <= 1e-12);
        }
    }
}
