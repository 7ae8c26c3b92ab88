//! The problems that the benchmarks share.
//!
//! `cargo bench -p stiction-benches` runs them all; `stiction bench solvers` prints tables over many
//! problems instead.

use stiction_constraints::{Problem, ProblemError};
use stiction_generators::{
    BoltNutParams, DishStackParams, QuadrupedsParams, bolt_nut, dish_stack, quadrupeds,
};

/// A bolt–nut, a stack of dishes and one robot, with their names.
///
/// # Errors
/// None with these parameters.
pub fn named_problems() -> Result<Vec<(&'static str, Problem)>, ProblemError> {
    Ok(vec![
        ("bolt-nut", bolt_nut(&BoltNutParams::default())?),
        ("dishes", dish_stack(&DishStackParams::default())?),
        ("quadruped", robots(1)?),
    ])
}

/// Quadrupeds of 18 degrees of freedom each, touching the ground and each other.
///
/// # Errors
/// None with these parameters.
pub fn robots(count: usize) -> Result<Problem, ProblemError> {
    quadrupeds(&QuadrupedsParams {
        robots: count,
        ..QuadrupedsParams::default()
    })
}
