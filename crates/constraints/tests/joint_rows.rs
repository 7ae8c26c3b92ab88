//! J in joint space against an explicit dense J, for every kind of row block.

mod common;

use common::{Numbers, dense_matrices, everything, subsystems};
use nalgebra::DVector;
use stiction_constraints::{JointRows, Law, Problem, RowBlock};

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
        ];
        for block in blocks {
            let mut problem = subsystems(1);
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
