//! Any bytes into the reader of scene files.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stiction_fuzz::read_scene_file(bytes));
