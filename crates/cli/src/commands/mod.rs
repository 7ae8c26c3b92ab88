//! One file per command.

pub(crate) mod bench;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod export;
pub(crate) mod inspect;
pub(crate) mod reproduce;
pub(crate) mod run;
pub(crate) mod scenes;
pub(crate) mod solve;
pub(crate) mod solvers;
pub(crate) mod view;
