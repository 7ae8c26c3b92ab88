//! Problems that something went wrong with, as files.

use std::path::{Path, PathBuf};

use stiction_constraints::Problem;
use stiction_problem_files::{FullProblem, ProblemFile, ProblemFileError, write};

/// Writes a problem into a folder as `NAME.json`, which `stiction solve` opens, and returns its path.
///
/// # Errors
/// A folder that cannot be made or a file that cannot be written.
pub fn save_problem(
    folder: &Path,
    name: &str,
    problem: &Problem,
) -> Result<PathBuf, ProblemFileError> {
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let path = folder.join(format!("{plain}.json"));
    std::fs::create_dir_all(folder).map_err(|source| ProblemFileError::Write {
        file: folder.display().to_string(),
        source,
    })?;
    let full = FullProblem {
        guess: None,
        name: name.to_owned(),
        problem: problem.clone(),
        solution: None,
    };
    write(&path, &ProblemFile::Full(full))?;
    Ok(path)
}
