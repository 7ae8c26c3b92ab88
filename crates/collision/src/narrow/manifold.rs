//! From an axis to contact points: the features of both shapes that face each other are cut against
//! each other in the plane across the axis.

use nalgebra::{Isometry3, Point3, Vector2, Vector3};

use super::separation::Separation;
use crate::contact::{ShapeContact, any_orthogonal, mix};
use crate::shape::{Convex, Feature};

/// Feature names of contacts that come from no corner.
const WITNESS: u64 = 0x7717_e550;

/// Buffers for two features.
#[derive(Default)]
pub(crate) struct ManifoldScratch {
    pub(crate) a: Feature,
    pub(crate) b: Feature,
}

/// The plane across the axis: features as polygons in it with heights along the axis.
struct Flat {
    points: [Vector2<f64>; crate::shape::MAX_CORNERS],
    heights: [f64; crate::shape::MAX_CORNERS],
    ids: [u32; crate::shape::MAX_CORNERS],
    n: usize,
    /// Height as a function of the plane's coordinates, for polygons: h = c + g·x.
    plane: Option<(f64, Vector2<f64>)>,
}

impl Flat {
    fn new(f: &Feature, n: &Vector3<f64>, u: &Vector3<f64>, v: &Vector3<f64>) -> Self {
        let mut flat = Self {
            points: [Vector2::zeros(); crate::shape::MAX_CORNERS],
            heights: [0.0; crate::shape::MAX_CORNERS],
            ids: f.ids,
            n: f.n,
            plane: None,
        };
        for i in 0..f.n {
            let p = f.points[i];
            flat.points[i] = Vector2::new(p.dot(u), p.dot(v));
            flat.heights[i] = p.dot(n);
        }
        if let Some(m) = f.normal {
            // m·(x − x₀) = 0 solved for the height along n
            let slope = Vector2::new(-m.dot(u), -m.dot(v)) / m.dot(n);
            flat.plane = Some((flat.heights[0] - slope.dot(&flat.points[0]), slope));
        }
        if flat.n > 2 && flat.signed_area() < 0.0 {
            // counter-clockwise from here on
            flat.points[..flat.n].reverse();
            flat.heights[..flat.n].reverse();
            flat.ids[..flat.n].reverse();
        }
        flat
    }

    fn signed_area(&self) -> f64 {
        (0..self.n)
            .map(|i| self.points[i].perp(&self.points[(i + 1) % self.n]))
            .sum()
    }

    /// Height of the feature at a point of the plane.
    fn height(&self, x: &Vector2<f64>) -> f64 {
        match (self.plane, self.n) {
            (Some((c, slope)), _) => c + slope.dot(x),
            (None, 2) => {
                let e = self.points[1] - self.points[0];
                let t = if e.norm_squared() > 0.0 {
                    ((x - self.points[0]).dot(&e) / e.norm_squared()).clamp(0.0, 1.0)
                } else {
                    0.0
                };
                self.heights[0] + t * (self.heights[1] - self.heights[0])
            }
            _ => self.heights[0],
        }
    }

    /// Largest distance outside any edge; negative inside. Polygons only.
    fn outside(&self, x: &Vector2<f64>) -> f64 {
        (0..self.n)
            .map(|i| {
                let (p, q) = (self.points[i], self.points[(i + 1) % self.n]);
                let e = q - p;
                -e.perp(&(x - p)) / e.norm().max(1e-300)
            })
            .fold(f64::NEG_INFINITY, f64::max)
    }

    fn size(&self) -> f64 {
        (0..self.n)
            .map(|i| (self.points[i] - self.points[0]).norm())
            .fold(0.0, f64::max)
    }
}

/// Appends the manifold of two convex shapes whose cores are separated along `axis`.
pub(super) fn build(
    a: &Convex,
    b: &Convex,
    pose_ab: &Isometry3<f64>,
    axis: &Separation,
    margin: f64,
    scratch: &mut ManifoldScratch,
    out: &mut Vec<ShapeContact>,
) {
    let n = axis.normal;
    let (fa, fb) = (&mut scratch.a, &mut scratch.b);
    a.core.feature(&n, fa);
    b.core.feature(&(pose_ab.rotation.inverse() * -n), fb);
    fb.transform(pose_ab);
    let u = any_orthogonal(&n);
    let v = n.cross(&u);
    let (flat_a, flat_b) = (Flat::new(fa, &n, &u, &v), Flat::new(fb, &n, &u, &v));
    let radii = a.radius + b.radius;
    let start = out.len();
    let mut emit = |feature: u64, x: &Vector2<f64>| {
        let height = flat_a.height(x);
        let gap = flat_b.height(x) - height - radii;
        if gap <= margin {
            let on_a = u * x.x + v * x.y + n * (height + a.radius);
            out.push(ShapeContact {
                feature,
                point: Point3::from(on_a + n * (0.5 * gap)),
                normal: n,
                gap,
            });
        }
    };
    clip(&flat_a, &flat_b, &mut emit);

    // the touching point itself, if cutting did not already produce one as close
    let gap = axis.gap - radii;
    let closest = out[start..]
        .iter()
        .map(|c| c.gap)
        .fold(f64::INFINITY, f64::min);
    let size = flat_a.size().max(flat_b.size()).max(1e-9);
    if closest > gap + 1e-9 * size && gap <= margin {
        let x = witness(&flat_a, &flat_b);
        let height = match (fa.n, fb.n) {
            (1, _) => flat_a.heights[0],
            (_, 1) => flat_b.heights[0] - axis.gap,
            _ => flat_a.height(&x),
        };
        let on_a = u * x.x + v * x.y + n * (height + a.radius);
        out.push(ShapeContact {
            feature: WITNESS,
            point: Point3::from(on_a + n * (0.5 * gap)),
            normal: n,
            gap,
        });
    }
}

/// Where the two features are closest in the plane.
fn witness(a: &Flat, b: &Flat) -> Vector2<f64> {
    if a.n == 1 {
        return a.points[0];
    }
    if b.n == 1 {
        return b.points[0];
    }
    if a.n == 2 && b.n == 2 {
        let (p, q) = (a.points[0], b.points[0]);
        let (d, e) = (a.points[1] - p, b.points[1] - q);
        let cross = d.perp(&e);
        if cross.abs() > 1e-12 * d.norm() * e.norm() {
            let t = ((q - p).perp(&e) / cross).clamp(0.0, 1.0);
            return p + d * t;
        }
    }
    // faces that do not overlap: the corner of one nearest to the middle of the other
    let middle = |f: &Flat| f.points[..f.n].iter().sum::<Vector2<f64>>() / f.n as f64;
    let towards = (middle(a) + middle(b)) * 0.5;
    let nearest = |f: &Flat| {
        f.points[..f.n]
            .iter()
            .copied()
            .min_by(|p, q| (p - towards).norm().total_cmp(&(q - towards).norm()))
            .unwrap_or(towards)
    };
    (nearest(a) + nearest(b)) * 0.5
}

/// Corners of the common part of two features, each with a name made of the features it comes from.
fn clip(a: &Flat, b: &Flat, emit: &mut impl FnMut(u64, &Vector2<f64>)) {
    // Points this close to an edge count as inside, so that equal faces give their corners.
    let slack = 1e-9 * a.size().max(b.size());
    match (a.n, b.n) {
        (0 | 1, _) | (_, 0 | 1) => {}
        (2, 2) => clip_segments(a, b, emit),
        (2, _) => clip_segment_to_polygon(a, b, slack, 1, emit),
        (_, 2) => clip_segment_to_polygon(b, a, slack, 2, emit),
        _ => {
            let id = |flat: &Flat, i: usize| u64::from(flat.ids[i % flat.n]);
            for i in 0..a.n {
                if b.outside(&a.points[i]) <= slack {
                    emit(mix(id(a, i), 1), &a.points[i]);
                }
            }
            for j in 0..b.n {
                // corners of both that coincide were emitted above
                let is_new = |i: usize| (a.points[i] - b.points[j]).norm() > 2.0 * slack;
                if a.outside(&b.points[j]) <= slack && (0..a.n).all(is_new) {
                    emit(mix(id(b, j), 2), &b.points[j]);
                }
            }
            for i in 0..a.n {
                for j in 0..b.n {
                    if let Some(x) = crossing(a, i, b, j, slack) {
                        // an edge is the same whichever way it is walked
                        let edge = |f: &Flat, k: usize| {
                            let (p, q) = (id(f, k), id(f, k + 1));
                            mix(p.min(q), p.max(q))
                        };
                        emit(mix(edge(a, i), edge(b, j)), &x);
                    }
                }
            }
        }
    }
}

/// Proper crossing of edge i of `a` with edge j of `b`.
fn crossing(a: &Flat, i: usize, b: &Flat, j: usize, slack: f64) -> Option<Vector2<f64>> {
    let (p, p2) = (a.points[i], a.points[(i + 1) % a.n]);
    let (q, q2) = (b.points[j], b.points[(j + 1) % b.n]);
    let (d, e) = (p2 - p, q2 - q);
    let cross = d.perp(&e);
    if cross.abs() <= 1e-9 * d.norm() * e.norm() {
        return None;
    }
    let t = (q - p).perp(&e) / cross;
    let s = (q - p).perp(&d) / cross;
    let (end_t, end_s) = (slack / d.norm(), slack / e.norm());
    let inside = |x: f64, end: f64| x > end && x < 1.0 - end;
    (inside(t, end_t) && inside(s, end_s)).then(|| p + d * t)
}

/// Overlap of two nearly parallel edges: its two ends.
fn clip_segments(a: &Flat, b: &Flat, emit: &mut impl FnMut(u64, &Vector2<f64>)) {
    let d = a.points[1] - a.points[0];
    let e = b.points[1] - b.points[0];
    let length = d.norm();
    if length == 0.0 || d.perp(&e).abs() > 0.05 * length * e.norm() {
        return;
    }
    let d = d / length;
    let at = |p: &Vector2<f64>| (p - a.points[0]).dot(&d);
    let (s, t) = (at(&b.points[0]), at(&b.points[1]));
    let (low, high) = (s.min(t).max(0.0), s.max(t).min(length));
    if high > low {
        emit(mix(1, WITNESS), &(a.points[0] + d * low));
        emit(mix(2, WITNESS), &(a.points[0] + d * high));
    }
}

/// Part of a segment inside a polygon: its two ends, named after the segment's ends.
fn clip_segment_to_polygon(
    segment: &Flat,
    polygon: &Flat,
    slack: f64,
    side: u64,
    emit: &mut impl FnMut(u64, &Vector2<f64>),
) {
    let (p, d) = (segment.points[0], segment.points[1] - segment.points[0]);
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for i in 0..polygon.n {
        let (c, c2) = (polygon.points[i], polygon.points[(i + 1) % polygon.n]);
        let e = (c2 - c) / (c2 - c).norm().max(1e-300);
        // inside is to the left of the edge
        let (start, rate) = (e.perp(&(p - c)) + slack, e.perp(&d));
        if rate.abs() < 1e-300 {
            if start < 0.0 {
                return;
            }
        } else if rate > 0.0 {
            low = low.max(-start / rate);
        } else {
            high = high.min(-start / rate);
        }
    }
    if low <= high {
        emit(mix(u64::from(segment.ids[0]), side + 2), &(p + d * low));
        if high - low > 1e-9 {
            emit(mix(u64::from(segment.ids[1]), side + 2), &(p + d * high));
        }
    }
}
