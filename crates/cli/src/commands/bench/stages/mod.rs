//! `stiction bench stages`: what each stage of a solver's strategy is worth.

mod ablation_of;
mod arguments;
mod measure;
mod problems;
mod worth;

use std::io::Write;

use anyhow::Context;
use stiction_constraints::Budget;

pub(crate) use arguments::StagesArguments;
use measure::{Timed, solve_with_each};
use worth::{Tally, Worth};

use crate::progress::Progress;
use crate::simulate::Interrupt;
use crate::warm_start::Guess;
use crate::{Ending, explain};

/// Names of problems that are printed of each loss.
const MOST_NAMES: usize = 8;

pub(super) fn run(out: &mut dyn Write, arguments: &StagesArguments) -> anyhow::Result<Ending> {
    let stages = ablation_of::stages(arguments.solver);
    let choices = std::iter::once(None).chain(stages.iter().copied().map(Some));
    let mut solvers = choices
        .map(|without| ablation_of::make(arguments.solver, without).map(Timed::new))
        .collect::<Option<Vec<_>>>()
        .context("a stage of the list cannot be left out")?;
    let interrupt = Interrupt::listen();
    let budget = Budget {
        tolerance: arguments.tolerance,
        time_limit: Some(arguments.time_budget),
        stop: Some(interrupt.flag()),
        all_residuals: false,
        ..Budget::default()
    };
    let origins = problems::find(arguments);
    let mut tally = Tally::new(stages);
    let mut is_input_bad = origins.is_empty();
    let progress = Progress::start(origins.len());
    for origin in &origins {
        match origin.load() {
            Ok(Some(problem)) => {
                progress.show(problem.name());
                let guess = Guess::of(&problem).filter(|_| !arguments.cold);
                let solves = solve_with_each(&problem, &mut solvers, &budget, guess.as_ref());
                if interrupt.is_raised() {
                    progress.say("interrupted: what was measured so far follows");
                    break;
                }
                tally.add(problem.name(), &solves[0], &solves[1..]);
            }
            Ok(None) => {}
            Err(error) => {
                is_input_bad = true;
                progress.say(&explain(&error));
            }
        }
        progress.advance(1);
    }
    progress.finish();
    let name = stiction_constraints::Solver::name(&solvers[0]);
    if arguments.json {
        writeln!(out, "{}", tally.to_json(name, arguments.tolerance))?;
    } else {
        print(out, name, &tally)?;
    }
    Ok(match is_input_bad {
        true => Ending::BadInput,
        false => Ending::Fine,
    })
}

fn print(out: &mut dyn Write, solver: &str, tally: &Tally) -> std::io::Result<()> {
    let Tally {
        problems, solved, ..
    } = tally;
    writeln!(
        out,
        "{solver} with all stages: {solved} of {problems} solved"
    )?;
    print_names(out, "not solved", &tally.unsolved)?;
    if tally.stages.iter().all(|worth| worth.reached == 0) {
        writeln!(
            out,
            "its reports name no stages: reached, won and decades are not known"
        )?;
    }
    let width = tally.stages.iter().map(|w| w.stage.len()).max();
    let width = width.unwrap_or(0).max("stage".len());
    writeln!(
        out,
        "{:width$} {:>8} {:>6} {:>8} | {:>5} {:>7} {:>7} {:>7}",
        "stage", "reached", "won", "decades", "lost", "gained", "time", "iter"
    )?;
    for worth in &tally.stages {
        let Worth {
            stage,
            reached,
            won,
            decades,
            removal,
        } = worth;
        write!(
            out,
            "{stage:width$} {reached:>8} {won:>6} {decades:>8.1} | "
        )?;
        match removal {
            None => writeln!(out, "always part of it")?,
            Some(removal) => writeln!(
                out,
                "{:>5} {:>7} {:>7} {:>7}",
                removal.lost.len(),
                removal.gained.len(),
                ratio(removal.time_ratio),
                ratio(removal.iteration_ratio)
            )?,
        }
    }
    for worth in &tally.stages {
        if let Some(removal) = &worth.removal {
            let stage = &worth.stage;
            print_names(out, &format!("lost without {stage}"), &removal.lost)?;
            print_names(out, &format!("gained without {stage}"), &removal.gained)?;
        }
    }
    writeln!(
        out,
        "reached, won: problems in which the stage was entered, and solved problems whose answer is from \
         it; decades: by which it brought residuals down, in all. Right of the bar, without the stage: \
         problems lost and gained, and time and inner iterations over those with it, of what both solve."
    )
}

/// Two digits, or nothing where neither took anything.
fn ratio(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.2}"))
}

fn print_names(out: &mut dyn Write, what: &str, names: &[String]) -> std::io::Result<()> {
    if names.is_empty() {
        return Ok(());
    }
    let shown = names.iter().take(MOST_NAMES);
    let shown: Vec<&str> = shown.map(String::as_str).collect();
    let rest = match names.len() - shown.len() {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    writeln!(out, "{what}: {}{rest}", shown.join("; "))
}
