//! A of every kind against dense matrices built from the public data.

mod common;

use common::{Numbers, dense_matrices, subsystems};
use nalgebra::{DMatrix, DVector, Matrix6, Vector6};
use stiction_constraints::{
    DynamicsMatrix, Failure, Problem, SparseSymmetric, Subsystem, Tree, TreeBody,
};

#[test]
fn products_solves_and_entries_equal_the_dense_matrix() {
    let mut dynamics = DynamicsMatrix::default();
    for seed in 0..20 {
        let problem = subsystems(seed);
        let (a, _) = dense_matrices(&problem);
        dynamics.update(&problem).unwrap();
        let v = Numbers(seed + 100).take(problem.dof_count());
        let expected = &a * DVector::from_column_slice(&v);
        let mut product = vec![0.0; v.len()];
        dynamics.mul(&v, &mut product);
        for (got, want) in product.iter().zip(&expected) {
            assert!(
                (got - want).abs() < 1e-12 * (1.0 + want.abs()),
                "{got} {want}"
            );
        }
        dynamics.solve_in_place(&mut product);
        for (got, want) in product.iter().zip(&v) {
            assert!((got - want).abs() < 1e-10, "{got} {want}");
        }
        let mut lower = DMatrix::<f64>::zeros(v.len(), v.len());
        let mut last = None;
        dynamics.for_each_lower_entry(|row, column, value| {
            assert!(row >= column);
            assert_ne!(last, Some((row, column)), "visited twice");
            last = Some((row, column));
            lower[(row, column)] += value;
        });
        for column in 0..v.len() {
            for row in column..v.len() {
                let (got, want) = (lower[(row, column)], a[(row, column)]);
                assert!(
                    (got - want).abs() < 1e-12,
                    "({row}, {column}): {got} {want}"
                );
            }
        }
    }
}

#[test]
fn one_subsystem_solves_alone() {
    let problem = subsystems(3);
    let (a, _) = dense_matrices(&problem);
    let mut dynamics = DynamicsMatrix::default();
    dynamics.update(&problem).unwrap();
    for (subsystem, pair) in problem.dof_starts().windows(2).enumerate() {
        let n = pair[1] - pair[0];
        let block = a.view((pair[0], pair[0]), (n, n)).into_owned();
        let x = DVector::from_vec(Numbers(9).take(n));
        let mut solved = (&block * &x).as_slice().to_vec();
        dynamics.solve_subsystem_in_place(subsystem, &mut solved);
        for (got, want) in solved.iter().zip(&x) {
            assert!((got - want).abs() < 1e-10);
        }
    }
}

#[test]
fn one_matrix_serves_problems_of_other_shapes_in_turn() {
    let mut dynamics = DynamicsMatrix::default();
    let mut small = Problem::new();
    small
        .push_dense(
            DMatrix::from_row_slice(2, 2, &[2.0, 1.0, 1.0, 3.0]),
            &[1.0, 2.0],
        )
        .unwrap();
    let large = subsystems(1);
    for problem in [&large, &small, &large, &Problem::new(), &small] {
        dynamics.update(problem).unwrap();
        let (a, _) = dense_matrices(problem);
        let mut x = problem.b().to_vec();
        dynamics.solve_in_place(&mut x);
        let back = a * DVector::from_vec(x);
        for (got, want) in back.iter().zip(problem.b()) {
            assert!((got - want).abs() < 1e-10);
        }
    }
}

#[test]
fn a_dense_matrix_may_turn_from_diagonal_to_full_and_back() {
    let mut dynamics = DynamicsMatrix::default();
    for off in [0.0, 0.5, 0.0] {
        let mut problem = Problem::new();
        let matrix = DMatrix::from_row_slice(2, 2, &[2.0, off, off, 3.0]);
        problem.push_dense(matrix, &[0.0; 2]).unwrap();
        dynamics.update(&problem).unwrap();
        let mut x = [2.0 + off, off + 3.0];
        dynamics.solve_in_place(&mut x);
        assert!(
            (x[0] - 1.0).abs() + (x[1] - 1.0).abs() < 1e-14,
            "{off}: {x:?}"
        );
    }
}

/// Recursion over bodies would need a stack frame for each; a cable of thousands of links is real.
#[test]
fn a_chain_of_two_thousand_bodies_is_no_problem() {
    let links = 2000;
    let bodies = (0..links)
        .map(|index: usize| TreeBody {
            parent: index.checked_sub(1),
            joint_dofs: 1,
            inertia: Matrix6::identity() * 0.01,
        })
        .collect();
    let columns = (0..links)
        .map(|index| Vector6::from_fn(|row, _| if row == index % 6 { 1.0 } else { 0.0 }))
        .collect();
    let tree = Tree::new(bodies, columns, vec![0.1; links]).unwrap();
    let mut problem = Problem::new();
    problem.push_tree(tree, &vec![1.0; links]).unwrap();
    let mut dynamics = DynamicsMatrix::default();
    dynamics.update(&problem).unwrap();
    let mut x = problem.b().to_vec();
    dynamics.solve_in_place(&mut x);
    let mut back = vec![0.0; links];
    dynamics.mul(&x, &mut back);
    for (got, want) in back.iter().zip(problem.b()) {
        assert!((got - want).abs() < 1e-8, "{got}");
    }
}

#[test]
fn a_block_that_is_not_positive_definite_is_named() {
    let fine = Subsystem::Dense(DMatrix::identity(2, 2));
    let mut inertia = Matrix6::identity();
    inertia[(0, 1)] = 2.0;
    inertia[(1, 0)] = 2.0;
    let indefinite = DMatrix::from_row_slice(2, 2, &[1.0, 2.0, 2.0, 1.0]);
    let entries = [(0, 0, 1.0), (1, 1, 1.0), (1, 0, -2.0)];
    let body = |parent, mass: f64| TreeBody {
        parent,
        joint_dofs: 1,
        inertia: Matrix6::identity() * mass,
    };
    // A massless last link without armature: nothing resists its joint.
    let column = Vector6::new(1.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    let tree = Tree::new(
        vec![body(None, 1.0), body(Some(0), 0.0)],
        vec![column; 2],
        vec![0.0; 2],
    );
    let bad = [
        Subsystem::FreeBody(inertia),
        Subsystem::Dense(indefinite),
        Subsystem::Sparse(SparseSymmetric::from_lower_entries(2, &entries).unwrap()),
        Subsystem::Tree(tree.unwrap()),
    ];
    for subsystem in bad {
        let mut problem = Problem::new();
        problem.push_subsystem(fine.clone(), &[0.0; 2]).unwrap();
        let b = vec![0.0; subsystem.dof_count()];
        let kind = subsystem.kind();
        problem.push_subsystem(subsystem, &b).unwrap();
        let mut dynamics = DynamicsMatrix::default();
        assert_eq!(
            dynamics.update(&problem),
            Err(Failure::NotPositiveDefinite { subsystem: 1 }),
            "{kind}"
        );
        // A failure leaves nothing behind that spoils the next problem.
        dynamics.update(&subsystems(2)).unwrap();
    }
}

#[test]
fn entries_of_a_sparse_matrix_add_up_in_any_order() {
    let entries = [
        (2, 0, 1.0),
        (0, 0, 2.0),
        (1, 1, 3.0),
        (2, 0, 0.5),
        (2, 2, 4.0),
        (0, 0, 1.0),
    ];
    let matrix = SparseSymmetric::from_lower_entries(3, &entries).unwrap();
    let mut product = [0.0; 3];
    matrix.mul(&[1.0, 10.0, 100.0], &mut product);
    assert_eq!(product, [3.0 + 150.0, 30.0, 1.5 + 400.0]);
    assert!(SparseSymmetric::from_lower_entries(3, &[(0, 1, 1.0)]).is_err());
    assert!(SparseSymmetric::from_lower_entries(3, &[(3, 0, 1.0)]).is_err());
}
