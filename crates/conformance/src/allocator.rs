//! An allocator that counts, for the check that a second solve allocates nothing.

#![expect(
    unsafe_code,
    reason = "a counting allocator cannot be written without it"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, counting. A test binary that installs it has allocations checked:
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: stiction_conformance::CountingAllocator =
///     stiction_conformance::CountingAllocator;
/// # fn main() {}
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct CountingAllocator;

/// Counts. Memory that is freed while a thread ends may find its number gone already.
fn count() {
    let _ = ALLOCATIONS.try_with(|number| number.set(number.get() + 1));
}

// SAFETY: every call is handed on to the system's allocator unchanged; counting touches only a
// thread-local number that needs no allocation itself.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `GlobalAlloc::dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `GlobalAlloc::realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// How often the calling thread has allocated, or grown what it had, since it started.
pub(crate) fn allocations() -> usize {
    ALLOCATIONS.with(Cell::get)
}

/// Whether this program runs on the counting allocator.
pub(crate) fn is_counting() -> bool {
    let before = allocations();
    drop(std::hint::black_box(Box::new(0_u8)));
    allocations() > before
}
