//! Getting up to speed and down again.

/// Way gone at a speed of 1 after a time (s) that rises within `ramp` s and falls within the last `ramp` s of
/// `whole` s, with no jump in acceleration; it ends at `whole` − `ramp`.
pub(in crate::builtin) fn cruise(time: f64, ramp: f64, whole: f64) -> f64 {
    let time = time.clamp(0.0, whole);
    let rising = |share: f64| ramp * share.powi(3) * (1.0 - 0.5 * share);
    if time < ramp {
        rising(time / ramp)
    } else if time <= whole - ramp {
        time - 0.5 * ramp
    } else {
        whole - ramp - rising((whole - time) / ramp)
    }
}
