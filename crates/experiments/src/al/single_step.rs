//! Figures 7 and 9: residual over time and time over iterations, on single steps.

use std::time::Duration;

use stiction_constraints::{Budget, Criterion, Problem, Solution, Solver};
use stiction_sim::solvers::make;
use stiction_solver_pgs::{Pgs, PgsSettings};

use super::cases;
use super::inner_solves::{Inner, inner_solves, inner_table};
use super::nuts;
use super::watched::{NEVER, median};
use crate::chart::{Chart, Curve, Scale, grid};
use crate::error::Result;
use crate::report::{Figure, Section, Table};
use crate::run::Run;
use crate::statement::{How, Statement};
use crate::timing::{on_one_thread, processor_time};

/// A solver of the figures, and after how many iterations it is looked at.
struct Column {
    name: &'static str,
    iterations: &'static [usize],
    /// Iterations of the solve to 1e-8.
    most: usize,
}

const NEWTON: &[usize] = &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15];
const FIRST_ORDER: &[usize] = &[1, 3, 10, 30, 100, 300];
const COLUMNS: [Column; 5] = [
    Column {
        name: "canal",
        iterations: NEWTON,
        most: 100,
    },
    Column {
        name: "canal-paper",
        iterations: NEWTON,
        most: 100,
    },
    Column {
        name: "subadmm",
        iterations: FIRST_ORDER,
        most: 5000,
    },
    Column {
        name: "subadmm-paper",
        iterations: FIRST_ORDER,
        most: 5000,
    },
    Column {
        name: "pgs",
        iterations: FIRST_ORDER,
        most: 1000,
    },
];
const CANAL: usize = 0;
const CANAL_PAPER: usize = 1;
const SUBADMM: usize = 2;
const SUBADMM_PAPER: usize = 3;
const PGS: usize = 4;
/// The paper's accuracy.
pub(super) const ACCURATE: f64 = 1e-8;
/// What one solver did with one problem in so many iterations.
#[derive(Debug, Clone, Copy)]
struct Point {
    seconds: f64,
    paper: f64,
    scaled: f64,
}

/// A solve to 1e-8.
#[derive(Debug, Clone, Copy)]
struct Whole {
    seconds: f64,
    paper: f64,
    scaled: f64,
    iterations: usize,
    /// Contacts that carry something.
    loaded: usize,
}

/// All that is measured of a solver: of each problem its points and its whole solve.
#[derive(Debug, Default)]
struct Measured {
    points: Vec<Vec<Point>>,
    wholes: Vec<Whole>,
}

impl Measured {
    /// The median over the problems of something at each point.
    fn medians(&self, of: impl Fn(&Point) -> f64) -> Vec<f64> {
        let count = self.points.first().map_or(0, Vec::len);
        let at = |index: usize| {
            let mut all: Vec<f64> = self.points.iter().map(|one| of(&one[index])).collect();
            median(&mut all)
        };
        (0..count).map(at).collect()
    }

    fn whole(&self, of: impl Fn(&Whole) -> f64) -> f64 {
        median(&mut self.wholes.iter().map(of).collect::<Vec<_>>())
    }

    fn accurate(&self) -> usize {
        let accurate = self.wholes.iter().filter(|whole| whole.paper <= ACCURATE);
        accurate.count()
    }
}

/// What tells the two figures apart.
struct Figures {
    number: usize,
    scene: &'static str,
    text: String,
    /// Most median time of `canal` to 1e-8, s: our aim.
    aim: f64,
    paper: &'static str,
    is_nut: bool,
}

/// Figure 7.
pub(super) fn bolt_nut(run: &mut Run<'_>) -> Result<Section> {
    let (configurations, wrenches) = run.or_quick((10, 10), (3, 2));
    let problems = cases::bolt_nut(run, configurations, wrenches)?;
    let figures = Figures {
        number: 7,
        scene: "bolt-nut",
        text: format!(
            "The M48 nut at {configurations} places on its way down the bolt, each time pressed against its thread by a random wrench, then \
             under {wrenches} other ones (forces to {} N, torques to {} N m along each axis).",
            cases::ON_NUT[0],
            cases::ON_NUT[1]
        ),
        aim: 0.2e-3,
        paper: "figure 7: CANAL at 1e-8 and below in about 10 iterations, SubADMM at 1e-8 later, PGS hardly past 1e-4; time of \
                CANAL grows sublinearly with iterations",
        is_nut: true,
    };
    let mut out = section(run, &problems, &figures)?;
    let (table, statement) = nuts::thresholds(run)?;
    out.tables.push(table);
    out.statements.push(statement);
    Ok(out)
}

/// Figure 9.
pub(super) fn dishes(run: &mut Run<'_>) -> Result<Section> {
    let count = run.or_quick(100, 5);
    let (problems, speed) = cases::dishes(run, count)?;
    let figures = Figures {
        number: 9,
        scene: "dishes",
        text: format!(
            "Bowl, bowl, plate (0.1 kg each) and pot (5 kg) stacked and at rest, {count} times under random wrenches on each (forces \
             to {} N, torques to {} N m along each axis).",
            cases::ON_DISH[0],
            cases::ON_DISH[1]
        ),
        aim: 1.0e-3,
        paper: "figure 9: CANAL under 1e-8, SubADMM hardly under 1e-6, PGS far behind",
        is_nut: false,
    };
    let mut out = section(run, &problems, &figures)?;
    out.statements.push(Statement::judged(
        "the dishes stand still when they are piled, below 1e-6 m/s",
        &How::new(
            "canal",
            "largest speed of the four after 3 s, in m/s and in rad/s",
            "a tolerance of 1e-8 m/s",
        ),
        format!("{:.1e} m/s, {:.1e} rad/s", speed[0], speed[1]),
        speed[0] < 1e-6,
    ));
    Ok(out)
}

pub(super) fn budget(iterations: usize) -> Budget {
    Budget {
        criterion: Criterion::Paper,
        max_iterations: Some(iterations),
        rescue: false,
        ..Budget::with_tolerance(NEVER)
    }
}

/// A cold solve with its processor time.
fn solve(solver: &mut dyn Solver, problem: &Problem, budget: &Budget) -> (Point, usize, usize) {
    let mut solution = Solution::cold();
    // Measuring all residuals is not part of the solve.
    let quick = Budget {
        all_residuals: false,
        ..budget.clone()
    };
    let (_, seconds) = processor_time(|| solver.solve(problem, &quick, &mut solution));
    let mut solution = Solution::cold();
    let report = solver.solve(problem, budget, &mut solution);
    let point = Point {
        seconds,
        paper: report.residuals.paper,
        scaled: report.residuals.scaled,
    };
    let contacts = problem.constraints().iter();
    let loaded = contacts.filter(|contact| contact.load(&solution.impulse).z > 0.0);
    (point, report.iterations, loaded.count())
}

fn measure(run: &mut Run<'_>, problems: &[Problem]) -> Result<Vec<Measured>> {
    let turns = run.or_quick(3, 1);
    let mut out: Vec<Measured> = COLUMNS.iter().map(|_| Measured::default()).collect();
    let mut solvers = Vec::new();
    for column in &COLUMNS {
        solvers.push(make(column.name)?);
    }
    for (number, problem) in problems.iter().enumerate() {
        let share = 0.1 + 0.9 * number as f64 / problems.len() as f64;
        run.tell(share, &format!("case {} of {}", number + 1, problems.len()))?;
        for ((column, solver), measured) in COLUMNS.iter().zip(&mut solvers).zip(&mut out) {
            let own = solver.as_mut();
            let points = on_one_thread(|| {
                let at = |&iterations: &usize| {
                    let budget = budget(iterations);
                    let (mut point, ..) = solve(own, problem, &budget);
                    for _ in 1..turns {
                        point.seconds = point.seconds.min(solve(own, problem, &budget).0.seconds);
                    }
                    point
                };
                Ok(column.iterations.iter().map(at).collect::<Vec<_>>())
            })?;
            measured.points.push(points);
            let to_end = Budget {
                tolerance: ACCURATE,
                rescue: true,
                ..budget(column.most)
            };
            let whole = on_one_thread(|| {
                let (mut point, iterations, loaded) = solve(own, problem, &to_end);
                for _ in 1..turns {
                    point.seconds = point.seconds.min(solve(own, problem, &to_end).0.seconds);
                }
                Ok(Whole {
                    seconds: point.seconds,
                    paper: point.paper,
                    scaled: point.scaled,
                    iterations,
                    loaded,
                })
            })?;
            measured.wholes.push(whole);
        }
    }
    Ok(out)
}

/// What PGS has left when a CANAL is done: the median of the paper's residual.
fn pgs_when_canal_ends(
    problems: &[Problem],
    canal: &Measured,
    settings: PgsSettings,
) -> Result<f64> {
    let mut solver = Pgs::new(settings)?;
    let mut left = Vec::new();
    for (problem, whole) in problems.iter().zip(&canal.wholes) {
        let budget = Budget {
            time_limit: Some(Duration::from_secs_f64(whole.seconds)),
            max_iterations: None,
            ..budget(0)
        };
        left.push(solve(&mut solver, problem, &budget).0.paper);
    }
    Ok(median(&mut left))
}

fn section(run: &mut Run<'_>, problems: &[Problem], figures: &Figures) -> Result<Section> {
    let measured = measure(run, problems)?;
    let textbook = PgsSettings {
        passes_over_still: false,
        ..PgsSettings::default()
    };
    let left = |index: usize, settings: &PgsSettings| {
        pgs_when_canal_ends(problems, &measured[index], settings.clone())
    };
    let ours = PgsSettings::default();
    let pgs_left = [
        left(CANAL, &ours)?,
        left(CANAL_PAPER, &textbook)?,
        left(CANAL_PAPER, &ours)?,
    ];
    let inner = inner_solves(run, problems)?;
    let mut contacts: Vec<f64> = problems
        .iter()
        .map(|problem| problem.contact_count() as f64)
        .collect();
    let most = contacts.iter().fold(0.0, |a: f64, b| a.max(*b));
    let middle = median(&mut contacts);
    let loaded = measured[CANAL].whole(|whole| whole.loaded as f64);
    Ok(Section {
        heading: format!(
            "Figure {}: single steps of {}",
            figures.number, figures.scene
        ),
        text: format!(
            "{} {} problems with {middle} contacts in the middle and {most} at most, of which {loaded:.0} carry something in the \
             middle, each solved cold. Points are medians over the \
             problems; times the smallest of three solves (one with --quick). The column `to 1e-8` is a solve until the paper's \
             residual is there, or the solver ends.",
            figures.text,
            problems.len()
        ),
        statements: statements(&measured, (problems.len(), &inner), pgs_left, figures),
        tables: vec![
            table(&measured),
            costs(&measured),
            inner_table(&inner, problems.len()),
        ],
        figures: vec![chart(&measured, figures)?],
    })
}

fn table(measured: &[Measured]) -> Table {
    let mut table = Table::new(
        "Solves to 1e-8, medians",
        [
            "solver",
            "reached",
            "iterations",
            "time (ms)",
            "largest residual, paper's",
            "largest residual, scaled (m/s)",
        ],
    );
    for (column, own) in COLUMNS.iter().zip(measured) {
        let largest = |of: fn(&Whole) -> f64| own.wholes.iter().map(of).fold(0.0, f64::max);
        table.rows.push(vec![
            column.name.to_owned(),
            format!("{} of {}", own.accurate(), own.wholes.len()),
            format!("{:.0}", own.whole(|whole| whole.iterations as f64)),
            format!("{:.3}", 1e3 * own.whole(|whole| whole.seconds)),
            format!("{:.1e}", largest(|whole| whole.paper)),
            format!("{:.1e}", largest(|whole| whole.scaled)),
        ]);
    }
    table
}

/// Cost of one iteration, s: of the last with what prepares shared among them, and of one more.
fn cost(own: &Measured, iterations: &[usize]) -> [f64; 2] {
    let times = own.medians(|point| point.seconds);
    let (first, last) = (0, times.len() - 1);
    let (from, to) = (iterations[first] as f64, iterations[last] as f64);
    [
        times[last] / to,
        ((times[last] - times[first]) / (to - from)).max(0.0),
    ]
}

fn costs(measured: &[Measured]) -> Table {
    let mut table = Table::new(
        "Residuals and times over iterations, medians",
        [
            "solver",
            "µs an iteration, all",
            "µs an iteration, without set-up",
            "residual after iterations, paper's (scaled, m/s)",
        ],
    );
    for (column, own) in COLUMNS.iter().zip(measured) {
        let [with, without] = cost(own, column.iterations);
        let both = own
            .medians(|point| point.paper)
            .into_iter()
            .zip(own.medians(|point| point.scaled));
        let shown: Vec<String> = (column.iterations.iter().zip(both))
            .filter(|(iterations, _)| [1, 3, 5, 10, 15, 30, 100, 300].contains(*iterations))
            .map(|(iterations, (paper, scaled))| {
                format!("{iterations}: {paper:.0e} ({scaled:.0e})")
            })
            .collect();
        table.rows.push(vec![
            column.name.to_owned(),
            format!("{:.1}", 1e6 * with),
            format!("{:.1}", 1e6 * without),
            shown.join(", "),
        ]);
    }
    table
}

/// Share of the problems whose last iteration before 1e-8 gains more decades than the mean of those before.
fn superlinear(own: &Measured) -> f64 {
    let mut count = [0, 0];
    for points in &own.points {
        let Some(end) = points.iter().position(|point| point.paper <= ACCURATE) else {
            count[1] += 1;
            continue;
        };
        // One iteration has no iterations before it.
        if end == 0 {
            continue;
        }
        let decades: Vec<f64> = points[..=end]
            .windows(2)
            .map(|pair| (pair[0].paper / pair[1].paper.max(1e-16)).log10())
            .collect();
        let (last, before) = (decades[end - 1], &decades[..end - 1]);
        let mean = before.iter().sum::<f64>() / before.len().max(1) as f64;
        count[1] += 1;
        count[0] += usize::from(last > mean);
    }
    count[0] as f64 / count[1].max(1) as f64
}

fn statements(
    measured: &[Measured],
    (problems, inner): (usize, &[Inner]),
    pgs_left: [f64; 3],
    figures: &Figures,
) -> Vec<Statement> {
    let figure = format!("figure {}", figures.number);
    let how = |solver: &str, residual: &str, stop: &str| How::new(solver, residual, stop);
    let to_end = "paper's residual at 1e-8, or the solver's own end";
    let mut out = Vec::new();
    for index in [CANAL, CANAL_PAPER] {
        let (name, own) = (COLUMNS[index].name, &measured[index]);
        let largest = own
            .wholes
            .iter()
            .map(|whole| whole.paper)
            .fold(0.0, f64::max);
        out.push(Statement::judged(
            format!("{figure}: CANAL at 1e-8 or below in every problem"),
            &how(name, "paper's", to_end),
            format!("{} of {problems}, largest {largest:.1e}", own.accurate()),
            own.accurate() == problems,
        ));
    }
    let subadmm = &measured[SUBADMM];
    let largest = |index: usize| {
        let own: &Measured = &measured[index];
        own.wholes
            .iter()
            .map(|whole| whole.paper)
            .fold(0.0, f64::max)
    };
    if figures.is_nut {
        out.push(Statement::judged(
            format!("{figure}: SubADMM at 1e-8 or below"),
            &how("subadmm", "paper's", to_end),
            format!(
                "{} of {problems}, median {:.1e}",
                subadmm.accurate(),
                subadmm.whole(|whole| whole.paper)
            ),
            subadmm.whole(|whole| whole.paper) <= ACCURATE,
        ));
    } else {
        out.push(Statement::judged(
            format!("{figure}: SubADMM has trouble below 1e-6, its best as it is"),
            &how("subadmm, subadmm-paper", "paper's", to_end),
            format!(
                "median {:.1e} and {:.1e}, largest {:.1e} and {:.1e}",
                subadmm.whole(|whole| whole.paper),
                measured[SUBADMM_PAPER].whole(|whole| whole.paper),
                largest(SUBADMM),
                largest(SUBADMM_PAPER)
            ),
            subadmm.whole(|whole| whole.paper) <= 1e-6,
        ));
    }
    let [ours, printed, mixed] = pgs_left;
    let at_end = |name: &str| {
        How::new(
            "pgs",
            "paper's, median",
            format!("the processor time of {name} to 1e-8"),
        )
    };
    for (index, pgs, left) in [
        (
            CANAL,
            "which passes over contacts that stay as they are",
            ours,
        ),
        (
            CANAL_PAPER,
            "which goes through the whole row of G for each contact",
            printed,
        ),
    ] {
        let name = COLUMNS[index].name;
        out.push(Statement::judged(
            format!("{figure}: PGS, {pgs}, is above 1e-4 when CANAL ends, here {name}"),
            &at_end(name),
            format!("{left:.1e}"),
            left > 1e-4,
        ));
    }
    out.push(Statement::not_comparable(
        format!("{figure}: the PGS that passes over contacts that stay as they are when CANAL as printed ends"),
        &at_end("canal-paper"),
        format!("{mixed:.1e}"),
        "a PGS that pays for contacts that change only",
    ));
    let outer = measured[CANAL_PAPER].whole(|whole| whole.iterations as f64);
    out.push(Statement::judged(
        format!("{figure}: CANAL converges in about 10 outer iterations, here at most 20"),
        &how("canal-paper", "median of outer iterations", to_end),
        format!("{outer:.0}"),
        outer <= 20.0,
    ));
    // Of those that reach what the figure shows as often as the strictest.
    let wanted = inner.iter().map(|one| one.accurate).max().unwrap_or(0);
    let fit = inner.iter().filter(|one| one.accurate == wanted);
    let least = fit.min_by(|a, b| a.late.total_cmp(&b.late));
    out.push(Statement::judged(
        "section V-D: one or two Newton steps often suffice after some progress, with a tolerance and κ that lead to 1e-8 as often as any",
        &how(
            "canal-paper",
            "Newton steps of one of the last five outer iterations, median",
            "ten outer iterations",
        ),
        least.map_or_else(String::new, |one| {
            format!(
                "{:.1} ({:.0e}, κ = {}, {} of {problems} at 1e-8); {:.1} with {:.0e} and κ = {}",
                one.late,
                one.tolerance,
                one.growth,
                one.accurate,
                inner[0].late,
                inner[0].tolerance,
                inner[0].growth
            )
        }),
        least.is_some_and(|one| one.late <= 2.0),
    ));
    let times = measured[CANAL_PAPER].medians(|point| point.seconds);
    let (early, whole) = (times[4] / 5.0, times[9] / 10.0);
    out.push(Statement::judged(
        format!("{figure}: CANAL's time grows less than its iterations"),
        &how(
            "canal-paper",
            "processor time of an iteration, mean of the first 5 and of the first 10",
            "iterations",
        ),
        format!("{:.1} µs and {:.1} µs", 1e6 * early, 1e6 * whole),
        whole < early,
    ));
    let [canal, pgs, subadmm] = [CANAL_PAPER, PGS, SUBADMM_PAPER]
        .map(|index| cost(&measured[index], COLUMNS[index].iterations));
    out.push(Statement::not_comparable(
        format!("{figure}: cost of an iteration CANAL > PGS > SubADMM"),
        &how(
            "canal-paper, pgs, subadmm-paper",
            "processor time of an iteration, with set-up (without)",
            "iterations",
        ),
        format!(
            "{:.1} ({:.1}), {:.1} ({:.1}), {:.1} ({:.1}) µs",
            1e6 * canal[0],
            1e6 * canal[1],
            1e6 * pgs[0],
            1e6 * pgs[1],
            1e6 * subadmm[0],
            1e6 * subadmm[1]
        ),
        "whether their iterations contain the set-up",
    ));
    let time = measured[CANAL].whole(|whole| whole.seconds);
    out.push(Statement::judged(
        format!(
            "our aim: the median time to 1e-8 is below {:.1} ms",
            1e3 * figures.aim
        ),
        &how("canal", "processor time, median", to_end),
        format!("{:.3} ms", 1e3 * time),
        time < figures.aim,
    ));
    let share = superlinear(&measured[CANAL]);
    out.push(Statement::judged(
        "our aim: a superlinear finish, the last iteration gains more decades than the mean of those before in 8 of 10 problems",
        &how("canal", "paper's", to_end),
        format!("{:.0} %", 100.0 * share),
        share >= 0.8,
    ));
    out
}

fn chart(measured: &[Measured], figures: &Figures) -> Result<Figure> {
    let curve = |x: fn(&Measured, &Column) -> Vec<f64>, y: fn(&Measured) -> Vec<f64>| {
        COLUMNS
            .iter()
            .zip(measured)
            .enumerate()
            .map(|(color, (column, own))| Curve {
                label: column.name.to_owned(),
                color,
                points: x(own, column).into_iter().zip(y(own)).collect(),
            })
            .collect::<Vec<_>>()
    };
    let milliseconds = |own: &Measured| own.medians(|point| 1e3 * point.seconds);
    let charts = [
        Chart {
            title: "residual over time".to_owned(),
            x_label: "processor time (ms)".to_owned(),
            y_label: "the paper's residual".to_owned(),
            scale: Scale::LogarithmicY,
            curves: curve(
                |own, _| own.medians(|point| 1e3 * point.seconds),
                |own| own.medians(|point| point.paper),
            ),
            legend: true,
        },
        Chart {
            title: "time over iterations".to_owned(),
            x_label: "iterations".to_owned(),
            y_label: "processor time (ms)".to_owned(),
            scale: Scale::LogarithmicX,
            curves: curve(
                |_, column| column.iterations.iter().map(|&n| n as f64).collect(),
                milliseconds,
            ),
            legend: true,
        },
    ];
    Ok(Figure {
        name: format!("figure-{}", figures.number),
        caption: format!("Single steps of {}", figures.scene),
        svg: grid(
            &format!("Single steps of {}", figures.scene),
            &charts,
            2,
            (1200, 460),
        )?,
        paper: figures.paper.to_owned(),
    })
}
