//! A rod on its own through time.

use nalgebra::{Isometry3, Translation3, Vector3};

use super::assemble::{RodEquations, RodInput, RodStepSettings, Strains};
use super::error::{RodError, same_length};
use super::model::Rod;
use super::rotation::turn;
use super::support::Supports;
use super::tridiagonal::BlockCholesky;

/// Where a rod is and how it moves.
#[derive(Debug, Clone, PartialEq)]
pub struct RodState {
    /// Poses of the links.
    pub poses: Vec<Isometry3<f64>>,
    /// (v, ω) of each link: velocity of its centre, m/s, and angular velocity, rad/s, world axes.
    pub velocity: Vec<f64>,
}

impl RodState {
    /// At rest in these poses.
    pub fn at_rest(poses: Vec<Isometry3<f64>>) -> Self {
        let velocity = vec![0.0; 6 * poses.len()];
        Self { poses, velocity }
    }
}

/// Poses that are reached from others with v̂ in `time`, s: x + time v̂, and the rotation of `time` ω̂ after R.
///
/// # Errors
/// Lists of different lengths.
pub fn retract(
    poses: &[Isometry3<f64>],
    v_hat: &[f64],
    time: f64,
    out: &mut [Isometry3<f64>],
) -> Result<(), RodError> {
    same_length("velocities of links", 6 * poses.len(), v_hat.len())?;
    same_length("poses to be written", poses.len(), out.len())?;
    for (link, (pose, out)) in poses.iter().zip(out).enumerate() {
        let linear = Vector3::from_column_slice(&v_hat[6 * link..6 * link + 3]);
        let angular = Vector3::from_column_slice(&v_hat[6 * link + 3..6 * link + 6]);
        out.translation = Translation3::from(pose.translation.vector + linear * time);
        out.rotation = turn(&pose.rotation, &angular, time);
    }
    Ok(())
}

/// Steps a rod that nothing touches. Kept from step to step it allocates in the first one alone.
#[derive(Debug, Clone, Default)]
pub struct RodStepper {
    equations: RodEquations,
    factor: BlockCholesky,
    v_hat: Vec<f64>,
    reached: Vec<Isometry3<f64>>,
}

impl RodStepper {
    /// Advances a state by one time step; `wrenches` are force, N, and torque, N·m, on each link, world
    /// axes, or none at all. The state stays as it was where the step fails.
    ///
    /// # Errors
    /// What [`RodEquations::assemble`] refuses, and numbers that overflow.
    pub fn step(
        &mut self,
        rod: &Rod,
        state: &mut RodState,
        supports: &Supports,
        wrenches: &[f64],
        settings: &RodStepSettings,
    ) -> Result<(), RodError> {
        settings.check()?;
        self.v_hat.clear();
        self.v_hat.resize(rod.dof_count(), 0.0);
        self.reached.clone_from(&state.poses);
        for pass in 0..settings.linearizations {
            let guess = (pass > 0).then_some((&self.v_hat[..], &self.reached[..]));
            let input = RodInput {
                poses: &state.poses,
                velocity: &state.velocity,
                wrenches,
                supports,
                guess,
            };
            self.equations
                .assemble(rod, &input, settings, Strains::Folded)?;
            self.factor.factor(&self.equations.matrix)?;
            self.v_hat.copy_from_slice(&self.equations.right);
            self.factor.solve(&mut self.v_hat);
            if let Some(dof) = self.v_hat.iter().position(|value| !value.is_finite()) {
                let what = "the velocity after the step";
                return Err(RodError::LinkNotFinite {
                    what,
                    link: dof / 6,
                });
            }
            retract(
                &state.poses,
                &self.v_hat,
                settings.time_step,
                &mut self.reached,
            )?;
        }
        state.poses.copy_from_slice(&self.reached);
        state.velocity.copy_from_slice(&self.v_hat);
        Ok(())
    }
}
