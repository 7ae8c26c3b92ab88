//! The forms of shapes in scene files, and the collision shapes made of them.

use std::path::Path;

use nalgebra::{Point3, Vector3};
use stiction_collision::Shape;
use stiction_collision::sdf::{BoltSdf, Dish, MetricThread, NutSdf, ThreadEnd};
use stiction_collision::shape::HeightField;

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
    /// Path of an OBJ or STL file; relative ones start at the folder of the scene file.
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

impl MeshFile {
    /// Its triangles in the scene's unit of length; relative paths start at `folder`.
    pub(crate) fn read(&self, folder: &Path) -> Result<MeshData, IoError> {
        let mut data = mesh::read(&folder.join(&self.path))?;
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
    fn build(&self) -> stiction_collision::Result<(MetricThread, ThreadEnd)> {
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
        let mesh = |data: MeshData, open: bool| match open {
            true => {
                let faces = with_area(&data);
                Shape::open_mesh(name, data.vertices, faces)
            }
            false => Shape::triangle_mesh(name, data.vertices, data.faces),
        };
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
            Self::Mesh { triangles, open } => match triangles {
                MeshSource::Inline(data) => mesh(data.clone(), *open)?,
                MeshSource::File(file) => mesh(file.read(folder)?, *open)?,
            },
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
        })
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
            Self::HeightField { .. } => "height-field",
            Self::Dish { .. } => "dish",
            Self::Bolt { .. } => "bolt",
            Self::Nut { .. } => "nut",
        }
    }
}

/// The faces that have an area: meshes for drawing often have some without, and nothing touches or
/// sees those.
fn with_area(mesh: &MeshData) -> Vec<[u32; 3]> {
    /// Double area per square of the longest side, below which a face has no direction.
    const LEAST: f64 = 1e-12;
    let has_area = |face: &[u32; 3]| {
        let [Some(a), Some(b), Some(c)] = face.map(|corner| mesh.vertices.get(corner as usize))
        else {
            return true;
        };
        let sides = [b - a, c - a, c - b];
        let longest = sides.iter().map(|side| side.norm()).fold(0.0, f64::max);
        sides[0].cross(&sides[1]).norm() > LEAST * longest * longest
    };
    mesh.faces.iter().copied().filter(has_area).collect()
}
