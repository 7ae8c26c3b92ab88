//! What an experiment found, and the files it is written to.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::error::{ExperimentError, Result};
use crate::html;

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
}

/// A part of a report.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Section {
    /// Heading.
    pub heading: String,
    /// What was done.
    pub text: String,
    /// What the paper states beside what was measured.
    pub statements: Vec<Statement>,
    /// Numbers.
    pub tables: Vec<Table>,
    /// Pictures.
    pub figures: Vec<Figure>,
}

/// A statement of a paper beside what was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// What the paper says, and where.
    pub paper: String,
    /// What was measured here.
    pub measured: String,
    /// Whether the two agree.
    pub holds: bool,
}

/// Numbers in columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// What the columns are.
    pub header: Vec<String>,
    /// The rows, as long as the header.
    pub rows: Vec<Vec<String>>,
}

/// A picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// File name without its ending.
    pub name: String,
    /// What it shows.
    pub caption: String,
    /// The picture.
    pub svg: String,
}

impl Report {
    /// Whether every statement of the paper was found true.
    pub fn holds(&self) -> bool {
        let statements = self.sections.iter().flat_map(|section| &section.statements);
        statements.into_iter().all(|statement| statement.holds)
    }

    /// The report as Markdown; figures are files beside it.
    pub fn to_markdown(&self) -> String {
        let mut out = format!("# {}\n\n{}\n", self.title, self.introduction);
        for section in &self.sections {
            let _ = write!(out, "\n## {}\n\n{}\n", section.heading, section.text);
            for table in section.all_tables() {
                out.push('\n');
                markdown_row(&mut out, &table.header);
                markdown_row(&mut out, &vec!["---".to_owned(); table.header.len()]);
                table
                    .rows
                    .iter()
                    .for_each(|row| markdown_row(&mut out, row));
            }
            for figure in &section.figures {
                let _ = write!(out, "\n![{}]({}.svg)\n", figure.caption, figure.name);
            }
        }
        out
    }

    /// Writes `report.md`, `report.html` and the figures into a folder; returns what was written.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&self, folder: &Path) -> Result<Vec<PathBuf>> {
        let refuse = |path: &Path, error: std::io::Error| ExperimentError::Write {
            path: path.display().to_string(),
            problem: error.to_string(),
        };
        std::fs::create_dir_all(folder).map_err(|error| refuse(folder, error))?;
        let figures = self.sections.iter().flat_map(|section| &section.figures);
        let mut files = vec![
            (folder.join("report.md"), self.to_markdown()),
            (folder.join("report.html"), html::page(self)),
        ];
        files.extend(figures.map(|figure| {
            let path = folder.join(format!("{}.svg", figure.name));
            (path, figure.svg.clone())
        }));
        for (path, text) in &files {
            std::fs::write(path, text).map_err(|error| refuse(path, error))?;
        }
        Ok(files.into_iter().map(|(path, _)| path).collect())
    }
}

impl Section {
    /// The statements as a table, then the other tables.
    pub(crate) fn all_tables(&self) -> Vec<Table> {
        let mut tables = Vec::new();
        if !self.statements.is_empty() {
            let words = |statement: &Statement| {
                let verdict = if statement.holds { "yes" } else { "no" };
                vec![
                    statement.paper.clone(),
                    statement.measured.clone(),
                    verdict.to_owned(),
                ]
            };
            tables.push(Table {
                header: ["the paper", "measured here", "holds"]
                    .map(str::to_owned)
                    .into(),
                rows: self.statements.iter().map(words).collect(),
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

    #[test]
    fn a_statement_that_does_not_hold_is_seen() {
        let statement = |holds| Statement {
            paper: "a | b".to_owned(),
            measured: "c < d".to_owned(),
            holds,
        };
        let mut report = Report {
            name: "n".to_owned(),
            title: "T".to_owned(),
            introduction: "i".to_owned(),
            sections: vec![Section {
                heading: "h".to_owned(),
                statements: vec![statement(true)],
                ..Section::default()
            }],
        };
        assert!(report.holds());
        assert!(report.to_markdown().contains("| a \\| b | c < d | yes |"));
        assert!(html::page(&report).contains("c &lt; d"));
        report.sections[0].statements.push(statement(false));
        assert!(!report.holds() && report.to_markdown().contains("| no |"));
    }
}
