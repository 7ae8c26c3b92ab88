//! Impacts at their instant within a step, for implicit Euler (θ = 0).
//!
//! Implicit Euler moves a body in flight on an exact parabola: with the acceleration a = (v_f − v)/dt its
//! positions q, q + dt v_f, … are those of a motion whose velocity at the start of the step is
//! v + a dt/2: velocities lag behind by half a step. What flies by a rule of higher order has no such lag.
//! A contact of gap φ therefore closes when φ + w τ + a τ²/2 = 0 with w = v_n + lag a dt, at the speed
//! v_i = w + a τ, and with restitution leaves at −ε v_i. What follows for the step's end is exact: the
//! velocity that the scheme is to have then, and the way to there.
//!
//! Several impacts in one island are solved at once, each with the speed and at the instant that it has in
//! the motion without any of them (Newton's rule for each contact); all else that holds the bodies, contacts
//! at rest and joints, holds them up to there. Where that would give energy, islands take other impulses.

/// A contact that closes within a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Impact {
    /// Gap at the start of the step, m; negative when penetrating.
    pub gap: f64,
    /// J_n v at the start of the step, m/s, negative when approaching.
    pub before: f64,
    /// J v_f, (t1, t2, n), of the motion without impacts, driven frames included, m/s.
    pub free: [f64; 3],
    /// By how many steps velocities lag behind positions in flight: 1/2 for implicit Euler, else 0.
    pub lag: f64,
    /// Coefficient of restitution ε in (0, 1].
    pub restitution: f64,
    /// Time step, s.
    pub dt: f64,
}

/// What a contact that bounces is to do, m/s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rebound {
    /// J_n v⁺.
    pub normal_velocity: f64,
    /// Mean of J v over the step, (t1, t2, n); along the surface what it slides before the impact.
    pub way: [f64; 3],
    /// When it strikes; `None` where it flies on.
    pub strike: Option<Strike>,
}

/// The instant of an impact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strike {
    /// Normal speed v_i, m/s; negative.
    pub speed: f64,
    /// Share of the change J (v_f − v) of the step that velocities have undergone by then.
    pub share: f64,
}

impl Impact {
    /// Approaching slower than this no contact bounces, m/s: it would rise by less than 0.1 µm.
    pub const SLOWEST: f64 = 1e-3;
    /// Restitution that does not carry a body further than this part beyond the end of the step is rest.
    const MARGIN: f64 = 1e-3;

    /// The rebound; `None` where the contact does not close in this step, and where it would close again
    /// before the step's end: then it is captured, and comes to touch without bouncing.
    pub fn rebound(&self) -> Option<Rebound> {
        let (gap, dt, free) = (self.gap.max(0.0), self.dt, self.free[2]);
        let acceleration = (free - self.before) / dt;
        let start = self.before + self.lag * (free - self.before);
        let mean = start + 0.5 * (free - self.before);
        if gap + dt * mean >= 0.0 {
            // It may look closed to a rule that moves with the velocity at the step's end: it flies on.
            return (gap + dt * free < 0.0).then_some(Rebound {
                normal_velocity: free,
                way: [self.free[0], self.free[1], mean],
                strike: None,
            });
        }
        let impact = -(start * start - 2.0 * acceleration * gap).max(0.0).sqrt();
        // Both forms of the root, each where nothing cancels.
        let time = match start > 0.0 {
            true => (impact - start) / acceleration,
            false if impact < 0.0 => 2.0 * gap / -(start + impact),
            false => 0.0,
        };
        let left = dt - time.clamp(0.0, dt);
        let rebound = -self.restitution * impact;
        let fall = -0.5 * acceleration * left;
        if rebound <= (1.0 + Self::MARGIN) * fall.max(0.0) {
            return None;
        }
        // From v_i to −ε v_i: all velocities after the impact change by this.
        let change = rebound - impact;
        let slid = 1.0 - left / dt;
        Some(Rebound {
            normal_velocity: free + change,
            way: [
                slid * self.free[0],
                slid * self.free[1],
                mean + change * left / dt,
            ],
            strike: Some(Strike {
                speed: impact,
                share: self.lag + 1.0 - left / dt,
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT: f64 = 1.0 / 240.0;
    const GRAVITY: f64 = -9.81;

    /// Heights of the bounces of a ball dropped from `height`, and when it lies still.
    fn bounces(height: f64, restitution: f64) -> (Vec<f64>, f64) {
        let (mut gap, mut velocity, mut time) = (height, 0.0, 0.0);
        let (mut highest, mut peaks) = (height, Vec::new());
        while time < 10.0 {
            let free = velocity + DT * GRAVITY;
            let impact = Impact {
                gap,
                before: velocity,
                free: [0.0, 0.0, free],
                lag: 0.5,
                restitution,
                dt: DT,
            };
            match (velocity < -Impact::SLOWEST)
                .then(|| impact.rebound())
                .flatten()
            {
                Some(rebound) => {
                    peaks.push(highest);
                    highest = 0.0;
                    velocity = rebound.normal_velocity;
                    gap += DT * rebound.way[2];
                }
                None => {
                    velocity = free.max(-gap / DT);
                    gap += DT * velocity;
                }
            }
            assert!(gap > -1e-15, "{gap} m");
            highest = highest.max(gap);
            time += DT;
            if gap == 0.0 && velocity == 0.0 {
                break;
            }
        }
        (peaks, time)
    }

    #[test]
    fn heights_are_those_of_the_parabola() {
        for restitution in [0.5f64, 0.8, 1.0] {
            let (peaks, _) = bounces(1.0, restitution);
            // A peak is seen at the end of a step, up to g dt²/8 below it.
            for (number, peak) in peaks.iter().enumerate().take(5) {
                let exact = restitution.powi(2 * number as i32);
                let seen = 0.125 * -GRAVITY * DT * DT;
                assert!(
                    (peak - exact).abs() < 2.0 * seen,
                    "{restitution}: {peak} {exact}"
                );
            }
        }
    }

    #[test]
    fn the_last_bounce_is_at_its_time() {
        for restitution in [0.5, 0.8] {
            let (_, time) = bounces(1.0, restitution);
            let fall = (2.0 / -GRAVITY).sqrt();
            let exact = fall * (1.0 + restitution) / (1.0 - restitution);
            assert!((time / exact - 1.0).abs() < 0.02, "{time} of {exact} s");
        }
    }

    #[test]
    fn what_rests_does_not_bounce_at_any_restitution() {
        for restitution in [0.5, 1.0] {
            let resting = Impact {
                gap: 0.0,
                before: -1e-9,
                free: [0.0, 0.0, GRAVITY * DT - 1e-9],
                restitution,
                lag: 0.5,
                dt: DT,
            };
            assert_eq!(resting.rebound(), None);
        }
    }
}
