//! Soft bodies of a scene, as plain data, and the meshes made of it.

use std::path::Path;

use nalgebra::{Isometry3, Point3, Vector3};
use stiction_deformable::TetMesh;
use stiction_deformable::cut::PieceSize;
use stiction_deformable::fem::{FemSettings, Material};
use stiction_deformable::mesh::{self, MeshError, Pattern, SurfaceError, TriangleSurface};
use thiserror::Error;

use super::shape::MeshFile;
use super::touch::TouchDescription;
use crate::error::IoError;
use crate::tet_mesh::{self, Group, SurfaceGroup};

/// A soft body.
#[derive(Debug, Clone, PartialEq)]
pub struct SoftDescription {
    /// Unique among soft bodies.
    pub name: String,
    /// Its shape at rest.
    pub mesh: SoftMesh,
    /// Where the mesh is put in the world.
    pub pose: Isometry3<f64>,
    /// Velocity of all of it at the start, world axes, m/s.
    pub velocity: Vector3<f64>,
    /// What it is made of where no part says otherwise.
    pub elastic: Material,
    /// Parts of other materials.
    pub parts: Vec<SoftPart>,
    /// How it is linearised.
    pub settings: FemSettings,
    /// How large the pieces are that it is cut into.
    pub pieces: PieceSize,
    /// Where it is fixed to bodies.
    pub attach: Vec<SoftAttachment>,
    /// How it touches.
    pub touch: TouchDescription,
    /// How far inside of it a vertex of something else is still pushed out, m; `None` leaves it to the
    /// simulator.
    pub depth: Option<f64>,
}

/// A part of a soft body that is of another material.
#[derive(Debug, Clone, PartialEq)]
pub struct SoftPart {
    /// Name of the group of tetrahedra in the mesh file.
    pub group: String,
    /// What it is made of.
    pub elastic: Material,
}

/// Nodes of a soft body that are fixed to a body.
#[derive(Debug, Clone, PartialEq)]
pub struct SoftAttachment {
    /// Body, or `robot/link`.
    pub body: String,
    /// Which nodes.
    pub nodes: NodeSelection,
}

/// Some nodes of a mesh.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum NodeSelection {
    /// By number, from 0.
    Numbers(Vec<usize>),
    /// Those inside of a box, surface included.
    Box {
        /// Sides, m.
        size: Vector3<f64>,
        /// Pose of its middle in the frame of the mesh.
        pose: Isometry3<f64>,
    },
    /// Those inside of a sphere, surface included.
    Sphere {
        /// m.
        radius: f64,
        /// Its middle in the frame of the mesh, m.
        center: Point3<f64>,
    },
    /// Those of a named part of the surface in the mesh file.
    Surface(String),
}

/// Where the tetrahedra of a soft body come from. Lengths in m.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SoftMesh {
    /// A box around the origin.
    Box {
        /// Sides.
        size: Vector3<f64>,
        /// How fine.
        cells: Cells,
        /// How cells become tetrahedra.
        pattern: Pattern,
    },
    /// A thin box around the origin.
    Mat {
        /// Sides.
        size: Vector3<f64>,
        /// Cells through its thickness, along z.
        layers: usize,
        /// Side of a cell along x and y.
        cell_size: f64,
        /// How cells become tetrahedra.
        pattern: Pattern,
    },
    /// A ball around the origin.
    Ball {
        /// Radius.
        radius: f64,
        /// Side of a cell.
        cell_size: f64,
    },
    /// An ellipsoid around the origin.
    Ellipsoid {
        /// Half axes.
        radii: Vector3<f64>,
        /// Side of a cell.
        cell_size: f64,
    },
    /// A cylinder along z, its middle at the origin.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Length.
        length: f64,
        /// Side of a cell.
        cell_size: f64,
    },
    /// Tetrahedra of a `.msh` file of Gmsh.
    Tetrahedra(MeshFile),
    /// A closed surface, filled.
    Filled {
        /// The surface.
        surface: MeshFile,
        /// Side of a cell.
        cell_size: f64,
    },
    /// In the scene file.
    Inline {
        /// Nodes.
        nodes: Vec<Point3<f64>>,
        /// Corners of tetrahedra of positive volume.
        tets: Vec<[u32; 4]>,
    },
}

/// How fine a box is cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cells {
    /// So many cells along x, y and z.
    Counts([usize; 3]),
    /// Cells of about this side, m.
    Size(f64),
}

/// A mesh with the named parts that its file gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct MadeMesh {
    /// The tetrahedra, m.
    pub mesh: TetMesh,
    /// Groups of tetrahedra.
    pub groups: Vec<Group>,
    /// Parts of the surface.
    pub surfaces: Vec<SurfaceGroup>,
}

/// Why the mesh of a soft body could not be made.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SoftMeshError {
    /// Its file could not be read.
    #[error(transparent)]
    File(#[from] IoError),
    /// Its numbers make no mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// Its surface has no inside.
    #[error(transparent)]
    Surface(#[from] SurfaceError),
    /// A name that the file does not have.
    #[error("the mesh has no {what} \"{name}\"; it has {known}")]
    NoSuchPart {
        /// What was asked for.
        what: &'static str,
        /// Its name.
        name: String,
        /// What there is.
        known: String,
    },
    /// A node that the mesh does not have.
    #[error("the mesh has no node {node}: its {nodes} nodes count from 0")]
    NoSuchNode {
        /// Its number.
        node: usize,
        /// How many there are.
        nodes: usize,
    },
    /// Nodes that none is among.
    #[error("none of the {nodes} nodes of the mesh is there")]
    NothingSelected {
        /// How many there are.
        nodes: usize,
    },
}

impl SoftMesh {
    /// Makes the mesh; files are looked for from `folder`.
    ///
    /// # Errors
    /// A file that cannot be read, numbers that make no mesh, a surface without an inside.
    pub fn make(&self, folder: &Path) -> Result<MadeMesh, SoftMeshError> {
        let plain = |mesh: TetMesh| MadeMesh {
            mesh,
            groups: Vec::new(),
            surfaces: Vec::new(),
        };
        Ok(match self {
            Self::Box {
                size,
                cells,
                pattern,
            } => {
                let counts = match *cells {
                    Cells::Counts(counts) => counts,
                    Cells::Size(cell_size) => mesh::cells(size, cell_size)?,
                };
                plain(mesh::solid_box(size, counts, *pattern)?)
            }
            Self::Mat {
                size,
                layers,
                cell_size,
                pattern,
            } => plain(mesh::mat(size, *layers, *cell_size, *pattern)?),
            Self::Ball { radius, cell_size } => plain(mesh::ball(*radius, *cell_size)?),
            Self::Ellipsoid { radii, cell_size } => {
                let bounds = mesh::Bounds::centred(radii * 2.0);
                plain(mesh::fill(&bounds, *cell_size, |place| {
                    place.component_div(radii).norm() - 1.0
                })?)
            }
            Self::Cylinder {
                radius,
                length,
                cell_size,
            } => plain(mesh::cylinder(*radius, *length, *cell_size)?),
            Self::Tetrahedra(file) => file.tetrahedra(folder)?,
            Self::Filled { surface, cell_size } => {
                let data = surface.read(folder)?;
                let vertices: Vec<Vector3<f64>> =
                    data.vertices.iter().map(|vertex| vertex.coords).collect();
                let surface = TriangleSurface::new(&vertices, &data.faces)?;
                plain(mesh::fill_surface(&surface, *cell_size)?)
            }
            Self::Inline { nodes, tets } => {
                let nodes = nodes.iter().map(|node| node.coords).collect();
                plain(TetMesh::new(nodes, tets.clone())?)
            }
        })
    }

    /// The file that it is made of, if there is one.
    pub fn file_mut(&mut self) -> Option<&mut MeshFile> {
        match self {
            Self::Tetrahedra(file) | Self::Filled { surface: file, .. } => Some(file),
            _ => None,
        }
    }

    /// The word for it in scene files.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Box { .. } => "box",
            Self::Mat { .. } => "mat",
            Self::Ball { .. } => "ball",
            Self::Ellipsoid { .. } => "ellipsoid",
            Self::Cylinder { .. } => "cylinder",
            Self::Tetrahedra(_) => "tetrahedra",
            Self::Filled { .. } => "filled",
            Self::Inline { .. } => "inline",
        }
    }
}

impl MeshFile {
    /// The tetrahedra of a `.msh` file, m.
    fn tetrahedra(&self, folder: &Path) -> Result<MadeMesh, SoftMeshError> {
        let mut file = tet_mesh::read(&folder.join(&self.path))?;
        // A mirror image turns tetrahedra inside out.
        if self.scale.product() < 0.0 {
            file.tets.iter_mut().for_each(|tet| tet.swap(2, 3));
        }
        let nodes = file.nodes.iter();
        let nodes = nodes.map(|node| node.coords.component_mul(&self.scale));
        Ok(MadeMesh {
            mesh: TetMesh::new(nodes.collect(), file.tets)?,
            groups: file.groups,
            surfaces: file.surfaces,
        })
    }
}

impl MadeMesh {
    /// The material of each tetrahedron: 0 for what is in none of the parts, else 1 and on in their
    /// order; empty without parts.
    ///
    /// # Errors
    /// A group that the mesh does not have.
    pub fn material_of_tet(&self, parts: &[SoftPart]) -> Result<Vec<u32>, SoftMeshError> {
        if parts.is_empty() {
            return Ok(Vec::new());
        }
        let mut materials = vec![0; self.mesh.tets().len()];
        for (number, part) in (1..).zip(parts) {
            let groups = self.groups.iter();
            let group = named(
                "group",
                &part.group,
                groups.map(|group| (&group.name, group)),
            )?;
            for &tet in &group.tets {
                materials[tet as usize] = number;
            }
        }
        Ok(materials)
    }

    /// Numbers of the selected nodes, rising.
    ///
    /// # Errors
    /// A selection that nothing is among.
    pub fn select(&self, selection: &NodeSelection) -> Result<Vec<usize>, SoftMeshError> {
        let places = self.mesh.nodes();
        let inside = |is_inside: &dyn Fn(&Vector3<f64>) -> bool| -> Vec<usize> {
            let all = places.iter().enumerate();
            all.filter(|(_, place)| is_inside(place))
                .map(|(node, _)| node)
                .collect()
        };
        let mut nodes = match selection {
            NodeSelection::Numbers(numbers) => numbers.clone(),
            NodeSelection::Box { size, pose } => {
                let half = size / 2.0 + Vector3::repeat(SLACK * size.norm());
                inside(&|place| {
                    let local = pose.inverse_transform_point(&Point3::from(*place));
                    (0..3).all(|axis| local[axis].abs() <= half[axis])
                })
            }
            NodeSelection::Sphere { radius, center } => {
                inside(&|place| (place - center.coords).norm() <= radius * (1.0 + SLACK))
            }
            NodeSelection::Surface(name) => {
                let surfaces = self.surfaces.iter();
                let surfaces = surfaces.map(|surface| (&surface.name, surface));
                let surface = named("surface", name, surfaces)?;
                let corners = surface.triangles.iter().flatten();
                corners.map(|&node| node as usize).collect()
            }
        };
        nodes.sort_unstable();
        nodes.dedup();
        let count = places.len();
        match nodes.last() {
            None => Err(SoftMeshError::NothingSelected { nodes: count }),
            Some(&node) if node >= count => Err(SoftMeshError::NoSuchNode { node, nodes: count }),
            Some(_) => Ok(nodes),
        }
    }
}

/// Nodes this much outside are on the surface of what selects them, as part of its size.
const SLACK: f64 = 1e-9;

fn named<'a, T>(
    what: &'static str,
    name: &str,
    all: impl Iterator<Item = (&'a String, &'a T)> + Clone,
) -> Result<&'a T, SoftMeshError> {
    let found = all.clone().find(|(known, _)| *known == name);
    found.map(|(_, part)| part).ok_or_else(|| {
        let known: Vec<&str> = all.map(|(known, _)| known.as_str()).collect();
        SoftMeshError::NoSuchPart {
            what,
            name: name.to_owned(),
            known: match known.is_empty() {
                true => "none".to_owned(),
                false => known.join(", "),
            },
        }
    })
}
