//! What a user may set: one struct for each stage of the strategy.
//!
//! Each number names its source, or what chose it. «Recorded steps» are those of the built-in scenes
//! (`stiction run SCENE --problems FOLDER --every 7`), measured by `stiction bench stages FOLDER`.

/// Settings of [`Canal`](crate::Canal). The defaults need no tuning: every penalty is a multiple
/// of the problem's own effective mass.
#[derive(Debug, Clone, PartialEq)]
pub struct CanalSettings {
    /// Algorithm 1.
    pub outer_loop: OuterLoop,
    /// Inner solves of the strict surrogate problem before the convex one; `None` leaves them out.
    pub strict: Option<Strict>,
    /// Newton straight at the complementarity problem, from guesses and where an inner solve has
    /// settled which contacts stick, slide and open; `None` leaves it out.
    pub finish: Option<Finish>,
    /// The smoothed path from where the outer loop is stuck; `None` leaves it out.
    pub path: Option<Path>,
    /// The smoothed path from its beginning, through folds: the rescue; `None` leaves it out.
    pub continuation: Option<Continuation>,
    /// Newton steps of one inner solve, and along a path or onto it.
    pub max_newton: usize,
    /// How the Newton systems are solved.
    pub linear_solver: LinearSolver,
}

/// The outer loop, [AL, Alg. 1].
#[derive(Debug, Clone, PartialEq)]
pub struct OuterLoop {
    /// First penalty β.
    pub penalty_start: Penalty,
    /// Largest penalty β.
    pub penalty_max: Penalty,
    /// κ > 1: factor by which β grows, [AL, (28)].
    pub penalty_growth: f64,
    /// ζ in (0, 1): β grows when ‖J v̂ − z‖ did not shrink by this factor.
    pub penalty_test: f64,
    /// Strict inner solves of at most so many Newton steps let β grow by
    /// [`easy_growth`](Self::easy_growth) at once.
    pub easy_steps: usize,
    /// Factor by which β grows then.
    pub easy_growth: f64,
    /// Whether constraints share one penalty or have their own.
    pub penalty_scope: PenaltyScope,
    /// Outer iterations when the budget names none.
    pub max_iterations: usize,
    /// When an inner Newton solve has done enough.
    pub inner_stop: InnerStop,
    /// |slope| that the line search leaves, relative to the slope at its start.
    pub line_search_tolerance: f64,
    /// Whether the normal shift p follows the slip velocity (`false`: the convex soft model).
    pub update_shift: bool,
    /// Outer iterations that may fail to halve the residual before the loop counts as stuck.
    pub patience: usize,
    /// A guess whose residual exceeds that of a cold start by this factor is not used.
    pub far_off: f64,
}

/// Damped semismooth Newton on the strict surrogate problem, [AL, (20)].
#[derive(Debug, Clone, PartialEq)]
pub struct Strict {
    /// Times the penalty is lowered by [`retreat`](Self::retreat) where it gave up: the smaller β,
    /// the closer the surrogate is to a linear problem.
    pub retreats: usize,
    /// Factor on β at each.
    pub retreat: f64,
}

/// Newton straight at the complementarity problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Finish {
    /// Whether guesses are tried this way before the outer loop.
    pub from_guess: bool,
    /// Newton steps.
    pub max_steps: usize,
    /// First regularisation ε. Each step leaves ε/(ε + σ²) of the error in a direction of stiffness
    /// σ², relative to the effective mass.
    pub regularization: f64,
    /// ε of a first step from a guess that leads to what is worse than no guess with the usual one.
    pub soft_regularization: f64,
}

/// Newton along the smoothed path while its parameter τ is lowered.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// Factor on τ where the iterate is close to the path.
    pub cut: f64,
    /// Steps that may raise the error before the path is left.
    pub patience: usize,
    /// Factor on τ where the path is followed first, before the outer loop: where few constraints act on many
    /// degrees of freedom.
    pub first_cut: f64,
    /// Most steps then.
    pub first_steps: usize,
}

/// Pseudo-arc-length continuation of the smoothed path.
#[derive(Debug, Clone, PartialEq)]
pub struct Continuation {
    /// Attempts, each along a path with another start and other widths of smoothing, and then by the outer
    /// loop with another first penalty: a path that leads to infinity says nothing of the others.
    pub attempts: usize,
    /// Factor on the first penalty from one attempt to the next, in turns up and down.
    pub penalty_spread: f64,
    /// Outer iterations with each.
    pub restart_iterations: usize,
    /// Factorisations on each path.
    pub max_factorizations: usize,
    /// κ where the path begins: every constraint gives by this part of τ for an impulse of its size.
    pub compliance: f64,
    /// Length that the first correction of a stride and its contraction are steered to.
    pub aim: f64,
    /// A correction counts as the last when it is this short.
    pub closeness: f64,
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

/// Whether constraints share one penalty or have their own, [JFL, (2)].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PenaltyScope {
    /// One β for all.
    Common,
    /// Each starts in proportion to the geometric mean of the largest mass that the constraint sees in
    /// one subsystem and the largest of all, and grows by its own ‖J v̂ − z‖.
    Own,
}

/// When an inner Newton solve has done enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum InnerStop {
    /// ‖r‖ ≤ tolerance × max(‖b‖, ‖Jᵀλ‖), as in [AL, Alg. 1].
    Relative(f64),
    /// ‖r‖ ≤ factor × ‖Jᵀ(λ_new − λ_old)‖: no more accurate than the outer iteration can use.
    Inexact(f64),
}

impl Default for OuterLoop {
    fn default() -> Self {
        Self {
            // Multiples of the mass solve the same problems at any unit of mass, where the printed 1e4 fails
            // on light and on heavy scenes. Of 1, 3, 10 and 30 the second takes the fewest Newton steps on
            // recorded steps, by a few per cent.
            penalty_start: Penalty::TimesMass(3.0),
            penalty_max: Penalty::TimesMass(1e5),
            penalty_growth: 10.0,
            penalty_test: 0.25,
            easy_steps: 2,
            easy_growth: 30.0,
            // Against one for all: less than half the Newton steps on steps of a humanoid and of dishes, as
            // many on generated nuts, a tenth more on generated dishes; no plain random problem of 5000 is
            // lost, against four. In proportion to the mass itself, light constraints under heavy loads
            // start too soft.
            penalty_scope: PenaltyScope::Own,
            max_iterations: 100,
            inner_stop: InnerStop::Inexact(0.1),
            line_search_tolerance: 0.1,
            update_shift: true,
            patience: 3,
            // Guesses that are worse than nothing but close save steps of a gripper three quarters of their
            // Newton steps.
            far_off: 1e3,
        }
    }
}

impl Default for Strict {
    fn default() -> Self {
        Self {
            retreats: 2,
            retreat: 0.1,
        }
    }
}

impl Default for Finish {
    fn default() -> Self {
        Self {
            from_guess: true,
            max_steps: 8,
            // Large enough that C = 1/ε does not drown the first step in rounding.
            regularization: 1e-6,
            // Steps of a standing quadruped with joint friction take 3 Newton steps with it, 5 without.
            soft_regularization: 1e-2,
        }
    }
}

impl Default for Path {
    fn default() -> Self {
        Self {
            cut: 0.1,
            patience: 5,
            // Pays where few contacts act on many nodes (the largest steps of `soft-ball`). It is no help
            // for heaps: of cold steps with 216 grains some take a third of the Newton steps, others twice
            // as many.
            first_cut: 0.2,
            first_steps: 100,
        }
    }
}

impl Default for Continuation {
    fn default() -> Self {
        Self {
            // Of 500 000 wide random problems 338 plain ones with a solution get here; six attempts lose 4.
            attempts: 6,
            penalty_spread: 100.0,
            restart_iterations: 40,
            // Most problems take 200; the worst jammed pile that was met took 6000.
            max_factorizations: 7000,
            compliance: 1e-2,
            aim: 0.1,
            // 1e-2 loses the path of one random problem in thirty.
            closeness: 1e-3,
        }
    }
}

impl Default for CanalSettings {
    fn default() -> Self {
        Self {
            outer_loop: OuterLoop::default(),
            strict: Some(Strict::default()),
            finish: Some(Finish::default()),
            path: Some(Path::default()),
            continuation: Some(Continuation::default()),
            // The same Newton steps on recorded steps as with 60.
            max_newton: 40,
            linear_solver: LinearSolver::Automatic,
        }
    }
}

impl CanalSettings {
    /// [AL, Alg. 1] as printed: β starts at 1e4, exact inner solves, nothing else.
    pub fn paper() -> Self {
        Self {
            outer_loop: OuterLoop {
                penalty_scope: PenaltyScope::Common,
                penalty_start: Penalty::Absolute(1e4), // [AL, §V-D]
                penalty_max: Penalty::Absolute(1e8),
                inner_stop: InnerStop::Relative(1e-10),
                line_search_tolerance: 1e-8,
                ..OuterLoop::default()
            },
            strict: None,
            finish: None,
            path: None,
            continuation: None,
            max_newton: 60,
            linear_solver: LinearSolver::Automatic,
        }
    }

    /// One outer iteration with a fixed penalty and no shift: the soft convex model.
    pub fn convex() -> Self {
        let paper = Self::paper();
        Self {
            outer_loop: OuterLoop {
                penalty_start: Penalty::TimesMass(1e3),
                penalty_max: Penalty::TimesMass(1e3),
                max_iterations: 1,
                update_shift: false,
                ..paper.outer_loop
            },
            ..paper
        }
    }

    /// These settings without one of the [stages](crate::STAGES), for ablations; `None` for a name
    /// that is none, or that the rest stands on.
    pub fn without(&self, stage: &str) -> Option<Self> {
        let mut out = self.clone();
        match stage {
            "guess" => out.finish.as_mut()?.from_guess = false,
            "strict" => out.strict = None,
            "finish" => out.finish = None,
            "path" => out.path = None,
            "continuation" => out.continuation = None,
            _ => return None,
        }
        Some(out)
    }
}
