//! Painlevé's rod under every solver: its end slides, and with so much friction that pressing on it
//! pulls it into the floor. No sliding and no lifting off obeys the laws; the one answer stops the
//! end at once, and every solver that is exact finds it.

use std::time::Duration;

use nalgebra::{DMatrix, DVector};
use stiction_conformance::Judge;
use stiction_constraints::{Budget, Law, Outcome, Problem, RowBlock, Solution, Solver};
use stiction_solver_canal::Canal;
use stiction_solver_pgs::Pgs;
use stiction_solver_subadmm::SubAdmm;

/// A rod of 1 kg and 1 m at tan θ = 2, dofs (x, y, z, turning), sliding ahead on its lower end.
fn rod(sliding: f64, falling: f64) -> Problem {
    let (ahead, below) = (0.5 / 5.0_f64.sqrt(), 1.0 / 5.0_f64.sqrt());
    let masses = DVector::from_vec(vec![1.0, 1.0, 1.0, 1.0 / 12.0]);
    let mut problem = Problem::new();
    let body = problem
        .push_dense(
            DMatrix::from_diagonal(&masses),
            &[sliding, 0.0, -falling, 0.0],
        )
        .expect("a valid rod");
    let rows = RowBlock::Dofs {
        dofs: &[0, 1, 2, 3],
        values: &[
            1.0, 0.0, 0.0, below, //
            0.0, 1.0, 0.0, 0.0, //
            0.0, 0.0, 1.0, ahead,
        ],
    };
    problem
        .push_constraint(Law::Contact { friction: 2.0 }, &[0.0; 3], &[(body, rows)])
        .expect("a valid contact");
    problem
}

fn solvers() -> Vec<Box<dyn Solver>> {
    let mut all: Vec<Box<dyn Solver>> = Vec::new();
    for (name, _) in stiction_solver_canal::SOLVERS {
        all.push(Box::new(Canal::named(name).expect("a listed name")));
    }
    for (name, _) in stiction_solver_subadmm::SOLVERS {
        all.push(Box::new(SubAdmm::named(name).expect("a listed name")));
    }
    for (name, _) in stiction_solver_pgs::SOLVERS {
        all.push(Box::new(Pgs::named(name).expect("a listed name")));
    }
    all
}

#[test]
fn exact_solvers_stop_the_end_or_say_that_they_did_not() {
    let budget = Budget {
        time_limit: Some(Duration::from_secs(2)),
        ..Budget::with_tolerance(1e-8)
    };
    for (sliding, falling) in [(1.0, 0.01), (0.1, 0.1), (10.0, 1e-6)] {
        let problem = rod(sliding, falling);
        let judge = Judge::new(&problem).expect("positive definite");
        for mut solver in solvers() {
            let mut solution = Solution::cold();
            let report = solver.solve(&problem, &budget, &mut solution);
            let name = solver.name();
            let mut numbers = solution.velocity.iter().chain(&solution.impulse);
            assert!(numbers.all(|value| value.is_finite()), "{name}");
            if solver.declaration().is_exact() {
                let verdict = judge.judge(&solution);
                let is_converged = report.outcome == Outcome::Converged;
                let is_solved = verdict.is_within(budget.tolerance);
                assert!(is_solved || !is_converged, "{name}: {verdict:?}");
                assert!(
                    is_converged || name != "canal",
                    "{}: {verdict:?}",
                    report.outcome
                );
                assert!(verdict.dynamics < 1e-9, "{name}: {verdict:?}");
            }
        }
    }
}
