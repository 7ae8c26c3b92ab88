//! How an experiment is run: part after part, what is done being kept.

use std::path::{Path, PathBuf};

use stiction_constraints::StopFlag;

use crate::error::{ExperimentError, Result};
use crate::report::{Film, Report, Section};

/// An experiment of a paper: parts that are run one after the other, each a section of the report.
#[derive(Debug, Clone, Copy)]
pub struct Experiment {
    /// Name by which it is asked for.
    pub name: &'static str,
    /// One line on what it shows.
    pub summary: &'static str,
    /// Heading of the report.
    pub title: &'static str,
    /// What was done, in a paragraph.
    pub introduction: &'static str,
    /// Its parts, in order.
    pub parts: &'static [Part],
}

/// A part of an experiment: a table or a figure of the paper.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// Name by which it is asked for alone.
    pub name: &'static str,
    /// Its share of the work beside the other parts, in any unit.
    pub weight: f64,
    /// Runs it.
    pub run: fn(&mut Run<'_>) -> Result<Section>,
}

/// What is asked of an experiment.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Less of everything, for a first look.
    pub quick: bool,
    /// Number of randomised trials; `None` leaves it to the experiment.
    pub trials: Option<usize>,
    /// Names of the parts to run; empty for all.
    pub only: Vec<String>,
    /// Folder with data that is not ours to pass on.
    pub data: Option<PathBuf>,
    /// Ends the run; what is done is kept.
    pub stop: StopFlag,
}

/// What a part is given.
pub struct Run<'a> {
    options: &'a Options,
    /// Share of the whole work that is done, and that of this part.
    done: f64,
    share: f64,
    progress: &'a mut dyn FnMut(f64, &str),
    /// What was recorded.
    films: Vec<Film>,
}

impl<'a> Run<'a> {
    /// A run of one part by itself that nobody watches.
    pub fn alone(options: &'a Options, progress: &'a mut dyn FnMut(f64, &str)) -> Self {
        Self {
            options,
            done: 0.0,
            share: 1.0,
            progress,
            films: Vec::new(),
        }
    }

    /// Less of everything, for a first look.
    pub fn is_quick(&self) -> bool {
        self.options.quick
    }

    /// One of two values: the first for a whole run, the second for a quick one.
    pub fn or_quick<T>(&self, whole: T, quick: T) -> T {
        if self.is_quick() { quick } else { whole }
    }

    /// Number of randomised trials: what was asked for, else one of two as for [`or_quick`](Self::or_quick).
    pub fn trials(&self, whole: usize, quick: usize) -> usize {
        self.options.trials.unwrap_or(self.or_quick(whole, quick))
    }

    /// Folder with data that is not ours to pass on.
    pub fn data(&self) -> Option<&Path> {
        self.options.data.as_deref()
    }

    /// Adds a film to the report, which gets it with the section of this part.
    pub fn keep_film(&mut self, film: Film) {
        self.films.push(film);
    }

    /// The flag that ends the run, for budgets and worlds.
    pub fn stop_flag(&self) -> StopFlag {
        self.options.stop.clone()
    }

    /// Whether to end, for parts that make a section of what they have.
    pub fn is_interrupted(&self) -> bool {
        self.options.stop.is_raised()
    }

    /// Tells how much of this part is done, 0 to 1, and what comes now.
    ///
    /// # Errors
    /// [`ExperimentError::Interrupted`], which parts hand on: they are left out of the report then.
    pub fn tell(&mut self, share: f64, what: &str) -> Result<()> {
        (self.progress)(self.done + share * self.share, what);
        match self.is_interrupted() {
            true => Err(ExperimentError::Interrupted),
            false => Ok(()),
        }
    }
}

impl Experiment {
    /// Runs it. `progress` is told the share of the work that is done, 0 to 1, and what comes now; `keep`
    /// gets the report after every part, to be written.
    ///
    /// # Errors
    /// A part that there is not, a scene that cannot be simulated, a picture that cannot be drawn, or an
    /// error of `keep`. A run that is interrupted is none: its report says so.
    pub fn run(
        &self,
        options: &Options,
        progress: &mut dyn FnMut(f64, &str),
        keep: &mut dyn FnMut(&Report) -> Result<()>,
    ) -> Result<Report> {
        let parts = self.chosen(&options.only)?;
        let whole: f64 = parts.iter().map(|part| part.weight).sum();
        let mut report = Report::new(self);
        let mut done = 0.0;
        for part in parts {
            let share = part.weight / whole;
            progress(done, part.name);
            let mut run = Run {
                options,
                done,
                share,
                progress: &mut *progress,
                films: Vec::new(),
            };
            match (part.run)(&mut run) {
                Ok(section) => {
                    report.sections.push(section);
                    report.films.append(&mut run.films);
                }
                Err(ExperimentError::Interrupted) => {}
                Err(error) => return Err(error),
            }
            report.is_interrupted = options.stop.is_raised();
            keep(&report)?;
            if report.is_interrupted {
                break;
            }
            done += share;
        }
        Ok(report)
    }

    /// The parts that were asked for, in their order.
    fn chosen(&self, only: &[String]) -> Result<Vec<&'static Part>> {
        if let Some(unknown) = only
            .iter()
            .find(|name| self.parts.iter().all(|part| part.name != name.as_str()))
        {
            let known: Vec<&str> = self.parts.iter().map(|part| part.name).collect();
            return Err(ExperimentError::UnknownPart {
                experiment: self.name,
                part: unknown.clone(),
                known: known.join(", "),
            });
        }
        let is_chosen = |part: &&Part| only.is_empty() || only.iter().any(|name| name == part.name);
        Ok(self.parts.iter().filter(is_chosen).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(run: &mut Run<'_>) -> Result<Section> {
        run.tell(0.5, "half")?;
        Ok(Section {
            heading: format!("{} trials", run.trials(20, 2)),
            ..Section::default()
        })
    }

    fn interrupting(run: &mut Run<'_>) -> Result<Section> {
        run.stop_flag().raise();
        run.tell(1.0, "never")?;
        Ok(Section::default())
    }

    const EXPERIMENT: Experiment = Experiment {
        name: "e",
        summary: "s",
        title: "t",
        introduction: "i",
        parts: &[
            Part {
                name: "a",
                weight: 1.0,
                run: section,
            },
            Part {
                name: "b",
                weight: 3.0,
                run: section,
            },
            Part {
                name: "c",
                weight: 4.0,
                run: interrupting,
            },
            Part {
                name: "d",
                weight: 1.0,
                run: section,
            },
        ],
    };

    #[test]
    fn parts_are_chosen_by_name_and_told_of() {
        let options = Options {
            quick: true,
            only: vec!["b".to_owned(), "a".to_owned()],
            ..Options::default()
        };
        let mut told = Vec::new();
        let mut kept = 0;
        let report = EXPERIMENT
            .run(&options, &mut |share, _| told.push(share), &mut |_| {
                kept += 1;
                Ok(())
            })
            .unwrap();
        assert_eq!(told, [0.0, 0.125, 0.25, 0.625]);
        assert_eq!((kept, report.sections.len()), (2, 2));
        assert_eq!(report.sections[0].heading, "2 trials");
        let options = Options {
            only: vec!["z".to_owned()],
            ..Options::default()
        };
        let error = EXPERIMENT.run(&options, &mut |_, _| {}, &mut |_| Ok(()));
        assert!(error.unwrap_err().to_string().contains("a, b, c, d"));
    }

    #[test]
    fn an_interrupted_run_keeps_what_is_done() {
        let options = Options {
            trials: Some(7),
            ..Options::default()
        };
        let report = EXPERIMENT.run(&options, &mut |_, _| {}, &mut |_| Ok(()));
        let report = report.unwrap();
        assert!(report.is_interrupted && report.sections.len() == 2);
        assert_eq!(report.sections[1].heading, "7 trials");
        assert!(report.to_markdown().contains("interrupted"));
    }
}
