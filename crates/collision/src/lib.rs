//! Collision detection: bodies' poses in, contact points out.
//!
//! A [`CollisionWorld`] holds [`Collider`]s (a [`Shape`] fixed to a body, with a [`Material`]).
//! [`CollisionWorld::detect`] takes the poses of the bodies and returns [`ContactPoint`]s: midpoint,
//! unit normal from A to B, signed gap, combined material, and an id that persists from step to step.
//!
//! ```
//! use nalgebra::{Isometry3, Vector3};
//! use stiction_collision::{Collider, CollisionWorld, Shape, WorldSettings};
//!
//! # fn main() -> stiction_collision::Result<()> {
//! let mut world = CollisionWorld::new(WorldSettings::default())?;
//! world.add(Collider::new("ground", 0, Shape::half_space("ground")))?;
//! let block = Shape::cuboid("block", Vector3::new(0.1, 0.1, 0.1))?;
//! world.add(Collider::new("block", 1, block))?;
//! let poses = [Isometry3::identity(), Isometry3::translation(0.0, 0.0, 0.1)];
//! let mut contacts = Vec::new();
//! world.detect(&poses, &mut contacts)?;
//! assert_eq!(contacts.len(), 4);
//! # Ok(())
//! # }
//! ```
//!
//! Conventions: SI units, f64, poses as [`nalgebra::Isometry3`], axes of revolution along z. No type
//! of the geometry library underneath (parry) appears in this interface.

mod aabb;
mod broad_phase;
mod bvh;
mod contact;
mod detector;
mod error;
mod filter;
mod frank_wolfe;
mod material;
mod narrow;
mod nodes;
mod reduce;
mod rod;
pub mod sdf;
pub mod shape;
pub mod surface;
mod world;

pub use aabb::Aabb;
pub use broad_phase::{BroadPhase, Proxy};
pub use contact::{ContactId, ContactPoint, ShapeContact};
pub use detector::{Handled, PairDetector};
pub use error::{CollisionError, Result};
pub use filter::Groups;
pub use frank_wolfe::{
    FaceMinimum, FrankWolfeSettings, SearchEffort, minimize_on_face, minimize_on_face_splitting,
};
pub use material::{CombineRule, ContactMaterial, Friction, Material};
pub use narrow::{NarrowScratch, NarrowSettings, PairMemory, contacts_between};
pub use nodes::{DeformableSurface, NodeContact, nodes_against_shape};
pub use reduce::ReduceSettings;
pub use rod::{RodSelfCollision, RodSelfContact, rod_against_shape};
pub use shape::{Outline, Shape, VolumeMoments};
pub use world::{
    Collider, CollisionMemory, CollisionWorld, DetectReport, Execution, WorldSettings,
};
