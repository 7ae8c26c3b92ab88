//! The summary of a run, for people and for programs.

use std::io::{self, Write};

use serde_json::{Value, json};
use stiction_sim::JointErrors;

use super::series::{Sample, Series};

/// One line per quantity: mean, median, 99th percentile, largest.
pub(crate) fn print_summary(
    out: &mut dyn Write,
    scene: &str,
    solver: &str,
    series: &Series,
) -> io::Result<()> {
    let steps = series.count();
    let simulated = series.last().map_or(0.0, |last| last.time);
    writeln!(
        out,
        "{scene} with {solver}: {steps} steps, {simulated:.3} s simulated in {:.3} s, {:.2} × real time",
        series.wall_time(),
        series.real_time_factor()
    )?;
    writeln!(
        out,
        "{:<18}{:>12}{:>12}{:>12}{:>12}",
        "per step", "mean", "median", "99 %", "largest"
    )?;
    let line = |out: &mut dyn Write, label: &str, spread: [f64; 4], digits: fn(f64) -> String| {
        let [mean, median, high, largest] = spread.map(digits);
        writeln!(
            out,
            "{label:<18}{mean:>12}{median:>12}{high:>12}{largest:>12}"
        )
    };
    let plain: fn(f64) -> String = |value| format!("{value:.1}");
    let powers: fn(f64) -> String = |value| format!("{value:.1e}");
    let thousandths: fn(f64) -> String = |value| format!("{value:.3}");
    line(
        out,
        "time (ms)",
        series.spread(|s| 1e3 * s.stages.total()),
        thousandths,
    )?;
    line(
        out,
        "iterations",
        series.spread(|s| s.iterations as f64),
        plain,
    )?;
    line(out, "contacts", series.spread(|s| s.contacts as f64), plain)?;
    line(out, "residual (m/s)", series.spread(|s| s.residual), powers)?;
    line(
        out,
        "penetration (m)",
        series.spread(|s| s.penetration),
        powers,
    )?;
    for (label, quantity) in joint_errors() {
        let spread = series.spread(quantity);
        if spread[3] > 0.0 {
            line(out, label, spread, powers)?;
        }
    }
    let unconverged = series.unconverged();
    if unconverged > 0 {
        writeln!(
            out,
            "{unconverged} of {steps} steps did not reach the tolerance"
        )?;
    }
    let held = series.held();
    if held > 0 {
        writeln!(
            out,
            "in {held} of {steps} steps bodies overlap, or joints are beyond their limits, that nothing can push back; they are held as they are"
        )?;
    }
    if series.largest_joint_error() > JointErrors::LARGE {
        writeln!(
            out,
            "joints between bodies open by up to {:.2} of the size of their links",
            series.largest_joint_error()
        )?;
    }
    if let Some(last) = series.last() {
        let works = series.ledger().works();
        let works = works.iter().filter(|(_, work)| *work != 0.0);
        let works: Vec<String> = works
            .map(|(name, work)| format!("{name} {work:.3e}"))
            .collect();
        writeln!(
            out,
            "work (J): {}",
            match works.is_empty() {
                true => "none".to_owned(),
                false => works.join(", "),
            }
        )?;
        writeln!(
            out,
            "energy at the end: {:.4e} J kinetic, {:.4e} J potential",
            last.kinetic_energy, last.potential_energy
        )?;
    }
    Ok(())
}

/// Share of each stage in the time of all steps.
pub(crate) fn print_profile(out: &mut dyn Write, series: &Series) -> io::Result<()> {
    let total = series.wall_time();
    for (label, stage) in stages() {
        let time: f64 = series.total(stage);
        let share = if total > 0.0 {
            100.0 * time / total
        } else {
            0.0
        };
        writeln!(out, "{label:<12}{share:>6.1} %{:>12.3} s", time)?;
    }
    Ok(())
}

type Stage = fn(&Sample) -> f64;

fn joint_errors() -> [(&'static str, Stage); 2] {
    [
        ("joint error (m)", |s| s.joint_distance),
        ("joint error (rad)", |s| s.joint_angle),
    ]
}

fn stages() -> [(&'static str, Stage); 5] {
    [
        ("control", |s| s.stages.control),
        ("detect", |s| s.stages.detect),
        ("assemble", |s| s.stages.assemble),
        ("solve", |s| s.stages.solve),
        ("integrate", |s| s.stages.integrate),
    ]
}

/// The summary as one JSON object.
pub(crate) fn summary_json(scene: &str, solver: &str, series: &Series, outcome: &str) -> Value {
    let spread = |value: fn(&Sample) -> f64| {
        let [mean, median, high, largest] = series.spread(value);
        json!({"mean": mean, "median": median, "p99": high, "max": largest})
    };
    let mut profile = serde_json::Map::new();
    for (label, stage) in stages() {
        let time: f64 = series.total(stage);
        profile.insert(label.to_owned(), json!(time));
    }
    let mut works = serde_json::Map::new();
    for (name, work) in series.ledger().works() {
        works.insert(name.to_owned(), json!(work));
    }
    let last = series.last();
    json!({
        "scene": scene,
        "solver": solver,
        "outcome": outcome,
        "steps": series.count(),
        "simulated_s": last.map_or(0.0, |s| s.time),
        "wall_s": series.wall_time(),
        "real_time_factor": series.real_time_factor(),
        "step_time_s": spread(|s| s.stages.total()),
        "iterations": spread(|s| s.iterations as f64),
        "substeps": spread(|s| s.substeps as f64),
        "contacts": spread(|s| s.contacts as f64),
        "residual_m_per_s": spread(|s| s.residual),
        "penetration_m": spread(|s| s.penetration),
        "joint_error_m": spread(|s| s.joint_distance),
        "joint_error_rad": spread(|s| s.joint_angle),
        "joint_error_relative": series.largest_joint_error(),
        "work_j": works,
        "energy_change_j": series.ledger().change,
        "energy_gained_j": series.largest_gain(),
        "energy_gain": series.gain().map(|gain| json!({
            "time_s": gain.time,
            "since_s": gain.since,
            "gained_j": gain.gained,
            "bodies": gain.bodies,
        })),
        "unconverged_steps": series.unconverged(),
        "delayed_push_steps": series.held(),
        "kinetic_energy_j": last.map_or(0.0, |s| s.kinetic_energy),
        "potential_energy_j": last.map_or(0.0, |s| s.potential_energy),
        "stages_s": profile,
    })
}
