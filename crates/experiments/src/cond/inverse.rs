//! Contacts that give way: impulses found forward and read off velocities again, figure 13.

use stiction_constraints::{
    Budget, ConeOperator, Criterion, JointRows, Law, Problem, Solution, Solver,
};
use stiction_scenes::Options;
use stiction_solver_cond::{Cond, CondSettings, Operator};

use super::box_sliding::problem_error;
use crate::Run;
use crate::error::Result;
use crate::report::{Section, Table};
use crate::statement::{How, Statement};

/// Ω = 1e-3 for a force, in impulse form at 10 ms, 1/kg.
const COMPLIANCE: f64 = 0.1;
/// Scenes, the paper's figures, mN, and simulated time, whole and quick, s.
const SCENES: [(&str, f64, [f64; 2]); 2] = [
    ("soft-mat", 0.087, [0.5, 0.02]),
    ("soft-ball", 0.48, [0.5, 0.3]),
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

/// ‖forward‖ and ‖forward − inverse‖ over all contacts, N·s.
fn difference(problem: &Problem, solution: &Solution, cone: ConeOperator) -> [f64; 2] {
    let mut rows = JointRows::default();
    rows.update(problem);
    let mut row_velocity = vec![0.0; problem.row_count()];
    rows.mul(&solution.velocity, &mut row_velocity);
    let (mut size, mut error) = (0.0_f64, 0.0_f64);
    for constraint in problem.constraints() {
        if !constraint.law.is_contact() {
            continue;
        }
        let z = constraint.load(&row_velocity);
        let forward = constraint.load(&solution.impulse);
        let e = constraint.load(problem.errors());
        if let Some(inverse) = constraint.law.inverse_impulse(3, &z, &e, cone) {
            size += forward.norm_squared();
            error += (forward - inverse).norm_squared();
        }
    }
    [size.sqrt(), error.sqrt()]
}

pub(super) fn section(run: &mut Run<'_>) -> Result<Section> {
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
    for (scene, paper, seconds) in SCENES {
        let seconds = run.or_quick(seconds[0], seconds[1]);
        run.tell(0.0, scene)?;
        let options = Options {
            seconds: Some(seconds),
            ..Options::default()
        };
        let mut built = stiction_scenes::build(scene, &options)?;
        let dt = built.world.settings().time_step;
        let mut sums = [[0.0; 2]; 2];
        let mut count = 0_u32;
        let steps = (seconds / dt).round() as usize;
        for step in 0..steps {
            run.tell(step as f64 / steps as f64, scene)?;
            built.world.step()?;
            for solved in built.world.problems() {
                if solved.problem.contact_count() == 0 {
                    continue;
                }
                let problem = compliant(solved.problem)?;
                count += 1;
                let operators = [
                    (Operator::Proximal, ConeOperator::Proximal { shift: 0.0 }),
                    (Operator::Strict, ConeOperator::Strict),
                ];
                for (sums, (operator, cone)) in sums.iter_mut().zip(operators) {
                    let settings = CondSettings {
                        operator,
                        ..CondSettings::default()
                    };
                    let mut solver = Cond::new(settings).map_err(problem_error)?;
                    let budget = Budget {
                        criterion: Criterion::VelocityChange,
                        all_residuals: false,
                        stop: Some(run.stop_flag()),
                        ..Budget::with_tolerance(1e-4)
                    };
                    let mut solution = Solution::cold();
                    solver.solve(&problem, &budget, &mut solution);
                    let [size, error] = difference(&problem, &solution, cone);
                    sums[0] += size / dt;
                    sums[1] += 1e3 * error / dt;
                }
            }
        }
        let mean = |sum: f64| sum / f64::from(count.max(1));
        for (sums, operator) in sums.iter().zip(["proximal", "strict"]) {
            table.rows.push(vec![
                scene.to_owned(),
                operator.to_owned(),
                count.to_string(),
                format!("{:.3}", mean(sums[0])),
                format!("{:.4}", mean(sums[1])),
                paper.to_string(),
            ]);
        }
        if count > 0 {
            statements.push(Statement::judged(
                format!("figure 13, {scene}: forward and inverse agree within {paper} mN"),
                &How::new(
                    "cond-proximal",
                    "norm of forward − inverse",
                    "velocity-change 1e-4",
                ),
                format!("{:.4} mN", mean(sums[0][1])),
                mean(sums[0][1]) <= paper,
            ));
        }
    }
    Ok(Section {
        heading: "Figure 13: the invertible contact model".to_owned(),
        text: "Problems of the steps of soft scenes, every contact given Ω = 1e-3 m/(s·N), that is 0.1/kg in impulse \
               form; impulses of the solve beside λ = SOL(J v̂, Ω) of its velocity (`Law::inverse_impulse`)."
            .to_owned(),
        statements,
        tables: vec![table],
        figures: Vec::new(),
    })
}
