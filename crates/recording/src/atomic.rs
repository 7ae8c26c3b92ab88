//! Files that are there whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Error;

/// Writes `path` by way of a temporary file in the same folder, renamed once all of it is on disk.
///
/// When `write` or the operating system fails, `path` is as it was before and the temporary file
/// is removed.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<(), Error>,
) -> Result<(), Error> {
    let (file, guard) = create_beside(path).map_err(|error| Error::from(error).at(path))?;
    let outcome = (|| {
        let mut sink = BufWriter::new(file);
        write(&mut sink)?;
        sink.flush()?;
        sink.get_ref().sync_all()?;
        fs::rename(&guard.path, path)?;
        Ok(())
    })();
    match outcome {
        Ok(()) => {
            guard.keep();
            Ok(())
        }
        Err(error) => Err(Error::at(error, path)),
    }
}

/// A new file next to `path`, under a name that nothing else has.
fn create_beside(path: &Path) -> std::io::Result<(File, Temporary)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().ok_or_else(|| {
        std::io::Error::new(std::io::ErrorKind::InvalidInput, "the path names no file")
    })?;
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let mut temporary = std::ffi::OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}-{number}.part", std::process::id()));
        let temporary = path.with_file_name(temporary);
        match OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&temporary)
        {
            Ok(file) => return Ok((file, Temporary { path: temporary })),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Removes its file when dropped, unless it was renamed.
struct Temporary {
    path: PathBuf,
}

impl Temporary {
    fn keep(self) {
        std::mem::forget(self);
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // The error that led here is already on its way to the user; a failed removal adds nothing.
        let _ = fs::remove_file(&self.path);
    }
}
