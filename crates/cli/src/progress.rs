//! A progress bar on standard error, for runs that take long and somebody who watches.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::complain;

/// Runs shorter than this show no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// Progress of a number of solves.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Starts to count; the bar appears when it takes long and standard error is a terminal.
    pub(crate) fn start(solves: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(solves as u64), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}") {
            bar.set_style(style);
        }
        if std::io::stderr().is_terminal() {
            let later = bar.clone();
            std::thread::spawn(move || {
                std::thread::sleep(PATIENCE);
                if !later.is_finished() {
                    later.set_draw_target(ProgressDrawTarget::stderr());
                    later.enable_steady_tick(Duration::from_millis(200));
                }
            });
        }
        Self { bar }
    }

    /// What is being done.
    pub(crate) fn show(&self, message: &str) {
        self.bar.set_message(message.to_owned());
    }

    /// A message that stays, above the bar.
    pub(crate) fn say(&self, message: &str) {
        self.bar.suspend(|| complain(message));
    }

    /// Counts solves as done.
    pub(crate) fn advance(&self, solves: usize) {
        self.bar.inc(solves as u64);
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
