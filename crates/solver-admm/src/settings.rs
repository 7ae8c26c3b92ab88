//! What a user can choose.

use stiction_constraints::cone::Pyramid;
use thiserror::Error;

/// Settings of the ADMM that all solvers of this crate are made of.
#[derive(Debug, Clone, PartialEq)]
pub struct AdmmSettings {
    /// ρ at the start, as a share of the diagonal of G. Small: the first step then is nearly the one at which
    /// everything sticks, and adds no internal forces.
    pub first_rho: f64,
    /// The same where there is a guess, which the first step would forget with a small one.
    pub guessed_rho: f64,
    /// Begin at the ρ that the last solve ended with, [CMC, §III]. Answers then depend, within the
    /// tolerance, on what was solved before, and solves of robots take more iterations
    /// (`stiction reproduce contact-models --only figure-16`): off by default.
    pub keeps_rho: bool,
    /// Over-relaxation α in (0, 2) [CMC, (22)]: 1 is none.
    pub relaxation: f64,
    /// Iteration of the first look at ρ; each further one is at twice the last.
    pub first_look: usize,
    /// ρ changes only by more than this factor: each change is a factorisation.
    pub adapt_ratio: f64,
    /// How constraints are weighed against each other.
    pub weights: Weights,
    /// Iterations when the budget does not say.
    pub max_iterations: usize,
}

/// Weights of constraints in the proximal parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Weights {
    /// One for all contacts, the mean diagonal of G over their rows, as the ρ Id of [CMC, Alg. 3]: of all
    /// impulses that move bodies alike those are found that are smallest, without internal forces. Other
    /// laws, whose rows have other units, by their own diagonal.
    #[default]
    Equal,
    /// Each constraint by its own diagonal of G.
    OwnDiagonal,
}

impl Default for AdmmSettings {
    fn default() -> Self {
        Self {
            first_rho: 1e-2,
            guessed_rho: 0.05,
            keeps_rho: false,
            relaxation: 1.6,
            first_look: 10,
            adapt_ratio: 3.0,
            weights: Weights::Equal,
            max_iterations: 2000,
        }
    }
}

/// Settings of [`CcpAdmm`](crate::CcpAdmm).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CcpAdmmSettings {
    /// The iteration.
    pub admm: AdmmSettings,
    /// α of the compliance R = α diag(G) that is added to contacts, [CMC, §III]: 0 for none.
    pub regularization: f64,
}

/// Settings of [`Staggered`](crate::Staggered).
#[derive(Debug, Clone, PartialEq)]
pub struct StaggeredSettings {
    /// The inner solver, of normal and of friction impulses.
    pub admm: AdmmSettings,
    /// Friction within this pyramid; `None` for the cone itself.
    pub pyramid: Option<Pyramid>,
    /// Weight of new friction impulses in an outer iteration, in (0, 2), [CMC, (22)]. Used without memory only.
    pub relaxation: f64,
    /// Outer iterations that Anderson's acceleration looks back on; 0 is [CMC, Alg. 6] as printed, which is slow
    /// where normal and friction impulses pull on the same rotations.
    pub memory: usize,
    /// Outer iterations when the budget does not say.
    pub max_iterations: usize,
    /// An inner solve ends when its error is this share of the last outer change.
    pub inner_share: f64,
    /// Inner iterations of all outer ones together: where inner solves do not get there, outer ones lead nowhere.
    pub max_inner_iterations: usize,
}

impl Default for StaggeredSettings {
    fn default() -> Self {
        Self {
            admm: AdmmSettings::default(),
            pyramid: None,
            relaxation: 1.0,
            memory: 6,
            max_iterations: 200,
            inner_share: 1e-3,
            max_inner_iterations: 200_000,
        }
    }
}

/// Why settings were refused.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{field} = {value}: {reason}")]
pub struct SettingsError {
    /// Which field.
    pub field: &'static str,
    /// The value that was given.
    pub value: f64,
    /// What it must be.
    pub reason: &'static str,
}

fn require(
    is_good: bool,
    field: &'static str,
    value: f64,
    reason: &'static str,
) -> Result<(), SettingsError> {
    match is_good {
        true => Ok(()),
        false => Err(SettingsError {
            field,
            value,
            reason,
        }),
    }
}

impl AdmmSettings {
    /// Refuses settings with which the iteration makes no sense.
    ///
    /// # Errors
    /// The first field that is out of range.
    pub fn validate(&self) -> Result<(), SettingsError> {
        for (field, rho) in [
            ("first_rho", self.first_rho),
            ("guessed_rho", self.guessed_rho),
        ] {
            let is_good = rho > 0.0 && rho.is_finite();
            require(is_good, field, rho, "must be positive and finite")?;
        }
        let relaxation = self.relaxation;
        let is_good = relaxation > 0.0 && relaxation < 2.0;
        require(
            is_good,
            "relaxation",
            relaxation,
            "must lie between 0 and 2",
        )?;
        let look = self.first_look;
        require(look > 0, "first_look", look as f64, "must be at least 1")?;
        let ratio = self.adapt_ratio;
        require(ratio >= 1.0, "adapt_ratio", ratio, "must be at least 1")
    }
}

impl CcpAdmmSettings {
    /// Refuses settings with which the solver makes no sense.
    ///
    /// # Errors
    /// The first field that is out of range.
    pub fn validate(&self) -> Result<(), SettingsError> {
        self.admm.validate()?;
        let alpha = self.regularization;
        let is_good = alpha >= 0.0 && alpha.is_finite();
        require(
            is_good,
            "regularization",
            alpha,
            "must be finite and not negative",
        )
    }
}

impl StaggeredSettings {
    /// Refuses settings with which the solver makes no sense.
    ///
    /// # Errors
    /// The first field that is out of range.
    pub fn validate(&self) -> Result<(), SettingsError> {
        self.admm.validate()?;
        let relaxation = self.relaxation;
        let is_good = relaxation > 0.0 && relaxation < 2.0;
        require(
            is_good,
            "relaxation",
            relaxation,
            "must lie between 0 and 2",
        )?;
        let share = self.inner_share;
        let is_good = share > 0.0 && share < 1.0;
        require(is_good, "inner_share", share, "must lie between 0 and 1")
    }
}
