//! What the sensors of a scene measure, as CSV.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use stiction_recording::create_in_place;
use stiction_scenes::Scene;
use stiction_sim::World;

use crate::commands::export::writable;

/// A CSV file with one row a step: time, then every sensor.
pub(crate) struct SensorLog {
    file: BufWriter<File>,
    has_header: bool,
}

impl SensorLog {
    /// Begins a file.
    pub(crate) fn create(path: &Path, scene: &Scene) -> anyhow::Result<Self> {
        anyhow::ensure!(
            scene.world.sensors().next().is_some(),
            "--sensors: the scene \"{}\" has no sensors",
            scene.name
        );
        let file = writable(path, create_in_place(path))?;
        Ok(Self {
            file: BufWriter::new(file),
            has_header: false,
        })
    }

    /// Adds a row.
    pub(crate) fn take(&mut self, world: &World) -> anyhow::Result<()> {
        if !self.has_header {
            self.has_header = true;
            write!(self.file, "time")?;
            for sensor in world.sensors() {
                let name = &world.sensor(sensor)?.name;
                let count = world.read_sensor(sensor)?.len();
                for index in 0..count {
                    write!(self.file, ",{}", column(name, index, count))?;
                }
            }
            writeln!(self.file)?;
        }
        write!(self.file, "{}", world.time())?;
        for sensor in world.sensors() {
            for value in world.read_sensor(sensor)?.iter() {
                write!(self.file, ",{value}")?;
            }
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
