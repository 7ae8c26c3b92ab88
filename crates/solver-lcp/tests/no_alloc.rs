//! A second solve of equal size allocates nothing.

use stiction_constraints::{Budget, Problem, Solution};
use stiction_generators::{Breadth, RandomWideParams, random_wide};
use stiction_solver_lcp::{SOLVERS, named};
use stiction_test_support::allocations;

#[test]
fn second_solve_allocates_nothing() {
    let problems = (0..).map(|seed| {
        let params = RandomWideParams {
            breadth: Breadth::Plain,
            seed,
            ..RandomWideParams::default()
        };
        random_wide(&params).unwrap().problem
    });
    let with_contacts = |problem: &Problem| problem.contact_count() > 2;
    let problem = problems.into_iter().find(with_contacts).unwrap();
    for (name, _) in SOLVERS {
        let mut solver = named(name).unwrap();
        let mut solution = Solution::cold();
        let budget = Budget::with_tolerance(1e-7);
        let before = allocations();
        solver.solve(&problem, &budget, &mut solution);
        assert!(allocations() > before, "the counter counts");
        // Cold and warm.
        for is_cold in [true, false] {
            if is_cold {
                solution.clear();
            }
            let before = allocations();
            solver.solve(&problem, &budget, &mut solution);
            assert_eq!(allocations(), before, "{name}");
        }
    }
}
