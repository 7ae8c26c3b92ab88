//! Where a rod stands still.

use nalgebra::{Isometry3, Vector3};
use serde::{Deserialize, Serialize};

use super::assemble::{Hessian, RodEquations, Weights};
use super::error::{RodError, positive, same_length};
use super::model::Rod;
use super::shape::check_poses;
use super::step::retract;
use super::support::Supports;
use super::tridiagonal::BlockCholesky;

/// How an equilibrium is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EquilibriumSettings {
    /// m/s².
    pub gravity: Vector3<f64>,
    /// The last Newton step turns no link by more than this, rad, and moves none by more than this times
    /// the rod's length.
    pub tolerance: f64,
    /// Newton steps in all.
    pub most_iterations: usize,
}

impl Default for EquilibriumSettings {
    fn default() -> Self {
        Self {
            gravity: Vector3::zeros(),
            tolerance: 1e-9,
            most_iterations: 1000,
        }
    }
}

/// An equilibrium that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Equilibrium {
    /// Newton steps taken.
    pub iterations: usize,
    /// Whether the energy has a strict minimum there: all second derivatives in what is free are positive.
    pub is_stable: bool,
}

/// Turns poses into an equilibrium near to them under gravity and `forces` on the links' centres that
/// keep their direction, N, world axes (one for each link, or none). What is given in `supports` stays
/// where it is.
///
/// Newton's method with the exact Hessian where it is positive definite, else with its positive
/// semidefinite part. Where it fails, what is out of balance at the start is taken away bit by bit.
///
/// # Errors
/// Input of the wrong size or not finite; no equilibrium found. The poses then are as before.
pub fn equilibrium(
    rod: &Rod,
    poses: &mut [Isometry3<f64>],
    supports: &Supports,
    forces: &[Vector3<f64>],
    settings: &EquilibriumSettings,
) -> Result<Equilibrium, RodError> {
    same_length("poses of links", rod.link_count(), poses.len())?;
    same_length("supports of links", rod.dof_count(), supports.given().len())?;
    if !forces.is_empty() {
        same_length("forces on links", rod.link_count(), forces.len())?;
    }
    positive("the tolerance of an equilibrium", settings.tolerance)?;
    check_poses(poses)?;
    let mut search = Search::new(rod, supports, forces, settings);
    let start = poses.to_vec();
    let found = search.follow(poses);
    if found.is_err() {
        poses.copy_from_slice(&start);
    }
    found
}

struct Search<'a> {
    rod: &'a Rod,
    supports: &'a Supports,
    forces: &'a [Vector3<f64>],
    settings: &'a EquilibriumSettings,
    equations: RodEquations,
    factor: BlockCholesky,
    /// What is out of balance at the start.
    start: Vec<f64>,
    direction: Vec<f64>,
    reached: Vec<Isometry3<f64>>,
    iterations: usize,
    last_step: f64,
}

/// How a run of Newton steps ended.
enum Run {
    Converged,
    /// It wanders off.
    Lost,
}

impl<'a> Search<'a> {
    fn new(
        rod: &'a Rod,
        supports: &'a Supports,
        forces: &'a [Vector3<f64>],
        settings: &'a EquilibriumSettings,
    ) -> Self {
        Self {
            rod,
            supports,
            forces,
            settings,
            equations: RodEquations::default(),
            factor: BlockCholesky::default(),
            start: vec![0.0; rod.dof_count()],
            direction: vec![0.0; rod.dof_count()],
            reached: Vec::new(),
            iterations: 0,
            last_step: f64::INFINITY,
        }
    }

    /// From what balances at the start (share 1 of `start` out of balance) to what balances at all.
    fn follow(&mut self, poses: &mut [Isometry3<f64>]) -> Result<Equilibrium, RodError> {
        // Below this share of the way the search is given up.
        const LEAST_STRIDE: f64 = 1e-6;
        self.evaluate(poses, Hessian::Exact)?;
        self.start.copy_from_slice(&self.equations.right);
        let mut good = poses.to_vec();
        let (mut done, mut stride) = (0.0, 1.0_f64);
        while done < 1.0 {
            stride = stride.min(1.0 - done);
            match self.newton(poses, 1.0 - done - stride)? {
                Run::Converged => {
                    done += stride;
                    stride *= 2.0;
                    good.copy_from_slice(poses);
                }
                Run::Lost => {
                    stride *= 0.25;
                    poses.copy_from_slice(&good);
                }
            }
            if stride < LEAST_STRIDE || self.iterations >= self.settings.most_iterations {
                return Err(RodError::NoEquilibrium {
                    iterations: self.iterations,
                    step: self.last_step,
                });
            }
        }
        self.evaluate(poses, Hessian::Exact)?;
        self.equations.matrix.eliminate(
            self.supports.given(),
            self.supports.velocity(),
            &mut self.equations.right,
        );
        Ok(Equilibrium {
            iterations: self.iterations,
            is_stable: self.factor.factor(&self.equations.matrix).is_ok(),
        })
    }

    /// Newton steps towards poses where `share` of the start is out of balance.
    fn newton(&mut self, poses: &mut [Isometry3<f64>], share: f64) -> Result<Run, RodError> {
        // Newton's method needs fewer where it converges; it may turn links by this at once, rad.
        const MOST_STEPS: usize = 30;
        const MOST_TURN: f64 = 0.5;
        let length = self.rod.rest().length();
        for _ in 0..MOST_STEPS {
            if self.iterations >= self.settings.most_iterations {
                break;
            }
            self.iterations += 1;
            match self.step_towards(poses, share) {
                Ok(()) => {}
                // A step that was too long folds a joint; shorter strides do not.
                Err(RodError::Folded { .. } | RodError::LinkNotFinite { .. }) => break,
                Err(error) => return Err(error),
            }
            let mut size = 0.0_f64;
            for part in self.direction.chunks_exact(6) {
                let [linear, angular] =
                    [0, 3].map(|at| Vector3::from_column_slice(&part[at..at + 3]));
                size = size.max(linear.norm() / length).max(angular.norm());
            }
            if !size.is_finite() {
                break;
            }
            self.last_step = size;
            let time = (MOST_TURN / size).min(1.0);
            self.reached.clear();
            self.reached.extend_from_slice(poses);
            retract(&self.reached, &self.direction, time, poses)?;
            if size <= self.settings.tolerance {
                return Ok(Run::Converged);
            }
        }
        Ok(Run::Lost)
    }

    /// Writes the Newton step into `direction`.
    fn step_towards(&mut self, poses: &[Isometry3<f64>], share: f64) -> Result<(), RodError> {
        for hessian in [Hessian::Exact, Hessian::Clamped] {
            self.evaluate(poses, hessian)?;
            for (value, start) in self.equations.right.iter_mut().zip(&self.start) {
                *value -= share * start;
            }
            let zeros = &mut self.direction;
            zeros.fill(0.0);
            self.equations.matrix.eliminate(
                self.supports.given(),
                zeros,
                &mut self.equations.right,
            );
            match self.factor.factor(&self.equations.matrix) {
                Ok(()) => break,
                Err(_) if hessian == Hessian::Exact => {}
                Err(error) => return Err(error),
            }
        }
        self.direction.copy_from_slice(&self.equations.right);
        self.factor.solve(&mut self.direction);
        Ok(())
    }

    /// Hessian, and what is out of balance: external less internal forces.
    fn evaluate(&mut self, poses: &[Isometry3<f64>], hessian: Hessian) -> Result<(), RodError> {
        let weights = Weights {
            strain: [1.0; 6],
            geometric: 1.0,
            hessian,
        };
        let equations = &mut self.equations;
        equations.evaluate(self.rod, poses, &weights)?;
        equations.matrix.clear(self.rod.link_count());
        equations.right.clear();
        equations.right.resize(self.rod.dof_count(), 0.0);
        for (link, inertia) in self.rod.links.iter().enumerate() {
            let force = self.forces.get(link).copied().unwrap_or_default()
                + self.settings.gravity * inertia.mass;
            equations.right[6 * link..6 * link + 3].copy_from_slice(force.as_slice());
        }
        for (at, work) in equations.work.iter().enumerate() {
            for dof in 0..12 {
                equations.right[6 * at + dof] -= work.force[dof];
            }
        }
        equations.add_blocks();
        Ok(())
    }
}
