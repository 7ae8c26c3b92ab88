//! A second solve of equal size allocates nothing.

mod common;

use nalgebra::DMatrix;
use stiction_constraints::{Budget, Law, Problem, RowBlock, Solution, Solver, SparseSymmetric};
use stiction_solver_subadmm::{SOLVERS, SubAdmm, SubAdmmSettings, TreeMethod};
use stiction_test_support::allocations;

/// A chain of three masses as a sparse subsystem that rests on two floors and hangs on a spring.
fn sparse_chain() -> Problem {
    let mut problem = Problem::new();
    let entries: Vec<_> = (0..9)
        .map(|i| (i, i, 2.0))
        .chain((0..6).map(|i| (i + 3, i, -0.5)))
        .collect();
    let matrix = SparseSymmetric::from_lower_entries(9, &entries).expect("a valid matrix");
    let body = problem
        .push_sparse(matrix, &[-0.1; 9])
        .expect("a valid subsystem");
    for node in [0, 2] {
        let rows = RowBlock::Nodes {
            nodes: &[node],
            weights: &[1.0],
            frame: &[1., 0., 0., 0., 1., 0., 0., 0., 1.],
        };
        problem
            .push_constraint(Law::Contact { friction: 0.4 }, &[0.0; 3], &[(body, rows)])
            .expect("a valid contact");
    }
    let spring = RowBlock::Dofs {
        dofs: &[1, 7],
        values: &[1.0, -1.0],
    };
    let law = Law::Soft {
        stiffness: 3.0,
        damping: 2.0,
    };
    problem
        .push_constraint(law, &[0.01], &[(body, spring)])
        .expect("a valid spring");
    problem
}

fn dense_point() -> Problem {
    let mut problem = Problem::new();
    let body = problem
        .push_dense(DMatrix::from_diagonal_element(3, 3, 2.0), &[0.1, 0.0, -0.1])
        .expect("a valid subsystem");
    let rows = RowBlock::Dofs {
        dofs: &[0, 1, 2],
        values: &[1., 0., 0., 0., 1., 0., 0., 0., 1.],
    };
    problem
        .push_constraint(Law::Contact { friction: 0.4 }, &[0.0; 3], &[(body, rows)])
        .expect("a valid contact");
    problem
}

#[test]
fn the_second_solve_allocates_nothing() {
    let problems = [
        common::dishes(20, 1.0, 0),
        common::quadruped::robots(2, 12, 0.5, 0).0,
        sparse_chain(),
        dense_point(),
    ];
    let mut solvers: Vec<SubAdmm> = SOLVERS
        .iter()
        .filter_map(|(name, _)| SubAdmm::named(name))
        .collect();
    solvers.push(SubAdmm::new(
        "articulated",
        SubAdmmSettings {
            tree_method: TreeMethod::ArticulatedBody,
            ..SubAdmmSettings::default()
        },
    ));
    let budget = Budget {
        max_iterations: Some(60),
        ..Budget::with_tolerance(1e-12)
    };
    for mut solver in solvers {
        for (index, problem) in problems.iter().enumerate() {
            let mut solution = Solution::cold();
            solver.solve(problem, &budget, &mut solution);
            solution.clear();
            let before = allocations();
            solver.solve(problem, &budget, &mut solution);
            let count = allocations() - before;
            assert_eq!(count, 0, "{} on problem {index}", solver.name());
        }
    }
}
