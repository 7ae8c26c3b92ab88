//! The one evaluator that all solvers are judged by.

use super::careful::{CORRECTIONS, Careful};
use super::maps::{de_saxce, fischer_burmeister, natural_map, paper};
use super::sparse_masses::SparseMasses;
use super::{Residuals, worse};
use crate::cone;
use crate::factor::DynamicsMatrix;
use crate::joint_rows::JointRows;
use crate::law::Law;
use crate::problem::Problem;
use crate::solver::{Criterion, Failure};

/// Where this many times the rounding of v̂ reaches the tolerance, a claim is checked with care.
const CAUTION: f64 = 10.0;

/// Measures residuals: A factorised, J in joint space, effective masses.
///
/// Solvers use its parts too, so that nothing is computed twice.
#[derive(Debug, Default)]
pub struct ResidualEvaluator {
    dynamics: DynamicsMatrix,
    rows: JointRows,
    free_velocity: Vec<f64>,
    free_row_velocity: Vec<f64>,
    effective_mass: Vec<f64>,
    /// Mean diagonal of J A_j⁻¹ Jᵀ that a constraint sees in the subsystem of each segment.
    segment_diagonal: Vec<f64>,
    /// The same before rows cancel, where they do; else the same.
    gross_diagonal: Vec<f64>,
    largest_term_mass: f64,
    mean_diagonal: f64,
    free_norm: f64,
    /// The impulses asked about last, with v̂ and (where asked for) J v̂ that belong to them:
    /// solvers ask about the same ones several times.
    asked: Option<Asked>,
    lambda: Vec<f64>,
    velocity: Vec<f64>,
    pub(super) row_velocity: Vec<f64>,
    /// Work space: two vectors of the degrees of freedom, and the columns of one constraint.
    product: Vec<f64>,
    generalized_impulse: Vec<f64>,
    columns: Vec<[f64; 4]>,
    sparse_masses: SparseMasses,
    /// √(bᵀA_j⁻¹b) of each subsystem, √J; and that with what impulses bring in.
    free_energy: Vec<f64>,
    energy: Vec<f64>,
    /// Relative error of solving with A, from one probe, once somebody asked.
    solve_error: Option<f64>,
    careful: Careful,
}

/// What is known of [`ResidualEvaluator::lambda`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Velocity,
    VelocityAndRows,
}

impl ResidualEvaluator {
    /// Prepares for a problem: factorises A, computes J in joint space and effective masses.
    ///
    /// # Errors
    /// A block of A that is not positive definite.
    pub fn update(&mut self, problem: &Problem) -> Result<(), Failure> {
        self.dynamics.update(problem)?;
        self.rows.update(problem);
        self.free_velocity.clear();
        self.free_velocity.extend_from_slice(problem.b());
        self.dynamics.solve_in_place(&mut self.free_velocity);
        if self.free_velocity.iter().any(|value| !value.is_finite()) {
            return Err(Failure::NotFinite);
        }
        self.free_energy.clear();
        for dofs in problem.dof_starts().windows(2) {
            let both = problem.b()[dofs[0]..dofs[1]]
                .iter()
                .zip(&self.free_velocity[dofs[0]..dofs[1]]);
            let energy: f64 = both.map(|(b, v)| b * v).sum();
            self.free_energy.push(energy.max(0.0).sqrt());
        }
        let n_rows = problem.row_count();
        self.asked = None;
        self.velocity.resize(problem.dof_count(), 0.0);
        self.product.resize(problem.dof_count(), 0.0);
        self.generalized_impulse.resize(problem.dof_count(), 0.0);
        self.row_velocity.resize(n_rows, 0.0);
        self.free_row_velocity.resize(n_rows, 0.0);
        self.rows
            .mul(&self.free_velocity, &mut self.free_row_velocity);
        self.free_norm = problem
            .constraints()
            .iter()
            .map(|constraint| {
                let rows = constraint.row_range();
                let e = &problem.errors()[rows.clone()];
                let both = self.free_row_velocity[rows].iter().zip(e);
                both.map(|(z, e)| (z + e) * (z + e)).sum::<f64>()
            })
            .sum::<f64>()
            .sqrt();
        self.update_effective_masses(problem);
        self.solve_error = None;
        self.careful.prepare(problem);
        Ok(())
    }

    /// How many digits solving with A loses: a vector is solved for and the error of the answer
    /// estimated by one step of refinement.
    fn solve_error(&mut self) -> f64 {
        if let Some(error) = self.solve_error {
            return error;
        }
        let Self {
            dynamics,
            product: probe,
            generalized_impulse: correction,
            ..
        } = self;
        dynamics.for_each_lower_entry(|row, column, value| {
            if row == column {
                probe[row] = value.sqrt();
            }
        });
        correction.copy_from_slice(probe);
        dynamics.solve_in_place(probe);
        let mut size: f64 = 0.0;
        for value in &*probe {
            size = size.max(value.abs());
        }
        // What A x misses of the right-hand side, which is still in `correction`.
        dynamics.subtract_product(probe, correction);
        dynamics.solve_in_place(correction);
        let error = correction.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        let error = (error / size.max(f64::MIN_POSITIVE)).max(f64::EPSILON);
        *self.solve_error.insert(error)
    }

    /// Diagonal of J A⁻¹ Jᵀ, averaged over the rows of each constraint.
    fn update_effective_masses(&mut self, problem: &Problem) {
        self.effective_mass.clear();
        self.segment_diagonal.clear();
        self.gross_diagonal.clear();
        self.largest_term_mass = 0.0;
        let mut trace = 0.0;
        let sparse = self
            .sparse_masses
            .update(problem, &self.dynamics, &self.rows);
        let mut sparse = sparse.iter();
        for (index, constraint) in problem.constraints().iter().enumerate() {
            let mut total = 0.0;
            let segments = self.rows.segments(index);
            let mut at = 0;
            while at < segments.len() {
                let subsystem = segments[at].subsystem;
                let count = segments[at..]
                    .iter()
                    .take_while(|s| s.subsystem == subsystem)
                    .count();
                let group = &segments[at..at + count];
                let dofs = problem.dof_starts()[subsystem]..problem.dof_starts()[subsystem + 1];
                let solved = &mut self.product[..dofs.len()];
                // On sparse subsystems it is known already.
                let (mut sum, rows_left) = match self.dynamics.is_sparse(subsystem) {
                    true => (sparse.next().copied().unwrap_or(0.0), 0),
                    false => (0.0, constraint.rows),
                };
                // Three rows at a time: those of a contact.
                for first_row in (0..rows_left).step_by(3) {
                    self.columns.clear();
                    for segment in group {
                        let values = self.rows.values(index, segment);
                        self.columns
                            .resize(segment.first_dof - dofs.start, [0.0; 4]);
                        // Rows that are not there stay zero.
                        let row = |row: usize| {
                            let first = (first_row + row) * segment.len;
                            let values = values.get(first..).unwrap_or_default();
                            values.iter().copied().chain(std::iter::repeat(0.0))
                        };
                        let rows = row(0).zip(row(1)).zip(row(2)).take(segment.len);
                        self.columns.extend(rows.map(|((x, y), z)| [x, y, z, 0.0]));
                    }
                    let columns = &mut self.columns;
                    sum += self
                        .dynamics
                        .inverse_norms_squared(subsystem, columns, solved);
                }
                let mean = sum / constraint.rows as f64;
                self.segment_diagonal
                    .resize(self.segment_diagonal.len() + count, mean);
                let cancelled = self.rows.cancelled(index)[at];
                let gross = if cancelled > 0.0 {
                    self.columns.clear();
                    self.columns.resize(dofs.len(), [0.0; 4]);
                    for segment in group {
                        let first = segment.first_dof - dofs.start;
                        self.columns[first..first + segment.len].fill([cancelled, 0.0, 0.0, 0.0]);
                    }
                    let columns = &mut self.columns;
                    self.dynamics
                        .inverse_norms_squared(subsystem, columns, solved)
                } else {
                    0.0
                };
                self.gross_diagonal
                    .resize(self.segment_diagonal.len(), gross.max(mean));
                if mean > 0.0 {
                    self.largest_term_mass = self.largest_term_mass.max(1.0 / mean);
                }
                total += sum;
                at += count;
            }
            trace += total;
            let mean = total / constraint.rows as f64;
            self.effective_mass
                .push(if mean > 0.0 { 1.0 / mean } else { 0.0 });
        }
        // A constraint that moves nothing has no effective mass; any positive number serves that
        // grows with the unit of mass, so that the residuals do not depend on it.
        if self.effective_mass.contains(&0.0) {
            let mut inertia = 0.0;
            self.dynamics.for_each_lower_entry(|row, column, value| {
                if row == column {
                    inertia += value / problem.dof_count() as f64;
                }
            });
            for mass in &mut self.effective_mass {
                if *mass == 0.0 {
                    *mass = inertia;
                }
            }
        }
        let n_rows = problem.row_count();
        self.mean_diagonal = if trace > 0.0 {
            trace / n_rows as f64
        } else {
            1.0
        };
        if self.largest_term_mass == 0.0 {
            self.largest_term_mass = 1.0;
        }
    }

    /// A, assembled and factorised.
    pub fn dynamics(&mut self) -> &mut DynamicsMatrix {
        &mut self.dynamics
    }

    /// A (to multiply with, or to read its entries) and J together.
    pub fn matrices(&self) -> (&DynamicsMatrix, &JointRows) {
        (&self.dynamics, &self.rows)
    }

    /// J in joint space.
    pub fn rows(&self) -> &JointRows {
        &self.rows
    }

    /// A⁻¹ b: the velocity without constraints, m/s (rad/s).
    pub fn free_velocity(&self) -> &[f64] {
        &self.free_velocity
    }

    /// J A⁻¹ b: the row velocities without constraints (e not added), m/s (rad/s).
    pub fn free_row_velocity(&self) -> &[f64] {
        &self.free_row_velocity
    }

    /// Effective mass of each constraint, 1 / mean diagonal of its block of J A⁻¹ Jᵀ, in kg.
    pub fn effective_masses(&self) -> &[f64] {
        &self.effective_mass
    }

    /// Mean diagonal of J A_j⁻¹ Jᵀ that a constraint sees in the subsystem of each of its segments
    /// (equal for all segments on one subsystem), in 1/kg.
    pub fn segment_diagonals(&self, constraint: usize) -> &[f64] {
        &self.segment_diagonal[self.rows.segment_range(constraint)]
    }

    /// Largest effective mass that a constraint sees in one of its subsystems, in kg: the scale of
    /// CANAL's penalty.
    pub fn largest_term_mass(&self) -> f64 {
        self.largest_term_mass
    }

    /// Mean diagonal of J A⁻¹ Jᵀ, in 1/kg.
    pub fn mean_diagonal(&self) -> f64 {
        self.mean_diagonal
    }

    /// v̂ = A⁻¹(b + Jᵀλ) of the problem of the last [`update`](Self::update).
    pub fn velocity_of(&mut self, problem: &Problem, lambda: &[f64], velocity: &mut [f64]) {
        self.compute_velocity(problem, lambda);
        velocity.copy_from_slice(&self.velocity);
    }

    /// One criterion's residual of λ; v̂ is recomputed from it. Infinite when λ is not finite.
    pub fn measure(&mut self, problem: &Problem, lambda: &[f64], criterion: Criterion) -> f64 {
        self.compute_row_velocity(problem, lambda);
        self.measure_at(problem, lambda, &self.row_velocity, criterion)
    }

    /// One criterion's residual of impulses that are about to be called a solution, at this tolerance.
    ///
    /// Where rounding might hide a violation of that size, v̂ and J v̂ are computed in twice the precision
    /// and from the problem's own data (and [`velocity_of`](Self::velocity_of) these impulses returns that
    /// v̂).
    pub fn confirm(
        &mut self,
        problem: &Problem,
        lambda: &[f64],
        criterion: Criterion,
        tolerance: f64,
    ) -> f64 {
        self.compute_row_velocity(problem, lambda);
        let size = self.size_of_sums(problem, lambda);
        if CAUTION * self.dynamics.error_bound() * size <= tolerance {
            return self.measure_at(problem, lambda, &self.row_velocity, criterion);
        }
        self.careful.refine(
            problem,
            &mut self.dynamics,
            lambda,
            &mut self.velocity,
            &mut self.row_velocity,
        );
        let residual = self.measure_at(problem, lambda, &self.row_velocity, criterion);
        if matches!(
            criterion,
            Criterion::Paper | Criterion::Natural | Criterion::EpsAbs
        ) {
            // Not in m/s, and nothing that the two below could be added to.
            return residual;
        }
        // What the corrections leave of v̂ where the factor of A has hardly a digit.
        let unknown = size * self.solve_error().powi(CORRECTIONS + 1);
        worse(residual + self.rounding_of_laws(problem, lambda), unknown)
    }

    /// The last digits of impulses that laws weigh against each other, as a velocity, m/s.
    fn rounding_of_laws(&self, problem: &Problem, lambda: &[f64]) -> f64 {
        let mut largest: f64 = 0.0;
        for (constraint, &mass) in problem.constraints().iter().zip(&self.effective_mass) {
            let (z, impulse) = (constraint.load(&self.row_velocity), constraint.load(lambda));
            let e = constraint.load(problem.errors());
            if constraint.law.weighs_impulses(&z, &e, &impulse, mass) {
                largest = largest.max(2.0 * f64::EPSILON * impulse.norm() / mass);
            }
        }
        largest
    }

    /// What rounding may leave of a residual in m/s: v̂ of these impulses is not known better.
    pub fn floor(&mut self, problem: &Problem, lambda: &[f64]) -> f64 {
        CAUTION * self.rounding(problem, lambda)
    }

    /// What rounding may hide of a row velocity, m/s: [`Residuals::rounding`]. A and J have as many
    /// digits as solving with A leaves.
    pub fn rounding(&mut self, problem: &Problem, lambda: &[f64]) -> f64 {
        self.solve_error() * self.size_of_sums(problem, lambda)
    }

    /// The size of what a row velocity is a sum of, m/s, before anything cancels: by the energy that b
    /// and the impulses bring into a subsystem, each by itself.
    fn size_of_sums(&mut self, problem: &Problem, lambda: &[f64]) -> f64 {
        self.energy.clone_from(&self.free_energy);
        for (index, constraint) in problem.constraints().iter().enumerate() {
            let impulse = norm(&lambda[constraint.row_range()]);
            for (subsystem, root) in roots(&self.rows, &self.gross_diagonal, index) {
                self.energy[subsystem] += root * impulse;
            }
        }
        let mut largest: f64 = 0.0;
        for (index, constraint) in problem.constraints().iter().enumerate() {
            let roots = roots(&self.rows, &self.gross_diagonal, index);
            let size: f64 = roots
                .map(|(subsystem, root)| root * self.energy[subsystem])
                .sum();
            // Rows that move nothing have a mass by convention only, which their law sees all the same.
            let own = norm(&lambda[constraint.row_range()]) / self.effective_mass[index];
            let e = problem.error(index).iter();
            let e = e.fold(0.0, |largest: f64, e| largest.max(e.abs()));
            largest = worse(largest, size.max(own) + e);
        }
        largest
    }

    fn compute_velocity(&mut self, problem: &Problem, lambda: &[f64]) {
        if self.asked.is_some() && self.lambda == lambda {
            return;
        }
        self.lambda.clear();
        self.lambda.extend_from_slice(lambda);
        if lambda.iter().all(|&value| value == 0.0) {
            self.velocity.copy_from_slice(&self.free_velocity);
            self.row_velocity.copy_from_slice(&self.free_row_velocity);
            self.asked = Some(Asked::VelocityAndRows);
        } else {
            self.velocity.copy_from_slice(problem.b());
            self.rows.mul_transpose_add(lambda, &mut self.velocity);
            self.dynamics.solve_in_place(&mut self.velocity);
            self.asked = Some(Asked::Velocity);
        }
    }

    pub(super) fn compute_row_velocity(&mut self, problem: &Problem, lambda: &[f64]) {
        self.compute_velocity(problem, lambda);
        if self.asked == Some(Asked::Velocity) {
            self.rows.mul(&self.velocity, &mut self.row_velocity);
            self.asked = Some(Asked::VelocityAndRows);
        }
    }

    /// One criterion's residual of λ when J v̂ is known to belong to it.
    pub fn measure_at(
        &self,
        problem: &Problem,
        lambda: &[f64],
        row_velocity: &[f64],
        criterion: Criterion,
    ) -> f64 {
        let value = match criterion {
            Criterion::Paper => paper(problem, lambda, row_velocity),
            Criterion::Natural => {
                let (natural, balanced) = self.natural(problem, lambda, row_velocity);
                worse(natural, balanced)
            }
            Criterion::EpsAbs => {
                let mut out = Residuals::default();
                self.cones(problem, lambda, row_velocity, &mut out);
                out.eps_abs()
            }
            Criterion::Scaled
            | Criterion::VelocityChange
            | Criterion::Consensus
            | Criterion::PrimalDual
            | Criterion::SplitChange => self.scaled(problem, lambda, row_velocity),
        };
        if value.is_finite() {
            value
        } else {
            f64::INFINITY
        }
    }

    /// All residuals of a solution; what is not finite is infinitely wrong.
    pub fn residuals(&mut self, problem: &Problem, velocity: &[f64], lambda: &[f64]) -> Residuals {
        if lambda.iter().any(|value| !value.is_finite()) {
            return Residuals::unknown();
        }
        self.compute_row_velocity(problem, lambda);
        let (natural, balanced) = self.natural(problem, lambda, &self.row_velocity);
        let mut out = Residuals {
            paper: worse(0.0, paper(problem, lambda, &self.row_velocity)),
            scaled: worse(0.0, self.scaled(problem, lambda, &self.row_velocity)),
            natural: worse(0.0, natural),
            balanced: worse(0.0, balanced),
            dynamics: worse(0.0, self.dynamics_residual(problem, velocity, lambda)),
            rounding: self.rounding(problem, lambda),
            ..Residuals::default()
        };
        self.cones(problem, lambda, &self.row_velocity, &mut out);
        out
    }

    /// Violations of cones, dual cones and complementarity.
    fn cones(&self, problem: &Problem, lambda: &[f64], row_velocity: &[f64], out: &mut Residuals) {
        for (constraint, mass) in problem.constraints().iter().zip(&self.effective_mass) {
            let impulse = constraint.load(lambda);
            let z = constraint.load(row_velocity);
            let e = constraint.load(problem.errors());
            let velocity = constraint.law.law_velocity(&z, &e, &impulse);
            if let Some(friction) = constraint.law.friction() {
                let shifted = de_saxce(&constraint.law, &z, &e, &impulse);
                out.primal = worse(out.primal, cone::distance(&impulse, friction));
                out.dual = worse(out.dual, cone::distance_to_dual(&shifted, friction));
                out.complementarity = worse(out.complementarity, impulse.dot(&shifted).abs());
                let fb = fischer_burmeister(impulse.z / mass, velocity.z);
                out.fischer_burmeister = worse(out.fischer_burmeister, fb.abs());
            } else if constraint.law == Law::Unilateral {
                for row in 0..constraint.rows {
                    let fb = fischer_burmeister(impulse[row] / mass, velocity[row]);
                    out.fischer_burmeister = worse(out.fischer_burmeister, fb.abs());
                }
            }
        }
    }

    fn scaled(&self, problem: &Problem, lambda: &[f64], row_velocity: &[f64]) -> f64 {
        let mut worst: f64 = 0.0;
        for (constraint, &mass) in problem.constraints().iter().zip(&self.effective_mass) {
            if constraint.is_free(problem.errors(), row_velocity, lambda) {
                continue;
            }
            let impulse = constraint.load(lambda);
            let z = constraint.load(row_velocity);
            let e = constraint.load(problem.errors());
            let law = &constraint.law;
            let error = law.strict_defect(constraint.rows, &z, &e, &impulse, mass);
            // `amax` and most laws would drop a NaN.
            if !(z.sum() + impulse.sum() + error.sum()).is_finite() {
                return f64::INFINITY;
            }
            worst = worst.max(error.amax() / mass);
        }
        worst
    }

    fn natural(&self, problem: &Problem, lambda: &[f64], row_velocity: &[f64]) -> (f64, f64) {
        let scale = 1.0 / self.mean_diagonal;
        let (mut plain, mut balanced, mut size) = (0.0, 0.0, 0.0);
        for constraint in problem.constraints() {
            if constraint.is_free(problem.errors(), row_velocity, lambda) {
                continue;
            }
            let impulse = constraint.load(lambda);
            let z = constraint.load(row_velocity);
            if !(z.sum() + impulse.sum()).is_finite() {
                return (f64::INFINITY, f64::INFINITY);
            }
            let e = constraint.load(problem.errors());
            plain += natural_map(constraint, &z, &e, &impulse, 1.0).norm_squared();
            balanced += natural_map(constraint, &z, &e, &impulse, scale).norm_squared();
            size += impulse.norm_squared();
        }
        // r√d and u/√d: the map with β = 1/d, times √d.
        let root = self.mean_diagonal.sqrt();
        let reference = (f64::sqrt(size) * root)
            .max(self.free_norm / root)
            .max(1e-300);
        (
            f64::sqrt(plain) / (1.0 + self.free_norm),
            f64::sqrt(balanced) * root / reference,
        )
    }

    fn dynamics_residual(&mut self, problem: &Problem, velocity: &[f64], lambda: &[f64]) -> f64 {
        if velocity.len() != problem.dof_count() {
            return f64::INFINITY;
        }
        self.dynamics.mul(velocity, &mut self.product);
        self.generalized_impulse.copy_from_slice(problem.b());
        self.rows
            .mul_transpose_add(lambda, &mut self.generalized_impulse);
        let error: f64 = self
            .product
            .iter()
            .zip(&self.generalized_impulse)
            .map(|(a, b)| (a - b) * (a - b))
            .sum();
        let size: f64 = problem.b().iter().map(|b| b * b).sum();
        if size > 0.0 {
            (error / size).sqrt()
        } else {
            error.sqrt()
        }
    }
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// √ of the mean diagonal of J A_j⁻¹ Jᵀ that a constraint sees in each of its subsystems, 1/√kg.
fn roots<'a>(
    rows: &'a JointRows,
    diagonal: &'a [f64],
    constraint: usize,
) -> impl Iterator<Item = (usize, f64)> + 'a {
    let segments = rows.segments(constraint);
    let diagonals = &diagonal[rows.segment_range(constraint)];
    let all = segments.iter().zip(diagonals).enumerate();
    // All segments on one subsystem, which follow each other, have the same.
    all.filter(|(at, (segment, _))| *at == 0 || segments[at - 1].subsystem != segment.subsystem)
        .map(|(_, (segment, diagonal))| (segment.subsystem, diagonal.sqrt()))
}
