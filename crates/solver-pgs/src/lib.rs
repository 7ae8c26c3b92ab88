//! Per-contact solvers on the Delassus matrix G = J A⁻¹ Jᵀ: one constraint after the other is
//! solved as if the others were right, sweep after sweep.
//!
//! In the book: [per-contact solvers][book].
//!
//! [book]: ../../book/solvers/per-contact.html
//!
//! Six solvers share one loop and differ in what they do with one contact, see [`SOLVERS`] and
//! [`Method`]. They are cheap per sweep and need no tuning; they converge slowly where many
//! contacts press on one body or a heavy body rests on a light one, and they say so.
//!
//! # What `Converged` means
//! `pgs`, `pgs-cg` and `jacobi` solve the Signorini–Coulomb problem itself and are judged by the common
//! evaluator. `pgs-ccp`, `pgs-lcp` and `raisim` solve *other models*; by default they are done
//! when their own model is solved, whatever the residuals of the true problem are. The report's
//! residuals are always those of the true problem; [`Pgs::own_residual`] tells the other. With
//! [`Judge::ResidualEvaluator`] only the true problem counts, and these three then end with an honest
//! failure on most problems that slide.
//!
//! ```
//! use stiction_constraints::{Budget, Law, Problem, RowBlock, Solution, Solver};
//! use stiction_solver_pgs::Pgs;
//!
//! // One kilogram falls on the ground at 1 m/s.
//! let mut problem = Problem::new();
//! problem.push_dense(nalgebra::DMatrix::identity(1, 1), &[-1.0])?;
//! let row = RowBlock::Dofs { dofs: &[0], values: &[1.0] };
//! problem.push_constraint(Law::Unilateral, &[0.0], &[(0, row)])?;
//!
//! let mut solver = Pgs::named("pgs").expect("one of SOLVERS");
//! let mut solution = Solution::cold();
//! let report = solver.solve(&problem, &Budget::default(), &mut solution);
//! assert!(report.outcome.is_converged());
//! assert_eq!(solution.impulse, [1.0]);
//! # Ok::<(), stiction_constraints::ProblemError>(())
//! ```

mod conjugate;
mod declaration;
mod local;
mod own_residual;
mod progress;
mod settings;
mod solve;
mod update;
mod workspace;

pub use settings::{JacobiStep, Judge, Method, PgsSettings, RaisimSchedule, SettingsError};
pub use solve::Pgs;

/// Every solver of this crate: its name and what it is for.
pub const SOLVERS: &[(&str, &str)] = &[
    (
        "pgs",
        "projected Gauss-Seidel on the exact Coulomb problem: cheap sweeps, moderate accuracy",
    ),
    (
        "pgs-ccp",
        "projected Gauss-Seidel on the convex cone model: always converges, slides with a lift-off error",
    ),
    (
        "pgs-lcp",
        "projected Gauss-Seidel on the friction pyramid: the model of game engines, friction depends on direction",
    ),
    (
        "pgs-cg",
        "pgs with the steps of its sweeps made conjugate: fewer sweeps where impulses travel far, none the dearer",
    ),
    (
        "jacobi",
        "projected Jacobi on the exact Coulomb problem: order-free and symmetric, slower than pgs",
    ),
    (
        "raisim",
        "per-contact bisection on the sliding ellipse: exact single contacts, no maximum dissipation",
    ),
];

/// The code of the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
