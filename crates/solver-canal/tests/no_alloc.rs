//! A second solve of equal size allocates nothing.
#![expect(
    unsafe_code,
    reason = "a counting allocator cannot be written without it"
)]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::of_every_generator;
use stiction_constraints::{Budget, Problem, Solution, Solver};
use stiction_solver_canal::{Canal, CanalSettings, LinearSolver, SOLVERS};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `GlobalAlloc::dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of a second solve, cold and warm.
fn second_solve(solver: &mut Canal, problem: &Problem) -> [usize; 2] {
    let budget = Budget {
        max_iterations: Some(20),
        ..Budget::with_tolerance(1e-9)
    };
    let mut solution = Solution::cold();
    solver.solve(problem, &budget, &mut solution);
    solution.clear();
    let start = ALLOCATIONS.with(Cell::get);
    solver.solve(problem, &budget, &mut solution);
    let cold = ALLOCATIONS.with(Cell::get);
    solver.solve(problem, &budget, &mut solution);
    [cold - start, ALLOCATIONS.with(Cell::get) - cold]
}

fn with(linear_solver: LinearSolver) -> Canal {
    Canal::new(CanalSettings {
        linear_solver,
        ..CanalSettings::default()
    })
}

#[test]
fn the_dense_path_allocates_nothing() {
    for (name, problem) in of_every_generator() {
        let counts = second_solve(&mut with(LinearSolver::Dense), &problem);
        assert_eq!(counts, [0, 0], "{name}");
    }
}

#[test]
fn no_named_solver_allocates_on_small_problems() {
    for (name, problem) in of_every_generator() {
        if problem.dof_count() > 64 {
            continue;
        }
        for (solver, _) in SOLVERS {
            let mut canal = Canal::named(solver).expect("a listed name");
            assert_eq!(
                second_solve(&mut canal, &problem),
                [0, 0],
                "{solver} on {name}"
            );
        }
    }
}

#[test]
fn the_sparse_path_allocates_nothing() {
    for (name, problem) in of_every_generator() {
        let counts = second_solve(&mut with(LinearSolver::Sparse), &problem);
        assert_eq!(counts, [0, 0], "{name}");
    }
}
