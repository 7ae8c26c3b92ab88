//! Spring and damper, λ = −k e − c z.

/// λ = −(c x̄ + k e) β/(c + β), [AL, (16)] in the form that loses no digits for large β, and its
/// stiffness.
#[inline]
pub(super) fn soft(x_bar: f64, e: f64, beta: f64, stiffness: f64, damping: f64) -> (f64, f64) {
    let weight = beta / (damping + beta);
    (
        -(damping * x_bar + stiffness * e) * weight,
        damping * weight,
    )
}
