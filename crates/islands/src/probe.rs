//! Questions about an island's problem beside solving it.

use stiction_constraints::linear::dot_in_order;
use stiction_constraints::{DynamicsMatrix, JointRows, Problem};

/// Kinetic energies of an island, ½ vᵀ A v, J.
pub(crate) struct Energies {
    /// Of the velocity found.
    pub(crate) found: f64,
    /// Of the motion without constraints.
    pub(crate) free: f64,
}

/// A and J of an island's problem for questions beside solving it; made when somebody asks.
#[derive(Debug, Default)]
pub(crate) struct Probe {
    dynamics: DynamicsMatrix,
    rows: JointRows,
    free_velocity: Vec<f64>,
    product: Vec<f64>,
    row_velocity: Vec<f64>,
    direction: Vec<f64>,
    /// What of it belongs to the present problem.
    has_dynamics: bool,
    has_free_velocity: bool,
    row_count: Option<usize>,
}

impl Probe {
    /// Forgets what it knew of another problem.
    pub(crate) fn forget(&mut self) {
        self.has_dynamics = false;
        self.has_free_velocity = false;
        self.row_count = None;
    }

    /// J, which changes only when constraints are added.
    pub(crate) fn rows(&mut self, problem: &Problem) -> &JointRows {
        if self.row_count != Some(problem.row_count()) {
            self.rows.update(problem);
            self.row_count = Some(problem.row_count());
        }
        &self.rows
    }

    /// A and J; `None` where A cannot be factorised.
    pub(crate) fn update(
        &mut self,
        problem: &Problem,
    ) -> Option<(&mut DynamicsMatrix, &JointRows)> {
        if !self.has_dynamics {
            self.dynamics.update(problem).ok()?;
            self.has_dynamics = true;
        }
        self.rows(problem);
        Some((&mut self.dynamics, &self.rows))
    }

    /// Energies of a velocity and of the motion without constraints; `None` where the velocity is not
    /// of the problem.
    pub(crate) fn energies(&mut self, problem: &Problem, velocity: &[f64]) -> Option<Energies> {
        if velocity.len() != problem.dof_count() {
            return None;
        }
        self.find_free_velocity(problem)?;
        self.product.clear();
        self.product.resize(velocity.len(), 0.0);
        self.dynamics.mul(velocity, &mut self.product);
        Some(Energies {
            found: 0.5 * dot_in_order(velocity, &self.product),
            free: 0.5 * dot_in_order(problem.b(), &self.free_velocity),
        })
    }

    /// Finds A⁻¹ b; `None` where A cannot be factorised.
    pub(crate) fn find_free_velocity(&mut self, problem: &Problem) -> Option<()> {
        self.update(problem)?;
        if !self.has_free_velocity {
            self.free_velocity.clear();
            self.free_velocity.extend_from_slice(problem.b());
            self.dynamics.solve_in_place(&mut self.free_velocity);
            self.has_free_velocity = true;
        }
        Some(())
    }

    /// J A⁻¹ b, by rows; `None` where A cannot be factorised.
    pub(crate) fn free_row_velocity(&mut self, problem: &Problem) -> Option<&[f64]> {
        self.find_free_velocity(problem)?;
        self.row_velocity.clear();
        self.row_velocity.resize(problem.row_count(), 0.0);
        self.rows.mul(&self.free_velocity, &mut self.row_velocity);
        Some(&self.row_velocity)
    }

    /// Inertia that a one-row constraint feels where it alone moves its degrees of freedom, kg or
    /// kg·m²; 0 where A cannot be factorised.
    pub(crate) fn inertia(&mut self, problem: &Problem, constraint: usize) -> f64 {
        if self.update(problem).is_none() {
            return 0.0;
        }
        self.row_velocity.clear();
        self.row_velocity.resize(problem.row_count(), 0.0);
        self.row_velocity[problem.constraints()[constraint].first_row] = 1.0;
        self.direction.clear();
        self.direction.resize(problem.dof_count(), 0.0);
        self.rows
            .mul_transpose_add(&self.row_velocity, &mut self.direction);
        self.product.clear();
        self.product.resize(problem.dof_count(), 0.0);
        self.dynamics.mul(&self.direction, &mut self.product);
        let length = dot_in_order(&self.direction, &self.direction);
        match length > 0.0 {
            true => dot_in_order(&self.direction, &self.product) / (length * length),
            false => 0.0,
        }
    }

    /// The largest share s in [0, 1] with which f + s (v − f) has at most the energy `allowed` (J, at
    /// least that of f), where f is A⁻¹ b and `energies` are those of v; 0 where v is not finite.
    pub(crate) fn share_within(
        &self,
        problem: &Problem,
        velocity: &[f64],
        energies: &Energies,
        allowed: f64,
    ) -> f64 {
        // ½|f + s d|² with d = v − f: free + s (f·d) + s² ½|d|², and f·v = bᵀ v.
        let cross = dot_in_order(problem.b(), velocity) - 2.0 * energies.free;
        let square = energies.found - energies.free - cross;
        let room = (allowed - energies.free).max(0.0);
        let share = match square > 0.0 {
            true => 2.0 * room / (cross + (cross * cross + 4.0 * square * room).sqrt()),
            false => room / cross,
        };
        match share.is_finite() {
            true => share.clamp(0.0, 1.0),
            false => 0.0,
        }
    }

    /// A⁻¹ b, once it was [found](Self::find_free_velocity).
    pub(crate) fn free_velocity(&self) -> &[f64] {
        &self.free_velocity
    }
}
