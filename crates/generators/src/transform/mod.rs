//! Variants of a problem whose answer relates to the original's in a known way.

mod dense;
mod noise;
mod order;
pub(crate) mod rebuild;
mod scale;

pub use dense::densify;
pub use noise::perturb_b;
pub use order::{duplicate_contacts, permute_constraints, permute_subsystems};
pub use scale::{scale_mass, without_friction};
