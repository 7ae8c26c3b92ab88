//! What is kept of every step of a run.

use stiction_sim::{StageTimes, StepReport};

/// One step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sample {
    /// Simulated time at its end, s.
    pub(crate) time: f64,
    /// Wall-clock time by stage, s.
    pub(crate) stages: StageTimes,
    pub(crate) contacts: usize,
    pub(crate) rows: usize,
    pub(crate) islands: usize,
    pub(crate) iterations: usize,
    /// m/s
    pub(crate) residual: f64,
    /// m
    pub(crate) penetration: f64,
    /// J
    pub(crate) kinetic_energy: f64,
    /// J
    pub(crate) potential_energy: f64,
    pub(crate) converged: bool,
    /// Whether contacts that cannot be pushed apart were held.
    pub(crate) held: bool,
}

impl From<&StepReport> for Sample {
    fn from(report: &StepReport) -> Self {
        Self {
            time: report.time,
            stages: report.stages,
            contacts: report.contacts,
            rows: report.rows,
            islands: report.islands,
            iterations: report.iterations,
            residual: report.residual,
            penetration: report.penetration,
            kinetic_energy: report.kinetic_energy,
            potential_energy: report.potential_energy,
            converged: report.unconverged == 0,
            held: report.held_contacts > 0,
        }
    }
}

/// All steps of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Series {
    pub(crate) samples: Vec<Sample>,
}

impl Series {
    /// The sorted values of one quantity.
    pub(crate) fn sorted(&self, value: impl Fn(&Sample) -> f64) -> Vec<f64> {
        let mut values: Vec<f64> = self.samples.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        values
    }

    /// Mean, median, 99th percentile and largest value of one quantity; zeros without steps.
    pub(crate) fn spread(&self, value: impl Fn(&Sample) -> f64) -> [f64; 4] {
        let sorted = self.sorted(value);
        let Some(&largest) = sorted.last() else {
            return [0.0; 4];
        };
        let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
        let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
        [mean, at(0.5), at(0.99), largest]
    }

    /// Wall-clock time of all steps, s.
    pub(crate) fn wall_time(&self) -> f64 {
        self.samples.iter().map(|s| s.stages.total()).sum()
    }

    /// Simulated seconds per wall-clock second.
    pub(crate) fn real_time_factor(&self) -> f64 {
        let simulated = self.samples.last().map_or(0.0, |last| last.time);
        let wall = self.wall_time();
        if wall > 0.0 { simulated / wall } else { 0.0 }
    }

    /// Steps with bodies that overlap and could not be pushed apart.
    pub(crate) fn held(&self) -> usize {
        self.samples.iter().filter(|s| s.held).count()
    }

    /// Steps in which some island did not reach the tolerance.
    pub(crate) fn unconverged(&self) -> usize {
        self.samples.iter().filter(|s| !s.converged).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_of_a_hundred_and_one_steps() {
        let report = StepReport::default();
        let samples = (0..=100).map(|k| Sample {
            residual: f64::from(100 - k),
            ..Sample::from(&report)
        });
        let series = Series {
            samples: samples.collect(),
        };
        assert_eq!(series.spread(|s| s.residual), [50.0, 50.0, 99.0, 100.0]);
        assert_eq!(Series::default().spread(|s| s.residual), [0.0; 4]);
        assert_eq!(Series::default().real_time_factor(), 0.0);
    }
}
