//! Compliance of a contact gives way in every model of contact: a body pressed on it sinks at R λ, and creeps at R_t λ_t.

use nalgebra::DMatrix;
use stiction_constraints::{Budget, Law, Problem, RowBlock, Solution, Solver};

const NORMAL: f64 = 0.02;
const TANGENTIAL: f64 = 0.01;

/// 2 kg on a floor, pushed along it by 4.5 N·s, which friction bears, and on it by 4 N·s.
fn pressed() -> Problem {
    let law = Law::CompliantContact {
        friction: [2.0; 2],
        tangential_compliance: TANGENTIAL,
        normal_compliance: NORMAL,
    };
    let mut problem = Problem::new();
    let mass = problem.push_dense(DMatrix::identity(3, 3) * 2.0, &[4.0, 2.0, -4.0]);
    let rows = RowBlock::Dofs {
        dofs: &[0, 1, 2],
        values: &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
    };
    problem
        .push_constraint(law, &[0.0; 3], &[(mass.unwrap(), rows)])
        .unwrap();
    problem
}

fn boxed<S: Solver + 'static>(solver: Option<S>) -> Option<Box<dyn Solver>> {
    solver.map(|solver| Box::new(solver) as Box<dyn Solver>)
}

#[test]
fn compliance_gives_way_in_every_model() {
    let names = [
        "pgs",
        "pgs-ccp",
        "pgs-lcp",
        "raisim",
        "ccp-admm",
        "staggered",
        "lcp-staggered",
        "lcp-direct",
        "ccp-interior",
        "canal",
        "subadmm",
    ];
    let problem = pressed();
    for name in names {
        let mut solver = boxed(stiction_solver_pgs::Pgs::named(name))
            .or_else(|| stiction_solver_admm::named(name))
            .or_else(|| stiction_solver_lcp::named(name))
            .or_else(|| stiction_solver_interior::named(name))
            .or_else(|| boxed(stiction_solver_canal::Canal::named(name)))
            .or_else(|| boxed(stiction_solver_subadmm::SubAdmm::named(name)))
            .expect("a solver's name");
        let mut solution = Solution::cold();
        let report = solver.solve(&problem, &Budget::with_tolerance(1e-9), &mut solution);
        assert!(report.outcome.is_converged(), "{name}: {}", report.outcome);
        let (velocity, impulse) = (&solution.velocity, &solution.impulse);
        for (row, compliance) in [TANGENTIAL, TANGENTIAL, NORMAL].into_iter().enumerate() {
            let off = velocity[row] + compliance * impulse[row];
            assert!(off.abs() < 1e-7, "{name}: row {row} off by {off} m/s");
        }
        assert!(impulse[2] > 3.0, "{name}: {impulse:?}");
    }
}
