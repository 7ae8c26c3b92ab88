//! Figure 16: time to ε_abs 1e-6 on a quadruped, a humanoid and a hand with a ball, cold and warm.

use stiction_constraints::{Budget, Criterion, Problem, Solution, Solver};
use stiction_scenes::{Options, Scene};
use stiction_sim::Vector3;
use stiction_sim::solvers::make;

use super::models::{Model, models};
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

/// A contact problem with the impulses of the step before.
struct Sample {
    problem: Problem,
    guess: Solution,
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
        all.extend(touching.map(|solved| Sample {
            problem: solved.problem.clone(),
            guess: Solution {
                velocity: Vec::new(),
                impulse: solved.guess.unwrap_or_default().to_vec(),
            },
        }));
    }
    let every = all.len().div_ceil(count.max(1)).max(1);
    Ok(all.into_iter().step_by(every).collect())
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

fn solve(solver: &mut dyn Solver, sample: &Sample, is_warm: bool) -> (f64, usize, bool) {
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
        true => sample.guess.clone(),
        false => Solution::cold(),
    };
    let (report, time) = processor_time(|| solver.solve(&sample.problem, &budget, &mut solution));
    let outcome = &report.outcome;
    let is_done = outcome.is_converged()
        || *outcome == stiction_constraints::Outcome::Stopped(Criterion::EpsAbs);
    (time, report.iterations, is_done)
}

fn time(samples: &[Sample], model: Model, is_warm: bool) -> Result<Timing> {
    let mut out = Timing {
        times: vec![f64::INFINITY; samples.len()],
        ..Timing::default()
    };
    for _ in 0..TURNS {
        // One problem after the other, as in a simulation.
        let mut solver = make(model.solver)?;
        (out.iterations, out.missed) = (Vec::new(), 0);
        for (least, sample) in out.times.iter_mut().zip(samples) {
            let (time, count, is_done) = solve(solver.as_mut(), sample, is_warm);
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
             {TOLERANCE:.0e}; the smallest of {TURNS} times counts. The paper's pushes, machine and code are others."
        ),
        ..Section::default()
    };
    let count = run.or_quick(60, 12);
    for (number, robot) in ROBOTS.iter().enumerate() {
        let share = number as f64 / ROBOTS.len() as f64;
        run.tell(share, robot.scene)?;
        let samples = samples(run, robot, count)?;
        let contacts = samples.iter().map(|one| one.problem.contact_count());
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
        let (mut ratios, mut iterations) = (Vec::new(), Vec::new());
        for (index, model) in models().enumerate() {
            run.tell(
                share + 0.02 * index as f64,
                &format!("{}: {}", robot.scene, model.solver),
            )?;
            let [cold, warm] = on_one_thread(|| {
                Ok([time(&samples, model, false)?, time(&samples, model, true)?])
            })?;
            let ratio = Timing::mean(&cold.times) / Timing::mean(&warm.times);
            let mut row = vec![model.label()];
            for timing in [&cold, &warm] {
                row.push(format!("{:.1}", 1e6 * Timing::mean(&timing.times)));
                row.push(format!("{:.1}", Timing::mean(&timing.iterations)));
                row.push(timing.missed.to_string());
            }
            row.push(format!("{ratio:.2}"));
            table.rows.push(row);
            if model.solver == "staggered" {
                iterations = [&cold, &warm]
                    .map(|timing| timing.iterations.clone())
                    .concat();
            }
            ratios.push((
                model,
                ratio,
                Timing::mean(&cold.times),
                Timing::mean(&warm.times),
            ));
        }
        section.tables.push(table);
        section.statements.extend(gap(robot.scene, &ratios));
        section.statements.extend(outer(robot.scene, &iterations));
    }
    Ok(section)
}

/// The paper's statement: warm starts shrink the gap between ADMM and PGS.
fn gap(scene: &str, ratios: &[(Model, f64, f64, f64)]) -> Option<Statement> {
    let of = |solver: &str| ratios.iter().find(|(model, ..)| model.solver == solver);
    let (_, _, admm_cold, admm_warm) = of("ccp-admm")?;
    let (_, _, pgs_cold, pgs_warm) = of("pgs-ccp")?;
    let (cold, warm) = (admm_cold / pgs_cold, admm_warm / pgs_warm);
    Some(Statement::judged(
        format!("figure 16, {scene}: warm starts shrink the gap between ADMM and PGS on the CCP"),
        &How::new(
            "ccp-admm, pgs-ccp",
            "processor time, smallest of three",
            format!("ε_abs {TOLERANCE:.0e}"),
        ),
        format!("ADMM takes {cold:.2} times as long cold, {warm:.2} times warm"),
        warm < cold,
    ))
}

/// What the paper says of staggered projections: about five outer iterations where they converge.
fn outer(scene: &str, iterations: &[f64]) -> Option<Statement> {
    let mut sorted = iterations.to_vec();
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
            format!("ε_abs {TOLERANCE:.0e}"),
        ),
        format!("median {median}, at most {most}"),
        median <= 7.0,
    ))
}
