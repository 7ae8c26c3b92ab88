#![doc = include_str!("../README.md")]

pub mod connection;
pub mod contact;
pub mod limit;
mod places;
mod scheme;
mod site;
pub mod stabilization;
pub mod tendon;
mod tracking;
mod writer;

pub use connection::ConnectionKind;
pub use places::{Frame, Frames, Motion, Node, Nodes, Places, Twist};
pub use scheme::Scheme;
pub use site::Site;
pub use tracking::Tracking;
pub use writer::RowWriter;
