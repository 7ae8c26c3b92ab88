//! How a soft body is stepped.

use serde::{Deserialize, Serialize};

use super::error::FemError;
use super::policy::HessianPolicy;

/// How a soft body is linearised.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FemSettings {
    /// Which Hessian A is made of.
    pub hessian: HessianPolicy,
    /// How often a step is linearised: 1 is linear-implicit, more is Newton's method for implicit Euler
    /// (θ 0) or the implicit midpoint rule (θ 1/2).
    pub linearizations: usize,
    /// Whether a free step that gains energy is done again by Newton's method.
    pub strict_ledger: bool,
}

impl Default for FemSettings {
    fn default() -> Self {
        Self {
            hessian: HessianPolicy::Psd,
            linearizations: 1,
            strict_ledger: true,
        }
    }
}

/// More linearizations than a step can make use of.
const MAX_LINEARIZATIONS: usize = 1000;

impl FemSettings {
    pub(super) fn check(&self) -> Result<(), FemError> {
        if !(1..=MAX_LINEARIZATIONS).contains(&self.linearizations) {
            return Err(FemError::BadSetting {
                field: "linearizations",
                value: self.linearizations as f64,
                reason: "must be between 1 and 1000",
            });
        }
        if let HessianPolicy::ConstantDamping { rate } = self.hessian
            && !(rate >= 0.0 && rate.is_finite())
        {
            return Err(FemError::BadSetting {
                field: "rate of constant damping",
                value: rate,
                reason: "must be finite and not negative",
            });
        }
        Ok(())
    }

    /// Refuses θ where it would gain energy.
    pub(super) fn check_theta(&self, theta: f64) -> Result<(), FemError> {
        if theta == 0.0 {
            return Ok(());
        }
        if theta != 0.5 {
            return Err(FemError::BadSetting {
                field: "theta",
                value: theta,
                reason: "must be 0 or 1/2",
            });
        }
        if self.hessian != HessianPolicy::Majorizing && self.linearizations == 1 {
            return Err(FemError::ThetaNeedsMajorizing {
                policy: self.hessian.name(),
            });
        }
        Ok(())
    }
}
