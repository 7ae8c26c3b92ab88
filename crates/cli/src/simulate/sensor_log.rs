//! What the sensors of a scene measure, as CSV.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::Context;
use stiction_scenes::Scene;

use crate::commands::export::unwritable;

/// A CSV file with one row a step: time, then every sensor.
pub(crate) struct SensorLog {
    file: BufWriter<File>,
    has_header: bool,
}

impl SensorLog {
    /// Begins a file.
    pub(crate) fn create(path: &Path, scene: &Scene) -> anyhow::Result<Self> {
        anyhow::ensure!(
            scene.sensor_names().next().is_some(),
            "--sensors: the scene \"{}\" has no sensors",
            scene.name
        );
        let file = File::create(path).with_context(|| unwritable(path))?;
        Ok(Self {
            file: BufWriter::new(file),
            has_header: false,
        })
    }

    /// Adds a row.
    pub(crate) fn take(&mut self, scene: &mut Scene) -> anyhow::Result<()> {
        let time = scene.world.time();
        let readings = scene.read_sensors()?;
        if !self.has_header {
            self.has_header = true;
            write!(self.file, "time")?;
            for (name, values) in &readings {
                for index in 0..values.len() {
                    write!(self.file, ",{}", column(name, index, values.len()))?;
                }
            }
            writeln!(self.file)?;
        }
        write!(self.file, "{time}")?;
        for value in readings.iter().flat_map(|(_, values)| values) {
            write!(self.file, ",{value}")?;
        }
        Ok(writeln!(self.file)?)
    }

    /// Ends the file.
    pub(crate) fn finish(mut self) -> anyhow::Result<()> {
        Ok(self.file.flush()?)
    }
}

/// Name of a column: the sensor's, numbered where it measures several values.
fn column(name: &str, index: usize, count: usize) -> String {
    let plain = name.replace([',', '"', '\n'], " ");
    match count {
        1 => plain,
        _ => format!("{plain}[{index}]"),
    }
}
