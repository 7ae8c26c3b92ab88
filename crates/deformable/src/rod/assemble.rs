//! The equations of a time step, A v̂ = b.

use nalgebra::{Isometry3, Matrix3, SVector, UnitQuaternion, Vector3};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::error::{RodError, positive, same_length};
use super::joint::{Joint, JointBlocks, MOST_ANGLE, Matrix9};
use super::model::{LinkInertia, RestJoint, Rod};
use super::shape::check_poses;
use super::support::Supports;
use super::tridiagonal::BlockTridiagonal;

/// How a rod is stepped.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RodStepSettings {
    /// h, s.
    pub time_step: f64,
    /// θ of the time scheme; rods have θ = 0 alone.
    pub theta: f64,
    /// m/s².
    pub gravity: Vector3<f64>,
    /// How often a step is linearized at least: 1 or more. Further ones are Newton's method on the
    /// implicit step.
    pub linearizations: usize,
    /// How often a step is linearized at most: a step that would gain energy is linearized again.
    pub most_linearizations: usize,
}

impl Default for RodStepSettings {
    fn default() -> Self {
        Self {
            time_step: 0.01,
            theta: 0.0,
            gravity: Vector3::new(0.0, 0.0, -9.81),
            linearizations: 1,
            most_linearizations: 10,
        }
    }
}

impl RodStepSettings {
    pub(super) fn check(&self) -> Result<(), RodError> {
        positive("the time step, s", self.time_step)?;
        if self.theta != 0.0 {
            return Err(RodError::Theta { theta: self.theta });
        }
        positive("the number of linearizations", self.linearizations as f64)?;
        if !self.gravity.iter().all(|value| value.is_finite()) {
            return Err(RodError::BadVector {
                what: "gravity, m/s²,",
                value: self.gravity.into(),
                nonzero: false,
            });
        }
        Ok(())
    }
}

/// Whether strains are part of A and b, or rows that the caller writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strains {
    /// A and b hold everything.
    #[default]
    Folded,
    /// A and b leave out what [`Rod::joint_rows`] describe: b has no elastic forces, A no ℓJᵀCJ and
    /// no damping of strains. The geometric stiffness stays in A.
    AsRows,
}

/// Where a rod is at the start of a step, and what acts on it.
#[derive(Debug, Clone, Copy)]
pub struct RodInput<'a> {
    /// Poses of the links.
    pub poses: &'a [Isometry3<f64>],
    /// (v, ω) of each link, world axes, m/s and rad/s.
    pub velocity: &'a [f64],
    /// Force, N, and torque about the link's centre, N·m, of each link, world axes; none if empty.
    pub wrenches: &'a [f64],
    /// Which links are held or driven.
    pub supports: &'a Supports,
    /// v̂ of the last linearization and the poses that it leads to; `None` in the first.
    pub guess: Option<(&'a [f64], &'a [Isometry3<f64>])>,
}

impl RodInput<'_> {
    fn check(&self, rod: &Rod) -> Result<(), RodError> {
        let (links, dofs) = (rod.link_count(), rod.dof_count());
        same_length("poses of links", links, self.poses.len())?;
        same_length("velocities of links", dofs, self.velocity.len())?;
        same_length("supports of links", dofs, self.supports.given().len())?;
        if !self.wrenches.is_empty() {
            same_length("wrenches on links", dofs, self.wrenches.len())?;
        }
        if let Some((velocity, poses)) = self.guess {
            same_length("guessed velocities of links", dofs, velocity.len())?;
            same_length("guessed poses of links", links, poses.len())?;
            check_poses(poses)?;
        }
        check_poses(self.poses)?;
        for (what, values) in [
            ("the velocity", self.velocity),
            ("the wrench", self.wrenches),
        ] {
            if let Some(dof) = values.iter().position(|value| !value.is_finite()) {
                let link = dof / 6;
                return Err(RodError::LinkNotFinite { what, link });
            }
        }
        Ok(())
    }
}

/// A and b of a step with room to compute them; kept from step to step it allocates once.
#[derive(Debug, Clone, Default)]
pub struct RodEquations {
    /// kg, kg·m, kg·m².
    pub(super) matrix: BlockTridiagonal,
    /// N·s, N·m·s.
    pub(super) right: Vec<f64>,
    pub(super) work: Vec<JointWork>,
    /// A and b before elimination, kept where supports move.
    whole: BlockTridiagonal,
    whole_right: Vec<f64>,
    product: Vec<f64>,
}

impl RodEquations {
    /// A.
    pub fn matrix(&self) -> &BlockTridiagonal {
        &self.matrix
    }

    /// b, N·s and N·m·s.
    pub fn right_hand_side(&self) -> &[f64] {
        &self.right
    }

    /// Computes A = M + h² H + h D and b = M v + h (f − g), with H = ℓJᵀCJ + psd(geometric stiffness) and
    /// velocities after free rotation in M v; given degrees of freedom are eliminated.
    ///
    /// # Errors
    /// Input of the wrong size or not finite, a time scheme that rods do not have, a joint that is
    /// folded.
    pub fn assemble(
        &mut self,
        rod: &Rod,
        input: &RodInput<'_>,
        settings: &RodStepSettings,
        strains: Strains,
    ) -> Result<(), RodError> {
        settings.check()?;
        input.check(rod)?;
        let step = settings.time_step;
        let folded = f64::from(strains == Strains::Folded);
        let weights = Weights {
            strain: rod
                .damping()
                .times()
                .map(|time| folded * step * (step + time)),
            geometric: step * step,
            hessian: Hessian::Clamped,
        };
        let poses = input.guess.map_or(input.poses, |(_, poses)| poses);
        self.evaluate(rod, poses, &weights)?;

        self.matrix.clear(rod.link_count());
        self.right.clear();
        self.right.resize(rod.dof_count(), 0.0);
        for (link, inertia) in rod.links.iter().enumerate() {
            let damped = 1.0 + step * rod.damping().mass;
            let turned = inertia.turned(&input.poses[link].rotation);
            let block = &mut self.matrix.diagonal[link];
            block
                .fixed_view_mut::<3, 3>(0, 0)
                .copy_from(&Matrix3::from_diagonal_element(inertia.mass * damped));
            block
                .fixed_view_mut::<3, 3>(3, 3)
                .copy_from(&(turned * damped));
            let velocity = &input.velocity[6 * link..6 * link + 6];
            let angular = Vector3::from_column_slice(&velocity[3..]);
            let angular = after_free_turn(inertia, &input.poses[link].rotation, &angular, step);
            let linear = Vector3::from_column_slice(&velocity[..3]) + settings.gravity * step;
            let right = &mut self.right[6 * link..6 * link + 6];
            right[..3].copy_from_slice((linear * inertia.mass).as_slice());
            right[3..].copy_from_slice((turned * angular).as_slice());
            if !input.wrenches.is_empty() {
                for axis in 0..6 {
                    right[axis] += step * input.wrenches[6 * link + axis];
                }
            }
        }
        for (at, work) in self.work.iter().enumerate() {
            let mut impulse = work.force * (-step * folded);
            if let Some((velocity, poses)) = input.guess {
                // Newton's method expands about the guess: b gains h² H v̂.
                let velocity = SVector::from_column_slice(&velocity[6 * at..6 * at + 12]);
                impulse += work.stiffness_times(&rod.joints[at], at, poses, &velocity, folded)
                    * (step * step);
            }
            for dof in 0..12 {
                self.right[6 * at + dof] += impulse[dof];
            }
        }
        self.add_blocks();
        if input.supports.are_moving() {
            self.whole.diagonal.clone_from(&self.matrix.diagonal);
            self.whole.below.clone_from(&self.matrix.below);
            self.whole_right.clone_from(&self.right);
        }
        self.matrix.eliminate(
            input.supports.given(),
            input.supports.velocity(),
            &mut self.right,
        );
        Ok(())
    }

    /// Work that moving supports do in a step with v̂, J: their impulses times their velocities.
    pub(super) fn work_of_supports(&mut self, supports: &Supports, v_hat: &[f64]) -> f64 {
        if !supports.are_moving() {
            return 0.0;
        }
        self.product.resize(v_hat.len(), 0.0);
        self.whole.mul(v_hat, &mut self.product);
        let impulses = self.product.iter().zip(&self.whole_right);
        impulses
            .zip(supports.velocity())
            .map(|((product, right), velocity)| (product - right) * velocity)
            .sum()
    }

    /// Forces and matrices of all joints, each on its own: the same numbers on any number of threads.
    pub(super) fn evaluate(
        &mut self,
        rod: &Rod,
        poses: &[Isometry3<f64>],
        weights: &Weights,
    ) -> Result<(), RodError> {
        // A joint takes microseconds; handing over a smaller task costs more than it saves.
        const JOINTS_PER_TASK: usize = 32;
        self.work.resize(rod.joint_count(), JointWork::default());
        let evaluate = |at: usize, work: &mut JointWork| {
            *work = JointWork::new(&rod.joints[at], &poses[at], &poses[at + 1], weights);
        };
        if rod.joint_count() > JOINTS_PER_TASK {
            let chunks = self.work.par_chunks_mut(JOINTS_PER_TASK).enumerate();
            chunks.for_each(|(chunk, work)| {
                for (at, work) in work.iter_mut().enumerate() {
                    evaluate(chunk * JOINTS_PER_TASK + at, work);
                }
            });
        } else {
            for (at, work) in self.work.iter_mut().enumerate() {
                evaluate(at, work);
            }
        }
        for (joint, work) in self.work.iter().enumerate() {
            if !(work.angle <= MOST_ANGLE) {
                let angle = work.angle;
                return Err(RodError::Folded { joint, angle });
            }
            if !work.is_finite {
                let what = "the stress";
                return Err(RodError::LinkNotFinite { what, link: joint });
            }
        }
        Ok(())
    }

    /// Adds the matrices of all joints.
    pub(super) fn add_blocks(&mut self) {
        for (at, work) in self.work.iter().enumerate() {
            self.matrix.diagonal[at] += work.blocks.first;
            self.matrix.diagonal[at + 1] += work.blocks.second;
            self.matrix.below[at] += work.blocks.mixed;
        }
    }
}

/// What the matrix of a joint is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Weights {
    /// Of ℓJᵀCJ, strain by strain.
    pub(super) strain: [f64; 6],
    /// Of the geometric stiffness.
    pub(super) geometric: f64,
    pub(super) hessian: Hessian,
}

/// Which geometric stiffness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hessian {
    /// Its positive semidefinite part.
    Clamped,
    /// All of it: second derivatives of the energy.
    Exact,
}

/// What a joint adds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct JointWork {
    /// Gradient of the energy with respect to the motion of both links, world axes, N and N·m.
    pub(super) force: SVector<f64, 12>,
    pub(super) blocks: JointBlocks,
    /// Energy, J.
    pub(super) energy: f64,
    /// Clamped or exact geometric stiffness in the joint's own coordinates, not weighted.
    geometric: Matrix9,
    /// Angle between the links, rad.
    angle: f64,
    is_finite: bool,
}

impl Default for JointWork {
    fn default() -> Self {
        Self {
            force: SVector::zeros(),
            blocks: JointBlocks::default(),
            energy: 0.0,
            geometric: Matrix9::zeros(),
            angle: 0.0,
            is_finite: true,
        }
    }
}

impl JointWork {
    fn new(
        rest: &RestJoint,
        first: &Isometry3<f64>,
        second: &Isometry3<f64>,
        weights: &Weights,
    ) -> Self {
        let joint = Joint::new(first, second, rest.length);
        let strain = joint.strain() - rest.strain;
        let stress = strain.zip_map(&rest.stiffness.into(), |strain, stiffness| {
            strain * stiffness
        });
        let [force, moment] = [0, 3].map(|at| stress.fixed_rows::<3>(at).into_owned());
        let jacobian = joint.jacobian();
        let geometric = joint.geometric(&force, &moment);
        let geometric = match weights.hessian {
            Hessian::Exact => Some(geometric),
            Hessian::Clamped => joint.clamp(&geometric),
        };
        let is_finite = geometric.is_some() && stress.iter().all(|stress| stress.is_finite());
        let geometric = geometric.unwrap_or_default();
        let mut weighted = jacobian;
        for row in 0..6 {
            let weight = rest.length * rest.stiffness[row] * weights.strain[row];
            weighted.row_mut(row).scale_mut(weight);
        }
        let form = jacobian.tr_mul(&weighted) + geometric * weights.geometric;
        Self {
            force: joint.spread(&(jacobian.tr_mul(&stress) * rest.length)),
            blocks: joint.blocks(&form),
            energy: 0.5 * rest.length * strain.dot(&stress),
            geometric,
            angle: joint.angle.norm(),
            is_finite,
        }
    }

    /// H v: with strains (`folded` 1) or with the geometric stiffness alone (0).
    fn stiffness_times(
        &self,
        rest: &RestJoint,
        at: usize,
        poses: &[Isometry3<f64>],
        velocity: &SVector<f64, 12>,
        folded: f64,
    ) -> SVector<f64, 12> {
        let joint = Joint::new(&poses[at], &poses[at + 1], rest.length);
        let coordinates = joint.coordinates(velocity);
        let jacobian = joint.jacobian();
        let mut stress = jacobian * coordinates;
        for row in 0..6 {
            stress[row] *= folded * rest.length * rest.stiffness[row];
        }
        joint.spread(&(jacobian.tr_mul(&stress) + self.geometric * coordinates))
    }
}

/// Angular velocity, world axes, after free rotation for `step`: Euler's equations in body axes,
/// I(ω⁺ − ω) + h ω̄ × I ω = 0 with ω̄ = (ω + ω⁺)/2, linear in ω⁺. Multiplied by ω̄ the second term
/// vanishes: the energy of rotation stays exactly, whatever the step.
fn after_free_turn(
    inertia: &LinkInertia,
    rotation: &UnitQuaternion<f64>,
    angular: &Vector3<f64>,
    step: f64,
) -> Vector3<f64> {
    let local = rotation.inverse() * angular;
    let momentum = inertia.moments.component_mul(&local);
    let skew = momentum.cross_matrix() * (0.5 * step);
    let matrix = Matrix3::from_diagonal(&inertia.moments) - skew;
    // Positive definite plus skew: always invertible.
    let after = matrix.lu().solve(&(momentum + skew * local));
    rotation * after.unwrap_or(local)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_rotation_keeps_its_energy_at_any_step() {
        let inertia = LinkInertia {
            mass: 1.0,
            moments: Vector3::new(1e-6, 2.5e-6, 3e-6),
        };
        let rotation = UnitQuaternion::from_scaled_axis(Vector3::new(0.2, -1.0, 0.4));
        let mut angular = Vector3::new(300.0, 20.0, -100.0);
        let energy = |angular: &Vector3<f64>| {
            let local = rotation.inverse() * angular;
            local.dot(&inertia.moments.component_mul(&local))
        };
        let before = energy(&angular);
        let next = after_free_turn(&inertia, &rotation, &angular, 0.01);
        assert!((next - angular).norm() > 1.0, "it precesses");
        for _ in 0..100 {
            angular = after_free_turn(&inertia, &rotation, &angular, 0.01);
            assert!((energy(&angular) - before).abs() < 1e-12 * before);
        }
    }
}
