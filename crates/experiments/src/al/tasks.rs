//! Tasks of a robot, within a budget: a nut is screwed onto a bolt, dishes are piled.

use stiction_constraints::{Budget, Criterion, Problem, Solution};
use stiction_recording::Recording;
use stiction_scenes::tasks::Verdict;
use stiction_scenes::{Options, Scene};
use stiction_sim::solvers::make;

use super::watched::{NEVER, Pace, Spend, median, take, watch};
use crate::error::{ExperimentError, Result};
use crate::report::{Film, Section, Table};
use crate::run::Run;
use crate::statement::{How, Statement};
use crate::timing::{on_one_thread, processor_time};

const SOLVERS: [&str; 3] = ["canal", "subadmm", "pgs"];
const PGS: usize = 2;
/// How many of a seed's steps are sampled for what an iteration costs.
const SAMPLES: usize = 20;
/// Iterations of the solves on the way there: their problems count, not their last digits.
const SAMPLED: usize = 100;
/// Frames of a film are so many steps apart.
const PER_FRAME: usize = 4;
/// A quick run sees so much of a task, s: too little for anything to be done.
const QUICK: f64 = 1.2;

/// A task: a scene that judges itself, and the budget of its solver.
struct Task {
    scene: &'static str,
    /// Processor time for the solves of a step, s.
    budget: f64,
    /// Seeds of a whole run.
    seeds: usize,
    /// What the scene calls its error of the pose and its jitter.
    error: &'static str,
    jitter: &'static str,
    /// A nut's advance that is to be a pitch a turn, to 1 %.
    advance: Option<&'static str>,
    done: &'static str,
}

const NUT: &str =
    "the nut within half a pitch of its helix, no penetration beyond the clearance of 0.2 mm";

const TASKS: [Task; 3] = [
    Task {
        scene: "bolt-nut-assembly",
        budget: 0.5e-3,
        seeds: 20,
        error: "farthest off the helix",
        jitter: "jitter along the thread",
        advance: Some("advance per turn"),
        done: NUT,
    },
    Task {
        scene: "dish-piling-robot",
        budget: 1e-3,
        seeds: 20,
        error: "farthest beside the pile",
        jitter: "jitter at rest",
        advance: None,
        done: "the dishes upon each other, upright and still, no penetration beyond half a wall",
    },
    // Beyond the paper: the nut is not attached to the hand.
    Task {
        scene: "bolt-nut-grasp",
        budget: 0.5e-3,
        seeds: 5,
        error: "farthest off the helix",
        jitter: "jitter along the thread",
        advance: Some("advance per turn"),
        done: NUT,
    },
];

/// How one run went.
#[derive(Debug, Clone, Default)]
struct Outcome {
    is_done: bool,
    /// What its scene says against it.
    words: String,
    penetration: f64,
    jitter: f64,
    error: f64,
    /// Pitches a turn.
    advance: Option<f64>,
    /// Processor time of a step, all of it, and of its solves, s.
    step: f64,
    solve: f64,
}

impl Outcome {
    fn take(&mut self, task: &Task, verdict: &Verdict) {
        let measure = |name| verdict.measure(name).unwrap_or(f64::NAN);
        self.is_done = verdict.is_done();
        self.words = verdict.failures.join("; ");
        self.penetration = measure("deepest penetration");
        self.error = measure(task.error);
        self.jitter = measure(task.jitter);
        self.advance = task.advance.and_then(|name| verdict.measure(name));
    }
}

fn build(task: &Task, seed: u64) -> Result<Scene> {
    let options = Options {
        seed,
        ..Options::default()
    };
    Ok(stiction_scenes::build(task.scene, &options)?)
}

fn perform(
    pace: &Pace,
    task: &Task,
    (solver, spend, seed): (&str, Spend, u64),
    mut film: Option<&mut Recording>,
) -> Result<Outcome> {
    let mut scene = build(task, seed)?;
    let log = watch(&mut scene, solver, spend, false)?;
    let seconds = pace.or_quick(scene.seconds, QUICK);
    let judge = scene.task.as_mut();
    let judge = judge.ok_or(ExperimentError::NothingTouches("a scene that is no task"))?;
    let world = &mut scene.world;
    let dt = world.settings().time_step;
    let steps = (seconds / dt).round() as usize;
    if let Some(film) = &mut film {
        film.header = world.recording_header(task.scene, PER_FRAME as f64 * dt);
    }
    let mut out = Outcome::default();
    for step in 0..steps {
        pace.go_on()?;
        let (stepped, time) = processor_time(|| world.step().map(|_| ()));
        if let Err(error) = stepped {
            out.words = format!("ended at {:.2} s: {error}", world.time());
            return Ok(out);
        }
        out.step += time;
        out.solve += take(&log).seconds;
        judge.observe(world)?;
        if let Some(film) = &mut film
            && step % PER_FRAME == 0
        {
            film.frames.push(world.record());
        }
    }
    let count = steps.max(1) as f64;
    out.step /= count;
    out.solve /= count;
    out.take(task, &judge.verdict(world)?);
    Ok(out)
}

/// Problems of a run of the default solver, evenly over its time.
fn samples(pace: &Pace, task: &Task) -> Result<Vec<Problem>> {
    let mut scene = build(task, 0)?;
    let seconds = pace.or_quick(scene.seconds, QUICK);
    let world = &mut scene.world;
    let mut settings = world.settings().clone();
    settings.max_iterations = Some(SAMPLED);
    world.set_settings(settings)?;
    let steps = (seconds / world.settings().time_step).round() as usize;
    let every = (steps / SAMPLES).max(1);
    let mut out = Vec::new();
    for step in 0..steps {
        pace.go_on()?;
        world.step()?;
        if step % every == every - 1 {
            let problems = world.problems().map(|solved| solved.problem);
            let largest = problems.max_by_key(|problem| problem.contact_count());
            out.extend(
                largest
                    .filter(|problem| problem.contact_count() > 0)
                    .cloned(),
            );
        }
    }
    Ok(out)
}

/// How many iterations fit into a budget of processor time, by the median of the problems.
fn iterations_within(seconds: f64, solver: &str, problems: &[Problem]) -> Result<usize> {
    let mut own = make(solver)?;
    let mut time = |problem: &Problem, iterations: usize| {
        let budget = Budget {
            criterion: Criterion::Scaled,
            max_iterations: Some(iterations),
            rescue: false,
            all_residuals: false,
            ..Budget::with_tolerance(NEVER)
        };
        (0..3)
            .map(|_| {
                let mut solution = Solution::cold();
                processor_time(|| own.solve(problem, &budget, &mut solution)).1
            })
            .fold(f64::INFINITY, f64::min)
    };
    let [few, many] = if solver == "canal" { [1, 4] } else { [5, 25] };
    let mut costs = [Vec::new(), Vec::new()];
    for problem in problems {
        let (short, long) = (time(problem, few), time(problem, many));
        costs[0].push(short);
        costs[1].push((long - short) / (many - few) as f64);
    }
    let [start, each] = costs.map(|mut costs| median(&mut costs));
    let left = (seconds - start) / each.max(1e-9);
    Ok(few
        .saturating_add_signed(left.floor() as isize)
        .clamp(1, 2000))
}

pub(super) fn section(run: &mut Run<'_>) -> Result<Section> {
    let mut out = Section {
        heading: "The robot tasks, sections VII-A2 and VII-B2".to_owned(),
        text: "Each solver has as many iterations a step as fit into the paper's budget by the median cost in this run; films have the \
               budget in processor time. The scenes judge themselves, by measures that do not depend on the solver; a step that cannot \
               be made fails a run. The seed draws where things are, how far the robot misjudges that, friction and pace. \
               `bolt-nut-grasp` goes beyond the paper: the hand takes the nut, finds the thread, turns it grasp by grasp, and lets go."
            .to_owned(),
        ..Section::default()
    };
    if run.is_quick() {
        out.text += &format!(
            " With --quick only the first {QUICK} s are simulated, in which nothing can be done: no statement is made."
        );
    }
    for (number, task) in TASKS.iter().enumerate() {
        let (from, share) = (number as f64 / TASKS.len() as f64, 1.0 / TASKS.len() as f64);
        let seeds = run.trials(task.seeds, 1) as u64;
        run_task(run, task, seeds, (from, share), &mut out)?;
    }
    Ok(out)
}

fn run_task(
    run: &mut Run<'_>,
    task: &Task,
    seeds: u64,
    (from, share): (f64, f64),
    out: &mut Section,
) -> Result<()> {
    let pace = Pace::of(run);
    run.tell(from, &format!("{}, what iterations cost", task.scene))?;
    let problems = on_one_thread(|| samples(&pace, task))?;
    let mut table = Table::new(
        &format!(
            "`{}`, {seeds} seeds, {} ms a step: done is {}",
            task.scene,
            1e3 * task.budget,
            task.done
        ),
        [
            "solver",
            "iterations",
            "done",
            "deepest penetration (mm)",
            "jitter, median (mm/s)",
            "error of the pose, median (mm)",
            "advance (pitches a turn), from the least to the most",
            "step, all of it (ms)",
            "solve (ms)",
            "what went wrong first",
        ],
    );
    let mut all = Vec::new();
    for (index, solver) in SOLVERS.into_iter().enumerate() {
        let most = on_one_thread(|| iterations_within(task.budget, solver, &problems))?;
        let mut outcomes = Vec::new();
        for seed in 0..seeds {
            let part = (index as f64 + seed as f64 / seeds as f64) / SOLVERS.len() as f64;
            run.tell(
                from + 0.9 * share * part,
                &format!("{} with {solver}, seed {seed}", task.scene),
            )?;
            let spend = Spend::AtMost(most);
            outcomes.push(on_one_thread(|| {
                perform(&pace, task, (solver, spend, seed), None)
            })?);
        }
        let of = |value: fn(&Outcome) -> f64| {
            median(&mut outcomes.iter().map(value).collect::<Vec<_>>())
        };
        let deepest = outcomes
            .iter()
            .map(|one| one.penetration)
            .fold(0.0, f64::max);
        table.rows.push(vec![
            solver.to_owned(),
            most.to_string(),
            format!(
                "{} of {seeds}",
                outcomes.iter().filter(|one| one.is_done).count()
            ),
            format!("{:.4}", 1e3 * deepest),
            format!("{:.3}", 1e3 * of(|one| one.jitter)),
            format!("{:.3}", 1e3 * of(|one| one.error)),
            advances(&outcomes).map_or("–".to_owned(), |[low, high]| {
                format!("{low:.4}, {high:.4}")
            }),
            format!("{:.3}", 1e3 * of(|one| one.step)),
            format!("{:.3}", 1e3 * of(|one| one.solve)),
            match outcomes.iter().find(|one| !one.words.is_empty()) {
                Some(one) if !run.is_quick() => one.words.clone(),
                _ => "–".to_owned(),
            },
        ]);
        all.push(outcomes);
    }
    out.tables.push(table);
    if !run.is_quick() {
        out.statements
            .extend(statements(task, seeds as usize, &all));
    }
    for (solver, what) in [("canal", "canal"), ("pgs", "projected Gauss-Seidel")] {
        run.tell(
            from + 0.95 * share,
            &format!("{}, film with {solver}", task.scene),
        )?;
        let mut film = Recording::default();
        let spend = Spend::Time(task.budget);
        let outcome = on_one_thread(|| perform(&pace, task, (solver, spend, 0), Some(&mut film)))?;
        let html = stiction_viewer::page(&film)
            .map_err(|error| ExperimentError::Film(error.to_string()))?;
        run.keep_film(Film {
            name: format!("{}-{solver}", task.scene),
            caption: format!(
                "{} with {what}, {} ms of processor time a step: {}",
                task.scene,
                1e3 * task.budget,
                match (run.is_quick(), outcome.is_done) {
                    (true, _) => format!("the first {QUICK} s"),
                    (false, true) => "done".to_owned(),
                    (false, false) => format!("not done: {}", outcome.words),
                }
            ),
            html,
        });
    }
    Ok(())
}

/// Least and largest advance of the runs that are done; `None` where nothing advances.
fn advances(outcomes: &[Outcome]) -> Option<[f64; 2]> {
    let done = outcomes.iter().filter(|one| one.is_done);
    let all = done.filter_map(|one| one.advance);
    let ends = all.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], one| {
        [low.min(one), high.max(one)]
    });
    (ends[0] <= ends[1]).then_some(ends)
}

fn statements(task: &Task, seeds: usize, all: &[Vec<Outcome>]) -> Vec<Statement> {
    let how = |solver: &str, what: &str| {
        How::new(
            solver,
            what,
            "iterations as in the table, or the scene's tolerance",
        )
    };
    let mut out = Vec::new();
    let wanted = (0.95 * seeds as f64).ceil() as usize;
    for (solver, outcomes) in SOLVERS.iter().zip(&all[..PGS]) {
        let done = outcomes.iter().filter(|one| one.is_done).count();
        out.push(Statement::judged(
            format!(
                "`{}`: {solver} completes it in at least 19 of 20 seeds, here {wanted} of {seeds}",
                task.scene
            ),
            &how(solver, "runs that are done"),
            format!("{done} of {seeds}"),
            done >= wanted,
        ));
    }
    let done = |index: usize| {
        let outcomes: &Vec<Outcome> = &all[index];
        outcomes.iter().filter(|one| one.is_done).count()
    };
    let of = |index: usize, value: fn(&Outcome) -> f64| {
        median(&mut all[index].iter().map(value).collect::<Vec<_>>())
    };
    let (depth, jitter) = (
        [0, PGS].map(|index| of(index, |one| one.penetration)),
        [0, PGS].map(|index| of(index, |one| one.jitter)),
    );
    out.push(Statement::judged(
        format!(
            "`{}`: PGS with the same time fails, or is worse in penetration or jitter",
            task.scene
        ),
        &how(
            "pgs, canal",
            "runs that are done; medians of penetration and jitter",
        ),
        format!(
            "{} and {} of {seeds}; {:.4} and {:.4} mm; {:.3} and {:.3} mm/s",
            done(PGS),
            done(0),
            1e3 * depth[1],
            1e3 * depth[0],
            1e3 * jitter[1],
            1e3 * jitter[0]
        ),
        done(PGS) < done(0) || depth[1] > depth[0] || jitter[1] > jitter[0],
    ));
    if task.advance.is_some() {
        let ends = [0, 1].map(|index| advances(&all[index]));
        let worst = ends.iter().flatten().flatten();
        let worst = worst.map(|advance| (advance - 1.0).abs());
        out.push(Statement::judged(
            format!(
                "`{}`: the nut advances by its pitch a turn, to 1 %",
                task.scene
            ),
            &how("canal, subadmm", "pitches a turn, the runs that are done"),
            match ends {
                [Some([a, b]), Some([c, d])] => format!("{a:.4} to {b:.4}, {c:.4} to {d:.4}"),
                _ => "no run is done".to_owned(),
            },
            ends.iter().all(Option::is_some) && worst.fold(0.0, f64::max) <= 0.01,
        ));
    }
    let slowest = [0, 1]
        .map(|index| of(index, |one| one.step))
        .into_iter()
        .fold(0.0, f64::max);
    out.push(Statement::judged(
        format!(
            "`{}`: with detection and all at least in real time at dt = 1/240 s on one core",
            task.scene
        ),
        &how(
            "canal, subadmm",
            "processor time of a step, median over seeds of the mean, the slower one",
        ),
        format!("{:.2} ms of 4.17", 1e3 * slowest),
        slowest < 1.0 / 240.0,
    ));
    out
}
