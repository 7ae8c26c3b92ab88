//! Colliders: what can touch, as data.

mod filter;
mod geometry;
mod set;

use nalgebra::Isometry3;

pub use filter::Groups;
pub use geometry::Geometry;
pub(crate) use geometry::is_closed;
pub use set::ColliderSet;

use crate::error::{CollisionError, Result};
use crate::material::{Friction, Material};
use crate::shape::Shape;

/// Something that can touch: a geometry with a surface.
#[derive(Debug, Clone)]
pub struct Collider {
    /// Unique name; contact ids are made from it.
    pub name: String,
    /// What it is made of, and what carries it.
    pub geometry: Geometry,
    /// Surface. Only what a frame carries can have friction that differs by direction.
    pub material: Material,
    /// Groups and mask.
    pub groups: Groups,
    /// Whether a chain, balls or a surface also touch themselves. Rigid shapes never do.
    pub touches_itself: bool,
}

impl Collider {
    /// Collider with default material and groups that does not touch itself.
    pub fn new(name: &str, geometry: Geometry) -> Self {
        Self {
            name: name.to_owned(),
            geometry,
            material: Material::default(),
            groups: Groups::default(),
            touches_itself: false,
        }
    }

    /// Shape at the origin of a frame.
    pub fn rigid(name: &str, frame: u32, shape: Shape) -> Self {
        Self::rigid_at(name, frame, Isometry3::identity(), shape)
    }

    /// Shape at a pose in a frame.
    pub fn rigid_at(name: &str, frame: u32, pose: Isometry3<f64>, shape: Shape) -> Self {
        Self::new(name, Geometry::Rigid { frame, pose, shape })
    }

    /// Closed surface over nodes; see [`Geometry::Surface`].
    pub fn surface(name: &str, nodes: Vec<u32>, faces: Vec<[u32; 3]>, depth: f64) -> Self {
        let geometry = Geometry::Surface {
            nodes,
            faces,
            depth,
        };
        Self::new(name, geometry)
    }

    /// Rope of capsules between frames, of one radius (m).
    pub fn chain(name: &str, frames: Vec<u32>, radius: f64) -> Self {
        Self::new(name, Geometry::Chain { frames, radius })
    }

    /// Balls of one radius (m, may be 0) around nodes.
    pub fn points(name: &str, nodes: Vec<u32>, radius: f64) -> Self {
        Self::new(name, Geometry::Points { nodes, radius })
    }

    /// The one frame that carries it, if it is rigid.
    pub fn frame(&self) -> Option<u32> {
        match self.geometry {
            Geometry::Rigid { frame, .. } => Some(frame),
            _ => None,
        }
    }

    /// Frame, pose in it, and shape, if it is rigid.
    pub fn as_rigid(&self) -> Option<(u32, &Isometry3<f64>, &Shape)> {
        match &self.geometry {
            Geometry::Rigid { frame, pose, shape } => Some((*frame, pose, shape)),
            _ => None,
        }
    }

    /// How far a rigid collider reaches from the origin of its frame at most, m, so that its fastest
    /// point is at most `reach` times the angular speed faster than the origin. 0 where that says
    /// nothing: a shape without bounds is everywhere already, and what deforms turns about nothing.
    pub fn reach(&self) -> f64 {
        let Some((_, pose, shape)) = self.as_rigid() else {
            return 0.0;
        };
        let bounds = shape.bounds().transformed(pose);
        let corner = bounds.min.coords.abs().sup(&bounds.max.coords.abs());
        if corner.iter().all(|x| x.is_finite()) {
            corner.norm()
        } else {
            0.0
        }
    }

    /// Refuses numbers and combinations that make no sense.
    fn validate(&self) -> Result<()> {
        let name = &self.name;
        self.material.validate(name)?;
        self.geometry.validate(name)?;
        let refuse = |reason: &'static str| {
            Err(CollisionError::UnsupportedCollider {
                collider: name.clone(),
                kind: self.geometry.kind(),
                reason,
            })
        };
        if self.touches_itself {
            match &self.geometry {
                Geometry::Rigid { .. } => return refuse("a rigid shape cannot touch itself"),
                Geometry::Points { radius: 0.0, .. } => {
                    return refuse("points without a radius cannot touch each other");
                }
                Geometry::Surface { .. } | Geometry::Chain { .. } | Geometry::Points { .. } => {}
            }
        }
        let has_direction = matches!(self.material.friction, Friction::TwoAxis { .. });
        if has_direction && self.frame().is_none() {
            return refuse("friction that differs by direction needs a rigid shape");
        }
        Ok(())
    }
}
