//! A kinematic tree: wrenches of bodies in, velocities of bodies out.

use nalgebra::Vector6;
use stiction_constraints::Tree;

use super::body_matrices::BodyMatrices;
use super::branch_sparse::BranchSparse;

#[derive(Debug, Default)]
pub(crate) struct TreeBlock {
    pub(super) matrices: BodyMatrices,
    pub(super) factor: BranchSparse,
}

impl TreeBlock {
    pub(super) fn set_base(&mut self, tree: &Tree) {
        self.matrices.set_base(tree);
        self.factor.set_pattern(tree);
    }

    pub(super) fn factorize(&mut self, tree: &Tree, scale: f64) -> Result<(), ()> {
        self.factor.factorize(tree, &self.matrices, scale)
    }

    /// Solves K v̂ = `x` + Σ_b J_bᵀ w_b. On entry `bodies` holds the wrenches w_b, on exit the
    /// bodies' spatial velocities J_b v̂; `x` becomes v̂.
    pub(crate) fn solve(&self, tree: &Tree, x: &mut [f64], bodies: &mut [[f64; 6]]) {
        collect_wrenches(tree, bodies, x);
        self.factor.solve_in_place(x);
        spread_velocities(tree, x, bodies);
    }
}

/// forces += Σ_b J_bᵀ w_b: from the leaves to the root, every body hands its wrench to its parent.
pub(crate) fn collect_wrenches(tree: &Tree, wrenches: &mut [[f64; 6]], forces: &mut [f64]) {
    for (index, body) in tree.bodies().iter().enumerate().rev() {
        let wrench = wrenches[index];
        let first = tree.first_dof(index);
        for dof in first..first + body.joint_dofs {
            forces[dof] += dot(&tree.columns()[dof], &wrench);
        }
        if let Some(parent) = body.parent {
            for (sum, value) in wrenches[parent].iter_mut().zip(wrench) {
                *sum += value;
            }
        }
    }
}

/// velocities[b] = J_b v̂, from the root to the leaves.
pub(crate) fn spread_velocities(tree: &Tree, v: &[f64], velocities: &mut [[f64; 6]]) {
    for (index, body) in tree.bodies().iter().enumerate() {
        let mut velocity = body.parent.map_or([0.0; 6], |parent| velocities[parent]);
        let first = tree.first_dof(index);
        for dof in first..first + body.joint_dofs {
            for (sum, column) in velocity.iter_mut().zip(tree.columns()[dof].iter()) {
                *sum += column * v[dof];
            }
        }
        velocities[index] = velocity;
    }
}

/// Σ a b in two interleaved sums: the shape of the narrowest vector registers.
#[inline]
pub(super) fn dot(column: &Vector6<f64>, other: &[f64; 6]) -> f64 {
    let [a, b] = [0, 1].map(|lane| {
        (column[lane] * other[lane] + column[lane + 2] * other[lane + 2])
            + column[lane + 4] * other[lane + 4]
    });
    a + b
}
