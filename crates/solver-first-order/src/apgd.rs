//! Accelerated projected gradient descent, [APGD, Alg. 1], on the cone complementarity problem.
//!
//! Minimises ½ λᵀGλ + λᵀ(J A⁻¹ b + e) over the cones by Nesterov's method with backtracking and restarts. Each
//! constraint is measured by its effective mass m, so that rows of different units agree on a step:
//! λ⁺ = T(z − λ L/m; m/L), the closed form of the law, which is a projection for cones and makes any other law
//! welcome. \[APGD\] has m = 1.

use stiction_constraints::{
    Budget, ConeOperator, Declaration, Delassus, Failure, Problem, Relaxation, Report,
    ResidualEvaluator, Scheme, SchemeRunner, Solution, Solver, Stopwatch,
};

/// How products with G = J A⁻¹ Jᵀ are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Products {
    /// By Jᵀ, A⁻¹ and J, in turn: no matrix of contacts.
    #[default]
    OnTheFly,
    /// By the assembled G.
    Assembled,
}

/// Settings of [`Apgd`].
#[derive(Debug, Clone, PartialEq)]
pub struct ApgdSettings {
    /// How products with G are computed.
    pub products: Products,
    /// Factor on L after every iteration, in (0, 1]: how fast steps that were cut grow again.
    pub recovery: f64,
    /// Iterations when the budget does not say.
    pub max_iterations: usize,
}

impl Default for ApgdSettings {
    fn default() -> Self {
        Self {
            products: Products::OnTheFly,
            // Line 22 of [APGD, Alg. 1].
            recovery: 0.9,
            max_iterations: 2000,
        }
    }
}

/// Accelerated projected gradient descent.
#[derive(Debug, Default)]
pub struct Apgd {
    runner: SchemeRunner,
    scheme: Iterate,
}

impl Apgd {
    /// A solver with the given settings.
    pub fn new(settings: ApgdSettings) -> Self {
        Self {
            scheme: Iterate {
                settings,
                ..Iterate::default()
            },
            ..Self::default()
        }
    }
}

impl Solver for Apgd {
    fn name(&self) -> &'static str {
        "apgd"
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
    settings: ApgdSettings,
    /// λ and z = J v̂ at it; the same at the extrapolated point.
    lambda: Vec<f64>,
    velocity: Vec<f64>,
    point: Vec<f64>,
    point_velocity: Vec<f64>,
    /// The step from the extrapolated point, and G times it.
    step: Vec<f64>,
    response: Vec<f64>,
    generalized: Vec<f64>,
    delassus: Delassus,
    /// θ of Nesterov's sequence, and L, free of units.
    theta: f64,
    curvature: f64,
}

/// Times that L is doubled in one iteration; G is finite, so that a few suffice.
const MOST_DOUBLINGS: usize = 60;
/// L stays above this: 1 is the curvature of a constraint by itself.
const LEAST_CURVATURE: f64 = 1e-3;

impl Iterate {
    /// `step` ← T(point) − point, and whether it is nothing.
    fn project(&mut self, problem: &Problem, masses: &[f64]) -> bool {
        let operator = ConeOperator::Proximal { shift: 0.0 };
        let mut is_zero = true;
        for (constraint, mass) in problem.constraints().iter().zip(masses) {
            let beta = mass / self.curvature;
            let from = constraint.load(&self.point);
            let z = constraint.load(&self.point_velocity);
            let e = constraint.load(problem.errors());
            let x_bar = z - from / beta;
            let to = constraint
                .law
                .impulse(constraint.rows, &x_bar, &e, beta, operator);
            let step = to - from;
            is_zero &= step.iter().all(|&value| value == 0.0);
            constraint.store(&step, &mut self.step);
        }
        is_zero
    }

    /// `response` ← G `step`.
    fn respond(&mut self, evaluator: &mut ResidualEvaluator) {
        if self.settings.products == Products::Assembled {
            self.delassus.mul(&self.step, &mut self.response);
            return;
        }
        self.generalized.fill(0.0);
        let rows = evaluator.rows();
        rows.mul_transpose_add(&self.step, &mut self.generalized);
        evaluator.dynamics().solve_in_place(&mut self.generalized);
        evaluator.rows().mul(&self.generalized, &mut self.response);
    }

    /// Whether the parabola of curvature L lies above the function at the step: dᵀGd ≤ L Σ|d|²/m.
    fn is_majorized(&self, problem: &Problem, masses: &[f64]) -> bool {
        let (mut work, mut size) = (0.0, 0.0);
        for (constraint, mass) in problem.constraints().iter().zip(masses) {
            for row in constraint.row_range() {
                work += self.step[row] * self.response[row];
                size += self.step[row] * self.step[row] / mass;
            }
        }
        !(work > self.curvature * size)
    }
}

impl Scheme for Iterate {
    fn declaration(&self) -> Declaration {
        Declaration {
            relaxes: &[Relaxation::Signorini],
            guarantee: "converges to a solution of the convex cone model, if there is one",
            tests: SchemeRunner::TESTS,
            avoids_internal_forces: true,
            ..Declaration::EXACT
        }
    }

    fn interval(&self) -> usize {
        5
    }

    fn model_residual(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        impulse: &[f64],
    ) -> Option<f64> {
        Some(evaluator.cone_model(problem, impulse))
    }

    fn begin(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        impulse: &[f64],
    ) -> Result<(), Failure> {
        if self.settings.products == Products::Assembled {
            // The evaluator lends its factors: A must be borrowed to solve, J to read.
            let mut dynamics = std::mem::take(evaluator.dynamics());
            self.delassus
                .update(problem, &mut dynamics, evaluator.rows());
            *evaluator.dynamics() = dynamics;
        }
        self.lambda.clear();
        self.lambda.extend_from_slice(impulse);
        self.velocity.clear();
        self.velocity
            .extend_from_slice(evaluator.row_velocity_of(problem, impulse));
        self.point.clone_from(&self.lambda);
        self.point_velocity.clone_from(&self.velocity);
        self.step.resize(impulse.len(), 0.0);
        self.response.resize(impulse.len(), 0.0);
        self.generalized.resize(problem.dof_count(), 0.0);
        (self.theta, self.curvature) = (1.0, 1.0);
        Ok(())
    }

    fn advance(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        impulse: &mut [f64],
        _stopwatch: &Stopwatch,
    ) -> Result<bool, Failure> {
        let mut doublings = 0;
        loop {
            if self.project(problem, evaluator.effective_masses()) {
                // The point is a fixed point; so is λ if it is the same.
                let is_same = self.point == self.lambda;
                self.lambda.clone_from(&self.point);
                self.velocity.clone_from(&self.point_velocity);
                impulse.copy_from_slice(&self.lambda);
                self.theta = 1.0;
                return Ok(!is_same);
            }
            self.respond(evaluator);
            if self.is_majorized(problem, evaluator.effective_masses()) {
                break;
            }
            doublings += 1;
            if doublings > MOST_DOUBLINGS {
                return Err(Failure::NotFinite);
            }
            self.curvature *= 2.0;
        }
        // Lines 13–20: extrapolate, unless that goes uphill. The step is downhill in the metric of the
        // masses: its product with the way from the last iterate tells.
        let mut downhill = 0.0;
        let masses = evaluator.effective_masses();
        for (constraint, mass) in problem.constraints().iter().zip(masses) {
            for row in constraint.row_range() {
                let way = self.point[row] + self.step[row] - self.lambda[row];
                downhill += self.step[row] * way / mass;
            }
        }
        let squared = self.theta * self.theta;
        let next = 0.5 * (-squared + (squared * squared + 4.0 * squared).sqrt());
        let mut weight = self.theta * (1.0 - self.theta) / (squared + next);
        self.theta = next;
        if downhill < 0.0 {
            (weight, self.theta) = (0.0, 1.0);
        }
        for row in 0..impulse.len() {
            let (old, old_velocity) = (self.lambda[row], self.velocity[row]);
            self.lambda[row] = self.point[row] + self.step[row];
            self.velocity[row] = self.point_velocity[row] + self.response[row];
            self.point[row] = self.lambda[row] + weight * (self.lambda[row] - old);
            self.point_velocity[row] =
                self.velocity[row] + weight * (self.velocity[row] - old_velocity);
        }
        self.curvature = (self.settings.recovery * self.curvature).max(LEAST_CURVATURE);
        impulse.copy_from_slice(&self.lambda);
        Ok(true)
    }
}
