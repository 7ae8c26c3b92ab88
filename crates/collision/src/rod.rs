//! Rods: chains of capsules over the nodes of a cable, against shapes and against themselves.

use nalgebra::{Isometry3, Point3, Vector3};

use crate::aabb::Aabb;
use crate::broad_phase::{BroadPhase, Proxy};
use crate::contact::mix;
use crate::error::{CollisionError, Result};
use crate::nodes::{NodeContact, nodes_against_shape};
use crate::shape::Shape;

/// Pieces into which a segment is cut when looking for minima of the distance along it.
const PIECES: usize = 4;

/// Rod (nodes in world, m, one radius) against a shape at `pose`: every node, and every point inside a
/// segment where the distance has a minimum.
pub fn rod_against_shape(
    nodes: &[Point3<f64>],
    radius: f64,
    shape: &Shape,
    pose: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<NodeContact>,
) -> Result<()> {
    nodes_against_shape(nodes, radius, shape, pose, margin, out)?;
    let reach = shape.bounds().grown(radius + margin);
    for i in 0..nodes.len().saturating_sub(1) {
        let (p, q) = (
            pose.inverse_transform_point(&nodes[i]),
            pose.inverse_transform_point(&nodes[i + 1]),
        );
        if reach.is_finite() && !reach.overlaps(&Aabb::from_points([&p, &q])) {
            continue;
        }
        let d = q - p;
        let sample = |t: f64| shape.signed_distance(&(p + d * t));
        let slope = |t: f64| sample(t).map_or(0.0, |s| s.gradient.dot(&d));
        for k in 0..PIECES {
            let (mut low, mut high) = (k as f64 / PIECES as f64, (k + 1) as f64 / PIECES as f64);
            if !(slope(low) < 0.0 && slope(high) > 0.0) {
                continue;
            }
            for _ in 0..50 {
                let t = 0.5 * (low + high);
                if slope(t) < 0.0 {
                    low = t;
                } else {
                    high = t;
                }
            }
            let t = 0.5 * (low + high);
            let Some(s) = sample(t) else {
                continue;
            };
            let gap = s.value - radius;
            if gap <= margin {
                let normal = pose.rotation * s.gradient;
                out.push(NodeContact {
                    feature: mix(i as u64, 1 + k as u64),
                    nodes: [i as u32, i as u32 + 1, i as u32],
                    weights: [1.0 - t, t, 0.0],
                    point: pose * (p + d * t) - normal * (radius + 0.5 * gap),
                    normal,
                    gap,
                });
            }
        }
    }
    Ok(())
}

/// Contact between two segments of one rod.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RodSelfContact {
    /// First segment: between nodes `segments.0` and `segments.0 + 1`; likewise the second.
    pub segments: (u32, u32),
    /// Fractions along the two segments.
    pub fractions: (f64, f64),
    /// Midpoint of the two surface points, world, m.
    pub point: Point3<f64>,
    /// Unit normal from the first to the second segment.
    pub normal: Vector3<f64>,
    /// Signed distance, m.
    pub gap: f64,
}

/// Self-contact of a rod, with buffers and the memory of its broad phase.
#[derive(Debug, Clone)]
pub struct RodSelfCollision {
    broad: BroadPhase,
    proxies: Vec<Proxy>,
}

impl Default for RodSelfCollision {
    fn default() -> Self {
        Self {
            broad: BroadPhase::new(0.1),
            proxies: Vec::new(),
        }
    }
}

impl RodSelfCollision {
    /// Contacts between segments at least `skip` segments apart along the rod (2 or more; neighbours
    /// always touch at their common node).
    pub fn detect(
        &mut self,
        nodes: &[Point3<f64>],
        radius: f64,
        margin: f64,
        skip: usize,
        out: &mut Vec<RodSelfContact>,
    ) -> Result<()> {
        if let Some(i) = nodes.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
            return Err(CollisionError::InvalidParameter {
                element: format!("rod node {i}"),
                field: "position",
                value: f64::NAN,
                reason: "must be finite",
            });
        }
        let skip = skip.max(2);
        self.proxies.clear();
        self.proxies.extend(
            nodes.windows(2).map(|w| {
                Proxy::Box(Aabb::from_points([&w[0], &w[1]]).grown(radius + 0.5 * margin))
            }),
        );
        for &(i, j) in self.broad.update(&self.proxies, |i, j| j - i >= skip) {
            let (a, b) = (i as usize, j as usize);
            let (s, t, p, q) =
                closest_on_segments((&nodes[a], &nodes[a + 1]), (&nodes[b], &nodes[b + 1]));
            let offset = q - p;
            let distance = offset.norm();
            let gap = distance - 2.0 * radius;
            if gap <= margin {
                let normal = if distance > 1e-12 {
                    offset / distance
                } else {
                    // crossing centre lines: across both
                    (nodes[a + 1] - nodes[a])
                        .cross(&(nodes[b + 1] - nodes[b]))
                        .try_normalize(1e-12)
                        .unwrap_or_else(Vector3::z)
                };
                out.push(RodSelfContact {
                    segments: (i, j),
                    fractions: (s, t),
                    point: nalgebra::center(&p, &q),
                    normal,
                    gap,
                });
            }
        }
        Ok(())
    }
}

/// Closest points of two segments with their fractions (Ericson, "Real-Time Collision Detection",
/// §5.1.9).
fn closest_on_segments(
    (p1, q1): (&Point3<f64>, &Point3<f64>),
    (p2, q2): (&Point3<f64>, &Point3<f64>),
) -> (f64, f64, Point3<f64>, Point3<f64>) {
    let (d1, d2, r) = (q1 - p1, q2 - p2, p1 - p2);
    let (a, e, f) = (d1.norm_squared(), d2.norm_squared(), d2.dot(&r));
    let (b, c) = (d1.dot(&d2), d1.dot(&r));
    let ratio = |x: f64, y: f64| {
        if y > 0.0 {
            (x / y).clamp(0.0, 1.0)
        } else {
            0.0
        }
    };
    let denom = a * e - b * b;
    let mut s = if denom > 1e-14 * a * e {
        ratio(b * f - c * e, denom)
    } else {
        0.0
    };
    let mut t = if e > 0.0 { (b * s + f) / e } else { 0.0 };
    if t < 0.0 {
        t = 0.0;
        s = ratio(-c, a);
    } else if t > 1.0 {
        t = 1.0;
        s = ratio(b - c, a);
    }
    (s, t, p1 + d1 * s, p2 + d2 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rod_over_a_cylinder_touches_between_its_nodes() {
        let nodes: Vec<_> = (0..5)
            .map(|i| Point3::new(0.1 + 0.4 * f64::from(i) - 1.0, 0.0, 0.25))
            .collect();
        let drum = Shape::cylinder("drum", 1.0, 0.2).unwrap();
        let pose = Isometry3::rotation(Vector3::x() * std::f64::consts::FRAC_PI_2);
        let mut out = Vec::new();
        rod_against_shape(&nodes, 0.04, &drum, &pose, 0.02, &mut out).unwrap();
        assert_eq!(out.len(), 1, "{out:?}");
        let c = out[0];
        assert!((c.gap - 0.01).abs() < 1e-9 && (c.normal - Vector3::z()).norm() < 1e-9);
        // x = 0 lies a quarter of the way from node 2 (−0.1) to node 3 (0.3)
        assert_eq!((c.nodes[0], c.nodes[1]), (2, 3));
        assert!((c.weights[1] - 0.25).abs() < 1e-9);
    }

    #[test]
    fn loop_touches_itself_where_it_crosses() {
        // a helix of one and a half turns with a low pitch
        let n = 60;
        let nodes: Vec<_> = (0..=n)
            .map(|i| {
                let a = 3.0 * std::f64::consts::PI * f64::from(i) / f64::from(n);
                Point3::new(a.cos(), a.sin(), 0.02 * a)
            })
            .collect();
        let mut rod = RodSelfCollision::default();
        let mut out = Vec::new();
        let apart = 0.02 * std::f64::consts::TAU;
        rod.detect(&nodes, 0.5 * apart, 1e-2, 2, &mut out).unwrap();
        assert!(!out.is_empty());
        let brute = |i: usize, j: usize| {
            let (_, _, p, q) =
                closest_on_segments((&nodes[i], &nodes[i + 1]), (&nodes[j], &nodes[j + 1]));
            (p - q).norm() - apart
        };
        let expected = (0..n as usize)
            .flat_map(|i| (i + 2..n as usize).map(move |j| (i, j)))
            .filter(|&(i, j)| brute(i, j) <= 1e-2)
            .count();
        assert_eq!(out.len(), expected);
        for c in &out {
            assert!(c.normal.z > 0.9 || c.segments.1 - c.segments.0 < 5);
        }
        let mut bad = nodes.clone();
        bad[3].y = f64::INFINITY;
        assert!(rod.detect(&bad, 0.1, 0.0, 2, &mut out).is_err());
    }

    #[test]
    fn crossing_segments_have_a_finite_normal() {
        let nodes = [
            Point3::new(-1.0, 0.0, 0.0),
            Point3::new(1.0, 0.0, 0.0),
            Point3::new(1.0, 1.0, 0.0),
            Point3::new(0.0, 1.0, 0.0),
            Point3::new(0.0, -1.0, 0.0),
        ];
        let mut out = Vec::new();
        RodSelfCollision::default()
            .detect(&nodes, 0.1, 0.0, 2, &mut out)
            .unwrap();
        let crossing = out.iter().find(|c| c.segments == (0, 3)).unwrap();
        assert!((crossing.gap + 0.2).abs() < 1e-12);
        assert!((crossing.normal.norm() - 1.0).abs() < 1e-12);
    }
}
