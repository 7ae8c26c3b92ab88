//! Files that commands write: none twice, and none that the same command reads.

use std::path::Path;

use stiction_recording::{check_target, is_same_file};

use crate::commands::export::writable;

/// Finds out now, not after an hour, that something cannot be written or would harm what is read; `writes` are
/// files with the words that asked for them.
pub(crate) fn check(reads: &[&Path], writes: &[(&str, &Path)]) -> anyhow::Result<()> {
    for (index, &(word, path)) in writes.iter().enumerate() {
        anyhow::ensure!(
            !reads.iter().any(|read| is_same_file(read, path)),
            "{word}: {} is what is read; name another file",
            path.display()
        );
        let earlier = writes[..index].iter();
        if let Some((other, _)) = earlier
            .into_iter()
            .find(|(_, other)| is_same_file(other, path))
        {
            anyhow::bail!(
                "{other} and {word} both write {}; name another file for one of them",
                path.display()
            );
        }
        writable(path, check_target(path))?;
    }
    Ok(())
}
