//! A small change of b, as from one time step to the next: cold start against warm start.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use stiction_constraints::{Budget, Criterion, Problem, Report, Solution, Solver};
use stiction_generators::transform::perturb_b;
use stiction_solver_canal::{Canal, CanalSettings};
use stiction_solver_subadmm::{SubAdmm, SubAdmmSettings};

use super::families::{bolt_nuts, dish_stacks};
use super::timing::{Task, fastest_of_each, microseconds, quantile};
use crate::arguments::BenchArguments;
use crate::solvers;

/// Solves of each generated problem.
const TURNS: usize = 5;
/// Relative changes of b.
const CHANGES: [f64; 2] = [1e-3, 1e-4];
/// Scenes whose steps are solved with and without the last step's impulses, and how many steps.
const SCENES: [&str; 2] = ["bolt-nut", "dish-piling"];
const STEPS: usize = 240;
/// With what, and to how many m/s.
const SCENE_SOLVERS: [(&str, f64, MakeSolver); 2] = [
    ("canal", 1e-6, || {
        Box::new(Canal::new(CanalSettings::default()))
    }),
    ("subadmm", 1e-3, || {
        Box::new(SubAdmm::new("subadmm", SubAdmmSettings::default()))
    }),
];

type MakeSolver = fn() -> Box<dyn Solver>;

pub(super) fn print(out: &mut dyn Write, arguments: &BenchArguments) -> anyhow::Result<()> {
    for change in CHANGES {
        after_a_change(out, arguments, change)?;
        writeln!(out)?;
    }
    between_steps(out)
}

/// Generated problems before and after a small change of b.
fn after_a_change(
    out: &mut dyn Write,
    arguments: &BenchArguments,
    change: f64,
) -> anyhow::Result<()> {
    writeln!(
        out,
        "Warm start after a change of b by {change:e} (median microseconds)"
    )?;
    writeln!(
        out,
        "{:9} {:9} {:>10} {:>10} {:>8}",
        "family", "solver", "cold", "warm", "ratio"
    )?;
    let families = [
        ("bolt-nut", bolt_nuts(arguments.count, arguments.seed)?),
        ("dishes", dish_stacks(arguments.count, arguments.seed)?),
    ];
    let canal = Budget {
        tolerance: 1e-7,
        ..Budget::default()
    };
    let subadmm = Budget {
        criterion: Criterion::Paper,
        tolerance: 1e-4,
        ..Budget::default()
    };
    for (family, problems) in &families {
        for (name, budget) in [("canal", &canal), ("subadmm", &subadmm)] {
            let (cold, warm) = compare(name, problems, budget, change)?;
            writeln!(
                out,
                "{family:9} {name:9} {cold:>10.0} {warm:>10.0} {:>8.2}",
                cold / warm
            )?;
        }
    }
    Ok(())
}

/// Steps of a simulation, each solved from no impulses and from the last step's.
fn between_steps(out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(
        out,
        "Warm start from step to step of a scene (mean microseconds of solving over {STEPS} steps)"
    )?;
    writeln!(
        out,
        "{:11} {:9} {:>8} {:>10} {:>10} {:>8}",
        "scene", "solver", "to m/s", "cold", "warm", "ratio"
    )?;
    for scene in SCENES {
        for (solver, tolerance, make) in SCENE_SOLVERS {
            let [cold, warm] = simulate(scene, tolerance, make)?;
            writeln!(
                out,
                "{scene:11} {solver:9} {tolerance:>8.0e} {cold:>10.0} {warm:>10.0} {:>8.2}",
                cold / warm
            )?;
        }
    }
    Ok(())
}

/// Mean time of solving one step without and with a guess, microseconds. The simulation goes on with
/// the latter, so that both solve the same problems.
fn simulate(scene: &str, tolerance: f64, make: MakeSolver) -> anyhow::Result<[f64; 2]> {
    let options = stiction_scenes::Options {
        settings: stiction_scenes::SettingsDescription {
            tolerance: Some(tolerance),
            ..stiction_scenes::SettingsDescription::default()
        },
        ..stiction_scenes::Options::default()
    };
    let mut world = stiction_scenes::build(scene, &options)?.world;
    let nanoseconds = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
    let total = Arc::clone(&nanoseconds);
    world.set_solver_with(move || {
        Box::new(BothWays {
            solver: make(),
            nanoseconds: Arc::clone(&total),
        })
    });
    for _ in 0..STEPS {
        world.step()?;
    }
    let mean = |sum: &AtomicU64| 1e-3 * sum.load(Ordering::Relaxed) as f64 / STEPS as f64;
    Ok([mean(&nanoseconds[0]), mean(&nanoseconds[1])])
}

/// Solves every problem from nothing first, to know what that takes.
struct BothWays {
    solver: Box<dyn Solver>,
    /// Without and with a guess.
    nanoseconds: Arc<[AtomicU64; 2]>,
}

impl Solver for BothWays {
    fn name(&self) -> &'static str {
        self.solver.name()
    }

    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report {
        let cold = self.solver.solve(problem, budget, &mut Solution::cold());
        let warm = self.solver.solve(problem, budget, solution);
        for (sum, report) in self.nanoseconds.iter().zip([&cold, &warm]) {
            sum.fetch_add(report.time.as_nanos() as u64, Ordering::Relaxed);
        }
        warm
    }
}

fn compare(
    name: &str,
    problems: &[Problem],
    budget: &Budget,
    change: f64,
) -> anyhow::Result<(f64, f64)> {
    let mut solvers = [solvers::make(name)?];
    let cold = Solution::cold();
    let mut steps = Vec::new();
    for (k, problem) in problems.iter().enumerate() {
        let mut previous = Solution::cold();
        solvers[0].solve(problem, budget, &mut previous);
        steps.push((perturb_b(problem, change, k as u64)?, previous));
    }
    let tasks: Vec<Task> = [false, true]
        .iter()
        .flat_map(|is_warm| steps.iter().map(move |step| (is_warm, step)))
        .map(|(is_warm, (problem, previous))| Task {
            solver: 0,
            problem,
            budget,
            start: if *is_warm { previous } else { &cold },
        })
        .collect();
    let reports = fastest_of_each(&mut solvers, &tasks, TURNS, || {});
    let (cold, warm) = reports.split_at(steps.len());
    let median = |reports: &[Report]| {
        let mut times: Vec<f64> = reports.iter().map(microseconds).collect();
        quantile(&mut times, 0.5)
    };
    Ok((median(cold), median(warm)))
}
