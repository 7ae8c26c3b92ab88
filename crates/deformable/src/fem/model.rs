//! What of a soft body does not change while it moves.

use nalgebra::Vector3;
use rayon::prelude::*;

use super::element::RestShape;
use super::error::FemError;
use super::material::{Law, Material, Moduli};
use super::pattern::{Gather, MatrixPattern};
use super::settings::FemSettings;
use super::svd::SignedSvd;
use crate::mesh::TetMesh;

/// An element with what its material makes of it.
#[derive(Debug, Clone)]
pub(super) struct Element {
    pub(super) nodes: [u32; 4],
    pub(super) shape: RestShape,
    pub(super) moduli: Moduli,
    /// kg.
    pub(super) mass: f64,
    /// β, s.
    pub(super) stiffness_damping: f64,
}

impl Element {
    pub(super) fn corners(&self, values: &[f64]) -> [Vector3<f64>; 4] {
        self.nodes.map(|node| read(values, node as usize))
    }
}

/// Elements, masses and the pattern of A of a soft body, or of one piece of it.
#[derive(Debug, Clone)]
pub struct FemModel {
    pub(super) elements: Vec<Element>,
    pub(super) materials: Vec<Material>,
    pub(super) rest: Vec<f64>,
    /// kg, of each node.
    pub(super) mass: Vec<f64>,
    /// Σ α m, kg/s, of each node.
    pub(super) mass_damping: Vec<f64>,
    pub(super) gather: Gather,
    pattern: MatrixPattern,
}

/// Elements that one thread takes at once.
pub(super) const ELEMENTS_AT_ONCE: usize = 128;

impl FemModel {
    /// A body of one material.
    ///
    /// # Errors
    /// Materials and meshes that make no body, by name.
    pub fn new(mesh: &TetMesh, material: Material) -> Result<Self, FemError> {
        Self::with_materials(mesh, &[material], &vec![0; mesh.tets().len()])
    }

    /// A body whose tetrahedron t is of `materials[of_tet[t]]`.
    ///
    /// # Errors
    /// Materials and meshes that make no body, by name.
    pub fn with_materials(
        mesh: &TetMesh,
        materials: &[Material],
        of_tet: &[u32],
    ) -> Result<Self, FemError> {
        let (nodes, tets) = (mesh.nodes(), mesh.tets());
        if tets.is_empty() {
            return Err(FemError::NoTets);
        }
        if of_tet.len() != tets.len() {
            return Err(FemError::WrongLength {
                what: "materials of the tetrahedra",
                expected: tets.len(),
                found: of_tet.len(),
            });
        }
        for (number, material) in materials.iter().enumerate() {
            material.check(number)?;
        }
        let mut elements = Vec::with_capacity(tets.len());
        let mut mass = vec![0.0; nodes.len()];
        let mut mass_damping = vec![0.0; nodes.len()];
        for (tet, (&corners, &number)) in tets.iter().zip(of_tet).enumerate() {
            let Some(material) = materials.get(number as usize) else {
                return Err(FemError::NoSuchMaterial {
                    tet,
                    material: number as usize,
                    materials: materials.len(),
                });
            };
            let shape = RestShape::new(&corners.map(|node| nodes[node as usize]));
            let shape = shape.ok_or(FemError::TooThin { tet })?;
            let element_mass = material.density * shape.volume;
            for node in corners {
                mass[node as usize] += 0.25 * element_mass;
                mass_damping[node as usize] += 0.25 * element_mass * material.damping.mass;
            }
            elements.push(Element {
                nodes: corners,
                shape,
                moduli: material.moduli(),
                mass: element_mass,
                stiffness_damping: material.damping.stiffness,
            });
        }
        let gather = Gather::new(nodes.len(), tets)?;
        Ok(Self {
            elements,
            materials: materials.to_vec(),
            rest: nodes
                .iter()
                .flat_map(|node| [node.x, node.y, node.z])
                .collect(),
            mass,
            mass_damping,
            pattern: gather.pattern(),
            gather,
        })
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.mass.len()
    }

    /// Number of tetrahedra.
    pub fn tet_count(&self) -> usize {
        self.elements.len()
    }

    /// Number of degrees of freedom: three for each node, x, y, z in the world.
    pub fn dof_count(&self) -> usize {
        3 * self.mass.len()
    }

    /// Lumped mass of each node, kg: a quarter of that of each of its tetrahedra.
    pub fn masses(&self) -> &[f64] {
        &self.mass
    }

    /// Where the nodes are at rest, m, three numbers each.
    pub fn rest_positions(&self) -> &[f64] {
        &self.rest
    }

    /// Its materials.
    pub fn materials(&self) -> &[Material] {
        &self.materials
    }

    /// Volume at rest, m³.
    pub fn volume(&self) -> f64 {
        self.elements
            .iter()
            .map(|element| element.shape.volume)
            .sum()
    }

    /// Where A has its entries.
    pub fn pattern(&self) -> &MatrixPattern {
        &self.pattern
    }

    /// Whether steps must be shortened where they overshoot.
    pub fn needs_line_search(&self) -> bool {
        self.materials
            .iter()
            .any(|material| material.law == Law::NeoHookean)
    }

    /// Refuses settings that do not suit the materials.
    pub(super) fn check_settings(&self, settings: &FemSettings) -> Result<(), FemError> {
        settings.check()?;
        let misfit = |material: &Material| !settings.hessian.suits(material.law);
        match self.materials.iter().position(misfit) {
            Some(material) => Err(FemError::PolicyNeedsCorotational {
                policy: settings.hessian.name(),
                material,
            }),
            None => Ok(()),
        }
    }

    /// Refuses lists that are too short or not finite.
    pub(super) fn check_values(&self, what: &'static str, values: &[f64]) -> Result<(), FemError> {
        if values.len() != self.dof_count() {
            return Err(FemError::WrongLength {
                what,
                expected: self.dof_count(),
                found: values.len(),
            });
        }
        match values.iter().position(|value| !value.is_finite()) {
            Some(dof) => Err(FemError::NotFinite {
                what,
                node: dof / 3,
                value: values[dof],
            }),
            None => Ok(()),
        }
    }

    /// Elastic energy, J, at x + `time` w, and how much of it is rounding; `parts` is work space.
    pub(super) fn energy_along(
        &self,
        x: &[f64],
        w: Option<(&[f64], f64)>,
        parts: &mut Vec<(f64, f64)>,
    ) -> (f64, f64) {
        let reach = reach(x);
        parts.resize(self.elements.len(), (0.0, 0.0));
        let both = self.elements.par_iter().zip(parts.par_iter_mut());
        both.with_min_len(ELEMENTS_AT_ONCE)
            .for_each(|(element, part)| {
                let mut corners = element.corners(x);
                move_along(element, &mut corners, w);
                let s = SignedSvd::of(&element.shape.deformation(&corners)).s;
                *part = element.shape.energy(&element.moduli, &s, reach);
            });
        sum_of_pairs(parts.iter().copied())
    }

    /// ½ Σ m v², J.
    pub fn kinetic_energy(&self, v: &[f64]) -> f64 {
        let nodes = self.mass.iter().zip(v.chunks_exact(3));
        nodes
            .map(|(mass, v)| 0.5 * mass * v.iter().map(|v| v * v).sum::<f64>())
            .sum()
    }
}

/// Corners x become x + time w.
pub(super) fn move_along(
    element: &Element,
    corners: &mut [Vector3<f64>; 4],
    w: Option<(&[f64], f64)>,
) {
    if let Some((w, time)) = w {
        for (corner, w) in corners.iter_mut().zip(element.corners(w)) {
            *corner += w * time;
        }
    }
}

/// The largest coordinate, m: what positions are rounded by.
pub(super) fn reach(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |reach, value| value.abs().max(reach))
}

/// In the order of the elements: the same sum for any number of threads.
pub(super) fn sum_of_pairs(pairs: impl Iterator<Item = (f64, f64)>) -> (f64, f64) {
    pairs.fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1))
}

/// The three numbers of a node.
pub(super) fn read(values: &[f64], node: usize) -> Vector3<f64> {
    Vector3::new(values[3 * node], values[3 * node + 1], values[3 * node + 2])
}
