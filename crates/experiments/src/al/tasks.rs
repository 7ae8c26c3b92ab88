//! The two tasks of a robot, within a budget: a nut is screwed onto a bolt, dishes are piled.

use std::f64::consts::{PI, TAU};

use stiction_constraints::{Budget, Criterion, Problem, Solution};
use stiction_recording::Recording;
use stiction_scenes::{Options, Scene};
use stiction_sim::sdf::MetricThread;
use stiction_sim::solvers::make;
use stiction_sim::{BodyHandle, World};

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
/// Frames of a film are so many steps apart.
const PER_FRAME: usize = 4;

/// A task: a scene, the paper's budget, and when it is done.
struct Task {
    scene: &'static str,
    /// Processor time for the solves of a step, s.
    budget: f64,
    /// Penetration by which it has failed, m.
    too_deep: f64,
    watch: fn(&World) -> Result<Box<dyn Judge>>,
    done: &'static str,
}

const TASKS: [Task; 2] = [
    Task {
        scene: "bolt-nut-assembly",
        budget: 0.5e-3,
        too_deep: 2e-4,
        watch: |world| Ok(Box::new(Screwed::new(world)?)),
        done: "the nut within half a pitch of its helix, its advance a pitch a turn to 1 %, no penetration beyond the clearance of 0.2 mm",
    },
    Task {
        scene: "dish-piling-robot",
        budget: 1e-3,
        too_deep: 3e-3,
        watch: |world| Ok(Box::new(Piled::new(world)?)),
        done: "the dishes on top of each other and still, no penetration beyond half a wall",
    },
];

/// Looks at a task while it runs and says at its end how it went.
trait Judge {
    fn look(&mut self, world: &World) -> Result<()>;
    /// What moves and should not jitter.
    fn held(&self) -> BodyHandle;
    /// Error of the final pose, m; whether that is success; a word on it.
    fn verdict(&self, world: &World) -> Result<(f64, bool, String)>;
}

/// The nut on the hand: how far it has turned and come down since it met the bolt.
struct Screwed {
    wrist: BodyHandle,
    lead: f64,
    last: Option<f64>,
    turned: f64,
    height: Option<f64>,
    /// Turn and height at each look.
    way: Vec<[f64; 2]>,
}

/// The nut has come down to the bolt by then, s.
const MET: f64 = 1.0;

impl Screwed {
    fn new(world: &World) -> Result<Self> {
        // The nut is one body with the last link of the arm.
        let wrist = world
            .body_names()
            .find(|name| name.ends_with("/wrist_roll"))
            .map(str::to_owned);
        let wrist = wrist.ok_or(ExperimentError::NothingTouches("a scene without a wrist"))?;
        Ok(Self {
            wrist: world.find_body(&wrist)?,
            lead: MetricThread::coarse(48)
                .map_err(stiction_sim::SimError::from)?
                .lead(),
            last: None,
            turned: 0.0,
            height: None,
            way: Vec::new(),
        })
    }

    /// Advance of a turn by least squares over what was turned on the thread, m.
    fn advance(&self) -> f64 {
        let points: Vec<(f64, f64)> = self
            .way
            .iter()
            .filter(|[turn, _]| turn.abs() > 0.5)
            .map(|[turn, height]| (turn / TAU, *height))
            .collect();
        crate::fit::Line::fit(&points).map_or(f64::NAN, |line| line.slope)
    }
}

impl Judge for Screwed {
    fn look(&mut self, world: &World) -> Result<()> {
        let pose = world.pose(self.wrist)?;
        let axis = pose.rotation.to_rotation_matrix();
        let heading = axis[(1, 0)].atan2(axis[(0, 0)]);
        if let Some(last) = self.last
            && world.time() > MET
        {
            let step = (heading - last + PI).rem_euclid(TAU) - PI;
            self.turned += step;
            let start = *self.height.get_or_insert(pose.translation.z);
            self.way.push([self.turned, pose.translation.z - start]);
        }
        self.last = Some(heading);
        Ok(())
    }

    fn held(&self) -> BodyHandle {
        self.wrist
    }

    fn verdict(&self, _world: &World) -> Result<(f64, bool, String)> {
        let [turn, height] = self.way.last().copied().unwrap_or([0.0, 0.0]);
        // Turning clockwise it comes down.
        let off = height - self.lead_of(turn);
        let pitch = TAU * self.lead;
        let advance = self.advance().abs() / pitch;
        let words = format!(
            "turned {:.2} rad, {:.2} mm off the helix, {:.3} pitches a turn",
            turn.abs(),
            1e3 * off.abs(),
            advance
        );
        let is_done = turn.abs() > PI && off.abs() < 0.5 * pitch && (advance - 1.0).abs() < 0.01;
        Ok((off.abs(), is_done, words))
    }
}

impl Screwed {
    fn lead_of(&self, turn: f64) -> f64 {
        self.lead * turn
    }
}

/// Dishes that are to stand on each other.
struct Piled {
    dishes: Vec<BodyHandle>,
}

/// Dishes stand on each other where their axes are this close, m, and rest below this speed, m/s.
const ASIDE: f64 = 0.03;
const STILL: f64 = 1e-2;

impl Piled {
    fn new(world: &World) -> Result<Self> {
        let is_dish = |name: &&str| {
            ["bowl", "plate", "pot", "dish"]
                .iter()
                .any(|word| name.contains(word) && !name.contains('/'))
        };
        let names: Vec<String> = world
            .body_names()
            .filter(is_dish)
            .map(str::to_owned)
            .collect();
        let mut dishes = Vec::new();
        for name in names {
            let body = world.find_body(&name)?;
            if world.mass(body)? > 0.0 {
                dishes.push(body);
            }
        }
        if dishes.is_empty() {
            return Err(ExperimentError::NothingTouches("a scene without dishes"));
        }
        Ok(Self { dishes })
    }
}

impl Judge for Piled {
    fn look(&mut self, _world: &World) -> Result<()> {
        Ok(())
    }

    fn held(&self) -> BodyHandle {
        self.dishes[0]
    }

    fn verdict(&self, world: &World) -> Result<(f64, bool, String)> {
        let mut aside: f64 = 0.0;
        let mut speed: f64 = 0.0;
        let first = world.pose(self.dishes[0])?.translation.vector;
        for &dish in &self.dishes {
            let at = world.pose(dish)?.translation.vector;
            aside = aside.max((at - first).xy().norm());
            speed = speed.max(world.velocity(dish)?.linear.norm());
        }
        let words = format!("{:.1} mm apart aside, {:.1e} m/s", 1e3 * aside, speed);
        Ok((aside, aside < ASIDE && speed < STILL, words))
    }
}

/// How one run went.
#[derive(Debug, Clone, Default)]
struct Outcome {
    is_done: bool,
    words: String,
    penetration: f64,
    /// Mean change of velocity from step to step, m/s.
    jitter: f64,
    error: f64,
    /// Processor time of a step, all of it, and of its solves, s.
    step: f64,
    solve: f64,
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
    let seconds = pace.or_quick(scene.seconds, scene.seconds.min(1.2));
    let world = &mut scene.world;
    let mut judge = (task.watch)(world)?;
    let dt = world.settings().time_step;
    let steps = (seconds / dt).round() as usize;
    if let Some(film) = &mut film {
        film.header = world.recording_header(task.scene, PER_FRAME as f64 * dt);
    }
    let mut out = Outcome::default();
    let held = judge.held();
    let mut velocity = world.velocity(held)?.linear;
    let mut done = 0;
    for step in 0..steps {
        pace.go_on()?;
        let (stepped, time) = processor_time(|| world.step().map(|_| ()));
        if let Err(error) = stepped {
            out.words = format!("ended at {:.2} s: {error}", world.time());
            return Ok(out);
        }
        done += 1;
        out.step += time;
        out.solve += take(&log).seconds;
        judge.look(world)?;
        out.penetration = out.penetration.max(world.report().penetration);
        let now = world.velocity(held)?.linear;
        out.jitter += (now - velocity).norm();
        velocity = now;
        if let Some(film) = &mut film
            && step % PER_FRAME == 0
        {
            film.frames.push(world.record());
        }
    }
    let count = f64::from(done.max(1));
    out.jitter /= count;
    out.step /= count;
    out.solve /= count;
    let (error, is_done, words) = judge.verdict(world)?;
    out.error = error;
    out.words = words;
    out.is_done = is_done && out.penetration <= task.too_deep;
    Ok(out)
}

/// Problems of a run of the default solver, evenly over its time.
fn samples(pace: &Pace, task: &Task) -> Result<Vec<Problem>> {
    let mut scene = build(task, 0)?;
    let seconds = pace.or_quick(scene.seconds, scene.seconds.min(1.2));
    let world = &mut scene.world;
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
        heading: "The two robot tasks, sections VII-A2 and VII-B2".to_owned(),
        text: "Each solver has as many iterations a step as fit into the paper's budget by the median cost in this run; films have the \
               budget in processor time. A run is done only by the measures named, a step that cannot be made fails it."
            .to_owned(),
        ..Section::default()
    };
    let seeds = run.trials(20, 1) as u64;
    let known = |task: &&Task| {
        stiction_scenes::all()
            .iter()
            .any(|scene| scene.name == task.scene)
    };
    let tasks: Vec<&Task> = TASKS.iter().filter(known).collect();
    for (number, task) in tasks.iter().enumerate() {
        let (from, share) = (number as f64 / tasks.len() as f64, 1.0 / tasks.len() as f64);
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
            "jitter (mm/s a step)",
            "error of the final pose, median (mm)",
            "step, all of it (ms)",
            "solve (ms)",
            "the first run",
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
            format!("{:.3}", 1e3 * of(|one| one.step)),
            format!("{:.3}", 1e3 * of(|one| one.solve)),
            outcomes
                .first()
                .map_or(String::new(), |one| one.words.clone()),
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
                "{} with {what}, {} ms of processor time a step: {}{}",
                task.scene,
                1e3 * task.budget,
                if outcome.is_done {
                    "done, "
                } else {
                    "not done, "
                },
                outcome.words
            ),
            html,
        });
    }
    Ok(())
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
                "`{}`: {solver} completes it in at least 19 of 20 seeds",
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
