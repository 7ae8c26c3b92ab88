//! `stiction solve`.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use stiction_constraints::Budget;

use crate::arguments::SolveArguments;
use crate::input::Source;
use crate::progress::Progress;
use crate::simulate::Interrupt;
use crate::solve::{Record, plot, solve};
use crate::warm_start::{Guess, WarmStarts};
use crate::{Ending, complain, explain, input, json_lines, outputs, solvers, table};

pub(crate) fn run(arguments: &SolveArguments) -> anyhow::Result<Ending> {
    let names = solvers::choose(&arguments.solver)?;
    let warm_starts = match &arguments.warm_start {
        Some(path) => WarmStarts::read(path)?,
        None => WarmStarts::default(),
    };
    let found = input::find(&arguments.inputs);
    for problem in &found.unusable {
        complain(problem);
    }
    let sources = found.sources;
    if sources.is_empty() && found.unusable.is_empty() {
        anyhow::bail!("no problem files found: give files, or directories that hold .json or .h5");
    }
    if let Some(path) = &arguments.plot {
        let mut reads: Vec<&Path> = sources.iter().filter_map(Source::path).collect();
        reads.extend(arguments.warm_start.as_deref());
        outputs::check(&reads, &[("--plot", path)])?;
    }
    let interrupt = Interrupt::listen_while_loading();
    let budget = Budget {
        tolerance: arguments.tolerance,
        max_iterations: arguments.max_iterations,
        time_limit: arguments.time_budget,
        stop: Some(interrupt.flag()),
        rescue: !arguments.no_rescue,
        // The convergence plot shows one problem; a profile needs no histories.
        record_history: arguments.plot.is_some() && sources.len() == 1,
        ..Budget::default()
    };

    let mut is_input_bad = !found.unusable.is_empty();
    let mut records: Vec<Record> = Vec::new();
    let progress = Progress::start(sources.len() * names.len());
    'sources: for source in &sources {
        let problem = match source.load() {
            Ok(Some(problem)) => problem,
            // Directories may hold other things than problems.
            Ok(None) => {
                progress.say(&format!("skipped {source}, it holds no problem"));
                progress.advance(names.len());
                continue;
            }
            Err(error) => {
                is_input_bad = true;
                progress.say(&explain(&error));
                progress.advance(names.len());
                continue;
            }
        };
        interrupt.stopped();
        let own_guess = Guess::of(&problem).filter(|_| !arguments.cold);
        for name in &names {
            progress.show(&format!("{} with {name}", problem.name()));
            let guess = warm_starts.find(problem.name(), name);
            let guess = guess.or(own_guess.as_ref());
            let record = solve(&problem, name, &budget, arguments.criterion, guess)?;
            if arguments.json {
                let line = json_lines::answer(&record, &budget);
                writeln!(std::io::stdout(), "{line}")?;
            }
            records.push(record);
            progress.advance(1);
            if interrupt.is_raised() {
                progress.say("interrupted: what was solved so far follows");
                break 'sources;
            }
        }
    }
    progress.finish();

    if arguments.matrix {
        table::print_matrix(&mut std::io::stdout().lock(), &records, &names)?;
    } else if !arguments.json {
        table::print(&mut std::io::stdout().lock(), &records, &names)?;
    }
    if let Some(path) = &arguments.plot
        && !records.is_empty()
    {
        plot::draw(path, &records, &names, &budget)
            .with_context(|| format!("{}: the plot cannot be written", path.display()))?;
    }
    let is_all_converged =
        !interrupt.is_raised() && records.iter().all(|r| r.report.outcome.is_converged());
    Ok(if is_input_bad {
        Ending::BadInput
    } else if is_all_converged {
        Ending::Fine
    } else {
        Ending::NotConverged
    })
}
