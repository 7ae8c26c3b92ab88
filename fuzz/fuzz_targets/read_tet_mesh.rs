//! Any bytes into the reader of Gmsh's files.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stiction_fuzz::read_tet_mesh(bytes));
