//! The direct solver against Gauss–Seidel on the same pyramid, and on problems that others collected.

use stiction_constraints::cone::Pyramid;
use stiction_constraints::{Budget, Outcome, Problem, ResidualEvaluator, Solution, Solver};
use stiction_generators::{
    Breadth, QuadrupedsParams, RandomWideParams, TowerParams, quadrupeds, random_wide, tower,
};
use stiction_problem_files::{ProblemFile, read};
use stiction_solver_lcp::{LcpDirect, LcpSettings};
use stiction_solver_pgs::{Method, Pgs, PgsSettings};
use stiction_test_support::{data, outside};

fn direct(pyramid: Pyramid) -> LcpDirect {
    LcpDirect::new(LcpSettings {
        pyramid,
        ..LcpSettings::default()
    })
    .unwrap()
}

fn solve(solver: &mut dyn Solver, problem: &Problem, tolerance: f64) -> (Outcome, Solution) {
    let mut solution = Solution::cold();
    let report = solver.solve(problem, &Budget::with_tolerance(tolerance), &mut solution);
    (report.outcome, solution)
}

/// Where both converge both solve the same model: each one's impulses pass as a solution of it. Velocities may
/// differ, since a pyramid lets bodies that stand on many contacts slide in more than one way.
fn agree(problem: &Problem, pyramid: Pyramid) -> bool {
    let mut sweeps = Pgs::new(PgsSettings {
        pyramid,
        ..PgsSettings::for_method(Method::Lcp)
    })
    .unwrap();
    let (by_sweeps, first) = solve(&mut sweeps, problem, 1e-9);
    let (by_pivots, second) = solve(&mut direct(pyramid), problem, 1e-7);
    assert!(by_pivots.is_converged(), "{by_pivots}");
    let mut evaluator = ResidualEvaluator::default();
    evaluator.update(problem).unwrap();
    assert!(evaluator.pyramid_model(problem, &second.impulse, &pyramid) < 1e-7);
    if !by_sweeps.is_converged() {
        return false;
    }
    assert!(evaluator.pyramid_model(problem, &first.impulse, &pyramid) < 1e-7);
    true
}

#[test]
fn it_agrees_with_sweeps_where_both_converge() {
    let mut compared = 0;
    for facets in [4, 6, 8] {
        for orientation in [0.0, 0.3] {
            let pyramid = Pyramid::new(facets, orientation).unwrap();
            for cubes in 1..4 {
                let params = TowerParams {
                    cubes,
                    ..TowerParams::default()
                };
                compared += usize::from(agree(&tower(&params).unwrap(), pyramid));
            }
            let params = QuadrupedsParams {
                robots: 1,
                ..QuadrupedsParams::default()
            };
            compared += usize::from(agree(&quadrupeds(&params).unwrap(), pyramid));
        }
    }
    assert!(compared > 12, "{compared}");
}

#[test]
fn heavy_on_light_is_solved_to_rounding() {
    for exponent in [0, 2, 4, 6] {
        let params = TowerParams {
            cubes: 2,
            mass: 1e-3,
            top_ratio: 10.0_f64.powi(exponent),
            ..TowerParams::default()
        };
        let (outcome, _) = solve(
            &mut direct(Pyramid::default()),
            &tower(&params).unwrap(),
            1e-8,
        );
        assert!(outcome.is_converged(), "1e{exponent}: {outcome}");
    }
}

/// Every law at once: what is certified to have a solution is solved or, where rounding stands against it, said
/// not to be.
#[test]
fn problems_of_all_laws_are_solved() {
    let (mut solved, mut tried) = (0, 0);
    for seed in 0..60 {
        let params = RandomWideParams {
            breadth: Breadth::Plain,
            seed,
            ..RandomWideParams::default()
        };
        let drawn = random_wide(&params).unwrap();
        let (outcome, solution) = solve(&mut direct(Pyramid::default()), &drawn.problem, 1e-7);
        let mut evaluator = ResidualEvaluator::default();
        evaluator.update(&drawn.problem).unwrap();
        let residual =
            evaluator.pyramid_model(&drawn.problem, &solution.impulse, &Pyramid::default());
        assert!(
            !outcome.is_converged() || residual <= 1.001e-7,
            "{residual}"
        );
        if drawn.certificate.is_some() {
            tried += 1;
            solved += usize::from(outcome.is_converged());
        }
    }
    assert!(
        tried > 10 && 10 * solved >= 9 * tried,
        "{solved} of {tried}"
    );
}

#[test]
fn problems_of_at_most_fifty_contacts_are_solved() {
    let Some(folder) = outside::shared("problems/public") else {
        return;
    };
    let mut solved = 0;
    for path in data::files(&folder, "json") {
        let Ok(file) = read(&path) else {
            continue;
        };
        let reduced;
        let problem = match &file {
            ProblemFile::Local(local) => {
                reduced = local.reduce().unwrap();
                reduced.problem()
            }
            ProblemFile::Global(global) => global.problem(),
            ProblemFile::Full(full) => &full.problem,
        };
        let contacts = problem.contact_count();
        if contacts > 50 {
            continue;
        }
        let (outcome, _) = solve(&mut direct(Pyramid::default()), problem, 1e-8);
        assert!(
            outcome.is_converged(),
            "{} ({contacts} contacts): {outcome}",
            path.display()
        );
        solved += 1;
    }
    assert!(solved > 10, "{solved}");
}
