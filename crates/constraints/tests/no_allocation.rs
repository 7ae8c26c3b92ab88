//! The second measurement of a problem of the same shape allocates nothing.

#![expect(
    unsafe_code,
    reason = "a global allocator that counts is an unsafe trait"
)]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use common::everything;
use stiction_constraints::{Criterion, Yardstick};

/// The system's allocator, counting what it hands out.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged; counting touches no memory
// that is handed out.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises about `layout` are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `System` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: `pointer` came from `System` with this layout; `size` is the caller's promise.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static GLOBAL: Counting = Counting;

// One test in this file: the count is that of the whole process.
#[test]
fn second_update_and_residuals_allocate_nothing() {
    let (first, second) = (everything(1), everything(2));
    let lambda = vec![0.1; first.row_count()];
    let mut velocity = vec![0.0; first.dof_count()];
    let mut yardstick = Yardstick::default();
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    yardstick.update(&first).unwrap();
    yardstick.residuals(&first, &velocity, &lambda);
    assert!(
        ALLOCATIONS.load(Ordering::Relaxed) > before,
        "the count works"
    );

    let before = ALLOCATIONS.load(Ordering::Relaxed);
    yardstick.update(&second).unwrap();
    yardstick.velocity_of(&second, &lambda, &mut velocity);
    yardstick.residuals(&second, &velocity, &lambda);
    yardstick.measure(&second, &lambda, Criterion::Scaled);
    let after = ALLOCATIONS.load(Ordering::Relaxed);
    assert_eq!(after - before, 0);
}
