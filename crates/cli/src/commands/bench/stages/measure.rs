//! One problem solved with all stages and without each.

use std::time::Duration;

use cpu_time::ProcessTime;
use stiction_constraints::{Budget, Declaration, Problem, Report, Solution, Solver, StageReport};

use crate::input::LoadedProblem;
use crate::solve::solve_with;
use crate::warm_start::Guess;

/// Runs of each solve, of which the fastest counts.
const TURNS: usize = 3;

/// How one problem went with one choice of stages.
#[derive(Debug, Clone, Default)]
pub(super) struct Solve {
    pub(super) is_solved: bool,
    /// Processor time of the solver, s.
    pub(super) seconds: f64,
    pub(super) inner_iterations: usize,
    pub(super) stages: Vec<StageReport>,
}

/// Adds up the processor time of what a solver is asked, whichever threads spend it.
pub(super) struct Timed {
    solver: Box<dyn Solver>,
    spent: Duration,
}

impl Timed {
    pub(super) fn new(solver: Box<dyn Solver>) -> Self {
        Self {
            solver,
            spent: Duration::ZERO,
        }
    }
}

impl Solver for Timed {
    fn name(&self) -> &'static str {
        self.solver.name()
    }

    fn declaration(&self) -> Declaration {
        self.solver.declaration()
    }

    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report {
        let clock = ProcessTime::now();
        let report = self.solver.solve(problem, budget, solution);
        self.spent += clock.elapsed();
        report
    }
}

/// Solves a problem with each solver. They take turns, every other turn backwards, so that what
/// slows the machine down meets all of them. What is not solved is not tried again: its time
/// does not count.
pub(super) fn solve_with_each(
    problem: &LoadedProblem,
    solvers: &mut [Timed],
    budget: &Budget,
    guess: Option<&Guess>,
) -> Vec<Solve> {
    let mut solves: Vec<Solve> = vec![Solve::default(); solvers.len()];
    for turn in 0..TURNS {
        for step in 0..solvers.len() {
            let index = match turn % 2 {
                0 => step,
                _ => solvers.len() - 1 - step,
            };
            let (solver, solve) = (&mut solvers[index], &mut solves[index]);
            if turn > 0 && !solve.is_solved {
                continue;
            }
            solver.spent = Duration::ZERO;
            let report = solve_with(problem, solver, budget, None, guess).report;
            let seconds = solver.spent.as_secs_f64();
            if turn == 0 {
                *solve = Solve {
                    is_solved: report.outcome.is_converged(),
                    seconds,
                    inner_iterations: report.inner_iterations,
                    stages: report.stages.to_vec(),
                };
            } else {
                solve.seconds = solve.seconds.min(seconds);
            }
        }
    }
    solves
}
