//! An allocator that counts, for tests that hot paths allocate nothing after first use.

#![expect(
    unsafe_code,
    reason = "a counting allocator cannot be written without it"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

/// Counts. Memory that is freed while a thread ends may find its number gone already.
fn count() {
    let _ = ALLOCATIONS.try_with(|number| number.set(number.get() + 1));
}

// SAFETY: every call is handed on to the system's allocator unchanged; counting touches only a
// thread-local number that needs no allocation itself.
unsafe impl GlobalAlloc for Counting {
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

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often the calling thread has allocated, or grown what it had, since it started.
pub fn allocations() -> usize {
    ALLOCATIONS.with(Cell::get)
}

#[cfg(test)]
mod tests {
    use super::allocations;

    #[test]
    fn the_counter_counts() {
        let before = allocations();
        let mut list = std::hint::black_box(Vec::<u8>::with_capacity(1));
        assert_eq!(allocations(), before + 1);
        list.reserve_exact(1000);
        assert_eq!(allocations(), before + 2);
    }
}
