//! What the solves of many problems say about each stage.

use serde_json::{Value, json};

use super::measure::Solve;

/// What one stage did, and what leaving it out costs.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Worth {
    pub(super) stage: String,
    /// Problems in which it was entered.
    pub(super) reached: usize,
    /// Solved problems whose answer is from it.
    pub(super) won: usize,
    /// Decades by which it brought residuals down, over all problems.
    pub(super) decades: f64,
    /// `None` for a stage that cannot be left out.
    pub(super) removal: Option<Removal>,
}

/// What leaving a stage out changes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Removal {
    /// Problems solved with the stage and not without.
    pub(super) lost: Vec<String>,
    /// Problems solved without the stage and not with it.
    pub(super) gained: Vec<String>,
    /// Time without over time with, sums over the problems that both solve; `None` for none of either.
    pub(super) time_ratio: Option<f64>,
    /// Likewise of inner iterations.
    pub(super) iteration_ratio: Option<f64>,
    with: [f64; 2],
    without: [f64; 2],
}

/// Everything measured so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) problems: usize,
    pub(super) solved: usize,
    pub(super) unsolved: Vec<String>,
    pub(super) stages: Vec<Worth>,
}

impl Tally {
    /// Nothing measured of stages that can be left out.
    pub(super) fn new(removable: &[&str]) -> Self {
        let stages = removable.iter().map(|&stage| Worth {
            stage: stage.to_owned(),
            removal: Some(Removal::default()),
            ..Worth::default()
        });
        Self {
            stages: stages.collect(),
            ..Self::default()
        }
    }

    /// Adds one problem: the solve with all stages, then those without each in their order.
    pub(super) fn add(&mut self, name: &str, full: &Solve, without: &[Solve]) {
        self.problems += 1;
        match full.is_solved {
            true => self.solved += 1,
            false => self.unsolved.push(name.to_owned()),
        }
        for report in &full.stages {
            let worth = self.entry(report.name);
            worth.reached += 1;
            worth.decades += report.decades;
            worth.won += usize::from(full.is_solved && report.has_last_word);
        }
        let removals = self.stages.iter_mut().filter_map(|w| w.removal.as_mut());
        for (removal, solve) in removals.zip(without) {
            match (full.is_solved, solve.is_solved) {
                (true, false) => removal.lost.push(name.to_owned()),
                (false, true) => removal.gained.push(name.to_owned()),
                (false, false) => {}
                (true, true) => {
                    removal.with[0] += full.seconds;
                    removal.with[1] += full.inner_iterations as f64;
                    removal.without[0] += solve.seconds;
                    removal.without[1] += solve.inner_iterations as f64;
                    let ratios = [0, 1].map(|which| removal.without[which] / removal.with[which]);
                    [removal.time_ratio, removal.iteration_ratio] =
                        ratios.map(|ratio| Some(ratio).filter(|ratio| ratio.is_finite()));
                }
            }
        }
    }

    fn entry(&mut self, stage: &str) -> &mut Worth {
        let known = self.stages.iter().position(|worth| worth.stage == stage);
        let index = known.unwrap_or_else(|| {
            self.stages.push(Worth {
                stage: stage.to_owned(),
                ..Worth::default()
            });
            self.stages.len() - 1
        });
        &mut self.stages[index]
    }

    pub(super) fn to_json(&self, solver: &str, tolerance: f64) -> Value {
        let stages = self.stages.iter().map(|worth| {
            let removal = worth.removal.as_ref().map(|removal| {
                json!({
                    "lost": removal.lost,
                    "gained": removal.gained,
                    "time_ratio": removal.time_ratio,
                    "iteration_ratio": removal.iteration_ratio,
                })
            });
            json!({
                "stage": worth.stage,
                "reached": worth.reached,
                "won": worth.won,
                "decades": worth.decades,
                "without": removal,
            })
        });
        json!({
            "solver": solver,
            "tolerance": tolerance,
            "problems": self.problems,
            "solved": self.solved,
            "unsolved": self.unsolved,
            "stages": stages.collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_constraints::Stages;

    #[test]
    fn losses_gains_and_ratios_are_told_apart() {
        let solve = |is_solved, seconds, inner_iterations| Solve {
            is_solved,
            seconds,
            inner_iterations,
            stages: Vec::new(),
        };
        let mut stages = Stages::default();
        stages.note("loop", 3, 1.0, 1e-2);
        stages.note("finish", 1, 1e-2, 1e-9);
        let mut full = solve(true, 1.0, 4);
        full.stages = stages.to_vec();
        let mut tally = Tally::new(&["finish"]);
        tally.add("both", &full, &[solve(true, 3.0, 6)]);
        tally.add("lost", &full, &[solve(false, 9.0, 9)]);
        tally.add("gained", &solve(false, 9.0, 9), &[solve(true, 1.0, 1)]);
        assert_eq!((tally.problems, tally.solved), (3, 2));
        let finish = &tally.stages[0];
        assert_eq!((finish.reached, finish.won), (2, 2));
        assert!((finish.decades - 14.0).abs() < 1e-9);
        let removal = finish.removal.as_ref().unwrap();
        assert_eq!(
            (&removal.lost[..], &removal.gained[..]),
            (&["lost".to_owned()][..], &["gained".to_owned()][..])
        );
        assert_eq!(
            (removal.time_ratio, removal.iteration_ratio),
            (Some(3.0), Some(1.5))
        );
        // The loop cannot be left out, and never had the last word.
        assert_eq!((tally.stages[1].won, &tally.stages[1].removal), (0, &None));
    }
}
