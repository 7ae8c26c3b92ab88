//! Which foot stands when.

use stiction_sim::{Result, SimError};

use super::LEGS;

/// A periodic gait.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gait {
    /// Time of a whole cycle, s.
    pub period: f64,
    /// Part of the cycle in which a foot stands, 0…1; 1 stands all the time.
    pub duty: f64,
    /// Part of the cycle by which each leg is ahead.
    pub offsets: [f64; LEGS],
}

/// What a leg does at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LegPhase {
    /// Its foot stands; the part of that time that has passed, 0…1.
    Stance(f64),
    /// Its foot swings; the part of that time that has passed, 0…1.
    Swing(f64),
}

impl LegPhase {
    /// Whether the foot stands.
    pub fn stands(self) -> bool {
        matches!(self, Self::Stance(_))
    }
}

impl Gait {
    /// Opposite feet together: legs 0 and 3, then 1 and 2 (front right, front left, rear right, rear left).
    pub fn trot(period: f64, duty: f64) -> Self {
        Self {
            period,
            duty,
            offsets: [0.0, 0.5, 0.5, 0.0],
        }
    }

    /// One foot after the other.
    pub fn walk(period: f64) -> Self {
        Self {
            period,
            duty: 0.8,
            offsets: [0.0, 0.5, 0.75, 0.25],
        }
    }

    /// All feet stand.
    pub fn stand() -> Self {
        Self {
            period: 1.0,
            duty: 1.0,
            offsets: [0.0; LEGS],
        }
    }

    /// Refuses numbers that make no gait.
    ///
    /// # Errors
    /// A period that is not positive, a duty outside (0, 1], offsets that are not finite.
    pub fn validate(&self) -> Result<()> {
        let refuse = |field, value, reason| {
            Err(SimError::InvalidParameter {
                element: "gait".to_owned(),
                field,
                value,
                reason,
            })
        };
        if !(self.period > 0.0 && self.period.is_finite()) {
            return refuse("period", self.period, "must be positive");
        }
        if !(self.duty > 0.0 && self.duty <= 1.0) {
            return refuse("duty", self.duty, "must be above 0 and at most 1");
        }
        match self.offsets.iter().find(|offset| !offset.is_finite()) {
            Some(&offset) => refuse("offset", offset, "must be finite"),
            None => Ok(()),
        }
    }

    /// How long a foot stands in a cycle, s.
    pub fn stance_time(&self) -> f64 {
        self.duty * self.period
    }

    /// How long a foot swings in a cycle, s.
    pub fn swing_time(&self) -> f64 {
        (1.0 - self.duty) * self.period
    }

    /// What a leg does at a time (s).
    pub fn phase(&self, leg: usize, time: f64) -> LegPhase {
        let cycle = (time / self.period + self.offsets[leg]).rem_euclid(1.0);
        if cycle < self.duty {
            LegPhase::Stance(cycle / self.duty)
        } else {
            LegPhase::Swing((cycle - self.duty) / (1.0 - self.duty))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_opposite_feet_trot_and_one_foot_walks() {
        for k in 0..200 {
            let time = 0.0137 * f64::from(k);
            let trot = Gait::trot(0.5, 0.5);
            let stands: Vec<bool> = (0..4).map(|leg| trot.phase(leg, time).stands()).collect();
            assert_eq!((stands[0], stands[1]), (stands[3], stands[2]));
            assert_ne!(stands[0], stands[1]);
            let walk = Gait::walk(1.0);
            let swinging = (0..4).filter(|&leg| !walk.phase(leg, time).stands());
            assert!(swinging.count() <= 1);
            assert!((0..4).all(|leg| Gait::stand().phase(leg, time).stands()));
        }
    }

    #[test]
    fn what_is_no_gait_is_refused() {
        for gait in [
            Gait::trot(0.0, 0.5),
            Gait::trot(0.5, 0.0),
            Gait::trot(0.5, 1.5),
        ] {
            assert!(gait.validate().is_err());
        }
        assert!(Gait::stand().validate().is_ok());
    }
}
