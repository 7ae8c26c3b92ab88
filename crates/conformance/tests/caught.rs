//! The suite catches solvers that do not keep a promise.

use stiction_conformance::{CountingAllocator, Report as Found, Settings, run};
use stiction_constraints::{
    Budget, Declaration, Outcome, Problem, Relaxation, Report, Solution, Solver,
};
use stiction_solver_pgs::Pgs;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// A solver with a flaw: what it does to an answer, and what it does not hand on of a budget.
struct Flawed {
    inner: Pgs,
    solves: usize,
    declaration: Declaration,
    budget: fn(&mut Budget),
    answer: fn(usize, &Problem, &mut Report, &mut Solution),
}

impl Default for Flawed {
    fn default() -> Self {
        Self {
            inner: Pgs::default(),
            solves: 0,
            declaration: Declaration::EXACT,
            budget: |_| {},
            answer: |_, _, _, _| {},
        }
    }
}

impl Solver for Flawed {
    fn name(&self) -> &'static str {
        "flawed"
    }

    fn declaration(&self) -> Declaration {
        self.declaration
    }

    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report {
        let mut budget = budget.clone();
        (self.budget)(&mut budget);
        let mut report = self.inner.solve(problem, &budget, solution);
        self.solves += 1;
        (self.answer)(self.solves, problem, &mut report, solution);
        report
    }
}

/// One for each test, so that none reads what another is writing.
fn folder() -> std::path::PathBuf {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("alone").to_owned();
    std::env::temp_dir()
        .join("stiction-conformance-caught")
        .join(test)
}

fn examine(make: impl Fn() -> Flawed + Sync) -> Found {
    let settings = Settings {
        count: 1,
        max_iterations: 100,
        folder: folder(),
        ..Settings::default()
    };
    run(&settings, make)
}

fn with_answer(answer: fn(usize, &Problem, &mut Report, &mut Solution)) -> Found {
    examine(|| Flawed {
        answer,
        ..Flawed::default()
    })
}

fn with_budget(budget: fn(&mut Budget)) -> Found {
    examine(|| Flawed {
        budget,
        ..Flawed::default()
    })
}

#[track_caller]
fn assert_caught(found: &Found, check: &str) {
    let check = found.check(check).expect("a check of this name");
    assert!(!check.is_passed(), "\n{found}");
}

#[test]
fn a_solver_that_always_says_converged() {
    let found = with_answer(|_, _, report, _| report.outcome = Outcome::Converged);
    assert_caught(&found, "converged means solved");
    assert_caught(&found, "contradictions are said to be such");
    let file = found.checks[0].failures[0].file.as_ref();
    let file = file.expect("a problem that was saved");
    stiction_problem_files::read(file).expect("a file that can be read");
    assert!(found.to_string().contains("FAIL converged means solved"));
    assert!(found.to_json().contains("\"converged means solved\""));
}

#[test]
fn a_solver_that_reports_no_residual() {
    let found = with_answer(|_, _, report, _| report.residuals.scaled = 0.0);
    assert_caught(&found, "reported residuals are true");
}

#[test]
fn a_velocity_of_other_impulses() {
    let found = with_answer(|_, _, _, solution| {
        if let Some(first) = solution.velocity.first_mut() {
            *first += 1e-3;
        }
    });
    assert_caught(&found, "velocity belongs to impulses");
}

#[test]
fn numbers_that_are_not_finite() {
    let found = with_answer(|_, _, _, solution| {
        if let Some(last) = solution.impulse.last_mut() {
            *last = f64::NAN;
        }
    });
    assert_caught(&found, "finite and honest, whatever the guess");
    let found = with_answer(|_, _, _, solution| solution.velocity.push(0.0));
    assert_caught(&found, "finite and honest, whatever the guess");
}

#[test]
fn a_panic_does_not_end_the_suite() {
    let found = with_answer(|_, problem, _, _| {
        assert!(problem.constraints().len() < 3, "too many for me");
    });
    assert_caught(&found, "converged means solved");
    assert!(found.to_string().contains("panicked: too many for me"));
}

#[test]
fn limits_that_are_not_kept() {
    let found = with_budget(|budget| budget.max_iterations = Some(50));
    assert_caught(&found, "bounded by max_iterations");
    let found = with_budget(|budget| budget.stop = None);
    assert_caught(&found, "interruptible in each inner iteration");
}

#[test]
fn answers_that_depend_on_the_past() {
    let found = with_answer(|solves, _, _, solution| {
        for value in &mut solution.impulse {
            *value *= 1.0 + f64::EPSILON * solves as f64;
        }
    });
    assert_caught(&found, "same bits for any history");
}

#[test]
fn answers_that_depend_on_threads() {
    let found = with_answer(|_, _, report, _| report.iterations += rayon::current_num_threads());
    assert_caught(&found, "same bits for any number of threads");
}

#[test]
fn answers_that_depend_on_the_unit_of_mass() {
    let found = with_answer(|_, problem, _, solution| {
        let size = problem.b().iter().map(|b| b.abs()).fold(0.0, f64::max);
        for value in &mut solution.velocity {
            *value += 1e-4 * size / (1.0 + size);
        }
    });
    assert_caught(&found, "same answer in any order, naming and unit of mass");
}

#[test]
fn a_solver_that_allocates() {
    let found = with_answer(|_, _, report, _| report.history = Vec::with_capacity(1));
    assert_caught(&found, "allocation-free after the first solve");
}

#[test]
fn declarations_that_are_not_true() {
    const REFUSES: Declaration = Declaration {
        refused_laws: &["soft"],
        ..Declaration::EXACT
    };
    let found = examine(|| Flawed {
        declaration: REFUSES,
        ..Flawed::default()
    });
    assert_caught(&found, "refused laws and subsystems are refused by name");
    const PROMISES: Declaration = Declaration {
        finds_least_violation: true,
        ..Declaration::EXACT
    };
    let found = examine(|| Flawed {
        declaration: PROMISES,
        answer: |_, _, _, solution| solution.velocity.fill(0.0),
        ..Flawed::default()
    });
    assert_caught(&found, "contradictions are said to be such");
    const RELAXES: Declaration = Declaration {
        relaxes: &[Relaxation::Coulomb],
        ..Declaration::EXACT
    };
    let found = examine(|| Flawed {
        declaration: RELAXES,
        answer: |_, _, report, _| report.outcome = Outcome::Converged,
        ..Flawed::default()
    });
    let check = found.check("converged means solved").expect("a check");
    assert!(check.is_passed() && check.not_checked.is_some());
}
