//! A web page that shows how a simulated run moved, touched and converged.
//!
//! In the book: [a first scene][book].
//!
//! [book]: ../../book/tutorials/first-scene.html
//!
//! [`page`] makes one HTML file out of a [`Recording`](stiction_recording::Recording): no network,
//! no build step, everything inside. [`Server`] serves the same page from a running simulation and
//! streams frames to it; [`serve_recording`] serves it for a replay.
//!
//! The page itself is plain HTML, CSS and JavaScript under `page/`, joined at run time.
//!
//! ```
//! use stiction_recording::Recording;
//!
//! let html = stiction_viewer::page(&Recording::default())?;
//! assert!(html.starts_with("<!DOCTYPE html>"));
//! # Ok::<(), stiction_viewer::Error>(())
//! ```

mod error;
mod page;
mod record;
mod server;

pub use error::Error;
pub use page::{page, save_page, write_page};
pub use server::{Replay, Server, serve_recording, serve_recording_public};

/// The code of the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
