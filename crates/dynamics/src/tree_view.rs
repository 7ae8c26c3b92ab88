//! One tree of a model as plain arrays, for whoever builds the equations of motion of a time step.

use std::ops::Range;

use nalgebra::Vector3;

use crate::data::Data;
use crate::error::{DynamicsError, Result, check_length};
use crate::model::{BodyId, Model};
use crate::spatial::{Inertia, Motion};
use crate::world_axes::{reference_point, relative_pose};

/// A kinematic tree rooted at the ground: parents, subspace columns and body inertias, all in
/// **world axes at one reference point** near the tree, and the diagonal that joint space adds.
/// With M = Σ_bodies Jᵀ I J + diagonal this is all that the mass matrix and its factorisations
/// need, and a contact on a body needs only the body's index.
///
/// Bodies and degrees of freedom are numbered within the tree, from 0, parents first.
#[derive(Clone, Debug)]
pub struct TreeView {
    /// The tree's bodies in the model.
    pub bodies: Range<usize>,
    /// The tree's degrees of freedom in the model's v.
    pub dofs: Range<usize>,
    /// Parent of each body within the tree; `None` for the root, which is mounted on the ground.
    pub parents: Vec<Option<usize>>,
    /// First degree of freedom of each body within the tree, then their total number.
    pub dof_start: Vec<usize>,
    /// World position of the reference point (m).
    pub reference_point: Vector3<f64>,
    /// Subspace column of each degree of freedom.
    pub columns: Vec<Motion>,
    /// Inertia of each body alone.
    pub inertias: Vec<Inertia>,
    /// What joint space adds to the diagonal of the mass matrix: armature and reflected rotor
    /// inertia, to which the caller may add implicit damping and gains.
    pub diagonal: Vec<f64>,
}

impl TreeView {
    /// The tree whose root is `root`, a body mounted on the world (see [`Model::trees`]).
    /// The numbers are those of the zero matrix until [`update`](Self::update) is called.
    ///
    /// # Errors
    /// If `root` is not mounted on the world.
    pub fn new(model: &Model, root: BodyId) -> Result<Self> {
        if model.parent(root) != Some(BodyId::WORLD) {
            return Err(DynamicsError::UnknownIndex {
                kind: "tree root",
                index: root.0,
                count: model.n_bodies(),
            });
        }
        let bodies = root.0..model.topology.subtree_end[root.0];
        let links = &model.links[bodies.start - 1..bodies.end - 1];
        let first = links[0].v_start;
        let end = links.iter().map(|link| link.v().end).max().unwrap_or(first);
        let mut dof_start: Vec<usize> = links.iter().map(|link| link.v_start - first).collect();
        dof_start.push(end - first);
        Ok(Self {
            parents: links
                .iter()
                .map(|link| link.parent.checked_sub(root.0))
                .collect(),
            dof_start,
            reference_point: Vector3::zeros(),
            columns: vec![Motion::zero(); end - first],
            inertias: vec![Inertia::default(); links.len()],
            diagonal: model.armature[first..end].to_vec(),
            bodies,
            dofs: first..end,
        })
    }

    /// Fills in columns, inertias and diagonal at the configuration of the last
    /// [`joint_jacobians`](crate::joint_jacobians) (or any function that does what it does).
    pub fn update(&mut self, model: &Model, data: &Data) -> Result<()> {
        data.check(model)?;
        check_length(
            "tree (last body)",
            self.bodies.end,
            model.topology.tree_end(self.bodies.start),
        )?;
        check_length(
            "tree (last dof)",
            self.dofs.end,
            self.dofs.start + self.columns.len(),
        )?;
        self.reference_point = reference_point(model, data, self.bodies.start);
        self.columns
            .copy_from_slice(&data.jacobian[self.dofs.clone()]);
        for (inertia, body) in self.inertias.iter_mut().zip(self.bodies.clone()) {
            let pose = relative_pose(model, &data.pose, body);
            *inertia = pose.apply_inertia(&model.links[body - 1].inertia);
        }
        self.diagonal
            .copy_from_slice(&model.armature[self.dofs.clone()]);
        Ok(())
    }

    /// Adds to the diagonal, for example dt · damping and dt² · stiffness, one value per degree of
    /// freedom of the tree. The next [`update`](Self::update) starts again from the armature.
    pub fn add_diagonal(&mut self, values: &[f64]) -> Result<()> {
        check_length("values", values.len(), self.diagonal.len())?;
        self.diagonal
            .iter_mut()
            .zip(values)
            .for_each(|(d, v)| *d += v);
        Ok(())
    }

    /// Index within the tree of a body of the model.
    pub fn body_index(&self, body: BodyId) -> Option<usize> {
        self.bodies
            .contains(&body.0)
            .then(|| body.0 - self.bodies.start)
    }
}
