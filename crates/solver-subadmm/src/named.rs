//! The names under which users choose.

use crate::settings::SubAdmmSettings;
use crate::solve::SubAdmm;

/// Every solver of this crate by name, with one line on what it is for.
pub const SOLVERS: [(&str, &str); 6] = [
    (
        "subadmm",
        "SubADMM with per-term penalties, balancing, over-relaxation and Anderson acceleration: cheapest iteration, soonest at 1e-4 on stacks, scales to thousands of bodies",
    ),
    (
        "subadmm-paper",
        "SubADMM as printed: one penalty from pseudodensities, updated by residual ratio",
    ),
    (
        "subadmm-per-subsystem",
        "the earlier subsystem-based ADMM: one fixed penalty for each subsystem",
    ),
    (
        "subadmm-proximal",
        "SubADMM on the convex cone model: always converges, slides with a lift-off error",
    ),
    (
        "admm-full",
        "ablation of subadmm: no splitting into subsystems, one linear system over all",
    ),
    (
        "subadmm-no-body",
        "ablation of subadmm: no splitting into bodies, one dense matrix for each tree",
    ),
];

impl SubAdmm {
    /// The solver of a name of [`SOLVERS`].
    pub fn named(name: &str) -> Option<Self> {
        let settings = match name {
            "subadmm" => SubAdmmSettings::default(),
            "subadmm-paper" => SubAdmmSettings::paper(),
            "subadmm-per-subsystem" => SubAdmmSettings::per_subsystem(),
            "subadmm-proximal" => SubAdmmSettings::proximal(),
            "admm-full" => SubAdmmSettings::no_subsystem_splitting(),
            "subadmm-no-body" => SubAdmmSettings::no_body_splitting(),
            _ => return None,
        };
        let (name, _) = SOLVERS.iter().find(|(known, _)| *known == name)?;
        Some(Self::new(name, settings))
    }
}

impl Default for SubAdmm {
    /// The solver named `subadmm`.
    fn default() -> Self {
        Self::new(SOLVERS[0].0, SubAdmmSettings::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_constraints::Solver;

    #[test]
    fn every_listed_name_is_known_and_no_other() {
        for (name, _) in SOLVERS {
            assert_eq!(SubAdmm::named(name).map(|solver| solver.name()), Some(name));
        }
        assert!(SubAdmm::named("subadmm-").is_none());
    }
}
