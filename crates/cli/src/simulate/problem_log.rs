//! The contact problems of a run's steps as files that `stiction solve` opens.

use std::num::NonZeroU64;
use std::path::PathBuf;

use anyhow::Context;
use stiction_problem_files::{FullProblem, ProblemFile};
use stiction_scenes::Scene;

use crate::commands::export::write_problem;

/// Writes the problems of every so many steps, each with the impulses that its solver began with.
pub(crate) struct ProblemLog {
    folder: PathBuf,
    every: NonZeroU64,
    /// Number of the next step, from 0 as in messages about failed steps.
    step: u64,
    written: usize,
}

impl ProblemLog {
    /// Creates the folder, so that a bad one is found before anything is simulated.
    pub(crate) fn create(folder: &PathBuf, every: NonZeroU64) -> anyhow::Result<Self> {
        std::fs::create_dir_all(folder).with_context(|| {
            format!(
                "{}: the folder for the problems cannot be made",
                folder.display()
            )
        })?;
        Ok(Self {
            folder: folder.clone(),
            every,
            step: 0,
            written: 0,
        })
    }

    /// To be called after every step.
    pub(crate) fn take(&mut self, scene: &Scene) -> anyhow::Result<()> {
        let step = self.step;
        self.step += 1;
        if !step.is_multiple_of(self.every.get()) {
            return Ok(());
        }
        for (island, solved) in scene.world.problems().enumerate() {
            let name = format!("step_{step:06}_island_{island}");
            let path = self.folder.join(format!("{name}.json"));
            let file = ProblemFile::Full(FullProblem {
                name: format!("{}, step {step}, island {island}", scene.name),
                problem: solved.problem.clone(),
                solution: None,
                guess: solved.guess.map(<[f64]>::to_vec),
            });
            write_problem(&path, &file)?;
            self.written += 1;
        }
        Ok(())
    }

    /// What to tell the user.
    pub(crate) fn summary(&self) -> String {
        format!("{} problems in {}", self.written, self.folder.display())
    }
}
