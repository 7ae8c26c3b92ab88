//! Any bytes as a small problem into every solver.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stiction_fuzz::solve_small(bytes));
