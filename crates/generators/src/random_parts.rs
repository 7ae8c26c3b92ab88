//! Random subsystems and row blocks, what random problems are made of.

use nalgebra::{DMatrix, Matrix6, Vector3, Vector6};
use rand::{Rng, RngExt};
use stiction_constraints::{ProblemError, RowBlock, SparseSymmetric, Subsystem, Tree, TreeBody};

use crate::geometry::{by_rows, contact_frame, point_rows, refuse, shift_inertia};
use crate::kinds::SubsystemKind;
use crate::sampling::{direction, normal, normal_vector, uniform};

/// A subsystem of a kind; `mass` in kg sets the size of its matrix.
pub(crate) fn subsystem_of_kind(
    rng: &mut impl Rng,
    kind: SubsystemKind,
    mass: f64,
) -> Result<Subsystem, ProblemError> {
    Ok(match kind {
        SubsystemKind::FreeBody => Subsystem::FreeBody(random_inertia(rng, mass)),
        SubsystemKind::Tree => Subsystem::Tree(random_tree(rng, mass)?),
        SubsystemKind::Sparse => {
            let n = rng.random_range(1..=9);
            // Diagonally dominant, so positive definite.
            let mut entries: Vec<_> = (0..n)
                .map(|i| (i, i, mass * uniform(rng, 1.5, 3.0)))
                .collect();
            for i in 1..n {
                let j = rng.random_range(0..i);
                let value = mass * uniform(rng, -0.4, 0.4);
                entries.extend([(i, j, value), (i, i, value.abs()), (j, j, value.abs())]);
            }
            Subsystem::Sparse(
                SparseSymmetric::from_lower_entries(n, &entries)
                    .map_err(|reason| refuse("random matrix", n, &reason))?,
            )
        }
        SubsystemKind::Dense => {
            let n = rng.random_range(1..=7);
            let root = DMatrix::from_fn(n, n, |_, _| normal(rng));
            let square = &root * root.transpose() + DMatrix::identity(n, n) * 0.3;
            // The product is symmetric only up to rounding.
            Subsystem::Dense((&square + square.transpose()) * (0.5 * mass))
        }
    })
}

/// A body somewhere near its reference point.
fn random_inertia(rng: &mut impl Rng, mass: f64) -> Matrix6<f64> {
    let moments = Vector3::from_fn(|_, _| uniform(rng, 0.5, 1.0) * 0.1 * mass);
    let at_center = Matrix6::from_diagonal(&Vector6::new(
        mass, mass, mass, moments.x, moments.y, moments.z,
    ));
    let moved = shift_inertia(&at_center, &(0.2 * normal_vector::<3>(rng)));
    0.5 * (moved + moved.transpose())
}

fn random_tree(rng: &mut impl Rng, mass: f64) -> Result<Tree, ProblemError> {
    let count = rng.random_range(1..=5);
    let (mut bodies, mut columns, mut diagonal) = (Vec::new(), Vec::new(), Vec::new());
    for index in 0..count {
        let parent = (index > 0 && rng.random_bool(0.8)).then(|| rng.random_range(0..index));
        // The first joint moves, so that the tree has at least one degree of freedom.
        let joint_dofs = if index == 0 {
            [1, 3, 6][rng.random_range(0..3)]
        } else {
            rng.random_range(0..=2)
        };
        for _ in 0..joint_dofs {
            columns.push(normal_vector::<6>(rng));
            diagonal.push(mass * uniform(rng, 0.01, 0.1));
        }
        bodies.push(TreeBody {
            parent,
            joint_dofs,
            inertia: random_inertia(rng, mass),
        });
    }
    Tree::new(bodies, columns, diagonal).map_err(|reason| refuse("random tree", count, &reason))
}

/// Owned numbers of a row block.
pub(crate) enum Numbers {
    Body(usize, [f64; 18]),
    Dofs(Vec<usize>, Vec<f64>),
    Nodes(Vec<usize>, Vec<f64>, Vec<f64>),
}

impl Numbers {
    /// The row block itself.
    pub(crate) fn block(&self, rows: usize) -> RowBlock<'_> {
        match self {
            Numbers::Body(body, values) => RowBlock::Body {
                body: *body,
                values: &values[..6 * rows],
            },
            Numbers::Dofs(dofs, values) => RowBlock::Dofs { dofs, values },
            Numbers::Nodes(nodes, weights, frame) => RowBlock::Nodes {
                nodes,
                weights,
                frame,
            },
        }
    }
}

/// A row block that fits a subsystem.
pub(crate) fn random_numbers(rng: &mut impl Rng, subsystem: &Subsystem, rows: usize) -> Numbers {
    let dofs = subsystem.dof_count();
    if subsystem.body_count() > 0 && rng.random_bool(0.7) {
        let frame = contact_frame(&direction(rng));
        let arm = 0.3 * normal_vector::<3>(rng);
        let body = rng.random_range(0..subsystem.body_count());
        return Numbers::Body(body, by_rows(&point_rows(&frame, &arm)));
    }
    if dofs >= 3 && matches!(subsystem, Subsystem::Sparse(_)) && rng.random_bool(0.7) {
        let nodes = some_of(rng, dofs / 3);
        let weights = nodes.iter().map(|_| uniform(rng, -1.0, 1.0)).collect();
        let frame = contact_frame(&direction(rng)).transpose();
        return Numbers::Nodes(nodes, weights, frame.as_slice()[..3 * rows].to_vec());
    }
    let chosen = some_of(rng, dofs);
    let values = (0..rows * chosen.len()).map(|_| normal(rng)).collect();
    Numbers::Dofs(chosen, values)
}

/// At least one of `0..count`, ascending.
fn some_of(rng: &mut impl Rng, count: usize) -> Vec<usize> {
    let sure = rng.random_range(0..count);
    (0..count)
        .filter(|&index| index == sure || rng.random_bool(0.4))
        .collect()
}
