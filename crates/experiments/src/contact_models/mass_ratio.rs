//! Figure 12: a heavy cube on a light one.

use stiction_constraints::{Budget, Problem, Solution};
use stiction_sim::solvers::make;
use stiction_sim::{
    Inertia, Isometry3, Material, RigidBody, Settings, Shape, SimError, Vector3, World,
};

use super::models::{Model, models, named};
use super::picture::{chart, curve, figure};
use crate::Run;
use crate::chart::Scale;
use crate::error::Result;
use crate::report::{Section, Table};
use crate::statement::{How, Statement};

/// Ratios of the masses; their geometric mean is 1 kg, as in the paper's 1e3 kg on 1e-3 kg.
const RATIOS: [f64; 7] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6];
const SIDE: f64 = 0.2;
const FRICTION: f64 = 0.5;
/// Steps that are made before the one whose problem is solved.
const BEFORE: usize = 20;
/// Iterations (sweeps of per-contact solvers) that every solver has at most, and the residual at which it is done, m/s.
const MOST: usize = 1000;
const TOLERANCE: f64 = 1e-13;

/// The problem of a step of a stack that has come to rest.
fn problem(ratio: f64) -> Result<Problem> {
    let mut world = World::new(Settings {
        warm_start: false,
        ..Settings::default()
    })?;
    let material = Material::with_friction(FRICTION);
    let floor = world.add_body(RigidBody::fixed("floor"))?;
    world.attach(floor, Shape::half_space("plane"), material)?;
    for (name, mass, height) in [
        ("light", ratio.sqrt().recip(), 0.5 * SIDE),
        ("heavy", ratio.sqrt(), 1.5 * SIDE),
    ] {
        let sides = Vector3::repeat(SIDE);
        let body = RigidBody::free(name, Inertia::solid_box(mass, sides));
        let body = world.add_body(body.at(Isometry3::translation(0.0, 0.0, height)))?;
        world.attach(
            body,
            Shape::cuboid("cube", sides / 2.0).map_err(SimError::from)?,
            material,
        )?;
    }
    for _ in 0..BEFORE {
        world.step()?;
    }
    let mut problems = world.problems();
    let problem = problems.next().map(|solved| solved.problem.clone());
    Ok(problem.unwrap_or_default())
}

/// What a solver made of a problem without a guess.
struct Found {
    /// Scaled residual of the NCP, m/s: at rest the solutions of all models are the same.
    residual: f64,
    /// Residual over iterations.
    history: Vec<(f64, f64)>,
}

fn solve(model: Model, problem: &Problem) -> Result<Found> {
    let budget = Budget {
        max_iterations: Some(MOST),
        record_history: true,
        ..Budget::with_tolerance(TOLERANCE)
    };
    let mut solution = Solution::cold();
    let report = make(model.solver)?.solve(problem, &budget, &mut solution);
    let history = report.history.iter();
    Ok(Found {
        residual: report.residuals.scaled,
        history: history
            .map(|entry| (entry.iteration as f64, entry.residual))
            .collect(),
    })
}

pub(super) fn section(run: &mut Run<'_>) -> Result<Section> {
    let mut header = vec!["model".to_owned()];
    header.extend(RATIOS.map(|ratio| format!("{ratio:.0e}")));
    let mut table = Table {
        caption: "Scaled residual (m/s) that is left, by ratio of the masses".to_owned(),
        header,
        ..Table::default()
    };
    let mut problems = Vec::new();
    for ratio in RATIOS {
        problems.push(problem(ratio)?);
    }
    let (mut accuracies, mut ways) = (Vec::new(), Vec::new());
    let mut found = Vec::new();
    for (color, model) in models().enumerate() {
        run.tell(0.08 * color as f64, model.solver)?;
        let mut residuals = [f64::NAN; RATIOS.len()];
        for (index, problem) in problems.iter().enumerate() {
            let one = solve(model, problem)?;
            residuals[index] = one.residual;
            if index + 1 == RATIOS.len() {
                ways.push(curve(model.label(), color, one.history));
            }
        }
        let mut row = vec![model.label()];
        row.extend(residuals.map(|residual| format!("{residual:.1e}")));
        table.rows.push(row);
        let points = RATIOS.into_iter().zip(residuals);
        let points = points.map(|(ratio, residual)| (ratio.log10(), residual));
        accuracies.push(curve(model.label(), color, points.collect()));
        found.push((model, residuals));
    }
    let charts = [
        chart(
            ["Heavy on light, 1e6 : 1", "iterations", "residual (m/s)"],
            Scale::LogarithmicY,
            ways,
        ),
        chart(
            [
                "Accuracy by ratio of the masses",
                "log10 of the ratio",
                "residual (m/s)",
            ],
            Scale::LogarithmicY,
            accuracies,
        ),
    ];
    Ok(Section {
        heading: "Figure 12: heavy on light".to_owned(),
        text: format!(
            "A cube rests on one of the same size; the ratio of their masses goes from 1 to 1e6, √(ratio) kg on \
             1/√(ratio) kg. Each solver solves the contact problem of a step without a guess, with at most {MOST} \
             iterations (sweeps), to {TOLERANCE:.0e} m/s if it gets there."
        ),
        statements: statements(&found),
        tables: vec![table],
        figures: vec![figure(
            "mass-ratio",
            "A heavy cube on a light one",
            &charts,
            2,
            "figure 12: per-contact solvers fail on 1e6 : 1, ADMM converges; it is more accurate than PGS at every ratio",
        )?],
    })
}

fn statements(found: &[(Model, [f64; RATIOS.len()])]) -> Vec<Statement> {
    let of = |solver: &str| {
        let model = named(solver)?;
        found.iter().find(|(one, _)| *one == model)
    };
    let how = |solver: &str| {
        How::new(
            solver,
            "scaled residual of the NCP, m/s",
            format!("residual of its own model {TOLERANCE:.0e} m/s, or {MOST} iterations"),
        )
    };
    let mut out = Vec::new();
    if let Some((model, residuals)) = of("canal") {
        let worst = residuals.iter().fold(0.0, |a: f64, &b| a.max(b));
        out.push(Statement::judged(
            "ours: canal solves every ratio to 1e6 to 1e-8 m/s",
            &how(model.solver),
            format!("{worst:.1e} m/s at worst"),
            worst <= 1e-8,
        ));
    }
    if let (Some((admm, ours)), Some((pgs, theirs))) = (of("ccp-admm"), of("pgs-ccp")) {
        let pairs = || ours.iter().zip(theirs);
        let holds = pairs().all(|(ours, theirs)| ours < theirs);
        let words: Vec<String> = pairs()
            .map(|(ours, theirs)| format!("{ours:.0e} : {theirs:.0e}"))
            .collect();
        out.push(Statement::judged(
            "figure 12: ADMM on the CCP is more accurate than PGS at every ratio",
            &how(&format!("{}, {}", admm.solver, pgs.solver)),
            words.join(", "),
            holds,
        ));
    }
    let last = RATIOS.len() - 1;
    let per_contact = found.iter().filter(|(model, _)| model.is_per_contact);
    let least = per_contact
        .map(|(_, residuals)| residuals[last])
        .fold(f64::INFINITY, f64::min);
    let names = found.iter().filter(|(model, _)| model.is_per_contact);
    let names: Vec<&str> = names.map(|(model, _)| model.solver).collect();
    out.push(Statement::judged(
        "figure 12: per-contact solvers do not solve 1e6 : 1 (residual above 1e-6 m/s)",
        &how(&names.join(", ")),
        format!("{least:.1e} m/s at best"),
        least > 1e-6,
    ));
    out
}
