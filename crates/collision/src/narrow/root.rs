//! Roots of functions that never decrease.

/// How exactly a root is found, as part of the interval that it was sought in.
const ACCURACY: f64 = 1e-13;

/// Where between two points, each given with its value, a function that never decreases becomes
/// positive; the first if it is not negative there, the second if it is not positive there.
///
/// Interpolate, truncate, project (Oliveira and Takahashi, "An Enhancement of the Bisection Method
/// Average Performance Preserving Minmax Optimality", 2020): at most one evaluation more than bisection
/// takes, and few where the function is smooth.
pub(super) fn increasing_root(
    (mut low, mut low_value): (f64, f64),
    (mut high, mut high_value): (f64, f64),
    value_at: impl Fn(f64) -> f64,
) -> f64 {
    // Also what is not a number ends here.
    if !(low_value < 0.0) {
        return low;
    }
    if !(high_value > 0.0) {
        return high;
    }
    let width = high - low;
    let accuracy = ACCURACY * width;
    // How far a point may be from the middle, that bisection would still be done in time.
    let mut reserve = width;
    while high - low > 2.0 * accuracy {
        let middle = 0.5 * (low + high);
        let interpolated = (high_value * low - low_value * high) / (high_value - low_value);
        let towards_middle = (middle - interpolated).signum();
        let truncation = 0.2 * (high - low) * (high - low) / width;
        let truncated = match truncation <= (middle - interpolated).abs() {
            true => interpolated + towards_middle * truncation,
            false => middle,
        };
        let radius = (reserve - 0.5 * (high - low)).max(0.0);
        let next = match (truncated - middle).abs() <= radius {
            true => truncated,
            false => middle - towards_middle * radius,
        };
        reserve *= 0.5;
        if !(low < next && next < high) {
            break;
        }
        let value = value_at(next);
        if value > 0.0 {
            (high, high_value) = (next, value);
        } else if value < 0.0 {
            (low, low_value) = (next, value);
        } else {
            return next;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::increasing_root;

    /// The root of a function on [−1, 1], and how many evaluations it took.
    fn root(value_at: impl Fn(f64) -> f64) -> (f64, usize) {
        let count = Cell::new(0);
        let counted = |t: f64| {
            count.set(count.get() + 1);
            value_at(t)
        };
        let found = increasing_root((-1.0, counted(-1.0)), (1.0, counted(1.0)), counted);
        (found, count.get())
    }

    proptest! {
        #[test]
        fn finds_bends_and_jumps_as_fast_as_bisection(
            at in -0.999..0.999_f64, slope in 1e-6..1e6_f64, jump in 0.0..1e3_f64, power in 1..6_i32,
        ) {
            let (found, count) = root(|t| {
                let curve = (t - at).abs().powi(power) * (t - at).signum();
                if t > at { slope * curve + jump } else { curve }
            });
            // A curve of high power is zero to rounding near its root.
            let accuracy = if power < 3 { 1e-12 } else { 1e-3 };
            prop_assert!((found - at).abs() < accuracy, "{found} instead of {at}");
            prop_assert!(count <= 48, "{count} evaluations");
        }
    }

    #[test]
    fn a_smooth_function_takes_few_evaluations() {
        let (found, count) = root(|t| (t + 0.3) / (1.0 + (t + 0.3) * (t + 0.3)).sqrt());
        assert!((found + 0.3).abs() < 1e-12);
        assert!(count <= 14, "{count} evaluations");
    }

    #[test]
    fn without_a_change_of_sign_an_end_is_returned() {
        assert_eq!(root(|t| t + 2.0).0, -1.0);
        assert_eq!(root(|t| t - 2.0).0, 1.0);
    }
}
