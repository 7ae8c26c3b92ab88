//! Shapes: what can collide.

mod convex;
mod curved;
mod decomposition;
mod distance;
mod edges;
mod feature;
mod height_field;
mod hull;
mod mesh;
mod moments;
mod outline;
mod tessellate;

use std::fmt::Debug;
use std::sync::Arc;

use nalgebra::{Isometry3, Point2, Point3, Vector3};

pub(crate) use convex::{Convex, Core};
pub(crate) use curved::{CurvedMesh, Patch, project, same_side};
pub(crate) use feature::{Feature, MAX_CORNERS};
pub use height_field::HeightField;
pub use hull::HULL_POINTS;
pub use mesh::TriangleMesh;
pub(crate) use mesh::{angle_at, check_edges, closest_on_triangle};
pub use moments::VolumeMoments;
pub use outline::Outline;

use crate::aabb::Aabb;
use crate::error::{CollisionError, Result, positive};
use crate::sdf::{
    BoltSdf, BoxSdf, CylinderSdf, Dish, EllipsoidSdf, NeuralBolt, NutSdf, Polygon, Revolution, Sdf,
    SdfRef,
};
use crate::surface;

/// A shape that only a user's own detector understands.
pub trait CustomShape: Send + Sync + Debug {
    /// Box around the shape in its own frame; may be infinite.
    fn bounds(&self) -> Aabb;

    /// For downcasting in the detector.
    fn as_any(&self) -> &dyn std::any::Any;
}

/// A signed distance and the mesh of its surface.
#[derive(Debug, Clone)]
pub(crate) struct SdfSolid {
    pub(crate) sdf: SdfRef,
    /// `None` if unbounded: then it can only be the distance side of a pair.
    pub(crate) faces: Option<CurvedMesh>,
}

#[derive(Debug)]
pub(crate) enum Form {
    Convex(Convex),
    HalfSpace,
    Mesh(Arc<TriangleMesh>),
    Sdf(SdfSolid),
    Compound(Vec<(Isometry3<f64>, Shape)>),
    Custom(Arc<dyn CustomShape>),
}

/// A named shape in its own frame. Cheap to clone: the geometry is shared.
#[derive(Debug, Clone)]
pub struct Shape {
    name: Arc<str>,
    kind: &'static str,
    form: Arc<Form>,
    bounds: Aabb,
}

impl Shape {
    fn new(name: &str, kind: &'static str, form: Form) -> Self {
        let bounds = match &form {
            Form::Convex(convex) => convex.bounds(),
            Form::HalfSpace => {
                let mut bounds = Aabb::everything();
                bounds.max.z = 0.0;
                bounds
            }
            Form::Mesh(mesh) => mesh.bounds(),
            Form::Sdf(solid) => solid.sdf.bounds(),
            Form::Compound(parts) => parts.iter().fold(Aabb::empty(), |aabb, (pose, part)| {
                aabb.merged(&part.bounds.transformed(pose))
            }),
            Form::Custom(custom) => custom.bounds(),
        };
        Self {
            name: name.into(),
            kind,
            form: Arc::new(form),
            bounds,
        }
    }

    fn convex(name: &str, kind: &'static str, core: Core, radius: f64) -> Self {
        Self::new(name, kind, Form::Convex(Convex::new(core, radius)))
    }

    /// Ball of `radius` m around the origin.
    pub fn sphere(name: &str, radius: f64) -> Result<Self> {
        positive(name, "radius", radius)?;
        Ok(Self::convex(name, "sphere", Core::Point, radius))
    }

    /// Box with half side lengths in m.
    pub fn cuboid(name: &str, half_extents: Vector3<f64>) -> Result<Self> {
        for i in 0..3 {
            positive(name, "half extent", half_extents[i])?;
        }
        let core = Core::Box {
            half: half_extents,
            sdf: BoxSdf::new(half_extents)?,
        };
        Ok(Self::convex(name, "box", core, 0.0))
    }

    /// Capsule along z: segment of half length, and radius, m.
    pub fn capsule(name: &str, half_length: f64, radius: f64) -> Result<Self> {
        positive(name, "half length", half_length)?;
        positive(name, "radius", radius)?;
        Ok(Self::convex(
            name,
            "capsule",
            Core::Segment { half_length },
            radius,
        ))
    }

    /// Cylinder along z, m.
    pub fn cylinder(name: &str, half_length: f64, radius: f64) -> Result<Self> {
        positive(name, "half length", half_length)?;
        positive(name, "radius", radius)?;
        let core = Core::Cylinder {
            half_length,
            radius,
            sdf: CylinderSdf::new(half_length, radius)?,
        };
        Ok(Self::convex(name, "cylinder", core, 0.0))
    }

    /// Cone along z with its base at −`half_length` and its apex at +`half_length`, m.
    pub fn cone(name: &str, half_length: f64, radius: f64) -> Result<Self> {
        positive(name, "half length", half_length)?;
        positive(name, "radius", radius)?;
        let outline = Polygon::new(vec![
            Point2::new(0.0, -half_length),
            Point2::new(radius, -half_length),
            Point2::new(0.0, half_length),
        ])?;
        let core = Core::Cone {
            half_length,
            radius,
            sdf: Revolution::new(outline),
        };
        Ok(Self::convex(name, "cone", core, 0.0))
    }

    /// Ellipsoid with half axes along x, y, z in m.
    pub fn ellipsoid(name: &str, radii: Vector3<f64>) -> Result<Self> {
        for i in 0..3 {
            positive(name, "radius", radii[i])?;
        }
        let core = Core::Ellipsoid {
            radii,
            sdf: EllipsoidSdf::new(radii)?,
        };
        Ok(Self::convex(name, "ellipsoid", core, 0.0))
    }

    /// Half-space z ≤ 0 of the shape's frame.
    pub fn half_space(name: &str) -> Self {
        Self::new(name, "half-space", Form::HalfSpace)
    }

    /// Convex hull of points, m.
    pub fn convex_hull(name: &str, points: &[Point3<f64>]) -> Result<Self> {
        let hull = hull::Hull::new(name, points)?;
        Ok(Self::convex(name, "hull", Core::Hull(Arc::new(hull)), 0.0))
    }

    /// Watertight triangle mesh (refused if open, inverted or empty), m.
    pub fn triangle_mesh(
        name: &str,
        vertices: Vec<Point3<f64>>,
        faces: Vec<[u32; 3]>,
    ) -> Result<Self> {
        let mesh = TriangleMesh::watertight(name, vertices, faces)?;
        Ok(Self::new(name, "mesh", Form::Mesh(Arc::new(mesh))))
    }

    /// Open surface, solid behind its faces (terrain), m.
    pub fn open_mesh(name: &str, vertices: Vec<Point3<f64>>, faces: Vec<[u32; 3]>) -> Result<Self> {
        let mesh = TriangleMesh::open_surface(name, vertices, faces)?;
        Ok(Self::new(name, "open mesh", Form::Mesh(Arc::new(mesh))))
    }

    /// Height field, solid below.
    pub fn height_field(name: &str, field: &HeightField) -> Result<Self> {
        let mesh = field.mesh(name)?;
        Ok(Self::new(name, "height field", Form::Mesh(Arc::new(mesh))))
    }

    /// Several shapes moving as one, each at its pose.
    pub fn compound(name: &str, parts: Vec<(Isometry3<f64>, Self)>) -> Result<Self> {
        if parts.is_empty() {
            return Err(CollisionError::InvalidMesh {
                shape: name.to_owned(),
                reason: "a compound needs at least one part".to_owned(),
            });
        }
        for (i, (pose, _)) in parts.iter().enumerate() {
            if !pose_is_finite(pose) {
                return Err(CollisionError::InvalidMesh {
                    shape: name.to_owned(),
                    reason: format!("the pose of part {i} is not finite"),
                });
            }
        }
        Ok(Self::new(name, "compound", Form::Compound(parts)))
    }

    /// Signed distance function, meshed with edges of about `resolution` m if it is bounded.
    pub fn sdf(name: &str, sdf: SdfRef, resolution: f64) -> Result<Self> {
        let faces = if sdf.bounds().is_finite() {
            let mesh = surface::surface_mesh(name, &*sdf, resolution)?;
            Some(CurvedMesh::new(mesh, &*sdf))
        } else {
            None
        };
        Ok(Self::new(name, "SDF", Form::Sdf(SdfSolid { sdf, faces })))
    }

    /// Signed distance function with a mesh of its surface made elsewhere.
    pub fn sdf_with_mesh(name: &str, sdf: SdfRef, faces: TriangleMesh) -> Self {
        let faces = Some(CurvedMesh::new(faces, &*sdf));
        Self::new(name, "SDF", Form::Sdf(SdfSolid { sdf, faces }))
    }

    /// Dish of the AL paper's family, meshed along its rings.
    pub fn dish(name: &str, dish: Dish, resolution: f64) -> Result<Self> {
        let faces = surface::dish_mesh(name, &dish, resolution)?;
        Ok(Self::sdf_with_mesh(name, Arc::new(dish), faces))
    }

    /// Bolt whose thread is a network, with the mesh of the bolt that it stands for.
    pub fn neural_bolt(name: &str, bolt: NeuralBolt, resolution: f64) -> Result<Self> {
        let faces = surface::bolt_mesh(name, bolt.bolt(), resolution)?;
        Ok(Self::sdf_with_mesh(name, Arc::new(bolt), faces))
    }

    /// Bolt, meshed along its helix.
    pub fn bolt(name: &str, bolt: BoltSdf, resolution: f64) -> Result<Self> {
        let faces = surface::bolt_mesh(name, &bolt, resolution)?;
        Ok(Self::sdf_with_mesh(name, Arc::new(bolt), faces))
    }

    /// Nut, meshed along its helix.
    pub fn nut(name: &str, nut: NutSdf, resolution: f64) -> Result<Self> {
        let faces = surface::nut_mesh(name, &nut, resolution)?;
        Ok(Self::sdf_with_mesh(name, Arc::new(nut), faces))
    }

    /// A shape for a user's own detector.
    pub fn custom(name: &str, custom: Arc<dyn CustomShape>) -> Self {
        Self::new(name, "custom", Form::Custom(custom))
    }

    /// Name given when made.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What sort of shape this is, in a word.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Box around the shape in its own frame; infinite for a half-space.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Signed distance function, if the shape is one.
    pub fn as_sdf(&self) -> Option<&SdfRef> {
        match &*self.form {
            Form::Sdf(solid) => Some(&solid.sdf),
            _ => None,
        }
    }

    /// The user's shape, if it is one.
    pub fn as_custom(&self) -> Option<&dyn CustomShape> {
        match &*self.form {
            Form::Custom(custom) => Some(&**custom),
            _ => None,
        }
    }

    /// Mesh of the surface for drawing; `None` for unbounded, compound and custom shapes.
    pub fn surface(&self) -> Option<&TriangleMesh> {
        match &*self.form {
            Form::Convex(convex) => Some(convex.mesh()),
            Form::Mesh(mesh) => Some(mesh),
            Form::Sdf(solid) => solid.faces.as_ref().map(CurvedMesh::mesh),
            _ => None,
        }
    }

    /// Whether both are clones of one shape.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.form, &other.form)
    }

    pub(crate) fn form(&self) -> &Form {
        &self.form
    }
}

/// Whether all numbers of a pose are finite.
pub(crate) fn pose_is_finite(pose: &Isometry3<f64>) -> bool {
    pose.translation.vector.iter().all(|x| x.is_finite())
        && pose.rotation.coords.iter().all(|x| x.is_finite())
}
