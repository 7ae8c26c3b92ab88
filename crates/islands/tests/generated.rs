//! Generated problems solved island by island, without a world.

use stiction_constraints::{
    Budget, Criterion, Law, Problem, ResidualEvaluator, RowBlock, Solution, Solver, Subsystem,
};
use stiction_generators::{RandomSmallParams, SpherePileParams, random_small, sphere_pile};
use stiction_islands::{
    Assembly, AssemblyError, Head, Inactive, Islands, MakeSolver, OverlapPolicy, RowKey, RowList,
    RowNote, RowResult, StepContext, WarmStart,
};
use stiction_solver_canal::{Canal, CanalSettings};

const TOLERANCE: f64 = 1e-9;

/// Whoever has a problem can hand it out row by row.
struct FromProblem<'a>(&'a Problem);

impl Assembly for FromProblem<'_> {
    fn shape(&self, subsystem: usize) -> Subsystem {
        self.0.subsystems()[subsystem].clone()
    }

    fn write_subsystem(
        &self,
        subsystem: usize,
        a: &mut Subsystem,
        b: &mut [f64],
    ) -> Result<(), AssemblyError> {
        a.clone_from(&self.0.subsystems()[subsystem]);
        let starts = self.0.dof_starts();
        b.copy_from_slice(&self.0.b()[starts[subsystem]..starts[subsystem + 1]]);
        Ok(())
    }

    fn write_row(
        &self,
        head: &Head,
        local: &[u32],
        problem: &mut Problem,
    ) -> Result<RowNote, AssemblyError> {
        let index = head.item as usize;
        let constraint = &self.0.constraints()[index];
        let blocks: Vec<(usize, RowBlock<'_>)> = self
            .0
            .terms(index)
            .map(|(subsystem, block)| (local[subsystem] as usize, block))
            .collect();
        problem.push_constraint(constraint.law, self.0.error(index), &blocks)?;
        Ok(RowNote::default())
    }

    fn solves_alone(&self, _subsystem: usize) -> bool {
        false
    }

    fn free_velocity(&self, _subsystem: usize, _v_hat: &mut [f64]) {}
}

fn list(problem: &Problem, sleeping: bool) -> RowList {
    let mut rows = RowList::default();
    for index in 0..problem.constraints().len() {
        let key = RowKey {
            part: index as u64,
            ..RowKey::default()
        };
        let mut terms = problem.terms(index);
        if let (true, Law::JointLimit { lower, upper }, Some((subsystem, block)), None) = (
            sleeping,
            problem.constraints()[index].law,
            terms.next(),
            terms.next(),
        ) && let RowBlock::Dofs { dofs, values } = block
            && values == [1.0]
            && problem.error(index) == [0.0]
        {
            let inactive = Inactive {
                subsystem,
                dof: dofs[0],
                interval: [lower, upper],
            };
            rows.push_inactive(key, index, inactive);
            continue;
        }
        let touched = problem.terms(index).map(|(subsystem, _)| subsystem);
        rows.push(key, index, touched);
    }
    rows
}

/// Velocity and impulses of a problem, found island by island, and how many there are.
fn solve_apart(
    problem: &Problem,
    islands: &mut Islands,
    warm: Option<&WarmStart>,
    sleeping: bool,
) -> (Solution, usize, WarmStart) {
    let make: MakeSolver = Box::new(|| Box::new(Canal::new(CanalSettings::default())));
    let rows = list(problem, sleeping);
    let budget = Budget::with_tolerance(TOLERANCE);
    let (assembly, policy) = (FromProblem(problem), OverlapPolicy::default());
    let step = StepContext::new(&rows, &assembly, warm, &policy, &budget);
    islands.group(&step, problem.subsystems().len(), true, &make);
    let mut velocity = vec![0.0; problem.dof_count()];
    let mut results: Vec<RowResult> = Vec::new();
    let summary = islands
        .solve(&step, problem.dof_starts(), &mut velocity, &mut results)
        .unwrap();
    assert_eq!(summary.unconverged, 0, "{:?}", summary.outcome);
    assert_eq!(summary.rows, problem.row_count());
    let mut impulse = vec![0.0; problem.row_count()];
    for (head, result) in rows.heads().iter().zip(&results) {
        let constraint = &problem.constraints()[head.item as usize];
        impulse[constraint.row_range()].copy_from_slice(&result.impulse[..constraint.rows]);
    }
    let mut next = WarmStart::default();
    next.store(&rows, &results);
    (Solution { velocity, impulse }, summary.islands, next)
}

/// The residual of the whole problem, by the evaluator of all solvers.
fn residual(problem: &Problem, solution: &Solution) -> f64 {
    let mut evaluator = ResidualEvaluator::default();
    evaluator.update(problem).unwrap();
    evaluator.measure(problem, &solution.impulse, Criterion::Scaled)
}

fn problems() -> impl Iterator<Item = Problem> {
    (0..60).filter_map(|seed| {
        let problem = random_small(&RandomSmallParams {
            seed,
            ..RandomSmallParams::default()
        });
        // What the solver does not solve whole is no business of islands.
        let problem = problem.unwrap();
        let mut solution = Solution::cold();
        let budget = Budget::with_tolerance(TOLERANCE);
        let report = Canal::new(CanalSettings::default()).solve(&problem, &budget, &mut solution);
        report.outcome.is_converged().then_some(problem)
    })
}

#[test]
fn islands_solve_the_whole_problem() {
    let mut several = 0;
    for problem in problems() {
        let mut islands = Islands::default();
        let (solution, count, warm) = solve_apart(&problem, &mut islands, None, false);
        assert!(residual(&problem, &solution) <= 2.0 * TOLERANCE);
        several += usize::from(count > 1);
        // The same problem again, from its own impulses.
        let (again, ..) = solve_apart(&problem, &mut islands, Some(&warm), false);
        assert!(residual(&problem, &again) <= 2.0 * TOLERANCE);
    }
    assert!(several > 5, "{several} problems have several islands");
}

#[test]
fn what_was_solved_before_and_the_number_of_threads_change_no_bit() {
    let pile = sphere_pile(&SpherePileParams::default()).unwrap();
    for problem in problems().chain([pile]) {
        let mut used = Islands::default();
        solve_apart(&problem, &mut used, Some(&WarmStart::default()), true);
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let three = rayon::ThreadPoolBuilder::new().num_threads(3).build();
        let fresh = one
            .unwrap()
            .install(|| solve_apart(&problem, &mut Islands::default(), None, false).0);
        let after = three
            .unwrap()
            .install(|| solve_apart(&problem, &mut used, None, false).0);
        assert_eq!(fresh, after);
    }
}

#[test]
fn rows_that_sleep_are_woken_when_they_matter() {
    for problem in problems() {
        let (solution, ..) = solve_apart(&problem, &mut Islands::default(), None, true);
        assert!(residual(&problem, &solution) <= 2.0 * TOLERANCE);
    }
}
