//! What can be asked of a soft body.

use nalgebra::{Point3, Vector3};
use stiction_deformable::TetMesh;
use stiction_deformable::fem::ElementState;

use super::{Soft, SoftHandle};
use crate::error::{Result, SimError};
use crate::world::{ColliderHandle, World};

impl World {
    /// The soft body of this name.
    ///
    /// # Errors
    /// A name that no soft body has.
    pub fn find_soft_body(&self, name: &str) -> Result<SoftHandle> {
        let found = self.softs.iter().position(|soft| soft.name == name);
        let names = self.softs.iter().map(|soft| soft.name.as_str());
        let found = found.ok_or_else(|| SimError::not_among("soft body", name, names))?;
        Ok(SoftHandle(found))
    }

    /// All soft bodies with their names, in the order they were added.
    pub fn soft_bodies(&self) -> impl Iterator<Item = (SoftHandle, &str)> {
        let all = self.softs.iter().enumerate();
        all.map(|(index, soft)| (SoftHandle(index), soft.name.as_str()))
    }

    /// How many pieces a soft body is cut into.
    ///
    /// # Errors
    /// An unknown soft body.
    pub fn soft_pieces(&self, soft: SoftHandle) -> Result<usize> {
        Ok(self.soft(soft)?.pieces.len())
    }

    fn soft(&self, soft: SoftHandle) -> Result<&Soft> {
        let entry = self.softs.get(soft.0).ok_or_else(|| SimError::Unknown {
            what: "soft body",
            name: soft.0.to_string(),
        })?;
        self.mechanism(entry.handle)
    }

    /// The mesh of a soft body at rest.
    ///
    /// # Errors
    /// An unknown soft body.
    pub fn soft_mesh(&self, soft: SoftHandle) -> Result<&TetMesh> {
        Ok(&self.soft(soft)?.mesh)
    }

    /// The collider of a soft body's surface, if it touches.
    ///
    /// # Errors
    /// An unknown soft body.
    pub fn soft_collider(&self, soft: SoftHandle) -> Result<Option<ColliderHandle>> {
        Ok(self.soft(soft)?.collider)
    }

    /// Corners of the triangles of a soft body's surface, by node, counter-clockwise seen from outside.
    ///
    /// # Errors
    /// An unknown soft body.
    pub fn soft_triangles(&self, soft: SoftHandle) -> Result<&[[u32; 3]]> {
        Ok(&self.soft(soft)?.boundary.triangles)
    }

    /// World index of a node of a soft body, as contacts name it.
    ///
    /// # Errors
    /// An unknown soft body or node.
    pub fn soft_node(&self, soft: SoftHandle, node: usize) -> Result<u32> {
        let body = self.soft(soft)?;
        body.world_node(node).ok_or_else(|| SimError::Unknown {
            what: "node",
            name: format!("{node} of {}", body.name),
        })
    }

    /// Where the nodes of a soft body are, world, m.
    ///
    /// # Errors
    /// An unknown soft body.
    pub fn soft_positions(&self, soft: SoftHandle) -> Result<Vec<Point3<f64>>> {
        let body = self.soft(soft)?;
        Ok(body.of_nodes(|node| self.places.nodes.position[node]))
    }

    /// Velocities of the nodes of a soft body, world axes, m/s.
    ///
    /// # Errors
    /// An unknown soft body.
    pub fn soft_velocities(&self, soft: SoftHandle) -> Result<Vec<Vector3<f64>>> {
        let body = self.soft(soft)?;
        Ok(body.of_nodes(|node| self.places.nodes.velocity[node]))
    }

    /// Deformation, strain and stress of each tetrahedron of a soft body.
    ///
    /// # Errors
    /// An unknown soft body.
    pub fn soft_elements(&self, soft: SoftHandle) -> Result<Vec<ElementState>> {
        let body = self.soft(soft)?;
        let mut all = vec![None; body.mesh.tets().len()];
        for (piece, part) in body.pieces.iter().zip(body.cut.pieces()) {
            let states = piece
                .body
                .model()
                .element_states(&self.state.q[piece.q.clone()]);
            let states = states.map_err(|error| body.error(&error))?;
            for (state, &tet) in states.into_iter().zip(part.tets()) {
                all[tet as usize] = Some(state);
            }
        }
        Ok(all.into_iter().flatten().collect())
    }

    /// Elastic forces on the nodes of a soft body where they are, world axes, N.
    ///
    /// # Errors
    /// An unknown soft body.
    pub fn soft_forces(&self, soft: SoftHandle) -> Result<Vec<Vector3<f64>>> {
        let body = self.soft(soft)?;
        let mut forces = vec![Vector3::zeros(); body.mesh.nodes().len()];
        let mut own = Vec::new();
        for (piece, part) in body.pieces.iter().zip(body.cut.pieces()) {
            let model = piece.body.model();
            own.clear();
            own.resize(model.dof_count(), 0.0);
            model
                .internal_forces(&self.state.q[piece.q.clone()], &mut own)
                .map_err(|error| body.error(&error))?;
            for (&node, force) in part.nodes().iter().zip(own.as_chunks::<3>().0) {
                forces[node as usize] += Vector3::from(*force);
            }
        }
        Ok(forces)
    }

    /// Von Mises stress at the nodes of a soft body, Pa: the mean over their tetrahedra by volume.
    ///
    /// # Errors
    /// An unknown soft body.
    pub fn soft_stress(&self, soft: SoftHandle) -> Result<Vec<f64>> {
        let elements = self.soft_elements(soft)?;
        let mesh = self.soft_mesh(soft)?;
        let mut stress = vec![0.0; mesh.nodes().len()];
        let mut volume = vec![0.0; mesh.nodes().len()];
        for (tet, (corners, state)) in mesh.tets().iter().zip(&elements).enumerate() {
            let own = mesh.tet_volume(tet);
            for &node in corners {
                stress[node as usize] += own * state.von_mises;
                volume[node as usize] += own;
            }
        }
        for (stress, volume) in stress.iter_mut().zip(&volume) {
            *stress /= volume;
        }
        Ok(stress)
    }

    /// Whether the last step of a soft body gained energy that repeated linearisation did not take back.
    ///
    /// # Errors
    /// An unknown soft body.
    pub fn soft_gained(&self, soft: SoftHandle) -> Result<bool> {
        Ok(self.soft(soft)?.gained)
    }
}

impl Soft {
    /// A value for each node of the mesh, by the world index of the copy that stands for it.
    fn of_nodes<T>(&self, value: impl Fn(usize) -> T) -> Vec<T> {
        let nodes = 0..self.mesh.nodes().len();
        let world = nodes.filter_map(|node| self.world_node(node));
        world.map(|node| value(node as usize)).collect()
    }
}
