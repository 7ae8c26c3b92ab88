//! Ctrl-C ends what runs, so that what was done so far can be written.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use stiction_constraints::StopFlag;

/// Whether somebody pressed Ctrl-C.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt {
    flag: StopFlag,
}

impl Interrupt {
    /// Listens from now on. A second Ctrl-C ends the program at once.
    pub(crate) fn listen() -> Self {
        let interrupt = Self::default();
        let flag = interrupt.flag();
        let was_pressed = Arc::new(AtomicBool::new(false));
        // Where signals cannot be caught, Ctrl-C does what it always does.
        let _ = ctrlc::set_handler(move || {
            if was_pressed.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
            flag.raise();
        });
        interrupt
    }

    pub(crate) fn is_raised(&self) -> bool {
        self.flag.is_raised()
    }

    /// The flag that Ctrl-C raises, for the budgets of solvers.
    pub(crate) fn flag(&self) -> StopFlag {
        self.flag.clone()
    }
}
