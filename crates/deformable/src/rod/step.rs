//! A rod on its own through time.

use nalgebra::{Isometry3, Translation3, Vector3};
use serde::{Deserialize, Serialize};

use super::assemble::{RodEquations, RodInput, RodStepSettings, Strains};
use super::error::{RodError, same_length};
use super::measure::RodEnergy;
use super::model::Rod;
use super::rotation::turn;
use super::support::Supports;
use super::tridiagonal::BlockCholesky;

/// Where a rod is and how it moves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

/// How a step went.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RodStepReport {
    /// How often it was linearized.
    pub linearizations: usize,
    /// Energy after the step less that before and less the work of wrenches and supports, J. Not positive,
    /// but for rounding, unless the most linearizations that are allowed were not enough.
    pub gain: f64,
}

/// Steps a rod that nothing touches. Kept from step to step it allocates in the first one alone.
///
/// A step is linear in v̂: links go straight ahead while they turn, which stretches what is stiff by the
/// square of the angle. Where that gains energy, the step is linearized again about where it led.
#[derive(Debug, Clone, Default)]
pub struct RodStepper {
    equations: RodEquations,
    factor: BlockCholesky,
    v_hat: Vec<f64>,
    reached: Vec<Isometry3<f64>>,
    best: Vec<f64>,
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
    ) -> Result<RodStepReport, RodError> {
        settings.check()?;
        let least = settings.linearizations;
        let most = settings.most_linearizations.max(least);
        let mut report = RodStepReport {
            linearizations: 0,
            gain: f64::INFINITY,
        };
        for pass in 1..=most {
            match self.linearize(rod, state, supports, wrenches, settings, pass) {
                Ok(()) => {}
                // Newton's method went astray; what was found before is kept.
                Err(_) if report.gain.is_finite() => break,
                Err(error) => return Err(error),
            }
            report.linearizations = pass;
            let (gain, rounding) = self.ledger(rod, state, supports, wrenches, settings)?;
            if gain < report.gain || gain <= rounding {
                report.gain = gain;
                self.best.clone_from(&self.v_hat);
            }
            if pass >= least && gain <= rounding {
                break;
            }
        }
        let time = settings.time_step;
        retract(&state.poses, &self.best, time, &mut self.reached)?;
        state.poses.copy_from_slice(&self.reached);
        state.velocity.copy_from_slice(&self.best);
        Ok(report)
    }

    /// v̂ and the poses it leads to, linearized at the state or, later, about the last v̂.
    fn linearize(
        &mut self,
        rod: &Rod,
        state: &RodState,
        supports: &Supports,
        wrenches: &[f64],
        settings: &RodStepSettings,
        pass: usize,
    ) -> Result<(), RodError> {
        if pass == 1 {
            self.v_hat.clear();
            self.v_hat.resize(rod.dof_count(), 0.0);
            self.reached.clone_from(&state.poses);
        }
        let input = RodInput {
            poses: &state.poses,
            velocity: &state.velocity,
            wrenches,
            supports,
            guess: (pass > 1).then_some((&self.v_hat[..], &self.reached[..])),
        };
        let equations = &mut self.equations;
        equations.assemble(rod, &input, settings, Strains::Folded)?;
        self.factor.factor(&equations.matrix)?;
        self.v_hat.copy_from_slice(&equations.right);
        self.factor.solve(&mut self.v_hat);
        if let Some(dof) = self.v_hat.iter().position(|value| !value.is_finite()) {
            let what = "the velocity after the step";
            return Err(RodError::LinkNotFinite {
                what,
                link: dof / 6,
            });
        }
        let time = settings.time_step;
        retract(&state.poses, &self.v_hat, time, &mut self.reached)
    }

    /// Energy that a step gains, and what of it may be rounding, J.
    fn ledger(
        &mut self,
        rod: &Rod,
        state: &RodState,
        supports: &Supports,
        wrenches: &[f64],
        settings: &RodStepSettings,
    ) -> Result<(f64, f64), RodError> {
        let before = rod.energy(&state.poses, &state.velocity, &settings.gravity)?;
        let after = rod.energy(&self.reached, &self.v_hat, &settings.gravity)?;
        let mut work = self.equations.work_of_supports(supports, &self.v_hat);
        for (wrench, velocity) in wrenches.iter().zip(&self.v_hat) {
            work += settings.time_step * wrench * velocity;
        }
        let size = |energy: &RodEnergy| energy.kinetic + energy.elastic + energy.gravity.abs();
        let rounding = 1e-13 * (size(&before) + size(&after) + work.abs());
        Ok((after.total() - before.total() - work, rounding))
    }
}
