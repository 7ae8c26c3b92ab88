//! The seam for a user's own detection of some pairs.

use std::fmt::Debug;

use nalgebra::Isometry3;

use crate::contact::ShapeContact;
use crate::error::Result;
use crate::shape::Shape;

/// Whether a detector took a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handled {
    /// The contacts it appended (perhaps none) are all there are.
    Yes,
    /// The pair is not its business: the next detector, or the built-in one, is asked.
    No,
}

/// Detection of some pairs of rigid shapes, or of all, in place of the built-in one.
///
/// Must give the same contacts for the same input, whatever thread calls it.
pub trait PairDetector: Send + Sync + Debug {
    /// Appends contacts between `a` and `b` to `out`: in the frame of `a`, normals from a to b, gaps
    /// no larger than `margin` (m), `feature` unique within the pair and stable from step to step.
    /// `pose_ab` is the pose of b in the frame of a. Which of the two shapes is `a` is not up to the
    /// caller: expect both orders.
    fn detect(
        &self,
        a: &Shape,
        b: &Shape,
        pose_ab: &Isometry3<f64>,
        margin: f64,
        out: &mut Vec<ShapeContact>,
    ) -> Result<Handled>;
}
