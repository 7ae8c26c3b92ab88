//! To the tolerance, also where the interior-point method itself is content with less.

use nalgebra::DMatrix;
use stiction_constraints::{Budget, Law, Problem, ResidualEvaluator, RowBlock, Solution};
use stiction_generators::{Breadth, LawKind, RandomWideParams, random_wide};

fn solve(problem: &Problem, tolerance: f64) -> (bool, Vec<f64>) {
    let mut solver = stiction_solver_interior::named("ccp-interior").expect("a listed name");
    let mut solution = Solution::cold();
    let report = solver.solve(problem, &Budget::with_tolerance(tolerance), &mut solution);
    (report.outcome.is_converged(), solution.impulse)
}

/// The second row neither moves nor pushes: a product of impulse and velocity says little of either.
#[test]
fn a_contact_that_grazes_is_known_as_well_as_others() {
    let mut problem = Problem::new();
    let masses = DMatrix::from_row_slice(2, 2, &[2.0, 1.0, 1.0, 2.0]);
    problem.push_dense(masses, &[-1.0, 0.0]).unwrap();
    for dof in [0, 1] {
        let row = RowBlock::Dofs {
            dofs: &[dof],
            values: &[1.0],
        };
        problem
            .push_constraint(Law::Unilateral, &[0.0], &[(0, row)])
            .unwrap();
    }
    let (is_converged, impulse) = solve(&problem, 1e-12);
    assert!(is_converged);
    assert!((impulse[0] - 1.0).abs() < 1e-11, "{impulse:?}");
    assert!(impulse[1].abs() < 1e-11, "{impulse:?}");
}

/// With e = 0 and without limits, no velocity at all is one that every cone allows. Otherwise the convex cone model may
/// have no solution where Coulomb's law has one.
#[test]
fn plain_problems_are_solved_to_the_tolerance() {
    let limitless = LawKind::ALL.into_iter();
    let limitless = limitless.filter(|&kind| kind != LawKind::JointLimit);
    let mut params = RandomWideParams {
        breadth: Breadth::Plain,
        laws: limitless.collect(),
        ..RandomWideParams::default()
    };
    let mut evaluator = ResidualEvaluator::default();
    for seed in 0..60 {
        params.seed = seed;
        let mut problem = random_wide(&params).unwrap().problem;
        for index in 0..problem.constraints().len() {
            let rows = problem.constraints()[index].rows;
            problem.set_error(index, &[0.0; 3][..rows]).unwrap();
        }
        let (is_converged, impulse) = solve(&problem, 1e-8);
        evaluator.update(&problem).unwrap();
        let residual = evaluator.cone_model(&problem, &impulse);
        assert!(
            is_converged && residual <= 1e-8,
            "seed {seed}: {residual:e}"
        );
    }
}
