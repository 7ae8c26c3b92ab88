//! Contacts that give way: impulses found forward and read off velocities again, figure 13.

use stiction_constraints::nalgebra::Vector3;
use stiction_constraints::{Budget, ConeOperator, Criterion, Law, Problem, Solution, Solver};
use stiction_solver_cond::{Cond, CondSettings, Gain, Operator};

use super::box_sliding::{GRAVITY, MASS, STEP, block, problem_error};
use super::follow::{Ending, Way, follow, mean, start_of};
use super::handled::Handled;
use crate::Run;
use crate::chart::{Chart, Curve, Scale, grid};
use crate::error::Result;
use crate::report::{Figure, Section, Table};
use crate::statement::{How, Statement};

/// Ω = 1e-3 for a force, in impulse form at 10 ms, 1/kg.
const COMPLIANCE: f64 = 0.1;
const TEST: f64 = 1e-4;
/// Gain of the sliding block's virtual nodes, N·s/m: so high that it does not sink visibly.
const GAIN: f64 = 1e5;
/// Steps until a window begins, and its steps.
type Window = (usize, usize);
/// Scenes, the paper's figures, mN, and the window, whole and quick: steps until it begins, and its steps.
const SCENES: [(Handled, f64, [Window; 2]); 2] = [
    (Handled::Mat, 0.087, [(60, 40), (40, 3)]),
    (Handled::Ball, 0.48, [(20, 40), (20, 5)]),
];

/// The same problem with every contact compliant.
fn compliant(problem: &Problem) -> Result<Problem> {
    let mut out = Problem::new();
    for (index, subsystem) in problem.subsystems().iter().enumerate() {
        let dofs = problem.dof_starts()[index]..problem.dof_starts()[index + 1];
        out.push_subsystem(subsystem.clone(), &problem.b()[dofs])
            .map_err(problem_error)?;
    }
    for (index, constraint) in problem.constraints().iter().enumerate() {
        let law = match constraint.law.friction() {
            Some(friction) => Law::CompliantContact {
                friction,
                tangential_compliance: COMPLIANCE,
                normal_compliance: COMPLIANCE,
            },
            None => constraint.law,
        };
        let terms: Vec<_> = problem.terms(index).collect();
        out.push_constraint(law, problem.error(index), &terms)
            .map_err(problem_error)?;
    }
    Ok(out)
}

/// ‖forward‖ and ‖inverse‖ over all contacts, and the norm of their difference, N·s.
fn forces(problem: &Problem, solver: &Cond, solution: &Solution, cone: ConeOperator) -> [f64; 3] {
    let mut at = vec![0.0; problem.row_count()];
    solver.node_velocity(&mut at);
    let mut sums = [0.0; 3];
    for constraint in problem.constraints() {
        if !constraint.law.is_contact() {
            continue;
        }
        let z = constraint.load(&at);
        let forward = constraint.load(&solution.impulse);
        let e = constraint.load(problem.errors());
        if let Some(inverse) = constraint.law.inverse_impulse(3, &z, &e, cone) {
            for (sum, force) in sums.iter_mut().zip([forward, inverse, forward - inverse]) {
                *sum += force.norm_squared();
            }
        }
    }
    sums.map(f64::sqrt)
}

/// Forces over the steps of a scene by one operator, N.
struct Series {
    scene: &'static str,
    operator: &'static str,
    steps: Vec<[f64; 3]>,
}

fn series(run: &mut Run<'_>) -> Result<Vec<Series>> {
    let mut out = Vec::new();
    for (handled, _, windows) in SCENES {
        let (skip, steps) = run.or_quick(windows[0], windows[1]);
        run.tell(0.0, handled.scene())?;
        let mut scene = handled.build(handled.middle(), None)?;
        start_of(run, &mut scene, skip)?;
        let mut both = [Vec::new(), Vec::new()];
        let dt = scene.world.settings().time_step;
        for step in 0..steps {
            run.tell(0.6 * step as f64 / steps as f64, handled.scene())?;
            scene.world.step()?;
            let operators = [
                (Operator::Proximal, ConeOperator::Proximal { shift: 0.0 }),
                (Operator::Strict, ConeOperator::Strict),
            ];
            for (series, (operator, cone)) in both.iter_mut().zip(operators) {
                let mut sums = [0.0_f64; 3];
                for solved in scene.world.problems() {
                    let problem = compliant(solved.problem)?;
                    let settings = CondSettings {
                        operator,
                        ..CondSettings::default()
                    };
                    let mut solver = Cond::new(settings).map_err(problem_error)?;
                    let budget = Budget {
                        criterion: Criterion::VelocityChange,
                        all_residuals: false,
                        stop: Some(run.stop_flag()),
                        ..Budget::with_tolerance(TEST)
                    };
                    let mut solution = Solution::cold();
                    solver.solve(&problem, &budget, &mut solution);
                    let own = forces(&problem, &solver, &solution, cone);
                    for (sum, own) in sums.iter_mut().zip(own) {
                        *sum = sum.hypot(own / dt);
                    }
                }
                series.push(sums);
            }
        }
        for (operator, steps) in ["proximal", "strict"].into_iter().zip(both) {
            out.push(Series {
                scene: handled.scene(),
                operator,
                steps,
            });
        }
    }
    Ok(out)
}

/// How much a force jumps to and fro from step to step, over its size.
fn jitter(forces: &[f64]) -> f64 {
    let bends: Vec<f64> = forces
        .windows(3)
        .map(|three| (three[0] - 2.0 * three[1] + three[2]).abs())
        .collect();
    mean(&bends) / mean(forces).max(f64::MIN_POSITIVE)
}

/// Heights of a block that slides at 1 m/s for half a second, m: with its height over the ground in φ, or without.
fn height_of_slider(with_height: bool, operator: Operator) -> Result<Vec<f64>> {
    let settings = CondSettings {
        operator,
        gain: Gain::Absolute(GAIN * STEP),
        ..CondSettings::default()
    };
    let mut solver = Cond::new(settings).map_err(problem_error)?;
    let budget = Budget {
        criterion: Criterion::VelocityChange,
        all_residuals: false,
        max_iterations: Some(100_000),
        ..Budget::with_tolerance(1e-12)
    };
    let gaps = with_height.then_some(1.0);
    let mut block = block(Vector3::new(1.0, 0.0, 0.0), 0.0, gaps);
    let law = Law::Contact { friction: 0.5 };
    let push = Vector3::x() * (0.5 * MASS * GRAVITY);
    let mut heights = vec![0.0];
    for _ in 0..50 {
        block
            .step(law, push, &mut solver, &budget)
            .map_err(problem_error)?;
        heights.push(block.position.z);
    }
    Ok(heights)
}

pub(super) fn section(run: &mut Run<'_>) -> Result<Section> {
    let all = series(run)?;
    let mut table = Table::new(
        "Norms over all contacts, means over steps",
        [
            "scene",
            "operator",
            "steps",
            "force (N)",
            "forward − inverse (mN)",
            "the paper (mN)",
        ],
    );
    let mut statements = Vec::new();
    let mut charts = Vec::new();
    for one in &all {
        let of = |which: usize| mean(&one.steps.iter().map(|step| step[which]).collect::<Vec<_>>());
        let paper = SCENES.iter().find(|scene| scene.0.scene() == one.scene);
        let paper = paper.map_or(f64::NAN, |scene| scene.1);
        table.rows.push(vec![
            one.scene.to_owned(),
            one.operator.to_owned(),
            one.steps.len().to_string(),
            format!("{:.3}", of(0)),
            format!("{:.2e}", 1e3 * of(2)),
            paper.to_string(),
        ]);
        statements.push(Statement::judged(
            format!(
                "figure 13, {}, {} operator: forward and inverse agree within {paper} mN",
                one.scene, one.operator
            ),
            &How::new(
                "cond",
                "mean over steps of ‖forward − inverse‖",
                "velocity-change 1e-4",
            ),
            format!("{:.2e} mN of {:.3} N", 1e3 * of(2), of(0)),
            of(0) > 0.0 && 1e3 * of(2) <= paper,
        ));
        let curve = |label: &str, color: usize, which: usize| Curve {
            label: label.to_owned(),
            color,
            points: (one.steps.iter().enumerate())
                .map(|(step, forces)| (0.01 * step as f64, forces[which]))
                .collect(),
        };
        charts.push(Chart {
            title: format!("{}, {}", one.scene, one.operator),
            x_label: "time (s)".to_owned(),
            y_label: "norm of contact forces (N)".to_owned(),
            scale: Scale::Linear,
            curves: vec![curve("forward", 0, 0), curve("inverse", 1, 1)],
            legend: true,
        });
    }
    statements.push(jitters(run, &mut table)?);
    let heights = [
        height_of_slider(false, Operator::Proximal)?,
        height_of_slider(true, Operator::Proximal)?,
        height_of_slider(false, Operator::Strict)?,
    ];
    let [without, with, strict] = heights
        .each_ref()
        .map(|heights| 1e3 * heights[heights.len() - 1]);
    statements.push(Statement::judged(
        "section V-F: the proximal operator needs φ: without it a sliding block detaches, with it, it stays; with the strict one it stays anyway",
        &How::new("cond-proximal, cond", "height after half a second of sliding", "velocity-change 1e-12"),
        format!("{without:.2} mm without φ, {with:.3} mm with it, {strict:.4} mm strict"),
        without > 10.0 * with.abs() && strict.abs() < 0.1 * with.abs(),
    ));
    Ok(Section {
        heading: "Figure 13: the invertible contact model".to_owned(),
        text: "Problems of the steps of soft scenes, every contact given Ω = 1e-3 m/(s·N), that is 0.1/kg in impulse \
               form; impulses of the solve beside λ = SOL(J v̂, Ω) (`Law::inverse_impulse`), J v̂ being the velocity of the nodes that contacts act on, \
               virtual ones included, as in the paper's (13). Jitter: mean size of the second difference of the contact forces' norm from step \
               to step over its mean, of a mat that is simulated with either operator. Detaching: a block that slides at 1 m/s, held at that speed by a force."
            .to_owned(),
        statements,
        tables: vec![table],
        figures: vec![Figure {
            name: "inverse".to_owned(),
            caption: "Contact forces found forward and inversely".to_owned(),
            svg: grid("Invertible contact", &charts, 2, (1100, 800))?,
            paper: "figure 13: both lines lie on each other; with the proximal operator the mat's force jitters while it slides".to_owned(),
        }],
    })
}

/// The mat followed with either operator.
fn jitters(run: &mut Run<'_>, table: &mut Table) -> Result<Statement> {
    let handled = Handled::Mat;
    run.tell(0.7, "jitter of a mat")?;
    let mut scene = handled.build(handled.middle(), None)?;
    let (skip, steps) = run.or_quick((60, 60), (40, 8));
    let start = start_of(run, &mut scene, skip)?;
    let way = Way {
        handled,
        start: &start,
        steps,
        samples: 0,
    };
    let mut found = Vec::new();
    for (operator, solver) in [("proximal", "cond-proximal"), ("strict", "cond")] {
        let track = follow(run, &mut scene, way, solver, Ending::Change(TEST))?;
        found.push(jitter(&track.contact_force));
        table.rows.push(vec![
            format!("{}, simulated", handled.scene()),
            operator.to_owned(),
            track.steps.to_string(),
            format!("{:.3}", mean(&track.contact_force)),
            format!("jitter {:.3}", jitter(&track.contact_force)),
            "".to_owned(),
        ]);
    }
    Ok(Statement::judged(
        "figure 13: with the proximal operator the mat's contact force jitters more while it slides than with the strict one",
        &How::new(
            "cond-proximal, cond",
            "second difference over mean",
            "velocity-change 1e-4",
        ),
        format!("{:.4} and {:.4}", found[0], found[1]),
        found[0] > found[1],
    ))
}
