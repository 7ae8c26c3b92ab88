#![doc = include_str!("../README.md")]

pub mod chart;
mod error;
mod html;
mod joint_constraints;
pub mod motion;
mod report;

pub use error::{ExperimentError, Result};
pub use report::{Figure, Report, Section, Statement, Table};

/// An experiment of a paper.
#[derive(Debug, Clone, Copy)]
pub struct Experiment {
    /// Name by which it is asked for.
    pub name: &'static str,
    /// One line on what it shows.
    pub summary: &'static str,
    run: fn(&mut Run<'_>) -> Result<Report>,
}

/// How an experiment is run.
pub struct Run<'a> {
    /// Less of everything, for a first look.
    pub quick: bool,
    /// Told the share of the work that is done, 0 to 1, and what comes now.
    pub progress: &'a mut dyn FnMut(f64, &str),
}

impl Run<'_> {
    fn tell(&mut self, share: f64, what: &str) {
        (self.progress)(share, what);
    }
}

/// Every experiment.
const ALL: &[Experiment] = &[joint_constraints::EXPERIMENT];

/// Every experiment.
pub fn all() -> &'static [Experiment] {
    ALL
}

impl Experiment {
    /// Runs it.
    ///
    /// # Errors
    /// A scene that cannot be simulated, or a picture that cannot be drawn.
    pub fn run(&self, run: &mut Run<'_>) -> Result<Report> {
        (self.run)(run)
    }
}
