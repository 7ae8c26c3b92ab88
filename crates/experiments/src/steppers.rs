//! Steppers of their own: methods that papers compare with and that solve no contact problem.

mod penalty;

pub use penalty::{PenaltyBox, PenaltyGains};
