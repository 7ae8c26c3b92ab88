//! Distances of points, segments and triangles.

use nalgebra::Vector3;

/// Corners of a triangle, m.
pub(super) type Triangle = [Vector3<f64>; 3];

/// The part of a triangle that a point is nearest to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Face,
    /// The edge from this corner to the next.
    Edge(usize),
    Corner(usize),
}

/// The point of a triangle that is nearest to `point`, and where on the triangle it lies.
///
/// By the regions that the triangle's corners and edges own: C. Ericson, "Real-Time Collision
/// Detection", 2005, section 5.1.5.
pub(super) fn nearest(point: &Vector3<f64>, [a, b, c]: &Triangle) -> (Vector3<f64>, Part) {
    let (ab, ac) = (b - a, c - a);
    let ap = point - a;
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (*a, Part::Corner(0));
    }
    let bp = point - b;
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    if d3 >= 0.0 && d4 <= d3 {
        return (*b, Part::Corner(1));
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (a + ab * (d1 / (d1 - d3)), Part::Edge(0));
    }
    let cp = point - c;
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    if d6 >= 0.0 && d5 <= d6 {
        return (*c, Part::Corner(2));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (a + ac * (d2 / (d2 - d6)), Part::Edge(2));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let share = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return (b + (c - b) * share, Part::Edge(1));
    }
    let sum = va + vb + vc;
    (a + ab * (vb / sum) + ac * (vc / sum), Part::Face)
}

/// Square of the distance of two segments of positive length.
pub(super) fn segments_squared([a, b]: [&Vector3<f64>; 2], [c, d]: [&Vector3<f64>; 2]) -> f64 {
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, vv, uv) = (u.norm_squared(), v.norm_squared(), u.dot(&v));
    let (uw, vw) = (u.dot(&w), v.dot(&w));
    let det = uu * vv - uv * uv;
    let mut s = if det > 0.0 {
        ((uv * vw - vv * uw) / det).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let t = ((uv * s + vw) / vv).clamp(0.0, 1.0);
    s = ((uv * t - uw) / uu).clamp(0.0, 1.0);
    (w + u * s - v * t).norm_squared()
}

/// Lines less steep than this over a triangle's plane, rad, do not meet it: where would be lost in rounding.
const STEEP: f64 = 1e-10;

/// Where a line from `from` along `along` (m) meets a triangle, as a multiple of `along`.
pub(super) fn ray(from: &Vector3<f64>, along: &Vector3<f64>, [a, b, c]: &Triangle) -> Option<f64> {
    let (ab, ac) = (b - a, c - a);
    let normal = along.cross(&ac);
    let det = ab.dot(&normal);
    if !(det.abs() > STEEP * ab.cross(&ac).norm() * along.norm()) {
        return None;
    }
    let s = from - a;
    let u = s.dot(&normal) / det;
    let q = s.cross(&ab);
    let v = along.dot(&q) / det;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0).then(|| ac.dot(&q) / det)
}

/// Whether a segment and a triangle come as near as `distance`.
pub(super) fn segment_is_near(
    [a, b]: [&Vector3<f64>; 2],
    triangle: &Triangle,
    distance: f64,
) -> bool {
    let limit = distance * distance;
    let pierces = ray(a, &(b - a), triangle).is_some_and(|share| (0.0..=1.0).contains(&share));
    pierces
        || [a, b]
            .iter()
            .any(|end| (nearest(end, triangle).0 - *end).norm_squared() <= limit)
        || (0..3).any(|side| {
            let other = [&triangle[side], &triangle[(side + 1) % 3]];
            segments_squared([a, b], other) <= limit
        })
}
