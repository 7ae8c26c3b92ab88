//! Figures 17 and 18: a quadruped under model-predictive control, simulated by each model.

use stiction_constraints::Criterion;
use stiction_scenes::{Options, Scene, WalkingGround, quadruped_walk};
use stiction_sim::{Isometry3, Vector3};

use super::models::{Kind, Model, models, named};
use super::picture::{chart, curve, figure, over_time};
use super::watch::{StepWork, watch};
use crate::Run;
use crate::chart::Scale;
use crate::error::{ExperimentError, Result};
use crate::report::{Section, Table};
use crate::statement::{How, Statement};

/// From when on the velocity is judged, s: the command has risen by then.
const SETTLED: f64 = 1.5;
/// A trunk lower than this, m, or more inclined than this cosine has fallen.
const LOW: f64 = 0.25;
const INCLINED: f64 = 0.7;
/// Friction and bumps of figure 18: μ of the paper; its roughness of 0.1 m has no wavelength.
const SLIPPERY: f64 = 0.3;
const WAVE: f64 = 0.5;
/// Forwards and to the left, m/s, turning to the left, rad/s.
const FORWARDS: [f64; 3] = [0.5, 0.0, 0.0];
/// What else it is told.
const COMMANDS: [(&str, [f64; 3]); 2] = [("sidestep", [0.0, 0.3, 0.0]), ("turn", [0.3, 0.0, 0.6])];
/// Residual at which solves end, m/s.
const TOLERANCE: f64 = 1e-6;

/// How a walk went.
struct Walk {
    model: Model,
    /// Time (s) and velocity forwards (m/s) of the trunk.
    speed: Vec<(f64, f64)>,
    work: Vec<(f64, StepWork)>,
    /// Mean velocity since [`SETTLED`]: forwards and to the left, m/s, turning, rad/s.
    mean: [f64; 3],
    /// Why and when it ended early.
    end: Option<String>,
}

impl Walk {
    /// Error of the mean velocity in parts of the largest part of the commanded one.
    fn error(&self, wanted: [f64; 3]) -> f64 {
        let largest = |values: [f64; 3]| values.into_iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        let error = [0, 1, 2].map(|part| self.mean[part] - wanted[part]);
        largest(error) / largest(wanted)
    }

    /// A share of the steps has less of something.
    fn quantile(&self, share: f64, value: impl Fn(&StepWork) -> f64) -> f64 {
        let mut values: Vec<f64> = self.work.iter().map(|(_, work)| value(work)).collect();
        values.sort_by(f64::total_cmp);
        let at = (share * values.len().saturating_sub(1) as f64).round() as usize;
        values.get(at).copied().unwrap_or(f64::NAN)
    }
}

fn walk(
    run: &Run<'_>,
    model: Model,
    ground: &WalkingGround,
    velocity: [f64; 3],
    seconds: f64,
) -> Result<Walk> {
    let options = Options {
        velocity: Some(velocity),
        ..Options::default()
    };
    let Scene { mut world, .. } = quadruped_walk(&options, ground)?;
    let mut settings = world.settings().clone();
    settings.tolerance = TOLERANCE;
    world.set_settings(settings)?;
    let log = watch(&mut world, model.solver, Criterion::Scaled)?;
    let trunk = world.find_body("laikago/trunk")?;
    let mut out = Walk {
        model,
        speed: Vec::new(),
        work: Vec::new(),
        mean: [0.0; 3],
        end: None,
    };
    let dt = world.settings().time_step;
    let mut settled = 0;
    while world.time() < seconds - 0.5 * dt {
        if run.is_interrupted() {
            return Err(ExperimentError::Interrupted);
        }
        if let Err(error) = world.step() {
            out.end = Some(format!("{error} at {:.1} s", world.time()));
            break;
        }
        let (pose, twist) = (world.pose(trunk)?, world.velocity(trunk)?);
        let heading = pose.rotation.euler_angles().2;
        let along = Isometry3::rotation(-Vector3::z() * heading) * twist.linear;
        out.speed.push((world.time(), along.x));
        out.work.push((world.time(), log.take()));
        if world.time() > SETTLED {
            for (mean, part) in out.mean.iter_mut().zip([along.x, along.y, twist.angular.z]) {
                *mean += part;
            }
            settled += 1;
        }
        let upright = (pose.rotation * Vector3::z()).z;
        if pose.translation.z < LOW || upright < INCLINED {
            out.end = Some(format!("falls at {:.1} s", world.time()));
            break;
        }
    }
    out.mean = out.mean.map(|sum| sum / f64::from(settled.max(1)));
    Ok(out)
}

/// Walks of all models over one ground.
fn walks(
    run: &mut Run<'_>,
    [from, to]: [f64; 2],
    what: &str,
    ground: &WalkingGround,
    seconds: f64,
) -> Result<Vec<Walk>> {
    let models: Vec<Model> = models().collect();
    let mut out = Vec::new();
    for (index, model) in models.iter().enumerate() {
        let share = from + (to - from) * index as f64 / models.len() as f64;
        run.tell(share, &format!("{what}: {}", model.solver))?;
        out.push(walk(run, *model, ground, FORWARDS, seconds)?);
    }
    Ok(out)
}

fn how(solver: &str, residual: &str) -> How {
    How::new(
        solver,
        residual,
        "scaled residual of its own model 1e-6 m/s",
    )
}

/// A walk at the commanded velocity without falling.
fn walks_as_told(walk: &Walk, what: &str, wanted: [f64; 3]) -> Statement {
    let error = walk.error(wanted);
    let [forwards, left, turning] = wanted;
    let [x, y, turn] = walk.mean;
    let measured = match &walk.end {
        Some(end) => end.clone(),
        None => format!(
            "{x:.3} m/s forwards, {y:.3} to the left, {turn:.3} rad/s: off by {:.1} %",
            100.0 * error
        ),
    };
    Statement::judged(
        format!(
            "{what}: told {forwards} m/s forwards, {left} to the left and {turning} rad/s, it walks at that (error \
             below 10 %) and does not fall"
        ),
        &how(walk.model.solver, "mean velocity of the trunk after 1.5 s"),
        measured,
        walk.end.is_none() && error < 0.1,
    )
}

/// What came of walks, a row each.
fn table(caption: &str, walks: &[Walk], wanted: [f64; 3]) -> Table {
    let mut table = Table::new(
        caption,
        [
            "model",
            "velocity forwards (m/s)",
            "error (%)",
            "complementarity violation (J), median",
            "95 %",
            "ε_abs, 95 %",
            "time of a step's solves (µs), median",
            "95 %",
            "ended early",
        ],
    );
    for walk in walks {
        let micro = |share| format!("{:.0}", 1e6 * walk.quantile(share, |work| work.time));
        let violation =
            |share| format!("{:.1e}", walk.quantile(share, |work| work.complementarity));
        table.rows.push(vec![
            walk.model.label(),
            format!("{:.3}", walk.mean[0]),
            format!("{:.1}", 100.0 * walk.error(wanted)),
            violation(0.5),
            violation(0.95),
            format!("{:.1e}", walk.quantile(0.95, |work| work.eps_abs)),
            micro(0.5),
            micro(0.95),
            walk.end.clone().unwrap_or_default(),
        ]);
    }
    table
}

/// Velocity, complementarity violation and time of walks.
fn pictures(name: &str, caption: &str, walks: &[Walk], paper: &str) -> Result<crate::Figure> {
    let of = |value: fn(&StepWork) -> f64| {
        let curves = walks.iter().enumerate().map(|(color, walk)| {
            let points = walk.work.iter().map(|(time, work)| (*time, value(work)));
            curve(walk.model.label(), color, points.collect())
        });
        curves.collect::<Vec<_>>()
    };
    let speeds = walks
        .iter()
        .enumerate()
        .map(|(color, walk)| curve(walk.model.label(), color, smooth(&walk.speed)));
    let logarithmic =
        |title, label, curves| chart([title, "time (s)", label], Scale::LogarithmicY, curves);
    let charts = [
        over_time(
            "Velocity of the trunk",
            "forwards (m/s), mean over 0.1 s",
            speeds.collect(),
        ),
        logarithmic(
            "Complementarity violation of the NCP",
            "|⟨λ, c + Γ⟩| (J)",
            of(|work| work.complementarity),
        ),
        logarithmic(
            "Time of the solver",
            "time of a step (µs)",
            of(|work| 1e6 * work.time),
        ),
    ];
    figure(name, caption, &charts, 3, paper)
}

/// Mean over a tenth of a second.
fn smooth(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mean = |window: &[(f64, f64)]| {
        let sum: f64 = window.iter().map(|(_, value)| value).sum();
        (window[0].0, sum / window.len() as f64)
    };
    points.windows(24).step_by(6).map(mean).collect()
}

/// The largest complementarity violation of most steps, over the models of a kind.
fn violation(walks: &[Walk], is_of: impl Fn(Kind) -> bool) -> impl Iterator<Item = f64> {
    let chosen = walks.iter().filter(move |walk| is_of(walk.model.kind));
    let found: Vec<f64> = chosen
        .map(|walk| walk.quantile(0.95, |work| work.complementarity))
        .collect();
    found.into_iter()
}

/// Relaxed models violate the complementarity of the NCP where feet slip, those that solve it do not.
fn violations(walks: &[Walk], what: &str) -> Statement {
    let exact = violation(walks, |kind| kind == Kind::Ncp).fold(0.0, f64::max);
    let relaxed = violation(walks, |kind| matches!(kind, Kind::Ccp | Kind::Raisim));
    let relaxed = relaxed.fold(f64::INFINITY, f64::min);
    let names: Vec<&str> = walks.iter().map(|walk| walk.model.solver).collect();
    Statement::judged(
        format!("{what}: CCP and RaiSim violate the NCP's complementarity, NCP solvers do not"),
        &how(
            &names.join(", "),
            "complementarity violation (J) that 95 % of the steps stay below",
        ),
        format!("at least {relaxed:.1e} against at most {exact:.1e}"),
        exact < relaxed && exact <= TOLERANCE,
    )
}

/// Figure 17: flat ground.
pub(super) fn flat(run: &mut Run<'_>) -> Result<Section> {
    let seconds = run.or_quick(10.0, 2.5);
    let ground = WalkingGround::flat(0.9);
    let walks = walks(run, [0.0, 0.8], "flat ground", &ground, seconds)?;
    let mut statements: Vec<Statement> = walks
        .iter()
        .map(|walk| walks_as_told(walk, "figure 17, flat ground, μ 0.9", FORWARDS))
        .collect();
    let mut turns = Vec::new();
    for (index, (what, velocity)) in COMMANDS.into_iter().enumerate() {
        run.tell(0.8 + 0.2 * index as f64 / COMMANDS.len() as f64, what)?;
        for solver in ["pgs", "canal"] {
            if let Some(model) = named(solver) {
                let walk = walk(run, model, &ground, velocity, seconds)?;
                let what = format!("flat ground, μ 0.9, {what}");
                turns.push(walks_as_told(&walk, &what, velocity));
            }
        }
    }
    statements.append(&mut turns);
    Ok(Section {
        heading: "Figure 17: a quadruped walks over flat ground".to_owned(),
        text: format!(
            "A Laikago of 25 kg trots for {seconds} s under convex model-predictive control (`quadruped-walk`) on \
             ground with μ 0.9, told {} m/s forwards, with each model as its world. Steps of 1/240 s, warm-started. The \
             paper's robot is a Solo-12.",
            FORWARDS[0]
        ),
        statements,
        tables: vec![table("", &walks, FORWARDS)],
        figures: vec![pictures(
            "walk-flat",
            "Flat ground, μ 0.9",
            &walks,
            "figure 17: all models track the velocity alike; contacts mostly stick",
        )?],
    })
}

/// Figure 18: bumpy and slippery ground.
pub(super) fn bumpy(run: &mut Run<'_>) -> Result<Section> {
    let seconds = run.or_quick(10.0, 2.5);
    let mut out = Section {
        heading: "Figure 18: a quadruped walks over bumpy, slippery ground".to_owned(),
        text: format!(
            "The same robot on ground with μ 0.3 and bumps that it does not know, the sum of two waves of \
             {WAVE} m across each other, for {seconds} s. The paper gives a roughness of 0.1 m without a wavelength."
        ),
        ..Section::default()
    };
    for (index, bump) in [0.02, 0.05].into_iter().enumerate() {
        let ground = WalkingGround {
            friction: SLIPPERY,
            bump,
            wave: WAVE,
        };
        let what = format!("bumps of ±{bump} m, μ {SLIPPERY}");
        let shares = [0.5 * index as f64, 0.5 * (index + 1) as f64];
        let walks = walks(run, shares, &what, &ground, seconds)?;
        for walk in &walks {
            // What is asked of the deeper bumps, and of relaxed models on any, is only to be told.
            if index == 0 && walk.model.kind == Kind::Ncp {
                out.statements.push(does_not_fall(walk, &what, seconds));
            }
        }
        out.statements.push(violations(&walks, &what));
        out.tables.push(table(&what, &walks, FORWARDS));
        out.figures.push(pictures(
            &format!("walk-bumpy-{}", (1000.0 * bump) as usize),
            &what,
            &walks,
            "figure 18: the velocities of CCP and RaiSim leave that of NCP, which they violate where feet slip",
        )?);
    }
    Ok(out)
}

fn does_not_fall(walk: &Walk, what: &str, seconds: f64) -> Statement {
    let measured = match &walk.end {
        Some(end) => end.clone(),
        None => format!("walks on at {:.3} m/s", walk.mean[0]),
    };
    Statement::judged(
        format!("figure 18, {what}: it walks for {seconds} s without falling"),
        &how(walk.model.solver, "height and inclination of the trunk"),
        measured,
        walk.end.is_none(),
    )
}
