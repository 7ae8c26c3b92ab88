//! ADMM on the convex cone model, [CMC, Alg. 3]: all contacts at once.

use nalgebra::Vector3;
use stiction_constraints::{
    Budget, ConeOperator, Constraint, Declaration, Delassus, Failure, Problem, Relaxation, Report,
    ResidualEvaluator, Scheme, SchemeRunner, Solution, Solver, Stopwatch,
};

use crate::common::{update_delassus, weigh};
use crate::settings::{CcpAdmmSettings, SettingsError};
use crate::splitting::Splitting;

/// `ccp-admm` and `ccp-regularised`: minimises ½ λᵀGλ + gᵀλ over the friction cones, [CMC, (19)].
#[derive(Debug, Default)]
pub struct CcpAdmm {
    runner: SchemeRunner,
    scheme: Iterate,
}

/// The paper's α of R = α diag(G) is "close to 0"; MuJoCo's smallest default is (1 − d)/d with d = 0.95.
const REGULARIZATION: f64 = 0.05;

impl CcpAdmm {
    /// A solver with the given settings.
    ///
    /// # Errors
    /// A setting that is out of range.
    pub fn new(settings: CcpAdmmSettings) -> Result<Self, SettingsError> {
        settings.validate()?;
        Ok(Self::with(settings))
    }

    fn with(settings: CcpAdmmSettings) -> Self {
        let scheme = Iterate {
            settings,
            ..Iterate::default()
        };
        Self {
            scheme,
            ..Self::default()
        }
    }

    /// The solver with this name and its defaults.
    pub fn named(name: &str) -> Option<Self> {
        let regularization = match name {
            "ccp-admm" => 0.0,
            "ccp-regularised" => REGULARIZATION,
            _ => return None,
        };
        Some(Self::with(CcpAdmmSettings {
            regularization,
            ..CcpAdmmSettings::default()
        }))
    }

    /// ρ at the end of the last solve: for whoever hands it to the next one.
    pub fn rho(&self) -> f64 {
        self.scheme.splitting.rho
    }
}

impl Solver for CcpAdmm {
    fn name(&self) -> &'static str {
        match self.scheme.settings.regularization {
            0.0 => "ccp-admm",
            _ => "ccp-regularised",
        }
    }

    fn declaration(&self) -> Declaration {
        self.scheme.declaration()
    }

    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report {
        let most = self.scheme.settings.admm.max_iterations;
        self.runner
            .solve(&mut self.scheme, problem, budget, solution, most)
    }
}

/// What the iteration keeps.
#[derive(Debug, Default)]
struct Iterate {
    settings: CcpAdmmSettings,
    delassus: Delassus,
    splitting: Splitting,
    weight: Vec<f64>,
    /// R that is added, 1/kg, by rows.
    compliance: Vec<f64>,
    /// J v̂ + R λ.
    velocity: Vec<f64>,
    /// Whether impulses under which everything sticks have been tried.
    has_tried_sticking: bool,
}

impl Iterate {
    /// J v̂ + R λ of impulses.
    fn write_velocity(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        impulse: &[f64],
    ) {
        self.velocity.clear();
        self.velocity
            .extend_from_slice(evaluator.row_velocity_of(problem, impulse));
        let rows = self.compliance.iter().zip(impulse);
        for (velocity, (compliance, impulse)) in self.velocity.iter_mut().zip(rows) {
            *velocity += compliance * impulse;
        }
    }
}

impl Scheme for Iterate {
    fn declaration(&self) -> Declaration {
        Declaration {
            relaxes: &[Relaxation::Signorini],
            guarantee: "converges to a solution of the convex cone model, if there is one",
            tests: SchemeRunner::TESTS,
            shifts: self.settings.regularization > 0.0,
            avoids_internal_forces: true,
            is_robust: true,
            ..Declaration::EXACT
        }
    }

    fn interval(&self) -> usize {
        5
    }

    fn factorizations(&self) -> usize {
        self.splitting.factorizations
    }

    fn model_residual(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        impulse: &[f64],
    ) -> Option<f64> {
        self.write_velocity(problem, evaluator, impulse);
        Some(evaluator.cone_model_at(problem, impulse, &self.velocity))
    }

    fn model_eps_abs(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        impulse: &[f64],
    ) -> Option<f64> {
        self.write_velocity(problem, evaluator, impulse);
        Some(evaluator.cone_model_eps_abs_at(problem, impulse, &self.velocity))
    }

    fn begin(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        impulse: &[f64],
    ) -> Result<(), Failure> {
        update_delassus(&mut self.delassus, problem, evaluator);
        self.has_tried_sticking = false;
        let settings = &self.settings.admm;
        weigh(problem, evaluator, settings.weights, &mut self.weight);
        self.compliance.clear();
        self.compliance.resize(problem.row_count(), 0.0);
        for (index, constraint) in problem.constraints().iter().enumerate() {
            if constraint.law.is_contact() {
                for row in 0..constraint.rows {
                    let diagonal = self.delassus.diagonal_block_row(index, row)[row];
                    self.compliance[constraint.first_row + row] =
                        self.settings.regularization * diagonal;
                }
            }
        }
        let (delassus, given) = (&self.delassus, (&*self.weight, &*self.compliance));
        let is_guessed = impulse.iter().any(|&value| value != 0.0);
        self.splitting
            .begin(problem, delassus, given, settings, is_guessed, |_| true)?;
        if is_guessed {
            self.splitting.impulse.copy_from_slice(impulse);
            let velocity = evaluator.row_velocity_of(problem, impulse);
            let both = velocity.iter().zip(&self.compliance).zip(impulse);
            for (own, ((z, compliance), impulse)) in self.splitting.velocity.iter_mut().zip(both) {
                *own = z + compliance * impulse;
            }
        }
        Ok(())
    }

    fn advance(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        impulse: &mut [f64],
        _stopwatch: &Stopwatch,
    ) -> Result<bool, Failure> {
        let free = evaluator.free_row_velocity();
        let operator = ConeOperator::Proximal { shift: 0.0 };
        let law = |_: usize, constraint: &Constraint, x_bar: &Vector3<f64>, beta: f64| {
            let e = constraint.load(problem.errors());
            constraint
                .law
                .impulse(constraint.rows, x_bar, &e, beta, operator)
        };
        let is_first = !std::mem::replace(&mut self.has_tried_sticking, true);
        if !(is_first && self.splitting.stick(problem, free, law)?) {
            self.splitting
                .iterate(problem, free, &self.settings.admm, law)?;
        }
        impulse.copy_from_slice(&self.splitting.impulse);
        Ok(true)
    }
}
