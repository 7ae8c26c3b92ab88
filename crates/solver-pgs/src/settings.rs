//! What a user can choose.

use stiction_constraints::cone::Pyramid;
use thiserror::Error;

/// Which per-contact iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// `pgs`: Gauss–Seidel on the Signorini–Coulomb problem, normal part first, then the
    /// tangential part into the disc (or ellipse), [CMC, Alg. 5].
    #[default]
    Ncp,
    /// `pgs-ccp`: Gauss–Seidel on the cone complementarity problem, nearest point of the cone,
    /// [CMC, Alg. 2].
    Ccp,
    /// `pgs-lcp`: Gauss–Seidel on a friction pyramid, row by row where that is |λ_t| ≤ μ λ_n, [CMC, Alg. 1].
    Lcp,
    /// `pgs-cg`: as [`Method::Ncp`], with the steps of sweeps made conjugate to each other, \[NNCG\].
    ConjugateGradient,
    /// `jacobi`: as [`Method::Ncp`], all contacts from the same iterate.
    Jacobi,
    /// `raisim`: each contact solved exactly under zero normal velocity, the sliding direction by
    /// bisection, [CMC, Alg. 4].
    Raisim,
}

impl Method {
    /// The solver's name.
    pub fn name(self) -> &'static str {
        match self {
            Method::Ncp => "pgs",
            Method::Ccp => "pgs-ccp",
            Method::Lcp => "pgs-lcp",
            Method::ConjugateGradient => "pgs-cg",
            Method::Jacobi => "jacobi",
            Method::Raisim => "raisim",
        }
    }

    /// The method of a solver's name; `pj`, as papers call it, is `jacobi`.
    pub fn named(name: &str) -> Option<Self> {
        let name = if name == "pj" { "jacobi" } else { name };
        [
            Method::Ncp,
            Method::Ccp,
            Method::Lcp,
            Method::ConjugateGradient,
            Method::Jacobi,
            Method::Raisim,
        ]
        .into_iter()
        .find(|method| method.name() == name)
    }

    /// Whether the method's fixed points are solutions of the true problem.
    pub fn solves_the_true_problem(self) -> bool {
        matches!(
            self,
            Method::Ncp | Method::ConjugateGradient | Method::Jacobi
        )
    }
}

/// By which residual the solver decides that it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Judge {
    /// The residual of the method's own model in m/s: the natural map of its law with each
    /// constraint's effective mass, largest component. For methods that solve the true problem
    /// this is the budget's criterion.
    #[default]
    OwnModel,
    /// The budget's criterion on the true problem, for every method.
    ResidualEvaluator,
}

/// Step lengths of [`Method::Jacobi`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JacobiStep {
    /// One over the sum of magnitudes of the row of G: the diagonal matrix of these sums is at
    /// least G, so that on convex laws no step overshoots (Gershgorin).
    #[default]
    RowSum,
    /// One over the diagonal of G, the textbook's. Diverges as soon as a few contacts share a
    /// body, unless the relaxation is small.
    Diagonal,
}

/// How often the blending weight α of [`Method::Raisim`] falls, α ← γ α + (1 − γ) α_min.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RaisimSchedule {
    /// After each sweep: every contact of a sweep is blended alike.
    #[default]
    PerSweep,
    /// After each contact, as [CMC, Alg. 4, line 12] is printed: the more contacts there are, the sooner.
    PerContact,
}

/// Settings of the per-contact solvers.
#[derive(Debug, Clone, PartialEq)]
pub struct PgsSettings {
    /// Which iteration.
    pub method: Method,
    /// Factor on every step, in (0, 2): above 1 over-relaxes. [`Method::Raisim`] starts its
    /// blending weight from it (values above 1 count as 1).
    pub relaxation: f64,
    /// Sweeps when the budget does not say.
    pub max_sweeps: usize,
    /// Whether a constraint whose impulse stays as it is costs nothing more. `false` goes through its whole row of G all
    /// the same, as the textbook's sweep does: the same impulses at another price, for comparisons.
    pub passes_over_still: bool,
    /// By which residual the solver stops.
    pub judge: Judge,
    /// The friction pyramid of [`Method::Lcp`].
    pub pyramid: Pyramid,
    /// Step lengths of [`Method::Jacobi`].
    pub jacobi_step: JacobiStep,
    /// Give up when the best residual improved by less than a thousandth over this many sweeps (over
    /// more of them in a long or an under-relaxed run).
    pub stall_sweeps: usize,
    /// Smallest blending weight of [`Method::Raisim`], in (0, 1].
    pub raisim_floor: f64,
    /// Share of the distance to the floor that the weight of [`Method::Raisim`] keeps each time it falls,
    /// in [0, 1].
    pub raisim_decay: f64,
    /// When the weight of [`Method::Raisim`] falls.
    pub raisim_schedule: RaisimSchedule,
}

impl Default for PgsSettings {
    fn default() -> Self {
        Self {
            method: Method::Ncp,
            relaxation: 1.0,
            max_sweeps: 1000,
            passes_over_still: true,
            judge: Judge::OwnModel,
            pyramid: Pyramid::default(),
            jacobi_step: JacobiStep::RowSum,
            stall_sweeps: 200,
            // From 1 slowly down. The code published with [CMC] has the same decay and a floor of 0.1; 0.7 is our
            // choice, not swept.
            raisim_floor: 0.7,
            raisim_decay: 0.99,
            raisim_schedule: RaisimSchedule::PerSweep,
        }
    }
}

impl PgsSettings {
    /// The weight of [`Method::Raisim`] that follows on this one.
    pub(crate) fn lower(&self, blend: f64) -> f64 {
        self.raisim_decay * blend + (1.0 - self.raisim_decay) * self.raisim_floor
    }

    /// Defaults for a method.
    pub fn for_method(method: Method) -> Self {
        Self {
            method,
            ..Self::default()
        }
    }

    /// Refuses settings with which the iteration makes no sense.
    ///
    /// # Errors
    /// The first field that is out of range.
    pub fn validate(&self) -> Result<(), SettingsError> {
        let refuse = |field, value, reason| {
            Err(SettingsError::OutOfRange {
                field,
                value,
                reason,
            })
        };
        if !(self.relaxation > 0.0 && self.relaxation < 2.0) {
            return refuse("relaxation", self.relaxation, "must lie between 0 and 2");
        }
        if self.stall_sweeps == 0 {
            return refuse("stall_sweeps", 0.0, "must be at least 1");
        }
        if !(self.raisim_floor > 0.0 && self.raisim_floor <= 1.0) {
            return refuse("raisim_floor", self.raisim_floor, "must lie in (0, 1]");
        }
        if !(0.0..=1.0).contains(&self.raisim_decay) {
            return refuse("raisim_decay", self.raisim_decay, "must lie in [0, 1]");
        }
        Ok(())
    }
}

/// Why settings were refused.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// A number out of its range.
    #[error("{field} = {value}: {reason}")]
    OutOfRange {
        /// Which field of [`PgsSettings`].
        field: &'static str,
        /// The value that was given.
        value: f64,
        /// What it must be.
        reason: &'static str,
    },
}
