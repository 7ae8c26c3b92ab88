//! Where a hanging cable starts.

use stiction_sim::Vector3;

/// Points on an arc of a circle of this length (m) that hangs below the middle of a span (m) along x.
pub(super) fn hanging(length: f64, span: f64, points: usize) -> Vec<Vector3<f64>> {
    // Half the angle of the arc from sin(α)/α = span/length, by Newton's method.
    let mut half: f64 = 1.0;
    for _ in 0..50 {
        let (value, slope) = (
            half.sin() / half - span / length,
            (half.cos() * half - half.sin()) / (half * half),
        );
        half -= value / slope;
    }
    let radius = 0.5 * length / half;
    (0..points)
        .map(|point| {
            let angle = half * (2.0 * point as f64 / (points - 1) as f64 - 1.0);
            Vector3::new(
                radius * angle.sin(),
                0.0,
                radius * (half.cos() - angle.cos()),
            )
        })
        .collect()
}
