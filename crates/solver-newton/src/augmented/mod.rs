//! The augmented Lagrangian on the strict surrogate problem [AL, (20)], solved by globalised semismooth Newton: what
//! CANAL replaces by a convex problem, [AL, §VII-D and Table II].

mod outer_loop;
mod surrogate;

pub use outer_loop::{AugmentedNewton, AugmentedSettings, StartPenalty};
