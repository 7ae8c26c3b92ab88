//! Contact constraint splitting, [CCS]: dynamics and contacts take turns, coupled by a diagonal mass.
//!
//! minimise ½ vᵀAv − bᵀv + g(J x) subject to v = x, by ADMM in the metric of D = κ diag(A):
//!
//! (A + D) v = b + D x + Jᵀλ,   D x = D v − Jᵀλ + Jᵀλ⁺ with (J x, λ⁺) obeying the laws.
//!
//! The multiplier of v = x is −Jᵀλ after every iteration, so that it needs no place. What is left for the contacts
//! is a problem with the mass D, whose Delassus matrix J D⁻¹ Jᵀ is diagonal for one contact a node: sweeps of
//! Gauss–Seidel. For bodies and trees D is a poor picture of A; the method is meant for thin nodal objects.

use nalgebra::{Matrix3, Vector3};
use stiction_constraints::factor::WholeMatrix;
use stiction_constraints::{
    Budget, ConeOperator, Declaration, Failure, JointRows, Problem, Report, ResidualEvaluator,
    Scheme, SchemeRunner, Solution, Solver, Stopwatch,
};

/// Settings of [`Ccs`].
#[derive(Debug, Clone, PartialEq)]
pub struct CcsSettings {
    /// κ: the diagonal mass over the diagonal of A.
    pub mass: f64,
    /// Gauss–Seidel sweeps over the contacts in an iteration.
    pub sweeps: usize,
    /// Iterations when the budget does not say.
    pub max_iterations: usize,
}

impl Default for CcsSettings {
    fn default() -> Self {
        Self {
            mass: 1.0,
            sweeps: 3,
            max_iterations: 2000,
        }
    }
}

/// Contact constraint splitting.
#[derive(Debug, Default)]
pub struct Ccs {
    runner: SchemeRunner,
    scheme: Iterate,
}

impl Ccs {
    /// A solver with the given settings.
    pub fn new(settings: CcsSettings) -> Self {
        Self {
            scheme: Iterate {
                settings,
                ..Iterate::default()
            },
            ..Self::default()
        }
    }
}

impl Solver for Ccs {
    fn name(&self) -> &'static str {
        "ccs"
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
    settings: CcsSettings,
    matrix: WholeMatrix,
    /// D and x.
    mass: Vec<f64>,
    split: Vec<f64>,
    /// v, and Jᵀλ.
    velocity: Vec<f64>,
    push: Vec<f64>,
    lambda: Vec<f64>,
    /// β of each constraint against D: one over the largest eigenvalue of its block of J D⁻¹ Jᵀ.
    weight: Vec<f64>,
    factorizations: usize,
}

impl Iterate {
    /// One over the largest eigenvalue of a constraint's block of J D⁻¹ Jᵀ; `None` where it moves nothing.
    fn weight(&self, rows: &JointRows, constraint: usize) -> Option<f64> {
        let mut block = Matrix3::<f64>::zeros();
        for segment in rows.segments(constraint) {
            let values = rows.values(constraint, segment);
            for offset in 0..segment.len {
                let mass = self.mass[segment.first_dof + offset];
                let mut column = Vector3::zeros();
                for row in 0..rows.rows(constraint).min(3) {
                    column[row] = values[row * segment.len + offset];
                }
                block += column * column.transpose() / mass;
            }
        }
        let largest = block.symmetric_eigenvalues().max();
        (largest > 0.0).then(|| 1.0 / largest)
    }

    /// One Gauss–Seidel sweep over the constraints, against the mass D.
    fn sweep(&mut self, problem: &Problem, rows: &JointRows) {
        for (index, constraint) in problem.constraints().iter().enumerate() {
            let mut z = Vector3::zeros();
            for segment in rows.segments(index) {
                let part = &self.split[segment.first_dof..][..segment.len];
                let values = rows.values(index, segment);
                for (z, row) in z.iter_mut().zip(values.chunks_exact(segment.len)) {
                    *z += row.iter().zip(part).map(|(a, b)| a * b).sum::<f64>();
                }
            }
            let (beta, old) = (self.weight[index], constraint.load(&self.lambda));
            let e = constraint.load(problem.errors());
            let x_bar = z - old / beta;
            let strict = ConeOperator::Strict;
            let new = constraint
                .law
                .impulse(constraint.rows, &x_bar, &e, beta, strict);
            let change = new - old;
            if change.iter().all(|&value| value == 0.0) {
                continue;
            }
            constraint.store(&new, &mut self.lambda);
            for segment in rows.segments(index) {
                let values = rows.values(index, segment);
                for (change, row) in change.iter().zip(values.chunks_exact(segment.len)) {
                    for (offset, value) in row.iter().enumerate() {
                        let dof = segment.first_dof + offset;
                        self.split[dof] += value * change / self.mass[dof];
                    }
                }
            }
        }
    }
}

impl Scheme for Iterate {
    fn declaration(&self) -> Declaration {
        Declaration {
            tests: SchemeRunner::TESTS,
            ..Declaration::EXACT
        }
    }

    fn interval(&self) -> usize {
        5
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
        self.matrix.update(dynamics, rows, false);
        let kappa = self.settings.mass;
        self.mass.clear();
        self.mass
            .extend(self.matrix.diagonal().map(|inertia| kappa * inertia));
        self.factorizations = 1;
        if !self.matrix.factorize(rows, kappa, &[]) {
            return Err(Failure::NotPositiveDefinite { subsystem: 0 });
        }
        self.weight.clear();
        for (index, mass) in evaluator.effective_masses().iter().enumerate() {
            let weight = self.weight(rows, index);
            self.weight.push(weight.unwrap_or(*mass));
        }
        self.lambda.clear();
        self.lambda.extend_from_slice(impulse);
        self.velocity.resize(problem.dof_count(), 0.0);
        evaluator.velocity_of(problem, impulse, &mut self.velocity);
        self.split.clone_from(&self.velocity);
        self.push.clear();
        self.push.resize(problem.dof_count(), 0.0);
        evaluator.rows().mul_transpose_add(impulse, &mut self.push);
        Ok(())
    }

    fn advance(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        impulse: &mut [f64],
        _stopwatch: &Stopwatch,
    ) -> Result<bool, Failure> {
        for (dof, v) in self.velocity.iter_mut().enumerate() {
            *v = problem.b()[dof] + self.mass[dof] * self.split[dof] + self.push[dof];
        }
        self.matrix.solve_in_place(&mut self.velocity);
        // D x = D v − Jᵀλ + Jᵀλ: the old impulses are where the sweeps begin.
        self.split.copy_from_slice(&self.velocity);
        for _ in 0..self.settings.sweeps {
            self.sweep(problem, evaluator.rows());
        }
        self.push.fill(0.0);
        evaluator
            .rows()
            .mul_transpose_add(&self.lambda, &mut self.push);
        impulse.copy_from_slice(&self.lambda);
        Ok(true)
    }
}
