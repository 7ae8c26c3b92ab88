//! [book]: ../../book/tutorials/own-solver.html
//!
#![doc = include_str!("../README.md")]

mod block;
mod bolt_nut;
mod cable;
mod certified;
mod dish_stack;
mod geometry;
mod kinds;
mod lattice;
mod mixed_laws;
mod quadruped;
mod quadrupeds;
mod random_parts;
mod random_small;
mod random_wide;
mod sampling;
mod sphere_pile;
mod tower;
pub mod transform;

pub use block::{Block, BlockMode, BlockParams, block};
pub use bolt_nut::{BoltNutParams, bolt_nut};
pub use cable::{CableParams, cable};
pub use certified::{Certificate, certify_drawn, certify_interior};
pub use dish_stack::{DishStackParams, dish_stack};
pub use kinds::{LawKind, SubsystemKind};
pub use lattice::{LatticeParams, lattice};
pub use mixed_laws::{MixedLawsParams, mixed_laws};
pub use quadrupeds::{Arrangement, QuadrupedsParams, quadrupeds};
pub use random_small::{Feasibility, RandomSmallParams, random_small, random_small_from};
pub use random_wide::{
    Breadth, Family, Labels, Oddity, RandomWideParams, WideProblem, families, random_wide,
    random_wide_from,
};
pub use sphere_pile::{SpherePileParams, sphere_pile};
pub use tower::{TowerParams, tower};

/// Standard gravity in m/s².
pub const GRAVITY: f64 = 9.81;

/// Time step that turns forces into impulses in most generators, in s.
pub const TIME_STEP: f64 = 1.0 / 240.0;
