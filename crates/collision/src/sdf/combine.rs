//! Rounding, shells, and the Boolean operations, sharp and smooth.
//!
//! All keep the Lipschitz bound of their members: min, max and |·| do, and the polynomial smooth
//! minimum's gradient is a convex combination of the two gradients.

use nalgebra::{Isometry3, Point3};

use super::change::longest_way;
use super::{Sdf, SdfRef, SdfSample};
use crate::aabb::Aabb;
use crate::error::{CollisionError, Result, non_negative, positive};

/// φ − r: the solid grown by r, its convex edges rounded with radius r.
#[derive(Debug, Clone)]
pub struct Rounded {
    inner: SdfRef,
    radius: f64,
}

impl Rounded {
    /// Radius in m.
    pub fn new(inner: SdfRef, radius: f64) -> Result<Self> {
        let radius = non_negative("rounded SDF", "radius", radius)?;
        Ok(Self { inner, radius })
    }
}

impl Sdf for Rounded {
    fn sample(&self, p: &Point3<f64>) -> SdfSample {
        let s = self.inner.sample(p);
        SdfSample {
            value: s.value - self.radius,
            ..s
        }
    }

    fn bounds(&self) -> Aabb {
        self.inner.bounds().grown(self.radius)
    }

    fn lipschitz(&self) -> f64 {
        self.inner.lipschitz()
    }

    fn feature_size(&self) -> f64 {
        self.inner.feature_size()
    }

    fn change(&self, motion: &Isometry3<f64>, region: &Aabb, reach: f64) -> f64 {
        self.inner.change(motion, region, reach + self.radius)
    }
}

/// |φ| − t/2: the wall of thickness t along the surface.
#[derive(Debug, Clone)]
pub struct Shell {
    inner: SdfRef,
    thickness: f64,
}

impl Shell {
    /// Wall thickness in m.
    pub fn new(inner: SdfRef, thickness: f64) -> Result<Self> {
        let thickness = positive("shell SDF", "thickness", thickness)?;
        Ok(Self { inner, thickness })
    }
}

impl Sdf for Shell {
    fn sample(&self, p: &Point3<f64>) -> SdfSample {
        let s = self.inner.sample(p);
        let sign = 1.0_f64.copysign(s.value);
        SdfSample {
            value: s.value.abs() - 0.5 * self.thickness,
            gradient: s.gradient * sign,
        }
    }

    fn bounds(&self) -> Aabb {
        self.inner.bounds().grown(0.5 * self.thickness)
    }

    fn lipschitz(&self) -> f64 {
        self.inner.lipschitz()
    }

    fn feature_size(&self) -> f64 {
        self.inner.feature_size().min(0.5 * self.thickness)
    }

    fn change(&self, motion: &Isometry3<f64>, region: &Aabb, reach: f64) -> f64 {
        let reach = reach + 0.5 * self.thickness;
        self.inner.change(motion, region, reach)
    }
}

/// Smooth minimum of two samples with blending width `k` (m); k = 0 is the sharp minimum.
fn smooth_min(a: SdfSample, b: SdfSample, k: f64) -> SdfSample {
    let (low, high) = if a.value <= b.value { (a, b) } else { (b, a) };
    let h = if k > 0.0 {
        (1.0 - (high.value - low.value) / k).max(0.0)
    } else {
        0.0
    };
    SdfSample {
        value: low.value - 0.25 * k * h * h,
        gradient: low.gradient * (1.0 - 0.5 * h) + high.gradient * (0.5 * h),
    }
}

fn negated(s: SdfSample) -> SdfSample {
    SdfSample {
        value: -s.value,
        gradient: -s.gradient,
    }
}

fn largest_lipschitz(members: &[SdfRef]) -> f64 {
    members.iter().map(|m| m.lipschitz()).fold(0.0, f64::max)
}

fn smallest_feature(members: &[SdfRef]) -> f64 {
    members
        .iter()
        .map(|m| m.feature_size())
        .fold(f64::INFINITY, f64::min)
}

/// Minimum and maximum change by no more than a member does, clamped or not; a blend of clamped values
/// is not the clamped blend, so that there only the way counts.
fn largest_change<'a>(
    members: impl IntoIterator<Item = &'a SdfRef>,
    blend: f64,
    (motion, region, reach): (&Isometry3<f64>, &Aabb, f64),
) -> f64 {
    let change = |member: &SdfRef| match blend > 0.0 {
        true => member.lipschitz() * longest_way(motion, region),
        false => member.change(motion, region, reach),
    };
    members.into_iter().map(change).fold(0.0, f64::max)
}

fn at_least_one(kind: &str, members: Vec<SdfRef>) -> Result<Vec<SdfRef>> {
    if members.is_empty() {
        return Err(CollisionError::InvalidParameter {
            element: kind.to_owned(),
            field: "number of members",
            value: 0.0,
            reason: "must be at least 1",
        });
    }
    Ok(members)
}

/// min φᵢ, blended over `k` metres (0 for a sharp union).
#[derive(Debug, Clone)]
pub struct Union {
    members: Vec<SdfRef>,
    blend: f64,
}

impl Union {
    /// Sharp union.
    pub fn new(members: Vec<SdfRef>) -> Result<Self> {
        Self::smooth(members, 0.0)
    }

    /// Union blended over `blend` metres; members are blended one after another.
    pub fn smooth(members: Vec<SdfRef>, blend: f64) -> Result<Self> {
        Ok(Self {
            members: at_least_one("union SDF", members)?,
            blend: non_negative("union SDF", "blend", blend)?,
        })
    }
}

impl Sdf for Union {
    fn sample(&self, p: &Point3<f64>) -> SdfSample {
        let first = self.members[0].sample(p);
        self.members[1..]
            .iter()
            .fold(first, |acc, m| smooth_min(acc, m.sample(p), self.blend))
    }

    fn bounds(&self) -> Aabb {
        // blending adds at most k/4 per member
        let spill = 0.25 * self.blend * (self.members.len() - 1) as f64;
        self.members
            .iter()
            .fold(Aabb::empty(), |aabb, m| aabb.merged(&m.bounds()))
            .grown(spill)
    }

    fn lipschitz(&self) -> f64 {
        largest_lipschitz(&self.members)
    }

    fn feature_size(&self) -> f64 {
        smallest_feature(&self.members)
    }

    fn change(&self, motion: &Isometry3<f64>, region: &Aabb, reach: f64) -> f64 {
        largest_change(&self.members, self.blend, (motion, region, reach))
    }

    fn branches(&self, p: &Point3<f64>, visit: &mut dyn FnMut(u64, SdfSample)) {
        if self.blend > 0.0 {
            visit(0, self.sample(p));
            return;
        }
        for (i, member) in self.members.iter().enumerate() {
            member.branches(p, &mut |branch, s| {
                visit(branch.wrapping_mul(self.members.len() as u64) + i as u64, s);
            });
        }
    }
}

/// max φᵢ, blended over `k` metres. A lower bound of the distance outside, exact inside.
#[derive(Debug, Clone)]
pub struct Intersection {
    members: Vec<SdfRef>,
    blend: f64,
}

impl Intersection {
    /// Sharp intersection.
    pub fn new(members: Vec<SdfRef>) -> Result<Self> {
        Self::smooth(members, 0.0)
    }

    /// Intersection blended over `blend` metres.
    pub fn smooth(members: Vec<SdfRef>, blend: f64) -> Result<Self> {
        Ok(Self {
            members: at_least_one("intersection SDF", members)?,
            blend: non_negative("intersection SDF", "blend", blend)?,
        })
    }
}

impl Sdf for Intersection {
    fn sample(&self, p: &Point3<f64>) -> SdfSample {
        let first = negated(self.members[0].sample(p));
        negated(self.members[1..].iter().fold(first, |acc, m| {
            smooth_min(acc, negated(m.sample(p)), self.blend)
        }))
    }

    fn bounds(&self) -> Aabb {
        self.members.iter().fold(Aabb::everything(), |aabb, m| {
            let b = m.bounds();
            Aabb {
                min: aabb.min.sup(&b.min),
                max: aabb.max.inf(&b.max),
            }
        })
    }

    fn lipschitz(&self) -> f64 {
        largest_lipschitz(&self.members)
    }

    fn feature_size(&self) -> f64 {
        smallest_feature(&self.members)
    }

    fn change(&self, motion: &Isometry3<f64>, region: &Aabb, reach: f64) -> f64 {
        largest_change(&self.members, self.blend, (motion, region, reach))
    }
}

/// max(φ_a, −φ_b): a without b, blended over `k` metres.
#[derive(Debug, Clone)]
pub struct Difference {
    kept: SdfRef,
    removed: SdfRef,
    blend: f64,
}

impl Difference {
    /// Sharp difference.
    pub fn new(kept: SdfRef, removed: SdfRef) -> Self {
        Self {
            kept,
            removed,
            blend: 0.0,
        }
    }

    /// Difference blended over `blend` metres.
    pub fn smooth(kept: SdfRef, removed: SdfRef, blend: f64) -> Result<Self> {
        let blend = non_negative("difference SDF", "blend", blend)?;
        Ok(Self {
            kept,
            removed,
            blend,
        })
    }
}

impl Sdf for Difference {
    fn sample(&self, p: &Point3<f64>) -> SdfSample {
        negated(smooth_min(
            negated(self.kept.sample(p)),
            self.removed.sample(p),
            self.blend,
        ))
    }

    fn bounds(&self) -> Aabb {
        self.kept.bounds()
    }

    fn lipschitz(&self) -> f64 {
        self.kept.lipschitz().max(self.removed.lipschitz())
    }

    fn feature_size(&self) -> f64 {
        self.kept.feature_size().min(self.removed.feature_size())
    }

    fn change(&self, motion: &Isometry3<f64>, region: &Aabb, reach: f64) -> f64 {
        let members = [&self.kept, &self.removed];
        largest_change(members, self.blend, (motion, region, reach))
    }
}
