//! What the suite draws, and where it leaves what went wrong.

use std::path::PathBuf;

/// The environment variable that names the folder for failing problems.
const FOLDER_VARIABLE: &str = "STICTION_CONFORMANCE_DIR";

/// What the suite draws, and where it leaves what went wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Seed of everything.
    pub seed: u64,
    /// Problems of each plain family; there are more of the others.
    pub count: usize,
    /// Tolerance on the scaled residual, m/s.
    pub tolerance: f64,
    /// Most iterations of a solve. There is no limit of time: a verdict must not depend on how busy a
    /// machine is.
    pub max_iterations: usize,
    /// Folder for problems that a check failed on.
    pub folder: PathBuf,
}

impl Default for Settings {
    /// Three problems a plain family, 1e-8 m/s, 200 iterations; failing problems go to the folder that the
    /// environment variable `STICTION_CONFORMANCE_DIR` names, else to `conformance` in the folder of
    /// build results that the program is in, else in that of temporary files.
    fn default() -> Self {
        Self {
            seed: 1,
            count: 3,
            tolerance: 1e-8,
            max_iterations: 200,
            folder: default_folder(),
        }
    }
}

fn default_folder() -> PathBuf {
    if let Some(folder) = std::env::var_os(FOLDER_VARIABLE) {
        return folder.into();
    }
    // Tests run in the folder of their package and are kept in that of build results, which cargo marks.
    let program = std::env::current_exe().unwrap_or_default();
    let results = program
        .ancestors()
        .find(|folder| folder.join("CACHEDIR.TAG").is_file());
    results
        .map_or_else(std::env::temp_dir, PathBuf::from)
        .join("conformance")
}
