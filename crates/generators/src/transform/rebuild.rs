//! A problem pushed anew, constraint by constraint.

use stiction_constraints::{Law, Problem, ProblemError};

/// The same subsystems without constraints.
pub(crate) fn bare(problem: &Problem) -> Problem {
    let mut out = problem.clone();
    out.clear_constraints();
    out
}

/// Pushes a copy of a constraint of `from` with a law of choice; `rename` maps subsystems.
pub(crate) fn push_copy(
    out: &mut Problem,
    from: &Problem,
    constraint: usize,
    law: Law,
    rename: impl Fn(usize) -> usize,
) -> Result<usize, ProblemError> {
    let blocks: Vec<_> = from
        .terms(constraint)
        .map(|(subsystem, block)| (rename(subsystem), block))
        .collect();
    out.push_constraint(law, from.error(constraint), &blocks)
}
