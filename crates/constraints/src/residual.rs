//! The one yardstick that all solvers are judged by.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::cone;
use crate::factor::DynamicsMatrix;
use crate::joint_rows::JointRows;
use crate::law::{ConeOperator, Law};
use crate::problem::{Constraint, Problem};
use crate::solver::{Criterion, Failure};

/// Every residual of one set of impulses λ, with v̂ = A⁻¹(b + Jᵀλ) recomputed from it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Residuals {
    /// The contact residual of [AL, §VII]: ‖T_strict(J v̂ − λ; β = 1) − λ‖₂ over the number of
    /// constraints. Mixes m/s and N·s.
    pub paper: f64,
    /// The same map with each constraint's effective mass as β, divided by it, largest component:
    /// in m/s, the same at any mass scale.
    pub scaled: f64,
    /// Largest distance of a contact's impulse to its friction cone, N·s, [CMC, §III].
    pub primal: f64,
    /// Largest distance of a contact's velocity (with the De Saxcé shift) to the dual cone, m/s.
    pub dual: f64,
    /// Largest |⟨λ, velocity with shift⟩| of a contact, J.
    pub complementarity: f64,
    /// Natural map r − P_K(r − (u + μ‖u_t‖n)) of contacts (natural map of the law for the others),
    /// 2-norm over (1 + ‖q‖), q the free velocity of the rows.
    pub natural: f64,
    /// The same map in variables scaled by the mean diagonal of J A⁻¹ Jᵀ, free of units.
    pub balanced: f64,
    /// Fischer–Burmeister residual of the normal rows in m/s (impulses over effective mass),
    /// largest value.
    pub fischer_burmeister: f64,
    /// ‖A v̂ − b − Jᵀλ‖ of the velocity that was handed in, relative to ‖b‖.
    pub dynamics: f64,
}

impl Residuals {
    /// What is reported when nothing could be measured: everything infinite.
    pub fn unknown() -> Self {
        let unknown = f64::INFINITY;
        Self {
            paper: unknown,
            scaled: unknown,
            primal: unknown,
            dual: unknown,
            complementarity: unknown,
            natural: unknown,
            balanced: unknown,
            fischer_burmeister: unknown,
            dynamics: unknown,
        }
    }

    /// What is reported when only the criterion's residual was measured: the others are infinite.
    /// `Natural` is about the larger of two, which both get its value.
    pub fn only(criterion: Criterion, value: f64) -> Self {
        let mut out = Self::unknown();
        match criterion {
            Criterion::Scaled => out.scaled = value,
            Criterion::Paper => out.paper = value,
            Criterion::Natural => (out.natural, out.balanced) = (value, value),
            Criterion::EpsAbs => {
                (out.primal, out.dual, out.complementarity) = (value, value, value)
            }
            // Tests of a paper that are not about impulses: beside them the scaled residual is measured.
            _ => out.scaled = value,
        }
        out
    }

    /// ε_abs of [CMC, §III]: the largest of primal, dual and complementarity.
    pub fn eps_abs(&self) -> f64 {
        worse(worse(self.primal, self.dual), self.complementarity)
    }

    /// The residual that a criterion is about.
    pub fn of(&self, criterion: Criterion) -> f64 {
        match criterion {
            Criterion::Scaled => self.scaled,
            Criterion::Paper => self.paper,
            Criterion::Natural => worse(self.natural, self.balanced),
            Criterion::EpsAbs => self.eps_abs(),
            _ => self.scaled,
        }
    }
}

/// Measures residuals: A factorised, J in joint space, effective masses.
///
/// Solvers use its parts too, so that nothing is computed twice.
#[derive(Debug, Default)]
pub struct Yardstick {
    dynamics: DynamicsMatrix,
    rows: JointRows,
    free_velocity: Vec<f64>,
    free_row_velocity: Vec<f64>,
    effective_mass: Vec<f64>,
    /// Mean diagonal of J A_j⁻¹ Jᵀ that a constraint sees in the subsystem of each segment.
    segment_diagonal: Vec<f64>,
    largest_term_mass: f64,
    mean_diagonal: f64,
    free_norm: f64,
    /// The impulses asked about last, with v̂ and (where asked for) J v̂ that belong to them:
    /// solvers ask about the same ones several times.
    asked: Option<Asked>,
    lambda: Vec<f64>,
    velocity: Vec<f64>,
    row_velocity: Vec<f64>,
    /// Work space: two vectors of the degrees of freedom, and the columns of one constraint.
    product: Vec<f64>,
    generalized_impulse: Vec<f64>,
    columns: Vec<[f64; 4]>,
}

/// What is known of [`Yardstick::lambda`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Velocity,
    VelocityAndRows,
}

impl Yardstick {
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
                (constraint.load(&self.free_row_velocity) + constraint.error).norm_squared()
            })
            .sum::<f64>()
            .sqrt();
        self.update_effective_masses(problem);
        Ok(())
    }

    /// Diagonal of J A⁻¹ Jᵀ, averaged over the rows of each constraint.
    fn update_effective_masses(&mut self, problem: &Problem) {
        self.effective_mass.clear();
        self.segment_diagonal.clear();
        self.largest_term_mass = 0.0;
        let mut trace = 0.0;
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
                self.columns.clear();
                for segment in group {
                    let values = self.rows.values(index, segment);
                    self.columns
                        .resize(segment.first_dof - dofs.start, [0.0; 4]);
                    // Rows that are not there stay zero.
                    let row = |row: usize| {
                        let values = values.get(row * segment.len..).unwrap_or_default();
                        values.iter().copied().chain(std::iter::repeat(0.0))
                    };
                    let rows = row(0).zip(row(1)).zip(row(2)).take(segment.len);
                    self.columns.extend(rows.map(|((x, y), z)| [x, y, z, 0.0]));
                }
                let solved = &mut self.product[..dofs.len()];
                let columns = &mut self.columns;
                let sum = self
                    .dynamics
                    .inverse_norms_squared(subsystem, columns, solved);
                let mean = sum / constraint.rows as f64;
                self.segment_diagonal
                    .resize(self.segment_diagonal.len() + count, mean);
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

    fn compute_row_velocity(&mut self, problem: &Problem, lambda: &[f64]) {
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
            Criterion::Scaled => self.scaled(problem, lambda, row_velocity),
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
            _ => self.scaled(problem, lambda, row_velocity),
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
            let velocity = constraint.law.law_velocity(&z, &constraint.error, &impulse);
            if let Some(friction) = constraint.law.friction() {
                let shifted = de_saxce(&constraint.law, &z, &constraint.error, &impulse);
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
            if constraint.is_free(row_velocity, lambda) {
                continue;
            }
            let impulse = constraint.load(lambda);
            let x_bar = constraint.load(row_velocity) - impulse / mass;
            let error = strict_impulse(constraint, &x_bar, mass) - impulse;
            // `amax` and most laws would drop a NaN.
            if !(x_bar.sum() + error.sum()).is_finite() {
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
            if constraint.is_free(row_velocity, lambda) {
                continue;
            }
            let impulse = constraint.load(lambda);
            let z = constraint.load(row_velocity);
            if !(z.sum() + impulse.sum()).is_finite() {
                return (f64::INFINITY, f64::INFINITY);
            }
            plain += natural_map(constraint, &z, &impulse, 1.0).norm_squared();
            balanced += natural_map(constraint, &z, &impulse, scale).norm_squared();
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

/// ‖T_strict(J v̂ − λ; β = 1) − λ‖₂ / number of constraints.
fn paper(problem: &Problem, lambda: &[f64], row_velocity: &[f64]) -> f64 {
    let mut sum = 0.0;
    let (fours, rest) = problem.constraints().as_chunks();
    for four in fours {
        match frictions(four) {
            Some(friction) => sum += four_contacts(four, &friction, lambda, row_velocity),
            None => {
                let each = four.iter().map(|one| squared(one, lambda, row_velocity));
                sum += each.sum::<f64>();
            }
        }
    }
    let each = rest.iter().map(|one| squared(one, lambda, row_velocity));
    sum += each.sum::<f64>();
    let residual = sum.sqrt() / problem.constraints().len().max(1) as f64;
    // Most laws would drop a NaN, but not the sum.
    if residual.is_nan() {
        f64::INFINITY
    } else {
        residual
    }
}

/// ‖T_strict(z − λ; β = 1) − λ‖² of a constraint, NaN when something is not finite.
fn squared(constraint: &Constraint, lambda: &[f64], row_velocity: &[f64]) -> f64 {
    let impulse = constraint.load(lambda);
    let x_bar = constraint.load(row_velocity) - impulse;
    let error = strict_impulse(constraint, &x_bar, 1.0) - impulse;
    error.norm_squared() + 0.0 * x_bar.sum()
}

/// The friction of four contacts with Coulomb friction; `None` when one has another law.
fn frictions(four: &[Constraint; 4]) -> Option<[f64; 4]> {
    let mut out = [0.0; 4];
    for (out, constraint) in out.iter_mut().zip(four) {
        let Law::Contact { friction } = constraint.law else {
            return None;
        };
        *out = friction;
    }
    Some(out)
}

/// [`squared`] of four contacts, side by side.
fn four_contacts(
    four: &[Constraint; 4],
    friction: &[f64; 4],
    lambda: &[f64],
    row_velocity: &[f64],
) -> f64 {
    let (mut target, mut impulse, mut spread) = ([[0.0; 4]; 3], [[0.0; 4]; 3], 0.0);
    for (k, constraint) in four.iter().enumerate() {
        let own = constraint.load(lambda);
        let x_bar = constraint.load(row_velocity) - own;
        spread += x_bar.sum();
        for row in 0..3 {
            target[row][k] = -(x_bar[row] + constraint.error[row]);
            impulse[row][k] = own[row];
        }
    }
    let map = cone::project_strict_side_by_side(&target, friction);
    let mut sums = [0.0; 4];
    for (map, impulse) in map.iter().zip(&impulse) {
        for k in 0..4 {
            sums[k] += (map[k] - impulse[k]) * (map[k] - impulse[k]);
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + 0.0 * spread
}

/// T_strict(x̄; β), without the choice among all laws for what is met most often.
#[inline]
fn strict_impulse(constraint: &Constraint, x_bar: &Vector3<f64>, beta: f64) -> Vector3<f64> {
    if let Law::Contact { friction } = constraint.law {
        return cone::project_strict(&((x_bar + constraint.error) * -beta), friction);
    }
    let (rows, error) = (constraint.rows, &constraint.error);
    let law = &constraint.law;
    law.impulse(rows, x_bar, error, beta, ConeOperator::Strict)
}

/// λ − T(z − λ/β; β): for contacts the projection of λ − β(u + μ‖u_t‖n) onto the cone.
fn natural_map(
    constraint: &Constraint,
    z: &Vector3<f64>,
    impulse: &Vector3<f64>,
    beta: f64,
) -> Vector3<f64> {
    let shift = constraint.law.normal_shift(z, &constraint.error, impulse);
    let x_bar = z - impulse / beta;
    let operator = ConeOperator::Proximal { shift };
    impulse
        - constraint
            .law
            .impulse(constraint.rows, &x_bar, &constraint.error, beta, operator)
}

/// The contact's velocity with the De Saxcé shift: u + μ‖u_t‖ n.
fn de_saxce(law: &Law, z: &Vector3<f64>, e: &Vector3<f64>, lambda: &Vector3<f64>) -> Vector3<f64> {
    let mut out = law.law_velocity(z, e, lambda);
    out.z += law.normal_shift(z, e, lambda);
    out
}

/// a + b − √(a² + b²): zero exactly where 0 ≤ a ⟂ b ≥ 0.
fn fischer_burmeister(a: f64, b: f64) -> f64 {
    a + b - a.hypot(b)
}

/// The larger of two residuals; what is not a number is infinitely wrong, where `f64::max` would
/// drop it.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::INFINITY
    } else {
        a.max(b)
    }
}
