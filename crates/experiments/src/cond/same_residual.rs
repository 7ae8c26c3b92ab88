//! The table that papers lack: time to the same residual.

use std::time::Duration;

use stiction_constraints::{Budget, Problem, Solution};
use stiction_scenes::{Options, Scene, SoftChoice};
use stiction_sim::solvers::make;

use super::handled::Handled;
use crate::Run;
use crate::error::Result;
use crate::report::{Section, Table};
use crate::statement::{How, Statement};
use crate::timing::{on_one_thread, processor_time, smallest_in_turns};

/// Soft scenes, then those where COND is said to lose; the simulated time after which problems are taken, s, and the paper's
/// scene that it is, which can be cut.
const SCENES: [(&str, f64, Option<Handled>); 8] = [
    ("soft-mat", 0.8, Some(Handled::Mat)),
    ("soft-ball", 0.35, Some(Handled::Ball)),
    ("cable-winding", 5.0, Some(Handled::Cable)),
    ("soft-gripper", 0.5, Some(Handled::Gripper)),
    ("beam-insertion", 0.5, None),
    ("stirring", 0.8, None),
    ("dish-piling", 0.5, None),
    ("bolt-nut", 0.2, None),
];
/// So many of the scenes are soft.
const SOFT: usize = 5;
/// The solver, whether on bodies cut into pieces, and its name here.
const SOLVERS: [(&str, bool, &str); 8] = [
    ("cond", false, "cond"),
    ("cond-shifted", false, "cond-shifted"),
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
const PATIENCE: [f64; 2] = [4.0, 0.5];

/// Times of one scene to one tolerance: s, or the residual at which it was given up.
type Row = Vec<std::result::Result<f64, f64>>;

pub(super) fn section(run: &mut Run<'_>) -> Result<Section> {
    let scenes = match run.is_quick() {
        true => [SCENES[0], SCENES[7]].to_vec(),
        false => SCENES.to_vec(),
    };
    let mut rows: Vec<(&str, f64, Row)> = Vec::new();
    for (number, &(name, seconds, handled)) in scenes.iter().enumerate() {
        let done = number as f64 / scenes.len() as f64;
        run.tell(done, name)?;
        let seconds = run.or_quick(seconds, seconds.min(0.15));
        let mut scene = stiction_scenes::build(name, &Options::default())?;
        let Some(whole) = problem_of(run, &mut scene, seconds)? else {
            continue;
        };
        let cut = match handled {
            Some(handled) => {
                let choice = SoftChoice {
                    is_cut: true,
                    ..handled.middle()
                };
                problem_of(run, &mut handled.build(choice, None)?, seconds)?
            }
            None => None,
        };
        for &tolerance in run.or_quick(&TOLERANCES[..], &TOLERANCES[1..2]) {
            let mut row = Row::new();
            for (solver, is_cut, word) in SOLVERS {
                run.tell(done, &format!("{name} to {tolerance:.0e} with {word}"))?;
                row.push(match (is_cut, &cut) {
                    (false, _) => time_to(solver, &whole, tolerance, run)?,
                    (true, Some(cut)) => time_to(solver, cut, tolerance, run)?,
                    (true, None) => Err(f64::NAN),
                });
            }
            rows.push((name, tolerance, row));
        }
    }
    let mut table = Table {
        caption: format!(
            "Processor time (ms) from no guess to a scaled residual (m/s) of the true problem; in brackets the residual where it was not \
             reached in {} s, a dash where there is nothing to cut",
            run.or_quick(PATIENCE[0], PATIENCE[1])
        ),
        header: vec!["scene".to_owned(), "residual".to_owned()],
        rows: Vec::new(),
    };
    table
        .header
        .extend(SOLVERS.map(|solver| solver.2.to_owned()));
    for (scene, tolerance, row) in &rows {
        let mut cells = vec![(*scene).to_owned(), format!("{tolerance:.0e}")];
        cells.extend(row.iter().map(|time| match time {
            Ok(seconds) => format!("{:.2}", 1e3 * seconds),
            Err(residual) if residual.is_nan() => "–".to_owned(),
            Err(residual) => format!("({residual:.0e})"),
        }));
        table.rows.push(cells);
    }
    Ok(Section {
        heading: "Time to the same residual".to_owned(),
        text: format!(
            "One problem of each scene, the one with most rows of its step, solved from no guess by every solver until the same \
             residual of the same evaluator; smallest of five interleaved runs where a run takes less than a tenth of a second, of one else. Times \
             include all factors that a solver needs, and for cond and ccs those of measuring the residual. `cond` solves a model with virtual \
             nodes: where these are needed its residual of the true problem stays above λ/k_v; `apgd` solves the convex cone model, which is \
             another problem wherever something slips. Cut bodies have pieces of 400 nodes, or four links, and the middle of the paper's parameters. {}",
            recommendation(&rows)
        ),
        statements: vec![followed(&rows)],
        tables: vec![table],
        figures: Vec::new(),
    })
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
fn recommendation(rows: &[(&str, f64, Row)]) -> String {
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
fn followed(rows: &[(&str, f64, Row)]) -> Statement {
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

/// The problem with most rows after some time.
fn problem_of(run: &Run<'_>, scene: &mut Scene, seconds: f64) -> Result<Option<Problem>> {
    scene.world.stop_with(Some(run.stop_flag()));
    let steps = (seconds / scene.world.settings().time_step).ceil() as usize;
    for _ in 0..steps {
        scene.world.step()?;
    }
    let problems = scene.world.problems();
    let largest = problems.max_by_key(|solved| solved.problem.row_count());
    Ok(largest.map(|solved| solved.problem.clone()))
}

fn time_to(
    solver: &str,
    problem: &Problem,
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
            let mut solution = Solution::cold();
            let (report, seconds) =
                processor_time(|| solver.solve(problem, &budget, &mut solution));
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
        let smallest = smallest_in_turns(1, |_| Ok(once().1))?;
        Ok(Ok(smallest[0].min(first)))
    })
}
