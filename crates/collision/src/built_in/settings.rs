//! How the built-in detection works.

use crate::error::{Result, non_negative};
use crate::narrow::NarrowSettings;

/// Whether pairs are tested one after another or by rayon's current thread pool. The contacts are the
/// same to the last bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Execution {
    /// In the calling thread; allocates nothing in steady state.
    Serial,
    /// In rayon's current pool, if there are enough pairs to be worth it.
    #[default]
    Parallel,
}

/// Settings of the built-in detection.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DetectionSettings {
    /// Narrow phase, with the margin (m) up to which gaps are reported.
    pub narrow: NarrowSettings,
    /// Threads.
    pub execution: Execution,
}

impl DetectionSettings {
    /// Refuses a margin or a way of reuse that is negative or not finite.
    pub(super) fn validate(&self) -> Result<()> {
        non_negative("collision detection", "margin", self.narrow.margin)?;
        non_negative("collision detection", "reuse", self.narrow.reuse)?;
        Ok(())
    }
}
