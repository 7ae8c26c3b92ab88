//! Reproducible random contact problems: what tests, benches and fuzzing of contact solvers feed on.
//!
//! Every generator takes a small struct of parameters with defaults, a seed among them, and
//! returns a [`Problem`](stiction_constraints::Problem); the same parameters give the same problem.
//! Parameters that make no sense are refused with the element they spoil.
//!
//! | generator | models | hard because |
//! |---|---|---|
//! | [`block`] | a cube on the ground: sticks, slips, lifts off, bounces | has an exact answer |
//! | [`tower`] | cubes on top of each other, the last one heavier | heavy on light |
//! | [`bolt_nut`] | a nut on a thread, both flanks touching | 120 contacts on 6 degrees of freedom |
//! | [`dish_stack`] | bowls, a plate and a pot | 200 slanted contacts, masses 50 : 1 |
//! | [`quadrupeds`] | legged robots that lean on each other | trees, joint friction and limits |
//! | [`cable`] | links held together by springs on the floor | rows in metres and in radians |
//! | [`lattice`] | a deformable bar sliding on a wavy floor | stiffness inside A |
//! | [`sphere_pile`] | many bodies, each touching few others | size |
//! | [`mixed_laws`] | one constraint of every law | variety |
//! | [`random_small`] | anything that is a valid problem | no structure to rely on |
//! | [`random_wide`] | the same, from plain and certified to have a solution to wild | zero rows, contradictions, masses 1e12 : 1 |
//!
//! [`certify_drawn`] and [`certify_interior`] change e and b of any problem so that it has a solution.
//!
//! [`transform`] makes variants of any problem: other mass units, duplicated contacts, no friction,
//! another order, a slightly different right-hand side, dense matrices.
//!
//! ```
//! use stiction_generators::{bolt_nut, BoltNutParams};
//!
//! let problem = bolt_nut(&BoltNutParams { friction: 0.3, seed: 7, ..Default::default() })?;
//! assert_eq!((problem.dof_count(), problem.contact_count()), (6, 120));
//! # Ok::<(), stiction_constraints::ProblemError>(())
//! ```

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
