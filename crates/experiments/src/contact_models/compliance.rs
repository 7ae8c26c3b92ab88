//! Figure 13: a standing quadruped on ground that gives way.

use stiction_constraints::{Delassus, Law, Problem, ResidualEvaluator};
use stiction_scenes::{Options, Scene, solo12_standing};
use stiction_sim::solvers::make;
use stiction_sim::{Material, Vector3, World};

use super::models::{Model, models};
use super::picture::{chart, curve, figure};
use crate::Run;
use crate::chart::Scale;
use crate::error::{ExperimentError, Result};
use crate::report::{Section, Table};
use crate::statement::{How, Statement};

const FRICTION: f64 = 0.8;
/// Compliance of the ground, m/N.
const NORMAL: [f64; 5] = [0.0, 1e-6, 1e-5, 3e-5, 1e-4];
/// And along it, m/(N·s).
const TANGENTIAL: [f64; 4] = [0.0, 1e-4, 1e-3, 1e-2];
/// Force on the trunk along x while the ground's creep is looked at, N: an eighth of the weight.
const PUSH: f64 = 3.0;
/// How long the robot settles, and how long its creep is looked at, s.
const SETTLES: f64 = 1.5;
const CREEPS: f64 = 0.5;
const TOLERANCE: f64 = 1e-9;
const FEET: [&str; 4] = [
    "front_left_foot",
    "front_right_foot",
    "hind_left_foot",
    "hind_right_foot",
];

/// A robot that has settled.
struct Stand {
    /// Mean height of the feet, m.
    height: f64,
    /// Mean speed of the trunk along the push at the end, m/s.
    creep: f64,
    /// Share of the impulses that cancel each other.
    internal: f64,
}

fn stand(run: &Run<'_>, model: Model, ground: Material, push: f64) -> Result<Stand> {
    let Scene { mut world, .. } = solo12_standing(&Options::default(), ground)?;
    world.set_solver(model.solver)?;
    let mut settings = world.settings().clone();
    settings.tolerance = TOLERANCE;
    world.set_settings(settings)?;
    let trunk = world.find_body("solo12/body")?;
    let pushed = |world: &mut World| -> Result<()> {
        let force = Vector3::x() * push;
        Ok(world.commands().push(trunk, force, Vector3::zeros())?)
    };
    steps(run, &mut world, SETTLES, pushed)?;
    let before = world.pose(trunk)?.translation.vector;
    steps(run, &mut world, CREEPS, pushed)?;
    let after = world.pose(trunk)?.translation.vector;
    Ok(Stand {
        height: height_of_feet(&world)?,
        creep: (after.x - before.x) / CREEPS,
        internal: internal_share(&world, model)?,
    })
}

/// Four feet share the weight unevenly, but their mean sinks by a quarter of it.
fn height_of_feet(world: &World) -> Result<f64> {
    let robot = world.find_robot("solo12")?;
    let mut sum = 0.0;
    for foot in FEET {
        sum += world.frame_state(robot, foot)?.0.translation.z;
    }
    Ok(sum / FEET.len() as f64)
}

fn steps(
    run: &Run<'_>,
    world: &mut World,
    seconds: f64,
    mut command: impl FnMut(&mut World) -> Result<()>,
) -> Result<()> {
    let until = world.time() + seconds - 0.5 * world.settings().time_step;
    while world.time() < until {
        if run.is_interrupted() {
            return Err(ExperimentError::Interrupted);
        }
        command(world)?;
        world.step()?;
    }
    Ok(())
}

/// ‖P_ker(Jᵀ) λ‖ / ‖λ‖ of the contacts of the last step, solved again without a guess.
fn internal_share(world: &World, model: Model) -> Result<f64> {
    let mut solver = make(model.solver)?;
    let budget = stiction_constraints::Budget::with_tolerance(TOLERANCE);
    let mut worst = 0.0_f64;
    for solved in world.problems() {
        let mut solution = stiction_constraints::Solution::cold();
        solver.solve(solved.problem, &budget, &mut solution);
        if let Some(share) = cancelling(solved.problem, &solution.impulse) {
            worst = worst.max(share);
        }
    }
    Ok(worst)
}

/// The share of impulses in the kernel of Jᵀ, which is that of J A⁻¹ Jᵀ.
fn cancelling(problem: &Problem, impulse: &[f64]) -> Option<f64> {
    let mut evaluator = ResidualEvaluator::default();
    evaluator.update(problem).ok()?;
    let (mut dynamics, rows) = (
        stiction_constraints::DynamicsMatrix::default(),
        evaluator.rows(),
    );
    dynamics.update(problem).ok()?;
    let mut delassus = Delassus::default();
    delassus.update(problem, &mut dynamics, rows);
    let eigen = delassus.to_dense().symmetric_eigen();
    let largest = eigen.eigenvalues.amax();
    let impulse = stiction_constraints::nalgebra::DVector::from_column_slice(impulse);
    let parts = eigen.eigenvectors.transpose() * &impulse;
    let of_kernel = parts.iter().zip(&eigen.eigenvalues);
    let of_kernel = of_kernel.filter(|(_, value)| **value < 1e-9 * largest);
    let square: f64 = of_kernel.map(|(part, _)| part * part).sum();
    Some(square.sqrt() / impulse.norm().max(f64::MIN_POSITIVE))
}

/// Solvers that take compliance and add none of their own.
fn compared() -> Result<Vec<Model>> {
    let law = Law::CompliantContact {
        friction: [FRICTION; 2],
        tangential_compliance: 0.0,
        normal_compliance: 1.0,
    };
    let mut out = Vec::new();
    for model in models().filter(|model| !model.is_softened) {
        let refused = make(model.solver)?.declaration().refused_laws;
        if !refused.contains(&law.kind()) {
            out.push(model);
        }
    }
    Ok(out)
}

pub(super) fn section(run: &mut Run<'_>) -> Result<Section> {
    let mut compared = compared()?;
    if run.is_quick() {
        compared.retain(|model| ["pgs", "canal"].contains(&model.solver));
    }
    let mut sinking = Table::new(
        "Mean sinkage of the feet by normal compliance (µm), and the share of impulses that cancel each other (cold)",
        ["model", "0", "1e-6 m/N", "1e-5 m/N", "3e-5 m/N", "1e-4 m/N"],
    );
    let mut creeping = Table::new(
        "Speed of the trunk under a push of 3 N by tangential compliance (mm/s)",
        ["model", "0", "1e-4 m/(N·s)", "1e-3 m/(N·s)", "1e-2 m/(N·s)"],
    );
    let (mut statements, mut sinkages, mut creeps) = (Vec::new(), Vec::new(), Vec::new());
    let rigid = Material::with_friction(FRICTION);
    for (number, model) in compared.iter().copied().enumerate() {
        run.tell(number as f64 / compared.len() as f64, model.solver)?;
        let how = |what: &str| {
            How::new(
                model.solver,
                what,
                format!("residual of its own model {TOLERANCE:.0e} m/s"),
            )
        };
        let (mut rows, mut points) = (vec![model.label()], Vec::new());
        let mut floor = f64::NAN;
        let mut worst = 0.0_f64;
        for compliance in NORMAL {
            let ground = Material {
                compliance,
                ..rigid
            };
            let found = stand(run, model, ground, 0.0)?;
            if compliance == 0.0 {
                floor = found.height;
            } else {
                let wanted = compliance * 0.25 * weight()?;
                worst = worst.max(((floor - found.height) / wanted - 1.0).abs());
            }
            points.push((compliance, 1e6 * (floor - found.height)));
            rows.push(format!(
                "{:.3} ({:.0e})",
                1e6 * (floor - found.height),
                found.internal
            ));
        }
        sinking.rows.push(rows);
        sinkages.push(curve(model.label(), number, points));
        statements.push(Statement::judged(
            "figure 13: the sinkage is linear in R: a quarter of the weight times the compliance (within 1 %)",
            &how("mean height of the feet"),
            format!("off by {:.2} % at most", 100.0 * worst),
            worst < 0.01,
        ));
        let (mut rows, mut points) = (vec![model.label()], Vec::new());
        let (mut least, mut still) = (f64::INFINITY, 0.0);
        for tangential_compliance in TANGENTIAL {
            let ground = Material {
                tangential_compliance,
                ..rigid
            };
            let found = stand(run, model, ground, PUSH)?;
            match tangential_compliance > 0.0 {
                true => {
                    points.push((tangential_compliance, 1e3 * found.creep));
                    least = least.min(found.creep / (tangential_compliance * 0.25 * PUSH));
                }
                false => still = found.creep.abs(),
            }
            rows.push(format!("{:.4}", 1e3 * found.creep));
        }
        creeping.rows.push(rows);
        creeps.push(curve(model.label(), number, points));
        statements.push(Statement::judged(
            "figure 13: with tangential R the trunk creeps under a push, at least at half of R times a quarter of it; \
             without it does not (below 1e-6 m/s)",
            &how("speed of the trunk"),
            format!("at least {least:.2} of that with, {still:.1e} m/s without"),
            least > 0.5 && still < 1e-6,
        ));
    }
    let charts = [
        chart(
            ["Sinkage", "normal compliance (m/N)", "sinkage (µm)"],
            Scale::Linear,
            sinkages,
        ),
        chart(
            [
                "Creep under a push",
                "tangential compliance (m/(N·s))",
                "speed (mm/s)",
            ],
            Scale::LogarithmicX,
            creeps,
        ),
    ];
    Ok(Section {
        heading: "Figure 13: a quadruped on ground that gives way".to_owned(),
        text: format!(
            "A Solo 12 stands on its drives for {SETTLES} s on ground of some compliance, friction {FRICTION}; the height of its feet is \
             compared with that on rigid ground. For the creep a force of {PUSH} N along x acts on the trunk."
        ),
        statements,
        tables: vec![sinking, creeping],
        figures: vec![figure(
            "compliance",
            "A standing quadruped by compliance of the ground",
            &charts,
            2,
            "figure 13: normal forces fall with R, dry friction vanishes with tangential R, internal forces too",
        )?],
    })
}

/// Weight of the robot, N.
fn weight() -> Result<f64> {
    let Scene { world, .. } = solo12_standing(&Options::default(), Material::default())?;
    let model = world.model(world.find_robot("solo12")?)?;
    Ok(model.total_mass() * model.gravity().norm())
}
