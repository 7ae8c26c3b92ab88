//! The order of constraints and the names of subsystems change nothing beyond rounding.

mod common;

use common::{Numbers, evaluator, everything};
use stiction_constraints::{Problem, Residuals};

fn fields(r: &Residuals) -> [f64; 9] {
    [
        r.paper,
        r.scaled,
        r.primal,
        r.dual,
        r.complementarity,
        r.natural,
        r.balanced,
        r.fischer_burmeister,
        r.dynamics,
    ]
}

/// The problem with subsystem `i` = old subsystem `names[i]`, constraint `i` = old `order[i]`.
fn rearranged(problem: &Problem, names: &[usize], order: &[usize]) -> Problem {
    let mut out = Problem::new();
    for &old in names {
        let range = problem.dof_starts()[old]..problem.dof_starts()[old + 1];
        out.push_subsystem(problem.subsystems()[old].clone(), &problem.b()[range])
            .unwrap();
    }
    let place = |old| names.iter().position(|&name| name == old).unwrap();
    for &old in order {
        let constraint = &problem.constraints()[old];
        let mut blocks: Vec<_> = problem
            .terms(old)
            .map(|(subsystem, block)| (place(subsystem), block))
            .collect();
        // The order of a constraint's terms does not matter either.
        blocks.reverse();
        let error = problem.error(old);
        out.push_constraint(constraint.law, error, &blocks).unwrap();
    }
    out
}

#[test]
fn rearranging_changes_no_residual() {
    for seed in 0..10 {
        let problem = everything(seed);
        let lambda = Numbers(seed + 50).take(problem.row_count());
        let velocity = Numbers(seed + 60).take(problem.dof_count());
        let (names, order) = ([2, 0, 3, 1], [5, 0, 7, 2, 4, 1, 6, 3]);
        let other = rearranged(&problem, &names, &order);
        let moved: Vec<f64> = order
            .iter()
            .flat_map(|&old| lambda[problem.constraints()[old].row_range()].to_vec())
            .collect();
        let renamed: Vec<f64> = names
            .iter()
            .flat_map(|&old| {
                velocity[problem.dof_starts()[old]..problem.dof_starts()[old + 1]].to_vec()
            })
            .collect();
        let before = evaluator(&problem).residuals(&problem, &velocity, &lambda);
        let after = evaluator(&other).residuals(&other, &renamed, &moved);
        assert!(
            before.scaled > 0.0 && before.complementarity > 0.0,
            "{before:?}"
        );
        for (a, b) in fields(&before).into_iter().zip(fields(&after)) {
            assert!((a - b).abs() <= 1e-10 * (a + 1e-3), "{before:?} {after:?}");
        }
    }
}
