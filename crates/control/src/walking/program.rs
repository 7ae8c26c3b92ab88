//! A convex quadratic program for Clarabel, an interior-point solver.

use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::NonnegativeConeT;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus};
use nalgebra::{DMatrix, DVector};
use stiction_sim::{Result, SimError};

/// min ½ uᵀH u + gᵀu under pyramids of friction: for every three unknowns (fx, fy, fz) of a foot
/// |fx| ≤ μ fz, |fy| ≤ μ fz, 0 ≤ fz ≤ most.
pub(super) fn solve(
    hessian: &DMatrix<f64>,
    gradient: &DVector<f64>,
    friction: f64,
    most: f64,
) -> Result<Vec<f64>> {
    let unknowns = gradient.len();
    if unknowns == 0 {
        return Ok(Vec::new());
    }
    let (rows, bounds) = pyramids(unknowns / 3, friction, most);
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .max_iter(60)
        .build()
        .map_err(|error| refuse(&error.to_string()))?;
    let cones = [NonnegativeConeT(bounds.len())];
    let solver = DefaultSolver::new(
        &upper_triangle(hessian),
        gradient.as_slice(),
        &rows,
        &bounds,
        &cones,
        settings,
    );
    let mut solver = solver.map_err(|error| refuse(&error.to_string()))?;
    solver.solve();
    match solver.solution.status {
        SolverStatus::Solved | SolverStatus::AlmostSolved => Ok(solver.solution.x),
        status => Err(refuse(&format!("ends with {status:?}"))),
    }
}

fn refuse(reason: &str) -> SimError {
    SimError::NotPossible {
        element: "program of the forces of feet".to_owned(),
        reason: reason.to_owned(),
    }
}

/// The upper triangle of a dense symmetric matrix, column by column.
fn upper_triangle(matrix: &DMatrix<f64>) -> CscMatrix<f64> {
    let size = matrix.ncols();
    let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    for column in 0..size {
        for row in 0..=column {
            rows.push(row);
            values.push(matrix[(row, column)]);
        }
        starts.push(rows.len());
    }
    CscMatrix::new(size, size, starts, rows, values)
}

/// Rows A and bounds b of A u ≤ b: six for each foot.
fn pyramids(feet: usize, friction: f64, most: f64) -> (CscMatrix<f64>, Vec<f64>) {
    const ROWS: usize = 6;
    let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    let mut column = |entries: &[(usize, f64)], first: usize| {
        for &(row, value) in entries {
            rows.push(first + row);
            values.push(value);
        }
        starts.push(rows.len());
    };
    for foot in 0..feet {
        let first = ROWS * foot;
        column(&[(0, 1.0), (1, -1.0)], first);
        column(&[(2, 1.0), (3, -1.0)], first);
        let along = [0, 1, 2, 3].map(|row| (row, -friction));
        let [a, b, c, d] = along;
        column(&[a, b, c, d, (4, -1.0), (5, 1.0)], first);
    }
    let bounds = [0.0, 0.0, 0.0, 0.0, 0.0, most].repeat(feet);
    (
        CscMatrix::new(ROWS * feet, 3 * feet, starts, rows, values),
        bounds,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nearest force in the pyramid, by hand.
    #[test]
    fn a_force_beyond_its_friction_is_cut() {
        let hessian = DMatrix::identity(6, 6);
        let wanted = [5.0, 0.0, 10.0, 0.0, 0.5, -3.0];
        let gradient = -DVector::from_row_slice(&wanted);
        let force = solve(&hessian, &gradient, 0.25, 100.0).unwrap();
        // fx = μ fz: fz from (fz − 10) + μ (μ fz − 5) = 0.
        let fz = (10.0 + 0.25 * 5.0) / (1.0 + 0.0625);
        for (found, known) in force.iter().zip([0.25 * fz, 0.0, fz, 0.0, 0.0, 0.0]) {
            assert!((found - known).abs() < 1e-6, "{force:?}");
        }
        let capped = solve(&hessian, &gradient, 10.0, 2.0).unwrap();
        assert!((capped[2] - 2.0).abs() < 1e-6, "{capped:?}");
    }
}
