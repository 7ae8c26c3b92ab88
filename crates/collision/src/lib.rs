//! x
pub mod sdf;
pub mod surface;
pub mod shape;
mod bvh;
mod aabb;
mod contact;
mod error;
mod frank_wolfe;
mod material;
mod narrow;
mod reduce;

pub use aabb::Aabb;
pub use contact::{ContactId, ContactPoint, ShapeContact};
pub use error::{CollisionError, Result};
pub use frank_wolfe::{
    FaceMinimum, FrankWolfeSettings, minimize_on_face, minimize_on_face_splitting,
};
pub use material::{CombineRule, ContactMaterial, Friction, Material};
pub use narrow::{NarrowScratch, NarrowSettings, PairMemory, contacts_between};
pub use reduce::ReduceSettings;
pub use shape::Shape;
