//! Files that are made of a whole run once it is over: page, CSV, plot.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Instant;

use stiction_recording::give_up_unfinished;

/// Files to be made, each with what makes it.
#[derive(Default)]
pub(crate) struct Exports {
    jobs: Vec<Job>,
}

/// Makes a file.
type Make = Box<dyn FnOnce(&Path) -> anyhow::Result<()> + Send>;

struct Job {
    path: PathBuf,
    make: Make,
}

impl Exports {
    pub(crate) fn add(
        &mut self,
        path: &Path,
        make: impl FnOnce(&Path) -> anyhow::Result<()> + Send + 'static,
    ) {
        self.jobs.push(Job {
            path: path.to_owned(),
            make: Box::new(make),
        });
    }

    /// Makes all.
    pub(crate) fn write(self) -> anyhow::Result<()> {
        let mut jobs = self.jobs.into_iter();
        jobs.try_for_each(|job| (job.make)(&job.path))
    }

    /// Makes at once what can be made until then, and leaves nothing of the rest; returns which that is. For a program that ends:
    /// no other file can be written afterwards.
    pub(crate) fn write_until(self, deadline: Instant) -> anyhow::Result<Vec<PathBuf>> {
        let (sender, receiver) = mpsc::channel();
        let mut open = Vec::new();
        for Job { path, make } in self.jobs {
            open.push(path.clone());
            let sender = sender.clone();
            std::thread::spawn(move || {
                let made = make(&path);
                // Nobody listens any more once time is up.
                let _ = sender.send((path, made));
            });
        }
        while !open.is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok((path, made)) = receiver.recv_timeout(left) else {
                give_up_unfinished();
                break;
            };
            made?;
            open.retain(|other| *other != path);
        }
        Ok(open)
    }
}
