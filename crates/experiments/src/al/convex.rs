//! Section VII-E: stacked dishes slide; the soft convex model against CANAL with one, two and five iterations.

use super::rigid_twin::RigidTwin;
use super::watched::{Log, Spend, take, watch};
use crate::chart::{Chart, Curve, Scale, grid};
use crate::error::Result;
use crate::report::{Figure, Section, Table};
use crate::run::Run;
use crate::statement::{How, Statement};
use stiction_scenes::Options;
use stiction_sim::solvers::make;

/// A column: its name, its solver and its iterations.
struct Column {
    label: &'static str,
    solver: &'static str,
    iterations: usize,
}

const COLUMNS: [Column; 6] = [
    Column {
        label: "convex, MuJoCo's defaults",
        solver: "mujoco-like",
        iterations: 100,
    },
    Column {
        label: "convex, fixed penalty",
        solver: "convex",
        iterations: 1,
    },
    Column {
        label: "CANAL(1)",
        solver: "canal-paper",
        iterations: 1,
    },
    Column {
        label: "CANAL(2)",
        solver: "canal-paper",
        iterations: 2,
    },
    Column {
        label: "CANAL(5)",
        solver: "canal-paper",
        iterations: 5,
    },
    Column {
        label: "canal",
        solver: "canal",
        iterations: 100,
    },
];
const CONVEX: usize = 0;
const CANALS: [usize; 3] = [2, 3, 4];
const OURS: usize = 5;
const SCENE: &str = "dish-sliding";
/// The dishes are pushed from then on, s: before, they come to rest.
const PUSHED: f64 = 0.5;

/// What a run showed at each step.
#[derive(Debug, Default)]
struct Shown {
    time: Vec<f64>,
    /// Height of the lower dish, m.
    height: Vec<f64>,
    /// Deepest penetration, m.
    penetration: Vec<f64>,
    speed: Vec<f64>,
    decades: f64,
    scaled: f64,
    steps: usize,
    end: Option<String>,
}

impl Shown {
    /// Largest change of height while the dish is pushed and slides, m.
    fn gliding(&self) -> f64 {
        let sliding = || {
            let both = self.time.iter().zip(&self.height).zip(&self.speed);
            both.filter(|((time, _), speed)| **time > PUSHED && **speed > 1e-3)
                .map(|((_, height), _)| *height)
        };
        let (low, high) = (
            sliding().fold(f64::INFINITY, f64::min),
            sliding().fold(f64::NEG_INFINITY, f64::max),
        );
        high - low
    }

    fn mean_penetration(&self) -> f64 {
        self.penetration.iter().sum::<f64>() / self.penetration.len().max(1) as f64
    }
}

fn show(run: &Run<'_>, column: &Column, seconds: f64) -> Result<Shown> {
    let options = Options {
        seconds: Some(seconds),
        ..Options::default()
    };
    let mut scene = stiction_scenes::build(SCENE, &options)?;
    // Contacts that give way are judged as what they stand for.
    let gives_way = make(column.solver)?.soft_contacts().is_some();
    let twin = gives_way.then(|| RigidTwin::of(SCENE, &options));
    let mut twin = twin.transpose()?;
    let spend = match column.solver {
        "canal" | "mujoco-like" => Spend::AtMost(column.iterations),
        _ => Spend::Iterations(column.iterations),
    };
    let log: Log = watch(&mut scene, column.solver, spend, true)?;
    let world = &mut scene.world;
    let lower = world.find_body("lower bowl")?;
    let mut shown = Shown::default();
    let steps = (seconds / world.settings().time_step).round() as usize;
    for _ in 0..steps {
        if run.is_interrupted() {
            return Err(crate::ExperimentError::Interrupted);
        }
        let before = twin.is_some().then(|| world.snapshot());
        if let Err(error) = world.step() {
            shown.end = Some(error.to_string());
            break;
        }
        let seen = take(&log);
        let residuals = match (&mut twin, &before) {
            (Some(twin), Some(before)) => twin.judge(before, world.contact_forces())?,
            _ => seen.paper().map(|paper| [paper, seen.scaled]),
        };
        if let Some([paper, scaled]) = residuals {
            shown.decades -= paper.max(1e-16).log10();
            shown.scaled -= scaled.max(1e-16).log10();
            shown.steps += 1;
        }
        shown.time.push(world.time());
        shown.height.push(world.pose(lower)?.translation.z);
        shown.speed.push(world.velocity(lower)?.linear.xy().norm());
        shown.penetration.push(world.report().penetration.max(0.0));
    }
    let count = shown.steps.max(1) as f64;
    shown.decades /= count;
    shown.scaled /= count;
    Ok(shown)
}

pub(super) fn section(run: &mut Run<'_>) -> Result<Section> {
    let seconds = run.or_quick(2.0, 0.8);
    let mut all = Vec::new();
    for (number, column) in COLUMNS.iter().enumerate() {
        let share = number as f64 / COLUMNS.len() as f64;
        run.tell(share, column.label)?;
        all.push(show(run, column, seconds)?);
    }
    let mut table = Table::new(
        "Means over steps; the paper's in brackets",
        [
            "solver",
            "iterations",
            "-log10 residual, paper's",
            "-log10 residual, scaled (m/s)",
            "mean and largest penetration (µm)",
            "height while sliding, from lowest to highest (µm)",
        ],
    );
    for (column, shown) in COLUMNS.iter().zip(&all) {
        let paper = match column.label {
            "convex, MuJoCo's defaults" => " (4.03)",
            "CANAL(2)" => " (4.66)",
            "CANAL(5)" => " (7.96)",
            _ => "",
        };
        let deepest = shown.penetration.iter().fold(0.0, |a: f64, b| a.max(*b));
        table.rows.push(vec![
            match &shown.end {
                Some(error) => format!("{} (ended: {error})", column.label),
                None => column.label.to_owned(),
            },
            column.iterations.to_string(),
            format!("{:.2}{paper}", shown.decades),
            format!("{:.2}", shown.scaled),
            format!(
                "{:.3}, {:.3}",
                1e6 * shown.mean_penetration(),
                1e6 * deepest
            ),
            format!("{:.3}", 1e6 * shown.gliding()),
        ]);
    }
    Ok(Section {
        heading: "Section VII-E, figures 13 and 14: the convex model against CANAL".to_owned(),
        text: format!(
            "The scene `dish-sliding` for {seconds} s: two stacked bowls, μ = 0.3, pushed by 1.2 N from {PUSHED} s on. The convex \
             model is `mujoco-like`: MuJoCo's defaults of solref, solimp and impratio with its reference acceleration, \
             solved to the end; its residual is that of its forces in the rigid problem of the same step, since in its own \
             problem contacts give way. CANAL(k) is `canal-paper` with k outer iterations a step."
        ),
        statements: statements(&all),
        tables: vec![table],
        figures: vec![figure(&all)?],
    })
}

fn statements(all: &[Shown]) -> Vec<Statement> {
    let how = |solver: &str, what: &str| How::new(solver, what, "iterations as in the table");
    let gained = all[CANALS[2]].decades - all[CONVEX].decades;
    let depths =
        [CONVEX, CANALS[0], CANALS[1], CANALS[2]].map(|index| all[index].mean_penetration());
    vec![
        Statement::judged(
            "section VII-E: at least 3.9 decades from the convex model to CANAL(5) (paper: 4.03 to 7.96)",
            &how(
                "mujoco-like, canal-paper",
                "-log10 of the paper's residual, mean over steps",
            ),
            format!(
                "{:.2} to {:.2}",
                all[CONVEX].decades, all[CANALS[2]].decades
            ),
            gained >= 3.9,
        ),
        Statement::judged(
            "figure 14: penetration falls from the convex model over CANAL(1) and (2) to CANAL(5)",
            &how(
                "mujoco-like, canal-paper",
                "mean over steps of the deepest penetration",
            ),
            format!(
                "{:.2}, {:.3}, {:.3}, {:.3} µm",
                1e6 * depths[0],
                1e6 * depths[1],
                1e6 * depths[2],
                1e6 * depths[3]
            ),
            depths.windows(2).all(|pair| pair[1] <= pair[0]),
        ),
        Statement::judged(
            "figure 14: the convex model glides, its dish rises while it slides",
            &how(
                "mujoco-like",
                "height while sliding, from lowest to highest",
            ),
            format!("{:.2} µm", 1e6 * all[CONVEX].gliding()),
            all[CONVEX].gliding() > 10.0 * all[OURS].gliding(),
        ),
        Statement::judged(
            "no gliding with canal: its height stays within 1e-6 m while it slides",
            &how("canal", "height while sliding, from lowest to highest"),
            format!("{:.2e} m", all[OURS].gliding()),
            all[OURS].gliding() <= 1e-6,
        ),
    ]
}

fn figure(all: &[Shown]) -> Result<Figure> {
    let curves = |of: fn(&Shown) -> &[f64], scale: f64| {
        COLUMNS
            .iter()
            .zip(all)
            .enumerate()
            .map(|(color, (column, shown))| Curve {
                label: column.label.to_owned(),
                color,
                points: (shown.time.iter().zip(of(shown)))
                    .map(|(time, value)| (*time, scale * value))
                    .collect(),
            })
            .collect::<Vec<_>>()
    };
    let charts = [
        Chart {
            title: "height of the lower dish".to_owned(),
            x_label: "time (s)".to_owned(),
            y_label: "height (mm)".to_owned(),
            scale: Scale::Linear,
            curves: curves(|shown| &shown.height, 1e3),
            legend: true,
        },
        Chart {
            title: "deepest penetration".to_owned(),
            x_label: "time (s)".to_owned(),
            y_label: "penetration (m)".to_owned(),
            scale: Scale::LogarithmicY,
            curves: curves(|shown| &shown.penetration, 1.0),
            legend: true,
        },
    ];
    Ok(Figure {
        name: "figure-14".to_owned(),
        caption: "Two stacked dishes slide".to_owned(),
        svg: grid("Dishes slide", &charts, 2, (1200, 460))?,
        paper: "figure 14: the convex model's dish rises and jitters while it slides; the more iterations CANAL has, the less, \
                and the smaller the penetration"
            .to_owned(),
    })
}
