//! One file for each thing that is checked.

mod allocation;
mod bounded;
mod contradiction;
mod declared;
mod finite;
mod history;
mod honest;
mod interruptible;
mod properties;
mod reach;
mod threads;
mod variants;

pub(crate) use honest::DYNAMICS;
pub use properties::Properties;

use crate::report::{CheckReport, FamilyReport};
use crate::subject::Subject;

/// All checks, and how far the solver converges.
pub(crate) fn run(subject: &Subject<'_>) -> (Vec<CheckReport>, Vec<FamilyReport>) {
    let (honest, mut families) = reach::run(subject);
    let mut checks = honest;
    checks.extend([
        finite::run(subject),
        bounded::run(subject),
        interruptible::run(subject),
        history::run(subject),
        threads::run(subject),
        variants::run(subject),
        allocation::run(subject),
        declared::laws(subject),
        declared::tests(subject),
        contradiction::run(subject),
        properties::internal_forces(subject),
        properties::heavy_on_light(subject),
    ]);
    for family in &mut families {
        let failures = checks.iter().flat_map(|check| &check.failures);
        family.failures = failures.filter(|one| one.family == family.name).count();
    }
    (checks, families)
}
