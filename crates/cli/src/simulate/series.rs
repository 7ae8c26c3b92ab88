//! What is kept of the steps of a run. Memory stays bounded however long the run is.

use stiction_sim::{EnergyGain, EnergyLedger, EnergyWatch, StageTimes, StepReport, World};

/// One step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Sample {
    /// Simulated time at its end, s.
    pub(crate) time: f64,
    /// Wall-clock time by stage, s.
    pub(crate) stages: StageTimes,
    pub(crate) contacts: usize,
    pub(crate) rows: usize,
    pub(crate) islands: usize,
    pub(crate) iterations: usize,
    /// Of robots that nothing touched.
    pub(crate) substeps: usize,
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
    /// Errors of joints, m and rad, and the largest in comparison with the size of its links.
    pub(crate) joint_distance: f64,
    pub(crate) joint_angle: f64,
    pub(crate) joint_relative: f64,
    /// Energy that nobody put in, J.
    pub(crate) gained: f64,
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
            substeps: report.substeps,
            residual: report.residual,
            penetration: report.penetration,
            kinetic_energy: report.kinetic_energy,
            potential_energy: report.potential_energy,
            converged: report.unconverged == 0,
            held: report.delayed_pushes > 0,
            joint_distance: report.joints.distance,
            joint_angle: report.joints.angle,
            joint_relative: report.joints.relative,
            gained: 0.0,
        }
    }
}

/// The steps of a run: all of them up to [`MOST`](Series::MOST), beyond that every second, fourth, …
/// of them. Means, largest values and counts are always of all steps.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    pub(crate) samples: Vec<Sample>,
    /// Every so many steps one is kept.
    stride: usize,
    count: usize,
    unconverged: usize,
    held: usize,
    /// Sums over all steps, quantity by quantity.
    sum: Sample,
    /// Largest values of all steps, quantity by quantity; times are those of the slowest step.
    largest: Sample,
    last: Option<Sample>,
    /// Work of all steps, and the watch for energy that nobody put in.
    ledger: EnergyLedger,
    watch: EnergyWatch,
    gain: Option<EnergyGain>,
}

impl Default for Series {
    fn default() -> Self {
        Self {
            samples: Vec::new(),
            stride: 1,
            count: 0,
            unconverged: 0,
            held: 0,
            sum: Sample::default(),
            largest: Sample::default(),
            last: None,
            ledger: EnergyLedger::default(),
            watch: EnergyWatch::default(),
            gain: None,
        }
    }
}

impl Series {
    /// Most steps that are kept: about 10 MB of them.
    const MOST: usize = 1 << 16;

    /// Takes in the last step of a world. Returns what is to be said of energy that nobody put in, once.
    pub(crate) fn take(&mut self, world: &World) -> Option<&EnergyGain> {
        let report = world.report();
        self.ledger.add(&report.energy);
        let gain = self.watch.look(world);
        self.push(Sample {
            gained: self.watch.gained(),
            ..Sample::from(report)
        });
        gain.as_ref()?;
        self.gain = gain;
        self.gain.as_ref()
    }

    /// Takes in the next step.
    fn push(&mut self, sample: Sample) {
        if self.count.is_multiple_of(self.stride) {
            if self.samples.len() == Self::MOST {
                let mut number = 0;
                self.samples.retain(|_| {
                    number += 1;
                    number % 2 == 1
                });
                self.stride *= 2;
            }
            if self.count.is_multiple_of(self.stride) {
                self.samples.push(sample);
            }
        }
        self.count += 1;
        self.unconverged += usize::from(!sample.converged);
        self.held += usize::from(sample.held);
        let (sum, largest) = (&mut self.sum, &mut self.largest);
        sum.stages.control += sample.stages.control;
        sum.stages.detect += sample.stages.detect;
        sum.stages.assemble += sample.stages.assemble;
        sum.stages.solve += sample.stages.solve;
        sum.stages.integrate += sample.stages.integrate;
        if sample.stages.total() > largest.stages.total() {
            largest.stages = sample.stages;
        }
        sum.contacts += sample.contacts;
        largest.contacts = largest.contacts.max(sample.contacts);
        sum.iterations += sample.iterations;
        largest.iterations = largest.iterations.max(sample.iterations);
        sum.substeps += sample.substeps;
        largest.substeps = largest.substeps.max(sample.substeps);
        sum.residual += sample.residual;
        largest.residual = largest.residual.max(sample.residual);
        sum.penetration += sample.penetration;
        largest.penetration = largest.penetration.max(sample.penetration);
        sum.joint_distance += sample.joint_distance;
        largest.joint_distance = largest.joint_distance.max(sample.joint_distance);
        sum.joint_angle += sample.joint_angle;
        largest.joint_angle = largest.joint_angle.max(sample.joint_angle);
        largest.joint_relative = largest.joint_relative.max(sample.joint_relative);
        self.last = Some(sample);
    }

    /// Steps made.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The last step.
    pub(crate) fn last(&self) -> Option<&Sample> {
        self.last.as_ref()
    }

    /// Sum over all steps of a quantity that is a sum of time, contacts, iterations, residual or
    /// penetration.
    pub(crate) fn total(&self, value: impl Fn(&Sample) -> f64) -> f64 {
        value(&self.sum)
    }

    /// The sorted values of one quantity in the steps that are kept.
    pub(crate) fn sorted(&self, value: impl Fn(&Sample) -> f64) -> Vec<f64> {
        let mut values: Vec<f64> = self.samples.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        values
    }

    /// Mean, median, 99th percentile and largest value of such a quantity; zeros without steps.
    pub(crate) fn spread(&self, value: impl Fn(&Sample) -> f64) -> [f64; 4] {
        if self.count == 0 {
            return [0.0; 4];
        }
        let (mean, largest) = (value(&self.sum) / self.count as f64, value(&self.largest));
        let sorted = self.sorted(value);
        let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
        [mean, at(0.5), at(0.99), largest]
    }

    /// Wall-clock time of all steps, s.
    pub(crate) fn wall_time(&self) -> f64 {
        self.sum.stages.total()
    }

    /// Simulated seconds per wall-clock second.
    pub(crate) fn real_time_factor(&self) -> f64 {
        let simulated = self.last.map_or(0.0, |last| last.time);
        let wall = self.wall_time();
        if wall > 0.0 { simulated / wall } else { 0.0 }
    }

    /// Steps with bodies that overlap and could not be pushed apart.
    pub(crate) fn held(&self) -> usize {
        self.held
    }

    /// Work of all steps, by what did it.
    pub(crate) fn ledger(&self) -> &EnergyLedger {
        &self.ledger
    }

    /// Most energy that nobody put in at any time, J.
    pub(crate) fn largest_gain(&self) -> f64 {
        self.watch.largest()
    }

    /// Energy that nobody put in, if it was more than the time step explains.
    pub(crate) fn gain(&self) -> Option<&EnergyGain> {
        self.gain.as_ref()
    }

    /// Largest error of a joint between bodies in comparison with the size of its links.
    pub(crate) fn largest_joint_error(&self) -> f64 {
        self.largest.joint_relative
    }

    /// Steps in which some island did not reach the tolerance.
    pub(crate) fn unconverged(&self) -> usize {
        self.unconverged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_of_a_hundred_and_one_steps() {
        let report = StepReport::default();
        let mut series = Series::default();
        for k in 0..=100 {
            series.push(Sample {
                residual: f64::from(100 - k),
                ..Sample::from(&report)
            });
        }
        assert_eq!(series.spread(|s| s.residual), [50.0, 50.0, 99.0, 100.0]);
        assert_eq!(Series::default().spread(|s| s.residual), [0.0; 4]);
        assert_eq!(Series::default().real_time_factor(), 0.0);
    }

    #[test]
    fn a_long_run_keeps_some_steps_and_counts_all() {
        let mut series = Series::default();
        let count = 5 * Series::MOST;
        for k in 0..count {
            series.push(Sample {
                time: k as f64,
                residual: k as f64,
                converged: k % 2 == 0,
                ..Sample::default()
            });
        }
        assert!(series.samples.len() <= Series::MOST && series.samples.len() > Series::MOST / 4);
        assert!(
            series
                .samples
                .windows(2)
                .all(|pair| pair[1].time - pair[0].time == 8.0)
        );
        let [mean, median, high, largest] = series.spread(|s| s.residual);
        assert_eq!(mean, (count - 1) as f64 / 2.0);
        assert_eq!(largest, (count - 1) as f64);
        assert!((median / count as f64 - 0.5).abs() < 1e-3);
        assert!((high / count as f64 - 0.99).abs() < 1e-3);
        assert_eq!((series.count(), series.unconverged()), (count, count / 2));
    }
}
