//! The solver under examination and the problems it is examined with.

use stiction_constraints::{Budget, Declaration, Problem, Report, Solution, Solver};
use stiction_generators::{Breadth, RandomWideParams, WideProblem, families, random_wide};

use crate::attempt::attempt;
use crate::report::{CheckReport, FailedCase};
use crate::save::save_problem;
use crate::settings::Settings;

/// Makes a fresh solver.
pub(crate) type Make<'a> = &'a (dyn Fn() -> Box<dyn Solver> + Sync);

/// One problem that checks use.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) family: String,
    pub(crate) seed: u64,
    pub(crate) drawn: WideProblem,
}

impl Case {
    pub(crate) fn problem(&self) -> &Problem {
        &self.drawn.problem
    }
}

/// Everything that checks share.
pub(crate) struct Subject<'a> {
    pub(crate) make: Make<'a>,
    pub(crate) name: &'static str,
    pub(crate) declaration: Declaration,
    pub(crate) settings: &'a Settings,
    /// Problems of all families with supported laws and subsystems only.
    pub(crate) cases: Vec<Case>,
    /// Problems with a law or subsystem that the solver says it refuses.
    pub(crate) refused: Vec<Case>,
}

impl<'a> Subject<'a> {
    pub(crate) fn new(settings: &'a Settings, make: Make<'a>) -> Self {
        let solver = make();
        let declaration = solver.declaration();
        let (mut cases, mut refused) = (Vec::new(), Vec::new());
        for (number, family) in families().into_iter().enumerate() {
            // What trips solvers is rare, and where it is.
            let repeats = match family.params.breadth {
                Breadth::Plain => 1,
                Breadth::Certified => 2,
                Breadth::Wild | Breadth::Any => 6,
            };
            for index in 0..repeats * settings.count {
                let seed = settings
                    .seed
                    .wrapping_mul(1_000_003)
                    .wrapping_add((number * 10_007 + index) as u64);
                let params = RandomWideParams {
                    seed,
                    ..family.params.clone()
                };
                let Ok(drawn) = random_wide(&params) else {
                    continue;
                };
                let case = Case {
                    family: family.name.clone(),
                    seed,
                    drawn,
                };
                if is_supported(&declaration, case.problem()) {
                    cases.push(case);
                } else {
                    refused.push(case);
                }
            }
        }
        Self {
            make,
            name: solver.name(),
            declaration,
            settings,
            cases,
            refused,
        }
    }

    /// The budget of an ordinary solve.
    pub(crate) fn budget(&self) -> Budget {
        Budget {
            max_iterations: Some(self.settings.max_iterations),
            ..Budget::with_tolerance(self.settings.tolerance)
        }
    }

    /// A cold solve by a fresh solver; a panic as its message.
    pub(crate) fn solve(
        &self,
        problem: &Problem,
        budget: &Budget,
    ) -> Result<(Report, Solution), String> {
        attempt((self.make)().as_mut(), problem, budget, Solution::cold())
    }

    /// Runs a check on every case and notes the messages of those that fail.
    pub(crate) fn on_each_case(
        &self,
        name: &'static str,
        check: impl Fn(&Case) -> Result<(), String>,
    ) -> CheckReport {
        let mut out = CheckReport::new(name);
        for case in &self.cases {
            out.cases += 1;
            if let Err(message) = check(case) {
                self.note(&mut out, case, message);
            }
        }
        out
    }

    /// Notes a failure and saves its problem.
    pub(crate) fn note(&self, check: &mut CheckReport, case: &Case, message: String) {
        let failed = self.failed(check.name, &case.family, case.seed, case.problem(), message);
        check.failures.push(failed);
    }

    /// A failure, its problem saved.
    pub(crate) fn failed(
        &self,
        check: &str,
        family: &str,
        seed: u64,
        problem: &Problem,
        message: String,
    ) -> FailedCase {
        let name = format!("{} {check} {seed}", self.name);
        FailedCase {
            family: family.to_owned(),
            seed,
            message,
            file: save_problem(&self.settings.folder, &name, problem).ok(),
        }
    }
}

/// Whether a solver does not declare that it refuses the problem.
pub(crate) fn is_supported(declaration: &Declaration, problem: &Problem) -> bool {
    let laws = problem.constraints().iter().map(|one| one.law.kind());
    let kinds = problem.subsystems().iter().map(|one| one.kind());
    let refused = |words: &[&str], word: &str| words.contains(&word);
    !laws
        .into_iter()
        .any(|law| refused(declaration.refused_laws, law))
        && !kinds
            .into_iter()
            .any(|kind| refused(declaration.refused_subsystems, kind))
}
