//! What can go wrong when a run is shown.

use std::net::SocketAddr;

use thiserror::Error;

/// Why a page could not be made or served.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The recording is not valid.
    #[error(transparent)]
    Recording(#[from] stiction_recording::Error),
    /// Writing the page failed.
    #[error("page: {0}")]
    Write(#[from] std::io::Error),
    /// The header cannot be written as JSON.
    #[error("page: header as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The address asked for.
        address: SocketAddr,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The address would let other machines in, and nobody asked for that.
    #[error(
        "{address} is not a loopback address: everyone on the network could watch; \
         use 127.0.0.1 or [::1], or say that this is wanted"
    )]
    NotLoopback {
        /// The address asked for.
        address: SocketAddr,
    },
    /// A published frame does not fit the header the server was started with.
    #[error("published frame: {field} has {found} entries, expected {expected}")]
    FrameSize {
        /// Which of its lists.
        field: &'static str,
        /// How many entries it has.
        found: usize,
        /// How many it should have.
        expected: usize,
    },
}
