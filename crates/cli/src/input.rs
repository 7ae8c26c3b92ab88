//! Which problems are to be solved, and reading them.

use std::fmt;
use std::path::{Path, PathBuf};

use stiction_problem_files::{self as problem_files, ProblemFile, ProblemFileError, ReducedLocal};

/// The problem that is solved when none is given, see `assets/README.md`.
const EXAMPLE: &[u8] = include_bytes!("../assets/box_on_slope.json");
const EXAMPLE_NAME: &str = "bundled example";

/// Where a problem comes from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Source {
    /// The example inside this program.
    Example,
    /// A file that was named.
    File(PathBuf),
    /// A file found in a directory, which may be something else.
    Found(PathBuf),
}

/// A problem that is ready to be solved.
pub(crate) enum LoadedProblem {
    /// u = W r + q, brought into primal form.
    Local {
        name: String,
        reduced: Box<ReducedLocal>,
    },
    /// Masses and contacts as in a contact file.
    Global(Box<problem_files::GlobalProblem>),
    /// Anything else.
    Full(Box<problem_files::FullProblem>),
}

impl LoadedProblem {
    pub(crate) fn name(&self) -> &str {
        match self {
            LoadedProblem::Local { name, .. } => name,
            LoadedProblem::Global(global) => &global.origin.name,
            LoadedProblem::Full(full) => &full.name,
        }
    }
}

impl Source {
    /// The file, if it is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Source::Example => None,
            Source::File(path) | Source::Found(path) => Some(path),
        }
    }

    /// Reads the problem; `None` for a file in a directory that is no problem file.
    pub(crate) fn load(&self) -> anyhow::Result<Option<LoadedProblem>> {
        let read = match self {
            Source::Example => problem_files::parse_bytes(EXAMPLE, EXAMPLE_NAME),
            Source::File(path) | Source::Found(path) => problem_files::read(path),
        };
        let file = match (read, self) {
            (Err(ProblemFileError::UnknownFormat { .. }), Source::Found(_)) => return Ok(None),
            (other, _) => other?,
        };
        Ok(Some(match file {
            ProblemFile::Local(local) => LoadedProblem::Local {
                name: local.origin.name.clone(),
                reduced: Box::new(local.reduce()?),
            },
            ProblemFile::Global(global) => LoadedProblem::Global(Box::new(global)),
            ProblemFile::Full(full) => LoadedProblem::Full(Box::new(full)),
        }))
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Example => f.write_str(EXAMPLE_NAME),
            Source::File(path) | Source::Found(path) => write!(f, "{}", path.display()),
        }
    }
}

/// The problems that were asked for, and what could not be looked at.
pub(crate) struct Found {
    pub(crate) sources: Vec<Source>,
    pub(crate) unusable: Vec<String>,
}

/// Files as they are named, directories by their problem files in alphabetical order.
pub(crate) fn find(inputs: &[PathBuf]) -> Found {
    let mut found = Found {
        sources: Vec::new(),
        unusable: Vec::new(),
    };
    if inputs.is_empty() {
        found.sources.push(Source::Example);
    }
    for input in inputs {
        if input.is_dir() {
            match files_in(input) {
                Ok(files) if files.is_empty() => found.unusable.push(format!(
                    "{}: no .json, .h5 or .hdf5 file in this directory",
                    input.display()
                )),
                Ok(files) => found.sources.extend(files.into_iter().map(Source::Found)),
                Err(error) => found.unusable.push(format!("{}: {error}", input.display())),
            }
        } else {
            found.sources.push(Source::File(input.clone()));
        }
    }
    found
}

fn files_in(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        let extension = path.extension().unwrap_or_default();
        if ["json", "h5", "hdf5"]
            .iter()
            .any(|known| extension == *known)
            && path.is_file()
        {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
