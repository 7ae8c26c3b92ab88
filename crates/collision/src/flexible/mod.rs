//! What is not one rigid shape: points, chains and surfaces, against shapes and each other.
//!
//! Everything here works in world coordinates and keeps no memory that bears on the contacts: trees
//! and grids only save work.

mod against_shape;
mod against_surface;
mod edges;
mod elements;
mod feet;
mod minima;
mod segments;
mod surface;

use nalgebra::{Isometry3, Point3, Vector3};

use crate::collider::{ColliderSet, Geometry, is_closed};
use crate::shape::Shape;
use crate::support::Support;

pub(crate) use against_shape::against_shape;
pub(crate) use against_surface::{against_surface, surface_with_itself};
pub(crate) use edges::{EdgeBuffers, edges_of_one, edges_of_two};
pub(crate) use elements::ElementSearch;
pub(crate) use surface::{SurfaceTree, check_orientation};

/// A contact with at least one flexible side, world, normal from the first side to the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FlexibleContact {
    /// Unique within the pair and stable while the same features touch.
    pub(crate) feature: u64,
    pub(crate) on: [Support; 2],
    /// Midpoint of the two surface points, m.
    pub(crate) point: Point3<f64>,
    pub(crate) normal: Vector3<f64>,
    pub(crate) gap: f64,
}

impl FlexibleContact {
    /// The same contact seen with the sides exchanged.
    pub(crate) fn flipped(self) -> Self {
        Self {
            on: [self.on[1], self.on[0]],
            normal: -self.normal,
            ..self
        }
    }
}

/// A rigid collider where it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RigidSide<'a> {
    pub(crate) collider: u32,
    pub(crate) frame: u32,
    pub(crate) shape: &'a Shape,
    /// Of the shape, world.
    pub(crate) pose: Isometry3<f64>,
}

/// A flexible collider where it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FlexibleSide<'a> {
    pub(crate) collider: u32,
    pub(crate) geometry: &'a Geometry,
    /// World positions, m.
    pub(crate) vertices: &'a [Point3<f64>],
    /// Of a surface.
    pub(crate) tree: Option<&'a SurfaceTree>,
}

impl FlexibleSide<'_> {
    /// Radius of the ball around every vertex, m.
    fn radius(&self) -> f64 {
        match self.geometry {
            Geometry::Chain { radius, .. } | Geometry::Points { radius, .. } => *radius,
            Geometry::Surface { .. } | Geometry::Rigid { .. } => 0.0,
        }
    }

    /// Frame of a vertex of a chain.
    fn frame(&self, vertex: usize) -> Option<u32> {
        match self.geometry {
            Geometry::Chain { frames, .. } => Some(frames[vertex]),
            _ => None,
        }
    }

    fn support(&self, vertex: usize) -> Support {
        match self.geometry {
            Geometry::Chain { frames, .. } => Support::Frame(frames[vertex]),
            Geometry::Surface { nodes, .. } | Geometry::Points { nodes, .. } => {
                Support::node(nodes[vertex])
            }
            Geometry::Rigid { frame, .. } => Support::Frame(*frame),
        }
    }

    /// Number of balls and capsules it consists of; a surface has none.
    fn n_elements(&self) -> usize {
        match self.geometry {
            Geometry::Chain { frames, .. } => frames.len() - 1,
            Geometry::Points { nodes, .. } => nodes.len(),
            Geometry::Surface { .. } | Geometry::Rigid { .. } => 0,
        }
    }

    /// The vertices at the two ends of an element; one twice for a ball.
    fn ends(&self, element: usize) -> [usize; 2] {
        match self.geometry {
            Geometry::Chain { .. } => [element, element + 1],
            _ => [element, element],
        }
    }

    fn segment(&self, element: usize) -> [Point3<f64>; 2] {
        self.ends(element).map(|vertex| self.vertices[vertex])
    }

    /// What carries the point at `fraction` of the way along an element.
    fn support_along(&self, element: usize, fraction: f64) -> Support {
        match self.geometry {
            Geometry::Chain { frames, .. } => {
                Support::between([frames[element], frames[element + 1]], fraction)
            }
            _ => self.support(element),
        }
    }

    /// The element of a chain that ends where this one starts.
    fn before(&self, element: usize) -> Option<usize> {
        match self.geometry {
            Geometry::Chain { frames, .. } if element == 0 => {
                is_closed(frames).then(|| frames.len() - 2)
            }
            Geometry::Chain { .. } => Some(element - 1),
            _ => None,
        }
    }
}

/// Whether the frames at the ends of two elements, where they have frames, may all touch.
fn elements_may_touch(
    colliders: &ColliderSet,
    (a, i): (&FlexibleSide<'_>, usize),
    (b, j): (&FlexibleSide<'_>, usize),
) -> bool {
    a.ends(i).into_iter().filter_map(|v| a.frame(v)).all(|f| {
        b.ends(j)
            .into_iter()
            .filter_map(|v| b.frame(v))
            .all(|g| colliders.frames_may_touch((a.collider, f), (b.collider, g)))
    })
}
