//! A solver without one of its stages: the one place that knows which setting switches what off.

use stiction_constraints::Solver;
use stiction_solver_canal::{Canal, CanalSettings};
use stiction_solver_subadmm::{Adaptation, SubAdmm, SubAdmmSettings};

use super::arguments::StagedSolver;

const SUBADMM: &[&str] = &[
    "anderson",
    "fallback penalty",
    "grouped penalty",
    "lead-in",
    "soft folding",
    "grouping",
    "adaptation",
    "relaxation",
];

/// The stages that can be left out.
pub(super) fn stages(solver: StagedSolver) -> &'static [&'static str] {
    match solver {
        StagedSolver::Canal => stiction_solver_canal::STAGES,
        StagedSolver::Subadmm => SUBADMM,
    }
}

/// The solver, without a stage if one is named; `None` for a stage that it does not have.
pub(super) fn make(solver: StagedSolver, without: Option<&str>) -> Option<Box<dyn Solver>> {
    Some(match solver {
        StagedSolver::Canal => {
            let mut settings = CanalSettings::default();
            if let Some(stage) = without {
                settings = settings.without(stage)?;
            }
            Box::new(Canal::new(settings))
        }
        StagedSolver::Subadmm => {
            let mut settings = SubAdmmSettings::default();
            if let Some(stage) = without {
                settings = subadmm_without(settings, stage)?;
            }
            Box::new(SubAdmm::new("subadmm", settings))
        }
    })
}

fn subadmm_without(mut settings: SubAdmmSettings, stage: &str) -> Option<SubAdmmSettings> {
    match stage {
        "anderson" => settings.anderson_memory = 0,
        "fallback penalty" => settings.fallback_penalty = None,
        "grouped penalty" => settings.grouped_penalty = None,
        "lead-in" => settings.lead_in = 0,
        "soft folding" => settings.fold_soft = false,
        "grouping" => settings.group_up_to = 0,
        "adaptation" => settings.adaptation = Adaptation::Never,
        "relaxation" => settings.relaxation = 1.0,
        _ => return None,
    }
    Some(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_can_be_left_out() {
        for solver in [StagedSolver::Canal, StagedSolver::Subadmm] {
            assert!(make(solver, None).is_some());
            for stage in stages(solver) {
                assert!(make(solver, Some(stage)).is_some(), "{stage}");
            }
            assert!(make(solver, Some("nonsense")).is_none());
        }
    }
}
