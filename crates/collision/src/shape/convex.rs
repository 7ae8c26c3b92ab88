//! Convex shapes as a core plus a radius: a sphere is a point grown by r, a capsule a segment.
//!
//! Each core knows three things about itself: the support point in a direction, the exact signed
//! distance of a point, and the flat feature (face, edge or vertex) that faces a direction.

use std::sync::{Arc, OnceLock};

use nalgebra::{Isometry3, Point3, Vector3};

use super::TriangleMesh;
use super::curved::CurvedMesh;
use super::feature::Feature;
use super::hull::Hull;
use super::tessellate;
use crate::aabb::Aabb;
use crate::sdf::{
    BoxSdf, CylinderSdf, EllipsoidSdf, Polygon, Revolution, Sdf, SdfSample, longest_way,
    way_but_turning, way_of_center,
};

/// Cosine of the angle up to which a face counts as facing a direction, 15°.
const FACE_COS: f64 = 0.966;
/// Sine of the angle up to which an edge counts as across a direction, 15°.
const EDGE_SIN: f64 = 0.259;
/// Points by which the rim of a cap is represented in a manifold.
const RIM_POINTS: u32 = 8;

/// What is left of a convex shape when its radius is taken away. Axes of revolution are z.
#[derive(Debug, Clone)]
pub(crate) enum Core {
    Point,
    Segment {
        half_length: f64,
    },
    Box {
        half: Vector3<f64>,
        sdf: BoxSdf,
    },
    Cylinder {
        half_length: f64,
        radius: f64,
        sdf: CylinderSdf,
    },
    /// Base at −z, apex at +z.
    Cone {
        half_length: f64,
        radius: f64,
        sdf: Revolution<Polygon>,
    },
    Ellipsoid {
        radii: Vector3<f64>,
        sdf: EllipsoidSdf,
    },
    Hull(Arc<Hull>),
}

/// A convex shape.
#[derive(Debug, Clone)]
pub(crate) struct Convex {
    pub(crate) core: Core,
    pub(crate) radius: f64,
    /// Faces for pairs in which this shape is the face side, made at first use.
    faces: OnceLock<Arc<CurvedMesh>>,
}

impl Convex {
    pub(crate) fn new(core: Core, radius: f64) -> Self {
        Self {
            core,
            radius,
            faces: OnceLock::new(),
        }
    }

    /// Tessellation of the surface, every vertex on it.
    pub(crate) fn mesh(&self) -> &TriangleMesh {
        self.curved().mesh()
    }

    /// The tessellation and the curved surface over it.
    pub(crate) fn curved(&self) -> &CurvedMesh {
        self.faces
            .get_or_init(|| Arc::new(CurvedMesh::new(tessellate::convex(self), self)))
    }

    /// Whether the core's support function is smooth somewhere, so that normals need refinement.
    pub(crate) fn is_curved(&self) -> bool {
        matches!(
            self.core,
            Core::Cylinder { .. } | Core::Cone { .. } | Core::Ellipsoid { .. }
        )
    }
}

impl Core {
    /// Farthest point of the core along `d` (need not be unit).
    pub(crate) fn support(&self, d: &Vector3<f64>) -> Vector3<f64> {
        let radial = |radius: f64| {
            let r = d.x.hypot(d.y);
            if r > 0.0 {
                Vector3::new(d.x / r * radius, d.y / r * radius, 0.0)
            } else {
                Vector3::zeros()
            }
        };
        match self {
            Self::Point => Vector3::zeros(),
            Self::Segment { half_length } => Vector3::z() * half_length.copysign(d.z),
            Self::Box { half, .. } => Vector3::from_fn(|i, _| half[i].copysign(d[i])),
            Self::Cylinder {
                half_length,
                radius,
                ..
            } => radial(*radius) + Vector3::z() * half_length.copysign(d.z),
            Self::Cone {
                half_length,
                radius,
                ..
            } => {
                let base = radial(*radius) - Vector3::z() * *half_length;
                let apex = Vector3::z() * *half_length;
                if apex.dot(d) > base.dot(d) {
                    apex
                } else {
                    base
                }
            }
            Self::Ellipsoid { radii, .. } => {
                let scaled = d.component_mul(radii);
                let norm = scaled.norm();
                if norm > 0.0 {
                    scaled.component_mul(radii) / norm
                } else {
                    Vector3::x() * radii.x
                }
            }
            Self::Hull(hull) => hull.vertices()[hull.support(d)].coords,
        }
    }

    /// Exact signed distance to the core (never negative for point and segment).
    pub(crate) fn signed_distance(&self, p: &Point3<f64>) -> SdfSample {
        let from_line = |half_length: f64| {
            let offset = p.coords - Vector3::z() * p.z.clamp(-half_length, half_length);
            let norm = offset.norm();
            let gradient = if norm > 1e-150 {
                offset / norm
            } else {
                // on the core itself any direction is as good
                Vector3::x()
            };
            SdfSample {
                value: norm,
                gradient,
            }
        };
        match self {
            Self::Point => from_line(0.0),
            Self::Segment { half_length } => from_line(*half_length),
            Self::Box { sdf, .. } => sdf.sample(p),
            Self::Cylinder { sdf, .. } => sdf.sample(p),
            Self::Cone { sdf, .. } => sdf.sample(p),
            Self::Ellipsoid { sdf, .. } => sdf.sample(p),
            Self::Hull(hull) => {
                let (value, gradient) = hull.mesh().signed_distance(p);
                SdfSample { value, gradient }
            }
        }
    }

    /// Face, edge or vertex facing the unit direction `d`.
    pub(crate) fn feature(&self, d: &Vector3<f64>, out: &mut Feature) {
        out.clear();
        match self {
            Self::Point => out.push(Vector3::zeros(), 0),
            Self::Segment { half_length } => {
                if d.z.abs() < EDGE_SIN {
                    out.push(-Vector3::z() * *half_length, 0);
                    out.push(Vector3::z() * *half_length, 1);
                } else {
                    out.push(self.support(d), u32::from(d.z > 0.0));
                }
            }
            Self::Box { half, .. } => box_feature(half, d, out),
            Self::Cylinder {
                half_length,
                radius,
                ..
            } => {
                let z = half_length.copysign(d.z);
                if d.z.abs() > FACE_COS {
                    rim(*radius, z, u32::from(d.z > 0.0) * RIM_POINTS, out);
                    out.set_normal(Vector3::z().scale(1.0_f64.copysign(d.z)));
                } else if d.z.abs() < EDGE_SIN {
                    let side = self.support(d);
                    out.push(Vector3::new(side.x, side.y, -half_length), 100);
                    out.push(Vector3::new(side.x, side.y, *half_length), 101);
                } else {
                    out.push(self.support(d), 102 + u32::from(d.z > 0.0));
                }
            }
            Self::Cone {
                half_length,
                radius,
                ..
            } => {
                let r = d.x.hypot(d.y);
                let slant = (2.0 * half_length).hypot(*radius);
                // unit normal of the side at the azimuth of d
                let along_side = (r * 2.0 * half_length + d.z * radius) / slant;
                if -d.z > FACE_COS {
                    rim(*radius, -half_length, 0, out);
                    out.set_normal(-Vector3::z());
                } else if along_side > FACE_COS && r > 0.0 {
                    out.push(
                        Vector3::new(d.x / r * radius, d.y / r * radius, -half_length),
                        100,
                    );
                    out.push(Vector3::z() * *half_length, 101);
                } else {
                    let p = self.support(d);
                    out.push(p, 102 + u32::from(p.z > 0.0));
                }
            }
            Self::Ellipsoid { .. } => out.push(self.support(d), 0),
            Self::Hull(hull) => hull.feature(d, FACE_COS, EDGE_SIN, out),
        }
    }

    /// Points of the core by which it is felt against a surface: corners, ends, rims.
    pub(crate) fn key_points(&self, mut visit: impl FnMut(u32, Vector3<f64>)) {
        match self {
            Self::Point => visit(0, Vector3::zeros()),
            Self::Segment { half_length } => {
                visit(0, -Vector3::z() * *half_length);
                visit(1, Vector3::z() * *half_length);
            }
            Self::Box { half, .. } => {
                for corner in 0..8 {
                    visit(corner, box_corner(half, corner));
                }
            }
            Self::Cylinder {
                half_length,
                radius,
                ..
            } => {
                for k in 0..RIM_POINTS {
                    visit(k, rim_point(*radius, -half_length, k));
                    visit(k + RIM_POINTS, rim_point(*radius, *half_length, k));
                }
            }
            Self::Cone {
                half_length,
                radius,
                ..
            } => {
                for k in 0..RIM_POINTS {
                    visit(k, rim_point(*radius, -half_length, k));
                }
                visit(RIM_POINTS, Vector3::z() * *half_length);
            }
            Self::Ellipsoid { .. } => {}
            Self::Hull(hull) => {
                for (i, v) in hull.vertices().iter().enumerate() {
                    visit(i as u32, v.coords);
                }
            }
        }
    }
}

fn rim_point(radius: f64, z: f64, k: u32) -> Vector3<f64> {
    let angle = f64::from(k) * std::f64::consts::TAU / f64::from(RIM_POINTS);
    Vector3::new(radius * angle.cos(), radius * angle.sin(), z)
}

fn rim(radius: f64, z: f64, first_id: u32, out: &mut Feature) {
    for k in 0..RIM_POINTS {
        out.push(rim_point(radius, z, k), first_id + k);
    }
}

/// Corner by its sign bits: bit i set is the + side of axis i.
fn box_corner(half: &Vector3<f64>, bits: u32) -> Vector3<f64> {
    Vector3::from_fn(|i, _| {
        if bits >> i & 1 == 1 {
            half[i]
        } else {
            -half[i]
        }
    })
}

fn box_feature(half: &Vector3<f64>, d: &Vector3<f64>, out: &mut Feature) {
    let towards = (0..3).fold(0, |bits, i| bits | u32::from(d[i] > 0.0) << i);
    let face = d.iamax();
    let edge = d.iamin();
    if d[face].abs() > FACE_COS {
        let (u, v) = ((face + 1) % 3, (face + 2) % 3);
        let base = towards & (1 << face);
        for bits in [0, 1 << u, 1 << u | 1 << v, 1 << v] {
            out.push(box_corner(half, base | bits), base | bits);
        }
        let mut normal = Vector3::zeros();
        normal[face] = 1.0_f64.copysign(d[face]);
        out.set_normal(normal);
    } else if d[edge].abs() < EDGE_SIN {
        let base = towards & !(1 << edge);
        out.push(box_corner(half, base), base);
        out.push(box_corner(half, base | 1 << edge), base | 1 << edge);
    } else {
        out.push(box_corner(half, towards), towards);
    }
}

impl Sdf for Convex {
    fn sample(&self, p: &Point3<f64>) -> SdfSample {
        let s = self.core.signed_distance(p);
        SdfSample {
            value: s.value - self.radius,
            ..s
        }
    }

    fn bounds(&self) -> Aabb {
        let reach = |axis: usize, sign: f64| {
            let mut d = Vector3::zeros();
            d[axis] = sign;
            self.core.support(&d)[axis] + sign * self.radius
        };
        Aabb {
            min: Point3::from(Vector3::from_fn(|i, _| reach(i, -1.0))),
            max: Point3::from(Vector3::from_fn(|i, _| reach(i, 1.0))),
        }
    }

    fn feature_size(&self) -> f64 {
        // φ of a convex solid is convex: one descent finds the minimum on any triangle
        f64::INFINITY
    }

    fn change(&self, motion: &Isometry3<f64>, region: &Aabb, reach: f64) -> f64 {
        let reach = reach + self.radius;
        match &self.core {
            Core::Point => way_of_center(motion).min(longest_way(motion, region)),
            Core::Segment { .. } => way_but_turning(motion, region),
            Core::Cylinder { sdf, .. } => sdf.change(motion, region, reach),
            Core::Cone { sdf, .. } => sdf.change(motion, region, reach),
            Core::Ellipsoid { sdf, .. } => sdf.change(motion, region, reach),
            Core::Box { .. } | Core::Hull(_) => longest_way(motion, region),
        }
    }
}
