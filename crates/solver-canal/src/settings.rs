//! What a user may set.

/// Settings of [`Canal`](crate::Canal). The defaults need no tuning: every penalty is a multiple
/// of the problem's own effective mass.
#[derive(Debug, Clone, PartialEq)]
pub struct CanalSettings {
    /// First penalty β.
    pub penalty_start: Penalty,
    /// Largest penalty β.
    pub penalty_max: Penalty,
    /// κ > 1: factor by which β grows, [AL, (28)].
    pub penalty_growth: f64,
    /// ζ in (0, 1): β grows when ‖J v̂ − z‖ did not shrink by this factor.
    pub penalty_test: f64,
    /// Outer iterations when the budget names none.
    pub max_outer: usize,
    /// Newton steps in one outer iteration.
    pub max_newton: usize,
    /// Newton steps of a strict inner solve before the convex one is taken instead; 0 leaves the
    /// strict one out.
    pub max_strict: usize,
    /// When an inner Newton solve has done enough.
    pub inner_stop: InnerStop,
    /// |slope| that the line search leaves, relative to the slope at its start.
    pub line_search_tolerance: f64,
    /// Whether the normal shift p follows the slip velocity (`false`: the convex soft model).
    pub update_shift: bool,
    /// Whether to damp the shift per contact once the outer loop stops making progress.
    pub damp_shift: bool,
    /// Whether to finish (and to rescue a stalled run) with Newton on the complementarity problem
    /// itself.
    pub polish: bool,
    /// How the Newton systems are solved.
    pub linear_solver: LinearSolver,
}

/// How the Newton systems are solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LinearSolver {
    /// Dense for small or full matrices, sparse otherwise.
    #[default]
    Automatic,
    /// Always dense.
    Dense,
    /// Always sparse.
    Sparse,
}

/// A penalty, absolute or in units of the problem's largest effective mass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Penalty {
    /// kg.
    Absolute(f64),
    /// Multiple of the largest effective mass that a constraint sees in one subsystem.
    TimesMass(f64),
}

impl Penalty {
    pub(crate) fn value(self, largest_mass: f64) -> f64 {
        match self {
            Penalty::Absolute(value) => value,
            Penalty::TimesMass(factor) => factor * largest_mass,
        }
    }
}

/// When an inner Newton solve has done enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum InnerStop {
    /// ‖r‖ ≤ tolerance × max(‖b‖, ‖Jᵀλ‖), as in [AL, Alg. 1].
    Relative(f64),
    /// ‖r‖ ≤ factor × ‖Jᵀ(λ_new − λ_old)‖: no more accurate than the outer iteration can use.
    Inexact(f64),
}

impl Default for CanalSettings {
    fn default() -> Self {
        Self {
            penalty_start: Penalty::TimesMass(10.0),
            penalty_max: Penalty::TimesMass(1e5),
            penalty_growth: 6.0,
            penalty_test: 0.25,
            max_outer: 100,
            max_newton: 60,
            max_strict: 40,
            inner_stop: InnerStop::Inexact(0.15),
            line_search_tolerance: 0.1,
            update_shift: true,
            damp_shift: true,
            polish: true,
            linear_solver: LinearSolver::Automatic,
        }
    }
}

impl CanalSettings {
    /// [AL, Alg. 1] as printed: β starts at 1e4, exact inner solves, no polish.
    pub fn paper() -> Self {
        Self {
            penalty_start: Penalty::Absolute(1e4), // [AL, §V-D]
            penalty_max: Penalty::Absolute(1e8),
            penalty_growth: 10.0,
            inner_stop: InnerStop::Relative(1e-10),
            line_search_tolerance: 1e-8,
            max_strict: 0,
            damp_shift: false,
            polish: false,
            ..Self::default()
        }
    }

    /// One outer iteration with a fixed penalty and no shift: the soft convex model.
    pub fn convex() -> Self {
        Self {
            penalty_start: Penalty::TimesMass(1e3),
            penalty_max: Penalty::TimesMass(1e3),
            max_outer: 1,
            inner_stop: InnerStop::Relative(1e-10),
            line_search_tolerance: 1e-8,
            max_strict: 0,
            update_shift: false,
            damp_shift: false,
            polish: false,
            ..Self::default()
        }
    }
}
