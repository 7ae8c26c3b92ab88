//! Overlaps that nothing can undo.
//!
//! Bodies that overlap are pushed apart. Where that is impossible (a puck on rails below its table, a
//! link clamped in its own robot) the problem of the step has no solution. Such a contact is then only
//! held: it may not close any further, and the push is tried again after a while.

use serde::{Deserialize, Serialize};

/// How long a contact is held instead of pushed apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct PushDelay {
    /// Steps until the push is tried again.
    left: u32,
    /// Steps between the last tries.
    length: u32,
}

impl PushDelay {
    /// Of a contact that was not held.
    pub(crate) const NONE: Self = Self { left: 0, length: 0 };
    /// Most steps between two tries.
    const LONGEST: u32 = 256;

    /// Whether the contact is held in this step.
    pub(crate) fn is_on(self) -> bool {
        self.left > 0
    }

    /// After a step in which the contact was held.
    pub(crate) fn one_step_on(self) -> Self {
        Self {
            left: self.left.saturating_sub(1),
            ..self
        }
    }

    /// After a step in which the push failed: held this time, and twice as long as the last time.
    pub(crate) fn renewed(self) -> Self {
        let length = (2 * self.length).clamp(1, Self::LONGEST);
        Self {
            left: length,
            length,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_become_rare_but_never_end() {
        let mut delay = PushDelay::NONE;
        let mut tries = Vec::new();
        for step in 0..2000 {
            if delay.is_on() {
                delay = delay.one_step_on();
            } else {
                tries.push(step);
                delay = delay.renewed();
            }
        }
        assert_eq!(tries[..5], [0, 2, 5, 10, 19]);
        let gaps = tries.windows(2).map(|pair| pair[1] - pair[0]);
        assert_eq!(gaps.max(), Some(257));
    }
}
