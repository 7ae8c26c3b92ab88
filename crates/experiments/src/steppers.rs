//! Steppers of their own: methods that papers compare with and that solve no contact problem.

mod penalty;
mod xpbd;

pub use penalty::{PenaltyBox, PenaltyGains};
pub use xpbd::{Touch, XpbdRod, XpbdSettings};
