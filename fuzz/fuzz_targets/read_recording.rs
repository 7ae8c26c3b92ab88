//! Any bytes into the reader of recordings.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stiction_fuzz::read_recording(bytes));
