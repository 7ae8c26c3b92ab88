//! Numbers that the Newton methods of all stages share.

/// What a step, a stage or a stride is cut to where it fails; what corrections must shrink by.
pub(crate) const HALF: f64 = 0.5;
/// Shortest step, relative to Newton's, before a method gives up.
pub(crate) const SHORTEST_STEP: f64 = 0.01;
/// Part of the decrease that the linearisation promises which a step must bring (Armijo's, as in the
/// textbooks).
pub(crate) const DECREASE: f64 = 1e-4;
/// A step or a stage has paid where it leaves less than this of the residual.
pub(crate) const PAID: f64 = 0.3;
/// Smallest regularisation ε of a Newton system: directions that are less stiff, relative to the effective
/// mass, count as null. Four digits are left of a step in 64-bit numbers.
pub(crate) const LEAST_REGULARIZATION: f64 = 1e-12;
