//! Figure 16: time to ε_abs 1e-6 on a quadruped, a humanoid and a hand with a ball, cold and warm.

use stiction_constraints::{Budget, Criterion, Problem, Solution, Solver};
use stiction_scenes::{Options, Scene};
use stiction_sim::Vector3;
use stiction_sim::solvers::make;
use stiction_solver_admm::{AdmmSettings, CcpAdmm, CcpAdmmSettings, Staggered, StaggeredSettings};

use super::models::{Model, models};
use super::sliding::refused;
use crate::Run;
use crate::error::{ExperimentError, Result};
use crate::report::{Section, Table};
use crate::statement::{How, Statement};
use crate::timing::{on_one_thread, processor_time};

/// A scene with what pushes the body of a robot: force, N, and how often and how long in each turn, s.
struct Robot {
    scene: &'static str,
    body: Option<&'static str>,
    push: Vector3<f64>,
    from: f64,
    seconds: f64,
}

const EVERY: f64 = 0.5;
const PUSHED: f64 = 0.1;
const ROBOTS: [Robot; 3] = [
    // Half its weight, to the side.
    Robot {
        scene: "solo12",
        body: Some("solo12/body"),
        push: Vector3::new(0.0, 12.0, 0.0),
        from: 0.0,
        seconds: 2.0,
    },
    // A fifth of its weight, from behind, while it topples.
    Robot {
        scene: "humanoid",
        body: Some("humanoid/chest"),
        push: Vector3::new(150.0, 0.0, 0.0),
        from: 0.0,
        seconds: 2.0,
    },
    // The fingers close around the ball, which nothing else pushes.
    Robot {
        scene: "allegro-hand",
        body: None,
        push: Vector3::new(0.0, 0.0, 0.0),
        from: 0.0,
        seconds: 2.0,
    },
];
const TOLERANCE: f64 = 1e-6;
const MOST: usize = 10_000;
/// Times that are repeated, of which the smallest counts.
const TURNS: usize = 3;

/// A contact problem with the impulses of the step before as a guess.
#[derive(Clone)]
struct Step {
    problem: Problem,
    guess: Solution,
}

/// A step, and the last one before it that had contacts.
struct Sample {
    before: Option<Step>,
    step: Step,
}

/// Problems of `count` steps spread over the motion, of those with contacts.
fn samples(run: &Run<'_>, robot: &Robot, count: usize) -> Result<Vec<Sample>> {
    let Scene { mut world, .. } = stiction_scenes::build(robot.scene, &Options::default())?;
    let body = robot.body.map(|name| world.find_body(name)).transpose()?;
    let mut all = Vec::new();
    while world.time() < robot.seconds {
        if run.is_interrupted() {
            return Err(ExperimentError::Interrupted);
        }
        let is_pushed = world.time().rem_euclid(EVERY) < PUSHED;
        if let Some(body) = body.filter(|_| is_pushed) {
            world.commands().push(body, robot.push, Vector3::zeros())?;
        }
        world.step()?;
        if world.time() < robot.from {
            continue;
        }
        let touching = world
            .problems()
            .filter(|one| one.problem.contact_count() > 0);
        all.extend(touching.map(|solved| Step {
            problem: solved.problem.clone(),
            guess: Solution {
                velocity: Vec::new(),
                impulse: solved.guess.unwrap_or_default().to_vec(),
            },
        }));
    }
    let every = all.len().div_ceil(count.max(1)).max(1);
    let chosen = (0..all.len()).step_by(every);
    Ok(chosen
        .map(|index| Sample {
            before: index.checked_sub(1).map(|before| all[before].clone()),
            step: all[index].clone(),
        })
        .collect())
}

/// What makes a solver.
type Maker = dyn Fn() -> Result<Box<dyn Solver>> + Sync;

/// ADMM that begins at the proximal parameter with which it ended the step before, as the paper proposes.
fn admm_that_keeps_rho() -> Result<Box<dyn Solver>> {
    let settings = CcpAdmmSettings {
        admm: AdmmSettings {
            keeps_rho: true,
            ..AdmmSettings::default()
        },
        ..CcpAdmmSettings::default()
    };
    Ok(Box::new(CcpAdmm::new(settings).map_err(refused)?))
}

/// Share of the last outer change to which inner problems of staggered projections are solved where outer iterations
/// are counted: Alg. 6 has their minima. The default is content with less, which costs outer iterations and saves time.
const INNER_SHARE: f64 = 1e-6;

/// Staggered projections whose inner problems are solved as Alg. 6 has it.
fn staggered_as_printed() -> Result<Box<dyn Solver>> {
    let settings = StaggeredSettings {
        inner_share: INNER_SHARE,
        ..StaggeredSettings::default()
    };
    Ok(Box::new(Staggered::new(settings).map_err(refused)?))
}

/// What solves of the samples of a robot took.
#[derive(Debug, Clone, Default)]
struct Timing {
    /// Time of each solve, s.
    times: Vec<f64>,
    iterations: Vec<f64>,
    /// Solves that did not end by the test.
    missed: usize,
}

impl Timing {
    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }
}

fn solve(solver: &mut dyn Solver, step: &Step, is_warm: bool) -> (f64, usize, bool) {
    let plain = Budget::with_tolerance(TOLERANCE);
    // What knows no test of a paper ends by its own model's residual.
    let knows = solver.declaration().has(Criterion::EpsAbs);
    let budget = Budget {
        criterion: if knows {
            Criterion::EpsAbs
        } else {
            plain.criterion
        },
        max_iterations: Some(MOST),
        all_residuals: false,
        rescue: false,
        ..plain
    };
    let mut solution = match is_warm {
        true => step.guess.clone(),
        false => Solution::cold(),
    };
    let (report, time) = processor_time(|| solver.solve(&step.problem, &budget, &mut solution));
    let outcome = &report.outcome;
    let is_done = outcome.is_converged()
        || *outcome == stiction_constraints::Outcome::Stopped(Criterion::EpsAbs);
    (time, report.iterations, is_done)
}

fn time(samples: &[Sample], solver: &Maker, is_warm: bool) -> Result<Timing> {
    let mut out = Timing {
        times: vec![f64::INFINITY; samples.len()],
        ..Timing::default()
    };
    for _ in 0..TURNS {
        let mut solver = solver()?;
        (out.iterations, out.missed) = (Vec::new(), 0);
        for (least, sample) in out.times.iter_mut().zip(samples) {
            // After the step before, as in a simulation.
            if let Some(before) = sample.before.as_ref().filter(|_| is_warm) {
                solve(solver.as_mut(), before, is_warm);
            }
            let (time, count, is_done) = solve(solver.as_mut(), &sample.step, is_warm);
            *least = least.min(time);
            out.iterations.push(count as f64);
            out.missed += usize::from(!is_done);
        }
    }
    Ok(out)
}

pub(super) fn section(run: &mut Run<'_>) -> Result<Section> {
    let mut section = Section {
        heading: "Figure 16: time of solvers on robots".to_owned(),
        text: format!(
            "Contact problems of steps spread over 2 s of motion of a quadruped (`solo12`, pushed by 12 N to the side for \
             {PUSHED} s twice a second), a humanoid (`humanoid`, which topples, pushed by 150 N from behind alike) and a hand \
             (`allegro-hand`, which closes around a ball). Each solver solves all of them without a guess and with the \
             impulses of the step before, until ε_abs of its own model is \
             {TOLERANCE:.0e}; the smallest of {TURNS} times counts. The gap between two solvers is the factor between their times, whichever is \
             faster: without a guess the hand's problems take PGS longer than ADMM. The paper also hands the proximal \
             parameter on from step to step; that is the row «ρ kept». Outer iterations of staggered projections are counted \
             with inner problems solved to {INNER_SHARE:.0e} of the last outer change, as Alg. 6 asks for their minima; the table has \
             the default, which is content with a thousandth. The paper's pushes, machine and code are others."
        ),
        ..Section::default()
    };
    let count = run.or_quick(60, 12);
    for (number, robot) in ROBOTS.iter().enumerate() {
        let share = number as f64 / ROBOTS.len() as f64;
        run.tell(share, robot.scene)?;
        let samples = samples(run, robot, count)?;
        let contacts = samples.iter().map(|one| one.step.problem.contact_count());
        let contacts = contacts.sum::<usize>() as f64 / samples.len().max(1) as f64;
        let mut table = Table::new(
            &format!(
                "`{}`: {} problems of {contacts:.1} contacts on average",
                robot.scene,
                samples.len()
            ),
            [
                "model",
                "cold: mean time (µs)",
                "iterations",
                "not reached",
                "warm: mean time (µs)",
                "iterations",
                "not reached",
                "cold over warm",
            ],
        );
        let both = |solver: &Maker| {
            on_one_thread(|| {
                Ok([
                    time(&samples, solver, false)?,
                    time(&samples, solver, true)?,
                ])
            })
        };
        let mut means = Vec::new();
        for (index, model) in models().enumerate() {
            run.tell(
                share + 0.02 * index as f64,
                &format!("{}: {}", robot.scene, model.solver),
            )?;
            let timings = both(&|| Ok(make(model.solver)?))?;
            table.rows.push(row(model.label(), &timings));
            means.push((model, timings.map(|timing| Timing::mean(&timing.times))));
            if model.solver == "ccp-admm" {
                let label = format!("{}, ρ kept", model.label());
                table.rows.push(row(label, &both(&admm_that_keeps_rho)?));
            }
        }
        section.tables.push(table);
        section.statements.extend(gap(robot.scene, &means));
        let counts = both(&staggered_as_printed)?.map(|timing| timing.iterations);
        section
            .statements
            .extend(outer(robot.scene, counts.concat()));
    }
    Ok(section)
}

/// A row of the table: times and iterations without a guess and with one.
fn row(label: String, timings: &[Timing; 2]) -> Vec<String> {
    let mut row = vec![label];
    for timing in timings {
        row.push(format!("{:.1}", 1e6 * Timing::mean(&timing.times)));
        row.push(format!("{:.1}", Timing::mean(&timing.iterations)));
        row.push(timing.missed.to_string());
    }
    let [cold, warm] = timings.each_ref().map(|timing| Timing::mean(&timing.times));
    row.push(format!("{:.2}", cold / warm));
    row
}

/// The paper's statement: warm starts shrink the gap between ADMM and PGS.
fn gap(scene: &str, means: &[(Model, [f64; 2])]) -> Option<Statement> {
    let of = |solver: &str| means.iter().find(|(model, _)| model.solver == solver);
    let ((_, admm), (_, pgs)) = (of("ccp-admm")?, of("pgs-ccp")?);
    let (cold, warm) = (admm[0] / pgs[0], admm[1] / pgs[1]);
    let gap = |ratio: f64| ratio.max(1.0 / ratio);
    Some(Statement::judged(
        format!("figure 16, {scene}: warm starts shrink the gap between ADMM and PGS on the CCP"),
        &How::new(
            "ccp-admm, pgs-ccp",
            "processor time, smallest of three",
            format!("ε_abs {TOLERANCE:.0e}"),
        ),
        format!("ADMM takes {cold:.2} times as long cold, {warm:.2} times warm"),
        gap(warm) < gap(cold),
    ))
}

/// What the paper says of staggered projections: about five outer iterations where they converge.
fn outer(scene: &str, mut sorted: Vec<f64>) -> Option<Statement> {
    sorted.sort_by(f64::total_cmp);
    let median = *sorted.get(sorted.len() / 2)?;
    let most = sorted.last()?;
    Some(Statement::judged(
        format!(
            "figure 16, {scene}: staggered projections need about five outer iterations (median at most 7)"
        ),
        &How::new(
            "staggered",
            "outer iterations, cold and warm",
            format!(
                "ε_abs {TOLERANCE:.0e}, inner problems {INNER_SHARE:.0e} of the last outer change"
            ),
        ),
        format!("median {median}, at most {most}"),
        median <= 7.0,
    ))
}
