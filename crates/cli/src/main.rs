//! The command `stiction`: simulate scenes, solve contact problems, compare solvers.
//!
//! In the book: [commands][book].
//!
//! [book]: ../../book/reference/commands.html

mod arguments;
mod commands;
mod deformables;
mod input;
mod json_lines;
mod model_arguments;
mod outputs;
mod progress;
mod simulate;
mod solve;
mod solvers;
mod table;
mod warm_start;

use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use arguments::{Arguments, Command};

/// How a command ended; becomes the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// Everything converged: 0.
    Fine,
    /// Something did not converge, or a step failed: 1.
    NotConverged,
    /// Some input could not be read: 2.
    BadInput,
}

fn main() -> ExitCode {
    let matches = numbers_may_be_negative(Arguments::command()).get_matches();
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let ending = match arguments.command {
        Command::Run(arguments) => commands::run::run(&arguments),
        Command::Scenes => commands::scenes::run(),
        Command::View(arguments) => commands::view::run(&arguments),
        Command::Compare(arguments) => commands::compare::run(&arguments),
        Command::Export(arguments) => commands::export::run(&arguments),
        Command::Solve(arguments) => commands::solve::run(&arguments),
        Command::Solvers(arguments) => commands::solvers::run(&arguments),
        Command::Bench(subject) => commands::bench::run(&subject),
        Command::Inspect(arguments) => commands::inspect::run(&arguments),
        Command::Convert(arguments) => commands::convert::run(&arguments),
        Command::Reproduce(arguments) => commands::reproduce::run(&arguments),
        Command::Completions { shell } => commands::completions::run(shell),
    };
    match ending {
        Ok(Ending::Fine) => ExitCode::SUCCESS,
        Ok(Ending::NotConverged) => ExitCode::from(1),
        Ok(Ending::BadInput) => ExitCode::from(2),
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&explain(&error));
            ExitCode::from(2)
        }
    }
}

/// Lets `--seed -1` be a number that is refused with a reason, not an option that nobody knows.
fn numbers_may_be_negative(command: clap::Command) -> clap::Command {
    command
        .mut_args(|argument| match argument.get_action().takes_values() {
            true => argument.allow_negative_numbers(true),
            false => argument,
        })
        .mut_subcommands(numbers_may_be_negative)
}

/// An error and what led to it, each said once: some causes are part of what they caused already.
fn explain(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.ends_with(&cause) {
            continue;
        }
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(&cause);
    }
    text
}

/// Says something on standard error. Where nobody listens, nothing is lost.
fn complain(message: &str) {
    let _ = writeln!(std::io::stderr(), "stiction: {message}");
}

/// A reader that has seen enough (`stiction solve … | head`) is no error.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
