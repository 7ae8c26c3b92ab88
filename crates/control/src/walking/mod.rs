//! Walking on four legs: convex model-predictive control of the trunk, a gait schedule, swing legs and joints.
//!
//! After J. Di Carlo, P. Wensing, B. Katz, G. Bledt and S. Kim, "Dynamic Locomotion in the MIT Cheetah 3 Through
//! Convex Model-Predictive Control", IROS 2018, cited as \[CMPC\].
//!
//! | file | what |
//! |---|---|
//! | `gait` | which foot stands when |
//! | `mpc` | the trunk as one rigid body over a horizon, a quadratic program for the forces of standing feet |
//! | `program` | that program for Clarabel |
//! | `leg` | kinematics of one leg: where its foot is, its Jacobian, its joints for a place of the foot |
//! | `swing` | where a foot goes next, and on which way |
//! | `walker` | the controller: reads the world's state, calls the others, commands the joints |

mod gait;
mod leg;
mod mpc;
mod program;
mod swing;
mod walker;

pub use gait::{Gait, LegPhase};
pub use leg::LegNames;
pub use mpc::{Mpc, MpcSettings, TrunkReference, TrunkState, Weights};
pub use walker::{VelocityCommand, Walker, WalkerSettings};

/// Number of legs.
pub const LEGS: usize = 4;
