//! `stiction bench soft`: what soft bodies cost, a box with each solver and bars of growing length in pieces.

mod choices;

use std::io::Write;
use std::sync::{Arc, Mutex};

use clap::Args;
use serde_json::json;
use stiction_constraints::{Budget, Declaration, Problem, Report, Solution, Solver};
use stiction_sim::deformable::cut::PieceSize;
use stiction_sim::deformable::fem::Material as SoftMaterial;
use stiction_sim::deformable::mesh::{Pattern, solid_box};
use stiction_sim::{
    Isometry3, Material, RigidBody, Settings, Shape, SoftBody, StageTimes, Vector3, World, solvers,
};
use stiction_solver_subadmm::{SubAdmm, SubAdmmSettings};

use super::scaling::r_squared;
use super::timing::quantile;
use crate::Ending;

#[derive(Debug, Args)]
pub(crate) struct SoftArguments {
    /// Solvers of the box
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "canal,subadmm,pgs"
    )]
    pub(crate) solvers: Vec<String>,

    /// Steps of the box that are timed, after twenty that are not
    #[arg(long, value_name = "COUNT", default_value_t = 80, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) steps: u32,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Cells of the box along each side, and its side, m: a thousand nodes.
const CELLS: usize = 9;
const SIDE: f64 = 0.1;
/// Steps until the box lies.
const LANDING: u32 = 20;
/// Cells across a bar, its cells along it, and nodes of a piece at most.
const ACROSS: usize = 4;
const LENGTHS: [usize; 6] = [20, 40, 80, 140, 200, 280];
const PIECE: usize = 150;
/// Iterations of a step of a bar, and steps of which the fastest counts.
const ITERATIONS: usize = 20;
const TURNS: usize = 12;

pub(crate) fn run(out: &mut impl Write, arguments: &SoftArguments) -> anyhow::Result<Ending> {
    // One thread: two wait for each other when the machine has something else to do.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let boxes: Vec<BoxTimes> = pool.install(|| {
        let mut names = arguments.solvers.iter();
        names.try_fold(Vec::new(), |mut all, name| {
            all.push(time_box(name, arguments.steps)?);
            anyhow::Ok(all)
        })
    })?;
    let choices = pool.install(choices::time_choices)?;
    let bars = pool.install(time_bars)?;
    let [nodes, times] = [0, 1].map(|k| bars.iter().map(|bar| bar[k]).collect::<Vec<f64>>());
    let fit = r_squared(&nodes, &times);
    if arguments.json {
        let boxes: Vec<_> = boxes.iter().map(BoxTimes::json).collect();
        let bars: Vec<_> = bars
            .iter()
            .map(|bar| json!({"nodes": bar[0], "step_s": bar[1]}))
            .collect();
        let choices: Vec<_> = choices.iter().map(choices::Choice::json).collect();
        let all = json!({"box": boxes, "choices": choices, "bars": bars, "r_squared": fit});
        writeln!(out, "{all}")?;
        return Ok(Ending::Fine);
    }
    writeln!(
        out,
        "soft box of {} nodes on a plane, 10 ms, tolerance 1e-6, one thread; medians of {} steps",
        (CELLS + 1).pow(3),
        arguments.steps
    )?;
    writeln!(
        out,
        "{:<10} {:>9} {:>9} {:>9} {:>9} {:>11} {:>10} {:>9} {:>7}",
        "solver",
        "step ms",
        "detect",
        "assemble",
        "solve",
        "Delassus",
        "iterations",
        "contacts",
        "missed"
    )?;
    for times in &boxes {
        times.print(out)?;
    }
    writeln!(out)?;
    choices::print(out, &choices)?;
    writeln!(out)?;
    writeln!(
        out,
        "subadmm on bars in pieces of at most {PIECE} nodes, {ITERATIONS} iterations a step, one thread"
    )?;
    writeln!(
        out,
        "{:>10} {:>12} {:>12}",
        "nodes", "us a step", "us a node"
    )?;
    for [nodes, time] in &bars {
        writeln!(
            out,
            "{nodes:>10} {:>12.0} {:>12.3}",
            1e6 * time,
            1e6 * time / nodes
        )?;
    }
    writeln!(out, "linear fit: R² = {fit:.4}")?;
    Ok(Ending::Fine)
}

/// A soft body on a plane.
fn world(
    cells: [usize; 3],
    pieces: PieceSize,
    settings: Settings,
) -> anyhow::Result<(World, usize)> {
    let mut world = World::new(Settings {
        time_step: 0.01,
        ..settings
    })?;
    let floor = world.add_body(RigidBody::fixed("floor"))?;
    let surface = Material::with_friction(0.5);
    world.attach(floor, Shape::half_space("plane"), surface)?;
    let sides = Vector3::from(cells.map(|cells| cells as f64 * SIDE / CELLS as f64));
    let mesh = solid_box(&sides, cells, Pattern::Five)?;
    let nodes = mesh.nodes().len();
    // The material of the box that MuJoCo is given.
    let rubber = SoftMaterial::corotational(1e5, 0.3, 1000.0).damped(0.0, 0.01);
    let body = SoftBody {
        pieces,
        ..SoftBody::new("body", mesh, rubber)
    };
    let up = Isometry3::translation(0.0, 0.0, 0.5 * sides.z + 1e-3);
    world.add_soft_body(body.at(up).touching(surface))?;
    Ok((world, nodes))
}

/// What steps of the box took.
struct BoxTimes {
    solver: String,
    stages: StageTimes,
    total: f64,
    delassus: f64,
    iterations: f64,
    contacts: f64,
    missed: usize,
}

impl BoxTimes {
    fn print(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let ms = |seconds: f64| format!("{:.2}", 1e3 * seconds);
        let delassus = match self.delassus > 0.0 {
            true => ms(self.delassus),
            false => "-".to_owned(),
        };
        writeln!(
            out,
            "{:<10} {:>9} {:>9} {:>9} {:>9} {:>11} {:>10} {:>9} {:>7}",
            self.solver,
            ms(self.total),
            ms(self.stages.detect),
            ms(self.stages.assemble),
            ms(self.stages.solve),
            delassus,
            self.iterations,
            self.contacts,
            self.missed
        )?;
        Ok(())
    }

    fn json(&self) -> serde_json::Value {
        json!({
            "solver": self.solver,
            "step_s": self.total,
            "detect_s": self.stages.detect,
            "assemble_s": self.stages.assemble,
            "solve_s": self.stages.solve,
            "delassus_s": self.delassus,
            "iterations": self.iterations,
            "contacts": self.contacts,
            "missed": self.missed,
        })
    }
}

fn time_box(name: &str, steps: u32) -> anyhow::Result<BoxTimes> {
    let settings = Settings {
        tolerance: 1e-6,
        ..Settings::default()
    };
    let (mut world, _) = world([CELLS; 3], PieceSize::Whole, settings)?;
    let delassus = Arc::new(Mutex::new(0.0));
    let (known, shared) = (name.to_owned(), Arc::clone(&delassus));
    // A name that is none is refused here.
    solvers::make(name)?;
    world.set_solver_with(move || {
        Box::new(Watched {
            solver: solvers::make(&known).unwrap_or_else(|_| Box::<SubAdmm>::default()),
            delassus: Arc::clone(&shared),
        })
    });
    let mut reports = Vec::new();
    let mut preparing = Vec::new();
    for step in 0..LANDING + steps {
        *lock(&delassus) = 0.0;
        let report = world.step()?;
        if step >= LANDING {
            reports.push(report.clone());
            preparing.push(*lock(&delassus));
        }
    }
    let median = |value: fn(&stiction_sim::StepReport) -> f64| {
        let mut values: Vec<f64> = reports.iter().map(value).collect();
        quantile(&mut values, 0.5)
    };
    Ok(BoxTimes {
        solver: name.to_owned(),
        stages: StageTimes {
            control: 0.0,
            detect: median(|report| report.stages.detect),
            assemble: median(|report| report.stages.assemble),
            solve: median(|report| report.stages.solve),
            integrate: median(|report| report.stages.integrate),
        },
        total: median(|report| report.stages.total()),
        delassus: quantile(&mut preparing, 0.5),
        iterations: median(|report| report.iterations as f64),
        contacts: median(|report| report.contacts as f64),
        missed: reports
            .iter()
            .filter(|report| report.unconverged > 0)
            .count(),
    })
}

fn lock(time: &Mutex<f64>) -> std::sync::MutexGuard<'_, f64> {
    time.lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A solver that adds up the time of its stage `delassus`.
struct Watched {
    solver: Box<dyn Solver>,
    delassus: Arc<Mutex<f64>>,
}

impl Solver for Watched {
    fn name(&self) -> &'static str {
        self.solver.name()
    }

    fn declaration(&self) -> Declaration {
        self.solver.declaration()
    }

    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report {
        let report = self.solver.solve(problem, budget, solution);
        let stages = report.stages.iter();
        *lock(&self.delassus) += stages
            .filter(|stage| stage.name == "delassus")
            .map(|stage| stage.seconds)
            .sum::<f64>();
        report
    }
}

/// Nodes and the fastest step, s, of bars of different length. All take turns, so that other work on the machine
/// meets all of them.
fn time_bars() -> anyhow::Result<Vec<[f64; 2]>> {
    let settings = Settings {
        tolerance: f64::MIN_POSITIVE,
        max_iterations: Some(ITERATIONS),
        ..Settings::default()
    };
    let mut bars = Vec::new();
    for cells in LENGTHS {
        let cells = [cells, ACROSS, ACROSS];
        let (mut world, nodes) = world(cells, PieceSize::AtMost(PIECE), settings.clone())?;
        world.set_solver_with(|| {
            let settings = SubAdmmSettings {
                parallel_from_terms: usize::MAX,
                ..SubAdmmSettings::default()
            };
            Box::new(SubAdmm::new("subadmm", settings))
        });
        bars.push((world, [nodes as f64, f64::INFINITY]));
    }
    for turn in 0..TURNS {
        for (world, [_, fastest]) in &mut bars {
            let time = world.step()?.stages.total();
            // The first steps lay memory out and land.
            if turn >= 4 {
                *fastest = fastest.min(time);
            }
        }
    }
    Ok(bars.into_iter().map(|(_, times)| times).collect())
}
