//! ADMM in the form of OSQP on the whole system: the "full ADMM" that [SUB, §IV-B] compares with.
//!
//! minimise ½ vᵀAv − bᵀv + Σ g_i(z_i) subject to J v = z, [OSQP, Alg. 1] with A for P and J for its A. The KKT
//! system of line 3 is reduced to the degrees of freedom:
//!
//! (A + σ D + Jᵀ R J) ṽ = b + σ D v + Jᵀ(R z + λ),   z̃ = J ṽ,   D = diag(A),
//!
//! and lines 4–7 with over-relaxation α are v ← α ṽ + (1 − α) v, λ⁺ = T(w − λ/ρ; ρ) with w = α z̃ + (1 − α) z, and
//! z ← w + (λ⁺ − λ)/ρ. λ = −y. What OSQP reaches by equilibrating its matrices, ρ gets here from each
//! constraint's effective mass; contacts are projected by the strict operator, which makes it Coulomb's law.

use nalgebra::Matrix3;
use stiction_constraints::factor::WholeMatrix;
use stiction_constraints::{
    Budget, ConeOperator, Declaration, Failure, Law, Problem, Report, ResidualEvaluator, Scheme,
    SchemeRunner, Solution, Solver, Stopwatch,
};

/// Settings of [`Fadmm`]: OSQP's, by its names.
#[derive(Debug, Clone, PartialEq)]
pub struct FadmmSettings {
    /// σ as a share of the diagonal of A.
    pub sigma: f64,
    /// Over-relaxation α, in (0, 2).
    pub alpha: f64,
    /// ρ at the start, as a share of each constraint's effective mass.
    pub rho: f64,
    /// Factor on ρ of equalities.
    pub equality: f64,
    /// Iteration of the first look at ρ, and the factor from one look to the next.
    pub adapt: (usize, f64),
    /// ρ changes only by more than this factor: each change is a factorisation.
    pub adapt_ratio: f64,
    /// Iterations when the budget does not say.
    pub max_iterations: usize,
}

impl Default for FadmmSettings {
    fn default() -> Self {
        Self {
            sigma: 1e-6,
            alpha: 1.6,
            rho: 0.1,
            equality: 1e3,
            adapt: (10, 2.0),
            adapt_ratio: 5.0,
            max_iterations: 2000,
        }
    }
}

/// ADMM in the form of OSQP.
#[derive(Debug, Default)]
pub struct Fadmm {
    runner: SchemeRunner,
    scheme: Iterate,
}

impl Fadmm {
    /// A solver with the given settings.
    pub fn new(settings: FadmmSettings) -> Self {
        Self {
            scheme: Iterate {
                settings,
                ..Iterate::default()
            },
            ..Self::default()
        }
    }
}

impl Solver for Fadmm {
    fn name(&self) -> &'static str {
        "fadmm"
    }

    fn declaration(&self) -> Declaration {
        self.scheme.declaration()
    }

    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report {
        let most = self.scheme.settings.max_iterations;
        self.runner
            .solve(&mut self.scheme, problem, budget, solution, most)
    }
}

/// What the iteration keeps.
#[derive(Debug, Default)]
struct Iterate {
    settings: FadmmSettings,
    matrix: WholeMatrix,
    /// diag(A).
    diagonal: Vec<f64>,
    /// v, z and λ; ṽ and z̃.
    velocity: Vec<f64>,
    slack: Vec<f64>,
    lambda: Vec<f64>,
    free: Vec<f64>,
    /// The caller's guess of v̂; empty for none.
    guess: Vec<f64>,
    seen: Vec<f64>,
    /// R z + λ, and what pushes: work space.
    rows: Vec<f64>,
    push: Vec<f64>,
    /// ρ of each constraint at scale 1, the scale, and K of the matrix.
    weight: Vec<f64>,
    scale: f64,
    stiffness: Vec<Matrix3<f64>>,
    iteration: usize,
    next_look: usize,
    factorizations: usize,
}

/// ρ stays within these factors of its start, as OSQP's RHO_MIN and RHO_MAX do.
const SCALE: (f64, f64) = (1e-5, 1e6);
/// Primal differences are compared with this share of the free motion at least: in a heap at rest everything
/// vanishes, and ratios of nothing drive ρ anywhere.
const FLOOR: f64 = 1e-2;

impl Iterate {
    fn factorize(&mut self, evaluator: &ResidualEvaluator) -> Result<(), Failure> {
        for (stiffness, weight) in self.stiffness.iter_mut().zip(&self.weight) {
            *stiffness = Matrix3::from_diagonal_element(self.scale * weight);
        }
        self.factorizations += 1;
        let is_factorized =
            self.matrix
                .factorize(evaluator.rows(), self.settings.sigma, &self.stiffness);
        match is_factorized {
            true => Ok(()),
            false => Err(Failure::NotPositiveDefinite { subsystem: 0 }),
        }
    }

    /// [OSQP, §5.2]: ρ follows the ratio of the relative residuals.
    fn adapt(&mut self, problem: &Problem, evaluator: &ResidualEvaluator) -> Result<(), Failure> {
        let norm = |values: &[f64]| values.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        let (dynamics, rows) = evaluator.matrices();
        // Primal: J v − z.
        rows.mul(&self.velocity, &mut self.seen);
        let size = norm(&self.seen).max(norm(&self.slack));
        let size = size.max(FLOOR * norm(evaluator.free_row_velocity()));
        let both = self.seen.iter().zip(&self.slack);
        let gap = both.fold(0.0_f64, |a, (x, z)| a.max((x - z).abs()));
        // Dual: A v − b − Jᵀλ, each degree of freedom by its own inertia.
        self.push.fill(0.0);
        rows.mul_transpose_add(&self.lambda, &mut self.push);
        dynamics.mul(&self.velocity, &mut self.free);
        let (mut error, mut scale) = (0.0_f64, 0.0_f64);
        for dof in 0..self.push.len() {
            let (b, inertia) = (problem.b()[dof], self.diagonal[dof]);
            error = error.max((self.free[dof] - b - self.push[dof]).abs() / inertia);
            let largest = self.free[dof].abs().max(b.abs()).max(self.push[dof].abs());
            scale = scale.max(largest / inertia);
        }
        let (primal, dual) = (gap / size, error / scale);
        if !(primal > 0.0 && dual > 0.0 && primal.is_finite() && dual.is_finite()) {
            return Ok(());
        }
        let wanted = (self.scale * (primal / dual).sqrt()).clamp(SCALE.0, SCALE.1);
        let ratio = wanted / self.scale;
        let limit = self.settings.adapt_ratio;
        if ratio > limit || ratio < 1.0 / limit {
            self.scale = wanted;
            return self.factorize(evaluator);
        }
        Ok(())
    }
}

impl Scheme for Iterate {
    fn declaration(&self) -> Declaration {
        Declaration {
            guarantee: "problems without friction, of which this is the method of multipliers with splitting",
            tests: SchemeRunner::TESTS,
            avoids_internal_forces: true,
            is_robust: true,
            ..Declaration::EXACT
        }
    }

    fn interval(&self) -> usize {
        5
    }

    fn guess_velocity(&mut self, velocity: &[f64]) {
        self.guess.clear();
        self.guess.extend_from_slice(velocity);
    }

    fn velocity(&self) -> Option<&[f64]> {
        Some(&self.velocity)
    }

    fn factorizations(&self) -> usize {
        self.factorizations
    }

    fn begin(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        impulse: &[f64],
    ) -> Result<(), Failure> {
        let (dynamics, rows) = evaluator.matrices();
        self.matrix.update(dynamics, rows, true);
        self.diagonal.clear();
        self.diagonal.extend(self.matrix.diagonal());
        self.lambda.clear();
        self.lambda.extend_from_slice(impulse);
        let dofs = problem.dof_count();
        self.velocity.resize(dofs, 0.0);
        evaluator.velocity_of(problem, impulse, &mut self.velocity);
        self.slack.clear();
        self.slack
            .extend_from_slice(evaluator.row_velocity_of(problem, impulse));
        if self.guess.len() == dofs {
            self.velocity.copy_from_slice(&self.guess);
            evaluator.rows().mul(&self.guess, &mut self.slack);
        }
        self.free.resize(dofs, 0.0);
        self.push.resize(dofs, 0.0);
        self.seen.resize(impulse.len(), 0.0);
        self.rows.resize(impulse.len(), 0.0);
        self.weight.clear();
        let masses = evaluator.effective_masses();
        for (constraint, mass) in problem.constraints().iter().zip(masses) {
            let factor = match constraint.law {
                Law::Equality => self.settings.equality,
                _ => 1.0,
            };
            self.weight.push(self.settings.rho * factor * mass);
        }
        self.scale = 1.0;
        self.stiffness
            .resize(problem.constraints().len(), Matrix3::zeros());
        (self.iteration, self.factorizations) = (0, 0);
        self.next_look = self.settings.adapt.0;
        self.factorize(evaluator)
    }

    fn advance(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        impulse: &mut [f64],
        _stopwatch: &Stopwatch,
    ) -> Result<bool, Failure> {
        if self.iteration == self.next_look {
            self.adapt(problem, evaluator)?;
            let later = self.settings.adapt.1 * self.next_look as f64;
            self.next_look = (self.next_look + 1).max(later as usize);
        }
        self.iteration += 1;
        let alpha = self.settings.alpha;
        // Line 3.
        for (constraint, weight) in problem.constraints().iter().zip(&self.weight) {
            let rho = self.scale * weight;
            for row in constraint.row_range() {
                self.rows[row] = rho * self.slack[row] + self.lambda[row];
            }
        }
        let own = self.diagonal.iter().zip(&self.velocity);
        for ((free, b), (inertia, v)) in self.free.iter_mut().zip(problem.b()).zip(own) {
            *free = b + self.settings.sigma * inertia * v;
        }
        evaluator
            .rows()
            .mul_transpose_add(&self.rows, &mut self.free);
        self.matrix.solve_in_place(&mut self.free);
        evaluator.rows().mul(&self.free, &mut self.seen);
        // Lines 4–7.
        for (v, free) in self.velocity.iter_mut().zip(&self.free) {
            *v = alpha * free + (1.0 - alpha) * *v;
        }
        for (constraint, weight) in problem.constraints().iter().zip(&self.weight) {
            let rho = self.scale * weight;
            let old = constraint.load(&self.lambda);
            let slack = constraint.load(&self.slack);
            let w = constraint.load(&self.seen) * alpha + slack * (1.0 - alpha);
            let e = constraint.load(problem.errors());
            let law = &constraint.law;
            let x_bar = w - old / rho;
            let new = law.impulse(constraint.rows, &x_bar, &e, rho, ConeOperator::Strict);
            constraint.store(&(w + (new - old) / rho), &mut self.slack);
            constraint.store(&new, &mut self.lambda);
        }
        impulse.copy_from_slice(&self.lambda);
        Ok(true)
    }
}
