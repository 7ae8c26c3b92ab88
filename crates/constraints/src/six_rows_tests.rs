//! Storage and products for constraints of six rows, against the same rows as two constraints of
//! three. No law takes six rows yet, so the constraint is put in place by hand.

use nalgebra::{DMatrix, Matrix6, Vector6};

use crate::delassus::Delassus;
use crate::joint_rows::JointRows;
use crate::law::Law;
use crate::problem::{Constraint, Problem};
use crate::residual::ResidualEvaluator;
use crate::subsystem::{SparseSymmetric, Tree, TreeBody};

fn number(seed: usize) -> f64 {
    ((seed * 7919 + 13) % 101) as f64 / 50.0 - 1.0
}

/// A free body, a tree, a sparse and a dense subsystem.
fn subsystems() -> Problem {
    let mut problem = Problem::new();
    let inertia = Matrix6::from_diagonal(&Vector6::new(2.0, 2.0, 2.0, 0.3, 0.4, 0.5));
    problem.push_free_body(inertia, &[0.1; 6]).unwrap();
    let body = |parent| TreeBody {
        parent,
        joint_dofs: 2,
        inertia,
    };
    let columns = (0..4)
        .map(|dof| Vector6::from_fn(|row, _| number(6 * dof + row)))
        .collect();
    let tree = Tree::new(vec![body(None), body(Some(0))], columns, vec![0.1; 4]).unwrap();
    problem.push_tree(tree, &[0.2; 4]).unwrap();
    let entries: Vec<_> = (0..9)
        .flat_map(|i: usize| [(i, i, 4.0), (i, i.saturating_sub(1), 0.5), (8, i, 0.3)])
        .collect();
    let sparse = SparseSymmetric::from_lower_entries(9, &entries).unwrap();
    problem.push_sparse(sparse, &[0.3; 9]).unwrap();
    problem
        .push_dense(DMatrix::identity(3, 3) * 2.0, &[0.4; 3])
        .unwrap();
    problem
}

/// Appends a constraint with these of six rows: on a free body or on nodes, on a tree, on dofs.
fn push(problem: &mut Problem, range: std::ops::Range<usize>, seed: usize, on_nodes: bool) {
    let (first, rows) = (range.start, range.len());
    let (first_term, first_row) = (problem.terms.len(), problem.row_count());
    let error: Vec<f64> = (0..rows).map(|row| number(seed + first + row)).collect();
    let fill = |values: &mut [f64], salt: usize| {
        let width = values.len() / rows;
        for (at, value) in values.iter_mut().enumerate() {
            *value = number(seed + salt + (first + at / width) * width + at % width);
        }
    };
    let mut writer = problem.begin_constraint(rows);
    if on_nodes {
        fill(writer.nodes(2, [(0, 0.25), (2, 0.75)]), 2);
    } else {
        fill(writer.body(0, 0), 1);
    }
    fill(writer.body(1, 1), 3);
    fill(writer.dofs(3, [2, 0]).values, 4);
    std::mem::forget(writer);
    problem.constraints.push(Constraint {
        law: Law::Equality,
        rows,
        first_row,
        first_term,
        term_count: 3,
    });
    problem.errors.extend(error);
}

/// Three constraints of six rows, and the same rows as six of three (in the same order).
fn both() -> (Problem, Problem) {
    let (mut six, mut three) = (subsystems(), subsystems());
    for (seed, on_nodes) in [(5, false), (40, true), (77, false)] {
        push(&mut six, 0..6, seed, on_nodes);
        push(&mut three, 0..3, seed, on_nodes);
        push(&mut three, 3..6, seed, on_nodes);
    }
    (six, three)
}

#[test]
fn products_are_those_of_the_rows_by_themselves() {
    let (six, three) = both();
    assert_eq!(six.errors, three.errors);
    let (mut a, mut b) = (ResidualEvaluator::default(), ResidualEvaluator::default());
    a.update(&six).unwrap();
    b.update(&three).unwrap();
    let v: Vec<f64> = (0..six.dof_count()).map(number).collect();
    let lambda: Vec<f64> = (0..18).map(|row| number(row + 3)).collect();
    let product = |rows: &JointRows| {
        let (mut out, mut back) = (vec![0.0; 18], vec![0.0; v.len()]);
        rows.mul(&v, &mut out);
        rows.mul_transpose_add(&lambda, &mut back);
        out.extend(back);
        out
    };
    for (a, b) in product(a.rows()).iter().zip(product(b.rows())) {
        assert!((a - b).abs() < 1e-12);
    }
    for (index, mass) in a.effective_masses().iter().enumerate() {
        let pair = &b.effective_masses()[2 * index..2 * index + 2];
        let expected = 2.0 / (1.0 / pair[0] + 1.0 / pair[1]);
        assert!((mass - expected).abs() < 1e-12 * mass);
    }
    let matrix = |problem: &Problem, evaluator: &mut ResidualEvaluator| {
        let rows = evaluator.rows().clone();
        let mut delassus = Delassus::default();
        delassus.update(problem, evaluator.dynamics(), &rows);
        delassus
    };
    let (a, b) = (matrix(&six, &mut a), matrix(&three, &mut b));
    assert!((a.to_dense() - b.to_dense()).amax() < 1e-12);
    assert_eq!(a.to_dense(), a.to_dense().transpose());
    let (mut all, mut by_columns) = (vec![0.0; 18], vec![0.0; 18]);
    a.mul(&lambda, &mut all);
    for (index, constraint) in six.constraints().iter().enumerate() {
        a.add_column(index, &lambda[constraint.row_range()], &mut by_columns);
        assert_eq!(a.diagonal_block_row(index, 5).len(), 6);
    }
    for (a, b) in all.iter().zip(by_columns) {
        assert!((a - b).abs() < 1e-12);
    }
}

#[test]
fn files_hold_them_and_laws_refuse_them() {
    let (six, _) = both();
    let text = serde_json::to_string(&six).unwrap();
    let back: Problem = serde_json::from_str(&text).unwrap();
    assert_eq!(back, six);
    let error = back.rebuild_checked().unwrap_err().to_string();
    assert!(error.contains("rows = 6") && error.contains("one to three"));
    let seven = text.replacen("\"rows\":6", "\"rows\":7", 1);
    let error = serde_json::from_str::<Problem>(&seven).unwrap_err();
    assert!(error.to_string().contains("one to six"), "{error}");
    let short = text.replacen("\"rows\":6", "\"rows\":5", 1);
    let error = serde_json::from_str::<Problem>(&short).unwrap_err();
    assert!(
        error.to_string().contains("6 numbers, 5 expected"),
        "{error}"
    );
}
