//! Recordings of simulated runs: what was simulated ([`Header`]), how it moved ([`Frame`]), and the
//! versioned, checksummed file both are kept in.
//!
//! In the book: [limits, outputs, exit codes][book].
//!
//! [book]: ../../book/limits.html
//!
//! A [`Recording`] is the whole run in memory. A [`Writer`] streams a run to a file frame by frame,
//! so that a run that is interrupted keeps what it had; a [`Reader`] streams it back. [`export`]
//! turns a recording into CSV, NPZ or JSON. The byte layout is specified in this crate's README.
//!
//! Units are SI, axes are the world's (z up by convention, gravity says which way is down),
//! quaternions are ordered `x, y, z, w`.
//!
//! ```
//! use stiction_recording::{Body, Frame, Geometry, Header, Pose, Recording, Visual, Writer};
//!
//! let header = Header {
//!     scene: "one ball".into(),
//!     solver: "canal".into(),
//!     bodies: vec![Body {
//!         name: "ball".into(),
//!         mass: 0.2,
//!         visuals: vec![Visual::new(Geometry::Sphere { radius: 0.05 }, Pose::IDENTITY)],
//!         ..Body::default()
//!     }],
//!     ..Header::default()
//! };
//! let mut writer = Writer::new(Vec::new(), &header)?;
//! for step in 0..10 {
//!     let mut frame = Frame::resting(&header);
//!     frame.time = f64::from(step) * header.frame_interval;
//!     frame.poses[0].position = [0.0, 0.0, 1.0 - 4.9 * frame.time.powi(2)];
//!     writer.write_frame(&frame)?;
//! }
//! let bytes = writer.finish()?;
//!
//! let loaded = Recording::from_reader(bytes.as_slice())?;
//! assert!(!loaded.truncated());
//! assert_eq!(loaded.recording.frames.len(), 10);
//! # Ok::<(), stiction_recording::Error>(())
//! ```

mod atomic;
mod block;
mod error;
pub mod export;
mod frame;
mod frame_bytes;
mod header;
mod reader;
mod recording;
mod validate;
mod writer;

pub use atomic::{
    check_target, create_in_place, give_up_unfinished, is_same_file, write_atomically,
};
pub use error::Error;
pub use frame::{Contact, ContactState, Frame, Statistics};
pub use header::{Body, Deformable, DeformableKind, Geometry, Header, Mesh, Pose, Visual};
pub use reader::{Ending, Reader};
pub use recording::{LARGEST_RECORDING, Loaded, Recording};
pub use writer::Writer;

/// Version of the file format that this crate writes; it reads this one and those before.
pub const FORMAT_VERSION: u32 = 3;

/// The code of the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
