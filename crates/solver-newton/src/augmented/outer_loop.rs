//! The outer loop of [AL, Alg. 1] around the strict surrogate problem.

use stiction_constraints::{
    Budget, Declaration, Failure, Problem, Report, ResidualEvaluator, Scheme, SchemeRunner,
    Solution, Solver, Stopwatch,
};

use super::surrogate::{Surrogate, SurrogateBuffers};
use crate::descent::{Descent, Globalization};

/// The first penalty β.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StartPenalty {
    /// kg.
    Absolute(f64),
    /// Multiple of the largest effective mass that a constraint sees in one subsystem.
    TimesMass(f64),
}

/// Settings of [`AugmentedNewton`].
#[derive(Debug, Clone, PartialEq)]
pub struct AugmentedSettings {
    /// How inner Newton steps are kept from leading astray.
    pub inner: Globalization,
    /// First penalty β.
    pub penalty: StartPenalty,
    /// Largest penalty, over the first.
    pub penalty_range: f64,
    /// κ > 1: factor by which β grows, [AL, (28)].
    pub penalty_growth: f64,
    /// ζ in (0, 1): β grows when ‖J v̂ − z‖ did not shrink by this factor.
    pub penalty_test: f64,
    /// An inner solve has done enough at ‖r‖ ≤ this × max(‖b‖, ‖Jᵀλ‖).
    pub inner_tolerance: f64,
    /// Newton steps of one inner solve; steps that are tried and not taken count.
    pub max_inner: usize,
    /// Outer iterations when the budget names none.
    pub max_iterations: usize,
}

impl AugmentedSettings {
    /// A penalty of ten times the effective mass, which solves the same problem at any unit of mass.
    pub fn of(inner: Globalization) -> Self {
        Self {
            inner,
            penalty: StartPenalty::TimesMass(10.0),
            penalty_range: 1e4,
            penalty_growth: 10.0,
            penalty_test: 0.25,
            inner_tolerance: 1e-10,
            max_inner: 100,
            max_iterations: 100,
        }
    }

    /// The paper's first penalty, 1e4 kg.
    pub fn paper(inner: Globalization) -> Self {
        Self {
            penalty: StartPenalty::Absolute(1e4),
            ..Self::of(inner)
        }
    }
}

/// The augmented Lagrangian with strict inner solves.
#[derive(Debug)]
pub struct AugmentedNewton {
    runner: SchemeRunner,
    scheme: OuterLoop,
}

impl AugmentedNewton {
    /// A solver with the given settings.
    pub fn new(settings: AugmentedSettings) -> Self {
        Self {
            runner: SchemeRunner::default(),
            scheme: OuterLoop {
                settings,
                buffers: SurrogateBuffers::default(),
                descent: Descent::default(),
                unknowns: Vec::new(),
                multiplier: Vec::new(),
                beta: 0.0,
                most: 0.0,
                last_gap: f64::INFINITY,
                steps: 0,
                factorizations: 0,
                failures: 0,
            },
        }
    }
}

impl Solver for AugmentedNewton {
    fn name(&self) -> &'static str {
        match self.scheme.settings.inner {
            Globalization::Dogleg => "al-dogleg",
            Globalization::Backtracking => "al-damped",
            Globalization::EdgeAware => "al-edge-aware",
        }
    }

    fn declaration(&self) -> Declaration {
        DECLARATION
    }

    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report {
        let most = self.scheme.settings.max_iterations;
        self.runner
            .solve(&mut self.scheme, problem, budget, solution, most)
    }
}

const DECLARATION: Declaration = Declaration {
    tests: SchemeRunner::TESTS,
    ..Declaration::EXACT
};

/// The iteration; inner solves look at the clock and the flag too.
#[derive(Debug)]
struct OuterLoop {
    settings: AugmentedSettings,
    buffers: SurrogateBuffers,
    descent: Descent,
    /// v̂ in the variables of the surrogate problem.
    unknowns: Vec<f64>,
    /// λ of the last multiplier update.
    multiplier: Vec<f64>,
    beta: f64,
    most: f64,
    last_gap: f64,
    steps: usize,
    factorizations: usize,
    failures: usize,
}

impl Scheme for OuterLoop {
    fn declaration(&self) -> Declaration {
        DECLARATION
    }

    fn interval(&self) -> usize {
        1
    }

    fn factorizations(&self) -> usize {
        self.factorizations
    }

    fn inner_iterations(&self) -> Option<usize> {
        Some(self.steps)
    }

    fn inner_failures(&self) -> usize {
        self.failures
    }

    fn begin(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        impulse: &[f64],
    ) -> Result<(), Failure> {
        let own = self;
        own.buffers.prepare(problem, evaluator);
        own.multiplier.clear();
        own.multiplier.extend_from_slice(impulse);
        own.unknowns.resize(problem.dof_count(), 0.0);
        evaluator.velocity_of(problem, impulse, &mut own.unknowns);
        for (x, scale) in own.unknowns.iter_mut().zip(&own.buffers.scale) {
            *x *= scale;
        }
        own.beta = match own.settings.penalty {
            StartPenalty::Absolute(value) => value,
            StartPenalty::TimesMass(factor) => factor * evaluator.largest_term_mass(),
        };
        own.most = own.settings.penalty_range * own.beta;
        own.last_gap = f64::INFINITY;
        (own.steps, own.factorizations, own.failures) = (0, 0, 0);
        Ok(())
    }

    fn advance(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        impulse: &mut [f64],
        stopwatch: &Stopwatch,
    ) -> Result<bool, Failure> {
        let own = self;
        let mut surrogate = Surrogate {
            problem,
            evaluator,
            beta: own.beta,
            multiplier: &own.multiplier,
            buffers: &mut own.buffers,
        };
        own.descent.start(&mut surrogate, &own.unknowns);
        let mut tried = 0;
        let is_solved = loop {
            if own.descent.size <= surrogate.enough(own.settings.inner_tolerance) {
                break true;
            }
            if tried >= own.settings.max_inner || stopwatch.is_spent() {
                break false;
            }
            let step = own.descent.advance(
                own.settings.inner,
                &mut surrogate,
                &mut own.unknowns,
                stopwatch,
            );
            own.factorizations += 1;
            tried += step.tried;
            if !step.has_moved {
                // Nothing leads down any more: the end of the digits, or of the method.
                break own.descent.is_rounding(&own.unknowns);
            }
        };
        own.steps += tried;
        own.failures += usize::from(!is_solved);
        // λ ← λ(v̂), which is −u by [AL, (13)].
        let gap = surrogate.gap();
        if !gap.is_finite() {
            return Err(Failure::NotFinite);
        }
        let moves = own.buffers.response != own.multiplier;
        own.multiplier.copy_from_slice(&own.buffers.response);
        impulse.copy_from_slice(&own.multiplier);
        if gap > own.settings.penalty_test * own.last_gap {
            own.beta = (own.settings.penalty_growth * own.beta).min(own.most);
        }
        own.last_gap = gap;
        Ok(moves)
    }
}
