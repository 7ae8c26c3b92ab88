//! Which piece of a force that ends at limits acts in a step.

/// A force that falls with the velocity and ends at limits is three straight lines: a step takes one of
/// them. Which one is decided by the **end** of the step: a stiff drive whose limit is looked for at its
/// start pushes past its target in one step and holds back in the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Saturation {
    /// Between the limits: it feels its gains.
    #[default]
    Within,
    /// The lower limit, a constant.
    Lower,
    /// The upper limit, a constant.
    Upper,
}

/// Share of a limit by which a force must be beyond it, or short of it, for the piece to change: there both
/// pieces say the same, but for what a solver leaves.
const SLACK: f64 = 1e-6;

impl Saturation {
    /// The piece on which a force without limits would be.
    pub fn of(force: f64, [lower, upper]: [f64; 2]) -> Self {
        if force > upper {
            Self::Upper
        } else if force < lower {
            Self::Lower
        } else {
            Self::Within
        }
    }

    /// The piece to be tried next, where this one has led to an end at which the force without limits
    /// would be `force`; itself where it was right.
    ///
    /// From one limit to the other it goes through the piece between them: for one coordinate the right
    /// one is then the third at the latest, whatever the gains. (If the piece within asks for more than a
    /// limit, the force at the true end is that limit, since it falls with the velocity.)
    pub fn revised(self, force: f64, limits: [f64; 2]) -> Self {
        let slack = limits.map(|limit| match limit.is_finite() {
            true => SLACK * limit.abs(),
            false => 0.0,
        });
        let side = match self {
            Self::Within => 1.0,
            Self::Lower | Self::Upper => -1.0,
        };
        let [lower, upper] = [limits[0] - side * slack[0], limits[1] + side * slack[1]];
        match (self, Self::of(force, [lower, upper])) {
            (Self::Lower, Self::Upper) | (Self::Upper, Self::Lower) => Self::Within,
            (_, seen) => seen,
        }
    }

    /// The constant force of a piece that is a limit.
    pub fn limit(self, [lower, upper]: [f64; 2]) -> Option<f64> {
        match self {
            Self::Within => None,
            Self::Lower => Some(lower),
            Self::Upper => Some(upper),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// m (v̂ − v) = h clamp(c − g v̂) has one solution, found with three pieces at most.
        #[test]
        fn one_coordinate_takes_three_pieces_at_most(
            mass in 1e-3f64..1e3, start in -10.0f64..10.0, constant in -1e3f64..1e3,
            gain in 0.0f64..1e5, lower in -100.0f64..0.0, upper in 0.0f64..100.0, first in 0usize..3,
        ) {
            let (step, limits) = (0.01, [lower, upper]);
            let mut piece = [Saturation::Within, Saturation::Lower, Saturation::Upper][first];
            let mut tried = 0;
            let end = loop {
                tried += 1;
                let end = match piece.limit(limits) {
                    Some(limit) => start + step * limit / mass,
                    None => (mass * start + step * constant) / (mass + step * gain),
                };
                let next = piece.revised(constant - gain * end, limits);
                if next == piece {
                    break end;
                }
                prop_assert!(tried < 3, "{piece:?} after {tried}");
                piece = next;
            };
            let force = (constant - gain * end).clamp(lower, upper);
            let error = mass * (end - start) - step * force;
            prop_assert!(error.abs() <= 3.0 * step * SLACK * (upper - lower + 1.0), "{error}");
        }
    }

    #[test]
    fn a_force_on_its_limit_keeps_its_piece() {
        for piece in [Saturation::Within, Saturation::Upper] {
            assert_eq!(piece.revised(2.0 + 1e-7, [-2.0, 2.0]), piece);
            assert_eq!(piece.revised(2.0 - 1e-7, [-2.0, 2.0]), piece);
        }
        let unlimited = [f64::NEG_INFINITY, f64::INFINITY];
        let within = Saturation::Within;
        assert_eq!(within.revised(1e300, unlimited), within);
    }
}
