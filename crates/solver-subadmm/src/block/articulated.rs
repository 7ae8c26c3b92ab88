//! A kinematic tree by the articulated-body recursion [AL, Remark 1], [RBDA, §7.3].
//!
//! All quantities are in world axes at the tree's reference point and there are no velocity
//! products, so that the recursion needs no transforms. A joint of several degrees of freedom is a
//! chain of single ones with massless bodies between.

use nalgebra::{Matrix6, Vector6};
use stiction_constraints::Tree;

use super::body_matrices::BodyMatrices;
use crate::sweep::Spatial;

#[derive(Debug, Default)]
pub(crate) struct ArticulatedBlock {
    pub(super) matrices: BodyMatrices,
    /// Articulated inertia of each body while factorising.
    inertia: Vec<Matrix6<f64>>,
    /// U = I^A s of each dof.
    force: Vec<Vector6<f64>>,
    /// 1/D, D = sᵀ I^A s + diagonal, of each dof.
    inverse_pivot: Vec<f64>,
    /// Bodies of a solve that has nothing on bodies.
    bodies: Vec<Spatial>,
}

impl ArticulatedBlock {
    /// From the leaves to the root: D, U and what a joint lets through of the inertia above it.
    pub(super) fn factorize(&mut self, tree: &Tree, scale: f64) -> Result<(), ()> {
        let (bodies, dofs) = (tree.bodies().len(), tree.dof_count());
        self.inertia.clear();
        for body in 0..bodies {
            self.inertia.push(self.matrices.body(body, scale));
        }
        self.force.resize(dofs, Vector6::zeros());
        self.inverse_pivot.resize(dofs, 0.0);
        self.bodies.resize(bodies, Spatial::ZERO);
        for (index, body) in tree.bodies().iter().enumerate().rev() {
            let mut inertia = self.inertia[index];
            let first = tree.first_dof(index);
            for dof in (first..first + body.joint_dofs).rev() {
                let column = &tree.columns()[dof];
                let force = inertia * column;
                let pivot = column.dot(&force) + self.matrices.diagonal(dof, scale);
                // Also catches NaN.
                if !(pivot > 0.0) {
                    return Err(());
                }
                inertia -= force * (force.transpose() / pivot);
                self.force[dof] = force;
                self.inverse_pivot[dof] = 1.0 / pivot;
            }
            if let Some(parent) = body.parent {
                self.inertia[parent] += inertia;
            }
        }
        Ok(())
    }

    /// Solves K v̂ = `x` + Σ_b J_bᵀ w_b in O(bodies). On entry `bodies` holds the wrenches w_b, on
    /// exit the spatial velocities J_b v̂; `x` becomes v̂.
    pub(crate) fn solve(&self, tree: &Tree, x: &mut [f64], bodies: &mut [Spatial]) {
        solve(&self.force, &self.inverse_pivot, tree, x, bodies);
    }

    pub(super) fn solve_joint_space(&mut self, tree: &Tree, x: &mut [f64]) {
        self.bodies.fill(Spatial::ZERO);
        solve(&self.force, &self.inverse_pivot, tree, x, &mut self.bodies);
    }
}

fn solve(
    force: &[Vector6<f64>],
    inverse_pivot: &[f64],
    tree: &Tree,
    x: &mut [f64],
    bodies: &mut [Spatial],
) {
    for (index, body) in tree.bodies().iter().enumerate().rev() {
        let mut wrench = bodies[index];
        let first = tree.first_dof(index);
        for dof in (first..first + body.joint_dofs).rev() {
            x[dof] += dot(&tree.columns()[dof], &wrench);
            let share = x[dof] * inverse_pivot[dof];
            for (sum, value) in wrench.0.iter_mut().zip(force[dof].iter()) {
                *sum -= value * share;
            }
        }
        if let Some(parent) = body.parent {
            bodies[parent].add_scaled(1.0, &wrench);
        }
    }
    for (index, body) in tree.bodies().iter().enumerate() {
        let mut velocity = body.parent.map_or(Spatial::ZERO, |parent| bodies[parent]);
        let first = tree.first_dof(index);
        for dof in first..first + body.joint_dofs {
            x[dof] = (x[dof] - dot(&force[dof], &velocity)) * inverse_pivot[dof];
            for (sum, column) in velocity.0.iter_mut().zip(tree.columns()[dof].iter()) {
                *sum += column * x[dof];
            }
        }
        bodies[index] = velocity;
    }
}

/// Σ a b in two interleaved sums: the shape of the narrowest vector registers.
#[inline]
fn dot(column: &Vector6<f64>, Spatial(other): &Spatial) -> f64 {
    let [a, b] = [0, 1].map(|lane| {
        (column[lane] * other[lane] + column[lane + 2] * other[lane + 2])
            + column[lane + 4] * other[lane + 4]
    });
    a + b
}
