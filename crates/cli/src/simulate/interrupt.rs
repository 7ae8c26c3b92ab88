//! Ctrl-C ends a run between two steps, so that what was simulated can be written.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether somebody pressed Ctrl-C.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt {
    raised: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens from now on. A second Ctrl-C ends the program at once.
    pub(crate) fn listen() -> Self {
        let interrupt = Self::default();
        let raised = interrupt.raised.clone();
        // Where signals cannot be caught, Ctrl-C does what it always does.
        let _ = ctrlc::set_handler(move || {
            if raised.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
        });
        interrupt
    }

    pub(crate) fn is_raised(&self) -> bool {
        self.raised.load(Ordering::SeqCst)
    }
}
