//! Cosserat rods: cables, ropes, wires, hoses.
//!
//! A rod is a chain of links, rigid bodies with six degrees of freedom each, and joints that resist
//! shear, stretch, bending and twist. [`RodEquations`] gives A v̂ = b of a time step, A block tridiagonal
//! with 6×6 blocks and a fixed pattern; [`RodStepper`] steps a rod that nothing touches;
//! [`equilibrium()`] finds where it stands still; [`Rod::cut`] cuts it into pieces.
//!
//! ```text
//! A = M + h² H + h D        b = M v + h (f − g)        x⁺ = x + h v̂,  R⁺ = turn(h ω̂) R,  v⁺ = v̂
//! H = Σ ℓJᵀCJ + psd(geometric stiffness)              D = α M + Σ ℓJᵀC diag(τ) J
//! ```

mod assemble;
mod cut;
mod equilibrium;
mod error;
mod geometric;
mod joint;
mod measure;
mod model;
mod rotation;
mod section;
mod shape;
mod step;
mod support;
mod tridiagonal;

#[cfg(test)]
mod derivative_tests;

pub use assemble::{RodEquations, RodInput, RodStepSettings, Strains};
pub use cut::{RodPieces, RodSeam};
pub use equilibrium::{Equilibrium, EquilibriumSettings, equilibrium};
pub use error::RodError;
pub use joint::{JointRows, MOST_ANGLE};
pub use measure::{JointStress, RodEnergy};
pub use model::Rod;
pub use section::{Damping, Profile, RodMaterial, Section, Stiffness};
pub use shape::RodShape;
pub use step::{RodState, RodStepReport, RodStepper, retract};
pub use support::Supports;
pub use tridiagonal::BlockTridiagonal;
