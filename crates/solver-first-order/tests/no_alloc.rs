//! A second solve of equal size allocates nothing.

use stiction_constraints::{Budget, Solution};
use stiction_generators::{Breadth, RandomWideParams, random_wide};
use stiction_solver_first_order::{SOLVERS, named};
use stiction_test_support::allocations;

#[test]
fn second_solve_allocates_nothing() {
    let params = RandomWideParams {
        breadth: Breadth::Plain,
        seed: 3,
        ..RandomWideParams::default()
    };
    let problem = random_wide(&params).unwrap().problem;
    assert!(problem.contact_count() > 0);
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
