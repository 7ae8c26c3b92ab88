//! What the suite found, for people and for programs.

use std::path::PathBuf;

use serde::Serialize;

/// What the suite found about one solver.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The solver's name.
    pub solver: String,
    /// Seed that everything was drawn with.
    pub seed: u64,
    /// Where the problems are that a check failed on.
    pub folder: PathBuf,
    /// The checks, in order.
    pub checks: Vec<CheckReport>,
    /// How far the solver converges, from plain to extreme.
    pub families: Vec<FamilyReport>,
}

/// What one check found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckReport {
    /// What was checked.
    pub name: &'static str,
    /// How often it was checked.
    pub cases: usize,
    /// Why it was not checked, where it was not.
    pub not_checked: Option<String>,
    /// Where it failed.
    pub failures: Vec<FailedCase>,
}

/// One failure of a check.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FailedCase {
    /// Family of the problem, which names its law or its kind of subsystem.
    pub family: String,
    /// Seed of the problem.
    pub seed: u64,
    /// What went wrong.
    pub message: String,
    /// The problem, as a file that `stiction solve` opens.
    pub file: Option<PathBuf>,
}

/// How far a solver converges on one family of problems.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FamilyReport {
    /// The family's name.
    pub name: String,
    /// Problems that were tried.
    pub problems: usize,
    /// Problems that ended as converged.
    pub solved: usize,
    /// Median of the iterations of those; 0 where there are none.
    pub median_iterations: usize,
    /// Failures of checks on this family.
    pub failures: usize,
}

impl CheckReport {
    pub(crate) fn new(name: &'static str) -> Self {
        Self {
            name,
            cases: 0,
            not_checked: None,
            failures: Vec::new(),
        }
    }

    /// Whether nothing failed.
    pub fn is_passed(&self) -> bool {
        self.failures.is_empty()
    }
}

impl Report {
    /// Whether no check failed.
    pub fn is_passed(&self) -> bool {
        self.checks.iter().all(CheckReport::is_passed)
    }

    /// A check by its name.
    pub fn check(&self, name: &str) -> Option<&CheckReport> {
        self.checks.iter().find(|check| check.name == name)
    }

    /// The report as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self)
            .unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"))
    }
}

/// Failures that are written out of each check.
const WRITTEN: usize = 5;

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word = if self.is_passed() { "passed" } else { "FAILED" };
        writeln!(f, "{}: {word} (seed {})", self.solver, self.seed)?;
        for check in &self.checks {
            match &check.not_checked {
                Some(why) => writeln!(f, "  -    {}: not checked, {why}", check.name)?,
                None if check.is_passed() => {
                    writeln!(f, "  ok   {} ({} cases)", check.name, check.cases)?;
                }
                None => writeln!(
                    f,
                    "  FAIL {} ({} of {} cases)",
                    check.name,
                    check.failures.len(),
                    check.cases
                )?,
            }
            for case in check.failures.iter().take(WRITTEN) {
                writeln!(
                    f,
                    "         [{}, seed {}] {}",
                    case.family, case.seed, case.message
                )?;
                if let Some(file) = &case.file {
                    writeln!(f, "           {}", file.display())?;
                }
            }
            if check.failures.len() > WRITTEN {
                writeln!(f, "         … and {} more", check.failures.len() - WRITTEN)?;
            }
        }
        writeln!(
            f,
            "  {:32} {:>8} {:>11} {:>9}",
            "family", "solved", "iterations", "failures"
        )?;
        for family in &self.families {
            writeln!(
                f,
                "  {:32} {:>8} {:>11} {:>9}",
                family.name,
                format!("{}/{}", family.solved, family.problems),
                family.median_iterations,
                family.failures
            )?;
        }
        if !self.is_passed() {
            writeln!(f, "  failing problems: {}", self.folder.display())?;
        }
        Ok(())
    }
}
