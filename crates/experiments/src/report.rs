//! What an experiment found, and the files it is written to.

use std::fmt::Write;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use stiction_recording::write_atomically;

use crate::error::{ExperimentError, Result};
use crate::html;
use crate::run::Experiment;
use crate::statement::{Statement, Verdict};

/// What an experiment found.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Name of the experiment.
    pub name: String,
    /// Heading.
    pub title: String,
    /// What was done, in a paragraph.
    pub introduction: String,
    /// One after another.
    pub sections: Vec<Section>,
    /// Recorded runs, as pages of their own beside the report.
    pub films: Vec<Film>,
    /// Whether the run was ended before all of it was done.
    pub is_interrupted: bool,
}

/// A recorded run as a page that plays it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Film {
    /// File name without its ending.
    pub name: String,
    /// What it shows.
    pub caption: String,
    /// The page.
    pub html: String,
}

/// A part of a report.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Section {
    /// Heading.
    pub heading: String,
    /// What was done.
    pub text: String,
    /// What is stated beside what was measured.
    pub statements: Vec<Statement>,
    /// Numbers.
    pub tables: Vec<Table>,
    /// Pictures.
    pub figures: Vec<Figure>,
}

/// Numbers in columns. Where a paper has the same table, its rows stand beside ours.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// What it shows; may be empty.
    pub caption: String,
    /// What the columns are.
    pub header: Vec<String>,
    /// The rows, as long as the header.
    pub rows: Vec<Vec<String>>,
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figure {
    /// File name without its ending.
    pub name: String,
    /// What it shows.
    pub caption: String,
    /// The picture.
    pub svg: String,
    /// What the paper's figure shows, to stand beside ours; empty where it has none.
    pub paper: String,
}

impl Report {
    /// A report without sections yet.
    pub fn new(experiment: &Experiment) -> Self {
        Self {
            name: experiment.name.to_owned(),
            title: experiment.title.to_owned(),
            introduction: experiment.introduction.to_owned(),
            sections: Vec::new(),
            films: Vec::new(),
            is_interrupted: false,
        }
    }

    /// All statements in order.
    pub fn statements(&self) -> impl Iterator<Item = &Statement> {
        self.sections.iter().flat_map(|section| &section.statements)
    }

    /// Whether no statement was found *not met*.
    pub fn holds(&self) -> bool {
        self.statements()
            .all(|statement| statement.verdict != Verdict::NotMet)
    }

    /// The report as Markdown; figures are files beside it.
    pub fn to_markdown(&self) -> String {
        let mut out = format!("# {}\n\n{}\n", self.title, self.introduction);
        if self.is_interrupted {
            out.push_str("\nThe run was interrupted: only what was done until then is here.\n");
        }
        for section in &self.sections {
            let _ = write!(out, "\n## {}\n\n{}\n", section.heading, section.text);
            for table in section.all_tables() {
                out.push('\n');
                if !table.caption.is_empty() {
                    let _ = write!(out, "{}\n\n", table.caption);
                }
                markdown_row(&mut out, &table.header);
                markdown_row(&mut out, &vec!["---".to_owned(); table.header.len()]);
                table
                    .rows
                    .iter()
                    .for_each(|row| markdown_row(&mut out, row));
            }
            for figure in &section.figures {
                let _ = write!(out, "\n![{}]({}.svg)\n", figure.caption, figure.name);
                if !figure.paper.is_empty() {
                    let _ = write!(out, "\nThe paper's: {}\n", figure.paper);
                }
            }
        }
        if !self.films.is_empty() {
            out.push_str("\n## Films\n\n");
        }
        for film in &self.films {
            let _ = writeln!(out, "- [{}]({}.html)", film.caption, film.name);
        }
        out
    }

    /// Statements and tables as JSON.
    pub fn to_json(&self) -> Value {
        let sections: Vec<Value> = self.sections.iter().map(section_json).collect();
        json!({
            "experiment": self.name,
            "title": self.title,
            "interrupted": self.is_interrupted,
            "holds": self.holds(),
            "statements": self.statements().map(statement_json).collect::<Vec<_>>(),
            "sections": sections,
        })
    }

    /// Writes `report.md`, `report.html`, `report.json` and the figures into a folder; returns what was
    /// written.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&self, folder: &Path) -> Result<Vec<PathBuf>> {
        let refuse = |path: &Path, error: &dyn std::error::Error| ExperimentError::Write {
            path: path.display().to_string(),
            problem: error.to_string(),
        };
        std::fs::create_dir_all(folder).map_err(|error| refuse(folder, &error))?;
        let figures = self.sections.iter().flat_map(|section| &section.figures);
        let mut files = vec![
            (folder.join("report.md"), self.to_markdown()),
            (folder.join("report.html"), html::page(self)),
            (
                folder.join("report.json"),
                format!("{:#}\n", self.to_json()),
            ),
        ];
        files.extend(figures.map(|figure| {
            let path = folder.join(format!("{}.svg", figure.name));
            (path, figure.svg.clone())
        }));
        files.extend(self.films.iter().map(|film| {
            let path = folder.join(format!("{}.html", film.name));
            (path, film.html.clone())
        }));
        for (path, text) in &files {
            write_atomically(path, |sink| Ok(sink.write_all(text.as_bytes())?)).map_err(
                |error| match error {
                    // Named by the file already.
                    stiction_recording::Error::File { source, .. } => refuse(path, &source),
                    other => refuse(path, &other),
                },
            )?;
        }
        Ok(files.into_iter().map(|(path, _)| path).collect())
    }
}

fn statement_json(statement: &Statement) -> Value {
    let mut out = json!({
        "verdict": statement.verdict.word(),
        "claim": statement.claim,
        "measured": statement.measured,
        "solver": statement.how.solver,
        "residual": statement.how.residual,
        "stop": statement.how.stop,
    });
    if let Verdict::NotComparable { missing } = &statement.verdict {
        out["not_published"] = json!(missing);
    }
    out
}

fn section_json(section: &Section) -> Value {
    let tables = section.tables.iter().map(|table| {
        json!({
            "caption": table.caption,
            "header": table.header,
            "rows": table.rows,
        })
    });
    json!({
        "heading": section.heading,
        "text": section.text,
        "tables": tables.collect::<Vec<_>>(),
        "figures": section.figures.iter().map(|figure| &figure.name).collect::<Vec<_>>(),
    })
}

impl Table {
    /// A table with these columns and no rows yet.
    pub fn new<const N: usize>(caption: &str, header: [&str; N]) -> Self {
        Self {
            caption: caption.to_owned(),
            header: header.map(str::to_owned).into(),
            rows: Vec::new(),
        }
    }
}

impl Section {
    /// The statements as a table, then the other tables.
    pub(crate) fn all_tables(&self) -> Vec<Table> {
        let mut tables = Vec::new();
        if !self.statements.is_empty() {
            let words = |statement: &Statement| {
                let mut claim = statement.claim.clone();
                if let Verdict::NotComparable { missing } = &statement.verdict {
                    claim += &format!(" (not published: {missing})");
                }
                vec![
                    format!("**{}**", statement.verdict.word()),
                    claim,
                    statement.measured.clone(),
                    statement.how.solver.clone(),
                    statement.how.residual.clone(),
                    statement.how.stop.clone(),
                ]
            };
            let header = [
                "verdict",
                "statement",
                "measured here",
                "solver",
                "residual",
                "ended by",
            ];
            tables.push(Table {
                rows: self.statements.iter().map(words).collect(),
                ..Table::new("", header)
            });
        }
        tables.extend(self.tables.iter().cloned());
        tables
    }
}

fn markdown_row(out: &mut String, cells: &[String]) {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    let _ = writeln!(out, "| {} |", cells.join(" | "));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::How;

    #[test]
    fn only_a_statement_that_is_not_met_fails_a_report() {
        let how = How::new("canal", "scaled", "1e-6 m/s");
        let mut report = Report {
            name: "n".to_owned(),
            title: "T".to_owned(),
            introduction: "i".to_owned(),
            is_interrupted: false,
            films: Vec::new(),
            sections: vec![Section {
                heading: "h".to_owned(),
                statements: vec![
                    Statement::judged("a | b", &how, "c < d", true),
                    Statement::not_comparable("p", &how, "q", "the path"),
                ],
                ..Section::default()
            }],
        };
        assert!(report.holds());
        let markdown = report.to_markdown();
        assert!(markdown.contains("| **met** | a \\| b | c < d | canal | scaled | 1e-6 m/s |"));
        assert!(markdown.contains("| **not comparable** | p (not published: the path) |"));
        let page = html::page(&report);
        assert!(page.contains("c &lt; d") && page.contains("<strong>met</strong>"));
        report.sections[0]
            .statements
            .push(Statement::judged("x", &how, "y", false));
        assert!(!report.holds());
        let lines: Vec<String> = report.statements().map(Statement::line).collect();
        assert_eq!(
            lines[2],
            "not met: x; measured: y [canal; scaled; 1e-6 m/s]"
        );
        assert!(lines[0].starts_with("met: ") && lines[1].starts_with("not comparable: "));
        let json = report.to_json();
        assert_eq!(json["statements"][1]["not_published"], "the path");
        assert_eq!(json["statements"][2]["verdict"], "not met");
        assert_eq!(json["holds"], false);
    }
}
