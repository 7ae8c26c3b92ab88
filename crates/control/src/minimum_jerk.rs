//! The motion from rest to rest with the least jerk, ∫ ‖d³x/dt³‖² dt (Flash and Hogan 1985).

/// From 0 to 1 with speed and acceleration zero at both ends: 10 s³ − 15 s⁴ + 6 s⁵, where `share` is the part
/// of the time that has passed; before and after it stays.
pub fn minimum_jerk(share: f64) -> f64 {
    let share = share.clamp(0.0, 1.0);
    share.powi(3) * (10.0 + share * (6.0 * share - 15.0))
}

/// First derivative of [`minimum_jerk`] by its argument: 30 s² (1 − s)², at most 15/8.
pub fn minimum_jerk_rate(share: f64) -> f64 {
    let share = share.clamp(0.0, 1.0);
    30.0 * (share * (1.0 - share)).powi(2)
}

/// Second derivative of [`minimum_jerk`] by its argument: 60 s (1 − s) (1 − 2 s).
pub fn minimum_jerk_acceleration(share: f64) -> f64 {
    let share = share.clamp(0.0, 1.0);
    60.0 * share * (1.0 - share) * (1.0 - 2.0 * share)
}

/// Part of the time from `start` to `end` (s) that has passed at `time`; 1 where there is none to pass.
pub(crate) fn share(time: f64, [start, end]: [f64; 2]) -> f64 {
    if end > start {
        ((time - start) / (end - start)).clamp(0.0, 1.0)
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_rests_at_both_ends() {
        assert_eq!((minimum_jerk(0.0), minimum_jerk(1.0)), (0.0, 1.0));
        assert_eq!((minimum_jerk(-3.0), minimum_jerk(7.0)), (0.0, 1.0));
        for end in [0.0, 1.0] {
            assert_eq!(minimum_jerk_rate(end), 0.0);
            assert_eq!(minimum_jerk_acceleration(end), 0.0);
        }
        assert!((minimum_jerk(0.5) - 0.5).abs() < 1e-15);
        assert!((minimum_jerk_rate(0.5) - 1.875).abs() < 1e-15);
    }

    #[test]
    fn derivatives_are_those_of_differences() {
        let h = 1e-5;
        for k in 1..20 {
            let s = f64::from(k) / 20.0;
            let rate = (minimum_jerk(s + h) - minimum_jerk(s - h)) / (2.0 * h);
            let acceleration = (minimum_jerk_rate(s + h) - minimum_jerk_rate(s - h)) / (2.0 * h);
            assert!((rate - minimum_jerk_rate(s)).abs() < 1e-8);
            assert!((acceleration - minimum_jerk_acceleration(s)).abs() < 1e-7);
        }
    }
}
