//! Scenes with answers on paper: stick, slip, open, bounce, and every law on its own.

mod common;

use common::{block, point_mass, solve};
use stiction_constraints::cone::Pyramid;
use stiction_constraints::{Budget, Law, Problem, RowBlock, Solution, Solver};
use stiction_solver_pgs::{Method, Pgs, PgsSettings, RaisimSchedule, SOLVERS};

const CONTACT: Law = Law::Contact { friction: 0.5 };
const FALL: f64 = 0.0981;

fn assert_close(actual: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    for (index, (a, b)) in actual.iter().zip(expected).enumerate() {
        assert!(
            (a - b).abs() <= tolerance,
            "{what}: [{index}] {a} against {b}"
        );
    }
}

#[test]
fn a_block_sticks_under_every_model() {
    // Pushed sideways with less than μ times its weight: it stays. All models agree on that.
    for (name, _) in SOLVERS {
        let problem = block(CONTACT, [0.0; 3], [0.02, -0.03, -FALL, 0.0, 0.0, 0.0]);
        let (solution, report) = solve(name, &problem, 1e-10);
        assert!(report.outcome.is_converged(), "{name}: {}", report.outcome);
        assert_close(&solution.velocity, &[0.0; 6], 1e-8, name);
        // The pyramid lets an impulse leave the cone at the corners, even where nothing slides.
        assert!(
            report.residuals.scaled < 1e-8 || *name == "pgs-lcp",
            "{name}: {:?}",
            report.residuals
        );
    }
}

#[test]
fn a_block_slips_and_friction_opposes_it() {
    // μ m g dt taken from the speed along its own direction, and the height kept.
    let (vx, vy) = (0.6, 0.8);
    let problem = block(CONTACT, [0.0; 3], [vx, vy, -FALL, 0.0, 0.0, 0.0]);
    let left = 1.0 - 0.5 * FALL;
    let expected = [vx * left, vy * left, 0.0, 0.0, 0.0, 0.0];
    for name in ["pgs", "jacobi"] {
        let (solution, report) = solve(name, &problem, 1e-9);
        assert!(report.outcome.is_converged(), "{name}: {}", report.outcome);
        assert_close(&solution.velocity, &expected, 1e-6, name);
    }
}

#[test]
fn a_point_mass_slips_exactly_under_all_models_but_the_cone() {
    let problem = point_mass(CONTACT, 2.0, [0.0; 3], [1.0, 0.0, -0.4]);
    for name in ["pgs", "pgs-lcp", "jacobi", "raisim"] {
        let (solution, report) = solve(name, &problem, 1e-12);
        assert!(report.outcome.is_converged(), "{name}: {}", report.outcome);
        assert_close(&solution.velocity, &[0.8, 0.0, 0.0], 1e-10, name);
        assert_close(&solution.impulse, &[-0.4, 0.0, 0.8], 1e-10, name);
    }
    // K ∋ λ ⟂ u ∈ K*: the mass lifts off with u_n = μ‖u_t‖ and friction is too strong.
    // λ = n(−μ, 0, 1), u_n = μ u_t: −0.4 + n/2 = μ(1 − μ n/2), n = 1.8/1.25.
    let (solution, report) = solve("pgs-ccp", &problem, 1e-12);
    assert!(report.outcome.is_converged());
    let normal = 1.8 / 1.25;
    let expected = [1.0 - 0.25 * normal, 0.0, 0.5 * normal - 0.4];
    assert_close(&solution.velocity, &expected, 1e-10, "pgs-ccp");
    assert!(
        solution.velocity[2] > 0.1,
        "the cone model lifts what slides"
    );
    assert!(report.residuals.scaled > 0.1, "and the report says so");
}

#[test]
fn the_pyramid_is_too_strong_along_its_diagonal() {
    let slide = 1.0 / 2.0f64.sqrt();
    let problem = point_mass(CONTACT, 1.0, [0.0; 3], [slide, slide, -0.4]);
    let (cone, _) = solve("pgs", &problem, 1e-12);
    let (pyramid, report) = solve("pgs-lcp", &problem, 1e-12);
    assert!(report.outcome.is_converged());
    let friction = |impulse: &[f64]| impulse[0].hypot(impulse[1]);
    assert!((friction(&cone.impulse) - 0.2).abs() < 1e-10);
    assert!((friction(&pyramid.impulse) - 0.2 * 2.0f64.sqrt()).abs() < 1e-10);
}

#[test]
fn an_open_contact_carries_nothing() {
    for (name, _) in SOLVERS {
        let problem = block(CONTACT, [0.0, 0.0, 0.5], [0.3, 0.0, -FALL, 0.0, 0.0, 0.0]);
        let (solution, report) = solve(name, &problem, 1e-12);
        assert!(report.outcome.is_converged(), "{name}");
        assert_eq!(report.iterations, 0, "{name}: nothing to do");
        assert_close(
            &solution.velocity,
            &[0.3, 0.0, -FALL, 0.0, 0.0, 0.0],
            1e-15,
            name,
        );
        assert!(solution.impulse.iter().all(|&value| value == 0.0));
    }
}

#[test]
fn a_block_bounces_with_its_restitution() {
    // e_n = ε v_n of an impact at 1 m/s.
    let error = -0.5;
    for (name, _) in SOLVERS {
        let problem = block(CONTACT, [0.0, 0.0, error], [0.0, 0.0, -1.0, 0.0, 0.0, 0.0]);
        let (solution, report) = solve(name, &problem, 1e-10);
        assert!(report.outcome.is_converged(), "{name}: {}", report.outcome);
        assert_close(
            &solution.velocity,
            &[0.0, 0.0, 0.5, 0.0, 0.0, 0.0],
            1e-8,
            name,
        );
    }
}

#[test]
fn without_friction_all_models_agree() {
    let law = Law::Contact { friction: 0.0 };
    for (name, _) in SOLVERS {
        let problem = block(law, [0.0; 3], [0.6, 0.8, -FALL, 0.0, 0.0, 0.0]);
        let (solution, report) = solve(name, &problem, 1e-10);
        assert!(report.outcome.is_converged(), "{name}: {}", report.outcome);
        assert_close(
            &solution.velocity,
            &[0.6, 0.8, 0.0, 0.0, 0.0, 0.0],
            1e-8,
            name,
        );
    }
}

#[test]
fn elliptic_friction_dissipates_most() {
    // Slip along λ_t with (λ_1/μ1)² + (λ_2/μ2)² = λ_n² and u_t parallel to the ellipse's normal.
    let friction = [0.2, 0.6];
    let law = Law::AnisotropicContact { friction };
    let problem = point_mass(law, 1.0, [0.0; 3], [1.0, 1.0, -0.5]);
    for name in ["pgs", "jacobi", "raisim"] {
        let (solution, report) = solve(name, &problem, 1e-11);
        assert!(report.outcome.is_converged(), "{name}: {}", report.outcome);
        let (u, l) = (&solution.velocity, &solution.impulse);
        assert!(
            ((l[0] / 0.2).hypot(l[1] / 0.6) - l[2]).abs() < 1e-9,
            "{name}"
        );
        let outward = [l[0] / 0.04, l[1] / 0.36];
        let cross = u[0] * outward[1] - u[1] * outward[0];
        assert!(cross.abs() < 1e-8, "{name}: {cross}");
        assert!(u[0] * l[0] + u[1] * l[1] < 0.0, "{name}");
    }
}

#[test]
fn compliance_gives_way() {
    // u_n = −1 + λ(1/m + R) = 0.
    let law = Law::CompliantContact {
        friction: [0.5; 2],
        tangential_compliance: 0.1,
        normal_compliance: 0.25,
    };
    for (name, _) in SOLVERS {
        let problem = point_mass(law, 1.0, [0.0; 3], [0.0, 0.0, -1.0]);
        let (solution, report) = solve(name, &problem, 1e-11);
        assert!(report.outcome.is_converged(), "{name}: {}", report.outcome);
        assert_close(&solution.impulse, &[0.0, 0.0, 0.8], 1e-9, name);
    }
}

#[test]
fn scalar_laws_have_their_closed_forms() {
    // One row on a mass of 2 kg that wants to move at 1 m/s.
    let cases: [(Law, f64, f64); 6] = [
        (Law::Equality, 0.25, -2.5),
        (Law::Unilateral, -1.5, 1.0),
        (
            Law::Soft {
                stiffness: 3.0,
                damping: 0.5,
            },
            0.2,
            // λ = −k e − c (1 + λ/2).
            -(0.6 + 0.5) / 1.25,
        ),
        (Law::JointFriction { bound: 0.7 }, 0.0, -0.7),
        (Law::JointFriction { bound: 9.0 }, 0.0, -2.0),
        (
            Law::JointLimit {
                lower: -0.1,
                upper: 0.4,
            },
            0.0,
            -1.2,
        ),
    ];
    for (law, error, expected) in cases {
        for (name, _) in SOLVERS {
            let mut problem = Problem::new();
            problem
                .push_dense(nalgebra::DMatrix::identity(1, 1) * 2.0, &[2.0])
                .unwrap();
            let row = RowBlock::Dofs {
                dofs: &[0],
                values: &[1.0],
            };
            problem.push_constraint(law, &[error], &[(0, row)]).unwrap();
            let (solution, report) = solve(name, &problem, 1e-11);
            assert!(report.outcome.is_converged(), "{name} {law:?}");
            assert_close(
                &solution.impulse,
                &[expected],
                1e-9,
                &format!("{name} {law:?}"),
            );
        }
    }
}

/// Friction of a pyramid pulls towards its corners; more facets, less of it; none along the middle of a facet.
#[test]
fn facets_and_orientation_of_the_pyramid_are_settable() {
    let angle = std::f64::consts::FRAC_PI_8;
    let problem = point_mass(CONTACT, 2.0, [0.0; 3], [angle.cos(), angle.sin(), -0.4]);
    let across = |facets: usize, orientation: f64| {
        let mut solver = Pgs::new(PgsSettings {
            pyramid: Pyramid::new(facets, orientation).unwrap(),
            ..PgsSettings::for_method(Method::Lcp)
        })
        .unwrap();
        let mut solution = Solution::cold();
        let report = solver.solve(&problem, &Budget::with_tolerance(1e-12), &mut solution);
        assert!(report.outcome.is_converged(), "{}", report.outcome);
        solution.velocity[1] * angle.cos() - solution.velocity[0] * angle.sin()
    };
    assert!(across(4, 0.0) < -0.02);
    assert!(across(4, angle).abs() < 1e-9);
    assert!((across(4, 2.0 * angle) + across(4, 0.0)).abs() < 1e-9);
    assert!(across(32, 0.0).abs() < 0.3 * across(4, 0.0).abs());
}

/// Whenever the weight of the bisection falls, what it ends at is the same, but for what a weight that falls leaves
/// undone.
#[test]
fn the_schedule_of_the_bisection_changes_no_answer() {
    let problem = block(CONTACT, [0.0; 3], [0.6, 0.8, -FALL, 0.0, 0.0, 0.0]);
    let speeds = [RaisimSchedule::PerSweep, RaisimSchedule::PerContact].map(|raisim_schedule| {
        let mut solver = Pgs::new(PgsSettings {
            raisim_schedule,
            ..PgsSettings::for_method(Method::Raisim)
        })
        .unwrap();
        let mut solution = Solution::cold();
        let report = solver.solve(&problem, &Budget::with_tolerance(1e-10), &mut solution);
        assert!(report.outcome.is_converged(), "{}", report.outcome);
        solution.velocity[0]
    });
    assert!((speeds[0] - speeds[1]).abs() < 1e-5, "{speeds:?}");
}
