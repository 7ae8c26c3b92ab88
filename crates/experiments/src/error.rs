//! Why an experiment could not be reported.

use stiction_dynamics::DynamicsError;
use stiction_io::IoError;
use stiction_scenes::LoadError;
use stiction_sim::SimError;
use thiserror::Error;

/// A result of this crate.
pub type Result<T> = std::result::Result<T, ExperimentError>;

/// Why an experiment could not be reported.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// A world could not be built or stepped.
    #[error(transparent)]
    Simulation(#[from] SimError),
    /// A model could not be built or evaluated.
    #[error(transparent)]
    Model(#[from] DynamicsError),
    /// A bundled robot could not be read.
    #[error(transparent)]
    Robot(#[from] IoError),
    /// A bundled scene could not be built.
    #[error(transparent)]
    Scene(Box<LoadError>),
    /// A figure could not be drawn.
    #[error("the figure \"{figure}\" could not be drawn: {problem}")]
    Figure {
        /// Its title.
        figure: String,
        /// Why not.
        problem: String,
    },
    /// A file of the report could not be written.
    #[error("{path} could not be written: {problem}")]
    Write {
        /// The file.
        path: String,
        /// Why not.
        problem: String,
    },
    /// A step that was to have contacts has none.
    #[error("nothing touches in {0}")]
    NothingTouches(&'static str),
    /// A film could not be made a page.
    #[error("a film could not be made a page: {0}")]
    Film(String),
    /// Somebody ended the run.
    #[error("interrupted")]
    Interrupted,
    /// A part that an experiment does not have.
    #[error("\"{experiment}\" has no part \"{part}\"; known: {known}")]
    UnknownPart {
        /// The experiment.
        experiment: &'static str,
        /// What was asked for.
        part: String,
        /// Its parts.
        known: String,
    },
    /// Settings of a per-contact solver were refused.
    #[error(transparent)]
    PerContact(#[from] stiction_solver_pgs::SettingsError),
    /// A thread to time on could not be started.
    #[error("a thread could not be started: {0}")]
    Threads(String),
    /// Data that an experiment was given and cannot use.
    #[error("{path}: {problem}")]
    Data {
        /// The file or folder.
        path: String,
        /// Why not.
        problem: String,
    },
}

impl From<LoadError> for ExperimentError {
    fn from(error: LoadError) -> Self {
        Self::Scene(Box::new(error))
    }
}
