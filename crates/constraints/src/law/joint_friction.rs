//! Dry friction in a joint: |λ| ≤ m, and λ = −m sign(z) when the joint moves.

/// λ = clip(−β x̄, −m, m), [JFL, (7)], and its stiffness.
#[inline]
pub(super) fn dry(x_bar: f64, beta: f64, bound: f64) -> (f64, f64) {
    let s = -beta * x_bar;
    if s.abs() < bound {
        (s, beta)
    } else {
        (s.clamp(-bound, bound), 0.0)
    }
}
