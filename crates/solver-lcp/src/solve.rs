//! From a contact problem to its linear complementarity problem, along Lemke's path, and back.

use stiction_constraints::{
    Budget, Declaration, Delassus, Failure, Problem, Relaxation, Report, ResidualEvaluator, Scheme,
    SchemeRunner, Solution, Solver, Stopwatch,
};

use crate::formulation::Formulation;
use crate::lemke::{Lemke, Step};
use crate::linear;
use crate::settings::{LcpSettings, SettingsError};

/// `lcp-direct`: Lemke's method on the contact problem with friction pyramids.
#[derive(Debug, Default)]
pub struct LcpDirect {
    runner: SchemeRunner,
    scheme: Path,
}

impl LcpDirect {
    /// A solver with the given settings.
    ///
    /// # Errors
    /// A setting that is out of range.
    pub fn new(settings: LcpSettings) -> Result<Self, SettingsError> {
        settings.validate()?;
        let scheme = Path {
            settings,
            ..Path::default()
        };
        Ok(Self {
            scheme,
            ..Self::default()
        })
    }
}

impl Solver for LcpDirect {
    fn name(&self) -> &'static str {
        "lcp-direct"
    }

    fn declaration(&self) -> Declaration {
        self.scheme.declaration()
    }

    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report {
        // Attempts end by themselves.
        self.runner
            .solve(&mut self.scheme, problem, budget, solution, usize::MAX)
    }
}

/// What a path keeps.
#[derive(Debug, Default)]
struct Path {
    settings: LcpSettings,
    delassus: Delassus,
    formulation: Formulation,
    lemke: Lemke,
    step: Option<Step>,
    attempt: usize,
    /// d, the direction in which the path begins.
    direction: Vec<f64>,
    /// x, and the best so far with its violation.
    unknowns: Vec<f64>,
    best: Vec<f64>,
    violation: f64,
    /// Of the final system: which unknowns are in it, the matrix, exchanged rows, right-hand side and answer.
    support: Vec<usize>,
    system: Vec<f64>,
    exchanged: Vec<usize>,
    right: Vec<f64>,
    answer: Vec<f64>,
    factorizations: usize,
}

/// Violations of the complementarity problem (its largest constant is 1) that are rounding of a path.
const ROUNDING: f64 = 1e-11;

impl Scheme for Path {
    fn declaration(&self) -> Declaration {
        Declaration {
            relaxes: &[Relaxation::Coulomb, Relaxation::MaximumDissipation],
            guarantee: "ends after finitely many pivots, with a solution of the pyramid model where some impulses \
                        keep all gaps from closing [CPS, Th. 4.4.12]; in exact arithmetic",
            // Impulses change at the end alone: that is no sequence to be stopped.
            tests: &[],
            is_robust: true,
            ..Declaration::EXACT
        }
    }

    /// Impulses change at the end of an attempt alone.
    fn interval(&self) -> usize {
        1 << 40
    }

    fn factorizations(&self) -> usize {
        self.factorizations
    }

    fn model_residual(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        impulse: &[f64],
    ) -> Option<f64> {
        Some(evaluator.pyramid_model(problem, impulse, &self.settings.pyramid))
    }

    fn model_eps_abs(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        impulse: &[f64],
    ) -> Option<f64> {
        Some(evaluator.pyramid_model_eps_abs(problem, impulse, &self.settings.pyramid))
    }

    fn begin(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        _impulse: &[f64],
    ) -> Result<(), Failure> {
        let unknowns = Formulation::count(problem, &self.settings.pyramid);
        let most = self.settings.max_unknowns;
        if unknowns > most {
            return Err(Failure::TooLarge { unknowns, most });
        }
        // The evaluator lends its factors: A must be borrowed to solve, J to read.
        let mut dynamics = std::mem::take(evaluator.dynamics());
        self.delassus
            .update(problem, &mut dynamics, evaluator.rows());
        *evaluator.dynamics() = dynamics;
        self.formulation.update(
            problem,
            &self.delassus,
            evaluator.free_row_velocity(),
            evaluator.effective_masses(),
            &self.settings.pyramid,
        )?;
        (self.attempt, self.factorizations, self.step) = (0, 0, None);
        self.violation = f64::INFINITY;
        self.best.clear();
        self.best.resize(self.formulation.q.len(), 0.0);
        Ok(())
    }

    fn advance(
        &mut self,
        _problem: &Problem,
        _evaluator: &mut ResidualEvaluator,
        impulse: &mut [f64],
        _stopwatch: &Stopwatch,
    ) -> Result<bool, Failure> {
        let step = match self.step {
            Some(Step::Goes) => self.lemke.step(),
            _ => self.begin_attempt(),
        };
        self.step = Some(step);
        if step == Step::Goes {
            return Ok(true);
        }
        self.finish();
        let violation = self.violation();
        if violation < self.violation {
            self.violation = violation;
            self.best.copy_from_slice(&self.unknowns);
        }
        self.formulation.impulses(&self.best, impulse);
        self.attempt += 1;
        Ok(self.violation > ROUNDING && self.attempt < self.settings.attempts)
    }
}

impl Path {
    /// Sets out from no impulses: the first time along ones, then along directions that are a little irregular.
    fn begin_attempt(&mut self) -> Step {
        let size = self.formulation.q.len();
        let attempt = self.attempt as f64;
        self.direction.clear();
        self.direction.extend((0..size).map(|i| {
            let phase =
                (i as f64 * 0.618_033_988_749_895 + attempt * 0.414_213_562_373_095).fract();
            1.0 + attempt.min(1.0) * phase
        }));
        let (matrix, q) = (&self.formulation.matrix, &self.formulation.q);
        self.lemke.begin(matrix, q, &self.direction)
    }

    /// The unknowns of the basis, and the same from the problem's own numbers where that is better: what many
    /// pivots have added up is lost.
    fn finish(&mut self) {
        let size = self.formulation.q.len();
        self.unknowns.clear();
        self.unknowns.resize(size, 0.0);
        self.support.clear();
        let (unknowns, support) = (&mut self.unknowns, &mut self.support);
        self.lemke.for_each_basic(|unknown, value| {
            support.push(unknown);
            unknowns[unknown] = value.max(0.0);
        });
        let from_path = self.violation();
        // M_SS x_S = −q_S.
        let (matrix, q) = (&self.formulation.matrix, &self.formulation.q);
        let count = self.support.len();
        self.system.clear();
        self.right.clear();
        for &row in &self.support {
            let columns = self.support.iter();
            self.system
                .extend(columns.map(|&column| matrix[row * size + column]));
            self.right.push(-q[row]);
        }
        self.factorizations += 1;
        if !linear::factorize(count, &mut self.system, &mut self.exchanged) {
            return;
        }
        self.answer.clone_from(&self.right);
        linear::solve(count, &self.system, &self.exchanged, &mut self.answer);
        // One step of refinement.
        for (at, &row) in self.support.iter().enumerate() {
            let columns = self.support.iter().zip(&self.answer);
            let product: f64 = columns.map(|(&c, x)| matrix[row * size + c] * x).sum();
            self.right[at] -= product;
        }
        linear::solve(count, &self.system, &self.exchanged, &mut self.right);
        for (at, &unknown) in self.support.iter().enumerate() {
            let value = (self.answer[at] + self.right[at]).max(0.0);
            self.answer[at] = std::mem::replace(&mut self.unknowns[unknown], value);
        }
        if !(self.violation() <= from_path) {
            for (at, &unknown) in self.support.iter().enumerate() {
                self.unknowns[unknown] = self.answer[at];
            }
        }
    }

    /// Largest of |min(x, M x + q)|.
    fn violation(&self) -> f64 {
        let (matrix, q) = (&self.formulation.matrix, &self.formulation.q);
        let size = q.len();
        let mut worst = 0.0_f64;
        for (row, x) in self.unknowns.iter().enumerate() {
            let entries = matrix[row * size..(row + 1) * size].iter();
            let w = q[row] + entries.zip(&self.unknowns).map(|(m, x)| m * x).sum::<f64>();
            let violation = w.min(*x).abs();
            if !violation.is_finite() {
                return f64::INFINITY;
            }
            worst = worst.max(violation);
        }
        worst
    }
}
