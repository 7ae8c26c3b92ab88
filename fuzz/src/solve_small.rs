//! Any bytes as a small problem into every solver.

use std::time::Duration;

use rand::{Rng, RngExt};
use stiction_conformance::{Judge, Verdict};
use stiction_constraints::{Budget, Outcome, Problem, ResidualEvaluator, Solution, Solver};
use stiction_generators::transform::duplicate_contacts;
use stiction_generators::{
    Breadth, Feasibility, RandomSmallParams, RandomWideParams, random_small_from, random_wide_from,
};

use crate::BytesRng;

/// Largest error of v̂ = A⁻¹(b + Jᵀλ), relative to the size of what is added up.
const DYNAMICS: f64 = 1e-6;

/// Every solver by every name.
pub fn solvers() -> Vec<Box<dyn Solver>> {
    stiction_sim::solvers::all()
        .filter_map(|(name, _)| stiction_sim::solvers::make(name).ok())
        .collect()
}

/// Solves a problem made of bytes with every solver, cold and warm, and checks what every solver
/// promises: finite numbers of the right size, v̂ that belongs to λ, an honest outcome.
pub fn solve_small(bytes: &[u8]) {
    let mut rng = BytesRng::new(bytes);
    let Some(problem) = decode(&mut rng) else {
        return;
    };
    // Without a limit of iterations only the clock ends a solver that goes round in circles.
    let is_limited = rng.random_bool(0.7);
    let budget = Budget {
        tolerance: 1e-6,
        max_iterations: is_limited.then(|| rng.random_range(0..100)),
        time_limit: Some(Duration::from_millis(200)),
        rescue: rng.random_bool(0.5),
        record_history: rng.random_bool(0.2),
        ..Budget::default()
    };
    // Garbage as a guess must not hurt either.
    let guess = Solution {
        velocity: Vec::new(),
        impulse: (0..problem.row_count())
            .map(|_| f64::from_bits(rng.next_u64()))
            .collect(),
    };
    let judge = Judge::new(&problem);
    for mut solver in solvers() {
        let mut solution = Solution::cold();
        let mut solve = |solution: &mut Solution| {
            check(&problem, judge.as_ref(), &budget, solver.as_mut(), solution);
        };
        solve(&mut solution);
        solve(&mut solution);
        if guess.has_guess(&problem) {
            solve(&mut guess.clone());
        }
    }
}

/// A valid problem, from plain to wild; or feasible or not, some contacts twice, masses over twelve
/// decades at most.
fn decode(rng: &mut impl Rng) -> Option<Problem> {
    if rng.random_bool(0.5) {
        let params = RandomWideParams {
            breadth: Breadth::Any,
            max_subsystems: 4,
            max_constraints: 8,
            ..RandomWideParams::default()
        };
        return Some(random_wide_from(rng, &params).ok()?.problem);
    }
    let params = RandomSmallParams {
        max_subsystems: 4,
        max_constraints: 8,
        mass_spread: 10.0_f64.powi(rng.random_range(0..=6)),
        feasibility: if rng.random_bool(0.5) {
            Feasibility::Guaranteed
        } else {
            Feasibility::Arbitrary
        },
        seed: 0,
    };
    let twice = rng.random_bool(0.2);
    let problem = random_small_from(rng, &params).ok()?;
    if twice {
        duplicate_contacts(&problem, 2).ok()
    } else {
        Some(problem)
    }
}

fn check(
    problem: &Problem,
    judge: Option<&Judge<'_>>,
    budget: &Budget,
    solver: &mut dyn Solver,
    solution: &mut Solution,
) {
    let report = solver.solve(problem, budget, solution);
    let name = solver.name();
    assert_eq!(
        solution.velocity.len(),
        problem.dof_count(),
        "{name}: size of v"
    );
    assert_eq!(
        solution.impulse.len(),
        problem.row_count(),
        "{name}: size of λ"
    );
    let all = solution.velocity.iter().chain(&solution.impulse);
    assert!(
        all.clone().all(|value| value.is_finite()),
        "{name}: not finite, {report:?}"
    );
    let mut evaluator = ResidualEvaluator::default();
    if evaluator.update(problem).is_err() {
        assert!(
            matches!(report.outcome, Outcome::Failed(_)),
            "{name}: {report:?}"
        );
        return;
    }
    let claimed = report.residuals.of(budget.criterion);
    let measured = evaluator.measure(problem, &solution.impulse, budget.criterion);
    // A report may come from more digits than `measure` has; a judge in twice the precision has the
    // last word below.
    let rounding = evaluator.floor(problem, &solution.impulse);
    let slack = 0.01 * budget.tolerance + rounding.min(budget.tolerance);
    assert!(
        measured <= claimed + slack + 1e-6 * claimed,
        "{name}: reports {claimed}, is {measured}"
    );
    if report.outcome == Outcome::Converged && solver.declaration().is_exact() {
        assert!(claimed <= budget.tolerance, "{name}: {report:?}");
        let verdict: Option<Verdict> = judge.map(|judge| judge.judge(solution));
        if let Some(verdict) = verdict {
            assert!(verdict.is_within(budget.tolerance), "{name}: {verdict:?}");
            assert!(verdict.dynamics < DYNAMICS, "{name}: {verdict:?}");
        }
    }
    if let Some(limit) = budget.max_iterations {
        assert!(
            report.iterations <= limit,
            "{name}: {} of {limit}",
            report.iterations
        );
    }
}
