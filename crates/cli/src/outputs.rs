//! Files that commands write: none twice, and none that the same command reads.

use std::path::{Path, PathBuf};

use stiction_recording::{check_target, is_same_file};

use crate::arguments::RunArguments;
use crate::commands::export::writable;
use crate::simulate::is_file;

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

/// Where a run writes what.
pub(crate) struct Outputs {
    pub(crate) record: Option<PathBuf>,
    pub(crate) html: Option<PathBuf>,
    pub(crate) csv: Option<PathBuf>,
    pub(crate) plot: Option<PathBuf>,
    pub(crate) sensors: Option<PathBuf>,
}

impl Outputs {
    pub(crate) fn choose(arguments: &RunArguments) -> Self {
        let or_default = |named: &Option<PathBuf>, ending: &str| match named {
            Some(path) => Some(path.clone()),
            None if arguments.no_output => None,
            None => Some(output(&arguments.scene.scene, ending)),
        };
        Self {
            record: or_default(&arguments.record, ".stic"),
            html: or_default(&arguments.html, ".html"),
            csv: arguments.csv.clone(),
            plot: arguments.plot.clone(),
            sensors: arguments.sensors.clone(),
        }
    }

    /// What to say of an interrupted run, for the end of which some files were `missing` the time.
    pub(crate) fn interrupted(&self, missing: &[PathBuf]) -> String {
        let (Some(record), false) = (&self.record, missing.is_empty()) else {
            return "interrupted: what was simulated so far is written".to_owned();
        };
        let record = record.display();
        let names: Vec<String> = missing
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        let mut words = format!(
            "interrupted: what was simulated so far is in {record}; there was no time for {}",
            names.join(", ")
        );
        let made = [("--html", &self.html), ("--csv", &self.csv)];
        let made = made
            .iter()
            .filter_map(|(option, path)| Some((option, path.as_ref()?)))
            .filter(|(_, path)| missing.contains(path));
        let made: Vec<String> = made
            .map(|(option, path)| format!("{option} {}", path.display()))
            .collect();
        if !made.is_empty() {
            words += &format!(": `stiction export {record} {}`", made.join(" "));
        }
        words
    }

    /// Refuses what cannot be written, is written twice, or is the file of the scene.
    pub(crate) fn check(&self, scene: &str) -> anyhow::Result<()> {
        let named = [
            ("--record", &self.record),
            ("--html", &self.html),
            ("--csv", &self.csv),
            ("--plot", &self.plot),
            ("--sensors", &self.sensors),
        ];
        let writes = named
            .iter()
            .filter_map(|(word, path)| Some((*word, path.as_deref()?)));
        let writes: Vec<(&str, &Path)> = writes.collect();
        let reads: &[&Path] = match is_file(scene) {
            true => &[Path::new(scene)],
            false => &[],
        };
        check(reads, &writes)
    }
}

/// A file in the current folder, called after a built-in scene or after the file of a scene.
pub(crate) fn output(scene: &str, ending: &str) -> PathBuf {
    let stem = match is_file(scene) {
        true => Path::new(scene).file_stem().unwrap_or_default(),
        false => scene.as_ref(),
    };
    let mut name = stem.to_owned();
    name.push(ending);
    PathBuf::from(name)
}
