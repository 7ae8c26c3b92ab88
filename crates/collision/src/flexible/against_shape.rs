//! Points, chains and surfaces against a rigid shape.

use nalgebra::{Isometry3, Point3};

use super::feet::{groove_size, other_feet};
use super::minima::minima_inside;
use super::{FlexibleContact, FlexibleSide, RigidSide};
use crate::aabb::Aabb;
use crate::collider::{ColliderSet, Geometry};
use crate::contact::mix;
use crate::sdf::SdfSample;
use crate::shape::{Form, Shape};
use crate::support::Support;

/// Marks features that are vertices of the rigid shape.
const VERTEX_OF_SHAPE: u64 = 0x5bae;
/// Marks features on another side of a groove than the nearest.
const OTHER_SIDE: u64 = 0x0f00;
/// Marks features in the middle of a link that is longer than a groove is wide.
const MIDDLE: u64 = 0x4a1f;

/// Contacts of a flexible collider with a rigid one, normals from the rigid one: every vertex with
/// its ball, the minima inside the links of a chain, the vertices of the shape inside a surface.
/// `near` is a buffer.
pub(crate) fn against_shape(
    rigid: &RigidSide<'_>,
    side: &FlexibleSide<'_>,
    colliders: &ColliderSet,
    margin: f64,
    near: &mut Vec<u32>,
    out: &mut Vec<FlexibleContact>,
) {
    let pair = Pair {
        rigid,
        side,
        colliders,
        margin,
        reach: rigid.shape.bounds().grown(side.radius() + margin),
        groove: groove_size(rigid.shape),
    };
    pair.vertices(out);
    if let Geometry::Chain { .. } = side.geometry {
        for link in 0..side.n_elements() {
            pair.inside_link(link, out);
        }
    }
    if let (Geometry::Surface { depth, .. }, Some(_)) = (side.geometry, side.tree) {
        pair.vertices_of_shape(rigid.shape, &rigid.pose, 0, *depth, near, out);
    }
}

struct Pair<'a> {
    rigid: &'a RigidSide<'a>,
    side: &'a FlexibleSide<'a>,
    colliders: &'a ColliderSet,
    margin: f64,
    /// Box of the shape's frame outside of which nothing touches.
    reach: Aabb,
    /// How wide grooves of the shape are, where it may have some, m.
    groove: Option<f64>,
}

impl Pair<'_> {
    fn local(&self, vertex: usize) -> Point3<f64> {
        let pose = &self.rigid.pose;
        pose.inverse_transform_point(&self.side.vertices[vertex])
    }

    /// Whether a vertex of a chain belongs to a frame that must not touch the shape's.
    fn is_excluded(&self, vertex: usize) -> bool {
        let (rigid, collider) = (self.rigid, self.side.collider);
        self.side.frame(vertex).is_some_and(|frame| {
            let frames = ((collider, frame), (rigid.collider, rigid.frame));
            !self.colliders.frames_may_touch(frames.0, frames.1)
        })
    }

    fn vertices(&self, out: &mut Vec<FlexibleContact>) {
        for vertex in 0..self.side.vertices.len() {
            let local = self.local(vertex);
            if self.reach.distance(&local) > 0.0 || self.is_excluded(vertex) {
                continue;
            }
            let support = self.side.support(vertex);
            self.ball(vertex as u64, &local, support, out);
        }
    }

    /// Contacts of the ball around a point of the shape's frame: where it is nearest, and on other sides of
    /// grooves.
    fn ball(
        &self,
        feature: u64,
        local: &Point3<f64>,
        support: Support,
        out: &mut Vec<FlexibleContact>,
    ) {
        let reach = self.side.radius() + self.margin;
        let Some(sample) = self.rigid.shape.signed_distance(local) else {
            return;
        };
        if sample.value > reach {
            return;
        }
        let center = self.rigid.pose * local;
        out.push(self.contact(feature, center, &sample, support));
        if let Some(groove) = self.groove {
            let (shape, from) = (self.rigid.shape, (local, &sample));
            other_feet(shape, from, (groove, reach), |number, sample| {
                let feature = mix(mix(1 + feature, number), OTHER_SIDE);
                out.push(self.contact(feature, center, sample, support));
            });
        }
    }

    /// Minima of the distance inside a link; those at its ends are its vertices' business.
    fn inside_link(&self, link: usize, out: &mut Vec<FlexibleContact>) {
        let (p, q) = (self.local(link), self.local(link + 1));
        if !self.reach.overlaps(&Aabb::from_points([&p, &q]))
            || self.is_excluded(link)
            || self.is_excluded(link + 1)
        {
            return;
        }
        let d = q - p;
        let sample = |t: f64| self.rigid.shape.signed_distance(&(p + d * t));
        let mut slope = |t: f64| sample(t).map_or(0.0, |s| s.gradient.dot(&d));
        minima_inside(&mut slope, |t, number| {
            let support = self.side.support_along(link, t);
            let feature = mix(1 + link as u64, number);
            self.ball(feature, &(p + d * t), support, out);
        });
        // What a link that moves will meet with its middle, it may see nowhere else.
        if self.groove.is_some_and(|groove| d.norm() > groove) {
            let support = self.side.support_along(link, 0.5);
            self.ball(mix(1 + link as u64, MIDDLE), &(p + d * 0.5), support, out);
        }
    }

    /// Contact of the ball around `center`, from its distance sample in the shape's frame.
    fn contact(
        &self,
        feature: u64,
        center: Point3<f64>,
        sample: &SdfSample,
        support: Support,
    ) -> FlexibleContact {
        let radius = self.side.radius();
        let normal = self.rigid.pose.rotation * sample.gradient;
        let gap = sample.value - radius;
        FlexibleContact {
            feature,
            on: [Support::Frame(self.rigid.frame), support],
            point: center - normal * (radius + 0.5 * gap),
            normal,
            gap,
        }
    }

    /// Vertices of the shape's mesh (of its parts' meshes) against the surface.
    fn vertices_of_shape(
        &self,
        shape: &Shape,
        pose: &Isometry3<f64>,
        path: u64,
        depth: f64,
        near: &mut Vec<u32>,
        out: &mut Vec<FlexibleContact>,
    ) {
        if let Form::Compound(parts) = shape.form() {
            for (i, (offset, part)) in parts.iter().enumerate() {
                let (pose, path) = (pose * offset, mix(path, 1 + i as u64));
                self.vertices_of_shape(part, &pose, path, depth, near, out);
            }
            return;
        }
        let (Some(mesh), Some(tree)) = (shape.surface(), self.side.tree) else {
            // without a mesh, as a half-space is, it has no vertices either
            return;
        };
        let reach = tree.bounds().grown(self.margin);
        for (i, vertex) in mesh.vertices().iter().enumerate() {
            let p = pose * vertex;
            if reach.distance(&p) > 0.0 {
                continue;
            }
            let Some(hit) = tree.closest(self.side, &p, depth.max(self.margin), near) else {
                continue;
            };
            if hit.gap <= self.margin {
                out.push(FlexibleContact {
                    feature: mix(mix(path, i as u64), VERTEX_OF_SHAPE),
                    on: [Support::Frame(self.rigid.frame), hit.support],
                    point: nalgebra::center(&p, &hit.point),
                    normal: -hit.outward,
                    gap: hit.gap,
                });
            }
        }
    }
}
