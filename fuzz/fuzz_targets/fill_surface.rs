//! Any triangles into the mesher.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stiction_fuzz::fill_surface(bytes));
