//! `ccp-interior`: the program handed to Clarabel, its answer polished, and judged like everybody's.

use clarabel::solver::{
    DefaultInfo, DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus,
};
use stiction_constraints::{
    Budget, Declaration, Failure, HistoryEntry, Outcome, Problem, Relaxation, Report,
    ResidualEvaluator, Solution, Solver, Stall, Stopwatch,
};

use crate::polish::Polish;
use crate::program::Program;

/// Clarabel on the convex cone model.
#[derive(Debug, Default)]
pub struct CcpInterior {
    evaluator: ResidualEvaluator,
    impulse: Vec<f64>,
}

/// Steps of both parts when the budget does not say; twenty to forty are usual.
const MAX_STEPS: usize = 200;
/// What is asked of Clarabel, which goes as far as rounding lets it and then says so. It is about products of
/// impulse and velocity: where both are next to nothing in the solution, each of them is only known to the root of it.
/// [`Polish`] does the rest, and the residual in m/s decides.
const TOLERANCE: f64 = 1e-13;
/// How far its steps are refined: with less digits than are asked of the answer, it gives up at piles after a dozen.
const REFINEMENT: f64 = 1e-15;

/// How Clarabel ended, and its steps.
struct Run {
    status: SolverStatus,
    steps: usize,
}

impl CcpInterior {
    /// Runs Clarabel; its impulses are left in `self.impulse`.
    fn run(
        &mut self,
        problem: &Problem,
        budget: &Budget,
        stopwatch: &Stopwatch,
        most: usize,
    ) -> Result<Run, Failure> {
        let program = Program::new(problem, &self.evaluator)?;
        let settings = DefaultSettingsBuilder::default()
            .verbose(false)
            .max_threads(1)
            .max_iter(u32::try_from(most).unwrap_or(u32::MAX))
            .time_limit(
                stopwatch
                    .time_left()
                    .map_or(f64::INFINITY, |left| left.as_secs_f64()),
            )
            .tol_gap_abs(TOLERANCE)
            .tol_gap_rel(TOLERANCE)
            .tol_feas(TOLERANCE)
            .tol_ktratio(TOLERANCE)
            .iterative_refinement_abstol(REFINEMENT)
            .iterative_refinement_reltol(REFINEMENT)
            .presolve_enable(false)
            .build()
            .map_err(|_| Failure::NotFinite)?;
        let solver = DefaultSolver::new(
            &program.objective,
            &program.gradient,
            &program.rows,
            &program.bounds,
            &program.cones,
            settings,
        );
        let mut solver = solver.map_err(|_| Failure::NotFinite)?;
        if let Some(flag) = budget.stop.clone() {
            solver.set_termination_callback(move |_: &DefaultInfo<f64>| flag.look());
        }
        solver.solve();
        program.impulses(&solver.solution.z, &mut self.impulse);
        Ok(Run {
            status: solver.solution.status,
            steps: solver.solution.iterations as usize,
        })
    }

    /// The residual of `self.impulse` in the convex cone model, m/s, not below what rounding hides.
    fn residual(&mut self, problem: &Problem) -> f64 {
        let residual = self.evaluator.cone_model(problem, &self.impulse);
        residual.max(self.evaluator.rounding(problem, &self.impulse))
    }

    /// Begins with the guess where it solves the problem better than no impulses do: an interior-point method
    /// has no use for one, but to hand it back.
    fn begin(&mut self, problem: &Problem, solution: &mut Solution) -> f64 {
        self.impulse.clear();
        self.impulse.resize(problem.row_count(), 0.0);
        let mut least = self.evaluator.cone_model(problem, &self.impulse);
        if solution.has_guess(problem) {
            let guessed = self.evaluator.cone_model(problem, &solution.impulse);
            if guessed < least {
                least = guessed;
                self.impulse.copy_from_slice(&solution.impulse);
            }
        }
        solution.set_to_zero(problem);
        solution.impulse.copy_from_slice(&self.impulse);
        least
    }

    /// Solves, beginning with what is in `solution.impulse`, which has the residual `least`.
    fn solve_within(
        &mut self,
        problem: &Problem,
        budget: &Budget,
        stopwatch: &Stopwatch,
        least: f64,
        solution: &mut Solution,
        report: &mut Report,
    ) -> Outcome {
        let rounding = self.evaluator.rounding(problem, &solution.impulse);
        let least = least.max(rounding);
        if least <= budget.tolerance {
            return Outcome::Converged;
        }
        if stopwatch.is_spent() {
            return stopwatch.outcome();
        }
        let most = budget.max_iterations.unwrap_or(MAX_STEPS);
        if most == 0 {
            return Outcome::OutOfIterations;
        }
        let run = match self.run(problem, budget, stopwatch, most) {
            Ok(run) => run,
            Err(failure) => return Outcome::Failed(failure),
        };
        report.iterations = run.steps.min(most);
        report.factorizations = report.iterations;
        let mut residual = self.residual(problem);
        if residual.is_nan() || residual >= least {
            // A certificate that the model has no solution is no place to begin at.
            self.impulse.copy_from_slice(&solution.impulse);
            residual = least;
        }
        let left = most - report.iterations;
        if residual > budget.tolerance && left > 0 {
            let polish = Polish::new(problem, &mut self.evaluator, stopwatch, &self.impulse, left);
            let steps = polish.run(budget.tolerance, &mut self.impulse, &mut residual);
            report.iterations += steps;
            report.factorizations += steps;
        }
        solution.impulse.copy_from_slice(&self.impulse);
        if budget.record_history {
            report.history.push(HistoryEntry {
                iteration: report.iterations.max(1),
                seconds: stopwatch.elapsed().as_secs_f64(),
                residual: self.evaluator.measure(
                    problem,
                    &self.impulse,
                    budget.residual_criterion(),
                ),
            });
        }
        match run.status {
            _ if residual <= budget.tolerance => Outcome::Converged,
            SolverStatus::CallbackTerminated => stopwatch.outcome(),
            SolverStatus::MaxTime => Outcome::OutOfTime,
            _ if stopwatch.is_spent() => stopwatch.outcome(),
            _ if report.iterations >= most => Outcome::OutOfIterations,
            _ => Outcome::stalled(Stall::NoProgress),
        }
    }
}

impl Solver for CcpInterior {
    fn name(&self) -> &'static str {
        "ccp-interior"
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            relaxes: &[Relaxation::Signorini],
            guarantee: "converges to a solution of the convex cone model, if there is one",
            // What it takes in one go is no sequence to be stopped.
            tests: &[],
            is_robust: true,
            allocates: true,
            ..Declaration::EXACT
        }
    }

    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report {
        // Clarabel's clock is the one on the wall.
        let stopwatch = Stopwatch::start_on_threads(budget);
        let prepared = match self.declaration().has(budget.criterion) {
            true => self.evaluator.update(problem),
            false => Err(Failure::UnsupportedCriterion(budget.criterion)),
        };
        if let Err(failure) = prepared {
            solution.set_to_zero(problem);
            return Report {
                time: stopwatch.elapsed(),
                ..Report::of(Outcome::Failed(failure))
            };
        }
        let least = self.begin(problem, solution);
        let mut report = Report::of(Outcome::OutOfIterations);
        let criterion = budget.residual_criterion();
        report.start_residual = self
            .evaluator
            .measure(problem, &solution.impulse, criterion);
        report.outcome =
            self.solve_within(problem, budget, &stopwatch, least, solution, &mut report);
        let (velocity, impulse) = (&mut solution.velocity, &solution.impulse);
        self.evaluator.velocity_of(problem, impulse, velocity);
        report.time = stopwatch.elapsed();
        report.inner_iterations = report.iterations;
        report.residuals = self.evaluator.residuals(problem, velocity, impulse);
        report
    }
}
