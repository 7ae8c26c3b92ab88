//! The table that papers lack: time to the same residual.

use std::time::Duration;

use stiction_constraints::{Budget, Solution};
use stiction_scenes::{Options, Scene, SoftChoice};
use stiction_sim::solvers::make;

use super::follow::{Sample, problems_of};
use super::handled::Handled;
use crate::Run;
use crate::error::Result;
use crate::report::{Section, Table};
use crate::statement::{How, Statement};
use crate::timing::{on_one_thread, processor_time};

/// Soft scenes, then those where COND is said to lose; the simulated time after which problems are taken in a whole and in a quick
/// run, s, and the paper's scene that it is, which can be cut.
const SCENES: [(&str, [f64; 2], Option<Handled>); 8] = [
    ("soft-mat", [0.8, 0.4], Some(Handled::Mat)),
    ("soft-ball", [0.35, 0.25], Some(Handled::Ball)),
    ("cable-winding", [5.0, 5.0], Some(Handled::Cable)),
    ("soft-gripper", [0.5, 0.25], Some(Handled::Gripper)),
    ("beam-insertion", [0.5, 0.1], None),
    ("stirring", [0.8, 0.2], None),
    ("dish-piling", [0.5, 0.3], None),
    ("bolt-nut", [0.2, 0.1], None),
];
/// So many of the scenes are soft.
const SOFT: usize = 5;
/// The solver, whether on bodies cut into pieces, and its name here.
const SOLVERS: [(&str, bool, &str); 9] = [
    ("cond", false, "cond"),
    ("cond-shifted", false, "cond-shifted"),
    ("cond-bb", false, "cond-bb"),
    ("subadmm", false, "subadmm"),
    ("subadmm", true, "subadmm, cut"),
    ("canal", false, "canal"),
    ("pgs", false, "pgs"),
    ("apgd", false, "apgd"),
    ("ccs", false, "ccs"),
];
const TOLERANCES: [f64; 3] = [1e-3, 1e-4, 1e-6];
/// What the soft scenes are solved to by default, m/s, and by whom.
const THEIRS: (f64, &str) = (1e-6, "canal");
/// Processor time after which a solve is given up, s, whole and quick.
const PATIENCE: [f64; 2] = [2.0, 0.25];
/// Problems of each scene, whole and quick, and the steps that they are spread over.
const PROBLEMS: [usize; 2] = [2, 1];
const WINDOW: [usize; 2] = [24, 4];

/// Where solves begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// From nothing.
    Cold,
    /// From the velocity and impulses of the step before.
    Warm,
}

/// Times of one scene to one tolerance: s, or the residual at which it was given up.
type Row = Vec<std::result::Result<f64, f64>>;
/// Scene, tolerance and times.
type Rows = Vec<(&'static str, f64, Row)>;

pub(super) fn section(run: &mut Run<'_>) -> Result<Section> {
    let starts = run.or_quick(&[Start::Warm, Start::Cold][..], &[Start::Warm][..]);
    let mut all: Vec<Rows> = starts.iter().map(|_| Rows::new()).collect();
    for (number, &(name, seconds, handled)) in SCENES.iter().enumerate() {
        let done = number as f64 / SCENES.len() as f64;
        run.tell(done, name)?;
        let seconds = run.or_quick(seconds[0], seconds[1]);
        let mut scene = stiction_scenes::build(name, &Options::default())?;
        let whole = samples(run, &mut scene, seconds)?;
        if whole.is_empty() {
            continue;
        }
        let cut = match handled {
            Some(handled) if !run.is_quick() => {
                let choice = SoftChoice {
                    is_cut: true,
                    ..handled.middle()
                };
                samples(run, &mut handled.build(choice, None)?, seconds)?
            }
            _ => Vec::new(),
        };
        for (&start, rows) in starts.iter().zip(&mut all) {
            let mut last: Row = vec![Ok(0.0); SOLVERS.len()];
            for &tolerance in run.or_quick(&TOLERANCES[..], &TOLERANCES[2..]) {
                let mut row = Row::new();
                for ((solver, is_cut, word), before) in SOLVERS.into_iter().zip(&last) {
                    run.tell(done, &format!("{name} to {tolerance:.0e} with {word}"))?;
                    let samples = if is_cut { &cut } else { &whole };
                    row.push(match before {
                        // What was not reached is none the nearer for being asked for more.
                        Err(residual) => Err(*residual),
                        Ok(_) => time_to(solver, samples, start, tolerance, run)?,
                    });
                }
                last.clone_from(&row);
                rows.push((name, tolerance, row));
            }
        }
    }
    let tables = starts.iter().zip(&all).map(|(&start, rows)| {
        let from = match start {
            Start::Warm => "from the velocity and impulses of the step before",
            Start::Cold => "from no guess",
        };
        table(from, rows, run.or_quick(PATIENCE[0], PATIENCE[1]))
    });
    let tables = tables.collect();
    // Scenes start their solves from the last step: that is what a recommendation is about.
    let rows = &all[0];
    Ok(Section {
        heading: "Time to the same residual".to_owned(),
        text: format!(
            "{} problems of each scene, the largest of their steps, solved by every solver until the same residual of the same evaluator; smallest of two runs where a run takes less than a tenth of a second, of one else; mean over the problems. Times include all factors that a solver needs, and for cond and ccs those of measuring the residual. `cond` and `cond-bb` solve a model with virtual nodes: where these are needed its residual of the true problem stays above λ/k_v; `apgd` solves the convex cone model, which is another problem wherever something slips. Cut bodies have pieces of 400 nodes, or four links, and the middle of the paper's parameters; `beam-insertion` comes cut, and there is no other. {}",
            run.or_quick(PROBLEMS[0], PROBLEMS[1]),
            recommendation(rows)
        ),
        statements: vec![followed(rows)],
        tables,
        figures: Vec::new(),
    })
}

fn table(from: &str, rows: &Rows, patience: f64) -> Table {
    let mut table = Table {
        caption: format!(
            "Processor time (ms), {from}, to a scaled residual (m/s) of the true problem; in brackets the residual where it was not \
             reached in {patience} s, a dash where there is nothing to cut"
        ),
        header: vec!["scene".to_owned(), "residual".to_owned()],
        rows: Vec::new(),
    };
    table
        .header
        .extend(SOLVERS.map(|solver| solver.2.to_owned()));
    for (scene, tolerance, row) in rows {
        let mut cells = vec![(*scene).to_owned(), format!("{tolerance:.0e}")];
        cells.extend(row.iter().map(|time| match time {
            Ok(seconds) => format!("{:.2}", 1e3 * seconds),
            Err(residual) if residual.is_nan() => "–".to_owned(),
            Err(residual) => format!("({residual:.0e})"),
        }));
        table.rows.push(cells);
    }
    table
}

/// The fastest solver of a row, by its number.
fn fastest(row: &Row) -> Option<usize> {
    let reached = row
        .iter()
        .enumerate()
        .filter_map(|(index, time)| Some((index, (*time).ok()?)));
    reached
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(index, _)| index)
}

fn is_soft(scene: &str) -> bool {
    SCENES[..SOFT].iter().any(|soft| soft.0 == scene)
}

/// What the rows recommend, in words.
fn recommendation(rows: &Rows) -> String {
    let words = TOLERANCES.iter().filter_map(|&tolerance| {
        let of = |soft: bool| {
            let rows = rows
                .iter()
                .filter(|row| row.1 == tolerance && is_soft(row.0) == soft);
            let names = rows.map(|row| match fastest(&row.2) {
                Some(index) => format!("{} on {}", SOLVERS[index].2, row.0),
                None => format!("none on {}", row.0),
            });
            names.collect::<Vec<_>>().join(", ")
        };
        let (soft, hard) = (of(true), of(false));
        (!soft.is_empty()).then(|| format!("To {tolerance:.0e} m/s the first are {soft}; {hard}."))
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Whether the soft scenes' own solver is the one to take at the tightest tolerance that was run.
fn followed(rows: &Rows) -> Statement {
    let tightest = rows
        .iter()
        .map(|row| row.1)
        .fold(f64::INFINITY, f64::min)
        .max(THEIRS.0);
    let soft: Vec<_> = rows
        .iter()
        .filter(|row| row.1 == tightest && is_soft(row.0))
        .collect();
    // The geometric mean of times over the scenes, infinite where one is not solved.
    let mean = |solver: usize| {
        let logarithms = soft
            .iter()
            .map(|row| row.2[solver].map_or(f64::INFINITY, f64::ln));
        (logarithms.sum::<f64>() / soft.len().max(1) as f64).exp()
    };
    let uncut = (0..SOLVERS.len()).filter(|&index| !SOLVERS[index].1);
    let best = uncut
        .min_by(|&a, &b| mean(a).total_cmp(&mean(b)))
        .unwrap_or_default();
    let own = SOLVERS
        .iter()
        .position(|solver| solver.0 == THEIRS.1)
        .unwrap_or_default();
    Statement::judged(
        format!(
            "ours: the soft scenes' own solver, {}, is the one to recommend: it reaches {tightest:.0e} m/s on all of them, soonest on average",
            THEIRS.1
        ),
        &How::new(
            "all of the table",
            "processor time",
            format!("scaled residual {tightest:.0e} m/s"),
        ),
        format!(
            "{} takes {:.2} ms (geometric mean), {} {:.2} ms",
            SOLVERS[best].2,
            1e3 * mean(best),
            THEIRS.1,
            1e3 * mean(own)
        ),
        best == own && mean(own).is_finite(),
    )
}

/// The largest problems of some steps up to a time, with what their solves began with.
fn samples(run: &Run<'_>, scene: &mut Scene, seconds: f64) -> Result<Vec<Sample>> {
    let steps = (seconds / scene.world.settings().time_step).ceil() as usize;
    let window = run.or_quick(WINDOW[0], WINDOW[1]).min(steps);
    let count = run.or_quick(PROBLEMS[0], PROBLEMS[1]);
    problems_of(run, scene, (steps - window, window, count))
}

fn time_to(
    solver: &str,
    samples: &[Sample],
    start: Start,
    tolerance: f64,
    run: &Run<'_>,
) -> Result<std::result::Result<f64, f64>> {
    let mut sum = 0.0;
    for sample in samples {
        match time_of_one(solver, sample, start, tolerance, run)? {
            Ok(seconds) => sum += seconds,
            Err(residual) => return Ok(Err(residual)),
        }
    }
    Ok(match samples.len() {
        0 => Err(f64::NAN),
        count => Ok(sum / count as f64),
    })
}

fn time_of_one(
    solver: &str,
    sample: &Sample,
    start: Start,
    tolerance: f64,
    run: &Run<'_>,
) -> Result<std::result::Result<f64, f64>> {
    let patience = run.or_quick(PATIENCE[0], PATIENCE[1]);
    let budget = Budget {
        max_iterations: Some(100_000),
        time_limit: Some(Duration::from_secs_f64(patience)),
        stop: Some(run.stop_flag()),
        ..Budget::with_tolerance(tolerance)
    };
    let mut solver = make(solver)?;
    on_one_thread(|| {
        let mut once = || {
            let mut solution = match start {
                Start::Cold => Solution::cold(),
                Start::Warm => sample.guess.clone(),
            };
            let (report, seconds) =
                processor_time(|| solver.solve(&sample.problem, &budget, &mut solution));
            (report.residuals.scaled, seconds)
        };
        let (residual, first) = once();
        if !(residual <= tolerance) {
            // Told apart from where there is nothing to solve.
            return Ok(Err(if residual.is_nan() {
                f64::INFINITY
            } else {
                residual
            }));
        }
        if first > 0.1 {
            return Ok(Ok(first));
        }
        Ok(Ok(once().1.min(first)))
    })
}
