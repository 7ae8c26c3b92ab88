//! One file per command.

pub(crate) mod bench;
pub(crate) mod completions;
pub(crate) mod solve;
pub(crate) mod solvers;
