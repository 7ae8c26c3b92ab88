//! Where everything is.

use nalgebra::{Isometry3, Point3};

use crate::error::{CollisionError, Result};
use crate::shape::pose_is_finite;

/// Where frames and nodes are, and how far colliders move in a step: all that detection needs to
/// know of the world around it.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlacesView<'a> {
    /// World pose of every frame.
    pub poses: &'a [Isometry3<f64>],
    /// World position of every node, m.
    pub nodes: &'a [Point3<f64>],
    /// By collider: how far its fastest point may move in the step, m. It sees as much farther. Empty
    /// where nothing moves.
    pub travel: &'a [f64],
}

impl<'a> PlacesView<'a> {
    /// Frames alone, at rest.
    pub fn of_frames(poses: &'a [Isometry3<f64>]) -> Self {
        Self {
            poses,
            ..Self::default()
        }
    }

    /// Frames and nodes, at rest.
    pub fn at_rest(poses: &'a [Isometry3<f64>], nodes: &'a [Point3<f64>]) -> Self {
        Self {
            poses,
            nodes,
            travel: &[],
        }
    }

    /// Refuses poses and positions that are not finite, and names the first.
    pub fn check_finite(&self) -> Result<()> {
        if let Some(frame) = self.poses.iter().position(|pose| !pose_is_finite(pose)) {
            return Err(CollisionError::NonFinitePose { frame });
        }
        let finite = |node: &Point3<f64>| node.iter().all(|x| x.is_finite());
        if let Some(node) = self.nodes.iter().position(|node| !finite(node)) {
            return Err(CollisionError::NonFiniteNode { node });
        }
        Ok(())
    }
}
