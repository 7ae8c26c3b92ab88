//! What can be wrong with a file, and where.

use thiserror::Error;

/// A result of this crate.
pub type Result<T> = std::result::Result<T, IoError>;

/// Why a file was refused.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum IoError {
    /// A file that could not be read at all.
    #[error("{file}: {problem}")]
    File {
        /// The file.
        file: String,
        /// Why not.
        problem: String,
    },
    /// A text that is not TOML.
    #[error("{file}:{line}:{column}: not valid TOML: {problem}")]
    Syntax {
        /// The file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// What the parser stumbled over.
        problem: String,
    },
    /// A value or key that a scene cannot have.
    #[error("{file}:{line}:{column}: {key}: {problem}; {advice}")]
    Scene {
        /// The file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// Path of the key, such as `bodies[2].shapes[0].radius`, counted from 0.
        key: String,
        /// What is wrong.
        problem: String,
        /// What to do.
        advice: String,
    },
    /// A text that is not XML.
    #[error("{file}:{line}:{column}: not valid XML: {problem}")]
    Xml {
        /// The file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// What the parser stumbled over.
        problem: String,
    },
    /// An element or attribute that a robot cannot have.
    #[error("{file}:{line}:{column}: {element}: {problem}; {advice}")]
    Element {
        /// The file, which may be an included one.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// The element, such as `joint "elbow"`.
        element: String,
        /// What is wrong.
        problem: String,
        /// What to do.
        advice: String,
    },
    /// A mesh file whose content is not what it should be.
    #[error("{file}:{line}: {problem}")]
    Mesh {
        /// The file.
        file: String,
        /// Line, from 1; the number of the triangle in a binary file.
        line: usize,
        /// What is wrong.
        problem: String,
    },
}

impl IoError {
    /// Line and column, both from 1, where the error has such a place.
    pub fn position(&self) -> Option<(usize, usize)> {
        match *self {
            Self::Syntax { line, column, .. }
            | Self::Scene { line, column, .. }
            | Self::Xml { line, column, .. }
            | Self::Element { line, column, .. } => Some((line, column)),
            Self::File { .. } | Self::Mesh { .. } => None,
        }
    }

    /// Path of the key that was refused, where there is one.
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::Scene { key, .. } => Some(key),
            _ => None,
        }
    }
}
