//! SubADMM: the subsystem-based alternating direction method of multipliers, [AL, §VI].
//!
//! In the book: [SubADMM][book].
//!
//! [book]: ../../book/solvers/subadmm.html
//!
//! Every iteration solves one small linear system per subsystem (a body, a robot, a deformable
//! piece) and one closed form per constraint, nothing else: it is cheap, parallel, and its cost is
//! linear in the number of subsystems. It is the solver to take for moderate accuracy fast; to go
//! below 1e-6 take CANAL.
//!
//! ```
//! use stiction_constraints::{Budget, Law, Problem, RowBlock, Solution, Solver};
//! use stiction_solver_subadmm::SubAdmm;
//!
//! // A 2 kg point mass (given as a dense subsystem) that would fall by 0.04 m/s onto a floor.
//! let mut problem = Problem::new();
//! let mass = nalgebra::DMatrix::from_diagonal_element(3, 3, 2.0);
//! let body = problem.push_dense(mass, &[0.0, 0.0, -0.08])?;
//! let rows = RowBlock::Dofs { dofs: &[0, 1, 2], values: &[1., 0., 0., 0., 1., 0., 0., 0., 1.] };
//! problem.push_constraint(Law::Contact { friction: 0.5 }, &[0.0; 3], &[(body, rows)])?;
//!
//! let mut solution = Solution::cold();
//! let report = SubAdmm::default().solve(&problem, &Budget::with_tolerance(1e-9), &mut solution);
//! assert!(report.outcome.is_converged());
//! assert!((solution.impulse[2] - 0.08).abs() < 1e-8);
//! # Ok::<(), stiction_constraints::ProblemError>(())
//! ```
//!
//! - `\[AL\]`: Lee, Lee, Park, Yun, Lee, *Variations of Augmented Lagrangian for Robotic Multicontact
//!   Simulation*, IEEE T-RO 2025; equation numbers in this crate are from it.
//! - `[SubADMM-2023]`: Lee, Lee, Lee, *Modular and Parallelizable Multibody Physics Simulation via
//!   Subsystem-Based ADMM*.
//! - `\[RBDA\]`: Featherstone, *Rigid Body Dynamics Algorithms*.

mod anderson;
mod balance;
mod base;
mod block;
mod density;
mod fold;
mod impulse_step;
mod lanes;
mod layout;
mod monitor;
mod named;
mod parallel;
mod penalty;
mod response;
mod settings;
mod solve;
mod sweep;
mod trial;
mod vector;
mod velocity_step;

pub use named::SOLVERS;
pub use settings::{
    Adaptation, CoarseMatrix, Contacts, Overconstrained, STAGES, SecondPenalty, Splitting,
    StartPenalty, SubAdmmSettings, TreeMethod,
};
pub use solve::SubAdmm;

/// The code of the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
