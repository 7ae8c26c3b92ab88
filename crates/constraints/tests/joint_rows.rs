//! J in joint space against an explicit dense J, for every kind of row block.

mod common;

use common::{Numbers, dense_matrices, everything, sparse, subsystems};
use nalgebra::DVector;
use stiction_constraints::{Criterion, JointRows, Law, Problem, ResidualEvaluator, RowBlock};

fn compare(problem: &Problem, rows: &JointRows) {
    let (_, j) = dense_matrices(problem);
    let v = Numbers(4).take(problem.dof_count());
    let lambda = Numbers(5).take(problem.row_count());
    let mut product = vec![f64::NAN; problem.row_count()];
    rows.mul(&v, &mut product);
    let expected = &j * DVector::from_column_slice(&v);
    for (row, (got, want)) in product.iter().zip(&expected).enumerate() {
        assert!((got - want).abs() < 1e-12, "row {row}: {got} {want}");
    }
    // Adds to what is there.
    let mut sum = v.clone();
    rows.mul_transpose_add(&lambda, &mut sum);
    let expected = DVector::from_column_slice(&v) + j.transpose() * DVector::from_vec(lambda);
    for (dof, (got, want)) in sum.iter().zip(&expected).enumerate() {
        assert!((got - want).abs() < 1e-12, "dof {dof}: {got} {want}");
    }
}

#[test]
fn all_blocks_together() {
    let mut rows = JointRows::default();
    for seed in 0..10 {
        let problem = everything(seed);
        rows.update(&problem);
        compare(&problem, &rows);
        assert_eq!(rows.constraint_count(), problem.constraints().len());
        for (index, constraint) in problem.constraints().iter().enumerate() {
            assert_eq!(rows.rows(index), constraint.rows);
            let segments = rows.segments(index);
            assert!(!segments.is_empty());
            for pair in segments.windows(2) {
                let end = pair[0].first_dof + pair[0].len;
                assert!(
                    end <= pair[1].first_dof,
                    "segments ascend and do not overlap"
                );
                let joined = pair[0].subsystem == pair[1].subsystem && end == pair[1].first_dof;
                assert!(!joined, "neighbouring dofs are one segment");
            }
        }
    }
}

#[test]
fn each_block_alone() {
    let values = Numbers(8).take(18);
    for rows_of_block in 1..=3 {
        let blocks = [
            (
                0,
                RowBlock::Body {
                    body: 0,
                    values: &values[..6 * rows_of_block],
                },
            ),
            // The base, the end of a branch through a fixed joint, the other root.
            (
                1,
                RowBlock::Body {
                    body: 0,
                    values: &values[..6 * rows_of_block],
                },
            ),
            (
                1,
                RowBlock::Body {
                    body: 3,
                    values: &values[..6 * rows_of_block],
                },
            ),
            (
                1,
                RowBlock::Body {
                    body: 5,
                    values: &values[..6 * rows_of_block],
                },
            ),
            // Not ascending: a user may name dofs in any order.
            (
                2,
                RowBlock::Dofs {
                    dofs: &[7, 0, 3],
                    values: &values[..3 * rows_of_block],
                },
            ),
            (
                3,
                RowBlock::Dofs {
                    dofs: &[2],
                    values: &values[..rows_of_block],
                },
            ),
            (
                2,
                RowBlock::Nodes {
                    nodes: &[2, 0],
                    weights: &[0.3, 0.7],
                    frame: &values[..3 * rows_of_block],
                },
            ),
            (
                2,
                RowBlock::Nodes {
                    nodes: &[1, 2],
                    weights: &[0.3, 0.7],
                    frame: &values[..3 * rows_of_block],
                },
            ),
            (
                4,
                RowBlock::Body {
                    body: 1,
                    values: &values[..6 * rows_of_block],
                },
            ),
        ];
        for block in blocks {
            let mut problem = subsystems(1);
            let links = sparse(&mut Numbers(6), 18).of_bodies().unwrap();
            problem.push_sparse(links, &[0.0; 18]).unwrap();
            let error = vec![0.0; rows_of_block];
            problem
                .push_constraint(Law::Equality, &error, &[block])
                .unwrap();
            let mut rows = JointRows::default();
            rows.update(&problem);
            compare(&problem, &rows);
        }
    }
}

#[test]
fn two_terms_on_one_tree_add_up_to_one_row() {
    let mut problem = subsystems(2);
    let values = Numbers(3).take(18);
    let opposite: Vec<f64> = values.iter().map(|value| -value).collect();
    let block = |body, values| (1, RowBlock::Body { body, values });
    let law = Law::Contact { friction: 0.5 };
    problem
        .push_constraint(law, &[0.0; 3], &[block(3, &values), block(4, &opposite)])
        .unwrap();
    problem
        .push_constraint(law, &[0.0; 3], &[block(3, &values), block(3, &opposite)])
        .unwrap();
    let mut rows = JointRows::default();
    rows.update(&problem);
    compare(&problem, &rows);
    // A body against itself moves nothing.
    let own = rows.segments(1);
    assert!(
        own.iter()
            .all(|segment| rows.values(1, segment).iter().all(|&value| value == 0.0))
    );
    // The base moves both partners alike: what is left of its six columns is zero up to rounding.
    for segment in rows.segments(0) {
        let start = problem.dof_starts()[1];
        for (position, value) in rows.values(0, segment).iter().enumerate() {
            let dof = segment.first_dof - start + position % segment.len;
            if dof < 6 {
                assert!(value.abs() < 1e-15, "dof {dof}: {value}");
            }
        }
    }
}

#[test]
fn no_constraints_and_constraints_without_terms() {
    let mut rows = JointRows::default();
    rows.update(&Problem::new());
    assert_eq!(rows.constraint_count(), 0);
    let mut problem = subsystems(0);
    problem
        .push_constraint(Law::Equality, &[0.0; 2], &[])
        .unwrap();
    rows.update(&problem);
    let mut product = [1.0; 2];
    rows.mul(&vec![1.0; problem.dof_count()], &mut product);
    assert_eq!(product, [0.0; 2]);
}

/// Links of a rod, on which rows act as on bodies: the same as a dense matrix whose rows name dofs.
#[test]
fn bodies_of_a_sparse_subsystem() {
    let matrix = sparse(&mut Numbers(6), 18);
    assert!(sparse(&mut Numbers(6), 9).of_bodies().is_err());
    let b = Numbers(7).take(18);
    let (mut plain, mut dense) = (Problem::new(), Problem::new());
    plain.push_sparse(matrix.clone(), &b).unwrap();
    let a = dense_matrices(&plain).0;
    dense.push_dense(a, &b).unwrap();
    let mut links = Problem::new();
    links.push_sparse(matrix.of_bodies().unwrap(), &b).unwrap();
    assert_eq!(links.subsystems()[0].body_count(), 3);
    let law = Law::Contact { friction: 0.5 };
    let (first, second) = (Numbers(8).take(18), Numbers(9).take(18));
    let error = [0.1, 0.2, 0.3];
    let on = |body, values| (0, RowBlock::Body { body, values });
    assert!(
        plain
            .push_constraint(law, &error, &[on(0, &first)])
            .is_err()
    );
    assert!(
        links
            .push_constraint(law, &error, &[on(3, &first)])
            .is_err()
    );
    links
        .push_constraint(law, &error, &[on(2, &first)])
        .unwrap();
    let both = [on(0, &first), on(2, &second)];
    links.push_constraint(law, &error, &both).unwrap();
    let dofs = |first: usize| (6 * first..6 * first + 6).collect::<Vec<_>>();
    let (low, high) = (dofs(0), dofs(2));
    let named = |dofs, values| (0, RowBlock::Dofs { dofs, values });
    dense
        .push_constraint(law, &error, &[named(&high, &first)])
        .unwrap();
    let both = [named(&low, &first), named(&high, &second)];
    dense.push_constraint(law, &error, &both).unwrap();
    let (mut a, mut b) = (ResidualEvaluator::default(), ResidualEvaluator::default());
    a.update(&links).unwrap();
    b.update(&dense).unwrap();
    let lambda = [0.1, -0.2, 0.5, 0.3, 0.1, 0.7];
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12 * (1.0 + b.abs()), "{a} {b}");
    for (a, b) in a.effective_masses().iter().zip(b.effective_masses()) {
        close(*a, *b);
    }
    // At no tolerance v̂ and J v̂ are computed with care, from the row blocks themselves.
    for tolerance in [1.0, 0.0] {
        close(
            a.confirm(&links, &lambda, Criterion::Paper, tolerance),
            b.confirm(&dense, &lambda, Criterion::Paper, tolerance),
        );
    }
    let text = serde_json::to_string(&links).unwrap();
    assert_eq!(serde_json::from_str::<Problem>(&text).unwrap(), links);
}
