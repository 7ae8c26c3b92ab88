//! `stiction completions SHELL`.

use std::io::Write;

use clap::CommandFactory;

use crate::Ending;
use crate::arguments::Arguments;

pub(crate) fn run(shell: clap_complete::Shell) -> anyhow::Result<Ending> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "stiction", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(Ending::Fine)
}
