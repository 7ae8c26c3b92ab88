//! A solver without one of its stages.

use stiction_constraints::Solver;
use stiction_solver_canal::{Canal, CanalSettings};
use stiction_solver_subadmm::{SubAdmm, SubAdmmSettings};

use super::arguments::StagedSolver;

/// The stages that can be left out.
pub(super) fn stages(solver: StagedSolver) -> &'static [&'static str] {
    match solver {
        StagedSolver::Canal => stiction_solver_canal::STAGES,
        StagedSolver::Subadmm => stiction_solver_subadmm::STAGES,
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
                settings = settings.without(stage)?;
            }
            Box::new(SubAdmm::new("subadmm", settings))
        }
    })
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
