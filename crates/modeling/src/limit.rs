//! Velocity intervals that keep a coordinate between its limits.

use stiction_constraints::{CustomLaw, Law, SoftContacts};

use crate::scheme::Scheme;

/// Interval of v̂ that keeps a coordinate between `limits` (either may be infinite) and its speed
/// below `speed`, with the position `start` at the start of the step.
///
/// Inside the limits the coordinate is stopped exactly at the limit. One that starts beyond a limit
/// comes back gently: by the share `baumgarte` of its way per step, at most at `push_out_speed`
/// (read as rad/s for an angle) and at most at `speed`; and it never goes further out.
///
/// What comes back does so by its [`push`](Interval::push), which is no motion of its own: the velocity
/// at the end of the step is kept in the interval without it.
///
/// `seen` is where the coordinate would be with v̂ = 0 as this pass linearises; it is `start` for a
/// coordinate that is linear in the degrees of freedom.
pub fn velocity_interval(
    start: f64,
    seen: f64,
    [lower, upper]: [f64; 2],
    speed: f64,
    scheme: &Scheme,
) -> Interval {
    let dt = scheme.dt;
    let way_back =
        |beyond: f64| (scheme.baumgarte * beyond).min(scheme.push_out_speed.min(speed) * dt);
    let (mut lowest, mut highest, mut way) = (lower, upper, 0.0);
    if start < lower {
        way = way_back(lower - start);
        lowest = start + way;
    }
    if start > upper {
        way = -way_back(start - upper);
        highest = start + way;
    }
    let [lower, upper] = [lowest, highest].map(|end| ((end - seen) / dt).clamp(-speed, speed));
    Interval {
        lower,
        upper,
        push: way / dt,
    }
}

/// Velocities that a coordinate may have, m/s or rad/s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lowest.
    pub lower: f64,
    /// Highest.
    pub upper: f64,
    /// Speed at which a coordinate beyond a limit is brought back: positive from below the lower one,
    /// negative from above the upper one, else 0.
    pub push: f64,
}

/// Pushes slower than this leave no motion that anybody sees, m/s or rad/s.
const UNSEEN: f64 = 1e-5;

impl Interval {
    /// An interval that nothing is beyond.
    pub fn of_speed(speed: f64) -> Self {
        Self {
            lower: -speed,
            upper: speed,
            push: 0.0,
        }
    }

    /// The ends.
    pub fn ends(&self) -> [f64; 2] {
        [self.lower, self.upper]
    }

    /// Law, e and push of the row. A push that matters is kept apart in e, so that it can be taken out of
    /// it.
    pub fn row(&self) -> (Law, f64, f64) {
        let push = match self.push.abs() > UNSEEN {
            true => self.push,
            false => 0.0,
        };
        let (lower, upper) = (self.lower - push, self.upper - push);
        (Law::JointLimit { lower, upper }, -push, push)
    }
}

/// A limit that gives way: 0 ≤ λ ⟂ z + e + R λ ≥ 0 with R the first parameter, 1/kg (1/(kg·m²)).
static SOFT_LIMIT: CustomLaw = CustomLaw {
    kind: "soft limit",
    response: |&[compliance, _], x_bar, e, beta| {
        let stiffness = 1.0 / (1.0 / beta + compliance);
        match x_bar + e < 0.0 {
            true => (-stiffness * (x_bar + e), stiffness),
            false => (0.0, 0.0),
        }
    },
    check: |&[compliance, _]| match compliance >= 0.0 {
        true => Ok(()),
        false => Err("needs a compliance that is not negative"),
    },
};

/// A limit that a coordinate is beyond and that gives way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoftLimit {
    /// 1 for the lower limit and −1 for the upper one: the row is this times the coordinate.
    pub side: f64,
    /// The law of the row.
    pub law: Law,
    /// e of the row, m/s or rad/s.
    pub error: f64,
}

impl SoftLimit {
    /// The limit that a coordinate at `position` with a velocity is beyond, in a step of `dt` s; `inverse_mass` is what
    /// the coordinate is thought to have, 1/kg or 1/(kg·m²). `None` between the limits.
    pub fn of(
        soft: &SoftContacts,
        [position, velocity]: [f64; 2],
        [lower, upper]: [f64; 2],
        inverse_mass: f64,
        dt: f64,
    ) -> Option<Self> {
        let (side, gap) = if position < lower {
            (1.0, position - lower)
        } else if position > upper {
            (-1.0, upper - position)
        } else {
            return None;
        };
        Some(Self {
            side,
            law: Law::Custom {
                law: &SOFT_LIMIT,
                parameters: [soft.compliance_at(gap, inverse_mass), 0.0],
            },
            error: soft.error(gap, side * velocity, dt),
        })
    }
}

/// By how much the speed of a joint hardly changes in a step, rad/s or m/s.
const LARGE_CHANGE: f64 = 1.0;

/// Whether a coordinate that moves at `velocity` will hardly reach an end of its interval of v̂ in
/// this step. Being wrong costs a second solve and nothing else.
pub fn is_far_inside([lower, upper]: [f64; 2], velocity: f64) -> bool {
    let change = LARGE_CHANGE.max(velocity.abs());
    lower < velocity - change && velocity + change < upper
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEME: Scheme = Scheme {
        dt: 0.01,
        theta: 0.0,
        baumgarte: 0.2,
        push_out_speed: 0.5,
    };

    #[test]
    fn a_soft_limit_is_a_law_and_pushes_back_from_either_side() {
        assert_eq!(SOFT_LIMIT.find_flaw(&[0.3, 0.0]), None);
        let soft = SoftContacts::MUJOCO;
        let limit = |position: f64| SoftLimit::of(&soft, [position, 0.0], [-1.0, 1.0], 2.0, 0.002);
        assert_eq!(limit(0.99), None);
        let [low, high] = [-1.01, 1.01].map(|position| limit(position).expect("beyond"));
        assert_eq!((low.side, high.side), (1.0, -1.0));
        assert!((low.error - high.error).abs() < 1e-12 && low.error < 0.0);
    }

    #[test]
    fn inside_the_whole_way_to_the_limit_is_free() {
        let [lower, upper] =
            velocity_interval(0.5, 0.5, [-1.0, 0.6], f64::INFINITY, &SCHEME).ends();
        assert!((lower + 150.0).abs() < 1e-12 && (upper - 10.0).abs() < 1e-12);
        let interval = velocity_interval(0.5, 0.5, [-1.0, 0.6], 3.0, &SCHEME);
        assert_eq!((interval.ends(), interval.push), ([-3.0, 3.0], 0.0));
        let open = [f64::NEG_INFINITY, f64::INFINITY];
        assert_eq!(
            velocity_interval(0.5, 0.5, open, f64::INFINITY, &SCHEME).ends(),
            open
        );
    }

    #[test]
    fn beyond_the_way_back_is_gentle() {
        let interval = |start: f64, speed: f64| {
            velocity_interval(start, start, [-1.0, 1.0], speed, &SCHEME).ends()
        };
        // A share of a little, and the speed of a lot.
        assert!((interval(1.01, f64::INFINITY)[1] + 0.2).abs() < 1e-12);
        assert!((interval(3.0, f64::INFINITY)[1] + 0.5).abs() < 1e-12);
        assert!((interval(-3.0, f64::INFINITY)[0] - 0.5).abs() < 1e-12);
        // A slow joint comes back at its own speed.
        let slow = interval(-3.0, 0.1);
        assert!((slow[0] - 0.1).abs() < 1e-12 && (slow[1] - 0.1).abs() < 1e-12);
        for start in [-3.0, -1.01, 0.0, 1.01, 3.0] {
            let [lower, upper] = interval(start, f64::INFINITY);
            assert!(lower <= upper);
        }
    }

    #[test]
    fn without_its_push_a_coordinate_beyond_its_limit_only_goes_no_further() {
        for (start, sign) in [(-1.5, 1.0), (1.5, -1.0)] {
            let interval = velocity_interval(start, start, [-1.0, 1.0], f64::INFINITY, &SCHEME);
            let (law, error, push) = interval.row();
            assert_eq!((push, error), (0.5 * sign, -0.5 * sign));
            let Law::JointLimit { lower, upper } = law else {
                panic!("{law:?}");
            };
            let bound = if sign > 0.0 { lower } else { -upper };
            assert!(bound.abs() < 1e-12, "{law:?}");
            // A push that nobody sees stays in the law.
            let start = sign * -(1.0 + 1e-9);
            let interval = velocity_interval(start, start, [-1.0, 1.0], f64::INFINITY, &SCHEME);
            let [lower, upper] = interval.ends();
            assert_eq!(interval.row(), (Law::JointLimit { lower, upper }, 0.0, 0.0));
        }
    }
}
