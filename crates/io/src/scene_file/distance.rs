//! Solids named by their signed distances: round ones, sums and differences of others, and files.

use std::path::Path;
use std::sync::Arc;

use nalgebra::{Isometry3, Point2};
use stiction_collision::sdf::{
    BoltSdf, BoxSdf, CapsuleSdf, CylinderSdf, Difference, Dish, EllipsoidSdf, GridSdf,
    HalfSpaceSdf, Intersection, NutSdf, Polygon, Revolution, Rounded, SdfRef, SphereSdf, TorusSdf,
    Transformed, Union, distance_from_bytes,
};
use stiction_collision::shape::TriangleMesh;
use stiction_collision::{CollisionError, Shape};

use super::shape::{ShapeError, ShapeKind};
use crate::bounded;
use crate::error::IoError;

/// Mesh edges along the longest side of a solid, where its file does not say how long they are.
const EDGES: f64 = 32.0;
/// Most mesh edges along the longest side.
const MOST_EDGES: f64 = 400.0;

/// A solid by its signed distance, m.
#[derive(Debug, Clone, PartialEq)]
pub struct DistanceSolid {
    /// Which solid.
    pub distance: Distance,
    /// Edge length of the mesh of its surface; `None` for one that goes with its size.
    pub resolution: Option<f64>,
}

/// What the distance is to.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Distance {
    /// Ring about z.
    Torus {
        /// Radius of the circle that its middle is.
        radius: f64,
        /// Radius of the tube around that.
        tube: f64,
    },
    /// A polygon turned about z.
    Revolution {
        /// Corners: distance from the axis and height.
        outline: Vec<[f64; 2]>,
    },
    /// Safetensors: samples on a grid, or a network.
    File {
        /// Relative paths start at the folder of the scene file.
        path: String,
    },
    /// Solids put together.
    Combined {
        /// How.
        operation: Operation,
        /// The solids; of a difference the first without the others.
        parts: Vec<Part>,
        /// Over which width their surfaces blend into each other; 0 for creases.
        blend: f64,
        /// By how much all of it grows; convex edges are round then.
        rounding: f64,
    },
}

/// How solids are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// All that is in any of them.
    Union,
    /// What is in all of them.
    Intersection,
    /// What is in the first and in none of the others.
    Difference,
}

/// A solid within another.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Its form.
    pub kind: ShapeKind,
    /// Where it is.
    pub pose: Isometry3<f64>,
}

impl DistanceSolid {
    /// The word for it in scene files.
    pub fn word(&self) -> &'static str {
        match &self.distance {
            Distance::Torus { .. } => "torus",
            Distance::Revolution { .. } => "revolution",
            Distance::File { .. } => "distance-file",
            Distance::Combined { operation, .. } => match operation {
                Operation::Union => "union",
                Operation::Intersection => "intersection",
                Operation::Difference => "difference",
            },
        }
    }

    /// Paths of files that it is made of.
    pub(super) fn files_mut(&mut self) -> Vec<&mut String> {
        match &mut self.distance {
            Distance::File { path } => vec![path],
            Distance::Combined { parts, .. } => {
                let of_parts = parts.iter_mut().map(|part| part.kind.files_mut());
                of_parts.flatten().collect()
            }
            Distance::Torus { .. } | Distance::Revolution { .. } => Vec::new(),
        }
    }

    pub(super) fn build(&self, name: &str, folder: &Path) -> Result<Shape, ShapeError> {
        let sdf = self.distance.sdf(name, folder)?;
        let bounds = sdf.bounds();
        if !bounds.is_finite() {
            return Ok(Shape::sdf(name, sdf, 1.0)?);
        }
        let longest = 2.0 * bounds.half_extents().max();
        let resolution = self.resolution.unwrap_or(longest / EDGES);
        if !(resolution >= longest / MOST_EDGES) {
            return Err(CollisionError::InvalidParameter {
                element: name.to_owned(),
                field: "resolution",
                value: resolution,
                reason: "must be at least 1/400 of the longest side",
            }
            .into());
        }
        Ok(Shape::sdf(name, sdf, resolution)?)
    }
}

impl Distance {
    fn sdf(&self, name: &str, folder: &Path) -> Result<SdfRef, ShapeError> {
        Ok(match self {
            Self::Torus { radius, tube } => Arc::new(TorusSdf::new(*radius, *tube)?),
            Self::Revolution { outline } => {
                let corners = outline.iter().map(|&[r, z]| Point2::new(r, z));
                Arc::new(Revolution::new(Polygon::new(corners.collect())?))
            }
            Self::File { path } => {
                let path = folder.join(path);
                let bytes = bounded::data(&path).map_err(|problem| IoError::File {
                    file: path.display().to_string(),
                    problem,
                })?;
                distance_from_bytes(&path.display().to_string(), &bytes)?
            }
            Self::Combined {
                operation,
                parts,
                blend,
                rounding,
            } => {
                let parts = parts.iter().map(|part| -> Result<SdfRef, ShapeError> {
                    let inner = sdf_of(&part.kind, name, folder)?;
                    match part.pose == Isometry3::identity() {
                        true => Ok(inner),
                        false => Ok(Arc::new(Transformed::new(inner, part.pose)?)),
                    }
                });
                let parts = parts.collect::<Result<Vec<_>, _>>()?;
                let all = combine(*operation, parts, *blend)?;
                match *rounding > 0.0 {
                    true => Arc::new(Rounded::new(all, *rounding)?),
                    false => all,
                }
            }
        })
    }
}

fn combine(
    operation: Operation,
    parts: Vec<SdfRef>,
    blend: f64,
) -> stiction_collision::Result<SdfRef> {
    Ok(match operation {
        Operation::Union => Arc::new(Union::smooth(parts, blend)?),
        Operation::Intersection => Arc::new(Intersection::smooth(parts, blend)?),
        Operation::Difference => {
            let mut parts = parts.into_iter();
            // An intersection of none says what is wrong.
            let Some(mut kept) = parts.next() else {
                return Ok(Arc::new(Intersection::new(Vec::new())?));
            };
            for removed in parts {
                kept = Arc::new(Difference::smooth(kept, removed, blend)?);
            }
            kept
        }
    })
}

/// The distance to a shape that can be part of another.
fn sdf_of(kind: &ShapeKind, name: &str, folder: &Path) -> Result<SdfRef, ShapeError> {
    Ok(match kind {
        ShapeKind::Sphere { radius } => Arc::new(SphereSdf::new(*radius)?),
        ShapeKind::Box { size } => Arc::new(BoxSdf::new(size / 2.0)?),
        ShapeKind::Capsule { length, radius } => Arc::new(CapsuleSdf::new(length / 2.0, *radius)?),
        ShapeKind::Cylinder { length, radius } => {
            Arc::new(CylinderSdf::new(length / 2.0, *radius)?)
        }
        ShapeKind::Cone { length, radius } => {
            let corners = [[0.0, -0.5], [*radius, -0.5], [0.0, 0.5]];
            let corners = corners.map(|[r, z]| Point2::new(r, z * length));
            Arc::new(Revolution::new(Polygon::new(corners.to_vec())?))
        }
        ShapeKind::Ellipsoid { radii } => Arc::new(EllipsoidSdf::new(*radii)?),
        ShapeKind::HalfSpace => Arc::new(HalfSpaceSdf),
        ShapeKind::MeshDistance { triangles, cells } => {
            let data = triangles.data(folder)?;
            let mesh = TriangleMesh::watertight(name, data.vertices, data.faces)?;
            let longest = 2.0 * mesh.bounds().half_extents().max();
            Arc::new(GridSdf::from_mesh(name, &mesh, longest / *cells as f64)?)
        }
        ShapeKind::Dish {
            floor,
            rim,
            height,
            thickness,
            ..
        } => Arc::new(Dish::bowl(*floor, *rim, *height, thickness / 2.0)?),
        ShapeKind::Bolt {
            thread,
            length,
            head_height,
            head_width,
        } => {
            let (metric, end) = thread.build()?;
            let bolt = BoltSdf::with_head(metric, *length, *head_height, *head_width, end)?;
            Arc::new(bolt)
        }
        ShapeKind::Nut {
            thread,
            height,
            width,
            clearance,
        } => {
            let (metric, end) = thread.build()?;
            Arc::new(NutSdf::new(metric, *height, *width, *clearance, end)?)
        }
        ShapeKind::Distance(solid) => return solid.distance.sdf(name, folder),
        ShapeKind::Hull(_)
        | ShapeKind::Mesh { .. }
        | ShapeKind::MeshParts { .. }
        | ShapeKind::HeightField { .. } => {
            return Err(CollisionError::Unknown {
                what: "signed distance of a part of kind",
                name: kind.word().to_owned(),
            }
            .into());
        }
    })
}
