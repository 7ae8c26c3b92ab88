//! Soft bodies and a cable that robots handle: tables II to VI and IX.

use std::sync::{Arc, Mutex};

use stiction_constraints::{
    Budget, Criterion, Declaration, Outcome, Problem, Report, Solution, Solver,
};
use stiction_scenes::Options;
use stiction_sim::solvers::make;

use crate::Run;
use crate::chart::{Chart, Curve, Scale, grid};
use crate::error::Result;
use crate::report::{Figure, Section, Table};
use crate::statement::{How, Statement};
use crate::timing::processor_time;

/// What solves of a run took.
#[derive(Debug, Clone, Copy, Default)]
struct Log {
    solves: usize,
    iterations: usize,
    seconds: f64,
    at_limit: usize,
}

/// A solver that is ended by the paper's test and watched.
struct Watched {
    inner: Box<dyn Solver>,
    test: f64,
    log: Arc<Mutex<Log>>,
}

/// Iterations after which a solve is ended whatever its test says.
const MOST: usize = 2000;

impl Solver for Watched {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn declaration(&self) -> Declaration {
        self.inner.declaration()
    }

    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report {
        let budget = Budget {
            criterion: Criterion::VelocityChange,
            tolerance: self.test,
            max_iterations: Some(MOST),
            all_residuals: false,
            guess_tolerance: None,
            ..budget.clone()
        };
        let (mut report, seconds) = processor_time(|| self.inner.solve(problem, &budget, solution));
        if let Ok(mut log) = self.log.lock() {
            log.solves += 1;
            log.iterations += report.iterations;
            log.seconds += seconds;
            log.at_limit += usize::from(report.outcome == Outcome::OutOfIterations);
        }
        // The test is all that is asked for: the world goes on with what met it.
        if matches!(
            report.outcome,
            Outcome::Stopped(_) | Outcome::OutOfIterations
        ) {
            report.outcome = Outcome::Converged;
        }
        report
    }
}

/// What a run of a scene with one solver showed.
struct Shown {
    log: Log,
    /// Largest penetration of each step, m.
    penetrations: Vec<f64>,
    contacts: f64,
    /// Processor time of the steps without that of solvers, s.
    dynamics: f64,
    steps: usize,
    dofs: usize,
    /// Why the run ended early.
    end: Option<String>,
}

impl Shown {
    fn penetration(&self) -> f64 {
        self.penetrations.iter().sum::<f64>() / self.penetrations.len().max(1) as f64
    }

    fn iterations(&self) -> f64 {
        self.log.iterations as f64 / self.log.solves.max(1) as f64
    }

    fn solver_time(&self) -> f64 {
        self.log.seconds / self.steps.max(1) as f64
    }
}

fn show(scene: &str, solver: &'static str, test: f64, seconds: f64) -> Result<Shown> {
    let options = Options {
        seconds: Some(seconds),
        ..Options::default()
    };
    let mut scene = stiction_scenes::build(scene, &options)?;
    make(solver)?;
    let log = Arc::new(Mutex::new(Log::default()));
    let shared = Arc::clone(&log);
    scene.world.set_solver_with(move || {
        Box::new(Watched {
            inner: make(solver).expect("it was made before"),
            test,
            log: Arc::clone(&shared),
        })
    });
    let steps = (seconds / scene.world.settings().time_step).round() as usize;
    let mut shown = Shown {
        log: Log::default(),
        penetrations: Vec::new(),
        contacts: 0.0,
        dynamics: 0.0,
        steps: 0,
        dofs: scene.world.state().v.len(),
        end: None,
    };
    for _ in 0..steps {
        let (stepped, seconds) = processor_time(|| scene.world.step().map(|_| ()));
        if let Err(error) = stepped {
            shown.end = Some(error.to_string());
            break;
        }
        let report = scene.world.report();
        shown.penetrations.push(report.penetration.max(0.0));
        shown.contacts += report.contacts as f64 / steps as f64;
        shown.dynamics += seconds;
        shown.steps += 1;
    }
    if let Ok(log) = log.lock() {
        shown.log = *log;
    }
    shown.dynamics = (shown.dynamics - shown.log.seconds) / shown.steps.max(1) as f64;
    Ok(shown)
}

/// A scene of the paper.
struct Scenario {
    scene: &'static str,
    heading: &'static str,
    table: &'static str,
    /// Threshold of ‖Δv̂‖, m/s.
    test: f64,
    /// Simulated time, whole and quick, s.
    seconds: [f64; 2],
    /// The paper's rows: solver, MP (mm), ST (ms), IN.
    paper: [(&'static str, f64, f64, f64); 3],
    /// The paper's iterations without acceleration, table IX.
    plain: f64,
}

/// What a comparison with the paper's figures lacks.
const MISSING: &str = "mesh, masses, damping and the robot's way";

fn section(run: &mut Run<'_>, scenario: &Scenario) -> Result<Section> {
    let seconds = run.or_quick(scenario.seconds[0], scenario.seconds[1]);
    let solvers = ["cond", "pgs", "apgd", "cond-shifted", "cond-plain"];
    let mut shown = Vec::new();
    for (number, solver) in solvers.into_iter().enumerate() {
        let share = number as f64 / solvers.len() as f64;
        run.tell(share, &format!("{} with {solver}", scenario.scene))?;
        shown.push((
            solver,
            show(scenario.scene, solver, scenario.test, seconds)?,
        ));
    }
    let mut table = Table::new(
        &format!(
            "{}, means over steps, the paper's in brackets",
            scenario.table
        ),
        [
            "solver",
            "MP (mm)",
            "DT (ms)",
            "ST (ms)",
            "IN",
            "solves at the limit",
            "steps",
        ],
    );
    for (solver, one) in &shown {
        let paper = scenario.paper.iter().find(|row| row.0 == *solver);
        let beside = |value: String, of: fn(&(&str, f64, f64, f64)) -> f64| match paper {
            Some(row) => format!("{value} ({})", of(row)),
            None => value,
        };
        table.rows.push(vec![
            (*solver).to_owned(),
            beside(format!("{:.4}", 1e3 * one.penetration()), |row| row.1),
            format!("{:.2}", 1e3 * one.dynamics),
            beside(format!("{:.2}", 1e3 * one.solver_time()), |row| row.2),
            beside(format!("{:.1}", one.iterations()), |row| row.3),
            format!("{} of {}", one.log.at_limit, one.log.solves),
            match &one.end {
                Some(error) => format!("{}, then {error}", one.steps),
                None => one.steps.to_string(),
            },
        ]);
    }
    let (cond, plain) = (&shown[0].1, &shown[4].1);
    let stop = format!("velocity-change {:.0e}", scenario.test);
    let how = |solver: &str, what: &str| How::new(solver, what, stop.clone());
    let wanted = 1.5 * scenario.paper[0].3;
    let mut statements = vec![Statement::judged(
        format!(
            "{}: cond takes at most 1.5 times the printed iterations, {wanted:.0}",
            scenario.table
        ),
        &how("cond", "iterations"),
        format!("{:.1}", cond.iterations()),
        cond.end.is_none() && cond.iterations() <= wanted,
    )];
    let least = shown[1..3]
        .iter()
        .map(|(_, one)| one.penetration())
        .fold(f64::INFINITY, f64::min);
    statements.push(Statement::judged(
        format!("{}: cond has the smallest penetration", scenario.table),
        &how(
            "cond, pgs, apgd",
            "mean over steps of the largest penetration",
        ),
        format!(
            "{:.4} mm, the others {:.4} mm at least",
            1e3 * cond.penetration(),
            1e3 * least
        ),
        cond.end.is_none() && cond.penetration() <= least,
    ));
    statements.push(Statement::judged(
        format!(
            "Table IX: Chebyshev acceleration at least halves the iterations ({} to {})",
            scenario.plain, scenario.paper[0].3
        ),
        &how("cond, cond-plain", "iterations"),
        format!("{:.1} to {:.1}", plain.iterations(), cond.iterations()),
        cond.end.is_none() && 2.0 * cond.iterations() <= plain.iterations(),
    ));
    for (index, (solver, _, time, _)) in scenario.paper.iter().enumerate().skip(1) {
        let ratio = shown[index].1.solver_time() / cond.solver_time();
        statements.push(Statement::not_comparable(
            format!(
                "{}: cond is {:.0} times as fast as {solver}",
                scenario.table,
                time / scenario.paper[0].2
            ),
            &how(
                &format!("cond, {solver}"),
                "processor time of solves, our assembly",
            ),
            format!("{ratio:.2} times"),
            MISSING,
        ));
    }
    let curves = shown[..3]
        .iter()
        .enumerate()
        .map(|(color, (solver, one))| Curve {
            label: (*solver).to_owned(),
            color,
            points: one
                .penetrations
                .iter()
                .enumerate()
                .map(|(step, depth)| (0.01 * step as f64, 1e3 * depth))
                .collect(),
        });
    let chart = Chart {
        title: String::new(),
        x_label: "time (s)".to_owned(),
        y_label: "largest penetration (mm)".to_owned(),
        scale: Scale::LogarithmicY,
        curves: curves.collect(),
        legend: true,
    };
    Ok(Section {
        heading: scenario.heading.to_owned(),
        text: format!(
            "The built-in scene `{}` for {seconds} s at 10 ms, {} degrees of freedom, {:.0} contacts a step. Every \
             solver is ended by ‖Δv̂‖ ≤ {:.0e} m/s, of impulses by ‖A⁻¹JᵀΔλ‖, and begins with the last step's \
             velocity or impulses. MP is the penetration, DT the time of everything but solves, ST that of \
             solves, IN iterations.",
            scenario.scene, cond.dofs, cond.contacts, scenario.test
        ),
        statements,
        tables: vec![table],
        figures: vec![Figure {
            name: scenario.scene.to_owned(),
            caption: "Largest penetration of each step".to_owned(),
            svg: grid("Penetration", &[chart], 1, (1100, 420))?,
            paper: "figures 7 to 10 (b): the penetration of cond lies lowest throughout".to_owned(),
        }],
    })
}

/// Table II.
pub(super) fn mat(run: &mut Run<'_>) -> Result<Section> {
    section(
        run,
        &Scenario {
            scene: "soft-mat",
            heading: "Table II, figure 7: a Panda folds a soft mat",
            table: "Table II",
            test: 1e-4,
            seconds: [1.0, 0.05],
            paper: [
                ("cond", 0.0033, 8.650, 39.72),
                ("pgs", 0.0328, 1412.0, 50.59),
                ("apgd", 0.0576, 1645.0, 81.57),
            ],
            plain: 167.4,
        },
    )
}

/// Table III.
pub(super) fn ball(run: &mut Run<'_>) -> Result<Section> {
    section(
        run,
        &Scenario {
            scene: "soft-ball",
            heading: "Table III, figure 8: a gripper lifts a soft ball",
            table: "Table III",
            test: 1e-5,
            seconds: [0.6, 0.05],
            paper: [
                ("cond", 0.0058, 8.464, 37.51),
                ("pgs", 1.9933, 805.1, 233.9),
                ("apgd", 0.2325, 676.7, 100.4),
            ],
            plain: 138.8,
        },
    )
}

/// Table V.
pub(super) fn cable(run: &mut Run<'_>) -> Result<Section> {
    section(
        run,
        &Scenario {
            scene: "cable-winding",
            heading: "Table V, figure 9: a Panda winds a cable",
            table: "Table V",
            test: 1e-4,
            seconds: [4.0, 0.1],
            paper: [
                ("cond", 0.0021, 1.229, 18.28),
                ("pgs", 0.0521, 74.27, 65.61),
                ("apgd", 0.0556, 56.72, 46.05),
            ],
            plain: 40.14,
        },
    )
}

/// Table VI.
pub(super) fn gripper(run: &mut Run<'_>) -> Result<Section> {
    section(
        run,
        &Scenario {
            scene: "soft-gripper",
            heading: "Table VI, figure 10: soft fingers grip a part",
            table: "Table VI",
            test: 1e-6,
            seconds: [0.6, 0.03],
            paper: [
                ("cond", 0.0005, 18.24, 30.88),
                ("pgs", 0.0397, 547.0, 59.06),
                ("apgd", 0.0409, 547.3, 57.81),
            ],
            plain: 155.7,
        },
    )
}
