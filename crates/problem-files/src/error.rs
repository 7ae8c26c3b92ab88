//! What can be wrong with a problem file, said with the file and the element that is wrong.

use stiction_constraints::ProblemError;
use thiserror::Error;

/// Why a problem file could not be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProblemFileError {
    /// The file system refused to read.
    #[error("{file}: cannot be read: {source}")]
    Read {
        /// The file.
        file: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file system refused to write.
    #[error("{file}: cannot be written: {source}")]
    Write {
        /// The file.
        file: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The text is not JSON of the expected shape.
    #[error("{file}: line {line}, column {column}: {reason}")]
    Syntax {
        /// The file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What was expected.
        reason: String,
    },
    /// The content is none of the formats that are known.
    #[error("{file}: not a problem file: {reason}")]
    UnknownFormat {
        /// The file.
        file: String,
        /// What was looked for.
        reason: String,
    },
    /// An element holds something impossible.
    #[error("{file}: {element}: {reason}")]
    Element {
        /// The file.
        file: String,
        /// Which element, such as `W.indptr[3]`.
        element: String,
        /// Why it is refused.
        reason: String,
    },
    /// The file was read, but the problem in it makes no sense.
    #[error("{file}: {source}")]
    Problem {
        /// The file.
        file: String,
        /// What is wrong with the problem.
        source: ProblemError,
    },
}

/// An error before it is known which file it belongs to.
#[derive(Debug)]
pub(crate) enum Refusal {
    Syntax {
        line: usize,
        column: usize,
        reason: String,
    },
    UnknownFormat {
        reason: String,
    },
    Element {
        element: String,
        reason: String,
    },
    Problem(ProblemError),
}

impl Refusal {
    pub(crate) fn element(element: impl Into<String>, reason: impl Into<String>) -> Self {
        Refusal::Element {
            element: element.into(),
            reason: reason.into(),
        }
    }

    pub(crate) fn in_file(self, file: &str) -> ProblemFileError {
        let file = file.to_owned();
        match self {
            Refusal::Syntax {
                line,
                column,
                reason,
            } => ProblemFileError::Syntax {
                file,
                line,
                column,
                reason,
            },
            Refusal::UnknownFormat { reason } => ProblemFileError::UnknownFormat { file, reason },
            Refusal::Element { element, reason } => ProblemFileError::Element {
                file,
                element,
                reason,
            },
            Refusal::Problem(source) => ProblemFileError::Problem { file, source },
        }
    }
}

impl From<serde_json::Error> for Refusal {
    fn from(error: serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        // serde_json repeats the place at the end of its message; we say it in front.
        let text = error.to_string();
        let place = format!(" at line {line} column {column}");
        Refusal::Syntax {
            line,
            column,
            reason: text.strip_suffix(&place).unwrap_or(&text).to_owned(),
        }
    }
}

impl From<ProblemError> for Refusal {
    fn from(error: ProblemError) -> Self {
        Refusal::Problem(error)
    }
}
