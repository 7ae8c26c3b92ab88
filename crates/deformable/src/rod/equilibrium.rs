//! Where a rod stands still.

use nalgebra::{Isometry3, Vector3};
use serde::{Deserialize, Serialize};

use super::assemble::{Hessian, RodEquations, Weights};
use super::error::{RodError, positive, same_length};
use super::model::Rod;
use super::shape::check_poses;
use super::step::retract;
use super::support::Supports;
use super::tridiagonal::{BlockCholesky, BlockLu};

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
/// Where the poses are near to an equilibrium, Newton's method finds it, be it stable or not. Where they
/// are not, the rod sinks towards a stable one first: implicit steps down the energy, as long as no link
/// turns too far in one of them, until Newton's method takes over.
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
    let is_finite = |vector: &Vector3<f64>| vector.iter().all(|value| value.is_finite());
    if let Some(link) = forces.iter().position(|force| !is_finite(force)) {
        let what = "the force";
        return Err(RodError::LinkNotFinite { what, link });
    }
    if !is_finite(&settings.gravity) {
        return Err(RodError::BadVector {
            what: "gravity, m/s²,",
            value: settings.gravity.into(),
            nonzero: false,
        });
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
    exact: BlockLu,
    direction: Vec<f64>,
    reached: Vec<Isometry3<f64>>,
    iterations: usize,
    last_step: f64,
}

/// How a run of Newton steps ended.
#[derive(PartialEq, Eq)]
enum Run {
    Converged,
    /// It wanders off; the poses are as before.
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
            exact: BlockLu::default(),
            direction: vec![0.0; rod.dof_count()],
            reached: Vec::new(),
            iterations: 0,
            last_step: f64::INFINITY,
        }
    }

    /// Newton's method where it works, sinking where it does not yet.
    fn follow(&mut self, poses: &mut [Isometry3<f64>]) -> Result<Equilibrium, RodError> {
        // No link turns by more than this in a step, rad; steps below half of it may grow.
        const MOST_TURN: f64 = 0.2;
        let length = self.rod.rest().length();
        let profile = self.rod.profile();
        let stiffness = profile.stiffness;
        // M/h² that holds the rod back: at first about as much as bending does, then as much as needed.
        let mut hold = stiffness.bend[0] / (profile.mass_per_length * length.powi(4));
        // Newton's method is tried at once, and again when steps have become small.
        let mut near = 0.3 * MOST_TURN;
        let mut size = 0.0;
        loop {
            if size <= near {
                if self.newton(poses)? == Run::Converged {
                    break;
                }
                if size > 0.0 {
                    near = 0.3 * size;
                }
            }
            self.spend()?;
            self.evaluate(poses, Hessian::Clamped)?;
            for (block, inertia) in self
                .equations
                .matrix
                .diagonal
                .iter_mut()
                .zip(&self.rod.links)
            {
                for axis in 0..3 {
                    block[(axis, axis)] += hold * inertia.mass;
                    // About axes of the world instead of the link's: it only has to hold.
                    block[(axis + 3, axis + 3)] += hold * inertia.moments[axis];
                }
            }
            self.eliminate();
            self.factor.factor(&self.equations.matrix)?;
            self.direction.copy_from_slice(&self.equations.right);
            self.factor.solve(&mut self.direction);
            size = self.size();
            self.last_step = size;
            if size <= MOST_TURN {
                self.advance(poses)?;
                if size < 0.5 * MOST_TURN {
                    hold *= 0.25;
                }
            } else {
                hold *= 4.0;
            }
        }
        self.evaluate(poses, Hessian::Exact)?;
        self.eliminate();
        Ok(Equilibrium {
            iterations: self.iterations,
            is_stable: self.factor.factor(&self.equations.matrix).is_ok(),
        })
    }

    /// Newton steps with the exact Hessian, definite or not.
    fn newton(&mut self, poses: &mut [Isometry3<f64>]) -> Result<Run, RodError> {
        // It needs fewer steps where it converges, and starts no farther away than this, rad.
        const MOST_STEPS: usize = 20;
        const MOST_TURN: f64 = 0.5;
        let start = poses.to_vec();
        for _ in 0..MOST_STEPS {
            self.spend()?;
            match self.evaluate(poses, Hessian::Exact) {
                Ok(()) => {}
                Err(RodError::Folded { .. } | RodError::LinkNotFinite { .. }) => break,
                Err(error) => return Err(error),
            }
            self.eliminate();
            self.direction.copy_from_slice(&self.equations.right);
            if !self
                .exact
                .solve(&self.equations.matrix, &mut self.direction)
            {
                break;
            }
            let size = self.size();
            if !(size <= MOST_TURN) {
                break;
            }
            self.last_step = size;
            self.advance(poses)?;
            if size <= self.settings.tolerance {
                return Ok(Run::Converged);
            }
        }
        poses.copy_from_slice(&start);
        Ok(Run::Lost)
    }

    /// One iteration of those that may be spent.
    fn spend(&mut self) -> Result<(), RodError> {
        if self.iterations >= self.settings.most_iterations {
            return Err(RodError::NoEquilibrium {
                iterations: self.iterations,
                step: self.last_step,
            });
        }
        self.iterations += 1;
        Ok(())
    }

    /// Largest turn of a step, rad, or largest way over the rod's length.
    fn size(&self) -> f64 {
        let length = self.rod.rest().length();
        let mut size = 0.0_f64;
        for part in self.direction.chunks_exact(6) {
            let [linear, angular] = [0, 3].map(|at| Vector3::from_column_slice(&part[at..at + 3]));
            let link = (linear.norm() / length).max(angular.norm());
            // Not a number wins.
            size = if link > size || link.is_nan() {
                link
            } else {
                size
            };
        }
        size
    }

    fn advance(&mut self, poses: &mut [Isometry3<f64>]) -> Result<(), RodError> {
        self.reached.clear();
        self.reached.extend_from_slice(poses);
        retract(&self.reached, &self.direction, 1.0, poses)
    }

    /// Given degrees of freedom stay.
    fn eliminate(&mut self) {
        self.direction.fill(0.0);
        self.equations.matrix.eliminate(
            self.supports.given(),
            &self.direction,
            &mut self.equations.right,
        );
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
