//! Collision detection: places in, contact points out.
//!
//! In the book: [a collision detector of one's own][book].
//!
//! [book]: ../../book/tutorials/own-detector.html
//!
//! A [`ColliderSet`] says what there is: [`Collider`]s made of a [`Geometry`] (rigid shapes, points,
//! chains, surfaces) and a [`Material`], and which of them may touch. A [`Detector`] takes it and the
//! [places](PlacesView) of frames and nodes, and returns [`ContactPoint`]s: midpoint, unit normal from
//! A to B, signed gap, combined material, what each side stands on, and an id that persists from step
//! to step. [`BuiltInDetector`] is the detector that comes with this crate.
//!
//! ```
//! use nalgebra::{Isometry3, Vector3};
//! use stiction_collision::{
//!     BuiltInDetector, Collider, ColliderSet, DetectionSettings, Detector, PlacesView, Shape,
//! };
//!
//! # fn main() -> stiction_collision::Result<()> {
//! let mut colliders = ColliderSet::new();
//! colliders.add(Collider::rigid("ground", 0, Shape::half_space("ground")))?;
//! let block = Shape::cuboid("block", Vector3::new(0.1, 0.1, 0.1))?;
//! colliders.add(Collider::rigid("block", 1, block))?;
//! let poses = [Isometry3::identity(), Isometry3::translation(0.0, 0.0, 0.1)];
//! let mut detector = BuiltInDetector::new(DetectionSettings::default())?;
//! let mut contacts = Vec::new();
//! detector.detect(&colliders, &PlacesView::of_frames(&poses), &mut contacts)?;
//! assert_eq!(contacts.len(), 4);
//! # Ok(())
//! # }
//! ```
//!
//! Which kinds of geometry are tested against each other:
//!
//! | | rigid | points | chain | surface |
//! |---|---|---|---|---|
//! | **rigid** | yes | yes | yes | yes |
//! | **points** | | yes, unless both have radius 0 | yes | yes |
//! | **chain** | | | yes | yes |
//! | **surface** | | | | yes |
//! | **itself** | never | if it has a radius | yes | yes |
//!
//! A custom shape against anything that is not rigid is refused: it cannot be asked for its distance to
//! a point. [`Detector::detect`] then returns an error that names the two, wherever they are, until the
//! pair is excluded.
//!
//! Conventions: SI units, f64, poses as [`nalgebra::Isometry3`], axes of revolution along z. No type
//! of the geometry library underneath (parry) appears in this interface.

pub use nalgebra;

mod aabb;
mod broad_phase;
mod built_in;
mod bvh;
mod collider;
mod contact;
mod detector;
mod error;
mod flexible;
mod frank_wolfe;
mod lanes;
mod material;
mod narrow;
mod pair_detector;
mod places;
mod reduce;
pub mod sdf;
pub mod shape;
mod support;
pub mod surface;

pub use aabb::Aabb;
pub use broad_phase::{BroadPhase, Crowded, MOST_PAIRS, Proxy};
pub use built_in::{BuiltInDetector, DetectionSettings, Execution};
pub use collider::{Collider, ColliderSet, Geometry, Groups};
pub use contact::{ContactId, ContactPoint, ShapeContact};
pub use detector::{CollisionMemory, DetectReport, Detector};
pub use error::{CollisionError, Result};
pub use frank_wolfe::{
    FaceMinimum, FrankWolfeSettings, SearchEffort, minimize_on_face, minimize_on_face_splitting,
};
pub use material::{CombineRule, ContactMaterial, Friction, Material};
pub use narrow::{NarrowScratch, NarrowSettings, PairMemory, contacts_between};
pub use pair_detector::{Handled, PairDetector};
pub use places::PlacesView;
pub use reduce::ReduceSettings;
pub use shape::{Outline, Shape, VolumeMoments};
pub use support::Support;

/// The code of the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
