//! Contact problems as others publish them: a W that is rank deficient, not quite symmetric or rounded, and
//! the primal forms of the same problems, changed. Ours always, published ones where they are beside the
//! project.

mod common;

use std::path::{Path, PathBuf};

use common::{by, canal, is_sound};
use stiction_constraints::{Budget, Criterion, Problem, Solution, Solver};
use stiction_generators::transform::{duplicate_contacts, scale_mass, without_friction};
use stiction_problem_files::{self as problem_files, ContactAnswer, ProblemFile};
use stiction_test_support::{data, outside};

fn budget() -> Budget {
    by(Criterion::Natural, 1e-8)
}

fn answer(file: &ProblemFile) -> ContactAnswer {
    match file {
        ProblemFile::Local(local) => {
            let reduced = local.reduce().expect("a semidefinite W");
            problem_files::solve_local(&reduced, &mut canal(), &budget(), None)
        }
        ProblemFile::Global(global) => {
            problem_files::solve_global(global, &mut canal(), &budget(), None)
        }
        ProblemFile::Full(full) => panic!("{} is not a contact problem", full.name),
    }
}

/// The problems of a folder.
fn problems(folder: &Path) -> Vec<PathBuf> {
    let mut files = data::files(folder, "json");
    files.retain(|path| !path.ends_with("reference.json"));
    files
}

/// Every problem reaches 1e-8 in the natural and in the balanced residual, against W as given.
fn all_reach_1e_8(folder: &Path) {
    let mut missed = Vec::new();
    for path in problems(folder) {
        let file = problem_files::read(&path).expect("a readable file");
        let answer = answer(&file);
        assert!(
            answer.reaction.iter().all(|value| value.is_finite()),
            "{}",
            path.display()
        );
        let residuals = answer.report.residuals;
        if !(residuals.natural <= 1e-8 && residuals.balanced <= 1e-8) {
            missed.push((
                file.name().to_owned(),
                residuals.natural,
                residuals.balanced,
            ));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Solves a variant of the primal form of every problem with up to 130 contacts: which miss 1e-8 in the
/// natural residual.
fn missed(folder: &Path, transform: impl Fn(&Problem) -> Problem) -> Vec<String> {
    let mut missed = Vec::new();
    for path in problems(folder) {
        let file = problem_files::read(&path).expect("a readable file");
        let problem = match &file {
            ProblemFile::Local(local) if local.friction().len() <= 130 => {
                local.reduce().expect("a semidefinite W").problem().clone()
            }
            ProblemFile::Global(global) if global.friction().len() <= 130 => {
                global.problem().clone()
            }
            _ => continue,
        };
        let problem = transform(&problem);
        let mut solution = Solution::cold();
        let report = canal().solve(&problem, &budget(), &mut solution);
        assert!(is_sound(&problem, &solution), "{}", file.name());
        if !report.outcome.is_converged() {
            missed.push(format!(
                "{}: {}, {:.1e}",
                file.name(),
                report.outcome,
                report.residuals.of(Criterion::Natural)
            ));
        }
    }
    missed
}

fn twice(problem: &Problem) -> Problem {
    duplicate_contacts(problem, 2).expect("a valid problem")
}

fn thousandth(problem: &Problem) -> Problem {
    scale_mass(problem, 1e-3).expect("a valid problem")
}

fn thousandfold(problem: &Problem) -> Problem {
    scale_mass(problem, 1e3).expect("a valid problem")
}

fn frictionless(problem: &Problem) -> Problem {
    without_friction(problem).expect("a valid problem")
}

#[test]
fn own_problems() {
    let folder = data::folder("problems");
    all_reach_1e_8(&folder);
    for transform in [twice, thousandth, thousandfold, frictionless] {
        assert_eq!(missed(&folder, transform), [""; 0]);
    }
}

#[test]
fn published_problems() {
    if let Some(folder) = outside::shared("problems/public") {
        all_reach_1e_8(&folder);
    }
}

#[test]
fn published_problems_with_contacts_twice() {
    if let Some(folder) = outside::shared("problems/public") {
        assert_eq!(missed(&folder, twice), [""; 0]);
    }
}

#[test]
fn published_problems_with_other_masses() {
    if let Some(folder) = outside::shared("problems/public") {
        assert_eq!(missed(&folder, thousandth), [""; 0]);
        assert_eq!(missed(&folder, thousandfold), [""; 0]);
    }
}

#[test]
fn published_problems_without_friction() {
    if let Some(folder) = outside::shared("problems/public") {
        assert_eq!(missed(&folder, frictionless), [""; 0]);
    }
}
