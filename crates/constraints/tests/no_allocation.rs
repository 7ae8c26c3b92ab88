//! The second measurement of a problem of the same shape allocates nothing.

mod common;

use common::{Numbers, dense_matrices, everything, inertia, sparse};
use nalgebra::{DVector, Vector3};
use stiction_constraints::{Criterion, DynamicsMatrix, Problem, ResidualEvaluator, Subsystem};
use stiction_test_support::allocations;

#[test]
fn second_update_and_residuals_allocate_nothing() {
    let (first, second) = (everything(1), everything(2));
    let lambda = vec![0.1; first.row_count()];
    let mut velocity = vec![0.0; first.dof_count()];
    let mut evaluator = ResidualEvaluator::default();
    let before = allocations();
    evaluator.update(&first).unwrap();
    evaluator.residuals(&first, &velocity, &lambda);
    assert!(allocations() > before, "the count works");

    let before = allocations();
    evaluator.update(&second).unwrap();
    evaluator.velocity_of(&second, &lambda, &mut velocity);
    evaluator.residuals(&second, &velocity, &lambda);
    evaluator.measure(&second, &lambda, Criterion::Scaled);
    let after = allocations();
    assert_eq!(after - before, 0);
}

/// Sparse pieces keep their storage when others before them come and go.
#[test]
fn subsystems_that_move_up_take_their_factors_along() {
    let mut numbers = Numbers(3);
    let pieces = [
        Subsystem::Sparse(sparse(&mut numbers, 30)),
        Subsystem::FreeBody(inertia(2.0, Vector3::zeros())),
        Subsystem::Sparse(sparse(&mut numbers, 18)),
        Subsystem::Sparse(sparse(&mut numbers, 24)),
    ];
    let problem = |which: &[usize]| {
        let mut problem = Problem::new();
        for &piece in which {
            let b = vec![1.0; pieces[piece].dof_count()];
            problem.push_subsystem(pieces[piece].clone(), &b).unwrap();
        }
        problem
    };
    let mut dynamics = DynamicsMatrix::default();
    dynamics.update(&problem(&[0, 1, 2, 3])).unwrap();
    for which in [&[1, 0, 3, 2][..], &[0, 3, 2], &[3, 2]] {
        let problem = problem(which);
        let before = allocations();
        dynamics.update(&problem).unwrap();
        assert_eq!(allocations() - before, 0, "{which:?}");
        let mut x = problem.b().to_vec();
        dynamics.solve_in_place(&mut x);
        let back = dense_matrices(&problem).0 * DVector::from_vec(x);
        assert!(back.iter().all(|value| (value - 1.0).abs() < 1e-12));
    }
}
