//! Velocity interval: lower ≤ z ≤ upper, λ pushes back inside.

/// λ = β (max(lower − x̄, 0) − max(x̄ − upper, 0)), [JFL, (9)–(10)], and its stiffness.
#[inline]
pub(super) fn interval(x_bar: f64, beta: f64, lower: f64, upper: f64) -> (f64, f64) {
    if x_bar < lower {
        (beta * (lower - x_bar), beta)
    } else if x_bar > upper {
        (beta * (upper - x_bar), beta)
    } else {
        (0.0, 0.0)
    }
}
