//! Files that are there whole or not at all, and nothing harmed on the way.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{BufWriter, Error as OsError, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Error;

/// What there is where something is to be written.
enum Target {
    /// Nothing, or a file that may be replaced: where it is once symbolic links are followed, and what
    /// is there already.
    File(PathBuf, Option<Metadata>),
    /// A pipe or a device such as a terminal, which takes what is written and keeps nothing.
    Stream,
    /// What this program has open under this number: `/dev/stdout`, `/dev/fd/3`. It may be a file that
    /// somebody appends to.
    Open(u32),
}

/// Writes `path` by way of a temporary file in the same folder, renamed once all of it is on disk.
///
/// When `write` or the operating system fails, `path` is as it was before and the temporary file
/// is removed. A symbolic link stays one: the file that it leads to is replaced, and keeps its
/// permissions. Pipes and character devices are written through; a pipe waits for whoever reads it.
///
/// # Errors
/// Folders, read-only files (for the superuser too), disks and sockets; what `write` and the operating
/// system refuse.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<(), Error>,
) -> Result<(), Error> {
    let at = |error: Error| error.at(path);
    let whole = |mut sink: BufWriter<File>| -> Result<File, Error> {
        write(&mut sink)?;
        sink.flush()?;
        sink.into_inner()
            .map_err(|error| Error::Stream(error.into_error()))
    };
    match target(path).map_err(|error| at(error.into()))? {
        Target::Stream => {
            let stream = OpenOptions::new().write(true).open(path);
            let stream = stream.map_err(|error| at(error.into()))?;
            whole(BufWriter::new(stream)).map_err(at)?;
            Ok(())
        }
        Target::Open(number) => {
            let stream = open_again(path, number).map_err(|error| at(error.into()))?;
            whole(BufWriter::new(stream)).map_err(at)?;
            Ok(())
        }
        Target::File(place, existing) => {
            let (file, guard) =
                create_beside(&place, existing.as_ref()).map_err(|error| at(error.into()))?;
            let outcome = (|| {
                whole(BufWriter::new(file))?.sync_all()?;
                Ok(guard.rename(&place)?)
            })();
            outcome.map_err(at)
        }
    }
}

/// Opens an empty file that is written while something runs, in place of what is there; else under the
/// rules of [`write_atomically`].
///
/// # Errors
/// As [`write_atomically`].
pub fn create_in_place(path: &Path) -> Result<File, Error> {
    let open = || match target(path)? {
        Target::Stream => OpenOptions::new().write(true).open(path),
        Target::Open(number) => open_again(path, number),
        Target::File(place, existing) => {
            // A new file: what has other names (hard links) keeps its content under these.
            let (file, guard) = create_beside(&place, existing.as_ref())?;
            guard.rename(&place)?;
            Ok(file)
        }
    };
    open().map_err(|error| Error::from(error).at(path))
}

/// Refuses now what [`write_atomically`] would refuse later, without writing anything.
///
/// # Errors
/// As [`write_atomically`], and a folder that is not there.
pub fn check_target(path: &Path) -> Result<(), Error> {
    let check = || match target(path)? {
        Target::Stream | Target::Open(_) => Ok(()),
        Target::File(place, _) => match fs::metadata(folder_of(&place))?.is_dir() {
            true => Ok(()),
            false => Err(OsError::new(ErrorKind::NotADirectory, "it is in no folder")),
        },
    };
    check().map_err(|error| Error::from(error).at(path))
}

/// Whether two paths lead to one file, be it there yet or not. Pipes and devices are no files in this
/// sense: they take what comes from several.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| match target(path).ok()? {
        Target::File(place, _) => {
            let folder = fs::canonicalize(folder_of(&place)).ok()?;
            Some(folder.join(place.file_name()?))
        }
        Target::Stream | Target::Open(_) => None,
    };
    // What may not be written is still a file that is read.
    let place =
        |path: &Path| place(path).or_else(|| fs::canonicalize(path).ok().filter(|p| p.is_file()));
    matches!((place(a), place(b)), (Some(a), Some(b)) if a == b)
}

/// Finds out what is to be written.
fn target(path: &Path) -> std::io::Result<Target> {
    let refuse = |kind, reason: &str| Err(OsError::new(kind, reason));
    if let Some(number) = open_stream(path) {
        return Ok(Target::Open(number));
    }
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Ok(Target::File(end_of_links(path)?, None));
        }
        Err(error) => return Err(error),
    };
    if metadata.is_dir() {
        return refuse(ErrorKind::IsADirectory, "it is a folder");
    }
    if metadata.is_file() {
        // The superuser may write it all the same, but whoever made it read-only meant it.
        if metadata.permissions().readonly() {
            return refuse(ErrorKind::PermissionDenied, "it is read-only");
        }
        return Ok(Target::File(fs::canonicalize(path)?, Some(metadata)));
    }
    match is_stream(&metadata) {
        true => Ok(Target::Stream),
        false => refuse(
            ErrorKind::InvalidInput,
            "it is neither a file nor a pipe or terminal",
        ),
    }
}

/// Whether writing to it harms nothing: a pipe, or a device that is no disk.
#[cfg(unix)]
fn is_stream(metadata: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.file_type().is_fifo() || metadata.file_type().is_char_device()
}

#[cfg(not(unix))]
fn is_stream(_: &Metadata) -> bool {
    false
}

/// As many symbolic links as Linux follows.
const MOST_LINKS: usize = 40;

/// The number under which this program has open what a path stands for.
fn open_stream(path: &Path) -> Option<u32> {
    let own = PathBuf::from(format!("/proc/{}/fd", std::process::id()));
    let mut at = path.to_owned();
    for _ in 0..MOST_LINKS {
        if fs::canonicalize(folder_of(&at)).ok()? == own {
            return at.file_name()?.to_str()?.parse().ok();
        }
        at = folder_of(&at).join(fs::read_link(&at).ok()?);
    }
    None
}

/// Goes on with what is open already: standard output and error where they are, others at their end.
#[cfg(unix)]
fn open_again(path: &Path, number: u32) -> std::io::Result<File> {
    use std::os::fd::AsFd;
    let own = match number {
        1 => {
            std::io::stdout().flush()?;
            std::io::stdout().as_fd().try_clone_to_owned()?
        }
        2 => std::io::stderr().as_fd().try_clone_to_owned()?,
        _ => return OpenOptions::new().append(true).open(path),
    };
    Ok(File::from(own))
}

#[cfg(not(unix))]
fn open_again(path: &Path, _: u32) -> std::io::Result<File> {
    OpenOptions::new().append(true).open(path)
}

/// Where a path leads that leads to nothing yet: links may point to a file that is still to be made.
fn end_of_links(path: &Path) -> std::io::Result<PathBuf> {
    let mut at = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = fs::read_link(&at) else {
            return Ok(at);
        };
        at = folder_of(&at).join(next);
    }
    Err(OsError::new(
        ErrorKind::InvalidInput,
        "its symbolic links lead nowhere",
    ))
}

/// The folder of a path; the current one for a bare name.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A new file next to `path`, under a name that nothing else has, with the permissions of what is to be
/// replaced.
fn create_beside(path: &Path, existing: Option<&Metadata>) -> std::io::Result<(File, Temporary)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    if path.file_name().is_none() {
        return Err(OsError::new(
            ErrorKind::InvalidInput,
            "the path names no file",
        ));
    }
    loop {
        // Short, whatever the file is called: names have a longest length.
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!(".stiction-{}-{number}.part", std::process::id());
        let temporary = path.with_file_name(name);
        match Temporary::begin(temporary) {
            Ok((file, guard)) => {
                // What only its owner may read stays so.
                if let Some(existing) = existing {
                    file.set_permissions(existing.permissions())?;
                }
                return Ok((file, guard));
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Temporary files of this program; `None` once all are given up.
static UNFINISHED: Mutex<Option<Vec<PathBuf>>> = Mutex::new(Some(Vec::new()));

fn unfinished() -> MutexGuard<'static, Option<Vec<PathBuf>>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes what [`write_atomically`] has begun on any thread and not ended, and lets nothing be written so any
/// more: for a program that is about to end.
pub fn give_up_unfinished() {
    for path in unfinished().take().into_iter().flatten() {
        // The program ends; a failed removal adds nothing.
        let _ = fs::remove_file(path);
    }
}

/// A file that is removed when this is dropped, unless it was renamed.
struct Temporary {
    path: PathBuf,
}

impl Temporary {
    fn begin(path: PathBuf) -> std::io::Result<(File, Self)> {
        let mut all = unfinished();
        let all = all.as_mut().ok_or_else(given_up)?;
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)?;
        all.push(path.clone());
        Ok((file, Self { path }))
    }

    fn rename(self, place: &Path) -> std::io::Result<()> {
        let mut all = unfinished();
        let all = all.as_mut().ok_or_else(given_up)?;
        fs::rename(&self.path, place)?;
        all.retain(|path| *path != self.path);
        std::mem::forget(self);
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(all) = &mut *unfinished() {
            all.retain(|path| *path != self.path);
            // The error that led here is already on its way to the user; a failed removal adds nothing.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn given_up() -> OsError {
    OsError::new(ErrorKind::Interrupted, "the program ends")
}
