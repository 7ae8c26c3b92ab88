//! A second solve of equal size allocates nothing.
#![expect(unsafe_code, reason = "counting allocations needs a global allocator")]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use stiction_constraints::{Budget, Solution, Solver};
use stiction_solver_pgs::{Pgs, SOLVERS};

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is handed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promise is the system allocator's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is the system allocator's.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn second_solve_allocates_nothing() {
    let first = common::ring(12, 0.4, 1);
    let second = common::ring(12, 0.4, 2);
    for (name, _) in SOLVERS {
        let mut solver = Pgs::named(name).unwrap();
        let mut solution = Solution::cold();
        let budget = Budget::with_tolerance(1e-7);
        let before = COUNT.with(Cell::get);
        solver.solve(&first, &budget, &mut solution);
        assert!(COUNT.with(Cell::get) > before, "the counter counts");
        // Cold and warm.
        for is_cold in [true, false] {
            if is_cold {
                solution.clear();
            }
            let before = COUNT.with(Cell::get);
            solver.solve(&second, &budget, &mut solution);
            assert_eq!(COUNT.with(Cell::get), before, "{name}");
        }
    }
}
