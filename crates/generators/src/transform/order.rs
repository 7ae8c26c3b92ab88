//! Contacts twice, another order, other names.

use rand::RngExt;
use stiction_constraints::{Problem, ProblemError};

use super::rebuild::{bare, push_copy};
use crate::sampling::seeded;

/// Every contact `copies` times, one after the other: J loses row rank, the velocity stays, the
/// copies share the impulse in any way they like.
///
/// # Errors
/// None for a valid problem.
pub fn duplicate_contacts(problem: &Problem, copies: usize) -> Result<Problem, ProblemError> {
    let mut out = bare(problem);
    for (index, constraint) in problem.constraints().iter().enumerate() {
        let times = if constraint.law.is_contact() {
            copies
        } else {
            1
        };
        for _ in 0..times {
            push_copy(&mut out, problem, index, constraint.law, |subsystem| {
                subsystem
            })?;
        }
    }
    Ok(out)
}

/// The constraints in a random order, and that order: constraint `i` of the result is constraint
/// `order[i]` of the original.
///
/// # Errors
/// None for a valid problem.
pub fn permute_constraints(
    problem: &Problem,
    seed: u64,
) -> Result<(Problem, Vec<usize>), ProblemError> {
    let order = shuffled(problem.constraints().len(), seed);
    let mut out = bare(problem);
    for &index in &order {
        let law = problem.constraints()[index].law;
        push_copy(&mut out, problem, index, law, |subsystem| subsystem)?;
    }
    Ok((out, order))
}

/// The subsystems in a random order, and that order: subsystem `i` of the result is subsystem
/// `order[i]` of the original. Constraints keep their order and their impulses.
///
/// # Errors
/// None for a valid problem.
pub fn permute_subsystems(
    problem: &Problem,
    seed: u64,
) -> Result<(Problem, Vec<usize>), ProblemError> {
    let order = shuffled(problem.subsystems().len(), seed);
    let mut place = vec![0; order.len()];
    let mut out = Problem::new();
    for (new, &old) in order.iter().enumerate() {
        place[old] = new;
        let b = &problem.b()[problem.dof_starts()[old]..problem.dof_starts()[old + 1]];
        out.push_subsystem(problem.subsystems()[old].clone(), b)?;
    }
    for (index, constraint) in problem.constraints().iter().enumerate() {
        push_copy(&mut out, problem, index, constraint.law, |old| place[old])?;
    }
    Ok((out, order))
}

/// 0..count in a random order (Fisher–Yates).
fn shuffled(count: usize, seed: u64) -> Vec<usize> {
    let mut rng = seeded(seed);
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        order.swap(last, rng.random_range(0..=last));
    }
    order
}
