//! What is only drawn, colours of shapes, and pairs of shapes that always touch.

use nalgebra::Isometry3;
use serde::{Deserialize, Serialize};
use stiction_collision::Shape;

use super::World;
use crate::body::{BodyHandle, check_color};
use crate::error::{Result, finite_vector};

/// A collider of a world: a shape that touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ColliderHandle(pub(crate) usize);

impl ColliderHandle {
    /// Position among the world's colliders.
    pub fn index(self) -> usize {
        self.0
    }
}

/// What is drawn beside the colliders, and how they are coloured.
#[derive(Debug, Default)]
pub(crate) struct Drawing {
    /// Per collider: colour of its own.
    pub(crate) collider_colors: Vec<Option<[f32; 4]>>,
    pub(crate) visuals: Vec<VisualShape>,
}

/// A shape that is only drawn.
#[derive(Debug, Clone)]
pub(crate) struct VisualShape {
    pub(crate) body: usize,
    pub(crate) shape: Shape,
    pub(crate) pose: Isometry3<f64>,
    pub(crate) color: Option<[f32; 4]>,
}

/// A shape as it is to be drawn.
#[derive(Debug, Clone, Copy)]
pub struct DrawnShape<'a> {
    /// The body that it moves with.
    pub body: BodyHandle,
    /// The shape.
    pub shape: &'a Shape,
    /// Its pose in the body's frame.
    pub pose: &'a Isometry3<f64>,
    /// Its own colour or that of its body: red, green, blue and opacity, 0 to 1; `None` where nobody
    /// chose one.
    pub color: Option<[f32; 4]>,
}

impl World {
    /// Every rigid shape that is to be drawn: first what collides, then what is only drawn.
    pub fn drawn_shapes(&self) -> impl Iterator<Item = DrawnShape<'_>> {
        let colliders = self.colliders.as_slice().iter();
        let colliders = colliders.zip(&self.drawing.collider_colors);
        let colliders = colliders.filter_map(|(collider, color)| {
            let (frame, pose, shape) = collider.as_rigid()?;
            Some((frame as usize, shape, pose, color))
        });
        let visuals = self.drawing.visuals.iter();
        let visuals =
            visuals.map(|visual| (visual.body, &visual.shape, &visual.pose, &visual.color));
        colliders
            .chain(visuals)
            .map(|(body, shape, pose, color)| DrawnShape {
                body: BodyHandle(body),
                shape,
                pose,
                color: color.or(self.tables.bodies[body].color),
            })
    }

    /// Attaches a shape that is drawn in recordings and touches nothing, at a pose in the body's
    /// frame. `color` is red, green, blue and opacity, 0 to 1; `None` for the body's.
    ///
    /// # Errors
    /// An unknown body, a pose that is not finite, a colour outside of 0 to 1.
    pub fn attach_visual(
        &mut self,
        body: BodyHandle,
        shape: Shape,
        pose: Isometry3<f64>,
        color: Option<[f32; 4]>,
    ) -> Result<()> {
        self.body(body)?;
        let position = pose.translation.vector.iter();
        let rotation = pose.rotation.coords.iter();
        finite_vector(shape.name(), "pose", position.chain(rotation))?;
        check_color(shape.name(), color)?;
        self.drawing.visuals.push(VisualShape {
            body: body.0,
            shape,
            pose,
            color,
        });
        Ok(())
    }

    /// A collider by its name, `body/shape` for a shape that was attached without another name.
    ///
    /// # Errors
    /// A name that no collider has.
    pub fn find_collider(&self, name: &str) -> Result<ColliderHandle> {
        Ok(ColliderHandle(self.colliders.index_of(name)? as usize))
    }

    /// Colours one collider: red, green, blue and opacity, 0 to 1; `None` for its body's colour.
    ///
    /// # Errors
    /// An unknown collider, a colour outside of 0 to 1.
    pub fn set_collider_color(
        &mut self,
        collider: ColliderHandle,
        color: Option<[f32; 4]>,
    ) -> Result<()> {
        let entry = self.colliders.as_slice().get(collider.0);
        let entry = entry.ok_or_else(|| crate::SimError::Unknown {
            what: "collider",
            name: collider.0.to_string(),
        })?;
        check_color(&entry.name, color)?;
        self.drawing.collider_colors[collider.0] = color;
        Ok(())
    }

    /// Never lets two colliders touch.
    ///
    /// # Errors
    /// Unknown colliders.
    pub fn exclude_pair(&mut self, a: ColliderHandle, b: ColliderHandle) -> Result<()> {
        Ok(self.colliders.exclude(a.0 as u32, b.0 as u32)?)
    }

    /// Lets two colliders of different bodies touch whatever their groups and
    /// [`exclude`](Self::exclude) say; `friction`, where given, replaces what their materials say.
    ///
    /// # Errors
    /// Unknown colliders, two of one body, a friction that is negative or not finite.
    pub fn include_pair(
        &mut self,
        a: ColliderHandle,
        b: ColliderHandle,
        friction: Option<f64>,
    ) -> Result<()> {
        Ok(self.colliders.include(a.0 as u32, b.0 as u32, friction)?)
    }
}
