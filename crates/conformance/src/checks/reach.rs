//! An ordinary solve of every problem: whether it is honest, and how far it gets.

use stiction_constraints::{Failure, Outcome};

use super::honest;
use crate::report::{CheckReport, FamilyReport};
use crate::subject::Subject;

pub(super) fn run(subject: &Subject<'_>) -> (Vec<CheckReport>, Vec<FamilyReport>) {
    let mut converged = CheckReport::new("converged means solved");
    let mut reported = CheckReport::new("reported residuals are true");
    let mut velocity = CheckReport::new("velocity belongs to impulses");
    let mut refused = CheckReport::new("nothing is refused that is not declared so");
    let mut families: Vec<(FamilyReport, Vec<usize>)> = Vec::new();
    let budget = subject.budget();
    for case in &subject.cases {
        if families
            .last()
            .is_none_or(|(last, _)| last.name != case.family)
        {
            families.push((empty(&case.family), Vec::new()));
        }
        let Some((family, iterations)) = families.last_mut() else {
            continue;
        };
        family.problems += 1;
        converged.cases += 1;
        refused.cases += 1;
        let (report, solution) = match subject.solve(case.problem(), &budget) {
            Ok(answer) => answer,
            Err(message) => {
                subject.note(&mut converged, case, message);
                continue;
            }
        };
        if report.outcome.is_converged() {
            family.solved += 1;
            iterations.push(report.iterations);
        }
        if matches!(
            report.outcome,
            Outcome::Failed(Failure::UnsupportedLaw { .. } | Failure::UnsupportedCriterion(_))
        ) {
            subject.note(&mut refused, case, report.outcome.to_string());
            continue;
        }
        let Some(verdict) = honest::judge(case, &solution) else {
            continue;
        };
        if let Err(message) = honest::converged(subject, &report, &verdict) {
            subject.note(&mut converged, case, message);
        }
        reported.cases += 1;
        if let Err(message) = honest::reported(subject, &report, &verdict) {
            subject.note(&mut reported, case, message);
        }
        velocity.cases += 1;
        if let Err(message) = honest::velocity(&report, &verdict) {
            subject.note(&mut velocity, case, message);
        }
    }
    if !subject.declaration.is_exact() {
        let words: Vec<_> = subject
            .declaration
            .relaxes
            .iter()
            .map(|one| one.word())
            .collect();
        converged.not_checked = Some(format!("it relaxes {}", words.join(", ")));
    }
    let families = families.into_iter().map(|(mut family, mut iterations)| {
        iterations.sort_unstable();
        family.median_iterations = iterations.get(iterations.len() / 2).copied().unwrap_or(0);
        family
    });
    (
        vec![converged, reported, velocity, refused],
        families.collect(),
    )
}

fn empty(name: &str) -> FamilyReport {
    FamilyReport {
        name: name.to_owned(),
        problems: 0,
        solved: 0,
        median_iterations: 0,
        failures: 0,
    }
}
