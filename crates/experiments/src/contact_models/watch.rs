//! What a solver did in the steps of a world.

use std::sync::{Arc, Mutex, PoisonError};

use stiction_constraints::{Budget, Criterion, Declaration, Problem, Report, Solution, Solver};
use stiction_sim::World;
use stiction_sim::solvers::make;

use crate::error::Result;
use crate::timing::processor_time;

/// What a solver did in one step, its solves together.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StepWork {
    /// Processor time, s.
    pub(super) time: f64,
    /// Largest ε_abs of Signorini's condition and Coulomb's law that a solve left.
    pub(super) eps_abs: f64,
    /// Largest |⟨λ, velocity with De Saxcé's shift⟩| of a contact, J.
    pub(super) complementarity: f64,
}

/// What has been done since somebody last took it.
#[derive(Clone, Default)]
pub(super) struct Log(Arc<Mutex<StepWork>>);

impl Log {
    /// What was done, which is forgotten.
    pub(super) fn take(&self) -> StepWork {
        let mut work = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut work)
    }
}

/// A solver that is looked at.
struct Watched {
    inner: Box<dyn Solver>,
    log: Log,
    criterion: Criterion,
}

impl Solver for Watched {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn declaration(&self) -> Declaration {
        self.inner.declaration()
    }

    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report {
        let budget = Budget {
            criterion: self.criterion,
            all_residuals: true,
            ..budget.clone()
        };
        let solve = || self.inner.solve(problem, &budget, solution);
        let (report, time) = processor_time(solve);
        let mut work = self.log.0.lock().unwrap_or_else(PoisonError::into_inner);
        work.time += time;
        work.eps_abs = work.eps_abs.max(report.residuals.eps_abs());
        work.complementarity = work.complementarity.max(report.residuals.complementarity);
        report
    }
}

/// Lets a world be solved by a solver that stops by a criterion, and tells what it does.
///
/// # Errors
/// A solver that there is not.
pub(super) fn watch(world: &mut World, solver: &str, criterion: Criterion) -> Result<Log> {
    make(solver)?;
    let log = Log::default();
    let (name, shared) = (solver.to_owned(), log.clone());
    world.set_solver_with(move || {
        Box::new(Watched {
            inner: make(&name).expect("names of solvers don't vanish"),
            log: shared.clone(),
            criterion,
        })
    });
    Ok(log)
}
