//! The point of a curved patch deepest in a solid: Frank–Wolfe on the true surface.
//!
//! A patch is the image of its flat face under projection to the surface, X(w). Its tangent at X is
//! orthogonal to the surface normal n, so φ∘X has the slope t·(v − X) towards a corner v, with
//! t = ∇φ − n (n·∇φ). Where two surfaces run side by side, as threads and nested dishes do, t
//! vanishes and nothing remains to be searched, while on the flat face φ would still vary by the
//! height of its chord.

use nalgebra::{Point3, Rotation3, Vector3};

use crate::frank_wolfe::FrankWolfeSettings;
use crate::sdf::{Sdf, SdfSample};
use crate::shape::{Patch, project, same_side};

/// The distance side of a pair seen from the frame of the faces.
pub(super) struct Other<'a> {
    pub(super) sdf: &'a dyn Sdf,
    pub(super) rotation: Rotation3<f64>,
    pub(super) offset: Vector3<f64>,
}

impl Other<'_> {
    pub(super) fn local(&self, p: &Point3<f64>) -> Point3<f64> {
        Point3::from(self.rotation.matrix().tr_mul(&(p.coords - self.offset)))
    }

    /// φ and ∇φ at a point of the faces' frame, in that frame.
    pub(super) fn sample(&self, p: &Point3<f64>) -> SdfSample {
        self.turned(self.sdf.sample(&self.local(p)))
    }

    /// A sample of the solid's frame in that of the faces.
    pub(super) fn turned(&self, s: SdfSample) -> SdfSample {
        SdfSample {
            value: s.value,
            gradient: self.rotation * s.gradient,
        }
    }

    pub(super) fn value(&self, p: &Point3<f64>) -> f64 {
        self.sdf.value(&self.local(p))
    }
}

/// A point of a patch and what φ does there.
#[derive(Debug, Clone, Copy)]
pub(super) struct PatchPoint {
    /// Barycentric weights on the flat face.
    pub(super) weights: [f64; 3],
    /// On the surface, frame of the faces.
    pub(super) point: Point3<f64>,
    /// Unit normal of the surface.
    pub(super) normal: Vector3<f64>,
    /// φ and ∇φ of the other side.
    pub(super) sample: SdfSample,
}

impl PatchPoint {
    /// Part of ∇φ along the surface.
    fn tangential(&self) -> Vector3<f64> {
        let g = self.sample.gradient;
        g - self.normal * self.normal.dot(&g)
    }
}

/// Search of one patch.
pub(super) struct PatchSearch<'a> {
    surface: &'a dyn Sdf,
    other: &'a Other<'a>,
    patch: &'a Patch,
    corners: [PatchPoint; 3],
    middle: PatchPoint,
}

/// Most line searches of one descent: a patch has two dimensions, and what zigzags longer than this
/// does so by less than a micrometre.
const DESCENT_STEPS: usize = 6;

/// Most probes of one line search; two or three are usual.
const LINE_STEPS: usize = 8;

impl<'a> PatchSearch<'a> {
    /// The patch over `triangle`, with φ at its corners and its centre.
    pub(super) fn new(
        surface: &'a dyn Sdf,
        other: &'a Other<'a>,
        patch: &'a Patch,
        triangle: [Point3<f64>; 3],
        [a, b, c]: [SdfSample; 3],
        center: SdfSample,
    ) -> Self {
        let corner = |k: usize, sample: SdfSample| {
            let mut weights = [0.0; 3];
            weights[k] = 1.0;
            PatchPoint {
                weights,
                point: triangle[k],
                normal: patch.corner_normals[k],
                sample,
            }
        };
        Self {
            surface,
            other,
            patch,
            corners: [corner(0, a), corner(1, b), corner(2, c)],
            middle: PatchPoint {
                weights: [1.0 / 3.0; 3],
                point: patch.center,
                normal: patch.center_normal,
                sample: center,
            },
        }
    }

    /// The distance side.
    pub(super) fn sdf(&self) -> &dyn Sdf {
        self.other.sdf
    }

    /// The flat face in the frame of the distance side.
    pub(super) fn local_triangle(&self) -> [Point3<f64>; 3] {
        self.corners.map(|c| self.other.local(&c.point))
    }

    /// Lowest of middle and corners. The middle is preferred unless a corner is lower by `clearly`
    /// (m), so that rounding does not decide where nothing differs.
    pub(super) fn lowest_known(&self, clearly: f64) -> PatchPoint {
        let [a, b, c] = self.corners;
        let mut lowest = if self.patch.center_on_surface {
            self.middle
        } else {
            a
        };
        for corner in [a, b, c] {
            if corner.sample.value < lowest.sample.value - clearly {
                lowest = corner;
            }
        }
        lowest
    }

    /// φ on the patch is not below this (m) if it is convex along it: a convex function lies above
    /// each of its tangent planes, and a plane is lowest at a corner. Of the planes at the middle and
    /// the corners the highest counts, because at a crease one of them may be needlessly steep.
    pub(super) fn lower_bound(&self) -> f64 {
        let [a, b, c] = self.corners.each_ref().map(|p| self.plane_bound(p));
        a.max(b).max(c).max(self.middle_bound())
    }

    /// The same by the plane at the middle alone; −∞ if that is not on the surface.
    pub(super) fn middle_bound(&self) -> f64 {
        if self.patch.center_on_surface {
            self.plane_bound(&self.middle)
        } else {
            f64::NEG_INFINITY
        }
    }

    fn plane_bound(&self, p: &PatchPoint) -> f64 {
        let slopes = self.slopes(p);
        p.sample.value + slopes[0].min(slopes[1]).min(slopes[2])
    }

    /// The point with these weights; `None` where the surface is out of reach.
    pub(super) fn at(&self, weights: [f64; 3]) -> Option<PatchPoint> {
        if let Some(k) = weights.iter().position(|&w| w == 1.0) {
            return Some(self.corners[k]);
        }
        let blend = |of: fn(&PatchPoint) -> Vector3<f64>| {
            let [a, b, c] = &self.corners;
            of(a) * weights[0] + of(b) * weights[1] + of(c) * weights[2]
        };
        let flat = Point3::from(blend(|c| c.point.coords));
        let (point, gradient) = project(self.surface, &flat, self.patch.radius)?;
        Some(PatchPoint {
            weights,
            point,
            normal: same_side(gradient, self.patch.center_normal)
                .unwrap_or_else(|| blend(|c| c.normal).normalize()),
            sample: self.other.sample(&point),
        })
    }

    /// Slope of φ towards each corner, m.
    fn slopes(&self, x: &PatchPoint) -> [f64; 3] {
        let t = x.tangential();
        let [a, b, c] = &self.corners;
        [a, b, c].map(|v| t.dot(&(v.point - x.point)))
    }

    /// Pairwise Frank–Wolfe from one start; never returns a higher point.
    pub(super) fn descend(&self, start: PatchPoint, settings: &FrankWolfeSettings) -> PatchPoint {
        let mut x = start;
        for _ in 0..settings.max_iterations.min(DESCENT_STEPS) {
            let slope = self.slopes(&x);
            let best = if slope[0] <= slope[1] && slope[0] <= slope[2] {
                0
            } else if slope[1] <= slope[2] {
                1
            } else {
                2
            };
            if -slope[best] <= settings.tolerance {
                break;
            }
            let worst = (0..3)
                .filter(|&i| i != best && x.weights[i] > 0.0)
                .max_by(|&i, &j| slope[i].total_cmp(&slope[j]));
            let Some(worst) = worst else {
                break;
            };
            // weight goes from the worst corner in use to the best one, or from all to the best one
            let mut change = [0.0; 3];
            let most = if slope[worst] - slope[best] >= -2.0 * slope[best] {
                (change[best], change[worst]) = (1.0, -1.0);
                x.weights[worst]
            } else {
                change = x.weights.map(|w| -w);
                change[best] += 1.0;
                1.0
            };
            let Some(lower) = self.line_search(&x, change, most, settings.tolerance) else {
                break;
            };
            let gained = x.sample.value - lower.sample.value;
            x = lower;
            if gained < 0.3 * settings.tolerance {
                break;
            }
        }
        x
    }

    /// Lowest point found on w + t·change, 0 < t ≤ `most`; `None` if no lower one was seen.
    ///
    /// Between two points with slopes towards each other a convex φ lies above both tangents. Where
    /// they cross is the next probe, which hits a crease at once, in turn with the root of the slope
    /// by the secant, which is better on a smooth φ; the height of the crossing tells when to stop.
    fn line_search(
        &self,
        x: &PatchPoint,
        change: [f64; 3],
        most: f64,
        tolerance: f64,
    ) -> Option<PatchPoint> {
        let [a, b, c] = self.corners.each_ref().map(|c| c.point.coords);
        let d = a * change[0] + b * change[1] + c * change[2];
        let probe = |t: f64| {
            let weights = [0, 1, 2].map(|i| (x.weights[i] + t * change[i]).max(0.0));
            let p = self.at(weights)?;
            let slope = p.tangential().dot(&d);
            Some((
                p,
                OnLine {
                    t,
                    value: p.sample.value,
                    slope,
                },
            ))
        };
        let mut low = OnLine {
            t: 0.0,
            value: x.sample.value,
            slope: x.tangential().dot(&d),
        };
        let (mut best, mut high) = probe(most)?;
        if high.slope <= 0.0 {
            return (high.value < x.sample.value).then_some(best);
        }
        for k in 0..LINE_STEPS {
            let (crossing, height) = low.crossing(&high);
            if best.sample.value.min(x.sample.value) - height < tolerance {
                break;
            }
            let t = if k % 2 == 0 {
                crossing
            } else {
                low.t + (high.t - low.t) * low.slope / (low.slope - high.slope)
            };
            let reach = 1e-3 * (high.t - low.t);
            let Some((p, there)) = probe(t.clamp(low.t + reach, high.t - reach)) else {
                break;
            };
            if there.value < best.sample.value {
                best = p;
            }
            if there.slope < 0.0 {
                low = there;
            } else {
                high = there;
            }
        }
        (best.sample.value < x.sample.value).then_some(best)
    }
}

/// φ and its slope at a place of a line.
#[derive(Clone, Copy)]
struct OnLine {
    t: f64,
    value: f64,
    slope: f64,
}

impl OnLine {
    /// Where the tangent here (falling) meets that of `high` (rising), and how high.
    fn crossing(&self, high: &Self) -> (f64, f64) {
        let rise = high.value - high.slope * (high.t - self.t) - self.value;
        let step = rise / (self.slope - high.slope);
        let step = step.clamp(0.0, high.t - self.t);
        (self.t + step, self.value + self.slope * step)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use nalgebra::{Isometry3, Vector3};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::sdf::{BoltSdf, Dish, MetricThread, NutSdf, SdfRef, SphereSdf, ThreadEnd, TorusSdf};
    use crate::shape::CurvedMesh;
    use crate::surface::{dish_mesh, nut_mesh, surface_mesh};

    /// Lowest φ on a grid over the patch.
    fn dense(search: &PatchSearch<'_>) -> f64 {
        const N: usize = 14;
        let mut best = f64::INFINITY;
        for i in 0..=N {
            for j in 0..=N - i {
                let (u, v) = (i as f64 / N as f64, j as f64 / N as f64);
                if let Some(p) = search.at([1.0 - u - v, u, v]) {
                    best = best.min(p.sample.value);
                }
            }
        }
        best
    }

    /// A descent from the lowest of middle and corners, on patches within 1 mm, against a dense
    /// sampling of the patch: at most 1 µm above it in 9 of 10, at most 5 µm in 49 of 50. The others
    /// are crests between two flanks, of which a descent finds one, and faces that straddle a crease
    /// of their own surface (the first and last rows of a thread), where projection jumps.
    fn check(
        name: &str,
        faces: &CurvedMesh,
        surface: &dyn Sdf,
        sdf: &SdfRef,
        pose: Isometry3<f64>,
    ) {
        let other = Other {
            sdf: &**sdf,
            rotation: pose.rotation.to_rotation_matrix(),
            offset: pose.translation.vector,
        };
        let settings = FrankWolfeSettings::default();
        let (mut tested, mut missed, mut far) = (0, 0, 0);
        let n = faces.mesh().faces().len();
        for face in (0..n).step_by((n / 2000).max(1)) {
            let corners = faces.mesh().triangle(face);
            let samples = corners.map(|p| other.sample(&p));
            let patch = faces.patch(face);
            let center = other.sample(&patch.center);
            let search = PatchSearch::new(surface, &other, patch, corners, samples, center);
            let start = search.lowest_known(1e-8);
            if start.sample.value.abs() > 1e-3 {
                continue;
            }
            let found = search.descend(start, &settings).sample.value;
            assert!(found <= start.sample.value);
            tested += 1;
            let above = found - dense(&search);
            missed += usize::from(above > 1e-6);
            far += usize::from(above > 5e-6);
        }
        assert!(tested >= 50, "{name}: only {tested} patches");
        assert!(10 * missed <= tested, "{name}: {missed} of {tested}");
        assert!(50 * far <= tested, "{name}: {far} of {tested}");
    }

    #[test]
    fn descents_reach_the_minimum_of_the_patch() {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let mut nudge = |reach: f64, turn: f64| {
            let mut v = |r: f64| Vector3::from_fn(|_, _| rng.random_range(-r..r));
            Isometry3::new(v(reach), v(turn))
        };
        let thread = MetricThread::coarse(48).unwrap();
        let bolt: SdfRef = Arc::new(BoltSdf::rod(thread, 0.1, ThreadEnd::Chamfered).unwrap());
        let nut = NutSdf::new(thread, 0.038, 0.075, 1e-4, ThreadEnd::Chamfered).unwrap();
        let faces = CurvedMesh::new(nut_mesh("nut", &nut, 4e-3).unwrap(), &nut);
        for _ in 0..3 {
            let pose = Isometry3::translation(0.0, 0.0, -0.025) * nudge(5e-5, 5e-4);
            check("nut on bolt", &faces, &nut, &bolt, pose);
        }
        let lower = Dish::bowl(0.035, 0.075, 0.05, 0.002).unwrap();
        let upper = Dish::bowl(0.037, 0.09, 0.048, 0.002).unwrap();
        let faces = CurvedMesh::new(dish_mesh("bowl", &upper, 4e-3).unwrap(), &upper);
        let lower: SdfRef = Arc::new(lower);
        for _ in 0..3 {
            let pose = Isometry3::translation(0.0, 0.0, -0.021) * nudge(2e-4, 5e-3);
            check("bowl in bowl", &faces, &upper, &lower, pose);
        }
        let torus = TorusSdf::new(0.03, 0.01).unwrap();
        let faces = CurvedMesh::new(surface_mesh("torus", &torus, 2e-3).unwrap(), &torus);
        let ball: SdfRef = Arc::new(SphereSdf::new(0.02).unwrap());
        check(
            "ball in ring",
            &faces,
            &torus,
            &ball,
            Isometry3::translation(1e-4, 0.0, 2e-4),
        );
    }
}
