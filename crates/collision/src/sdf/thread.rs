//! ISO metric screw threads as an exact helical profile.
//!
//! The basic profile (ISO 68-1) is a 60° triangle of height H = √3/2·P, cut to the major radius
//! D/2 (crest flat P/8) and the minor radius D/2 − 5/8·H (root flat P/4). A right-handed thread puts
//! it at z′ = z − P/2π·(θ − start), so the zero set of
//!
//! f(r, z′) = signed distance in the plane (r, u = z′ cos λ) to the profile with u scaled alike
//!
//! is exactly the helical surface; λ is the lead angle at the pitch radius, where this scaling makes
//! |∇f| = 1. Elsewhere |∇f| differs from 1 by less than (P/2πr)²: 5·10⁻⁴ for M48×5. Dividing by the
//! largest |∇f| keeps φ 1-Lipschitz. Near the axis, where a helix has no bounded slope, the depth
//! continues with half slope, max(f, r/2 − 0.6 r_minor): radial normals, finite, and never active
//! within a thread depth of the surface.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use nalgebra::{Isometry3, Point3, Vector2, Vector3};

use super::change::{longest_way, way_along_z, way_but_screwing};
use super::primitives::direction_or;
use super::{SampleBatch, Sdf, SdfSample};
use crate::aabb::Aabb;
use crate::error::{CollisionError, Result, finite, non_negative, positive};
use crate::lanes::{Kernel, vectorized};

/// Coarse pitches of ISO 261 in mm: (nominal diameter, pitch).
const COARSE: [(u32, f64); 21] = [
    (3, 0.5),
    (4, 0.7),
    (5, 0.8),
    (6, 1.0),
    (8, 1.25),
    (10, 1.5),
    (12, 1.75),
    (14, 2.0),
    (16, 2.0),
    (18, 2.5),
    (20, 2.5),
    (22, 2.5),
    (24, 3.0),
    (27, 3.0),
    (30, 3.5),
    (33, 3.5),
    (36, 4.0),
    (39, 4.0),
    (42, 4.5),
    (48, 5.0),
    (56, 5.5),
];

/// The helical surface shared by a bolt and its nut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MetricThread {
    /// Nominal (major) diameter D, m.
    diameter: f64,
    /// Pitch P, m.
    pitch: f64,
    /// Angle about z at which a crest passes z = 0, rad.
    start: f64,
    cos_lead: f64,
    steepest: f64,
    profile: HalfProfile,
}

/// Half a period of the profile in the plane (r, u): crest, flank, root. Its mirror images are never
/// closer. Everything that does not depend on the point is computed once.
#[derive(Debug, Clone, Copy, PartialEq)]
struct HalfProfile {
    major: f64,
    minor: f64,
    /// u at which the crest ends and the flank begins.
    crest_end: f64,
    /// u at which the flank ends and the root begins.
    root_start: f64,
    /// Unit vector down the flank.
    down: Vector2<f64>,
    flank_length: f64,
}

impl HalfProfile {
    fn new(major: f64, minor: f64, crest_end: f64, root_start: f64) -> Self {
        let flank = Vector2::new(minor - major, root_start - crest_end);
        let flank_length = flank.norm();
        Self {
            major,
            minor,
            crest_end,
            root_start,
            down: flank / flank_length,
            flank_length,
        }
    }

    /// Signed distance of (r, u), u ≥ 0, and its gradient.
    fn distance(&self, r: f64, u: f64) -> (f64, Vector2<f64>) {
        let from_crest = Vector2::new(r - self.major, u - self.crest_end);
        let along = from_crest.dot(&self.down);
        let flank = from_crest - self.down * along.clamp(0.0, self.flank_length);
        let crest = Vector2::new(from_crest.x, from_crest.y.max(0.0));
        let root = Vector2::new(r - self.minor, (u - self.root_start).min(0.0));
        let (mut offset, mut best) = (flank, flank.norm_squared());
        for o in [crest, root] {
            let d = o.norm_squared();
            if d < best {
                (offset, best) = (o, d);
            }
        }
        // inside: below the crest, below the flank's line where the flank is, below the root
        let inside = if u <= self.crest_end {
            r < self.major
        } else if u >= self.root_start {
            r < self.minor
        } else {
            // the flank's outward normal is (d.y, −d.x)
            from_crest.x * self.down.y < from_crest.y * self.down.x
        };
        let sign = if inside { -1.0 } else { 1.0 };
        let distance = best.sqrt();
        let g = if distance > 1e-150 {
            offset * (sign / distance)
        } else {
            Vector2::x()
        };
        (sign * distance, g)
    }
}

/// Nearest whole number, ties to even; exact for |x| < 2⁵¹ and cheaper than a call to `round`.
fn nearest_whole(x: f64) -> f64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5·2⁵²
    (x + SHIFT) - SHIFT
}

impl MetricThread {
    /// Thread by nominal diameter and pitch in m, and start angle in rad.
    pub fn new(diameter: f64, pitch: f64, start: f64) -> Result<Self> {
        positive("thread", "diameter", diameter)?;
        positive("thread", "pitch", pitch)?;
        finite("thread", "start", start)?;
        // the minor radius must leave a core
        if pitch > 0.5 * diameter {
            return Err(CollisionError::InvalidParameter {
                element: "thread".to_owned(),
                field: "pitch",
                value: pitch,
                reason: "must not exceed half of the diameter",
            });
        }
        let mut thread = Self {
            diameter,
            pitch,
            start,
            cos_lead: 1.0,
            steepest: 1.0,
            profile: HalfProfile::new(1.0, 0.5, 0.1, 0.2),
        };
        let tangent = |r: f64| thread.lead() / r;
        let pitch_radius = thread.major_radius() - 0.375 * thread.triangle_height();
        let cos_lead = 1.0 / tangent(pitch_radius).hypot(1.0);
        // f is used down to 0.8 of the minor radius
        let steepest = cos_lead * tangent(0.8 * thread.minor_radius()).hypot(1.0);
        thread.cos_lead = cos_lead;
        thread.steepest = steepest;
        thread.profile = HalfProfile::new(
            thread.major_radius(),
            thread.minor_radius(),
            pitch / 16.0 * cos_lead,
            0.375 * pitch * cos_lead,
        );
        Ok(thread)
    }

    /// ISO coarse thread "M`size`", for example 48: D = 48 mm, P = 5 mm.
    pub fn coarse(size: u32) -> Result<Self> {
        let Some(&(_, pitch)) = COARSE.iter().find(|&&(d, _)| d == size) else {
            return Err(CollisionError::Unknown {
                what: "ISO coarse thread",
                name: format!("M{size}"),
            });
        };
        Self::new(f64::from(size) * 1e-3, pitch * 1e-3, 0.0)
    }

    /// The same thread started at another angle (rad).
    pub fn with_start(self, start: f64) -> Result<Self> {
        Self::new(self.diameter, self.pitch, start)
    }

    /// Pitch P, m.
    pub fn pitch(&self) -> f64 {
        self.pitch
    }

    /// Axial advance per radian, P/2π, m.
    pub fn lead(&self) -> f64 {
        self.pitch / (2.0 * PI)
    }

    /// D/2, m.
    pub fn major_radius(&self) -> f64 {
        0.5 * self.diameter
    }

    /// D/2 − 5/8 H, m.
    pub fn minor_radius(&self) -> f64 {
        self.major_radius() - 0.625 * self.triangle_height()
    }

    fn triangle_height(&self) -> f64 {
        0.75_f64.sqrt() * self.pitch
    }

    /// Angle of the crest at z = 0, rad.
    pub fn start(&self) -> f64 {
        self.start
    }

    /// Distance to the threaded core, without ends (see the module).
    fn sample(&self, p: &Point3<f64>, radial: Vector3<f64>, r: f64) -> SdfSample {
        let scale = 1.0 / self.steepest;
        let core = 0.5 * r - 0.6 * self.profile.minor;
        let z = p.z - self.lead() * (p.y.atan2(p.x) - self.start);
        let w = z - self.pitch * nearest_whole(z / self.pitch);
        let (f, g) = self.profile.distance(r, w.abs() * self.cos_lead);
        if core >= f {
            return plane(core * scale, radial * (0.5 * scale));
        }
        // up the thread: z − lead·θ, seen from the side of the crest the point is on
        let axial = g.y * 1.0_f64.copysign(w) * self.cos_lead * scale;
        let tangential = -axial * self.lead() / r;
        let g_r = g.x * scale;
        SdfSample {
            value: f * scale,
            gradient: Vector3::new(
                radial.x * g_r - radial.y * tangential,
                radial.y * g_r + radial.x * tangential,
                axial,
            ),
        }
    }
}

/// How a threaded part ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ThreadEnd {
    /// Cut flat.
    Flat,
    /// 45° chamfer over the thread depth (bolt tip), or countersink (both faces of a nut).
    #[default]
    Chamfered,
}

fn larger(a: SdfSample, b: SdfSample) -> SdfSample {
    if a.value >= b.value { a } else { b }
}

fn plane(value: f64, gradient: Vector3<f64>) -> SdfSample {
    SdfSample { value, gradient }
}

/// Largest of the three |n·p| − s/2: a hexagonal prism along z, `across` flats.
fn hexagon(p: &Point3<f64>, across: f64) -> SdfSample {
    const SIN_60: f64 = 0.866_025_403_784_438_6;
    [(1.0, 0.0), (0.5, SIN_60), (-0.5, SIN_60)]
        .map(|(x, y)| {
            let d = x * p.x + y * p.y;
            let n = Vector3::new(x, y, 0.0);
            plane(d.abs() - 0.5 * across, n * 1.0_f64.copysign(d))
        })
        .into_iter()
        .fold(plane(f64::NEG_INFINITY, Vector3::x()), larger)
}

/// Threaded rod from z = 0 to z = `length`, with a hexagonal head below z = 0 if asked for.
#[derive(Debug, Clone, Copy)]
pub struct BoltSdf {
    thread: MetricThread,
    length: f64,
    head_height: f64,
    head_across: f64,
    end: ThreadEnd,
}

impl BoltSdf {
    /// Headless threaded rod of `length` m.
    pub fn rod(thread: MetricThread, length: f64, end: ThreadEnd) -> Result<Self> {
        Self::with_head(thread, length, 0.0, 0.0, end)
    }

    /// Bolt whose hexagonal head has `head_height` and is `head_across` wide over flats, m.
    pub fn with_head(
        thread: MetricThread,
        length: f64,
        head_height: f64,
        head_across: f64,
        end: ThreadEnd,
    ) -> Result<Self> {
        positive("bolt", "length", length)?;
        non_negative("bolt", "head height", head_height)?;
        non_negative("bolt", "head width", head_across)?;
        Ok(Self {
            thread,
            length,
            head_height,
            head_across,
            end,
        })
    }

    /// The thread.
    pub fn thread(&self) -> &MetricThread {
        &self.thread
    }

    /// Length of the threaded part, m.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Height and width over flats of the head, m; zero height without head.
    pub fn head(&self) -> (f64, f64) {
        (self.head_height, self.head_across)
    }

    /// Tip, chamfer and head put to the distance of an endless thread at p, whose direction from the axis is
    /// `radial` and whose distance from it is `r`.
    pub(super) fn with_ends(
        &self,
        p: &Point3<f64>,
        radial: Vector3<f64>,
        r: f64,
        thread: SdfSample,
    ) -> SdfSample {
        let mut rod = larger(thread, plane(p.z - self.length, Vector3::z()));
        if self.end == ThreadEnd::Chamfered {
            let cone = r - self.thread.minor_radius() + p.z - self.length;
            let normal = (radial + Vector3::z()) * FRAC_1_SQRT_2;
            rod = larger(rod, plane(cone * FRAC_1_SQRT_2, normal));
        }
        if self.head_height > 0.0 {
            // the rod may run on inside the head
            rod = larger(rod, plane(-p.z - 0.5 * self.head_height, -Vector3::z()));
            let middle = -0.5 * self.head_height;
            let side = 1.0_f64.copysign(p.z - middle);
            let slab = plane(
                (p.z - middle).abs() - 0.5 * self.head_height,
                Vector3::z() * side,
            );
            if slab.value >= rod.value {
                return rod;
            }
            let head = larger(hexagon(p, self.head_across), slab);
            if head.value < rod.value { head } else { rod }
        } else {
            larger(rod, plane(-p.z, -Vector3::z()))
        }
    }
}

/// The thread of a bolt, for all points of a batch, whose `work` holds their angles. Marks there with a
/// NaN what the thread does not decide: the neighbourhood of ends and head, and the axis.
struct ThreadPass<'a> {
    bolt: &'a BoltSdf,
    batch: &'a mut SampleBatch,
}

impl Kernel for ThreadPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let (bolt, n) = (self.bolt, self.batch.len());
        let (thread, profile) = (&bolt.thread, &bolt.thread.profile);
        let SampleBatch {
            points: [x, y, z],
            values,
            gradients: [gx, gy, gz],
            work,
        } = self.batch;
        let (x, y, z) = (&x[..n], &y[..n], &z[..n]);
        let (gx, gy, gz) = (&mut gx[..n], &mut gy[..n], &mut gz[..n]);
        let (values, work) = (&mut values[..n], &mut work[..n]);
        let (scale, lead) = (1.0 / thread.steepest, thread.lead());
        let has_cone = bolt.end == ThreadEnd::Chamfered;
        let cone_minor = if has_cone {
            thread.minor_radius()
        } else {
            f64::INFINITY
        };
        let has_head = bolt.head_height > 0.0;
        let lowest = if has_head {
            -0.5 * bolt.head_height
        } else {
            0.0
        };
        // a little more, for the rounding of the slab
        let top_of_head = if has_head { 1e-9 } else { f64::NEG_INFINITY };
        // in the order of operations of `sample`, so that the bits are the same
        for i in 0..n {
            let r = (x[i] * x[i] + y[i] * y[i]).sqrt();
            let (radial_x, radial_y) = (x[i] / r, y[i] / r);
            let core = 0.5 * r - 0.6 * profile.minor;
            let along = z[i] - lead * (work[i] - thread.start);
            let w = along - thread.pitch * nearest_whole(along / thread.pitch);
            let u = w.abs() * thread.cos_lead;
            // `HalfProfile::distance`
            let (from_r, from_u) = (r - profile.major, u - profile.crest_end);
            let down = (from_r * profile.down.x + from_u * profile.down.y)
                .clamp(0.0, profile.flank_length);
            let flank = (
                from_r - profile.down.x * down,
                from_u - profile.down.y * down,
            );
            let crest = (from_r, from_u.max(0.0));
            let root = (r - profile.minor, (u - profile.root_start).min(0.0));
            let square = |o: (f64, f64)| o.0 * o.0 + o.1 * o.1;
            let (mut dr, mut du, mut best) = (flank.0, flank.1, square(flank));
            for o in [crest, root] {
                let d = square(o);
                let is_less = d < best;
                dr = if is_less { o.0 } else { dr };
                du = if is_less { o.1 } else { du };
                best = if is_less { d } else { best };
            }
            let below_flank = from_r * profile.down.y < from_u * profile.down.x;
            let (below_crest, below_root) = (r < profile.major, r < profile.minor);
            let (at_crest, at_root) = (u <= profile.crest_end, u >= profile.root_start);
            let inside = (at_crest & below_crest)
                | (!at_crest & ((at_root & below_root) | (!at_root & below_flank)));
            let sign = if inside { -1.0 } else { 1.0 };
            let distance = best.sqrt();
            let factor = sign / distance;
            let (g_r, g_u) = (dr * factor, du * factor);
            let f = sign * distance;
            // `MetricThread::sample`
            let axial = g_u * 1.0_f64.copysign(w) * thread.cos_lead * scale;
            let tangential = -axial * lead / r;
            let g_r = g_r * scale;
            let value = f * scale;
            values[i] = value;
            gx[i] = radial_x * g_r - radial_y * tangential;
            gy[i] = radial_y * g_r + radial_x * tangential;
            gz[i] = axial;
            let end = z[i] - bolt.length;
            let cone = (r - cone_minor + z[i] - bolt.length) * FRAC_1_SQRT_2;
            let is_thread = (core < f)
                & (distance > 1e-150)
                & (r > 1e-150)
                & (end < value)
                & (cone < value)
                & (lowest - z[i] < value)
                & (z[i] - value > top_of_head);
            work[i] = if is_thread { 0.0 } else { f64::NAN };
        }
    }
}

impl Sdf for BoltSdf {
    fn sample_batch(&self, batch: &mut SampleBatch) {
        batch.make_room();
        for i in 0..batch.len() {
            batch.work[i] = batch.points[1][i].atan2(batch.points[0][i]);
        }
        vectorized(ThreadPass { bolt: self, batch });
        for i in 0..batch.len() {
            if batch.work[i].is_nan() {
                let sample = self.sample(&batch.point(i));
                batch.set(i, &sample);
            }
        }
    }

    fn sample(&self, p: &Point3<f64>) -> SdfSample {
        let (radial, r) = direction_or(Vector3::new(p.x, p.y, 0.0), Vector3::x());
        self.with_ends(p, radial, r, self.thread.sample(p, radial, r))
    }

    fn bounds(&self) -> Aabb {
        // corners of the hexagon are 2/√3 of the flats away
        let r = self
            .thread
            .major_radius()
            .max(self.head_across / 3.0_f64.sqrt());
        Aabb {
            min: Point3::new(-r, -r, -self.head_height),
            max: Point3::new(r, r, self.length),
        }
    }

    fn feature_size(&self) -> f64 {
        0.5 * self.thread.pitch
    }

    /// Far enough from both ends φ is that of an endless thread, as far as `reach` sees: from below,
    /// because end, chamfer and the rod within the head are deeper than −`reach` there, and from above,
    /// because the head is more than `reach` away.
    fn change(&self, motion: &Isometry3<f64>, region: &Aabb, reach: f64) -> f64 {
        let (thread, z) = (&self.thread, way_along_z(motion, region));
        let (low, high) = (region.min.z - z, region.max.z + z);
        let end = match self.end {
            ThreadEnd::Flat => reach,
            // the cone comes up to radii where the thread is just `reach` below the point
            ThreadEnd::Chamfered => {
                let depth = thread.major_radius() - thread.minor_radius();
                depth + reach * (thread.steepest + std::f64::consts::SQRT_2)
            }
        };
        let way = longest_way(motion, region);
        if low > reach && high < self.length - end {
            way_but_screwing(motion, region, thread.lead()).min(way)
        } else {
            way
        }
    }
}

/// Hexagonal nut from z = 0 to z = `height`, threaded to fit a bolt with `clearance` everywhere.
#[derive(Debug, Clone, Copy)]
pub struct NutSdf {
    thread: MetricThread,
    height: f64,
    across: f64,
    clearance: f64,
    end: ThreadEnd,
}

impl NutSdf {
    /// Nut of `height` and width `across` flats; `clearance` is the distance between the two
    /// threads along their normal when the nut is centred on the bolt, m.
    pub fn new(
        thread: MetricThread,
        height: f64,
        across: f64,
        clearance: f64,
        end: ThreadEnd,
    ) -> Result<Self> {
        positive("nut", "height", height)?;
        positive("nut", "width across flats", across)?;
        non_negative("nut", "clearance", clearance)?;
        if across < 2.0 * (thread.major_radius() + clearance) {
            return Err(CollisionError::InvalidParameter {
                element: "nut".to_owned(),
                field: "width across flats",
                value: across,
                reason: "must exceed the thread's diameter",
            });
        }
        Ok(Self {
            thread,
            height,
            across,
            clearance,
            end,
        })
    }

    /// The thread of the bolt this nut fits.
    pub fn thread(&self) -> &MetricThread {
        &self.thread
    }

    /// Height, m.
    pub fn height(&self) -> f64 {
        self.height
    }

    /// Width over flats, m.
    pub fn across(&self) -> f64 {
        self.across
    }

    /// Normal distance between the threads when centred, m.
    pub fn clearance(&self) -> f64 {
        self.clearance
    }
}

impl Sdf for NutSdf {
    fn sample(&self, p: &Point3<f64>) -> SdfSample {
        let (radial, r) = direction_or(Vector3::new(p.x, p.y, 0.0), Vector3::x());
        let core = self.thread.sample(p, radial, r);
        let mut nut = plane(self.clearance - core.value, -core.gradient);
        let middle = 0.5 * self.height;
        let side = 1.0_f64.copysign(p.z - middle);
        let from_face = (p.z - middle).abs() - middle;
        if self.end == ThreadEnd::Chamfered {
            let sink = self.thread.major_radius() + self.clearance + from_face - r;
            let normal = (Vector3::z() * side - radial) * FRAC_1_SQRT_2;
            nut = larger(nut, plane(sink * FRAC_1_SQRT_2, normal));
        }
        nut = larger(nut, plane(from_face, Vector3::z() * side));
        // no side of the hexagon is farther out than its inscribed circle allows
        if r - 0.5 * self.across <= nut.value {
            return nut;
        }
        larger(nut, hexagon(p, self.across))
    }

    fn bounds(&self) -> Aabb {
        let r = self.across / 3.0_f64.sqrt();
        Aabb {
            min: Point3::new(-r, -r, 0.0),
            max: Point3::new(r, r, self.height),
        }
    }

    fn feature_size(&self) -> f64 {
        0.5 * self.thread.pitch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profile_has_the_iso_dimensions() {
        // ISO 724, M48×5: minor diameter 42.587 mm, pitch diameter 44.752 mm
        let m48 = MetricThread::coarse(48).unwrap();
        assert!((2.0 * m48.minor_radius() - 42.587e-3).abs() < 1e-6);
        let rod = BoltSdf::rod(m48, 0.1, ThreadEnd::Flat).unwrap();
        let at = |r: f64, angle: f64, z: f64| {
            rod.value(&Point3::new(r * angle.cos(), r * angle.sin(), z))
        };
        // crest at angle θ is at z = P θ/2π (+ whole pitches); a quarter pitch from it, the flank
        // crosses the pitch radius; half a pitch from it is the root
        for angle in [0.0, 1.0, 2.5, -2.0] {
            let crest = m48.lead() * angle + 10.0 * m48.pitch();
            assert!(at(24e-3, angle, crest).abs() < 1e-12);
            assert!(at(22.376e-3, angle, crest + 1.25e-3).abs() < 1e-6);
            assert!(at(m48.minor_radius(), angle, crest + 2.5e-3).abs() < 1e-12);
        }
    }

    #[test]
    fn nut_leaves_its_clearance_everywhere() {
        let m48 = MetricThread::coarse(48).unwrap();
        let bolt = BoltSdf::rod(m48, 0.1, ThreadEnd::Flat).unwrap();
        let nut = NutSdf::new(m48, 38e-3, 75e-3, 1e-4, ThreadEnd::Flat).unwrap();
        for i in 0..200 {
            let angle = 0.1 * f64::from(i);
            let r = 21.5e-3 + 1e-5 * f64::from(i);
            let p = Point3::new(r * angle.cos(), r * angle.sin(), 19e-3);
            assert!((nut.value(&p) + bolt.value(&p) - 1e-4).abs() < 1e-15);
        }
    }

    #[test]
    fn impossible_parts_are_refused() {
        assert!(MetricThread::new(0.01, 0.008, 0.0).is_err());
        assert!(MetricThread::coarse(49).is_err());
        let m8 = MetricThread::coarse(8).unwrap();
        assert!(NutSdf::new(m8, 6e-3, 7e-3, 0.0, ThreadEnd::Flat).is_err());
        assert!(BoltSdf::rod(m8, f64::NAN, ThreadEnd::Flat).is_err());
    }
}
