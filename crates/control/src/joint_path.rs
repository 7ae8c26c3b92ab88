//! Paths of joints through given positions.

use stiction_sim::{Result, SimError};

use crate::minimum_jerk::{minimum_jerk, minimum_jerk_acceleration, minimum_jerk_rate, share};

/// Joints that go through positions at given times and rest at each of them, with minimum jerk between.
///
/// ```
/// use stiction_control::JointPath;
///
/// let path = JointPath::new(vec![(0.0, vec![0.0]), (2.0, vec![1.0])])?;
/// assert_eq!(path.at(0, 1.0), [0.5, 0.9375, 0.0]); // halfway, at 15/8 of the mean speed
/// assert_eq!(path.at(0, 9.0), [1.0, 0.0, 0.0]);
/// # Ok::<(), stiction_sim::SimError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct JointPath {
    knots: Vec<(f64, Vec<f64>)>,
}

impl JointPath {
    /// A path through positions (rad or m, one for each joint) at times (s, ascending).
    ///
    /// # Errors
    /// No knot, times that do not ascend, knots of different length, numbers that are not finite.
    pub fn new(knots: Vec<(f64, Vec<f64>)>) -> Result<Self> {
        let refuse = |knot: usize, reason: &str| {
            Err(SimError::NotPossible {
                element: format!("knot {knot} of the path"),
                reason: reason.to_owned(),
            })
        };
        let Some((_, first)) = knots.first() else {
            return refuse(0, "is missing: a path needs one at least");
        };
        for (index, (time, positions)) in knots.iter().enumerate() {
            if !time.is_finite() || positions.iter().any(|position| !position.is_finite()) {
                return refuse(index, "has a number that is not finite");
            }
            if positions.len() != first.len() {
                return refuse(index, "has another number of joints than the first");
            }
            if index > 0 && !(*time > knots[index - 1].0) {
                return refuse(index, "is not later than the one before");
            }
        }
        Ok(Self { knots })
    }

    /// A path that stays.
    ///
    /// # Errors
    /// A position that is not finite.
    pub fn stay(positions: &[f64]) -> Result<Self> {
        Self::new(vec![(0.0, positions.to_vec())])
    }

    /// Number of joints.
    pub fn joints(&self) -> usize {
        self.knots[0].1.len()
    }

    /// When it arrives at its last knot, s.
    pub fn end(&self) -> f64 {
        self.knots[self.knots.len() - 1].0
    }

    /// Position (rad or m), velocity and acceleration of a joint at a time (s).
    ///
    /// # Panics
    /// A joint that the path does not have.
    pub fn at(&self, joint: usize, time: f64) -> [f64; 3] {
        let after = self.knots.partition_point(|&(at, _)| at <= time);
        let Some((end, to)) = self.knots.get(after) else {
            return [self.knots[after - 1].1[joint], 0.0, 0.0];
        };
        let Some((start, from)) = after.checked_sub(1).map(|before| &self.knots[before]) else {
            return [to[joint], 0.0, 0.0];
        };
        let (s, way, whole) = (
            share(time, [*start, *end]),
            to[joint] - from[joint],
            end - start,
        );
        [
            from[joint] + way * minimum_jerk(s),
            way * minimum_jerk_rate(s) / whole,
            way * minimum_jerk_acceleration(s) / (whole * whole),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn velocities_are_those_of_differences_and_zero_at_knots() {
        let path = JointPath::new(vec![
            (0.5, vec![1.0, 0.0]),
            (1.5, vec![-1.0, 2.0]),
            (4.0, vec![0.0, 2.5]),
        ])
        .unwrap();
        let h = 1e-5;
        for joint in 0..2 {
            for k in 0..100 {
                let time = 0.05 * f64::from(k) + 0.013;
                let [_, velocity, acceleration] = path.at(joint, time);
                let [before, after] = [time - h, time + h].map(|time| path.at(joint, time));
                assert!(((after[0] - before[0]) / (2.0 * h) - velocity).abs() < 1e-6);
                assert!(((after[1] - before[1]) / (2.0 * h) - acceleration).abs() < 1e-4);
            }
            for knot in [0.5, 1.5, 4.0] {
                assert_eq!(path.at(joint, knot)[1..], [0.0, 0.0]);
            }
        }
        assert_eq!(path.at(1, 1.5)[0], 2.0);
    }

    #[test]
    fn what_is_no_path_is_refused_by_its_knot() {
        for (knots, words) in [
            (vec![], "is missing"),
            (vec![(0.0, vec![1.0]), (0.0, vec![2.0])], "knot 1"),
            (vec![(0.0, vec![1.0]), (1.0, vec![])], "another number"),
            (vec![(f64::NAN, vec![])], "not finite"),
        ] {
            let error = JointPath::new(knots).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
