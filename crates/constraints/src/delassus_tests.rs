//! The block-sparse matrix against the dense textbook product.

use nalgebra::{DMatrix, DVector, Matrix6, Vector3, Vector6};
use proptest::prelude::*;

use super::Delassus;
use crate::{DynamicsMatrix, JointRows, Law, Problem, RowBlock, SparseSymmetric, Tree, TreeBody};

/// A small generator of numbers in (−1, 1), so that one seed makes one problem.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn below(&mut self, count: usize) -> usize {
        ((0.5 + 0.5 * self.next()) * count as f64) as usize % count
    }

    fn take(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.next()).collect()
    }

    fn definite(&mut self, n: usize) -> DMatrix<f64> {
        let root = DMatrix::from_fn(n, n, |_, _| self.next());
        &root * root.transpose() + DMatrix::identity(n, n)
    }

    fn inertia(&mut self) -> Matrix6<f64> {
        Matrix6::from_iterator(self.definite(6).iter().copied())
    }
}

/// Two free bodies, a branching tree, a chain of nodes (sparse) and a dense block, with
/// constraints of one to three rows on one or two of them, and one that touches nothing.
fn random_problem(seed: u64) -> Problem {
    let mut numbers = Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut problem = Problem::new();
    for _ in 0..2 {
        let b = numbers.take(6);
        problem.push_free_body(numbers.inertia(), &b).unwrap();
    }
    let bodies = [
        (None, 6),
        (Some(0), 1),
        (Some(0), 2),
        (Some(1), 0),
        (Some(2), 1),
    ]
    .map(|(parent, joint_dofs)| TreeBody {
        parent,
        joint_dofs,
        inertia: numbers.inertia(),
    })
    .to_vec();
    let columns = (0..10)
        .map(|_| Vector6::from_iterator(numbers.take(6)))
        .collect();
    let tree = Tree::new(bodies, columns, vec![0.1; 10]).unwrap();
    let b = numbers.take(10);
    problem.push_tree(tree, &b).unwrap();
    let entries: Vec<_> = (0..12)
        .map(|i| (i, i, 3.0 + numbers.next()))
        .chain((3..12).map(|i| (i, i - 3, -0.9)))
        .collect();
    let b = numbers.take(12);
    problem
        .push_sparse(
            SparseSymmetric::from_lower_entries(12, &entries).unwrap(),
            &b,
        )
        .unwrap();
    let b = numbers.take(4);
    problem.push_dense(numbers.definite(4), &b).unwrap();

    for _ in 0..14 {
        let rows = 1 + numbers.below(3);
        let (first, second) = (numbers.below(5), numbers.below(5));
        let mut owned = Vec::new();
        for subsystem in [first, second].into_iter().take(1 + numbers.below(2)) {
            owned.push((subsystem, numbers.below(5), numbers.take(12 + 6 * rows)));
        }
        let blocks: Vec<_> = owned
            .iter()
            .map(|(subsystem, body, values)| {
                let block = match subsystem {
                    0 | 1 => RowBlock::Body {
                        body: 0,
                        values: &values[..6 * rows],
                    },
                    2 => RowBlock::Body {
                        body: *body,
                        values: &values[..6 * rows],
                    },
                    3 => RowBlock::Nodes {
                        nodes: &[0, 2, 3],
                        weights: &values[..3],
                        frame: &values[3..3 + 3 * rows],
                    },
                    _ => RowBlock::Dofs {
                        dofs: &[3, 1],
                        values: &values[..2 * rows],
                    },
                };
                (*subsystem, block)
            })
            .collect();
        let law = if rows == 3 {
            Law::Contact { friction: 0.5 }
        } else {
            Law::Equality
        };
        problem
            .push_constraint(law, &vec![0.0; rows], &blocks)
            .unwrap();
    }
    problem.push_constraint(Law::Equality, &[0.0], &[]).unwrap();
    problem
}

/// J by columns (J applied to unit vectors), A from its lower entries: nothing of the block code.
fn dense_reference(problem: &Problem, dynamics: &DynamicsMatrix, rows: &JointRows) -> DMatrix<f64> {
    let (n, m) = (problem.dof_count(), problem.row_count());
    let mut a = DMatrix::zeros(n, n);
    dynamics.for_each_lower_entry(|row, column, value| {
        a[(row, column)] = value;
        a[(column, row)] = value;
    });
    let mut jacobian = DMatrix::zeros(m, n);
    for dof in 0..n {
        let mut unit = vec![0.0; n];
        unit[dof] = 1.0;
        let mut column = vec![0.0; m];
        rows.mul(&unit, &mut column);
        jacobian.set_column(dof, &DVector::from_vec(column));
    }
    let solved = a.cholesky().unwrap().solve(&jacobian.transpose());
    jacobian * solved
}

fn computed(problem: &Problem, delassus: &mut Delassus) -> DMatrix<f64> {
    let (mut dynamics, mut rows) = (DynamicsMatrix::default(), JointRows::default());
    dynamics.update(problem).unwrap();
    rows.update(problem);
    delassus.update(problem, &mut dynamics, &rows);
    dense_reference(problem, &dynamics, &rows)
}

proptest! {
    #[test]
    fn equals_the_dense_product_and_is_symmetric(seed in 1u64..10_000) {
        let problem = random_problem(seed);
        let mut delassus = Delassus::default();
        let expected = computed(&problem, &mut delassus);
        let dense = delassus.to_dense();
        let scale = expected.amax();
        prop_assert!((&dense - &expected).amax() < 1e-12 * scale);
        // To the bit, because products with columns read rows.
        prop_assert_eq!(&dense, &dense.transpose());
    }

    #[test]
    fn products_agree_with_the_dense_matrix(seed in 1u64..10_000) {
        let problem = random_problem(seed);
        let mut delassus = Delassus::default();
        computed(&problem, &mut delassus);
        let dense = delassus.to_dense();
        let x = DVector::from_vec(Numbers(seed).take(problem.row_count()));
        let expected = &dense * &x;
        let mut product = vec![0.0; problem.row_count()];
        delassus.mul(x.as_slice(), &mut product);
        let mut by_columns = vec![0.0; problem.row_count()];
        for (index, constraint) in problem.constraints().iter().enumerate() {
            delassus.add_column(index, &x.as_slice()[constraint.row_range()], &mut by_columns);
            let block = delassus.diagonal_block(index);
            for row in 0..constraint.rows {
                for column in 0..constraint.rows {
                    let entry = dense[(constraint.first_row + row, constraint.first_row + column)];
                    prop_assert_eq!(block[(row, column)], entry);
                }
            }
        }
        for row in 0..problem.row_count() {
            prop_assert!((product[row] - expected[row]).abs() < 1e-12);
            prop_assert!((by_columns[row] - expected[row]).abs() < 1e-12);
        }
    }
}

#[test]
fn storage_follows_the_problem() {
    // A bigger problem, then a smaller one, then the first again: nothing of the old remains.
    let mut delassus = Delassus::default();
    let (large, small) = (random_problem(7), sparse_pair());
    computed(&large, &mut delassus);
    let first = delassus.to_dense();
    let expected = computed(&small, &mut delassus);
    assert!((delassus.to_dense() - expected).amax() < 1e-15);
    computed(&large, &mut delassus);
    assert_eq!(delassus.to_dense(), first);
}

/// Three bodies in a row, contacts 0–1, 1–2 and one on body 0 alone.
fn sparse_pair() -> Problem {
    let mut problem = Problem::new();
    for _ in 0..3 {
        problem
            .push_free_body(Matrix6::identity(), &[0.0; 6])
            .unwrap();
    }
    let mut values = [0.0; 18];
    for row in 0..3 {
        values[6 * row + row] = 1.0;
    }
    let negated = values.map(|value| -value);
    let on = |values| RowBlock::Body { body: 0, values };
    let law = Law::Contact { friction: 0.5 };
    for blocks in [
        vec![(0, on(&values)), (1, on(&negated))],
        vec![(1, on(&values)), (2, on(&negated))],
        vec![(0, on(&values))],
    ] {
        problem.push_constraint(law, &[0.0; 3], &blocks).unwrap();
    }
    problem
}

#[test]
fn only_constraints_that_share_a_subsystem_couple() {
    let mut delassus = Delassus::default();
    computed(&sparse_pair(), &mut delassus);
    let neighbors = |constraint| delassus.neighbors(constraint).collect::<Vec<_>>();
    assert_eq!(neighbors(0), [0, 1, 2]);
    assert_eq!(neighbors(1), [0, 1]);
    assert_eq!(neighbors(2), [0, 2]);
    assert_eq!(delassus.runs(0).len(), 1);
    assert_eq!(delassus.runs(2).len(), 2);
    assert_eq!(delassus.stored_count(), 9 * 7);
    // Two unit masses against each other, and a shared body with opposite sign.
    assert_eq!(delassus.diagonal_block(0).diagonal(), Vector3::repeat(2.0));
    assert_eq!(delassus.row_values(1, 0)[0], -1.0);
}

#[test]
fn an_empty_problem_has_an_empty_matrix() {
    let mut delassus = Delassus::default();
    let mut problem = Problem::new();
    problem
        .push_free_body(Matrix6::identity(), &[0.0; 6])
        .unwrap();
    computed(&problem, &mut delassus);
    assert_eq!(delassus.row_count(), 0);
    assert_eq!(delassus.to_dense().len(), 0);
}
