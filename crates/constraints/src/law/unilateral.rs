//! Hard unilateral constraint, 0 ≤ λ ⟂ z + e ≥ 0.

/// λ = max(−β(x̄ + e), 0), [AL, (15)], and its stiffness.
#[inline]
pub(super) fn hard(x_bar: f64, e: f64, beta: f64) -> (f64, f64) {
    let s = -beta * (x_bar + e);
    if s > 0.0 { (s, beta) } else { (0.0, 0.0) }
}
