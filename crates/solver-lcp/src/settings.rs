//! What a user can choose.

use stiction_constraints::cone::Pyramid;
use thiserror::Error;

/// Settings of [`LcpDirect`](crate::LcpDirect).
#[derive(Debug, Clone, PartialEq)]
pub struct LcpSettings {
    /// The friction pyramid.
    pub pyramid: Pyramid,
    /// Most unknowns of the linear complementarity problem, two and its facets for each contact: a larger one is
    /// refused, since a pivot costs their square and memory does too.
    pub max_unknowns: usize,
    /// Ways that are tried from no impulses to a solution, each along another direction, before the solver
    /// gives up. In exact arithmetic the first leads there.
    pub attempts: usize,
}

impl Default for LcpSettings {
    fn default() -> Self {
        Self {
            pyramid: Pyramid::default(),
            max_unknowns: 3000,
            attempts: 8,
        }
    }
}

/// Why settings were refused.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{field} = {value}: {reason}")]
pub struct SettingsError {
    /// Which field.
    pub field: &'static str,
    /// The value that was given.
    pub value: usize,
    /// What it must be.
    pub reason: &'static str,
}

impl LcpSettings {
    /// Refuses settings with which the solver makes no sense.
    ///
    /// # Errors
    /// The first field that is out of range.
    pub fn validate(&self) -> Result<(), SettingsError> {
        for (field, value) in [
            ("max_unknowns", self.max_unknowns),
            ("attempts", self.attempts),
        ] {
            if value == 0 {
                return Err(SettingsError {
                    field,
                    value,
                    reason: "must be at least 1",
                });
            }
        }
        Ok(())
    }
}
