//! The residuals that all solvers are judged by.

mod careful;
mod evaluator;
mod maps;
mod model_eps_abs;
mod models;
mod sparse_masses;

pub use evaluator::ResidualEvaluator;

use serde::{Deserialize, Serialize};

use crate::solver::Criterion;

/// Every residual of one set of impulses λ, with v̂ = A⁻¹(b + Jᵀλ) recomputed from it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Residuals {
    /// The contact residual of [AL, §VII]: ‖T_strict(J v̂ − λ; β = 1) − λ‖₂ over the number of
    /// constraints. Mixes m/s and N·s.
    pub paper: f64,
    /// The same map with each constraint's effective mass as β, divided by it, largest component:
    /// in m/s, the same at any mass scale.
    pub scaled: f64,
    /// Largest distance of a contact's impulse to its friction cone, N·s, [CMC, §III].
    pub primal: f64,
    /// Largest distance of a contact's velocity (with the De Saxcé shift) to the dual cone, m/s.
    pub dual: f64,
    /// Largest |⟨λ, velocity with shift⟩| of a contact, J.
    pub complementarity: f64,
    /// Natural map r − P_K(r − (u + μ‖u_t‖n)) of contacts (natural map of the law for the others),
    /// 2-norm over (1 + ‖q‖), q the free velocity of the rows.
    pub natural: f64,
    /// The same map in variables scaled by the mean diagonal of J A⁻¹ Jᵀ, free of units.
    pub balanced: f64,
    /// Fischer–Burmeister residual of the normal rows in m/s (impulses over effective mass),
    /// largest value.
    pub fischer_burmeister: f64,
    /// ‖A v̂ − b − Jᵀλ‖ of the velocity that was handed in, relative to ‖b‖.
    pub dynamics: f64,
    /// What rounding of A, J, b and λ may hide of the velocities of the rows, m/s. Nothing below it can be
    /// known of `scaled` in 64-bit numbers.
    #[serde(default)]
    pub rounding: f64,
}

impl Residuals {
    /// What is reported when nothing could be measured: everything infinite.
    pub fn unknown() -> Self {
        let unknown = f64::INFINITY;
        Self {
            paper: unknown,
            scaled: unknown,
            primal: unknown,
            dual: unknown,
            complementarity: unknown,
            natural: unknown,
            balanced: unknown,
            fischer_burmeister: unknown,
            dynamics: unknown,
            rounding: unknown,
        }
    }

    /// What is reported when only the criterion's residual was measured: the others are infinite.
    /// `Natural` is about the larger of two, which both get its value.
    pub fn only(criterion: Criterion, value: f64) -> Self {
        let mut out = Self::unknown();
        match criterion {
            Criterion::Paper => out.paper = value,
            Criterion::Natural => (out.natural, out.balanced) = (value, value),
            Criterion::EpsAbs => {
                (out.primal, out.dual, out.complementarity) = (value, value, value);
            }
            // Beside a test that is not about impulses the scaled residual is measured.
            Criterion::Scaled
            | Criterion::VelocityChange
            | Criterion::Consensus
            | Criterion::PrimalDual
            | Criterion::SplitChange => out.scaled = value,
        }
        out
    }

    /// The same with the criterion's residual not below a value.
    #[must_use]
    pub fn at_least(mut self, criterion: Criterion, value: f64) -> Self {
        if value > self.of(criterion) {
            match criterion {
                Criterion::Paper => self.paper = value,
                Criterion::Natural => self.natural = value,
                Criterion::EpsAbs => self.primal = value,
                Criterion::Scaled
                | Criterion::VelocityChange
                | Criterion::Consensus
                | Criterion::PrimalDual
                | Criterion::SplitChange => self.scaled = value,
            }
        }
        self
    }

    /// ε_abs of [CMC, §III]: the largest of primal, dual and complementarity.
    pub fn eps_abs(&self) -> f64 {
        worse(worse(self.primal, self.dual), self.complementarity)
    }

    /// The residual that a criterion is about; the scaled one for tests that are not about impulses.
    pub fn of(&self, criterion: Criterion) -> f64 {
        match criterion {
            Criterion::Paper => self.paper,
            Criterion::Natural => worse(self.natural, self.balanced),
            Criterion::EpsAbs => self.eps_abs(),
            Criterion::Scaled
            | Criterion::VelocityChange
            | Criterion::Consensus
            | Criterion::PrimalDual
            | Criterion::SplitChange => self.scaled,
        }
    }
}

/// The larger of two residuals; what is not a number is infinitely wrong, where `f64::max` would
/// drop it.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::INFINITY
    } else {
        a.max(b)
    }
}
