//! From contact problems as files have them to the [`Problem`](stiction_constraints::Problem) that
//! solvers take: a local one (W, q) by a rank-revealing factorisation of W, a global one
//! (M, H, f, w) by the diagonal blocks of M.

mod contact_residuals;
mod global;
mod local;
mod rank_factor;
mod reduced_local;

pub use global::GlobalProblem;
pub use local::LocalProblem;
pub use reduced_local::ReducedLocal;
