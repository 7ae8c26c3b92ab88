//! The axis of largest separation (or smallest penetration) between two convex cores.
//!
//! For any unit n the separation s(n) = min_B n·b − max_A n·a is a lower bound of the distance, and
//! the largest s is the signed distance itself, negative when penetrating. GJK and EPA (parry) find
//! a good n; the normals of the features met there are then tried as well, and where a surface is
//! curved n is polished by Newton steps on s, whose gradient is simply the tangential part of b − a.

use glamx::{DPose3, DVec3};
use nalgebra::{Isometry3, Matrix2, Vector2, Vector3};
use parry3d_f64::query::epa::EPA;
use parry3d_f64::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};
use parry3d_f64::shape::SupportMap;

use super::boxes;
use crate::contact::any_orthogonal;
use crate::shape::{Convex, Core, Feature};

/// Buffers of GJK and EPA.
#[derive(Default)]
pub(crate) struct SeparationScratch {
    simplex: VoronoiSimplex,
    epa: EPA,
    feature_a: Feature,
    feature_b: Feature,
}

/// Axis from A to B and the signed distance along it, cores only, frame of A.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Separation {
    pub(crate) normal: Vector3<f64>,
    pub(crate) gap: f64,
}

/// A core as parry sees it.
struct Support<'a>(&'a Core);

impl SupportMap for Support<'_> {
    fn local_support_point(&self, dir: DVec3) -> DVec3 {
        let p = self.0.support(&Vector3::new(dir.x, dir.y, dir.z));
        DVec3::new(p.x, p.y, p.z)
    }
}

/// Two cores, B placed in A's frame.
pub(crate) struct Pair<'a> {
    pub(crate) a: &'a Core,
    pub(crate) b: &'a Core,
    pub(crate) pose: &'a Isometry3<f64>,
}

impl Pair<'_> {
    /// Support points of A along n and of B against n.
    pub(crate) fn supports(&self, n: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
        let local = self.pose.rotation.inverse() * -n;
        let b = self.pose.rotation * self.b.support(&local) + self.pose.translation.vector;
        (self.a.support(n), b)
    }

    /// s(n).
    pub(crate) fn along(&self, n: &Vector3<f64>) -> f64 {
        let (a, b) = self.supports(n);
        (b - a).dot(n)
    }

    fn try_axis(&self, n: Vector3<f64>, best: &mut Separation) {
        let gap = self.along(&n);
        if gap > best.gap {
            *best = Separation { normal: n, gap };
        }
    }
}

/// The separation of two convex shapes' cores, or `None` if certainly above `limit` (m).
pub(crate) fn separation(
    a: &Convex,
    b: &Convex,
    pose: &Isometry3<f64>,
    limit: f64,
    scratch: &mut SeparationScratch,
) -> Option<Separation> {
    let pair = Pair {
        a: &a.core,
        b: &b.core,
        pose,
    };
    let mut best = if let (Core::Box { half: a, .. }, Core::Box { half: b, .. }) = (pair.a, pair.b)
    {
        let (best, is_distance) = boxes::separation(a, b, pose, limit)?;
        if is_distance {
            return Some(best);
        }
        best
    } else {
        start(&pair, limit)?
    };
    if !gjk_epa(&pair, limit, scratch, &mut best) {
        return None;
    }
    try_features(&pair, scratch, &mut best);
    if a.is_curved() || b.is_curved() {
        polish(&pair, &mut best);
        try_features(&pair, scratch, &mut best);
    }
    (best.gap <= limit).then_some(best)
}

/// The best of the line of centres and the axes of A; `None` if one of them shows a gap above
/// `limit`.
fn start(pair: &Pair<'_>, limit: f64) -> Option<Separation> {
    let centers = pair.pose.translation.vector;
    let normal = centers.try_normalize(1e-12).unwrap_or_else(Vector3::z);
    let mut best = Separation {
        normal,
        gap: pair.along(&normal),
    };
    for axis in [Vector3::x(), Vector3::y(), Vector3::z()] {
        if best.gap > limit {
            return None;
        }
        pair.try_axis(axis, &mut best);
        pair.try_axis(-axis, &mut best);
    }
    (best.gap <= limit).then_some(best)
}

/// GJK, and EPA if the cores overlap. False if the gap is certainly above `limit`.
fn gjk_epa(
    pair: &Pair<'_>,
    limit: f64,
    scratch: &mut SeparationScratch,
    best: &mut Separation,
) -> bool {
    let pose: DPose3 = (*pair.pose).into();
    let (a, b) = (Support(pair.a), Support(pair.b));
    let dir = DVec3::new(best.normal.x, best.normal.y, best.normal.z);
    scratch
        .simplex
        .reset(CsoPoint::from_shapes(&pose, &a, &b, dir));
    let mut try_both = |v: DVec3| {
        if let Some(n) = Vector3::new(v.x, v.y, v.z).try_normalize(1e-14) {
            pair.try_axis(n, best);
            pair.try_axis(-n, best);
        }
    };
    match gjk::closest_points(&pose, &a, &b, f64::MAX, true, &mut scratch.simplex) {
        GJKResult::ClosestPoints(p, q, dir) => {
            try_both(q - p);
            try_both(dir);
        }
        GJKResult::Intersection => {
            if let Some((p, q, n)) = scratch.epa.closest_points(&pose, &a, &b, &scratch.simplex) {
                try_both(n);
                try_both(q - p);
            }
        }
        GJKResult::Proximity(dir) | GJKResult::NoIntersection(dir) => try_both(dir),
    }
    best.gap <= limit
}

/// Tries the normals of the features met along the current axis, and the axis across their edges.
fn try_features(pair: &Pair<'_>, scratch: &mut SeparationScratch, best: &mut Separation) {
    let (fa, fb) = (&mut scratch.feature_a, &mut scratch.feature_b);
    pair.a.feature(&best.normal, fa);
    pair.b
        .feature(&(pair.pose.rotation.inverse() * -best.normal), fb);
    fb.transform(pair.pose);
    if let Some(n) = fa.normal {
        pair.try_axis(n, best);
    }
    if let Some(n) = fb.normal {
        pair.try_axis(-n, best);
    }
    let edge = |f: &Feature| (f.n == 2).then(|| f.points[1] - f.points[0]);
    let (edge_a, edge_b) = (edge(fa), edge(fb));
    if let (Some(u), Some(v)) = (edge_a, edge_b)
        && let Some(n) = u.normalize().cross(&v.normalize()).try_normalize(1e-9)
    {
        pair.try_axis(n, best);
        pair.try_axis(-n, best);
    }
    // an edge alone: the axis must be across it
    for e in [edge_a, edge_b].into_iter().flatten() {
        let e = e.normalize();
        if let Some(n) = (best.normal - e * e.dot(&best.normal)).try_normalize(1e-9) {
            pair.try_axis(n, best);
        }
    }
}

/// Newton ascent of s over the sphere of axes; stops when s no longer grows.
fn polish(pair: &Pair<'_>, best: &mut Separation) {
    const STEP: f64 = 1e-6;
    for _ in 0..12 {
        let n = best.normal;
        let u = any_orthogonal(&n);
        let v = n.cross(&u);
        // gradient of s in the tangent plane, and its derivative by central differences
        let gradient = |m: &Vector3<f64>| {
            let (a, b) = pair.supports(m);
            let d = b - a;
            Vector2::new(d.dot(&u), d.dot(&v))
        };
        let g = gradient(&n);
        let column = |t: &Vector3<f64>| {
            let forward = (n + t * STEP).normalize();
            let backward = (n - t * STEP).normalize();
            (gradient(&forward) - gradient(&backward)) / (2.0 * STEP)
        };
        let (cu, cv) = (column(&u), column(&v));
        // s along a geodesic also bends with the sphere: −s on the diagonal
        let mut hessian = Matrix2::new(cu.x, cv.x, cu.y, cv.y);
        hessian = (hessian + hessian.transpose()) * 0.5 - Matrix2::identity() * best.gap;
        let Some(step) = hessian.try_inverse().map(|inverse| inverse * -g) else {
            return;
        };
        let mut scale = 1.0;
        let mut moved = false;
        for _ in 0..8 {
            let candidate = (n + (u * step.x + v * step.y) * scale).normalize();
            let gap = pair.along(&candidate);
            if gap > best.gap && step.norm() * scale < 0.5 {
                *best = Separation {
                    normal: candidate,
                    gap,
                };
                moved = true;
                break;
            }
            scale *= 0.25;
        }
        if !moved || step.norm() < 1e-13 {
            return;
        }
    }
}
