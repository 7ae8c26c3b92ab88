//! A contact problem from bare matrices: `cargo run -p stiction-examples --bin solve_matrices`.
//!
//! Two point masses of 1 kg and 3 kg, coupled by a spring that is already part of A, slide over a
//! floor with μ = 0.4. A, b and J could come from anywhere.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use stiction_constraints::nalgebra::{DMatrix, DVector};
use stiction_constraints::{Budget, Law, Problem, RowBlock, Solution, Solver};
use stiction_solver_subadmm::SubAdmm;

fn main() -> anyhow::Result<()> {
    // A v = b + Jᵀ λ; velocities (x, y, z) of both masses, contact rows (t1, t2, n).
    let mut a = DMatrix::from_diagonal(&DVector::from_row_slice(&[1.0, 1.0, 1.0, 3.0, 3.0, 3.0]));
    for axis in 0..3 {
        a[(axis, axis)] += 0.5;
        a[(axis + 3, axis + 3)] += 0.5;
        a[(axis, axis + 3)] -= 0.5;
        a[(axis + 3, axis)] -= 0.5;
    }
    let b = [1.0, 0.2, -0.1, 3.0, -0.6, -0.3];
    let j = DMatrix::<f64>::identity(6, 6);

    let mut problem = Problem::new();
    let masses = problem.push_dense(a, &b)?;
    for contact in 0..2 {
        let rows = j.rows(3 * contact, 3).transpose();
        let block = RowBlock::Dofs {
            dofs: &[0, 1, 2, 3, 4, 5],
            values: rows.as_slice(),
        };
        problem.push_constraint(
            Law::Contact { friction: 0.4 },
            &[0.0; 3],
            &[(masses, block)],
        )?;
    }

    let mut solution = Solution::cold();
    let report = SubAdmm::default().solve(&problem, &Budget::with_tolerance(1e-10), &mut solution);
    println!(
        "{} after {} iterations, residual {:.1e} m/s",
        report.outcome, report.iterations, report.residuals.scaled
    );
    println!(
        "v = {:.6?}\nλ = {:.6?}",
        solution.velocity, solution.impulse
    );
    Ok(())
}
