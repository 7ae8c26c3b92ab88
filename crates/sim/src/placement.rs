//! Where everything is when the constraints are written down, and the rows that follow from it.

use nalgebra::{Isometry3, Point3, Vector3};

use crate::body::{Body, Kind};
use crate::rows::BodyTerm;
use crate::state::Twist;

/// Poses and velocities of all bodies, and the points about which subsystems measure motion.
#[derive(Debug, Clone, Default)]
pub(crate) struct Placement {
    /// Poses of the bodies' frames.
    pub(crate) poses: Vec<Isometry3<f64>>,
    /// Velocities at the start of the step.
    pub(crate) twists: Vec<Twist>,
    /// v̂ of the last pass, about which this pass linearises (zero in the first).
    pub(crate) guess: Vec<Twist>,
    /// Reference point of each subsystem, world, m.
    pub(crate) references: Vec<Vector3<f64>>,
    /// How far along `guess` the poses were moved, s.
    pub(crate) advance: f64,
}

/// Two bodies whose relative motion (second minus first) rows measure.
pub(crate) struct Pair<'a> {
    pub(crate) placement: &'a Placement,
    pub(crate) bodies: &'a [Body],
    pub(crate) first: usize,
    pub(crate) second: usize,
}

/// Rows of a pair: what the solver moves, what is known, and the velocities for error terms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairRows {
    pub(crate) terms: [Option<BodyTerm>; 2],
    /// Part of J v̂ that driven bodies contribute.
    pub(crate) driven: [f64; 3],
    /// J v at the start of the step.
    pub(crate) before: [f64; 3],
    /// J v̂ of the last pass.
    pub(crate) guess: [f64; 3],
}

impl Pair<'_> {
    /// Velocity of the second body's material point minus that of the first's along `directions`.
    pub(crate) fn linear(
        &self,
        points: [&Point3<f64>; 2],
        directions: &[Vector3<f64>],
    ) -> PairRows {
        self.rows(directions, |body, origin, twist: &Twist, reference| {
            let point = points[body];
            let velocity = twist.at(origin, point);
            let arm = point.coords - reference;
            (velocity, Some(arm))
        })
    }

    /// Angular velocity of the second body minus that of the first along `directions`.
    pub(crate) fn angular(&self, directions: &[Vector3<f64>]) -> PairRows {
        self.rows(directions, |_, _, twist: &Twist, _| (twist.angular, None))
    }

    /// `measure(which, origin, twist, reference)` gives the velocity that rows measure and, for a
    /// linear one, the arm from the subsystem's reference point.
    fn rows(
        &self,
        directions: &[Vector3<f64>],
        measure: impl Fn(
            usize,
            &Vector3<f64>,
            &Twist,
            &Vector3<f64>,
        ) -> (Vector3<f64>, Option<Vector3<f64>>),
    ) -> PairRows {
        let mut out = PairRows {
            terms: [None; 2],
            driven: [0.0; 3],
            before: [0.0; 3],
            guess: [0.0; 3],
        };
        for (which, (body, sign)) in [(self.first, -1.0), (self.second, 1.0)]
            .into_iter()
            .enumerate()
        {
            let origin = &self.placement.poses[body].translation.vector;
            let kind = self.bodies[body].kind;
            let site = kind.site();
            let reference = site.map_or(*origin, |(subsystem, _)| {
                self.placement.references[subsystem]
            });
            let (before, arm) = measure(which, origin, &self.placement.twists[body], &reference);
            let (guess, _) = measure(which, origin, &self.placement.guess[body], &reference);
            let mut values = [0.0; 18];
            for (row, direction) in directions.iter().enumerate() {
                out.before[row] += sign * direction.dot(&before);
                out.guess[row] += sign * direction.dot(&guess);
                if kind == Kind::Driven {
                    out.driven[row] += sign * direction.dot(&before);
                }
                let block = &mut values[6 * row..6 * row + 6];
                match arm {
                    Some(arm) => {
                        block[..3].copy_from_slice((direction * sign).as_slice());
                        block[3..].copy_from_slice((arm.cross(direction) * sign).as_slice());
                    }
                    None => block[3..].copy_from_slice((direction * sign).as_slice()),
                }
            }
            if let Some((subsystem, body)) = site {
                out.terms[which] = Some(BodyTerm {
                    subsystem,
                    body,
                    values,
                });
            }
        }
        out
    }
}

/// Two unit vectors that make (t1, t2, n) a right-handed frame; t1 along `wish` where given.
pub(crate) fn tangents(normal: &Vector3<f64>, wish: Option<Vector3<f64>>) -> [Vector3<f64>; 2] {
    let along = wish.map(|wish| wish - normal * wish.dot(normal));
    let first = match along.and_then(|along| along.try_normalize(1e-9)) {
        Some(along) => along,
        None => {
            // The axis least aligned with the normal.
            let axis = match normal.iamin() {
                0 => Vector3::x(),
                1 => Vector3::y(),
                _ => Vector3::z(),
            };
            (axis - normal * axis.dot(normal)).normalize()
        }
    };
    [first, normal.cross(&first)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_right_handed_and_follow_the_wish() {
        for normal in [
            Vector3::z(),
            -Vector3::x(),
            Vector3::new(1.0, -2.0, 0.5).normalize(),
        ] {
            for wish in [None, Some(normal), Some(Vector3::new(0.3, 1.0, -0.2))] {
                let [t1, t2] = tangents(&normal, wish);
                assert!((t1.cross(&t2) - normal).norm() < 1e-14);
            }
        }
        let [t1, _] = tangents(&Vector3::z(), Some(Vector3::new(2.0, 0.0, 5.0)));
        assert!((t1 - Vector3::x()).norm() < 1e-15);
    }
}
