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
    /// M with a shift on its diagonal.
    shifted: Vec<f64>,
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
/// Rounding of sums above this is that of impulses which are huge.
const HUGE: f64 = 1e-8;
/// Shares of the diagonal, which is 1, that later attempts add where an unknown is an impulse: pivots are then no
/// longer rounding where contacts hold a body more than once. What they add is taken out again in the end.
const SHIFTS: [f64; 4] = [0.0, 1e-10, 1e-8, 1e-6];
/// Steps that take it out again: each leaves that share of what an impulse moves.
const SHIFT_STEPS: usize = 40;

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
        let shift = self.shift();
        if shift == 0.0 {
            return self.lemke.begin(matrix, q, &self.direction);
        }
        self.shifted.clone_from(matrix);
        for unknown in (0..size).filter(|&unknown| self.formulation.is_impulse(unknown)) {
            self.shifted[unknown * size + unknown] += shift;
        }
        self.lemke.begin(&self.shifted, q, &self.direction)
    }

    /// What this attempt adds to the diagonal.
    fn shift(&self) -> f64 {
        SHIFTS[self.attempt % SHIFTS.len()]
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
        // One step of refinement; and where that is not enough, as many as take a shift out again.
        let shift = SHIFTS[SHIFTS.len() - 1].min(self.shift().max(SHIFTS[1]));
        for (shift, steps) in [(0.0, 1), (shift, SHIFT_STEPS)] {
            if self.violation() > ROUNDING {
                self.solve_support(shift, steps);
            }
        }
    }

    /// (M_SS + ε I) x = −q_S + ε x_before for impulses, from nothing: proximal steps to a solution of M_SS x_S = −q_S,
    /// which is taken where it violates less than what there is.
    fn solve_support(&mut self, shift: f64, steps: usize) {
        let before = self.violation();
        let size = self.formulation.q.len();
        let (matrix, q) = (&self.formulation.matrix, &self.formulation.q);
        let count = self.support.len();
        self.system.clear();
        for (at, &row) in self.support.iter().enumerate() {
            let columns = self.support.iter();
            self.system
                .extend(columns.map(|&column| matrix[row * size + column]));
            if self.formulation.is_impulse(row) {
                self.system[at * count + at] += shift;
            }
        }
        self.factorizations += 1;
        if !linear::factorize(count, &mut self.system, &mut self.exchanged) {
            return;
        }
        self.answer.clear();
        self.answer.resize(count, 0.0);
        for _ in 0..=steps {
            self.right.clear();
            for &row in &self.support {
                let columns = self.support.iter().zip(&self.answer);
                let product: f64 = columns.map(|(&c, x)| matrix[row * size + c] * x).sum();
                self.right.push(-q[row] - product);
            }
            linear::solve(count, &self.system, &self.exchanged, &mut self.right);
            for (answer, step) in self.answer.iter_mut().zip(&self.right) {
                *answer += step;
            }
        }
        for (at, &unknown) in self.support.iter().enumerate() {
            let value = self.answer[at].max(0.0);
            self.answer[at] = std::mem::replace(&mut self.unknowns[unknown], value);
        }
        if !(self.violation() <= before) {
            for (at, &unknown) in self.support.iter().enumerate() {
                self.unknowns[unknown] = self.answer[at];
            }
        }
    }

    /// Largest of |min(x, M x + q)|, and no less than rounding leaves of the sums where that is much: impulses that are
    /// huge and cancel each other are no solution.
    fn violation(&self) -> f64 {
        let (matrix, q) = (&self.formulation.matrix, &self.formulation.q);
        let size = q.len();
        let mut worst = 0.0_f64;
        for (row, x) in self.unknowns.iter().enumerate() {
            let entries = matrix[row * size..(row + 1) * size].iter();
            let (mut w, mut summed) = (q[row], 0.0);
            for (m, x) in entries.zip(&self.unknowns) {
                w += m * x;
                summed += (m * x).abs();
            }
            let (violation, rounding) = (w.min(*x).abs(), f64::EPSILON * summed);
            if !violation.is_finite() {
                return f64::INFINITY;
            }
            worst = worst.max(violation);
            if rounding > HUGE {
                worst = worst.max(rounding);
            }
        }
        worst
    }
}
