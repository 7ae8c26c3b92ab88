//! Nodes of deformable bodies against shapes, and vertices of shapes against deformable bodies.

use nalgebra::{Isometry3, Point3, Vector3};

use crate::aabb::Aabb;
use crate::bvh::Bvh;
use crate::error::{CollisionError, Result};
use crate::shape::{Shape, closest_on_triangle};

/// A contact on a deformable body: the touching point is Σ wᵢ xᵢ of up to three of its nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NodeContact {
    /// Stable from step to step within one deformable and one shape.
    pub feature: u64,
    /// Nodes of the deformable; unused ones repeat with weight zero.
    pub nodes: [u32; 3],
    /// Their weights; they sum to 1.
    pub weights: [f64; 3],
    /// Midpoint of the two surface points, world, m.
    pub point: Point3<f64>,
    /// Unit normal from the shape to the deformable, world.
    pub normal: Vector3<f64>,
    /// Signed distance, m.
    pub gap: f64,
}

/// Nodes (world, each a ball of `radius` m, which may be 0) against a shape at `pose`.
pub fn nodes_against_shape(
    nodes: &[Point3<f64>],
    radius: f64,
    shape: &Shape,
    pose: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<NodeContact>,
) -> Result<()> {
    let reach = shape.bounds().grown(radius + margin);
    for (i, node) in nodes.iter().enumerate() {
        let local = pose.inverse_transform_point(node);
        if !local.iter().all(|x| x.is_finite()) {
            return Err(CollisionError::InvalidParameter {
                element: format!("node {i} against {}", shape.name()),
                field: "position",
                value: f64::NAN,
                reason: "must be finite",
            });
        }
        if reach.is_finite() && reach.distance(&local) > 0.0 {
            continue;
        }
        let Some(s) = shape.signed_distance(&local) else {
            return Err(CollisionError::UnsupportedPair {
                shape_a: format!("node {i}"),
                kind_a: "node",
                shape_b: shape.name().to_owned(),
                kind_b: shape.kind(),
            });
        };
        let gap = s.value - radius;
        if gap <= margin {
            let normal = pose.rotation * s.gradient;
            out.push(NodeContact {
                feature: i as u64,
                nodes: [i as u32; 3],
                weights: [1.0, 0.0, 0.0],
                point: node - normal * (radius + 0.5 * gap),
                normal,
                gap,
            });
        }
    }
    Ok(())
}

/// The boundary of a deformable body: closed triangles over its nodes, following their motion.
#[derive(Debug, Clone)]
pub struct DeformableSurface {
    faces: Vec<[u32; 3]>,
    bvh: Bvh,
    nodes: Vec<Point3<f64>>,
    bounds: Aabb,
}

impl DeformableSurface {
    /// Surface of `faces` (outward, counter-clockwise) over `nodes` (world, m).
    pub fn new(name: &str, nodes: &[Point3<f64>], faces: Vec<[u32; 3]>) -> Result<Self> {
        // the rest state must be a proper closed surface; later states may be anything finite
        crate::shape::TriangleMesh::watertight(name, nodes.to_vec(), faces.clone())?;
        let bvh = Bvh::new(nodes, &faces);
        Ok(Self {
            bounds: bvh.bounds(),
            bvh,
            faces,
            nodes: nodes.to_vec(),
        })
    }

    /// Takes new node positions; refuses a wrong number or non-finite ones.
    pub fn update(&mut self, nodes: &[Point3<f64>]) -> Result<()> {
        let wrong = |value: f64, reason: &'static str| CollisionError::InvalidParameter {
            element: "deformable surface".to_owned(),
            field: "nodes",
            value,
            reason,
        };
        if nodes.len() != self.nodes.len() {
            return Err(wrong(nodes.len() as f64, "changed in number"));
        }
        if !nodes.iter().all(|p| p.iter().all(|x| x.is_finite())) {
            return Err(wrong(f64::NAN, "must be finite"));
        }
        self.nodes.copy_from_slice(nodes);
        self.bvh.refit(&self.nodes, &self.faces);
        self.bounds = self.bvh.bounds();
        Ok(())
    }

    fn triangle(&self, face: usize) -> [Point3<f64>; 3] {
        self.faces[face].map(|v| self.nodes[v as usize])
    }

    /// Surface vertices of a rigid shape at `pose` against this body's volume, down to `depth` m
    /// inside it: a vertex deeper than that is not reported.
    pub fn against_shape(
        &self,
        shape: &Shape,
        pose: &Isometry3<f64>,
        margin: f64,
        depth: f64,
        out: &mut Vec<NodeContact>,
    ) {
        let Some(mesh) = shape.surface() else {
            return;
        };
        let near = self.bounds.grown(margin);
        for (i, v) in mesh.vertices().iter().enumerate() {
            let p = pose * v;
            if near.distance(&p) > 0.0 {
                continue;
            }
            let limit = depth.max(margin);
            let found = self.bvh.closest(&p, limit, |face| {
                let (q, _) = closest_on_triangle(&p, &self.triangle(face));
                (p - q).norm_squared()
            });
            let Some((face, _)) = found else {
                continue;
            };
            let triangle = self.triangle(face);
            let (q, weights) = closest_on_triangle(&p, &triangle);
            let normal_of_face = (triangle[1] - triangle[0]).cross(&(triangle[2] - triangle[0]));
            let Some(outward) = normal_of_face.try_normalize(0.0) else {
                continue;
            };
            let distance = (p - q).norm();
            let sign = if (p - q).dot(&outward) < 0.0 {
                -1.0
            } else {
                1.0
            };
            let gap = sign * distance;
            if gap > margin {
                continue;
            }
            let out_of_body = if distance > 1e-9 {
                (p - q) * (sign / distance)
            } else {
                outward
            };
            out.push(NodeContact {
                feature: i as u64,
                nodes: self.faces[face],
                weights,
                point: nalgebra::center(&p, &q),
                normal: -out_of_body,
                gap,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(size: f64) -> (Vec<Point3<f64>>, Vec<[u32; 3]>) {
        let shape = Shape::cuboid("block", Vector3::repeat(size)).unwrap();
        let mesh = shape.surface().unwrap();
        (mesh.vertices().to_vec(), mesh.faces().to_vec())
    }

    #[test]
    fn nodes_of_a_block_on_a_sphere_and_on_the_ground() {
        let (mut nodes, _) = block(0.5);
        for p in &mut nodes {
            p.z += 0.499;
        }
        let mut out = Vec::new();
        let ground = Shape::half_space("ground");
        nodes_against_shape(&nodes, 0.0, &ground, &Isometry3::identity(), 1e-2, &mut out).unwrap();
        assert_eq!(out.len(), 4);
        for c in &out {
            assert!((c.gap + 1e-3).abs() < 1e-12 && (c.normal - Vector3::z()).norm() < 1e-12);
        }
        out.clear();
        let ball = Shape::sphere("ball", 0.2).unwrap();
        let pose = Isometry3::translation(0.5, 0.5, 1.2);
        nodes_against_shape(&nodes, 0.01, &ball, &pose, 0.1, &mut out).unwrap();
        assert_eq!(out.len(), 1);
        assert!((out[0].gap - (1.2 - 0.999 - 0.2 - 0.01)).abs() < 1e-12);
        assert!((out[0].normal + Vector3::z()).norm() < 1e-12);
        nodes[0].x = f64::NAN;
        assert!(nodes_against_shape(&nodes, 0.0, &ball, &pose, 0.1, &mut out).is_err());
    }

    #[test]
    fn corner_of_a_rigid_box_presses_into_a_moving_block() {
        let (mut nodes, faces) = block(0.5);
        let mut surface = DeformableSurface::new("block", &nodes, faces).unwrap();
        for p in &mut nodes {
            p.z -= 0.1;
        }
        surface.update(&nodes).unwrap();
        let tip = Shape::cuboid("tip", Vector3::repeat(0.1)).unwrap();
        // bottom face of the small box 2 mm below the block's top at z = 0.4
        let pose = Isometry3::translation(0.1, 0.05, 0.498);
        let mut out = Vec::new();
        surface.against_shape(&tip, &pose, 1e-3, 0.05, &mut out);
        assert_eq!(out.len(), 4);
        for c in &out {
            assert!((c.gap + 2e-3).abs() < 1e-12);
            assert!(
                (c.normal + Vector3::z()).norm() < 1e-12,
                "from the shape into the body"
            );
            assert!((c.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let at: Vector3<f64> = (0..3)
                .map(|k| nodes[c.nodes[k] as usize].coords * c.weights[k])
                .sum();
            assert!((at.z - 0.4).abs() < 1e-12);
        }
        assert!(surface.update(&nodes[1..]).is_err());
    }
}
