//! Checks that several formats share; each names the element as files do.

use stiction_constraints::{DynamicsMatrix, Failure, Problem};

use crate::error::Refusal;

/// Every μ finite and not negative; returns the number of rows.
pub(crate) fn check_friction(friction: &[f64]) -> Result<usize, Refusal> {
    for (contact, &mu) in friction.iter().enumerate() {
        if !(mu.is_finite() && mu >= 0.0) {
            return Err(Refusal::element(
                format!("mu[{contact}]"),
                format!("is {mu}, a friction coefficient must be finite and not negative"),
            ));
        }
    }
    friction
        .len()
        .checked_mul(3)
        .ok_or_else(|| Refusal::element("mu", "has too many contacts"))
}

pub(crate) fn check_vector(name: &str, values: &[f64], expected: usize) -> Result<(), Refusal> {
    if values.len() != expected {
        return Err(Refusal::element(
            name,
            format!("has {} numbers, {expected} expected", values.len()),
        ));
    }
    match values.iter().position(|value| !value.is_finite()) {
        Some(i) => Err(Refusal::element(
            format!("{name}[{i}]"),
            format!("is {}, not finite", values[i]),
        )),
        None => Ok(()),
    }
}

/// Refuses a problem whose A cannot be factorised.
pub(crate) fn check_definite(problem: &Problem) -> Result<(), Refusal> {
    match DynamicsMatrix::default().update(problem) {
        Ok(()) => Ok(()),
        Err(Failure::NotPositiveDefinite { subsystem }) => Err(Refusal::element(
            format!("subsystem {subsystem}"),
            "A is not positive definite",
        )),
        Err(failure) => Err(Refusal::element("A", failure.to_string())),
    }
}
