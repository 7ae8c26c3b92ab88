//! What acts on a tree beside gravity, as the integrator asks for it.

use crate::spatial::Force;

/// Forces of a tree at any (q, v) of a step. All slices are those of the whole model; only the tree's part
/// is read and written.
pub trait JointSpaceForces {
    /// Writes τ (N·m or N) at (q, v), without what is [stiff](Self::stiff); returns the power (W) of the
    /// part that has no [potential](Self::potential).
    fn torque(&self, q: &[f64], v: &[f64], tau: &mut [f64]) -> f64;

    /// Energy of the springs in [`torque`](Self::torque), J.
    fn potential(&self, _q: &[f64]) -> f64 {
        0.0
    }

    /// Forces on the bodies at their origins, world axes, constant over the step, one per body of the model;
    /// `None` where all are zero.
    fn wrenches(&self) -> Option<&[Force]> {
        None
    }

    /// Forces that are too stiff for an explicit rule; `None` where there are none.
    fn stiff(&self) -> Option<&dyn StiffForces> {
        None
    }
}

/// Forces that are too stiff for an explicit rule: τ = constant − K x − D v, dof by dof.
///
/// They act as a constant torque τ₀ while the tree moves, which is what implicit Euler finds; then
/// (M + h D + h² K) Δv = h (τ − τ₀) corrects the end of the step. Stable at any gain; second order where
/// gains are high and the tree follows what they want, first order otherwise.
pub trait StiffForces {
    /// Adds the torque at (q, v) to `tau`.
    fn add_torque(&self, q: &[f64], v: &[f64], tau: &mut [f64]);

    /// Stiffness K (N·m/rad) and damping D (N·m·s/rad) of a degree of freedom.
    fn gains(&self, dof: usize) -> [f64; 2];

    /// Whether anything but springs and dampers is among them: a drive may put in energy.
    fn are_driven(&self) -> bool;
}

/// Gravity alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoForces;

impl JointSpaceForces for NoForces {
    fn torque(&self, _q: &[f64], _v: &[f64], tau: &mut [f64]) -> f64 {
        tau.fill(0.0);
        0.0
    }
}
