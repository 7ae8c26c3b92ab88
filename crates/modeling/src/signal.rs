//! Values that change with time.

use std::f64::consts::TAU;
use std::ops::{Add, Mul, Sub};

use serde::{Deserialize, Serialize};

/// A value as a function of time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Signal<T> {
    /// Always the same.
    Constant(T),
    /// mean + amplitude · sin(2π frequency t + phase).
    Sinusoid {
        /// Middle of the swing.
        mean: T,
        /// Half of the swing.
        amplitude: T,
        /// Hz.
        frequency: f64,
        /// rad.
        phase: f64,
    },
    /// Straight lines between values at given times (s, ascending), constant before and after.
    Waypoints(Vec<(f64, T)>),
}

impl<T> Signal<T>
where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T>,
{
    /// Value and rate of change at a time; `zero` is both without any waypoint.
    pub fn at(&self, time: f64, zero: T) -> (T, T) {
        match self {
            Self::Constant(value) => (*value, zero),
            Self::Sinusoid {
                mean,
                amplitude,
                frequency,
                phase,
            } => {
                let (sin, cos) = (TAU * frequency * time + phase).sin_cos();
                (
                    *mean + *amplitude * sin,
                    *amplitude * (TAU * frequency * cos),
                )
            }
            Self::Waypoints(points) => {
                let after = points.partition_point(|&(at, _)| at <= time);
                match (after.checked_sub(1).map(|i| points[i]), points.get(after)) {
                    (Some((t0, a)), Some(&(t1, b))) => {
                        let rate = (b - a) * (1.0 / (t1 - t0));
                        (a + rate * (time - t0), rate)
                    }
                    (Some((_, value)), None) | (None, Some(&(_, value))) => (value, zero),
                    (None, None) => (zero, zero),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_the_derivatives() {
        let signals = [
            Signal::Constant(2.0),
            Signal::Sinusoid {
                mean: 1.0,
                amplitude: 0.5,
                frequency: 2.0,
                phase: 0.3,
            },
            Signal::Waypoints(vec![(0.5, 1.0), (1.0, -1.0), (2.0, 0.0)]),
        ];
        for signal in &signals {
            for time in [0.1, 0.7, 1.3, 2.6] {
                let h = 1e-6;
                let ahead = signal.at(time + h, 0.0).0;
                let behind = signal.at(time - h, 0.0).0;
                let rate = signal.at(time, 0.0).1;
                assert!(
                    ((ahead - behind) / (2.0 * h) - rate).abs() < 1e-5,
                    "{signal:?}"
                );
            }
        }
        assert_eq!(signals[2].at(0.0, 0.0), (1.0, 0.0));
        assert_eq!(signals[2].at(0.75, 0.0).0, 0.0);
        assert_eq!(signals[2].at(9.0, 0.0), (0.0, 0.0));
        assert_eq!(
            Signal::<f64>::Waypoints(Vec::new()).at(1.0, 0.0),
            (0.0, 0.0)
        );
    }
}
