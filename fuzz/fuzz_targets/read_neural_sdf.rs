//! Any bytes into the reader of neural distances.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stiction_fuzz::read_neural_sdf(bytes));
