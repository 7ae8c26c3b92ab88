//! The table that people read.

use std::io::{self, Write};

use stiction_constraints::Residuals;

use crate::solve::{Answer, Record, readable};
use crate::solvers;

const HEADER: [&str; 14] = [
    "problem", "solver", "contacts", "rows", "dofs", "iter", "time", "natural", "balanced",
    "scaled", "paper", "eps", "FB", "dyn",
];

/// One line per problem and solver, and for several problems one line per solver at the end.
pub(crate) fn print(out: &mut dyn Write, records: &[Record], solvers: &[String]) -> io::Result<()> {
    let mut lines: Vec<Vec<String>> = vec![HEADER.iter().map(|&h| h.to_owned()).collect()];
    lines[0].extend(["stage".into(), "outcome".into()]);
    lines.extend(records.iter().map(line));
    let columns = lines[0].len();
    let widths: Vec<usize> = (0..columns)
        .map(|c| {
            lines
                .iter()
                .map(|l| l[c].chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    for line in &lines {
        for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
            // Words to the left, numbers to the right; nothing is padded at the end of a line.
            match column {
                0 => write!(out, "{cell:width$}")?,
                _ if column + 1 == columns => write!(out, "  {cell}")?,
                _ if column == 1 || column + 2 == columns => write!(out, "  {cell:width$}")?,
                _ => write!(out, "  {cell:>width$}")?,
            }
        }
        writeln!(out)?;
    }
    if records.len() > solvers.len() {
        writeln!(out)?;
        for solver in solvers {
            summarize(out, solver, records)?;
        }
    }
    Ok(())
}

/// A Markdown table with a line for each problem and a column for each solver: iterations where it converged.
pub(crate) fn print_matrix(
    out: &mut dyn Write,
    records: &[Record],
    solvers: &[String],
) -> io::Result<()> {
    writeln!(out, "| problem | contacts | {} |", solvers.join(" | "))?;
    writeln!(out, "|---|--:|{}", "--:|".repeat(solvers.len()))?;
    let mut problems: Vec<(&str, usize)> = Vec::new();
    for record in records {
        let problem = (record.problem.as_str(), record.sizes.contacts);
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    let find = |problem: &str, solver: &str| {
        let is_it = |record: &&Record| record.problem == problem && record.solver == solver;
        records.iter().find(is_it)
    };
    for &(problem, contacts) in &problems {
        write!(out, "| {problem} | {contacts} |")?;
        for solver in solvers {
            match find(problem, solver).map(|record| &record.report) {
                Some(report) if report.outcome.is_converged() => {
                    write!(out, " {} |", report.iterations)?;
                }
                _ => write!(out, " – |")?,
            }
        }
        writeln!(out)?;
    }
    write!(out, "| converged | |")?;
    for solver in solvers {
        let own = records.iter().filter(|record| record.solver == *solver);
        let converged = own.filter(|record| record.report.outcome.is_converged());
        write!(out, " {} of {} |", converged.count(), problems.len())?;
    }
    writeln!(out)
}

fn line(record: &Record) -> Vec<String> {
    let report = &record.report;
    let Residuals {
        natural,
        balanced,
        scaled,
        paper,
        fischer_burmeister,
        dynamics,
        ..
    } = report.residuals;
    let mut cells = vec![
        record.problem.clone(),
        record.solver.clone(),
        record.sizes.contacts.to_string(),
        record.sizes.rows.to_string(),
        record.sizes.dofs.to_string(),
        report.iterations.to_string(),
        readable(report.time),
    ];
    let eps = report.residuals.eps_abs();
    for value in [
        natural,
        balanced,
        scaled,
        paper,
        eps,
        fischer_burmeister,
        dynamics,
    ] {
        cells.push(format!("{value:.1e}"));
    }
    let stage = report.stages.last_word();
    cells.push(stage.map_or("-", |stage| stage.name).to_owned());
    let note = if is_symmetrised(record) {
        " (symmetric part of W)"
    } else if report.outcome.is_converged() && is_relaxed(&record.solver) {
        " (its own model)"
    } else {
        ""
    };
    cells.push(format!("{}{note}", report.outcome));
    cells
}

/// Whether the answer is about (W + Wᵀ)/2 and not about the file's W.
fn is_symmetrised(record: &Record) -> bool {
    matches!(
        record.answer,
        Answer::Reaction {
            is_symmetrised: Some(true),
            ..
        }
    )
}

/// Whether a solver answers another model than Coulomb's.
fn is_relaxed(solver: &str) -> bool {
    solvers::make(solver).is_ok_and(|solver| !solver.declaration().is_exact())
}

fn summarize(out: &mut dyn Write, solver: &str, records: &[Record]) -> io::Result<()> {
    let own = || records.iter().filter(|record| record.solver == solver);
    let solved = || own().filter(|record| record.report.outcome.is_converged());
    let symmetrised = solved().filter(|record| is_symmetrised(record)).count();
    let note = match symmetrised {
        0 => String::new(),
        count => format!(", {count} of them for the symmetric part of W"),
    };
    let model = match is_relaxed(solver) {
        true => " on its own model",
        false => "",
    };
    let time = own().map(|record| record.report.time).sum();
    writeln!(
        out,
        "{solver}: {} of {} converged{model}{note}, {} in all",
        solved().count(),
        own().count(),
        readable(time)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::Sizes;
    use stiction_constraints::{Budget, Criterion, Outcome, Report};

    fn record(problem: &str, is_symmetrised: bool) -> Record {
        let mut report = Report::of(Outcome::Converged);
        report.stages.note("outer loop", 3, 1.0, 1e-9);
        Record {
            problem: problem.to_owned(),
            solver: "canal".to_owned(),
            sizes: Sizes {
                contacts: 1,
                rows: 3,
                dofs: 3,
            },
            criterion: Criterion::Natural,
            answer: Answer::Reaction {
                reaction: vec![0.0; 3],
                is_symmetrised: Some(is_symmetrised),
            },
            report,
        }
    }

    #[test]
    fn a_matrix_has_a_line_for_each_problem() {
        let records = [record("a", false), record("b", false)];
        let mut out = Vec::new();
        print_matrix(&mut out, &records, &["canal".to_owned(), "pgs".to_owned()]).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "| problem | contacts | canal | pgs |");
        assert_eq!(lines[2], "| a | 1 | 0 | – |");
        assert_eq!(lines[4], "| converged | | 2 of 2 | 0 of 2 |");
    }

    #[test]
    fn answers_to_the_symmetric_part_are_never_just_converged() {
        let records = [record("a", false), record("b", true), record("c", false)];
        let mut out = Vec::new();
        print(&mut out, &records, &["canal".to_owned()]).unwrap();
        let text = String::from_utf8(out).unwrap();
        let line = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap();
        assert!(line("a").ends_with("outer loop  converged"), "{text}");
        assert!(
            line("b").ends_with("converged (symmetric part of W)"),
            "{text}"
        );
        let summary = "3 of 3 converged, 1 of them for the symmetric part of W, ";
        assert!(line("canal").contains(summary), "{text}");

        let json = |record| {
            let line = crate::json_lines::answer(record, &Budget::default());
            serde_json::from_str::<serde_json::Value>(&line).unwrap()
        };
        let (given, symmetric) = (json(&records[0]), json(&records[1]));
        assert_eq!(
            (&given["sym"], &given["answers"]),
            (&false.into(), &"W as given".into())
        );
        assert_eq!(symmetric["sym"], true);
        assert_eq!(symmetric["answers"], "symmetric part of W");
        assert_eq!(symmetric["stage"], "outer loop");
        assert_eq!(symmetric["stages"][0]["steps"], 3);
    }
}
