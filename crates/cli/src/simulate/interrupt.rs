//! Ctrl-C and requests to terminate end what runs, so that what was done so far can be written.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use stiction_constraints::StopFlag;
use stiction_recording::give_up_unfinished;

/// How long a step may go on after a signal before what was done is written without its end: with the time
/// that writing takes, a run ends within a tenth of a second.
const PATIENCE: Duration = Duration::from_millis(50);

/// How long after a signal files may still be made, with what it takes to end the program after that.
const TIME: Duration = Duration::from_millis(80);

/// Whether somebody pressed Ctrl-C, or asked the program to terminate.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt {
    flag: StopFlag,
    /// When that was.
    at: Arc<OnceLock<Instant>>,
    /// Whether whoever was to be interrupted has stopped.
    has_stopped: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens from now on. A second Ctrl-C ends the program at once.
    pub(crate) fn listen() -> Self {
        Self::listen_with(None::<fn(Instant)>)
    }

    /// Listens from now on; `rescue`, which is to write what there is and end the program, is called where a
    /// step takes no notice of the signal.
    pub(crate) fn listen_with(rescue: Option<impl FnOnce(Instant) + Send + 'static>) -> Self {
        let interrupt = Self::default();
        let Self {
            flag,
            at,
            has_stopped,
        } = interrupt.clone();
        let was_pressed = AtomicBool::new(false);
        let rescue = Mutex::new(rescue);
        // Where signals cannot be caught, Ctrl-C does what it always does.
        let _ = ctrlc::set_handler(move || {
            if was_pressed.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
            let now = Instant::now();
            let _ = at.set(now);
            flag.raise();
            let rescue = rescue.lock().unwrap_or_else(PoisonError::into_inner).take();
            let has_stopped = has_stopped.clone();
            // A thread of its own, so that the next signal is heard.
            std::thread::spawn(move || {
                std::thread::sleep(PATIENCE);
                if let Some(rescue) = rescue.filter(|_| !has_stopped.load(Ordering::SeqCst)) {
                    rescue(now + TIME);
                }
            });
        });
        interrupt
    }

    /// Listens from now on. Until [`Self::stopped`] is called, as there is something to tell, a signal that nobody
    /// heeds ends the program: reading a large file takes a while.
    pub(crate) fn listen_while_loading() -> Self {
        Self::listen_with(Some(|_| std::process::exit(130)))
    }

    /// From now on a signal ends the program at once, without leaving half of a file.
    pub(crate) fn end_at_once() {
        // Where signals cannot be caught, Ctrl-C does what it always does.
        let _ = ctrlc::set_handler(|| {
            give_up_unfinished();
            std::process::exit(130);
        });
    }

    pub(crate) fn is_raised(&self) -> bool {
        self.flag.is_raised()
    }

    /// When what is written after a signal must be done.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.at.get().map(|at| *at + TIME)
    }

    /// The flag that Ctrl-C raises, for the budgets of solvers.
    pub(crate) fn flag(&self) -> StopFlag {
        self.flag.clone()
    }

    /// To be called where nothing needs to be interrupted any more.
    pub(crate) fn stopped(&self) {
        self.has_stopped.store(true, Ordering::SeqCst);
    }
}
