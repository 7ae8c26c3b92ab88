//! When a solve has done enough: our residuals, and the stopping tests of the papers.

use serde::{Deserialize, Serialize};

/// What the tolerance of a [`Budget`](super::Budget) is about.
///
/// The first three are residuals of the impulses that are handed back, and end a solve as
/// [`Converged`](super::Outcome::Converged). The others are the tests that papers print: they may be
/// met far from a solution (‖J v̂ − z‖ can be 1.4e-4 where the residual is 0.25 m/s), so that they
/// end a solve as [`Stopped`](super::Outcome::Stopped), and as `Converged` only where the scaled
/// residual is within the tolerance too. Solvers whose iterates have a v̂ of their own (COND, ADMM) do what their paper
/// prints under a test of it: they hand back the last v̂ and λ, not the best, with the v̂ that moves the bodies
/// there, and A v̂ = b + Jᵀλ holds no better than the test says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Criterion {
    /// [`Residuals::scaled`](crate::Residuals::scaled), in m/s: the default.
    #[default]
    Scaled,
    /// [`Residuals::paper`](crate::Residuals::paper), the contact residual of [AL, §VII].
    Paper,
    /// The larger of [`Residuals::natural`](crate::Residuals::natural) and
    /// [`Residuals::balanced`](crate::Residuals::balanced), by which collections of contact problems
    /// are scored.
    Natural,
    /// ε_abs of [CMC, §III]: the largest of primal, dual and complementarity violation; where a solver
    /// relaxes the contact laws, of the model that it solves.
    EpsAbs,
    /// ‖v̂ˡ⁺¹ − v̂ˡ‖₂ between iterations, [COND, Alg. 1]; of solvers of impulses ‖A⁻¹Jᵀ Δλ‖₂.
    VelocityChange,
    /// ‖J v̂ − z‖₂, [AL, Alg. 1].
    Consensus,
    /// θ_p + θ_d, [AL, (43) and Alg. 2].
    PrimalDual,
    /// Σ‖Δy‖² with y = β z + u, [SUB, (22)].
    SplitChange,
}

impl Criterion {
    /// All criteria with the word for each, as in files and on the command line.
    pub const ALL: [(Criterion, &'static str); 8] = [
        (Criterion::Scaled, "scaled"),
        (Criterion::Paper, "paper"),
        (Criterion::Natural, "natural"),
        (Criterion::EpsAbs, "eps-abs"),
        (Criterion::VelocityChange, "velocity-change"),
        (Criterion::Consensus, "consensus"),
        (Criterion::PrimalDual, "primal-dual"),
        (Criterion::SplitChange, "split-change"),
    ];

    /// Whether this is a stopping test of a paper rather than one of our residuals.
    pub fn is_test(self) -> bool {
        !matches!(
            self,
            Criterion::Scaled | Criterion::Paper | Criterion::Natural
        )
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(criterion, _)| *criterion == self)
            .map_or("", |(_, word)| word)
    }
}
