//! A second solve of equal size allocates nothing.

mod common;

use stiction_constraints::{Budget, Solution, Solver};
use stiction_solver_pgs::{Pgs, SOLVERS};
use stiction_test_support::allocations;

#[test]
fn second_solve_allocates_nothing() {
    let first = common::ring(12, 0.4, 1);
    let second = common::ring(12, 0.4, 2);
    for (name, _) in SOLVERS {
        let mut solver = Pgs::named(name).unwrap();
        let mut solution = Solution::cold();
        let budget = Budget::with_tolerance(1e-7);
        let before = allocations();
        solver.solve(&first, &budget, &mut solution);
        assert!(allocations() > before, "the counter counts");
        // Cold and warm.
        for is_cold in [true, false] {
            if is_cold {
                solution.clear();
            }
            let before = allocations();
            solver.solve(&second, &budget, &mut solution);
            assert_eq!(allocations(), before, "{name}");
        }
    }
}
