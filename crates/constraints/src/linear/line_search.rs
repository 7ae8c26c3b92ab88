//! Exact line search, [AL, (27)]: the root of an increasing slope, by Newton inside a bracket.

/// Where nothing better is known.
const HALF: f64 = 0.5;

/// Slope g(α) of the objective along a direction and its derivative g′(α).
#[derive(Debug, Clone, Copy)]
pub struct Slope {
    /// g(α).
    pub value: f64,
    /// g′(α).
    pub derivative: f64,
}

/// Finds α > 0 with |g(α)| ≤ tolerance·|g(0)| for increasing g with g(0) < 0. α = 1, the Newton
/// step, is tried first. The last call of `slope_at` is at the returned α.
pub fn find_step(
    slope_at_zero: f64,
    (tolerance, max_probes): (f64, usize),
    mut slope_at: impl FnMut(f64) -> Slope,
) -> f64 {
    let enough = tolerance * slope_at_zero.abs();
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut alpha = 1.0;
    for probe in 1.. {
        let slope = slope_at(alpha);
        if slope.value.abs() <= enough || probe == max_probes || !slope.value.is_finite() {
            break;
        }
        if slope.value < 0.0 {
            low = alpha;
        } else {
            high = alpha;
        }
        let newton = if slope.derivative > 0.0 {
            alpha - slope.value / slope.derivative
        } else {
            f64::NAN
        };
        let next = if high.is_infinite() {
            // No bracket yet: twice as far at least.
            newton.max(alpha / HALF)
        } else if newton > low && newton < high {
            newton
        } else {
            HALF * (low + high)
        };
        // Nothing is left between the ends of the bracket.
        if next <= low || next >= high {
            break;
        }
        alpha = next;
    }
    alpha
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_kink_of_a_piecewise_linear_slope() {
        // g = −1 + 0.1 α below 3, then steep: root at 3 + 0.7/50.
        let slope = |alpha: f64| {
            if alpha < 3.0 {
                Slope {
                    value: -1.0 + 0.1 * alpha,
                    derivative: 0.1,
                }
            } else {
                Slope {
                    value: -0.7 + 50.0 * (alpha - 3.0),
                    derivative: 50.0,
                }
            }
        };
        let alpha = find_step(-1.0, (1e-12, 50), slope);
        assert!((alpha - 3.014).abs() < 1e-9, "{alpha}");
    }

    #[test]
    fn takes_the_newton_step_when_it_is_exact() {
        let mut calls = 0;
        let alpha = find_step(-2.0, (1e-8, 50), |alpha| {
            calls += 1;
            Slope {
                value: 2.0 * (alpha - 1.0),
                derivative: 2.0,
            }
        });
        assert_eq!((alpha, calls), (1.0, 1));
    }

    #[test]
    fn shrinks_when_the_newton_step_is_too_long() {
        let alpha = find_step(-1.0, (1e-10, 50), |alpha| Slope {
            value: (10.0 * alpha).powi(3) - 1.0,
            derivative: 3000.0 * alpha * alpha,
        });
        assert!((alpha - 0.1).abs() < 1e-9, "{alpha}");
    }
}
