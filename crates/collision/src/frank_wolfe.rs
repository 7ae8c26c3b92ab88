//! The point of a triangle deepest in a solid: min φ over the triangle by Frank–Wolfe
//! (Macklin et al. 2020, "Local optimization for robust signed distance field collision").
//!
//! Over the barycentric simplex the linear subproblem of Frank–Wolfe is solved by a vertex, the one
//! with the smallest ∇φ·v. Two additions make it converge fast and to the last digits:
//! *pairwise* steps move weight from the worst active vertex to the best one, which removes the
//! zigzag; and where φ has a convex crease (inside a box) and the gradients disagree, a few
//! centre-of-gravity cuts finish what Frank–Wolfe cannot. The duality gap ∇φ·(x − s) bounds the
//! error wherever φ is convex on the triangle.

use nalgebra::{Point3, Vector3};

use crate::sdf::{Sdf, SdfSample};

/// Result of a search over one triangle.
#[derive(Debug, Clone, Copy)]
pub struct FaceMinimum {
    /// Barycentric weights of the minimiser.
    pub weights: [f64; 3],
    /// The minimiser.
    pub point: Point3<f64>,
    /// φ and ∇φ there.
    pub sample: SdfSample,
}

/// How hard a face is searched for minima beyond the first one found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SearchEffort {
    /// One descent from the lowest of centre and corners, faces never split: right for convex
    /// distances, and wherever faces are small compared with what they touch. A face across a
    /// re-entrant corner may report the lesser of two minima; its neighbours usually report the other.
    Local,
    /// As `Local`, but faces of plain meshes larger than the solid's smallest feature are split first.
    /// Meshes made from a signed distance are taken at the resolution they were made with.
    #[default]
    Standard,
    /// Large faces are split, and faces with disagreeing gradients searched by parts: the minimum on
    /// a triangle up to the smallest feature is found to 1 µm. On threads it costs about a hundred
    /// times more than `Standard`.
    Thorough,
}

/// Limits of the search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrankWolfeSettings {
    /// Search for several minima or for one.
    pub effort: SearchEffort,
    /// Stop when φ can be lowered by less than this (m) as far as the gradient tells.
    pub tolerance: f64,
    /// Frank–Wolfe steps per start.
    pub max_iterations: usize,
}

impl Default for FrankWolfeSettings {
    fn default() -> Self {
        // A tenth of a micrometre: far below any clearance, far above rounding of a metre-sized part.
        Self {
            effort: SearchEffort::Standard,
            tolerance: 1e-7,
            max_iterations: 24,
        }
    }
}

/// A triangle by its corners.
pub(crate) type Triangle = [Point3<f64>; 3];

fn blend(triangle: &Triangle, w: &[f64; 3]) -> Point3<f64> {
    Point3::from(triangle[0].coords * w[0] + triangle[1].coords * w[1] + triangle[2].coords * w[2])
}

/// Minimum of φ over `triangle`, or the local minimum `warm_start` leads to if that is given.
///
/// Where the gradients at the corners and the centre agree, φ has one minimum on the triangle and one
/// descent from the lowest of the four finds it. Where they do not, there may be several, and the
/// quarters of the triangle that could hold a lower value are searched in turn. Reliable on triangles
/// up to [`Sdf::feature_size`]; see [`minimize_on_face_splitting`] for larger ones.
pub fn minimize_on_face(
    sdf: &dyn Sdf,
    triangle: &[Point3<f64>; 3],
    warm_start: Option<[f64; 3]>,
    settings: &FrankWolfeSettings,
) -> FaceMinimum {
    if let Some(weights) = warm_start {
        return descend(sdf, triangle, at(sdf, triangle, weights), settings);
    }
    let samples = WHOLE.map(|w| at(sdf, triangle, w));
    let mut best = at(sdf, triangle, [1.0 / 3.0; 3]);
    let center = best;
    // the centre is preferred, so that rounding does not decide where nothing differs
    let clearly = 0.1 * settings.tolerance;
    for s in samples {
        if s.sample.value < best.sample.value - clearly {
            best = s;
        }
    }
    best = descend(sdf, triangle, best, settings);
    if settings.effort == SearchEffort::Thorough && !agree(&samples, &center) {
        search_quarters(sdf, triangle, &WHOLE, settings, &mut best, 0);
    }
    best
}

const WHOLE: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Gradients within about 37° of the centre's count as one slope.
const AGREE: f64 = 0.8;

/// Times a triangle with disagreeing gradients is quartered.
const QUARTERINGS: usize = 3;

fn agree(corners: &[FaceMinimum; 3], center: &FaceMinimum) -> bool {
    let g = center.sample.gradient;
    let norm = g.norm();
    corners.iter().all(|c| {
        let h = c.sample.gradient;
        g.dot(&h) > AGREE * norm * h.norm()
    })
}

/// Splits a triangle of weights at the middles of its edges.
fn quarters(corners: &[[f64; 3]; 3]) -> [[[f64; 3]; 3]; 4] {
    let [a, b, c] = *corners;
    let mid = |p: [f64; 3], q: [f64; 3]| [0, 1, 2].map(|i| 0.5 * (p[i] + q[i]));
    let (ab, bc, ca) = (mid(a, b), mid(b, c), mid(c, a));
    [[ab, bc, ca], [a, ab, ca], [ab, b, bc], [ca, bc, c]]
}

/// Descends from the centres of quarters whose Lipschitz bound allows a lower value, and quarters
/// those again whose gradients still disagree.
fn search_quarters(
    sdf: &dyn Sdf,
    triangle: &Triangle,
    corners: &[[f64; 3]; 3],
    settings: &FrankWolfeSettings,
    best: &mut FaceMinimum,
    depth: usize,
) {
    for quarter in quarters(corners) {
        let middle = [0, 1, 2].map(|i| (quarter[0][i] + quarter[1][i] + quarter[2][i]) / 3.0);
        let center = at(sdf, triangle, middle);
        let points = quarter.map(|w| blend(triangle, &w));
        let radius = points
            .iter()
            .map(|p| (p - center.point).norm())
            .fold(0.0, f64::max);
        let bound = center.sample.value - sdf.lipschitz() * radius;
        if bound > best.sample.value - settings.tolerance {
            continue;
        }
        let found = descend(sdf, triangle, center, settings);
        if found.sample.value < best.sample.value {
            *best = found;
        }
        if depth + 1 < QUARTERINGS {
            let samples = quarter.map(|w| at(sdf, triangle, w));
            if !agree(&samples, &center) {
                search_quarters(sdf, triangle, &quarter, settings, best, depth + 1);
            }
        }
    }
}

/// Like [`minimize_on_face`], but a triangle larger than the solid's smallest feature is split into
/// four until it is not, and parts that the Lipschitz bound shows to be above the best value found
/// so far, or above `ceiling` (m), are skipped.
pub fn minimize_on_face_splitting(
    sdf: &dyn Sdf,
    triangle: &[Point3<f64>; 3],
    ceiling: f64,
    settings: &FrankWolfeSettings,
) -> Option<FaceMinimum> {
    let mut best = None;
    split_search(sdf, triangle, &WHOLE, ceiling, settings, &mut best, 0);
    best
}

/// 4¹⁰ pieces of a face are more than any mesh should need.
const MAX_SPLITS: usize = 10;

fn split_search(
    sdf: &dyn Sdf,
    triangle: &Triangle,
    corners: &[[f64; 3]; 3],
    ceiling: f64,
    settings: &FrankWolfeSettings,
    best: &mut Option<FaceMinimum>,
    depth: usize,
) {
    let part = corners.map(|w| blend(triangle, &w));
    let center = nalgebra::center(&nalgebra::center(&part[0], &part[1]), &part[2]);
    let radius = part.iter().map(|v| (v - center).norm()).fold(0.0, f64::max);
    let limit = best.map_or(ceiling, |b| b.sample.value.min(ceiling));
    if sdf.value(&center) - sdf.lipschitz() * radius > limit {
        return;
    }
    if longest_edge(&part) > sdf.feature_size() && depth < MAX_SPLITS {
        for piece in quarters(corners) {
            split_search(sdf, triangle, &piece, ceiling, settings, best, depth + 1);
        }
        return;
    }
    let found = minimize_on_face(sdf, &part, None, settings);
    if best.is_none_or(|b| found.sample.value < b.sample.value) {
        let w = found.weights;
        let weights =
            [0, 1, 2].map(|i| w[0] * corners[0][i] + w[1] * corners[1][i] + w[2] * corners[2][i]);
        *best = Some(FaceMinimum { weights, ..found });
    }
}

pub(crate) fn longest_edge(triangle: &Triangle) -> f64 {
    let [a, b, c] = triangle;
    (b - a).norm().max((c - b).norm()).max((a - c).norm())
}

fn at(sdf: &dyn Sdf, triangle: &Triangle, weights: [f64; 3]) -> FaceMinimum {
    let point = blend(triangle, &weights);
    FaceMinimum {
        weights,
        point,
        sample: sdf.sample(&point),
    }
}

/// Pairwise Frank–Wolfe from one start.
fn descend(
    sdf: &dyn Sdf,
    triangle: &Triangle,
    start: FaceMinimum,
    settings: &FrankWolfeSettings,
) -> FaceMinimum {
    let mut x = start;
    for _ in 0..settings.max_iterations {
        // linear subproblem: slope of φ towards each corner
        let slope = triangle.map(|v| x.sample.gradient.dot(&(v - x.point)));
        let best = argmin(slope);
        if -slope[best] <= settings.tolerance {
            return x;
        }
        // pairwise direction: weight goes from the worst corner in use to the best corner
        let worst = (0..3)
            .filter(|&i| i != best && x.weights[i] > 0.0)
            .max_by(|&i, &j| slope[i].total_cmp(&slope[j]));
        let Some(worst) = worst else {
            return x;
        };
        let pairwise = slope[worst] - slope[best] >= -2.0 * slope[best];
        let (direction, most, weights_at): (Vector3<f64>, f64, _) = if pairwise {
            let d = triangle[best] - triangle[worst];
            let w = x.weights;
            (d, x.weights[worst], step_pairwise(w, best, worst))
        } else {
            (triangle[best] - x.point, 1.0, step_towards(x.weights, best))
        };
        let (step, sample) = line_search(sdf, &x, &direction, most, settings.tolerance);
        if step <= 0.0 || sample.value >= x.sample.value {
            // the gradient promises descent but the line has none: a crease
            return cut(sdf, triangle, x, settings);
        }
        let gained = x.sample.value - sample.value;
        let mut weights = weights_at.at(step);
        if step == most && pairwise {
            weights[worst] = 0.0;
        }
        x = FaceMinimum {
            weights,
            point: x.point + direction * step,
            sample,
        };
        // much less gained than the gradient promised, twice the tolerance away: likely a crease
        if gained < 0.1 * settings.tolerance && -slope[best] > 10.0 * settings.tolerance {
            return cut(sdf, triangle, x, settings);
        }
    }
    cut(sdf, triangle, x, settings)
}

fn argmin(values: [f64; 3]) -> usize {
    let mut best = 0;
    for i in 1..3 {
        if values[i] < values[best] {
            best = i;
        }
    }
    best
}

/// How the weights change along a step.
struct WeightStep {
    from: [f64; 3],
    best: usize,
    worst: Option<usize>,
}

impl WeightStep {
    fn at(&self, step: f64) -> [f64; 3] {
        let mut w = self.from;
        match self.worst {
            Some(worst) => {
                w[self.best] += step;
                w[worst] = (w[worst] - step).max(0.0);
            }
            None => {
                w = w.map(|x| x * (1.0 - step));
                w[self.best] += step;
            }
        }
        w
    }
}

fn step_pairwise(from: [f64; 3], best: usize, worst: usize) -> WeightStep {
    WeightStep {
        from,
        best,
        worst: Some(worst),
    }
}

fn step_towards(from: [f64; 3], best: usize) -> WeightStep {
    WeightStep {
        from,
        best,
        worst: None,
    }
}

/// Minimum of φ(x + t d) over 0 ≤ t ≤ `most`: root of the slope by the Illinois variant of regula
/// falsi, which is what φ convex along the line calls for; where it is not convex the best sample
/// seen is returned, so a step never goes up.
fn line_search(
    sdf: &dyn Sdf,
    x: &FaceMinimum,
    d: &Vector3<f64>,
    most: f64,
    tolerance: f64,
) -> (f64, SdfSample) {
    let sample_at = |t: f64| sdf.sample(&(x.point + d * t));
    let end = sample_at(most);
    let mut best = (most, end);
    let (mut low, mut high) = (0.0, most);
    let (mut slope_low, mut slope_high) = (x.sample.gradient.dot(d), end.gradient.dot(d));
    if slope_high <= 0.0 && end.value < x.sample.value {
        return best;
    }
    let mut last_side = 0;
    for _ in 0..20 {
        let t = if slope_high > 0.0 {
            let t = (low * slope_high - high * slope_low) / (slope_high - slope_low);
            // stay away from the ends so that the bracket shrinks
            t.clamp(low + 1e-3 * (high - low), high - 1e-3 * (high - low))
        } else {
            0.5 * (low + high)
        };
        let s = sample_at(t);
        if s.value < best.1.value {
            best = (t, s);
        }
        let slope = s.gradient.dot(d);
        // what is left to gain on this line
        if slope.abs() * (high - low) < 0.1 * tolerance {
            break;
        }
        if slope < 0.0 {
            (low, slope_low) = (t, slope);
            if last_side == -1 {
                slope_high *= 0.5;
            }
            last_side = -1;
        } else {
            (high, slope_high) = (t, slope);
            if last_side == 1 {
                slope_low *= 0.5;
            }
            last_side = 1;
        }
        if (high - low) * d.norm() < 1e-3 * tolerance {
            break;
        }
    }
    if best.1.value < x.sample.value {
        best
    } else {
        (0.0, x.sample)
    }
}

/// Centre-of-gravity cuts: the minimiser of a convex φ lies on the descending side of any line
/// through the centre of what is left of the triangle, so each cut keeps at most 1 − 1/e of it.
fn cut(
    sdf: &dyn Sdf,
    triangle: &Triangle,
    start: FaceMinimum,
    settings: &FrankWolfeSettings,
) -> FaceMinimum {
    let [a, b, c] = triangle;
    let (u, v) = (b - a, c - a);
    let mut best = start;
    // the region left, as a polygon in (weight of b, weight of c)
    let mut region = Region::new(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    for _ in 0..80 {
        let center = region.centroid();
        let size = region.reach(center, &u, &v);
        if size < 0.1 * settings.tolerance {
            break;
        }
        let weights = [1.0 - center[0] - center[1], center[0], center[1]];
        let x = at(sdf, triangle, weights);
        if x.sample.value < best.sample.value {
            best = x;
        }
        let g = x.sample.gradient;
        let slope = [g.dot(&u), g.dot(&v)];
        if slope == [0.0, 0.0] || !region.keep_below(center, slope) {
            break;
        }
    }
    best
}

/// Small convex polygon in the plane of two weights.
struct Region {
    corners: [[f64; 2]; Self::CAPACITY],
    n: usize,
}

impl Region {
    const CAPACITY: usize = 96;

    fn new(corners: &[[f64; 2]]) -> Self {
        let mut region = Self {
            corners: [[0.0; 2]; Self::CAPACITY],
            n: corners.len(),
        };
        region.corners[..corners.len()].copy_from_slice(corners);
        region
    }

    fn centroid(&self) -> [f64; 2] {
        let o = self.corners[0];
        let (mut area, mut sum) = (0.0, [0.0; 2]);
        for i in 1..self.n - 1 {
            let (p, q) = (self.corners[i], self.corners[i + 1]);
            let (p, q) = ([p[0] - o[0], p[1] - o[1]], [q[0] - o[0], q[1] - o[1]]);
            let twice = p[0] * q[1] - p[1] * q[0];
            area += twice;
            sum[0] += twice * (p[0] + q[0]) / 3.0;
            sum[1] += twice * (p[1] + q[1]) / 3.0;
        }
        if area.abs() > 0.0 {
            [o[0] + sum[0] / area, o[1] + sum[1] / area]
        } else {
            o
        }
    }

    /// Largest distance (m) from `center` to a corner.
    fn reach(&self, center: [f64; 2], u: &Vector3<f64>, v: &Vector3<f64>) -> f64 {
        self.corners[..self.n]
            .iter()
            .map(|p| (u * (p[0] - center[0]) + v * (p[1] - center[1])).norm())
            .fold(0.0, f64::max)
    }

    /// Keeps the part with slope·(p − center) ≤ 0; false if nothing is left to cut.
    fn keep_below(&mut self, center: [f64; 2], slope: [f64; 2]) -> bool {
        let side = |p: [f64; 2]| slope[0] * (p[0] - center[0]) + slope[1] * (p[1] - center[1]);
        let mut kept = [[0.0; 2]; Self::CAPACITY];
        let mut n = 0;
        for i in 0..self.n {
            let (p, q) = (self.corners[i], self.corners[(i + 1) % self.n]);
            let (sp, sq) = (side(p), side(q));
            if sp <= 0.0 && n < Self::CAPACITY {
                kept[n] = p;
                n += 1;
            }
            if (sp < 0.0) != (sq < 0.0) && sp != sq && n < Self::CAPACITY {
                let t = sp / (sp - sq);
                kept[n] = [p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])];
                n += 1;
            }
        }
        if n < 3 {
            return false;
        }
        self.corners = kept;
        self.n = n;
        true
    }
}
