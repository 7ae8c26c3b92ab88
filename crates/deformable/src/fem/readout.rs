//! Forces, strains and stresses to look at.

use nalgebra::{Matrix3, Vector3};

use super::error::FemError;
use super::model::{Element, FemModel};
use super::svd::SignedSvd;

/// How a tetrahedron is deformed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElementState {
    /// Biot strain U diag(s − 1) Uᵀ in the axes of the world: that of linear elasticity, rotation apart.
    pub strain: Matrix3<f64>,
    /// Stress U diag(∂ψ/∂s) Uᵀ in the axes of the world, Pa: force per area at rest. For small strains
    /// this is Cauchy's stress.
    pub stress: Matrix3<f64>,
    /// Von Mises' equivalent of the stress, Pa.
    pub von_mises: f64,
    /// Elastic energy, J.
    pub energy: f64,
    /// Volume over volume at rest; negative where it is turned inside out.
    pub volume_ratio: f64,
}

impl Element {
    fn svd(&self, x: &[f64]) -> SignedSvd {
        SignedSvd::of(&self.shape.deformation(&self.corners(x)))
    }

    fn von_mises(&self, svd: &SignedSvd) -> f64 {
        let p = self.moduli.stress(&svd.s);
        let differences = Vector3::new(p[0] - p[1], p[1] - p[2], p[2] - p[0]);
        (0.5 * differences.norm_squared()).sqrt()
    }
}

impl FemModel {
    /// Elastic energy at positions x, J.
    ///
    /// # Errors
    /// Positions of the wrong count or not finite.
    pub fn elastic_energy(&self, x: &[f64]) -> Result<f64, FemError> {
        self.check_values("position", x)?;
        Ok(self.energy_along(x, None, &mut Vec::new()).0)
    }

    /// Writes the internal elastic forces at positions x, N: −∂ψ/∂x.
    ///
    /// # Errors
    /// Lists of the wrong count or not finite.
    pub fn internal_forces(&self, x: &[f64], forces: &mut [f64]) -> Result<(), FemError> {
        self.check_values("position", x)?;
        self.check_values("force", forces)?;
        forces.fill(0.0);
        for element in &self.elements {
            let of_corners = element.shape.forces(&element.moduli, &element.svd(x));
            for (&node, force) in element.nodes.iter().zip(of_corners) {
                for axis in 0..3 {
                    forces[3 * node as usize + axis] += force[axis];
                }
            }
        }
        Ok(())
    }

    /// How each tetrahedron is deformed at positions x.
    ///
    /// # Errors
    /// Positions of the wrong count or not finite.
    pub fn element_states(&self, x: &[f64]) -> Result<Vec<ElementState>, FemError> {
        self.check_values("position", x)?;
        let state = |element: &Element| {
            let svd = element.svd(x);
            let turned =
                |values: Vector3<f64>| svd.u * Matrix3::from_diagonal(&values) * svd.u.transpose();
            ElementState {
                strain: turned(svd.s.add_scalar(-1.0)),
                stress: turned(element.moduli.stress(&svd.s)),
                von_mises: element.von_mises(&svd),
                energy: element.shape.volume * element.moduli.energy(&svd.s),
                volume_ratio: svd.s.product(),
            }
        };
        Ok(self.elements.iter().map(state).collect())
    }

    /// Writes von Mises' stress at each node, Pa: the mean of its tetrahedra by their volumes.
    ///
    /// # Errors
    /// Lists of the wrong count or not finite.
    pub fn nodal_von_mises(&self, x: &[f64], stress: &mut [f64]) -> Result<(), FemError> {
        self.check_values("position", x)?;
        if stress.len() != self.node_count() {
            return Err(FemError::WrongLength {
                what: "stresses of the nodes",
                expected: self.node_count(),
                found: stress.len(),
            });
        }
        stress.fill(0.0);
        for element in &self.elements {
            let part = element.shape.volume * element.von_mises(&element.svd(x));
            for &node in &element.nodes {
                stress[node as usize] += part;
            }
        }
        for (node, stress) in stress.iter_mut().enumerate() {
            let volumes = self
                .gather
                .corners(node)
                .map(|(tet, _)| self.elements[tet].shape.volume);
            *stress /= volumes.sum::<f64>();
        }
        Ok(())
    }
}
