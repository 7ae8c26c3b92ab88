//! What must hold for any problem.

use nalgebra::DMatrix;
use proptest::prelude::*;
use stiction_constraints::{Budget, Law, Outcome, Problem, RowBlock, Solution, Solver};
use stiction_generators::{Breadth, RandomWideParams, random_wide};
use stiction_solver_convex::SoftConvex;

const ROWS: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// A block of one kilogram on the floor with a velocity, and a compliance of its own.
fn block(velocity: [f64; 3], friction: f64, compliance: [f64; 2]) -> Problem {
    let mut problem = Problem::new();
    let body = problem
        .push_dense(DMatrix::identity(3, 3), &velocity)
        .unwrap();
    let rows = RowBlock::Dofs {
        dofs: &[0, 1, 2],
        values: &ROWS,
    };
    let law = Law::CompliantContact {
        friction: [friction; 2],
        tangential_compliance: compliance[0],
        normal_compliance: compliance[1],
    };
    problem
        .push_constraint(law, &[0.0; 3], &[(body, rows)])
        .unwrap();
    problem
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever comes: its own convex problem is solved, and v̂ = A⁻¹(b + Jᵀλ).
    #[test]
    fn its_own_problem_is_always_solved(seed in 0u64..1_000_000) {
        let params = RandomWideParams { breadth: Breadth::Plain, seed, ..RandomWideParams::default() };
        let problem = random_wide(&params).unwrap().problem;
        let mut solution = Solution::cold();
        let report = SoftConvex::default().solve(&problem, &Budget::default(), &mut solution);
        prop_assert!(report.outcome == Outcome::Converged, "{}", report.outcome);
        prop_assert!(solution.velocity.iter().all(|value| value.is_finite()));
        prop_assert!(report.residuals.dynamics < 1e-8);
    }

    /// A contact that holds gives way by R λ in each direction: (1 + R) λ = −v.
    #[test]
    fn a_sticking_contact_gives_way_by_its_compliance(
        push in 0.1f64..3.0, aside in -0.05f64..0.05, r in 0.01f64..1.0,
    ) {
        let problem = block([aside, 0.0, -push], 1.0, [r, r]);
        let mut solution = Solution::cold();
        let strict = Budget::with_tolerance(1e-12);
        SoftConvex::default().solve(&problem, &strict, &mut solution);
        let wanted = [-aside / (1.0 + r), push / (1.0 + r)];
        for (found, wanted) in [solution.impulse[0], solution.impulse[2]].into_iter().zip(wanted) {
            prop_assert!((found - wanted).abs() < 1e-8, "{found} {wanted}");
        }
    }
}

/// What slides lifts off: the model's velocity is in the dual cone, u_n = μ‖u_t‖ with the compliance gone.
#[test]
fn what_slides_lifts_off() {
    let problem = block([5.0, 0.0, -1.0], 0.3, [1e-9, 1e-9]);
    let mut solution = Solution::cold();
    SoftConvex::default().solve(&problem, &Budget::default(), &mut solution);
    let v = &solution.velocity;
    assert!((v[2] - 0.3 * v[0]).abs() < 1e-6 && v[0] > 3.0, "{v:?}");
}
