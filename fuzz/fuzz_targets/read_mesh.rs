//! Any bytes into the readers of mesh files.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stiction_fuzz::read_mesh(bytes));
