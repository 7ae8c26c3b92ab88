//! What a solver declares of internal forces, and of heavy bodies on light ones.

use nalgebra::{DMatrix, DVector};
use stiction_constraints::{Budget, Problem, RowBlock, Solution};
use stiction_generators::{BlockMode, BlockParams, TowerParams, block, tower};

use crate::report::CheckReport;
use crate::subject::Subject;

/// Largest part of the impulses that moves nothing, of what pushes the body.
const INTERNAL: f64 = 1e-6;
/// Tolerance for heavy on light, m/s.
const HEAVY: f64 = 1e-6;

/// A cube that is pushed and sticks: whoever declares so finds impulses of which no part presses the corners
/// against each other.
pub(super) fn internal_forces(subject: &Subject<'_>) -> CheckReport {
    let mut out = CheckReport::new("no internal forces where bodies stick");
    if !subject.declaration.avoids_internal_forces {
        out.not_checked = Some("it does not declare so".to_owned());
        return out;
    }
    for (half_size, friction) in [(0.1, 0.5), (0.5, 0.9), (0.02, 0.3)] {
        let params = BlockParams {
            mode: BlockMode::Stick,
            half_size,
            friction,
            ..BlockParams::default()
        };
        let Ok(drawn) = block(&params) else {
            continue;
        };
        out.cases += 1;
        let problem = &drawn.problem;
        let message = match subject.solve(problem, &Budget::with_tolerance(1e-10)) {
            Err(message) => message,
            Ok((_, solution)) => match internal_part(problem, &solution) {
                part if part <= INTERNAL => continue,
                part => format!("{part:.1e} of what pushes a cube is found as internal forces"),
            },
        };
        let failed = subject.failed(out.name, "pushed cube", 0, problem, message);
        out.failures.push(failed);
    }
    out
}

/// ‖λ − J (JᵀJ)⁻¹Jᵀλ‖ of a single body's contacts, over its horizontal momentum.
fn internal_part(problem: &Problem, solution: &Solution) -> f64 {
    let mut rows = DMatrix::zeros(problem.row_count(), 6);
    for (index, constraint) in problem.constraints().iter().enumerate() {
        for (_, block) in problem.terms(index) {
            if let RowBlock::Body { values, .. } = block {
                for (at, &value) in values.iter().enumerate() {
                    rows[(constraint.first_row + at / 6, at % 6)] = value;
                }
            }
        }
    }
    let impulse = DVector::from_column_slice(&solution.impulse);
    let moved = (rows.transpose() * &rows).lu().solve(&(rows.transpose() * &impulse));
    let push = problem.b()[0].hypot(problem.b()[1]);
    match moved {
        Some(moved) => (impulse - rows * moved).norm() / push,
        None => f64::INFINITY,
    }
}

/// A heavy cube at rest on a light one: whoever declares so converges.
pub(super) fn heavy_on_light(subject: &Subject<'_>) -> CheckReport {
    let mut out = CheckReport::new("converges with heavy bodies on light ones");
    if !subject.declaration.is_robust {
        out.not_checked = Some("it does not declare so".to_owned());
        return out;
    }
    for exponent in [0, 3, 6] {
        let ratio = 10.0_f64.powi(exponent);
        let params = TowerParams {
            cubes: 2,
            mass: ratio.sqrt().recip(),
            top_ratio: ratio,
            kick: 0.0,
            ..TowerParams::default()
        };
        let Ok(problem) = tower(&params) else {
            continue;
        };
        out.cases += 1;
        let message = match subject.solve(&problem, &Budget::with_tolerance(HEAVY)) {
            Err(message) => message,
            Ok((report, _)) if report.outcome.is_converged() => continue,
            Ok((report, _)) => format!("1 : {ratio:.0e} ended as {}", report.outcome),
        };
        let failed = subject.failed(out.name, "heavy on light", 0, &problem, message);
        out.failures.push(failed);
    }
    out
}
