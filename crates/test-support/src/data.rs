//! Small data of our own making, in `crates/test-support/data`; each folder holds the script that wrote it.
//!
//! | folder | what |
//! |---|---|
//! | `vectors` | problems A, b, J with laws whose solution is known by hand |
//! | `problems` | contact problems as others publish them, and the residuals of r = 0 |
//! | `robots` | URDF with meshes, and Pinocchio's values |

use std::path::{Path, PathBuf};

/// The folder of that name.
pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("data")
        .join(name)
}

/// Every file in a folder and in those inside it whose name ends in `.extension` (in any case), sorted.
///
/// # Panics
/// If there is none: a test that compares nothing would pass.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|e| e.eq_ignore_ascii_case(extension))
            {
                found.push(path);
            }
        }
    }
    assert!(
        !found.is_empty(),
        "no .{extension} file in {}",
        folder.display()
    );
    found.sort();
    found
}
