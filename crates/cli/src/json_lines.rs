//! Answers as JSON, one object a line.

use serde_json::{Map, Value, json};
use stiction_constraints::{Budget, Criterion, Outcome};

use crate::solve::{Answer, Record};

/// The answer to one problem by one solver. Local and global problems have `r` in the file's own
/// component order, full problems `v` and `lambda`.
pub(crate) fn answer(record: &Record, budget: &Budget) -> String {
    let report = &record.report;
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| {
        object.insert(key.to_owned(), value);
    };
    put("name", json!(record.problem));
    put("solver", json!(record.solver));
    put("outcome", json!(word(&report.outcome)));
    if let Outcome::Failed(failure) = &report.outcome {
        put("reason", json!(failure.to_string()));
    }
    if let Outcome::Stopped(criterion) = report.outcome {
        put("reason", json!(criterion.word()));
    }
    put("stage", json!(report.stages.last_word().map(|s| s.name)));
    put("stages", json!(&report.stages[..]));
    put("iterations", json!(report.iterations));
    put("inner_iterations", json!(report.inner_iterations));
    put("factorizations", json!(report.factorizations));
    put("time_us", json!(report.time.as_secs_f64() * 1e6));
    put("criterion", json!(criterion_word(record.criterion)));
    put("tolerance", json!(budget.tolerance));
    put("residuals", json!(report.residuals));
    match &record.answer {
        Answer::Reaction {
            reaction,
            is_symmetrised,
        } => {
            if let Some(is_symmetrised) = is_symmetrised {
                put("sym", json!(is_symmetrised));
                put("answers", json!(answered(*is_symmetrised)));
            }
            put("r", json!(reaction));
        }
        Answer::Full(solution) => {
            put("v", json!(solution.velocity));
            put("lambda", json!(solution.impulse));
        }
    }
    Value::Object(object).to_string()
}

/// Which problem `outcome` and `residuals` of a local problem are about.
fn answered(is_symmetrised: bool) -> &'static str {
    match is_symmetrised {
        true => "symmetric part of W",
        false => "W as given",
    }
}

fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Converged => "converged",
        Outcome::OutOfIterations => "out_of_iterations",
        Outcome::OutOfTime => "out_of_time",
        Outcome::Stopped(_) => "stopped",
        Outcome::Interrupted => "interrupted",
        Outcome::Failed(_) => "failed",
    }
}

pub(crate) fn criterion_word(criterion: Criterion) -> &'static str {
    criterion.word()
}
