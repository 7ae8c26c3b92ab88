//! Nonsmooth Newton on v̂ and λ together, [NSN, Alg. 1].
//!
//! Each constraint becomes a linear relation Δλ = −K J Δv̂ − f; with A Δv̂ = Jᵀ Δλ the step is
//!
//! (A + Jᵀ K J) Δv̂ = −Jᵀ f,   Δλ = −f − K J Δv̂,
//!
//! one sparse Cholesky factorisation over all degrees of freedom. A v̂ = b + Jᵀλ holds from the start on, so that
//! it holds along the step, and only the laws are left to a backtracking line search.

use nalgebra::Matrix3;
use stiction_constraints::factor::WholeMatrix;
use stiction_constraints::{
    Budget, Declaration, Failure, Problem, Report, ResidualEvaluator, Scheme, SchemeRunner,
    Solution, Solver, Stopwatch,
};

use crate::linear_piece::LinearPiece;
use crate::{fischer_burmeister, natural};

/// Which function of (z, λ) is brought to zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Function {
    /// Fischer–Burmeister for contacts and one-sided rows, the natural map for other laws.
    #[default]
    FischerBurmeister,
    /// The natural map.
    Natural,
}

/// Settings of [`NonsmoothNewton`].
#[derive(Debug, Clone, PartialEq)]
pub struct NewtonSettings {
    /// Which function is brought to zero.
    pub function: Function,
    /// Softness of rigid constraints in a step, over their effective mass: what is missing of an impulse shrinks by this
    /// factor a step at best, and the matrix has a condition number of one over it.
    pub softness: f64,
    /// Halvings of a step that does not bring the function down.
    pub halvings: usize,
    /// Newton steps when the budget does not say.
    pub max_iterations: usize,
}

impl NewtonSettings {
    /// Defaults for a function.
    pub fn of(function: Function) -> Self {
        Self {
            function,
            softness: 1e-6,
            halvings: 5,
            max_iterations: 100,
        }
    }
}

impl Default for NewtonSettings {
    fn default() -> Self {
        Self::of(Function::default())
    }
}

/// A nonsmooth Newton solver.
#[derive(Debug, Default)]
pub struct NonsmoothNewton {
    runner: SchemeRunner,
    scheme: Iterate,
}

impl NonsmoothNewton {
    /// A solver with the given settings.
    pub fn new(settings: NewtonSettings) -> Self {
        Self {
            scheme: Iterate {
                settings,
                ..Iterate::default()
            },
            ..Self::default()
        }
    }
}

impl Solver for NonsmoothNewton {
    fn name(&self) -> &'static str {
        match self.scheme.settings.function {
            Function::FischerBurmeister => "newton-fb",
            Function::Natural => "newton-natural",
        }
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
    settings: NewtonSettings,
    matrix: WholeMatrix,
    stiffness: Vec<Matrix3<f64>>,
    /// λ and z = J v̂, and their changes; those of a trial step.
    lambda: Vec<f64>,
    velocity: Vec<f64>,
    lambda_step: Vec<f64>,
    velocity_step: Vec<f64>,
    trial_lambda: Vec<f64>,
    trial_velocity: Vec<f64>,
    /// Δv̂.
    motion: Vec<f64>,
    factorizations: usize,
}

impl Iterate {
    /// What a step sees of a constraint at (λ, z).
    fn piece(
        &self,
        problem: &Problem,
        index: usize,
        mass: f64,
        lambda: &[f64],
        velocity: &[f64],
    ) -> LinearPiece {
        let constraint = &problem.constraints()[index];
        let (impulse, z) = (constraint.load(lambda), constraint.load(velocity));
        let e = constraint.load(problem.errors());
        let (law, rows, softness) = (&constraint.law, constraint.rows, self.settings.softness);
        let special = match self.settings.function {
            Function::FischerBurmeister => {
                fischer_burmeister::piece(law, rows, &z, &e, &impulse, mass, softness)
            }
            Function::Natural => None,
        };
        special.unwrap_or_else(|| natural::piece(law, rows, &z, &e, &impulse, mass, softness))
    }

    /// The square of what is to be brought to zero, (m/s)²; infinite where it is not finite.
    fn merit(&self, problem: &Problem, masses: &[f64], lambda: &[f64], velocity: &[f64]) -> f64 {
        let pieces = masses.iter().enumerate().map(|(index, &mass)| {
            let piece = self.piece(problem, index, mass, lambda, velocity);
            piece.error.norm_squared()
        });
        let merit: f64 = pieces.sum();
        if merit.is_finite() {
            merit
        } else {
            f64::INFINITY
        }
    }

    /// `lambda_step` and `velocity_step` of a whole Newton step, and the merit where it starts.
    fn newton_step(
        &mut self,
        problem: &Problem,
        evaluator: &ResidualEvaluator,
    ) -> Result<f64, Failure> {
        let masses = evaluator.effective_masses();
        let mut merit = 0.0;
        for (index, constraint) in problem.constraints().iter().enumerate() {
            let piece = self.piece(problem, index, masses[index], &self.lambda, &self.velocity);
            merit += piece.error.norm_squared();
            self.stiffness[index] = piece.stiffness;
            constraint.store(&-piece.force, &mut self.lambda_step);
        }
        self.motion.fill(0.0);
        let rows = evaluator.rows();
        rows.mul_transpose_add(&self.lambda_step, &mut self.motion);
        self.factorizations += 1;
        if !self.matrix.factorize(rows, 0.0, &self.stiffness) {
            return Err(Failure::NotFinite);
        }
        self.matrix.solve_in_place(&mut self.motion);
        rows.mul(&self.motion, &mut self.velocity_step);
        for (index, constraint) in problem.constraints().iter().enumerate() {
            let change = constraint.load(&self.lambda_step)
                - self.stiffness[index] * constraint.load(&self.velocity_step);
            constraint.store(&change, &mut self.lambda_step);
        }
        Ok(merit)
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
        1
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
        self.lambda.clear();
        self.lambda.extend_from_slice(impulse);
        self.velocity.clear();
        self.velocity
            .extend_from_slice(evaluator.row_velocity_of(problem, impulse));
        let constraints = problem.constraints().len();
        self.stiffness.resize(constraints, Matrix3::zeros());
        for rows in [
            &mut self.lambda_step,
            &mut self.velocity_step,
            &mut self.trial_lambda,
            &mut self.trial_velocity,
        ] {
            rows.resize(impulse.len(), 0.0);
        }
        self.motion.resize(problem.dof_count(), 0.0);
        self.factorizations = 0;
        Ok(())
    }

    fn advance(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        impulse: &mut [f64],
        _stopwatch: &Stopwatch,
    ) -> Result<bool, Failure> {
        let start = self.newton_step(problem, evaluator)?;
        // The longest of the steps 1, ½, ¼ … that brings the merit down; where none does, the one that
        // raises it least: kinks are left behind that way.
        let (mut length, mut best) = (1.0, (f64::INFINITY, 0.0));
        for _ in 0..=self.settings.halvings {
            let steps = self.lambda_step.iter().zip(&self.velocity_step);
            for (row, (lambda, velocity)) in steps.enumerate() {
                self.trial_lambda[row] = self.lambda[row] + length * lambda;
                self.trial_velocity[row] = self.velocity[row] + length * velocity;
            }
            let masses = evaluator.effective_masses();
            let merit = self.merit(problem, masses, &self.trial_lambda, &self.trial_velocity);
            if merit < best.0 {
                best = (merit, length);
            }
            if merit < (1.0 - 1e-4 * length) * start {
                break;
            }
            length *= 0.5;
        }
        let (merit, length) = best;
        if merit == f64::INFINITY {
            return Err(Failure::NotFinite);
        }
        let mut moves = false;
        for row in 0..impulse.len() {
            let change = length * self.lambda_step[row];
            let next = self.lambda[row] + change;
            moves |= next != self.lambda[row];
            self.lambda[row] = next;
        }
        impulse.copy_from_slice(&self.lambda);
        // From scratch: rounding of the step is not to stay.
        self.velocity
            .copy_from_slice(evaluator.row_velocity_of(problem, impulse));
        Ok(moves)
    }
}
