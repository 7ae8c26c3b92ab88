//! [book]: ../../book/tutorials/own-body.html
//!
#![doc = include_str!("../README.md")]

mod activation;
pub mod averaged;
pub mod connection;
pub mod contact;
mod frame_quantity;
pub mod impact;
pub mod limit;
mod places;
mod saturation;
mod scheme;
mod signal;
mod site;
pub mod stabilization;
pub mod tendon;
mod tracking;
mod writer;

pub use activation::Activation;
pub use connection::ConnectionKind;
pub use frame_quantity::FrameQuantity;
pub use places::{Frame, Frames, Motion, Node, Nodes, Places, Twist};
pub use saturation::Saturation;
pub use scheme::Scheme;
pub use signal::Signal;
pub use site::Site;
pub use tracking::Tracking;
pub use writer::RowWriter;
