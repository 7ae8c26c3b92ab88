//! The formats, one file each: recognised by content when read, chosen by name and kind when written.

mod contact_json;
pub mod fclib;
mod matrices_json;
mod native;

use std::path::Path;

use serde::Deserialize;

use crate::content::ProblemFile;
use crate::error::{ProblemFileError, Refusal};

/// Reads a problem file, recognising its format by content. A file that does not name its problem
/// gives it its own name.
///
/// # Errors
/// A file that cannot be read, is malformed, or holds an impossible problem; the error names the
/// file, the element and the reason.
pub fn read(path: impl AsRef<Path>) -> Result<ProblemFile, ProblemFileError> {
    let path = path.as_ref();
    let file = path.display().to_string();
    let bytes = bounded(path).map_err(|source| ProblemFileError::Read {
        file: file.clone(),
        source,
    })?;
    let mut problem = parse_bytes(&bytes, &file)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = match &mut problem {
        ProblemFile::Local(local) => &mut local.origin.name,
        ProblemFile::Global(global) => &mut global.origin.name,
        ProblemFile::Full(full) => &mut full.name,
    };
    if name.is_empty() {
        *name = stem.into_owned();
    }
    Ok(problem)
}

/// Largest problem file, bytes: a mistyped path must not fill the memory.
pub const LARGEST_FILE: u64 = 1 << 30;

/// What is in a file. Devices and pipes have no size and may have no end.
fn bounded(path: &Path) -> std::io::Result<Vec<u8>> {
    let metadata = std::fs::metadata(path)?;
    let refuse = |reason: String| Err(std::io::Error::other(reason));
    match metadata.len() {
        _ if !metadata.is_file() => refuse("it is not a file".to_owned()),
        size if size > LARGEST_FILE => {
            refuse(format!("it has {size} bytes, more than {LARGEST_FILE}"))
        }
        _ => std::fs::read(path),
    }
}

/// Reads a problem from the content of a file; `file` names it in errors.
///
/// # Errors
/// As [`read`].
pub fn parse_bytes(bytes: &[u8], file: &str) -> Result<ProblemFile, ProblemFileError> {
    parse(bytes).map_err(|refusal| refusal.in_file(file))
}

/// The fields by which JSON formats are told apart.
#[derive(Deserialize)]
struct Marks {
    kind: Option<serde_json::Value>,
    schema: Option<serde_json::Value>,
    format: Option<serde_json::Value>,
}

fn parse(bytes: &[u8]) -> Result<ProblemFile, Refusal> {
    if hdf5_pure::is_hdf5_bytes(bytes) {
        return fclib::parse(bytes);
    }
    let marks: Marks = serde_json::from_slice(bytes)?;
    let is = |mark: &Option<serde_json::Value>, names: &[&str]| {
        let text = mark.as_ref().and_then(serde_json::Value::as_str);
        text.is_some_and(|text| names.contains(&text))
    };
    if is(&marks.format, &[native::FORMAT]) {
        native::parse(bytes)
    } else if is(&marks.schema, &matrices_json::SCHEMAS) {
        matrices_json::parse(bytes)
    } else if marks.kind.is_some() {
        contact_json::parse(bytes)
    } else {
        Err(Refusal::UnknownFormat {
            reason: format!(
                "it is JSON, but has neither \"kind\" (\"local\" or \"global\"), nor \"schema\" \
                 (\"{}\"), nor \"format\" (\"{}\")",
                matrices_json::SCHEMAS[0],
                native::FORMAT
            ),
        })
    }
}

/// Writes a problem: local and global ones as FCLIB HDF5 when the name ends in `.h5` or `.hdf5`,
/// as contact JSON otherwise; full ones as our own JSON.
///
/// # Errors
/// A file that cannot be written, or a full problem that is to be written as HDF5.
pub fn write(path: impl AsRef<Path>, problem: &ProblemFile) -> Result<(), ProblemFileError> {
    let path = path.as_ref();
    let bytes = to_bytes(path, problem)?;
    std::fs::write(path, bytes).map_err(|source| ProblemFileError::Write {
        file: path.display().to_string(),
        source,
    })
}

/// What [`write()`] writes.
///
/// # Errors
/// A full problem that is to be written as HDF5.
pub fn to_bytes(path: &Path, problem: &ProblemFile) -> Result<Vec<u8>, ProblemFileError> {
    let extension = path.extension().unwrap_or_default();
    let is_hdf5 = ["h5", "hdf5"].iter().any(|name| extension == *name);
    match problem {
        ProblemFile::Full(_) if is_hdf5 => Err(Refusal::element(
            "format",
            "FCLIB holds only local and global contact problems, write this one as .json",
        )),
        ProblemFile::Local(_) | ProblemFile::Global(_) if is_hdf5 => fclib::to_bytes(problem, None),
        ProblemFile::Local(local) => contact_json::local_to_json(local).map_err(Refusal::from),
        ProblemFile::Global(global) => contact_json::global_to_json(global).map_err(Refusal::from),
        ProblemFile::Full(full) => native::to_json(full).map_err(Refusal::from),
    }
    .map_err(|refusal| refusal.in_file(&path.display().to_string()))
}
