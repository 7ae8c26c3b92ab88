//! Answers of an earlier run as starting points.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, bail};
use serde_json::Value;

use crate::input::LoadedProblem;

/// An earlier answer.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Guess {
    /// r in the file's component order, for local and global problems.
    pub(crate) reaction: Option<Vec<f64>>,
    /// λ, for full problems.
    pub(crate) impulse: Option<Vec<f64>>,
}

impl Guess {
    /// The impulses that a recorded step brings along.
    pub(crate) fn of(problem: &LoadedProblem) -> Option<Self> {
        match problem {
            LoadedProblem::Full(full) => full.guess.as_ref().map(|guess| Self {
                reaction: None,
                impulse: Some(guess.clone()),
            }),
            LoadedProblem::Local { .. } | LoadedProblem::Global(_) => None,
        }
    }
}

/// Earlier answers by problem and solver.
#[derive(Debug, Default)]
pub(crate) struct WarmStarts {
    by_solver: HashMap<(String, String), Guess>,
    any: HashMap<String, Guess>,
}

impl WarmStarts {
    /// Reads JSON lines as `--json` writes them.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("{}: the warm start cannot be read", path.display()))?;
        let mut out = Self::default();
        for (index, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let place = || format!("{}, line {}", path.display(), index + 1);
            let value: Value = serde_json::from_str(line)
                .with_context(|| format!("{}: not a JSON object", place()))?;
            let Some(name) = value["name"].as_str() else {
                bail!(
                    "{}: no \"name\"; give a file that --json has written",
                    place()
                );
            };
            let guess = Guess {
                reaction: numbers(&value["r"]),
                impulse: numbers(&value["lambda"]),
            };
            if guess == Guess::default() {
                bail!(
                    "{}: neither \"r\" nor \"lambda\"; give a file that --json has written",
                    place()
                );
            }
            if let Some(solver) = value["solver"].as_str() {
                let key = (name.to_owned(), solver.to_owned());
                out.by_solver.insert(key, guess.clone());
            }
            out.any.entry(name.to_owned()).or_insert(guess);
        }
        Ok(out)
    }

    /// The answer of the same solver, otherwise the first one to the problem.
    pub(crate) fn find(&self, problem: &str, solver: &str) -> Option<&Guess> {
        self.by_solver
            .get(&(problem.to_owned(), solver.to_owned()))
            .or_else(|| self.any.get(problem))
    }
}

fn numbers(value: &Value) -> Option<Vec<f64>> {
    value.as_array()?.iter().map(Value::as_f64).collect()
}
