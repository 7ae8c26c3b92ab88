//! Nodes that are held or driven.

use nalgebra::Vector3;

use super::error::FemError;
use super::model::{FemModel, read};

/// Which degrees of freedom of a soft body are prescribed, and their velocities.
///
/// They are eliminated within the fixed pattern of A: rows and columns become zero, the diagonal keeps
/// the mass, and b holds what makes v̂ the prescribed velocity. A constraint on a held node must treat it
/// as known and leave it out of J.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldNodes {
    is_held: Vec<bool>,
    /// m/s; zero where nothing is held.
    velocity: Vec<f64>,
}

impl HeldNodes {
    /// All nodes free.
    pub fn free(model: &FemModel) -> Self {
        Self {
            is_held: vec![false; model.dof_count()],
            velocity: vec![0.0; model.dof_count()],
        }
    }

    /// Holds a node where it is.
    ///
    /// # Errors
    /// A node that does not exist.
    pub fn pin(&mut self, node: usize) -> Result<(), FemError> {
        self.drive(node, Vector3::zeros())
    }

    /// Moves a node with a velocity, m/s, in the world.
    ///
    /// # Errors
    /// A node that does not exist, a velocity that is not finite.
    pub fn drive(&mut self, node: usize, velocity: Vector3<f64>) -> Result<(), FemError> {
        (0..3).try_for_each(|axis| self.drive_axis(node, axis, velocity[axis]))
    }

    /// Holds a node in one direction of the world: axis 0, 1 or 2.
    ///
    /// # Errors
    /// A node or an axis that does not exist.
    pub fn pin_axis(&mut self, node: usize, axis: usize) -> Result<(), FemError> {
        self.drive_axis(node, axis, 0.0)
    }

    /// Moves a node in one direction of the world, m/s.
    ///
    /// # Errors
    /// A node or an axis that does not exist, a velocity that is not finite.
    pub fn drive_axis(&mut self, node: usize, axis: usize, velocity: f64) -> Result<(), FemError> {
        let dof = self.dof(node, axis)?;
        if !velocity.is_finite() {
            return Err(FemError::NotFinite {
                what: "prescribed velocity",
                node,
                value: velocity,
            });
        }
        self.is_held[dof] = true;
        self.velocity[dof] = velocity;
        Ok(())
    }

    /// Lets a node go.
    ///
    /// # Errors
    /// A node that does not exist.
    pub fn release(&mut self, node: usize) -> Result<(), FemError> {
        for axis in 0..3 {
            let dof = self.dof(node, axis)?;
            self.is_held[dof] = false;
            self.velocity[dof] = 0.0;
        }
        Ok(())
    }

    fn dof(&self, node: usize, axis: usize) -> Result<usize, FemError> {
        let nodes = self.is_held.len() / 3;
        if node >= nodes {
            return Err(FemError::NoSuchNode { node, nodes });
        }
        if axis >= 3 {
            return Err(FemError::NoSuchAxis { axis });
        }
        Ok(3 * node + axis)
    }

    /// Whether each degree of freedom is prescribed.
    pub fn is_held(&self) -> &[bool] {
        &self.is_held
    }

    /// Prescribed velocities, m/s; zero where nothing is held.
    pub fn velocities(&self) -> &[f64] {
        &self.velocity
    }

    /// Whether anything is held.
    pub fn holds_any(&self) -> bool {
        self.is_held.contains(&true)
    }

    /// The prescribed velocities of four nodes, if any is not zero.
    pub(super) fn driven(&self, nodes: &[u32; 4]) -> Option<[Vector3<f64>; 4]> {
        let velocities = nodes.map(|node| read(&self.velocity, node as usize));
        let is_driven = velocities
            .iter()
            .any(|velocity| *velocity != Vector3::zeros());
        is_driven.then_some(velocities)
    }
}
