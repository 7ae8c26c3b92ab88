//! What a solver declares of internal forces, and of heavy bodies on light ones.

use nalgebra::{DMatrix, DVector};
use stiction_constraints::{Budget, Problem, RowBlock, Solution, Solver};
use stiction_generators::{BlockMode, BlockParams, TowerParams, block, tower};

use crate::report::CheckReport;
use crate::subject::Subject;

/// Largest part of the impulses that moves nothing, of what pushes the body.
const INTERNAL: f64 = 1e-6;
/// Tolerance for pushed cubes, m/s.
const STICKING: f64 = 1e-10;
/// Tolerance for heavy on light, m/s.
const HEAVY: f64 = 1e-6;

/// What the columns of the comparison paper that can be measured say of a solver.
#[derive(Debug, Clone, PartialEq)]
pub struct Properties {
    /// Largest part of the impulses that moves nothing, relative to what pushes a cube that sticks.
    pub internal_part: f64,
    /// Ratios of a heavy cube's mass to that of a light one under it, of 1, 10³ and 10⁶, at which it does not
    /// converge to 1e-6 m/s.
    pub too_heavy: Vec<f64>,
}

impl Properties {
    /// Measures solvers that `make` makes, from no guess and with their own limits of iterations.
    pub fn of(make: impl Fn() -> Box<dyn Solver>) -> Self {
        let solve = |problem: &Problem, tolerance: f64| {
            let mut solution = Solution::cold();
            let budget = Budget::with_tolerance(tolerance);
            let report = make().solve(problem, &budget, &mut solution);
            (report, solution)
        };
        let mut internal = 0.0_f64;
        for problem in pushed_cubes() {
            let (_, solution) = solve(&problem, STICKING);
            internal = internal.max(internal_part(&problem, &solution));
        }
        let heavy = towers().filter(|(_, problem)| {
            let (report, _) = solve(problem, HEAVY);
            !report.outcome.is_converged()
        });
        Self {
            internal_part: internal,
            too_heavy: heavy.map(|(ratio, _)| ratio).collect(),
        }
    }

    /// Whether it adds no internal forces where bodies stick.
    pub fn avoids_internal_forces(&self) -> bool {
        self.internal_part <= INTERNAL
    }

    /// Whether heavy bodies on light ones cost it no convergence.
    pub fn is_robust(&self) -> bool {
        self.too_heavy.is_empty()
    }
}

/// Cubes of several sizes that are pushed and stick.
fn pushed_cubes() -> impl Iterator<Item = Problem> {
    let sizes = [(0.1, 0.5), (0.5, 0.9), (0.02, 0.3)].into_iter();
    sizes.filter_map(|(half_size, friction)| {
        let params = BlockParams {
            mode: BlockMode::Stick,
            half_size,
            friction,
            ..BlockParams::default()
        };
        Some(block(&params).ok()?.problem)
    })
}

/// A heavy cube at rest on a light one, with the ratio of their masses.
fn towers() -> impl Iterator<Item = (f64, Problem)> {
    [1.0_f64, 1e3, 1e6].into_iter().filter_map(|ratio| {
        let params = TowerParams {
            cubes: 2,
            mass: ratio.sqrt().recip(),
            top_ratio: ratio,
            kick: 0.0,
            ..TowerParams::default()
        };
        Some((ratio, tower(&params).ok()?))
    })
}

/// Whoever declares so finds impulses of which no part presses the corners of a cube against each other.
pub(super) fn internal_forces(subject: &Subject<'_>) -> CheckReport {
    let mut out = CheckReport::new("no internal forces where bodies stick");
    if !subject.declaration.avoids_internal_forces {
        out.not_checked = Some("it does not declare so".to_owned());
        return out;
    }
    for problem in pushed_cubes() {
        out.cases += 1;
        let message = match subject.solve(&problem, &Budget::with_tolerance(STICKING)) {
            Err(message) => message,
            Ok((_, solution)) => match internal_part(&problem, &solution) {
                part if part <= INTERNAL => continue,
                part => format!("{part:.1e} of what pushes a cube is found as internal forces"),
            },
        };
        let failed = subject.failed(out.name, "pushed cube", 0, &problem, message);
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
    let moved = (rows.transpose() * &rows)
        .lu()
        .solve(&(rows.transpose() * &impulse));
    let push = problem.b()[0].hypot(problem.b()[1]);
    match moved {
        Some(moved) => (impulse - rows * moved).norm() / push,
        None => f64::INFINITY,
    }
}

/// Whoever declares so converges with heavy bodies on light ones.
pub(super) fn heavy_on_light(subject: &Subject<'_>) -> CheckReport {
    let mut out = CheckReport::new("converges with heavy bodies on light ones");
    if !subject.declaration.is_robust {
        out.not_checked = Some("it does not declare so".to_owned());
        return out;
    }
    for (ratio, problem) in towers() {
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
