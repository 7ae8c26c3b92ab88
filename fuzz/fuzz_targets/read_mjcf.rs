//! Any bytes into the reader of MJCF files.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stiction_fuzz::read_mjcf(bytes));
