//! The problems that the benchmarks share.
//!
//! `cargo bench -p stiction-benches` runs them all; `stiction bench solvers` prints tables over many
//! problems instead.

use stiction_constraints::{Law, Problem, ProblemError, RowBlock};
use stiction_generators::{
    BoltNutParams, DishStackParams, LatticeParams, QuadrupedsParams, bolt_nut, dish_stack, lattice,
    quadrupeds,
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

/// Nodes along an edge of [`soft_cube`].
const CUBE: usize = 12;

/// A soft cube of 5 184 sparse degrees of freedom (a lattice of nodes with mass and stiffness) under
/// 1 000 contacts: one below each node of its floor, the others on triangles of nodes.
///
/// # Errors
/// None with these parameters.
pub fn soft_cube() -> Result<Problem, ProblemError> {
    let mut problem = lattice(&LatticeParams {
        nodes: [CUBE; 3],
        ..LatticeParams::default()
    })?;
    let law = Law::Contact { friction: 0.4 };
    let mut corner = 0;
    while problem.constraints().len() < 1000 {
        let nodes = [corner, corner + 1, corner + CUBE];
        corner = (corner + 37) % (CUBE * CUBE * (CUBE - 1));
        let block = RowBlock::Nodes {
            nodes: &nodes,
            weights: &[0.5, 0.3, 0.2],
            frame: &[0.8, 0.6, 0.0, -0.6, 0.8, 0.0, 0.0, 0.0, 1.0],
        };
        problem.push_constraint(law, &[0.0, 0.0, 0.01], &[(0, block)])?;
    }
    Ok(problem)
}
