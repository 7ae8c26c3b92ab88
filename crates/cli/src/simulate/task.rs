//! What became of the task of a scene, for people and for programs.

use std::io::Write;

use serde_json::{Map, Value, json};
use stiction_scenes::Scene;

/// Whether the task is done, why not, and what was measured; nothing where the scene is no task.
pub(crate) fn print_task(out: &mut dyn Write, scene: &Scene) -> anyhow::Result<()> {
    let Some(task) = &scene.task else {
        return Ok(());
    };
    let verdict = task.verdict(&scene.world)?;
    let how = match verdict.is_done() {
        true => "done".to_owned(),
        false => format!("not done: {}", verdict.failures.join("; ")),
    };
    writeln!(out, "task {how}")?;
    for measure in &verdict.measures {
        let unit = match measure.unit {
            "1" => "",
            unit => unit,
        };
        writeln!(
            out,
            "  {:<26}{:.4} {unit}",
            measure.name,
            Short(measure.value)
        )?;
    }
    Ok(())
}

/// The same as JSON; null where the scene is no task.
pub(crate) fn task_json(scene: &Scene) -> anyhow::Result<Value> {
    let Some(task) = &scene.task else {
        return Ok(Value::Null);
    };
    let verdict = task.verdict(&scene.world)?;
    let measures = verdict.measures.iter();
    let measures: Map<String, Value> = measures
        .map(|measure| (measure.name.to_owned(), json!(measure.value)))
        .collect();
    Ok(json!({
        "done": verdict.is_done(),
        "failures": verdict.failures,
        "measures": measures,
    }))
}

/// A number with as many digits as are needed: powers of ten where it is small.
struct Short(f64);

impl std::fmt::Display for Short {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits = out.precision().unwrap_or(3);
        match self.0 == 0.0 || self.0.abs() >= 1e-2 {
            true => write!(out, "{:.digits$}", self.0),
            false => write!(out, "{:.1e}", self.0),
        }
    }
}
