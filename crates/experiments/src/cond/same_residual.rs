//! The table that papers lack: time to the same residual.

use std::time::Duration;

use stiction_constraints::{Budget, Problem, Solution};
use stiction_scenes::Options;
use stiction_sim::solvers::make;

use crate::Run;
use crate::error::Result;
use crate::report::{Section, Table};
use crate::timing::processor_time;

/// Scenes and the simulated time after which problems are taken, s.
const SCENES: [(&str, f64); 8] = [
    ("soft-mat", 0.2),
    ("soft-ball", 0.35),
    ("cable-winding", 0.3),
    ("soft-gripper", 0.3),
    ("beam-insertion", 0.1),
    ("spheres", 0.5),
    ("dish-piling", 0.5),
    ("bolt-nut", 0.2),
];
const SOLVERS: [&str; 7] = [
    "cond",
    "cond-shifted",
    "subadmm",
    "canal",
    "pgs",
    "apgd",
    "ccs",
];
const TOLERANCES: [f64; 3] = [1e-3, 1e-4, 1e-6];
/// Time after which a solve is given up, s.
const PATIENCE: f64 = 5.0;

pub(super) fn section(run: &mut Run<'_>) -> Result<Section> {
    let mut table = Table::new(
        "Processor time (ms) from no guess to a scaled residual (m/s) of the true problem, slowest island of the \
         step; – where it was not reached in 5 s",
        [
            "scene", "residual", SOLVERS[0], SOLVERS[1], SOLVERS[2], SOLVERS[3], SOLVERS[4],
            SOLVERS[5], SOLVERS[6],
        ],
    );
    let tolerances = run.or_quick(TOLERANCES.len(), 1);
    for (number, (name, seconds)) in SCENES.into_iter().enumerate() {
        run.tell(number as f64 / SCENES.len() as f64, name)?;
        if run.is_quick() && number > 2 {
            break;
        }
        let Some(problem) = problem_of(name, run.or_quick(seconds, 0.05))? else {
            continue;
        };
        for &tolerance in &TOLERANCES[..tolerances] {
            let mut row = vec![name.to_owned(), format!("{tolerance:.0e}")];
            for solver in SOLVERS {
                run.tell(
                    number as f64 / SCENES.len() as f64,
                    &format!("{name} with {solver}"),
                )?;
                row.push(time_to(solver, &problem, tolerance, run)?);
            }
            table.rows.push(row);
        }
    }
    Ok(Section {
        heading: "Time to the same residual".to_owned(),
        text: "One problem of each scene, of the largest island, solved from no guess by every solver until the same \
               residual of the same evaluator; times include factors of A wherever a solver uses them, and \
               for cond those of measuring. `cond` solves the model with virtual nodes: where these are needed \
               its residual of the true problem stays above λ/k_v."
            .to_owned(),
        statements: Vec::new(),
        tables: vec![table],
        figures: Vec::new(),
    })
}

/// The problem with most rows after some time.
fn problem_of(name: &str, seconds: f64) -> Result<Option<Problem>> {
    let mut scene = stiction_scenes::build(name, &Options::default())?;
    let steps = (seconds / scene.world.settings().time_step).ceil() as usize;
    for _ in 0..steps {
        scene.world.step()?;
    }
    let problems = scene.world.problems();
    let largest = problems.max_by_key(|solved| solved.problem.row_count());
    Ok(largest.map(|solved| solved.problem.clone()))
}

fn time_to(solver: &str, problem: &Problem, tolerance: f64, run: &Run<'_>) -> Result<String> {
    let mut solver = make(solver)?;
    let budget = Budget {
        max_iterations: Some(100_000),
        time_limit: Some(Duration::from_secs_f64(PATIENCE)),
        stop: Some(run.stop_flag()),
        ..Budget::with_tolerance(tolerance)
    };
    let mut solution = Solution::cold();
    let (report, seconds) = processor_time(|| solver.solve(problem, &budget, &mut solution));
    Ok(match report.residuals.scaled <= tolerance {
        true => format!("{:.2}", 1e3 * seconds),
        false => format!("– ({:.0e})", report.residuals.scaled),
    })
}
