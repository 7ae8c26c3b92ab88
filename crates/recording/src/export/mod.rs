//! Recordings as CSV, NPZ and JSON, for spreadsheets, NumPy and everything else.
//!
//! [`csv`], [`npz`] and [`json`] write a file, all of it or nothing; the functions named
//! `write_…` write to any sink. Numbers keep all their digits.

mod csv;
mod json;
mod npz;
mod zip;

pub use csv::{csv, write_csv};
pub use json::{json, write_json};
pub use npz::{npz, write_npz};
