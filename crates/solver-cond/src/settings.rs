//! What a user can choose.

use thiserror::Error;

/// How a contact's impulse is brought into its friction cone, [COND, (26)].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Operator {
    /// Normal part first, then the tangential part into the section of the cone: Signorini and Coulomb
    /// exactly; convergence is proven for small steps of systems of nodes alone, [COND, Thm 1].
    #[default]
    Strict,
    /// Nearest point of the cone: the convex cone model, which always converges, [COND, Thm 2].
    Proximal,
}

/// The diagonal step matrix W, [COND, §IV-C].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StepMatrix {
    /// W = α P⁻¹, α = 2/(σ_min + σ_max) of P⁻¹A, by power iteration.
    Eigenvalues,
    /// W = M̂⁻¹, the step of [COND, Thm 1]: for nodes the sum of a row of A over nodes, which is what is left
    /// of it when everything moves alike. Contracts for small time steps only.
    Mass,
    /// Smallest ‖I − W A‖_F, [COND, §IV-C 1].
    Frobenius,
    /// Smallest ‖I − P^½ W A P^−½‖_F with P = diag A: the same where all degrees of freedom have one
    /// unit, and independent of units where they have not (links that turn). Ours.
    #[default]
    ScaledFrobenius,
    /// α = sᵀP s / sᵀz in every iteration, W = α P⁻¹.
    BarzilaiBorwein1,
    /// α = sᵀz / zᵀP⁻¹z.
    BarzilaiBorwein2,
    /// The two in turn.
    BarzilaiBorweinAlternating,
}

impl StepMatrix {
    /// Whether α is found anew in every iteration.
    pub(crate) fn is_adaptive(self) -> bool {
        matches!(
            self,
            Self::BarzilaiBorwein1 | Self::BarzilaiBorwein2 | Self::BarzilaiBorweinAlternating
        )
    }
}

/// P of the step matrices that are a number times P⁻¹.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Metric {
    /// P = I, as printed: mixes units where some degrees of freedom are angles.
    Identity,
    /// P = diag A, equal for the three directions of a node; the matrix itself for free bodies and trees, whose
    /// degrees of freedom no contact acts on directly, so that [COND, Prop. 3] asks nothing of them. Ours.
    #[default]
    Diagonal,
}

/// The gain k_v that holds a virtual node to its place, in impulse form: that of the paper times the time
/// step, kg.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Gain {
    /// The same for all, kg.
    Absolute(f64),
    /// A multiple of the mass that each virtual node sees, by the diagonal of A.
    Relative(f64),
}

/// Where ϱ of the acceleration is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Radius {
    /// From the last two changes in every iteration, [COND, (39)].
    Latest,
    /// From the changes before the acceleration starts, kept until it is restarted.
    #[default]
    Frozen,
}

/// Chebyshev acceleration, [COND, Alg. 3] with the under-relaxation that its text asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chebyshev {
    /// Iterations before it starts, l_s ≥ 2.
    pub start: usize,
    /// Under-relaxation u, in (0, 1].
    pub relaxation: f64,
    /// Where ϱ is from.
    pub radius: Radius,
}

impl Default for Chebyshev {
    fn default() -> Self {
        Self {
            start: 5,
            relaxation: 0.9,
            radius: Radius::default(),
        }
    }
}

/// Settings of COND.
#[derive(Debug, Clone, PartialEq)]
pub struct CondSettings {
    /// The cone operator.
    pub operator: Operator,
    /// The step matrix.
    pub step_matrix: StepMatrix,
    /// P of step matrices that are a number times P⁻¹.
    pub metric: Metric,
    /// Gain of virtual nodes.
    pub gain: Gain,
    /// The acceleration; not with Barzilai–Borwein steps.
    pub chebyshev: Option<Chebyshev>,
    /// Moves what virtual nodes lag behind by into a multiplier: the answer is that of the true problem,
    /// without the error λ/k_v. Ours.
    pub shift: bool,
    /// Iterations when the budget does not say.
    pub max_iterations: usize,
    /// Solves for which a step matrix serves, [COND, §IV-C]: 1 for none but its own. With more, how fast a
    /// solve converges depends on the solves before it.
    pub reuse: usize,
}

impl Default for CondSettings {
    fn default() -> Self {
        Self {
            operator: Operator::default(),
            step_matrix: StepMatrix::default(),
            metric: Metric::default(),
            gain: Gain::Relative(100.0),
            chebyshev: Some(Chebyshev::default()),
            shift: false,
            max_iterations: 2000,
            reuse: 1,
        }
    }
}

impl CondSettings {
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
        let (Gain::Absolute(gain) | Gain::Relative(gain)) = self.gain;
        if !(gain.is_finite() && gain > 0.0) {
            return refuse("gain", gain, "must be finite and positive");
        }
        if let Some(chebyshev) = self.chebyshev {
            if chebyshev.start < 2 {
                let start = chebyshev.start as f64;
                return refuse("chebyshev.start", start, "must be at least 2");
            }
            if !(chebyshev.relaxation > 0.0 && chebyshev.relaxation <= 1.0) {
                let relaxation = chebyshev.relaxation;
                return refuse("chebyshev.relaxation", relaxation, "must lie in (0, 1]");
            }
        }
        if self.reuse == 0 {
            return refuse("reuse", 0.0, "must be at least 1");
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
        /// Which field of [`CondSettings`].
        field: &'static str,
        /// The value that was given.
        value: f64,
        /// What it must be.
        reason: &'static str,
    },
}
