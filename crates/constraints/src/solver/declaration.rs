//! What a solver says of itself, and a conformance suite holds it to.

use super::criterion::Criterion;

/// What of the contact laws a solver gives up, so that its answer is that of another model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Relaxation {
    /// Contacts may be apart and push, or overlap more than the law says.
    Signorini,
    /// The friction cone is replaced by another set.
    Coulomb,
    /// Friction need not oppose slip.
    MaximumDissipation,
}

impl Relaxation {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Relaxation::Signorini => "Signorini",
            Relaxation::Coulomb => "Coulomb",
            Relaxation::MaximumDissipation => "maximum dissipation",
        }
    }
}

/// What a solver supports, relaxes and promises.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Declaration {
    /// Kinds of laws, as [`Law::kind`](crate::Law::kind) names them, that are refused by name.
    pub refused_laws: &'static [&'static str],
    /// Kinds of subsystems, as [`Subsystem::kind`](crate::Subsystem::kind) names them, that are
    /// refused.
    pub refused_subsystems: &'static [&'static str],
    /// What it relaxes of the contact laws; its `Converged` is about the relaxed model then.
    pub relaxes: &'static [Relaxation],
    /// When convergence is proven; empty where it is not.
    pub guarantee: &'static str,
    /// Stopping tests of papers that it has the quantities for, beside our residuals.
    pub tests: &'static [Criterion],
    /// The stopping test of the paper that it follows to the letter.
    pub own_test: Option<Criterion>,
    /// Whether it finds the velocity of least violation where constraints contradict each other.
    pub finds_least_violation: bool,
    /// Whether it adds compliance that the problem does not have, which shifts the solution.
    pub shifts: bool,
    /// Whether, begun without a guess, it adds no internal forces where bodies stick: none that press bodies
    /// against each other and move nothing.
    pub avoids_internal_forces: bool,
    /// Whether a heavy body on a light one, up to 1 : 10⁶, costs it no accuracy.
    pub is_robust: bool,
    /// Whether each solve allocates, also where nothing grew.
    pub allocates: bool,
}

impl Declaration {
    /// Everything supported, nothing relaxed, nothing proven.
    pub const EXACT: Self = Self {
        refused_laws: &[],
        refused_subsystems: &[],
        relaxes: &[],
        guarantee: "",
        tests: &[Criterion::EpsAbs],
        own_test: None,
        finds_least_violation: false,
        shifts: false,
        avoids_internal_forces: false,
        is_robust: false,
        allocates: false,
    };

    /// Whether the solver solves the contact laws themselves.
    pub fn is_exact(&self) -> bool {
        self.relaxes.is_empty()
    }

    /// Whether a budget's criterion is one that the solver has.
    pub fn has(&self, criterion: Criterion) -> bool {
        !criterion.is_test() || self.tests.contains(&criterion)
    }
}
