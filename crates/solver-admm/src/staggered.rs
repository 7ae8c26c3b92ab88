//! Staggered projections, [CMC, Alg. 6]: normal impulses for given friction, friction for given normal impulses,
//! in turns.

use nalgebra::Vector3;
use stiction_constraints::cone::{self, Pyramid};
use stiction_constraints::{
    Budget, ConeOperator, Constraint, Declaration, Delassus, Failure, Law, Problem, Relaxation,
    Report, ResidualEvaluator, Scheme, SchemeRunner, Solution, Solver, Stopwatch,
};

use crate::anderson::Anderson;
use crate::common::{update_delassus, weigh};
use crate::settings::{SettingsError, StaggeredSettings};
use crate::splitting::Splitting;

/// `staggered` and `lcp-staggered`.
#[derive(Debug, Default)]
pub struct Staggered {
    runner: SchemeRunner,
    scheme: Iterate,
}

impl Staggered {
    /// A solver with the given settings.
    ///
    /// # Errors
    /// A setting that is out of range.
    pub fn new(settings: StaggeredSettings) -> Result<Self, SettingsError> {
        settings.validate()?;
        Ok(Self::with(settings))
    }

    fn with(settings: StaggeredSettings) -> Self {
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
        let pyramid = match name {
            "staggered" => None,
            "lcp-staggered" => Some(Pyramid::default()),
            _ => return None,
        };
        Some(Self::with(StaggeredSettings {
            pyramid,
            ..StaggeredSettings::default()
        }))
    }
}

impl Solver for Staggered {
    fn name(&self) -> &'static str {
        match self.scheme.settings.pyramid {
            None => "staggered",
            Some(_) => "lcp-staggered",
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

/// Which impulses of contacts are looked for. Those of other laws are looked for in both, so that joints hold
/// whatever contacts do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// A quadratic program: ½ λᵀG_N λ + g̃_Nᵀλ over λ ≥ 0, line 3.
    Normal,
    /// A quadratic program within discs (or polygons) of radius μ λ_N, line 5.
    Friction,
}

/// What the iteration keeps.
#[derive(Debug, Default)]
struct Iterate {
    settings: StaggeredSettings,
    delassus: Delassus,
    normal: Splitting,
    friction: Splitting,
    weight: Vec<f64>,
    no_compliance: Vec<f64>,
    /// λ, and what it was before an outer iteration.
    impulse: Vec<f64>,
    old: Vec<f64>,
    /// Rows of friction of contacts: what an outer iteration makes new of old.
    friction_rows: Vec<usize>,
    /// Friction before and after an outer iteration.
    before: Vec<f64>,
    after: Vec<f64>,
    anderson: Anderson,
    /// λ without the part that is looked for, and g plus G times it.
    others: Vec<f64>,
    seen: Vec<f64>,
    /// Change of the last outer iteration, m/s.
    change: f64,
    inner_iterations: usize,
}

/// Inner errors below this share of the velocities that contacts have without impulses are rounding.
const ROUNDING: f64 = 1e-14;

impl Scheme for Iterate {
    fn declaration(&self) -> Declaration {
        let relaxes: &[Relaxation] = match self.settings.pyramid {
            None => &[],
            Some(_) => &[Relaxation::Coulomb, Relaxation::MaximumDissipation],
        };
        Declaration {
            relaxes,
            tests: SchemeRunner::TESTS,
            avoids_internal_forces: true,
            is_robust: true,
            ..Declaration::EXACT
        }
    }

    fn interval(&self) -> usize {
        1
    }

    fn factorizations(&self) -> usize {
        self.normal.factorizations + self.friction.factorizations
    }

    fn inner_iterations(&self) -> Option<usize> {
        Some(self.inner_iterations)
    }

    fn model_residual(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        impulse: &[f64],
    ) -> Option<f64> {
        let pyramid = self.settings.pyramid?;
        Some(evaluator.pyramid_model(problem, impulse, &pyramid))
    }

    fn model_eps_abs(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        impulse: &[f64],
    ) -> Option<f64> {
        let pyramid = self.settings.pyramid?;
        Some(evaluator.pyramid_model_eps_abs(problem, impulse, &pyramid))
    }

    fn begin(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        impulse: &[f64],
    ) -> Result<(), Failure> {
        update_delassus(&mut self.delassus, problem, evaluator);
        let settings = &self.settings.admm;
        weigh(problem, evaluator, settings.weights, &mut self.weight);
        let rows = problem.row_count();
        for vector in [&mut self.no_compliance, &mut self.others, &mut self.seen] {
            vector.clear();
            vector.resize(rows, 0.0);
        }
        self.impulse.clear();
        self.impulse.extend_from_slice(impulse);
        for part in [Part::Normal, Part::Friction] {
            let splitting = part.of(&mut self.normal, &mut self.friction);
            let given = (&*self.weight, &*self.no_compliance);
            let is_chosen = |row| part.has(problem, row);
            // Guess or not: these problems are solved anew in every outer iteration, and a small ρ finds what sticks soonest.
            splitting.begin(problem, &self.delassus, given, settings, false, is_chosen)?;
            if impulse.iter().any(|&value| value != 0.0) {
                splitting.impulse.copy_from_slice(impulse);
                let velocity = evaluator.row_velocity_of(problem, impulse);
                splitting.velocity.copy_from_slice(velocity);
            }
        }
        let free = evaluator.free_row_velocity().iter();
        let errors = free.zip(problem.errors()).map(|(z, e)| (z + e).abs());
        self.change = errors.fold(0.0, f64::max);
        self.inner_iterations = 0;
        self.anderson.clear();
        self.friction_rows.clear();
        for constraint in problem.constraints() {
            if constraint.law.is_contact() {
                let first = constraint.first_row;
                self.friction_rows.extend([first, first + 1]);
            }
        }
        Ok(())
    }

    fn advance(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        impulse: &mut [f64],
        stopwatch: &Stopwatch,
    ) -> Result<bool, Failure> {
        self.old.clone_from(&self.impulse);
        self.before.clear();
        let rows = self.friction_rows.iter();
        self.before.extend(rows.map(|&row| self.impulse[row]));
        for part in [Part::Normal, Part::Friction] {
            self.solve(part, problem, evaluator, stopwatch)?;
        }
        impulse.copy_from_slice(&self.impulse);
        self.after.clear();
        let rows = self.friction_rows.iter();
        self.after.extend(rows.map(|&row| self.impulse[row]));
        self.change = self.change_since(problem);
        if self.settings.memory == 0 {
            let relaxation = self.settings.relaxation;
            for (before, after) in self.before.iter_mut().zip(&self.after) {
                *before += relaxation * (after - *before);
            }
        } else {
            self.anderson
                .next(self.settings.memory, &mut self.before, &self.after);
        }
        for (&row, next) in self.friction_rows.iter().zip(&self.before) {
            self.impulse[row] = *next;
        }
        Ok(self.change > 0.0 && self.inner_iterations < self.settings.max_inner_iterations)
    }
}

impl Part {
    fn of<'a>(self, normal: &'a mut Splitting, friction: &'a mut Splitting) -> &'a mut Splitting {
        match self {
            Part::Normal => normal,
            Part::Friction => friction,
        }
    }

    fn has(self, problem: &Problem, row: usize) -> bool {
        let constraints = problem.constraints();
        let index = constraints.partition_point(|constraint| constraint.row_range().end <= row);
        let constraint = &constraints[index];
        !constraint.law.is_contact() || (row - constraint.first_row == 2) == (self == Part::Normal)
    }
}

impl Iterate {
    /// Largest change of an impulse in an outer iteration, m/s.
    fn change_since(&self, problem: &Problem) -> f64 {
        let mut largest = 0.0_f64;
        for (constraint, weight) in problem.constraints().iter().zip(&self.weight) {
            for row in constraint.row_range() {
                largest = largest.max(weight * (self.impulse[row] - self.old[row]).abs());
            }
        }
        largest
    }

    /// One part's impulses for given other ones, to a share of the last outer change.
    fn solve(
        &mut self,
        part: Part,
        problem: &Problem,
        evaluator: &ResidualEvaluator,
        stopwatch: &Stopwatch,
    ) -> Result<(), Failure> {
        let Self {
            settings,
            delassus,
            normal,
            friction,
            impulse,
            others,
            seen,
            ..
        } = self;
        let splitting = part.of(normal, friction);
        others.copy_from_slice(impulse);
        for &row in splitting.rows() {
            others[row] = 0.0;
        }
        delassus.mul(others, seen);
        let mut size = 0.0_f64;
        for (seen, free) in seen.iter_mut().zip(evaluator.free_row_velocity()) {
            *seen += free;
            size = size.max(seen.abs());
        }
        let goal = (settings.inner_share * self.change).max(ROUNDING * size);
        let pyramid = settings.pyramid;
        let law = |_: usize, constraint: &Constraint, x_bar: &Vector3<f64>, beta: f64| {
            if constraint.law.is_contact() {
                return contact(part, problem, constraint, x_bar, beta, others, pyramid);
            }
            let e = constraint.load(problem.errors());
            let (law, rows) = (&constraint.law, constraint.rows);
            law.impulse(rows, x_bar, &e, beta, ConeOperator::Strict)
        };
        self.inner_iterations += 1;
        let sticks = !stopwatch.is_spent() && splitting.stick(problem, seen, law)?;
        if !sticks {
            splitting.restart(&settings.admm);
            for _ in 0..settings.admm.max_iterations {
                self.inner_iterations += 1;
                let is_used_up = self.inner_iterations >= settings.max_inner_iterations;
                if is_used_up || stopwatch.is_spent() {
                    break;
                }
                splitting.iterate(problem, seen, &settings.admm, law)?;
                if splitting.error() <= goal {
                    break;
                }
            }
        }
        for &row in splitting.rows() {
            impulse[row] = splitting.impulse[row];
        }
        Ok(())
    }
}

/// One part of a contact's impulse from x̄, the other part being given: λ_n ≥ 0, or λ_t within the section of the
/// cone (or pyramid) at λ_n.
fn contact(
    part: Part,
    problem: &Problem,
    constraint: &Constraint,
    x_bar: &Vector3<f64>,
    beta: f64,
    given: &[f64],
    pyramid: Option<Pyramid>,
) -> Vector3<f64> {
    let e = constraint.load(problem.errors());
    let compliance = match constraint.law {
        Law::CompliantContact {
            tangential_compliance,
            normal_compliance,
            ..
        } => [tangential_compliance, normal_compliance],
        _ => [0.0; 2],
    };
    let penalty = compliance.map(|compliance| 1.0 / (1.0 / beta + compliance));
    let mut target = -(x_bar + e);
    if part == Part::Normal {
        return Vector3::new(0.0, 0.0, (penalty[1] * target.z).max(0.0));
    }
    target *= penalty[0];
    target.z = given[constraint.first_row + 2];
    let friction = constraint.law.friction().unwrap_or_default();
    match pyramid {
        Some(pyramid) => pyramid.project_strict(&target, friction),
        None if friction[0] == friction[1] => cone::project_strict(&target, friction[0]),
        None => cone::project_elliptic_strict(&target, friction),
    }
}
