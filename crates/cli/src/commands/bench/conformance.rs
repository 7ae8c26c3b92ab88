//! `stiction bench conformance`: what must never happen, looked for on random problems.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use clap::Args;
use rayon::prelude::*;
use stiction_conformance::{
    Examination, Finding, SweepSettings, draw_for_sweep, examine, save_problem,
};

use crate::Ending;
use crate::progress::Progress;
use crate::solvers;

/// Wall-clock time beyond which a solve is given up that looks neither at its clock nor at its flag,
/// in time limits.
const PATIENCE: u32 = 4;
/// Seeds listed of each finding.
const LISTED: usize = 12;

/// Options of `bench conformance`.
#[derive(Debug, Args)]
pub(crate) struct ConformanceArguments {
    /// Number of random problems
    #[arg(long, value_name = "COUNT", default_value_t = 1000)]
    pub(crate) count: u64,

    /// Seed of the first problem; the others follow
    #[arg(long, value_name = "SEED", default_value_t = 1000)]
    pub(crate) seed: u64,

    /// Solver to examine [default: canal]
    #[arg(long, value_name = "NAME")]
    pub(crate) solver: Option<String>,

    /// Print what was found as one JSON object
    #[arg(long)]
    pub(crate) json: bool,

    /// Folder for the problems that something was found about, as files for `stiction solve`
    #[arg(long, value_name = "FOLDER")]
    pub(crate) save: Option<PathBuf>,

    /// Processor time in seconds after which a solve is called endless
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub(crate) endless_after: u64,
}

/// Examines the solver on `count` problems and prints what it found.
pub(super) fn run(out: &mut dyn Write, arguments: &ConformanceArguments) -> anyhow::Result<Ending> {
    let name = arguments.solver.as_deref().unwrap_or(solvers::DEFAULT);
    solvers::make(name)?;
    let settings = SweepSettings {
        time_limit: Duration::from_secs(arguments.endless_after),
        ..SweepSettings::default()
    };
    let start = Instant::now();
    let mut found = sweep(name, &settings, arguments.seed, arguments.count);
    let time = start.elapsed();
    found.sort_by_key(|examination| examination.seed);
    if let Some(folder) = &arguments.save {
        save(folder, name, &settings, &found)?;
    }
    if arguments.json {
        writeln!(out, "{}", as_json(name, arguments, time, &found))?;
    } else {
        print(out, name, arguments, time, &found)?;
        if let Some(folder) = &arguments.save {
            writeln!(out, "problems are in {}", folder.display())?;
        }
    }
    let is_fine = found.iter().all(|one| one.findings.is_empty());
    Ok(if is_fine {
        Ending::Fine
    } else {
        Ending::NotConverged
    })
}

/// Examines all seeds on all cores. A solve that never looks at its clock cannot be ended: it is
/// given up, and its thread with it.
fn sweep(name: &str, settings: &SweepSettings, seed: u64, count: u64) -> Vec<Examination> {
    let (sender, receiver) = channel();
    let running = std::sync::Arc::new(Mutex::new(Vec::<(u64, Instant)>::new()));
    let worker = {
        let (name, settings, running) = (name.to_owned(), settings.clone(), running.clone());
        move || {
            (seed..seed.saturating_add(count))
                .into_par_iter()
                .for_each_with(sender, |sender, seed| {
                    let make = || solvers::make(&name).expect("a name that was checked");
                    if let Ok(mut running) = running.lock() {
                        running.push((seed, Instant::now()));
                    }
                    let examination = examine(&settings, seed, &make);
                    if let Ok(mut running) = running.lock() {
                        running.retain(|(other, _)| *other != seed);
                    }
                    // Nobody listens any more when the sweep was given up.
                    let _ = sender.send(examination);
                });
        }
    };
    std::thread::spawn(worker);
    let progress = Progress::start(usize::try_from(count).unwrap_or(usize::MAX));
    progress.show(name);
    let mut found = Vec::new();
    let mut given_up: Vec<u64> = Vec::new();
    loop {
        match receiver.recv_timeout(Duration::from_secs(1)) {
            Ok(examination) => {
                progress.advance(1);
                if !given_up.contains(&examination.seed) {
                    found.push(examination);
                }
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                let Ok(running) = running.lock() else { break };
                let is_late = |since: &Instant| since.elapsed() > settings.time_limit * PATIENCE;
                for (seed, _) in running.iter().filter(|(_, since)| is_late(since)) {
                    if !given_up.contains(seed) {
                        given_up.push(*seed);
                        found.push(endless(settings, *seed));
                    }
                }
                // Every core is lost to a solve that does not end.
                if !running.is_empty()
                    && given_up.len() >= rayon::current_num_threads()
                    && running.iter().all(|(seed, _)| given_up.contains(seed))
                {
                    break;
                }
            }
        }
        // What is left hangs on solves that were given up.
        if found.len() as u64 >= count {
            break;
        }
    }
    progress.finish();
    found
}

/// What is known of a solve that was given up.
fn endless(settings: &SweepSettings, seed: u64) -> Examination {
    let drawn = draw_for_sweep(settings, seed);
    Examination {
        seed,
        is_plain: drawn.labels.is_plain,
        is_certified: drawn.certificate.is_some(),
        outcome: None,
        iterations: 0,
        time: settings.time_limit * PATIENCE,
        is_off_by_rounding: false,
        findings: vec![Finding::Endless],
    }
}

fn seeds_of(found: &[Examination], finding: usize) -> Vec<u64> {
    let has = |one: &&Examination| one.findings.iter().any(|other| other.index() == finding);
    found.iter().filter(has).map(|one| one.seed).collect()
}

fn print(
    out: &mut dyn Write,
    name: &str,
    arguments: &ConformanceArguments,
    time: Duration,
    found: &[Examination],
) -> std::io::Result<()> {
    let converged = |one: &&Examination| {
        let outcome = one.outcome.as_ref();
        outcome.is_some_and(|outcome| outcome.is_converged())
    };
    let share = |label: &str, of: &dyn Fn(&Examination) -> bool| {
        let all = found.iter().filter(|one| of(one)).count();
        let solved = found.iter().filter(|one| of(one)).filter(converged).count();
        format!("{label} {solved} of {all}")
    };
    writeln!(
        out,
        "{name} on {} of {} problems, seeds from {}, in {:.1} s",
        found.len(),
        arguments.count,
        arguments.seed,
        time.as_secs_f64()
    )?;
    writeln!(
        out,
        "converged: {}; {}; {}",
        share("plain", &|one| one.is_plain),
        share("certified", &|one| one.is_certified && !one.is_plain),
        share("others", &|one| !one.is_certified)
    )?;
    writeln!(
        out,
        "\n{:36} {:>6}  seeds",
        "what must never happen", "count"
    )?;
    for (index, finding) in Finding::NAMES.iter().enumerate() {
        let seeds = seeds_of(found, index);
        let listed: Vec<String> = seeds.iter().take(LISTED).map(u64::to_string).collect();
        let more = if seeds.len() > LISTED { " …" } else { "" };
        let line = format!(
            "{finding:36} {:>6}  {}{more}",
            seeds.len(),
            listed.join(" ")
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    let forgiven = found.iter().filter(|one| one.is_off_by_rounding).count();
    writeln!(
        out,
        "\nof the falsely converged, rounding may explain {forgiven}"
    )?;
    let slowest = found.iter().max_by_key(|one| one.time);
    if let Some(slowest) = slowest {
        writeln!(
            out,
            "slowest: seed {}, {:.2} s; one seed again: stiction bench conformance --count 1 --seed SEED",
            slowest.seed,
            slowest.time.as_secs_f64()
        )?;
    }
    let bad: Vec<&Examination> = found
        .iter()
        .filter(|one| !one.findings.is_empty())
        .collect();
    for one in bad.iter().take(LISTED) {
        for finding in &one.findings {
            writeln!(out, "seed {}: {finding}", one.seed)?;
        }
    }
    Ok(())
}

fn as_json(
    name: &str,
    arguments: &ConformanceArguments,
    time: Duration,
    found: &[Examination],
) -> serde_json::Value {
    let findings: serde_json::Map<String, serde_json::Value> = Finding::NAMES
        .iter()
        .enumerate()
        .map(|(index, finding)| ((*finding).to_owned(), seeds_of(found, index).into()))
        .collect();
    let problems: Vec<serde_json::Value> = found
        .iter()
        .map(|one| {
            let findings: Vec<String> = one.findings.iter().map(Finding::to_string).collect();
            serde_json::json!({
                "seed": one.seed,
                "plain": one.is_plain,
                "certified": one.is_certified,
                "outcome": one.outcome.as_ref().map(ToString::to_string),
                "iterations": one.iterations,
                "seconds": one.time.as_secs_f64(),
                "findings": findings,
            })
        })
        .collect();
    serde_json::json!({
        "solver": name,
        "seed": arguments.seed,
        "count": arguments.count,
        "seconds": time.as_secs_f64(),
        "findings": findings,
        "problems": problems,
    })
}

fn save(
    folder: &Path,
    solver: &str,
    settings: &SweepSettings,
    found: &[Examination],
) -> anyhow::Result<()> {
    for one in found.iter().filter(|one| !one.findings.is_empty()) {
        let what = Finding::NAMES[one.findings[0].index()];
        let name = format!("{solver} {} {what}", one.seed);
        save_problem(folder, &name, &draw_for_sweep(settings, one.seed).problem)?;
    }
    Ok(())
}
