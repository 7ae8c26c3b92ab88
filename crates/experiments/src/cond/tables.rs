//! Soft bodies and a cable that robots handle: tables II, III, V, VI and IX, figures 7 to 10.

use super::assembly::{self, Times};
use super::follow::{Ending, Track, Way, follow, mean, start_of};
use super::handled::{Handled, published_way};
use super::progress::{self, Limit};
use super::variants::STIFF_STEPS;
use crate::Run;
use crate::chart::{Chart, Curve, Scale, grid};
use crate::error::{ExperimentError, Result};
use crate::report::{Figure, Section, Table};
use crate::statement::{How, Statement};

/// COND where nothing needs virtual nodes.
pub(super) const COND: &str = "cond-bb";
/// How many solvers of a table are the paper's.
const PAPERS: usize = 3;
const PLAIN: usize = 5;
const SHIFTED: usize = 6;
/// To what the truth is solved, m/s, by whom.
pub(super) const TRUTH: (&str, Ending) = ("canal", Ending::Residual(1e-12));
/// Share of the printed ratios of times that must be reached.
const SHARE: f64 = 0.5;
const ALLOWED: f64 = 1.5;

/// A table of the paper.
pub(super) struct Printed {
    pub(super) handled: Handled,
    /// COND with the better one here of the step matrices of section IV-C, of which the paper does not say which it has where.
    pub(super) cond: &'static str,
    /// With the acceleration and without, of which table IX is.
    pub(super) accelerated: [&'static str; 2],
    pub(super) heading: &'static str,
    pub(super) table: &'static str,
    pub(super) figure: &'static str,
    /// Threshold of ‖Δv̂‖, m/s.
    pub(super) test: f64,
    /// Steps after which it is followed, and how many each time, in a whole and in a quick run.
    pub(super) windows: [(&'static [usize], usize); 2],
    /// Problems of each window whose solves are timed.
    pub(super) samples: usize,
    /// MP (mm), index error, ST (ms), IN of `cond`, `pgs` and `apgd`.
    pub(super) rows: [[f64; 4]; 3],
    /// Times of pgs and apgd over that of cond, as the paper says them in round numbers.
    pub(super) ratios: [f64; 2],
    /// Iterations without acceleration, table IX.
    pub(super) plain: f64,
}

impl Printed {
    /// The solvers of the table: the paper's three, then others for comparison, which only the first trial has.
    fn solvers(&self) -> [&'static str; 7] {
        let [accelerated, plain] = self.accelerated;
        [
            self.cond,
            "pgs",
            "apgd",
            accelerated,
            "cond",
            plain,
            "cond-shifted",
        ]
    }
}

/// What a trial showed.
struct Trial {
    truth: Track,
    /// By solver; those beyond the paper's only in the first trial.
    tracks: Vec<Track>,
    times: Vec<Times>,
}

/// One trial; the first one has all solvers and is timed. `done` is where it begins in the section's work, and its share of it.
fn trial(
    run: &mut Run<'_>,
    printed: &Printed,
    (number, is_first): (usize, bool),
    done: [f64; 2],
) -> Result<Trial> {
    let handled = printed.handled;
    let way = match (handled, run.data()) {
        (Handled::Cable, Some(folder)) => Some(published_way(folder)?),
        _ => None,
    };
    let [from, share] = done;
    let tell = |run: &mut Run<'_>, at: f64, what: &str| {
        let what = format!("{}, trial {}: {what}", handled.scene(), number + 1);
        run.tell(from + share * at, &what)
    };
    tell(run, 0.0, "start")?;
    let mut scene = handled.build(handled.drawn(number), way.as_deref())?;
    let own = scene.world.solver_name().to_owned();
    let solvers = printed.solvers();
    let solvers = &solvers[..if is_first { solvers.len() } else { PAPERS }];
    let (windows, steps) = run.or_quick(printed.windows[0], printed.windows[1]);
    let (mut truth, mut tracks) = (Track::default(), Vec::new());
    tracks.resize_with(solvers.len(), Track::default);
    let (mut at, mut start) = (0, scene.world.snapshot());
    for (number, &skip) in windows.iter().enumerate() {
        let share = |part: f64| 0.9 * (number as f64 + part) / windows.len() as f64;
        tell(run, share(0.0), "start")?;
        scene.world.restore(&start)?;
        scene.world.set_solver(&own)?;
        start = start_of(run, &mut scene, skip - at)?;
        at = skip;
        let way = Way {
            handled,
            start: &start,
            steps,
            samples: 0,
        };
        tell(run, share(0.2), "truth")?;
        truth.join(follow(run, &mut scene, way, TRUTH.0, TRUTH.1)?);
        for (index, (solver, track)) in solvers.iter().zip(&mut tracks).enumerate() {
            tell(run, share(0.3 + 0.1 * index as f64), solver)?;
            let samples = match (is_first, index) {
                (true, 0) => printed.samples,
                _ => 0,
            };
            let way = Way { samples, ..way };
            let ending = Ending::Change(printed.test);
            track.join(follow(run, &mut scene, way, solver, ending)?);
        }
    }
    tell(run, 0.9, "times")?;
    let samples = tracks[0].log.samples.iter();
    let ending = Ending::Change(printed.test);
    let times =
        samples.map(|sample| assembly::times(printed.cond, ending, sample, run.stop_flag()));
    Ok(Trial {
        truth,
        times: times.collect::<Result<_>>()?,
        tracks,
    })
}

/// Mean of something over the trials that have a solver.
fn over(trials: &[Trial], solver: usize, value: impl Fn(&Track, &Track) -> f64) -> f64 {
    let all = trials.iter().filter_map(|trial| {
        let track = trial.tracks.get(solver)?;
        Some(value(track, &trial.truth))
    });
    mean(&all.collect::<Vec<_>>())
}

/// A table made anew.
pub(super) fn section(run: &mut Run<'_>, printed: &Printed) -> Result<Section> {
    let count = run.trials(20, 1).max(1);
    let (mut trials, mut left_out) = (Vec::new(), String::new());
    for number in 0..count {
        let share = 1.0 / count as f64;
        let done = [number as f64 * share, share];
        match trial(run, printed, (number, trials.is_empty()), done) {
            Ok(trial) => trials.push(trial),
            Err(ExperimentError::Interrupted) => return Err(ExperimentError::Interrupted),
            // One that cannot be simulated is left out, and said; without any there is nothing to report.
            Err(error) if number + 1 == count && trials.is_empty() => return Err(error),
            Err(error) => left_out += &format!(" Trial {} could not be run: {error}.", number + 1),
        }
    }
    let first = &trials[0];
    let contacts = first.tracks[0].contacts;
    let begins = run.or_quick(printed.windows[0], printed.windows[1]).0;
    let begins: Vec<_> = (begins.iter())
        .map(|&step| format!("{:.2}", 0.01 * step as f64))
        .collect();
    Ok(Section {
        heading: printed.heading.to_owned(),
        text: format!(
            "The built-in scene `{}`{} with Young's modulus, Poisson's ratio and friction drawn from the paper's ranges, {count} \
             trials: {} steps of 10 ms, {} from {} s on, about {contacts:.0} contacts a step. It is handled at {:.2} of the scene's own pace: the paper \
             publishes no times but the cable's, and what iterations have to make up for is how velocity changed since the last step. Every solver begins in \
             the same state, is ended by ‖Δv̂‖ ≤ {:.0e} m/s (of impulses by ‖A⁻¹JᵀΔλ‖, at the latest after 2000 iterations), and starts \
             from the last step's velocity or impulses. MP: largest penetration of a step. {}: mean over steps of how far the norm of {} is \
             from that of `{}` to 1e-12 m/s{}. DT and ST: processor time of the thread for everything but solves, and for solves. IN: \
             iterations. The rows of the paper's tables are in brackets; COND is `{}` here: `cond-bb` has W by Barzilai and Borwein, `cond-frobenius` \
             W by the Frobenius norm as printed, which mixes metres and radians, and the acceleration as printed; `cond-paper` the same with W \
             independent of units, names that end in `plain` no acceleration, `cond-shifted` the multiplier: those beyond the first three run the first \
             trial only. `stiff`: virtual nodes have k_v = 1e8 N·s/m, elsewhere 100 times the mass that they see; the paper names no k_v for its tables.",
            printed.handled.scene(),
            match (printed.handled, run.data()) {
                (Handled::Cable, Some(_)) => ", its hand led along the published way,",
                _ => "",
            },
            first.truth.steps,
            run.or_quick(printed.windows[0], printed.windows[1]).1,
            begins.join(", "),
            printed.handled.pace(),
            printed.test,
            printed.handled.index_word(),
            match printed.handled {
                Handled::Mat | Handled::Ball => "the internal forces on its nodes",
                Handled::Cable => "the cable's force on the hand",
                Handled::Gripper => "a finger's force on the part",
            },
            TRUTH.0,
            match printed.handled {
                Handled::Gripper => ". DE: mean distance of its nodes from there at the end",
                _ => "",
            },
            printed.cond,
        ) + &left_out,
        statements: statements(printed, &trials)?,
        tables: tables(printed, &trials)?,
        figures: vec![figure(printed, first)?],
    })
}

fn tables(printed: &Printed, trials: &[Trial]) -> Result<Vec<Table>> {
    let mut table = Table {
        caption: format!(
            "{}, means over trials and steps, the paper's in brackets",
            printed.table
        ),
        header: [
            "solver",
            "MP (mm)",
            printed.handled.index_word(),
            "DE (mm)",
            "DT (ms)",
            "ST (ms)",
            "IN",
            "solves at the limit",
            "steps",
        ]
        .map(str::to_owned)
        .into(),
        rows: Vec::new(),
    };
    for (index, solver) in printed.solvers().iter().enumerate() {
        let beside = |value: String, column: usize| match printed.rows.get(index) {
            Some(row) => format!("{value} ({})", row[column]),
            None => value,
        };
        let of = |value: fn(&Track, &Track) -> f64| over(trials, index, value);
        let displacement = match printed.handled {
            Handled::Gripper => format!("{:.4}", 1e3 * of(Track::displacement_error)),
            _ => "".to_owned(),
        };
        let tracks = || trials.iter().filter_map(|trial| trial.tracks.get(index));
        let ends = tracks().filter_map(|track| track.end.as_deref());
        let ends: Vec<&str> = ends.collect();
        let steps: usize = tracks().map(|track| track.steps).sum();
        let at_limit: usize = tracks().map(|track| track.log.at_limit).sum();
        let solves: usize = tracks().map(|track| track.log.solves).sum();
        table.rows.push(vec![
            (*solver).to_owned(),
            beside(
                format!("{:.5}", 1e3 * of(|track, _| track.penetration())),
                0,
            ),
            beside(format!("{:.2e}", of(Track::index_error)), 1),
            displacement,
            format!("{:.2}", 1e3 * of(|track, _| track.dynamics_time())),
            beside(
                format!("{:.2}", 1e3 * of(|track, _| track.solver_time())),
                2,
            ),
            beside(format!("{:.1}", of(|track, _| track.iterations())), 3),
            format!("{at_limit} of {solves}"),
            match ends.first() {
                Some(error) => format!("{steps}; {} trials ended by: {error}", ends.len()),
                None => steps.to_string(),
            },
        ]);
    }
    let mut timed = Table::new(
        "Solves of problems of the first trial: smallest of five interleaved runs, mean over the problems, ms. The paper's assembly \
         of G is a solve with the factor of A for each row and a dense product; ours is that of the solvers",
        [
            "problems",
            "cond",
            "assembly of the paper",
            "pgs, its assembly",
            "apgd, its assembly",
            "pgs, our assembly",
            "apgd, our assembly",
        ],
    );
    let times = &trials[0].times;
    let of = |value: &dyn Fn(&Times) -> f64| {
        format!(
            "{:.3}",
            1e3 * mean(&times.iter().map(value).collect::<Vec<_>>())
        )
    };
    timed.rows.push(vec![
        times.len().to_string(),
        of(&|times| times.cond),
        of(&|times| times.assembly),
        of(&|times| times.printed[0]),
        of(&|times| times.printed[1]),
        of(&|times| times.ours[0]),
        of(&|times| times.ours[1]),
    ]);
    let mut out = vec![table, timed];
    if let Some(sample) = trials[0].tracks[0].log.samples.first() {
        let [accelerated, plain] = printed.accelerated;
        let variants = [STIFF_STEPS, accelerated, "cond", plain];
        out.push(progress::table(&variants, printed.test, sample)?);
    }
    Ok(out)
}

fn statements(printed: &Printed, trials: &[Trial]) -> Result<Vec<Statement>> {
    let stop = Ending::Change(printed.test).word();
    let how = |solver: &str, what: &str| How::new(solver, what, stop.clone());
    let table = printed.table;
    let ran = trials.iter().all(|trial| trial.tracks[0].end.is_none());
    let iterations = |solver: usize| over(trials, solver, |track, _| track.iterations());
    let wanted = ALLOWED * printed.rows[0][3];
    let limit = match trials[0].tracks[0].log.samples.first() {
        Some(sample) => format!("; {}", Limit::of(sample, printed.test)?.words(printed.test)),
        None => String::new(),
    };
    let mut out = vec![Statement::judged(
        format!("{table}: cond takes at most 1.5 times the printed iterations, {wanted:.0}"),
        &how(printed.cond, "iterations"),
        format!("{:.1}{limit}", iterations(0)),
        ran && iterations(0) <= wanted,
    )];
    let penetration = |solver: usize| 1e3 * over(trials, solver, |track, _| track.penetration());
    let least = penetration(1).min(penetration(2));
    out.push(Statement::judged(
        format!("{table}: cond has the smallest penetration"),
        &how(
            &format!("{}, pgs, apgd", printed.cond),
            "mean over steps of the largest penetration",
        ),
        format!(
            "{:.5} mm, the others {least:.5} mm at least; in the first trial {:.5} mm, and {:.5} mm with the multiplier of cond-shifted: \
             virtual nodes lag behind by λ/k_v",
            penetration(0),
            1e3 * trials[0].tracks[0].penetration(),
            1e3 * trials[0].tracks[SHIFTED].penetration(),
        ),
        // To a nanometre: what is below it is rounding.
        ran && penetration(0) <= least + 1e-6,
    ));
    // On the same trial.
    let one = |solver: usize| trials[0].tracks[solver].iterations();
    out.push(Statement::judged(
        format!(
            "Table IX: Chebyshev acceleration at least halves the iterations ({} to {})",
            printed.plain, printed.rows[0][3]
        ),
        &how(&printed.accelerated.join(", "), "iterations"),
        format!("{:.1} to {:.1}", one(PLAIN), one(PAPERS)),
        2.0 * one(PAPERS) <= one(PLAIN),
    ));
    let times = &trials[0].times;
    for (index, (solver, ratio)) in ["pgs", "apgd"].into_iter().zip(printed.ratios).enumerate() {
        let sum = |value: &dyn Fn(&Times) -> f64| times.iter().map(value).sum::<f64>();
        let cond = sum(&|times| times.cond);
        let as_printed = sum(&|times| times.printed[index]) / cond;
        let ours = sum(&|times| times.ours[index]) / cond;
        out.push(Statement::judged(
            format!(
                "{table}: cond is at least half as many times as fast as {solver} as printed ({ratio} times), that is {:.0} times",
                SHARE * ratio
            ),
            &how(
                &format!("{}, {solver}", printed.cond),
                "processor time of solves, assembly as in the paper",
            ),
            format!("{as_printed:.2} times; with our assembly {ours:.2} times"),
            as_printed >= SHARE * ratio,
        ));
    }
    Ok(out)
}

fn figure(printed: &Printed, trial: &Trial) -> Result<Figure> {
    let solvers = printed.solvers();
    let chart =
        |label: &str, scale: Scale, values: &dyn Fn(&Track) -> Vec<f64>, with_truth: bool| {
            let named = solvers[..PAPERS].iter().zip(&trial.tracks);
            let truth = with_truth.then_some((&"to 1e-12", &trial.truth));
            let curves = named.chain(truth).enumerate();
            Chart {
                title: String::new(),
                x_label: "time (s)".to_owned(),
                y_label: label.to_owned(),
                scale,
                curves: curves
                    .map(|(color, (name, track))| Curve {
                        label: (*name).to_owned(),
                        color,
                        points: (values(track).into_iter().enumerate())
                            .map(|(step, value)| (0.01 * step as f64, value))
                            .collect(),
                    })
                    .collect(),
                legend: true,
            }
        };
    let depth = |track: &Track| track.penetrations.iter().map(|depth| 1e3 * depth).collect();
    let charts = [
        chart(
            "largest penetration (mm)",
            Scale::LogarithmicY,
            &depth,
            false,
        ),
        chart(
            printed.handled.index_word(),
            Scale::Linear,
            &|track| track.index.clone(),
            true,
        ),
    ];
    Ok(Figure {
        name: printed.handled.scene().to_owned(),
        caption: "Largest penetration of each step, and the force, in the first trial".to_owned(),
        svg: grid(printed.heading, &charts, 2, (1100, 420))?,
        paper: format!(
            "{}: the penetration of cond lies lowest throughout, the forces lie on each other",
            printed.figure
        ),
    })
}
