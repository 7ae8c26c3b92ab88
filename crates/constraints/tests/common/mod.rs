//! Small problems that several test files share.

#![allow(dead_code, reason = "every test file uses its own part of this module")]

pub(crate) mod laws;

use nalgebra::{DMatrix, DVector, Matrix6, Vector3, Vector6};
use stiction_constraints::{
    Law, Problem, ResidualEvaluator, RowBlock, SparseSymmetric, Subsystem, Tree, TreeBody,
};

/// Reproducible numbers in (−1, 1) without a dependency: a linear congruential generator.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(crate) fn take(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.next()).collect()
    }
}

/// A body of the given mass whose centre is at `center` from the reference point.
pub(crate) fn inertia(mass: f64, center: Vector3<f64>) -> Matrix6<f64> {
    let mut motion = Matrix6::identity();
    motion
        .fixed_view_mut::<3, 3>(0, 3)
        .copy_from(&-center.cross_matrix());
    let own = Matrix6::from_diagonal(&Vector6::new(
        mass,
        mass,
        mass,
        0.1 * mass,
        0.2 * mass,
        0.15 * mass,
    ));
    let moved = motion.transpose() * own * motion;
    0.5 * (moved + moved.transpose())
}

/// Floating base (6), two branches: revolute – fixed – revolute, and a joint of two dofs; and a
/// second root on the ground. 11 dofs, 6 bodies.
pub(crate) fn tree(numbers: &mut Numbers) -> Tree {
    let shape = [
        (None, 6),
        (Some(0), 1),
        (Some(1), 0),
        (Some(2), 1),
        (Some(0), 2),
        (None, 1),
    ];
    let bodies = shape
        .iter()
        .map(|&(parent, joint_dofs)| TreeBody {
            parent,
            joint_dofs,
            inertia: inertia(
                1.5 + numbers.next(),
                Vector3::new(numbers.next(), numbers.next(), numbers.next()),
            ),
        })
        .collect();
    let columns = (0..11)
        .map(|_| Vector6::from_fn(|_, _| numbers.next()))
        .collect();
    let diagonal = (0..11).map(|_| 0.05 * (1.5 + numbers.next())).collect();
    Tree::new(bodies, columns, diagonal).unwrap()
}

/// A sparse matrix with an arrow and a band, diagonally dominant.
pub(crate) fn sparse(numbers: &mut Numbers, n: usize) -> SparseSymmetric {
    let mut entries: Vec<_> = (0..n).map(|i| (i, i, 8.0 + numbers.next())).collect();
    for i in 1..n {
        entries.push((i, i - 1, numbers.next()));
        entries.push((n - 1, i - 1, 0.3 * numbers.next()));
    }
    SparseSymmetric::from_lower_entries(n, &entries).unwrap()
}

pub(crate) fn dense(numbers: &mut Numbers, n: usize) -> DMatrix<f64> {
    let root = DMatrix::from_fn(n, n, |_, _| numbers.next());
    let square = &root * root.transpose() + DMatrix::identity(n, n);
    0.5 * (&square + square.transpose())
}

/// One subsystem of every kind: free body (0), tree (1), sparse of 9 (2), dense of 4 (3).
pub(crate) fn subsystems(seed: u64) -> Problem {
    let mut numbers = Numbers(seed);
    let mut problem = Problem::new();
    let blocks = [
        Subsystem::FreeBody(inertia(2.0, Vector3::new(0.1, -0.2, 0.3))),
        Subsystem::Tree(tree(&mut numbers)),
        Subsystem::Sparse(sparse(&mut numbers, 9)),
        Subsystem::Dense(dense(&mut numbers, 4)),
    ];
    for block in blocks {
        let b = numbers.take(block.dof_count());
        problem.push_subsystem(block, &b).unwrap();
    }
    problem
}

/// Every subsystem kind, every law, every kind of row block, two terms on one tree.
pub(crate) fn everything(seed: u64) -> Problem {
    let mut problem = subsystems(seed);
    let mut numbers = Numbers(seed ^ 0x5eed);
    let (one, two) = (numbers.take(18), numbers.take(18));
    let row = numbers.take(12);
    let body = |body, values| RowBlock::Body { body, values };
    let dofs = |dofs, values| RowBlock::Dofs { dofs, values };
    let nodes = RowBlock::Nodes {
        nodes: &[0, 2],
        weights: &[0.25, 0.75],
        frame: &one[..9],
    };
    let push = |problem: &mut Problem, law, error: &[f64], blocks: &[(usize, RowBlock<'_>)]| {
        problem.push_constraint(law, error, blocks).unwrap();
    };
    let at = &mut problem;
    push(
        at,
        Law::Contact { friction: 0.4 },
        &[0.1, 0.0, -0.2],
        &[(0, body(0, &one)), (1, body(3, &two))],
    );
    push(
        at,
        Law::AnisotropicContact {
            friction: [0.3, 0.7],
        },
        &[0.0, 0.0, 0.1],
        &[(1, body(3, &one)), (1, body(4, &two))],
    );
    let compliant = Law::CompliantContact {
        friction: [0.5; 2],
        tangential_compliance: 0.1,
        normal_compliance: 0.2,
    };
    push(
        at,
        compliant,
        &[0.0, 0.0, -0.1],
        &[(2, nodes), (0, body(0, &two))],
    );
    push(
        at,
        Law::Unilateral,
        &[0.1, -0.1],
        &[(3, dofs(&[0, 2, 3], &row[..6]))],
    );
    push(
        at,
        Law::Equality,
        &[0.05],
        &[(3, dofs(&[1], &row[..1])), (1, dofs(&[7, 2], &row[1..3]))],
    );
    push(
        at,
        Law::Soft {
            stiffness: 3.0,
            damping: 0.5,
        },
        &[0.1, 0.2, 0.3],
        &[(2, dofs(&[4, 5], &row[..6]))],
    );
    push(
        at,
        Law::JointFriction { bound: 0.2 },
        &[0.0],
        &[(1, dofs(&[6], &[1.0]))],
    );
    push(
        at,
        Law::JointLimit {
            lower: -0.1,
            upper: 0.3,
        },
        &[0.0],
        &[(1, dofs(&[9], &[1.0]))],
    );
    problem
}

/// A and J as dense matrices, built from the public data alone.
pub(crate) fn dense_matrices(problem: &Problem) -> (DMatrix<f64>, DMatrix<f64>) {
    let n = problem.dof_count();
    let mut a = DMatrix::zeros(n, n);
    for (subsystem, &start) in problem.subsystems().iter().zip(problem.dof_starts()) {
        let block = dense_block(subsystem);
        a.view_mut((start, start), block.shape()).copy_from(&block);
    }
    let mut j = DMatrix::zeros(problem.row_count(), n);
    for (index, constraint) in problem.constraints().iter().enumerate() {
        for (subsystem, block) in problem.terms(index) {
            let target = &problem.subsystems()[subsystem];
            let rows = dense_rows(target, &block, constraint.rows);
            let mut view = j.view_mut(
                (constraint.first_row, problem.dof_starts()[subsystem]),
                rows.shape(),
            );
            view += rows;
        }
    }
    (a, j)
}

/// Jacobian of a tree's body: columns of the dofs between it and the root.
pub(crate) fn body_jacobian(tree: &Tree, body: usize) -> DMatrix<f64> {
    let mut jacobian = DMatrix::zeros(6, tree.dof_count());
    let mut current = Some(body);
    while let Some(body) = current {
        let first = tree.first_dof(body);
        for dof in first..first + tree.bodies()[body].joint_dofs {
            jacobian.set_column(
                dof,
                &DVector::from_column_slice(tree.columns()[dof].as_slice()),
            );
        }
        current = tree.bodies()[body].parent;
    }
    jacobian
}

fn dense_block(subsystem: &Subsystem) -> DMatrix<f64> {
    match subsystem {
        Subsystem::FreeBody(inertia) => DMatrix::from_column_slice(6, 6, inertia.as_slice()),
        Subsystem::Dense(matrix) => matrix.clone(),
        Subsystem::Sparse(matrix) => {
            let mut out = DMatrix::zeros(matrix.dimension(), matrix.dimension());
            for column in 0..matrix.dimension() {
                for k in matrix.column_start()[column]..matrix.column_start()[column + 1] {
                    out[(matrix.row_index()[k], column)] = matrix.values()[k];
                    out[(column, matrix.row_index()[k])] = matrix.values()[k];
                }
            }
            out
        }
        Subsystem::Tree(tree) => {
            let diagonal = DVector::from_column_slice(tree.diagonal());
            let mut out = DMatrix::from_diagonal(&diagonal);
            for body in 0..tree.bodies().len() {
                let jacobian = body_jacobian(tree, body);
                let mass = DMatrix::from_column_slice(6, 6, tree.bodies()[body].inertia.as_slice());
                out += jacobian.transpose() * mass * jacobian;
            }
            out
        }
    }
}

fn dense_rows(subsystem: &Subsystem, block: &RowBlock<'_>, rows: usize) -> DMatrix<f64> {
    let n = subsystem.dof_count();
    let mut out = DMatrix::zeros(rows, n);
    match *block {
        RowBlock::Body { body, values } => {
            let values = DMatrix::from_row_slice(rows, 6, values);
            match subsystem {
                Subsystem::Tree(tree) => values * body_jacobian(tree, body),
                _ => {
                    out.columns_mut(6 * body, 6).copy_from(&values);
                    out
                }
            }
        }
        RowBlock::Dofs { dofs, values } => {
            for (position, &dof) in dofs.iter().enumerate() {
                for row in 0..rows {
                    out[(row, dof)] = values[row * dofs.len() + position];
                }
            }
            out
        }
        RowBlock::Nodes {
            nodes,
            weights,
            frame,
        } => {
            for (node, weight) in nodes.iter().zip(weights) {
                for row in 0..rows {
                    for axis in 0..3 {
                        out[(row, 3 * node + axis)] = weight * frame[3 * row + axis];
                    }
                }
            }
            out
        }
    }
}

/// A evaluator that has seen the problem.
pub(crate) fn evaluator(problem: &Problem) -> ResidualEvaluator {
    let mut evaluator = ResidualEvaluator::default();
    evaluator.update(problem).unwrap();
    evaluator
}
