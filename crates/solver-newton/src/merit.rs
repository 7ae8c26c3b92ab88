//! Newton on the merit function of the complementarity problem itself: trust region or damped, without an
//! augmented Lagrangian around it.

use stiction_constraints::{
    Budget, Declaration, Failure, Problem, Report, ResidualEvaluator, Scheme, SchemeRunner,
    Solution, Solver, Stopwatch,
};

use crate::descent::{Descent, Globalization};
use crate::strict_map::{MapBuffers, StrictMap};

/// Settings of [`MeritNewton`].
#[derive(Debug, Clone, PartialEq)]
pub struct MeritSettings {
    /// How Newton steps are kept from leading astray.
    pub globalization: Globalization,
    /// ε that is added where redundant contacts make the derivative singular: what a step leaves of an error.
    pub softness: f64,
    /// Newton steps when the budget does not say.
    pub max_iterations: usize,
}

impl MeritSettings {
    /// Defaults for a way of globalising.
    pub fn of(globalization: Globalization) -> Self {
        Self {
            globalization,
            softness: 1e-6,
            max_iterations: 100,
        }
    }
}

/// Globalised semismooth Newton on ½‖F‖², F the strict natural map.
#[derive(Debug)]
pub struct MeritNewton {
    runner: SchemeRunner,
    scheme: Iterate,
}

impl MeritNewton {
    /// A solver with the given settings.
    pub fn new(settings: MeritSettings) -> Self {
        Self {
            runner: SchemeRunner::default(),
            scheme: Iterate {
                settings,
                buffers: MapBuffers::default(),
                descent: Descent::default(),
                unknowns: Vec::new(),
                factorizations: 0,
            },
        }
    }
}

impl Solver for MeritNewton {
    fn name(&self) -> &'static str {
        match self.scheme.settings.globalization {
            Globalization::Dogleg => "newton-dogleg",
            Globalization::Backtracking => "newton-damped",
            Globalization::EdgeAware => "newton-edge-aware",
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
#[derive(Debug)]
struct Iterate {
    settings: MeritSettings,
    buffers: MapBuffers,
    descent: Descent,
    unknowns: Vec<f64>,
    factorizations: usize,
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
        self.buffers.prepare(problem, evaluator);
        self.unknowns.resize(impulse.len(), 0.0);
        self.buffers.unknowns_of(impulse, &mut self.unknowns);
        self.factorizations = 0;
        let mut map = StrictMap {
            problem,
            evaluator,
            softness: self.settings.softness,
            buffers: &mut self.buffers,
        };
        self.descent.start(&mut map, &self.unknowns);
        Ok(())
    }

    fn advance(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        impulse: &mut [f64],
        stopwatch: &Stopwatch,
    ) -> Result<bool, Failure> {
        let mut map = StrictMap {
            problem,
            evaluator,
            softness: self.settings.softness,
            buffers: &mut self.buffers,
        };
        let step = self.descent.advance(
            self.settings.globalization,
            &mut map,
            &mut self.unknowns,
            stopwatch,
        );
        self.factorizations += 1;
        if !step.size.is_finite() {
            return Err(Failure::NotFinite);
        }
        self.buffers.impulse_of(&self.unknowns, impulse);
        Ok(step.has_moved)
    }
}
