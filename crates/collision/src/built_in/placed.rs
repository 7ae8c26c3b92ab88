//! Colliders where they are: world poses, vertices, bounds.

use nalgebra::{Isometry3, Point3, Vector3};

use crate::aabb::Aabb;
use crate::broad_phase::Proxy;
use crate::collider::{Collider, ColliderSet, Geometry};
use crate::error::{CollisionError, Result, non_negative};
use crate::flexible::{FlexibleSide, RigidSide, SurfaceTree, check_orientation};
use crate::places::PlacesView;
use crate::shape::{Form, Shape};

/// What a step makes of the places, by collider.
#[derive(Debug, Default)]
pub(super) struct Placed {
    /// World poses of rigid shapes; the identity for what is flexible.
    pub(super) poses: Vec<Isometry3<f64>>,
    pub(super) proxies: Vec<Proxy>,
    /// Vertices of all flexible colliders, one collider after another, world.
    vertices: Vec<Point3<f64>>,
    /// Where the vertices of each collider start.
    starts: Vec<u32>,
    /// Trees of surfaces.
    trees: Vec<Option<SurfaceTree>>,
}

impl Placed {
    /// Forgets the trees: the colliders are others now.
    pub(super) fn forget(&mut self) {
        self.trees.clear();
    }

    /// Takes new places. Half of `margin` (m) is added on each side of a pair.
    pub(super) fn update(
        &mut self,
        colliders: &ColliderSet,
        places: &PlacesView<'_>,
        margin: f64,
    ) -> Result<()> {
        check_travel(colliders, places)?;
        places.check_finite()?;
        self.poses.clear();
        self.proxies.clear();
        self.vertices.clear();
        self.starts.clear();
        self.trees.resize_with(colliders.len(), || None);
        for (index, collider) in colliders.as_slice().iter().enumerate() {
            let travel = places.travel.get(index).copied().unwrap_or(0.0);
            let margin = 0.5 * margin + travel;
            self.starts.push(self.vertices.len() as u32);
            let (pose, proxy) = match &collider.geometry {
                Geometry::Rigid { frame, pose, shape } => {
                    let frame_pose = place(places.poses, *frame, "frame", collider)?;
                    let pose = frame_pose * pose;
                    (pose, proxy(shape, &pose, margin))
                }
                flexible => {
                    let bounds = self.place_vertices(index, collider, flexible, places)?;
                    (Isometry3::identity(), Proxy::Box(bounds.grown(margin)))
                }
            };
            self.poses.push(pose);
            self.proxies.push(proxy);
        }
        Ok(())
    }

    /// Vertices of a flexible collider; returns the box around it.
    fn place_vertices(
        &mut self,
        index: usize,
        collider: &Collider,
        geometry: &Geometry,
        places: &PlacesView<'_>,
    ) -> Result<Aabb> {
        let start = self.vertices.len();
        let radius = match geometry {
            Geometry::Chain { frames, radius } => {
                for &frame in frames {
                    let pose = place(places.poses, frame, "frame", collider)?;
                    self.vertices.push(Point3::from(pose.translation.vector));
                }
                *radius
            }
            Geometry::Points { nodes, radius } => {
                for &node in nodes {
                    let position = place(places.nodes, node, "node", collider)?;
                    self.vertices.push(*position);
                }
                *radius
            }
            Geometry::Surface { nodes, faces, .. } => {
                for &node in nodes {
                    let position = place(places.nodes, node, "node", collider)?;
                    self.vertices.push(*position);
                }
                let vertices = &self.vertices[start..];
                let tree = match &mut self.trees[index] {
                    Some(tree) => {
                        tree.refit(vertices, faces);
                        tree
                    }
                    empty => {
                        // Later on it may be crushed flat for a moment.
                        check_orientation(&collider.name, vertices, faces)?;
                        empty.insert(SurfaceTree::new(vertices, faces))
                    }
                };
                if collider.touches_itself {
                    tree.update_normals(vertices, faces);
                }
                0.0
            }
            Geometry::Rigid { .. } => 0.0,
        };
        Ok(Aabb::from_points(&self.vertices[start..]).grown(radius))
    }

    /// A rigid collider, if it is one.
    pub(super) fn rigid<'a>(
        &self,
        colliders: &'a ColliderSet,
        index: u32,
    ) -> Option<RigidSide<'a>> {
        let (frame, _, shape) = colliders.as_slice()[index as usize].as_rigid()?;
        Some(RigidSide {
            collider: index,
            frame,
            shape,
            pose: self.poses[index as usize],
        })
    }

    /// A flexible collider.
    pub(super) fn flexible<'a>(
        &'a self,
        colliders: &'a ColliderSet,
        index: u32,
    ) -> FlexibleSide<'a> {
        let geometry = &colliders.as_slice()[index as usize].geometry;
        let start = self.starts[index as usize] as usize;
        FlexibleSide {
            collider: index,
            geometry,
            vertices: &self.vertices[start..start + geometry.n_vertices()],
            tree: self.trees[index as usize].as_ref(),
        }
    }
}

/// Frame or node of a collider.
fn place<'a, T>(
    all: &'a [T],
    index: u32,
    what: &'static str,
    collider: &Collider,
) -> Result<&'a T> {
    all.get(index as usize)
        .ok_or_else(|| CollisionError::MissingPlace {
            collider: collider.name.clone(),
            what,
            index: index as usize,
            given: all.len(),
        })
}

/// Travels are finite and not negative, and there is one for every collider, or none.
fn check_travel(colliders: &ColliderSet, places: &PlacesView<'_>) -> Result<()> {
    if places.travel.is_empty() {
        return Ok(());
    }
    let entries = colliders.as_slice();
    if let Some(collider) = entries.get(places.travel.len()) {
        return Err(CollisionError::MissingPlace {
            collider: collider.name.clone(),
            what: "travel",
            index: places.travel.len(),
            given: places.travel.len(),
        });
    }
    for (collider, &travel) in entries.iter().zip(places.travel) {
        non_negative(&collider.name, "travel", travel)?;
    }
    Ok(())
}

fn proxy(shape: &Shape, pose: &Isometry3<f64>, margin: f64) -> Proxy {
    if matches!(shape.form(), Form::HalfSpace) {
        let normal = pose.rotation * Vector3::z();
        return Proxy::HalfSpace {
            normal,
            offset: normal.dot(&pose.translation.vector) + margin,
        };
    }
    let bounds = shape.bounds().transformed(pose);
    if bounds.is_finite() {
        Proxy::Box(bounds.grown(margin))
    } else {
        Proxy::Everywhere
    }
}
