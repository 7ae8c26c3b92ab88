//! Table I: average times and accuracies of five solvers in three scenes.

use super::scenario::{Accuracy, Candidate, accuracy, options, samples, solve_time};
use crate::Run;
use crate::error::Result;
use crate::report::{Section, Table};
use crate::statement::{How, Statement};
use crate::timing::{on_one_thread, smallest_in_turns};

/// A solver of the table: its name there, how it is made here, and its iterations.
struct Column {
    paper: &'static str,
    solver: Candidate,
    iterations: [usize; 3],
}

/// The paper's five, then what tells their differences apart.
const COLUMNS: [Column; 7] = [
    Column {
        paper: "PGS",
        solver: Candidate::Named("pgs-cg"),
        iterations: [30, 60, 90],
    },
    Column {
        paper: "PJ",
        solver: Candidate::Named("jacobi"),
        iterations: [30, 60, 90],
    },
    Column {
        paper: "FADMM",
        solver: Candidate::Named("fadmm"),
        iterations: [30, 60, 90],
    },
    Column {
        paper: "NNewton",
        solver: Candidate::Named("newton-fb"),
        iterations: [3, 6, 9],
    },
    Column {
        paper: "SubADMM",
        solver: Candidate::Named("subadmm-per-subsystem"),
        iterations: [30, 60, 90],
    },
    Column {
        paper: "SubADMM, ours (`subadmm`)",
        solver: Candidate::Named("subadmm"),
        iterations: [30, 60, 90],
    },
    Column {
        paper: "FADMM, one fixed ρ",
        solver: Candidate::PlainFadmm,
        iterations: [30, 60, 90],
    },
];
const PJ: usize = 1;
const FADMM: usize = 2;
const SUBADMM: usize = 4;
const PLAIN_FADMM: usize = 6;

/// A scene: its name, the steps of a whole and of a quick run, and what the paper prints, AT (ms) and AA of its
/// five solvers.
struct Row {
    scene: &'static str,
    steps: (usize, usize),
    at: [[f64; 3]; 5],
    aa: [[f64; 3]; 5],
}

const NONE: [f64; 3] = [f64::NAN; 3];
const ROWS: [Row; 3] = [
    Row {
        scene: "stirring",
        steps: (300, 40),
        at: [
            [14.50, 23.91, 32.27],
            [3.235, 5.688, 9.425],
            [28.41, 41.40, 56.95],
            [24.35, 46.99, 75.44],
            [3.489, 5.940, 8.705],
        ],
        aa: [
            [4.427, 4.928, 5.248],
            [3.033, 3.349, 3.562],
            [4.107, 4.644, 5.009],
            [3.565, 4.429, 5.324],
            [4.069, 4.579, 5.023],
        ],
    },
    Row {
        scene: "cable-vehicles",
        steps: (700, 8),
        at: [
            [48.08, 59.30, 72.96],
            NONE,
            [16.74, 23.52, 32.96],
            [43.35, 87.98, 132.7],
            [2.288, 4.285, 6.402],
        ],
        aa: [
            [4.141, 4.860, 5.404],
            NONE,
            [4.189, 4.634, 4.910],
            [3.270, 4.454, 5.278],
            [4.344, 4.984, 5.222],
        ],
    },
    Row {
        scene: "beam-insertion",
        steps: (120, 5),
        at: [
            [231.4, 241.2, 251.2],
            NONE,
            [50.33, 92.11, 130.3],
            [188.5, 360.2, 525.7],
            [13.41, 24.67, 35.50],
        ],
        aa: [
            [3.895, 4.194, 4.255],
            NONE,
            [4.220, 4.478, 4.756],
            [2.445, 3.494, 4.945],
            [4.326, 4.743, 4.925],
        ],
    },
];

/// What was measured in one scene: AT (s) and AA of each solver and number of iterations.
struct Measured {
    times: Vec<[f64; 3]>,
    accuracies: Vec<[Accuracy; 3]>,
}

pub(super) fn section(run: &mut Run<'_>) -> Result<Section> {
    let mut out = Section {
        heading: "Table I: time and accuracy at equal numbers of iterations".to_owned(),
        text: "Every solver simulates each scene by itself, warm-started, with exactly so many iterations a step. Times are \
               processor time of one thread, the smallest of five interleaved solves of the same problems with the same guesses, \
               averaged over steps sampled from a run with SubADMM; they include everything that a solver does for a problem. \
               A dash stands for a run that failed: a step that could not be made, a penetration above 4 mm, or \
               constraints off by 0.1 m/s and more. Two differences to the paper, the shares of which were not measured apart: its times are of four cores, over which \
               the subsystems of SubADMM spread, and FADMM's factor of the whole system is sparse here. AA is of what a solver hands back \
               after its last iteration, as in the paper's algorithm 1, which updates the state with the v̂ of (15): of SubADMM and FADMM \
               that is the iterate's own v̂, which obeys the constraints better and the dynamics worse than the v̂ that belongs to the \
               impulses; the AA of the latter is in a row of its own. Both begin with z = J v̂ of the last step and its impulses."
            .to_owned(),
        ..Section::default()
    };
    for (index, row) in ROWS.iter().enumerate() {
        let share = index as f64 / ROWS.len() as f64;
        let measured = measure(run, row, share)?;
        out.tables.push(table(row, &measured));
        out.statements.extend(statements(row, &measured));
    }
    Ok(out)
}

fn measure(run: &mut Run<'_>, row: &Row, done: f64) -> Result<Measured> {
    let steps = run.or_quick(row.steps.0, row.steps.1);
    let mut accuracies = Vec::new();
    for (index, column) in COLUMNS.iter().enumerate() {
        let mut own: [Accuracy; 3] = Default::default();
        for (own, iterations) in own.iter_mut().zip(column.iterations) {
            let share = done + 0.25 * index as f64 / COLUMNS.len() as f64;
            run.tell(share, &format!("{} with {}", row.scene, column.paper))?;
            let mut scene = stiction_scenes::build(row.scene, &options())?;
            *own = accuracy(run, &mut scene, column.solver, iterations, steps)?;
        }
        accuracies.push(own);
    }
    run.tell(done + 0.25, &format!("{}, times", row.scene))?;
    let mut scene = stiction_scenes::build(row.scene, &options())?;
    let count = run.or_quick(10, 1);
    let problems = samples(run, &mut scene, (0, steps, count))?;
    let times = on_one_thread(|| {
        let mut sums = vec![[0.0; 3]; COLUMNS.len()];
        let mut solvers = Vec::new();
        for column in &COLUMNS {
            solvers.push(column.solver.make()?);
        }
        for step in &problems {
            let smallest = smallest_in_turns(3 * COLUMNS.len(), |index| {
                let (column, at) = (index / 3, index % 3);
                let iterations = COLUMNS[column].iterations[at];
                Ok(solve_time(solvers[column].as_mut(), iterations, step))
            })?;
            for (index, time) in smallest.into_iter().enumerate() {
                sums[index / 3][index % 3] += time / problems.len() as f64;
            }
        }
        Ok(sums)
    })?;
    Ok(Measured { times, accuracies })
}

impl Measured {
    /// What a solver takes before its first iteration, and each of these, s: the line through the times of fewest and most.
    fn split(&self, solver: usize) -> [f64; 2] {
        let (times, counts) = (&self.times[solver], COLUMNS[solver].iterations);
        let each = (times[2] - times[0]) / (counts[2] - counts[0]) as f64;
        [times[0] - each * counts[0] as f64, each]
    }
}

/// The scene's part of the table, the paper's rows above ours.
fn table(row: &Row, measured: &Measured) -> Table {
    let mut table = Table {
        caption: format!("`{}`", row.scene),
        header: vec!["".to_owned()],
        ..Table::default()
    };
    let mut rows = [
        "AT (ms), paper",
        "AT (ms), here",
        "of these before the first iteration, and each (ms)",
        "AA, paper",
        "AA, here",
        "AA, here, v̂ of the impulses",
        "largest penetration (mm)",
    ]
    .map(|word| vec![word.to_owned()]);
    let figure = |value: f64| match value.is_nan() {
        true => "-".to_owned(),
        false => format!("{value:.3}"),
    };
    for (index, column) in COLUMNS.iter().enumerate() {
        for at in 0..3 {
            table
                .header
                .push(format!("{} {}", column.paper, column.iterations[at]));
            let accuracy = &measured.accuracies[index][at];
            let printed = |all: &[[f64; 3]; 5]| all.get(index).map_or(f64::NAN, |own| own[at]);
            rows[0].push(figure(printed(&row.at)));
            rows[1].push(figure(1e3 * measured.times[index][at]));
            let [before, each] = measured.split(index);
            rows[2].push(match at {
                0 => format!("{:.2} + {:.4}", 1e3 * before, 1e3 * each),
                _ => String::new(),
            });
            rows[3].push(figure(printed(&row.aa)));
            rows[4].push(match &accuracy.failure {
                Some(failure) => format!("- ({:.2}; {failure})", accuracy.mean),
                None => figure(accuracy.mean),
            });
            rows[5].push(figure(accuracy.of_impulses));
            rows[6].push(format!("{:.2}", 1e3 * accuracy.penetration));
        }
    }
    table.rows = rows.into();
    table
}

fn how(solver: &str) -> How {
    How::new(
        solver,
        "AA: mean over steps of -log10 of the norm of all constraint errors, m/s",
        "a fixed number of iterations",
    )
}

fn statements(row: &Row, measured: &Measured) -> Vec<Statement> {
    let mut out = Vec::new();
    let mean = |solver: usize, at: usize| measured.accuracies[solver][at].mean;
    let list = |figures: [f64; 3]| figures.map(|figure| format!("{figure:.2}")).join(", ");
    let all = [0, 1, 2];
    let ahead = all.map(|at| mean(SUBADMM, at) - mean(FADMM, at));
    out.push(Statement::judged(
        format!(
            "{}: SubADMM's AA is not more than 0.3 below FADMM's at 30, 60 and 90 iterations (the paper: {} above)",
            row.scene,
            list(all.map(|at| row.aa[SUBADMM][at] - row.aa[FADMM][at]))
        ),
        &how("subadmm-per-subsystem, fadmm"),
        format!(
            "{} above; above FADMM with one fixed ρ for all rows {}: OSQP's thousandfold ρ of equalities and its changes of ρ make the rest",
            list(ahead),
            list(all.map(|at| mean(SUBADMM, at) - mean(PLAIN_FADMM, at)))
        ),
        ahead.iter().all(|&ahead| ahead >= -0.3),
    ));
    let is_stirring = row.scene == "stirring";
    if is_stirring {
        let behind = all.map(|at| mean(SUBADMM, at) - mean(PJ, at));
        out.push(Statement::judged(
            format!(
                "{}: PJ's AA is at least 1 below SubADMM's (the paper: {})",
                row.scene,
                list(all.map(|at| row.aa[SUBADMM][at] - row.aa[PJ][at]))
            ),
            &how("jacobi, subadmm-per-subsystem"),
            format!("{} below", list(behind)),
            behind.iter().all(|&behind| behind >= 1.0),
        ));
    } else {
        let failures = all.map(|at| measured.accuracies[PJ][at].failure.clone());
        let words = failures
            .clone()
            .map(|failure| failure.unwrap_or("ran".to_owned()));
        out.push(Statement::judged(
            format!("{}: PJ fails", row.scene),
            &how("jacobi"),
            words.join("; "),
            failures.iter().all(Option::is_some),
        ));
        let time = How::new(
            "subadmm-per-subsystem, fadmm, pgs-cg, newton-fb, jacobi",
            "processor time of the thread, smallest of five interleaved solves",
            "a fixed number of iterations",
        );
        let own = &measured.times[SUBADMM];
        let others = |at: usize| {
            // What fails is no faster, however soon it does: the paper prints no times for it either.
            let others =
                (0..SUBADMM).filter(|&solver| measured.accuracies[solver][at].failure.is_none());
            let others = others.map(|solver| measured.times[solver][at]);
            others.fold(f64::INFINITY, f64::min) / own[at]
        };
        let lead = all.map(others);
        out.push(Statement::judged(
            format!(
                "{}: SubADMM is the fastest of those that do not fail",
                row.scene
            ),
            &time,
            format!("the next takes {} times as long", list(lead)),
            lead.iter().all(|&lead| lead > 1.0),
        ));
        let ratio = all.map(|at| measured.times[FADMM][at] / own[at]);
        let before = |solver: usize| measured.split(solver)[0];
        let each = |solver: usize| measured.split(solver)[1];
        out.push(Statement::judged(
            format!(
                "{}: FADMM takes at least twice as long as SubADMM (the paper: {} times)",
                row.scene,
                list(all.map(|at| row.at[FADMM][at] / row.at[SUBADMM][at]))
            ),
            &time,
            format!(
                "{} times; an iteration alone {:.2} times; before the first one SubADMM takes {:.2} ms and FADMM {:.2} ms",
                list(ratio),
                each(FADMM) / each(SUBADMM),
                1e3 * before(SUBADMM),
                1e3 * before(FADMM),
            ),
            ratio.iter().all(|&ratio| ratio >= 2.0),
        ));
    }
    out.push(Statement::not_comparable(
        format!(
            "{}: SubADMM has AA {} at 30, 60, 90 iterations",
            row.scene,
            list(row.aa[SUBADMM])
        ),
        &how("subadmm-per-subsystem"),
        list(all.map(|at| mean(SUBADMM, at))),
        "paths, friction, controllers, and the unit of the constraint error",
    ));
    out
}
