//! Contact problems of other people's simulations.

mod common;

use common::{by, canal, is_sound, shared_files};
use stiction_constraints::{Budget, Criterion, Problem, Solution, Solver};
use stiction_generators::transform::{duplicate_contacts, scale_mass, without_friction};
use stiction_problem_files::{self as problem_files, ContactAnswer, ProblemFile};

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

/// 35 of 37 reach 1e-8 in the natural and in the balanced residual.
#[test]
fn nearly_all_reach_1e_8() {
    let files = shared_files("problems/public");
    let mut missed = Vec::new();
    for path in &files {
        let file = problem_files::read(path).expect("a readable file");
        let answer = answer(&file);
        assert!(
            answer.reaction.iter().all(|value| value.is_finite()),
            "{}",
            path.display()
        );
        let residuals = answer.report.residuals;
        if residuals.natural > 1e-8 || residuals.balanced > 1e-8 {
            missed.push((
                file.name().to_owned(),
                residuals.natural,
                residuals.balanced,
            ));
        }
    }
    assert!(
        missed.len() <= 2,
        "{} of {} missed: {missed:?}",
        missed.len(),
        files.len()
    );
}

/// The primal forms of the problems with up to 130 contacts.
fn primal_forms() -> Vec<(String, Problem)> {
    shared_files("problems/public")
        .iter()
        .filter_map(|path| {
            let file = problem_files::read(path).expect("a readable file");
            let name = file.name().to_owned();
            let problem = match file {
                ProblemFile::Local(local) if local.friction().len() <= 130 => {
                    local.reduce().expect("a semidefinite W").problem().clone()
                }
                ProblemFile::Global(global) if global.friction().len() <= 130 => {
                    global.problem().clone()
                }
                _ => return None,
            };
            Some((name, problem))
        })
        .collect()
}

/// Solves a variant of every problem and counts those that miss.
fn missed(transform: impl Fn(&Problem) -> Problem) -> Vec<String> {
    let mut missed = Vec::new();
    for (name, problem) in primal_forms() {
        let problem = transform(&problem);
        let mut solution = Solution::cold();
        let report = canal().solve(&problem, &budget(), &mut solution);
        assert!(is_sound(&problem, &solution), "{name}");
        if !report.outcome.is_converged() {
            missed.push(format!(
                "{name}: {}, {:.1e}",
                report.outcome,
                report.residuals.of(Criterion::Natural)
            ));
        }
    }
    missed
}

#[test]
fn contacts_twice() {
    let missed = missed(|problem| duplicate_contacts(problem, 2).expect("a valid problem"));
    assert!(missed.len() <= 2, "{missed:#?}");
}

#[test]
fn masses_a_thousandth_and_a_thousandfold() {
    for factor in [1e-3, 1e3] {
        let missed = missed(|problem| scale_mass(problem, factor).expect("a valid problem"));
        assert!(missed.len() <= 2, "× {factor}: {missed:#?}");
    }
}

#[test]
fn no_friction() {
    let missed = missed(|problem| without_friction(problem).expect("a valid problem"));
    assert!(missed.len() <= 2, "{missed:#?}");
}
