//! The forms of shapes in scene files, and the collision shapes made of them.

use std::path::Path;
use std::sync::Arc;

use nalgebra::{Point3, Vector3};
use stiction_collision::Shape;
use stiction_collision::sdf::{BoltSdf, Dish, GridSdf, MetricThread, NutSdf, ThreadEnd};
use stiction_collision::shape::{HeightField, TriangleMesh};

use super::distance::DistanceSolid;
use crate::error::IoError;
use crate::mesh::{self, MeshData};

/// Form and size of a shape, m; axes of revolution along z.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ShapeKind {
    /// Ball.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// Box around the origin.
    Box {
        /// Side lengths.
        size: Vector3<f64>,
    },
    /// Cylinder with round ends.
    Capsule {
        /// Distance between the centres of the two ends.
        length: f64,
        /// Radius.
        radius: f64,
    },
    /// Cylinder.
    Cylinder {
        /// Length.
        length: f64,
        /// Radius.
        radius: f64,
    },
    /// Cone with its base at −length/2 and its apex at +length/2.
    Cone {
        /// Length.
        length: f64,
        /// Radius of the base.
        radius: f64,
    },
    /// Ellipsoid.
    Ellipsoid {
        /// Half axes.
        radii: Vector3<f64>,
    },
    /// Everything below z = 0 of the shape's frame.
    HalfSpace,
    /// Convex hull.
    Hull(PointSource),
    /// Triangle mesh.
    Mesh {
        /// The triangles.
        triangles: MeshSource,
        /// Whether it is a surface that does not close, solid behind its faces.
        open: bool,
    },
    /// Signed distances to a closed mesh on a grid.
    MeshDistance {
        /// The triangles.
        triangles: MeshSource,
        /// Grid cells along the longest side.
        cells: usize,
    },
    /// Convex parts that together make up a mesh.
    MeshParts {
        /// The triangles.
        triangles: MeshSource,
        /// Most parts.
        parts: usize,
    },
    /// Heights on a grid centred on the origin, solid below.
    HeightField {
        /// Distance of the samples along x and y.
        spacing: [f64; 2],
        /// Samples along x.
        columns: usize,
        /// Heights, x fastest.
        heights: Vec<f64>,
    },
    /// Bowl, plate, pot or bottle: a round floor and a straight wall.
    Dish {
        /// Radius of the floor, to the middle of the wall.
        floor: f64,
        /// Radius at the upper end of the wall.
        rim: f64,
        /// Height of the wall.
        height: f64,
        /// Thickness of floor and wall.
        thickness: f64,
        /// Edge length of the surface mesh.
        resolution: f64,
    },
    /// Threaded rod from z = 0 upwards, with a hexagonal head below if it has a height.
    Bolt {
        /// Its thread.
        thread: ThreadDescription,
        /// Length of the threaded part.
        length: f64,
        /// Height of the head; zero for none.
        head_height: f64,
        /// Width of the head over flats.
        head_width: f64,
    },
    /// Hexagonal nut from z = 0 upwards.
    Nut {
        /// Thread of the bolt it fits.
        thread: ThreadDescription,
        /// Height.
        height: f64,
        /// Width over flats.
        width: f64,
        /// Distance between the threads when it is centred on the bolt.
        clearance: f64,
    },
    /// Solid named by its signed distance.
    Distance(DistanceSolid),
}

/// A metric thread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThreadDescription {
    /// Nominal diameter, m.
    pub diameter: f64,
    /// Advance per turn, m.
    pub pitch: f64,
    /// Angle about z at which a crest passes z = 0, rad.
    pub start: f64,
    /// Whether the ends are chamfered.
    pub chamfered: bool,
    /// Edge length of the surface mesh, m.
    pub resolution: f64,
}

/// Points of a convex hull.
#[derive(Debug, Clone, PartialEq)]
pub enum PointSource {
    /// In the scene file.
    Inline(Vec<Point3<f64>>),
    /// The vertices of a mesh file.
    File(MeshFile),
}

/// Triangles of a mesh.
#[derive(Debug, Clone, PartialEq)]
pub enum MeshSource {
    /// In the scene file.
    Inline(MeshData),
    /// In a mesh file.
    File(MeshFile),
}

/// A mesh file.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshFile {
    /// Path of an OBJ, STL, COLLADA or glTF file; relative ones start at the folder of the scene file.
    pub path: String,
    /// Metres per unit of length of the file, along x, y, z.
    pub scale: Vector3<f64>,
}

/// Why a shape could not be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// Its mesh file could not be read.
    #[error(transparent)]
    File(#[from] IoError),
    /// Its numbers make no shape.
    #[error(transparent)]
    Collision(#[from] stiction_collision::CollisionError),
}

impl MeshSource {
    /// The triangles, m; files are looked for from `folder`.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn data(&self, folder: &Path) -> Result<MeshData, IoError> {
        match self {
            Self::Inline(data) => Ok(data.clone()),
            Self::File(file) => file.read(folder),
        }
    }
}

impl MeshFile {
    /// The triangles, m; corners at the same place are one. The path is looked for from `folder`.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn read(&self, folder: &Path) -> Result<MeshData, IoError> {
        let mut data = mesh::read(&folder.join(&self.path))?.welded();
        for vertex in &mut data.vertices {
            vertex.coords.component_mul_assign(&self.scale);
        }
        // A mirror image turns faces inside out.
        if self.scale.product() < 0.0 {
            data.faces.iter_mut().for_each(|face| face.swap(1, 2));
        }
        Ok(data)
    }
}

impl ThreadDescription {
    pub(super) fn build(&self) -> stiction_collision::Result<(MetricThread, ThreadEnd)> {
        let end = match self.chamfered {
            true => ThreadEnd::Chamfered,
            false => ThreadEnd::Flat,
        };
        Ok((
            MetricThread::new(self.diameter, self.pitch, self.start)?,
            end,
        ))
    }
}

impl ShapeKind {
    /// Makes the collision shape; mesh files are looked for from `folder`.
    ///
    /// # Errors
    /// A mesh file that cannot be read, or numbers that make no shape.
    pub fn build(&self, name: &str, folder: &Path) -> Result<Shape, ShapeError> {
        Ok(match self {
            Self::Sphere { radius } => Shape::sphere(name, *radius)?,
            Self::Box { size } => Shape::cuboid(name, size / 2.0)?,
            Self::Capsule { length, radius } => Shape::capsule(name, length / 2.0, *radius)?,
            Self::Cylinder { length, radius } => Shape::cylinder(name, length / 2.0, *radius)?,
            Self::Cone { length, radius } => Shape::cone(name, length / 2.0, *radius)?,
            Self::Ellipsoid { radii } => Shape::ellipsoid(name, *radii)?,
            Self::HalfSpace => Shape::half_space(name),
            Self::Hull(PointSource::Inline(points)) => Shape::convex_hull(name, points)?,
            Self::Hull(PointSource::File(file)) => {
                Shape::convex_hull(name, &file.read(folder)?.vertices)?
            }
            Self::Mesh { triangles, open } => {
                let data = triangles.data(folder)?;
                match open {
                    true => {
                        // A face without area shows nothing, and closes nothing here.
                        let data = data.without_thin_faces();
                        Shape::open_mesh(name, data.vertices, data.faces)?
                    }
                    false => Shape::triangle_mesh(name, data.vertices, data.faces)?,
                }
            }
            Self::MeshDistance { triangles, cells } => {
                let data = triangles.data(folder)?;
                let mesh = TriangleMesh::watertight(name, data.vertices, data.faces)?;
                let longest = 2.0 * mesh.bounds().half_extents().max();
                let grid = GridSdf::from_mesh(name, &mesh, longest / *cells as f64)?;
                Shape::sdf_with_mesh(name, Arc::new(grid), mesh)
            }
            Self::MeshParts { triangles, parts } => {
                let data = triangles.data(folder)?.without_thin_faces();
                Shape::convex_decomposition(name, &data.vertices, &data.faces, *parts)?
            }
            Self::HeightField {
                spacing: [x, y],
                columns,
                heights,
            } => Shape::height_field(
                name,
                &HeightField {
                    n_x: *columns,
                    n_y: heights.len().checked_div(*columns).unwrap_or(0),
                    spacing: (*x, *y),
                    heights: heights.clone(),
                },
            )?,
            Self::Dish {
                floor,
                rim,
                height,
                thickness,
                resolution,
            } => {
                let dish = Dish::bowl(*floor, *rim, *height, thickness / 2.0)?;
                Shape::dish(name, dish, *resolution)?
            }
            Self::Bolt {
                thread,
                length,
                head_height,
                head_width,
            } => {
                let (metric, end) = thread.build()?;
                let bolt = BoltSdf::with_head(metric, *length, *head_height, *head_width, end)?;
                Shape::bolt(name, bolt, thread.resolution)?
            }
            Self::Nut {
                thread,
                height,
                width,
                clearance,
            } => {
                let (metric, end) = thread.build()?;
                let nut = NutSdf::new(metric, *height, *width, *clearance, end)?;
                Shape::nut(name, nut, thread.resolution)?
            }
            Self::Distance(solid) => solid.build(name, folder)?,
        })
    }

    /// The mesh file that it is made of, if there is one.
    pub fn mesh_file_mut(&mut self) -> Option<&mut MeshFile> {
        match self {
            Self::Hull(PointSource::File(file)) => Some(file),
            Self::Mesh { triangles, .. }
            | Self::MeshDistance { triangles, .. }
            | Self::MeshParts { triangles, .. } => match triangles {
                MeshSource::File(file) => Some(file),
                MeshSource::Inline(_) => None,
            },
            _ => None,
        }
    }

    /// Paths of all files that it is made of.
    pub fn files_mut(&mut self) -> Vec<&mut String> {
        match self {
            Self::Distance(solid) => solid.files_mut(),
            other => {
                let file = other.mesh_file_mut();
                file.map(|file| &mut file.path).into_iter().collect()
            }
        }
    }

    /// The word for it in scene files.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Sphere { .. } => "sphere",
            Self::Box { .. } => "box",
            Self::Capsule { .. } => "capsule",
            Self::Cylinder { .. } => "cylinder",
            Self::Cone { .. } => "cone",
            Self::Ellipsoid { .. } => "ellipsoid",
            Self::HalfSpace => "half-space",
            Self::Hull(_) => "hull",
            Self::Mesh { .. } => "mesh",
            Self::MeshDistance { .. } => "mesh-distance",
            Self::MeshParts { .. } => "mesh-parts",
            Self::HeightField { .. } => "height-field",
            Self::Dish { .. } => "dish",
            Self::Bolt { .. } => "bolt",
            Self::Nut { .. } => "nut",
            Self::Distance(solid) => solid.word(),
        }
    }
}
