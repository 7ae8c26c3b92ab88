//! Each model has its answer, on a slider whose answer is on paper and on problems that are drawn.

use nalgebra::DMatrix;
use proptest::prelude::*;
use stiction_constraints::cone::Pyramid;
use stiction_constraints::{
    Budget, Criterion, Law, Problem, ResidualEvaluator, RowBlock, Solution, Solver,
};
use stiction_generators::{
    BlockMode, BlockParams, Breadth, Certificate, RandomWideParams, TowerParams, WideProblem,
    block, random_wide, tower,
};
use stiction_solver_admm::{
    AdmmSettings, CcpAdmm, CcpAdmmSettings, SOLVERS, Staggered, StaggeredSettings, Weights, named,
};

fn draw(seed: u64) -> WideProblem {
    let params = RandomWideParams {
        breadth: Breadth::Plain,
        seed,
        ..RandomWideParams::default()
    };
    random_wide(&params).unwrap()
}

/// A mass of 2 kg slides at 3 m/s along a direction of the floor and is pressed on it by 4 N·s.
fn slider(law: Law, angle: f64) -> Problem {
    let mut problem = Problem::new();
    let (sin, cos) = angle.sin_cos();
    let mass = problem.push_dense(DMatrix::identity(3, 3) * 2.0, &[6.0 * cos, 6.0 * sin, -4.0]);
    let rows = RowBlock::Dofs {
        dofs: &[0, 1, 2],
        values: &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
    };
    problem
        .push_constraint(law, &[0.0; 3], &[(mass.unwrap(), rows)])
        .unwrap();
    problem
}

const CONTACT: Law = Law::Contact { friction: 0.5 };

fn solve(solver: &mut dyn Solver, problem: &Problem, tolerance: f64) -> (Solution, usize) {
    let mut solution = Solution::cold();
    let report = solver.solve(problem, &Budget::with_tolerance(tolerance), &mut solution);
    let name = solver.name();
    assert!(report.outcome.is_converged(), "{name}: {}", report.outcome);
    (solution, report.iterations)
}

#[test]
fn a_slider_obeys_each_model() {
    let problem = slider(CONTACT, 0.0);
    let speeds = |name: &str| {
        let (solution, _) = solve(named(name).unwrap().as_mut(), &problem, 1e-10);
        (solution.velocity[0], solution.velocity[2])
    };
    // μ 4 N·s are taken from 6.
    for name in ["staggered", "lcp-staggered"] {
        let (slip, lift) = speeds(name);
        assert!(
            (slip - 2.0).abs() < 1e-8 && lift.abs() < 1e-8,
            "{name}: {slip} {lift}"
        );
    }
    // The cone model lets a sliding body lift off by μ times its speed.
    let (slip, lift) = speeds("ccp-admm");
    assert!(
        lift > 0.1 && (lift - 0.5 * slip).abs() < 1e-8,
        "{slip} {lift}"
    );
    // With R λ added to velocities it is these that do so, and the solution is another.
    let (shifted_slip, shifted_lift) = speeds("ccp-regularised");
    assert!((shifted_lift - 0.5 * shifted_slip).abs() > 1e-3);
    assert!((shifted_slip - slip).abs() > 1e-3);
}

#[test]
fn friction_of_a_pyramid_pulls_towards_its_corners() {
    // At 22.5° to the middle of a facet; of many facets hardly anything is left of that.
    let angle = std::f64::consts::FRAC_PI_8;
    let problem = slider(CONTACT, angle);
    let across = |facets: usize, orientation: f64| {
        let settings = StaggeredSettings {
            pyramid: Pyramid::new(facets, orientation),
            ..StaggeredSettings::default()
        };
        let mut solver = Staggered::new(settings).unwrap();
        let (solution, _) = solve(&mut solver, &problem, 1e-10);
        solution.velocity[1] * angle.cos() - solution.velocity[0] * angle.sin()
    };
    assert!(across(4, 0.0) < -0.1);
    // The motion as the middle of a facet, or turned to the other side of one.
    assert!(across(4, angle).abs() < 1e-8);
    assert!((across(4, 2.0 * angle) + across(4, 0.0)).abs() < 1e-8);
    assert!(across(64, 0.0).abs() < 0.1 * across(4, 0.0).abs());
    let (solution, _) = solve(named("staggered").unwrap().as_mut(), &problem, 1e-10);
    let v = &solution.velocity;
    assert!((v[1] * angle.cos() - v[0] * angle.sin()).abs() < 1e-9);
}

#[test]
fn compliance_of_contacts_gives_way_in_every_model() {
    // u + R λ = 0 along the normal: it sinks at R λ, and a stuck contact creeps at R_t λ_t.
    let law = Law::CompliantContact {
        friction: [2.0; 2],
        tangential_compliance: 0.01,
        normal_compliance: 0.02,
    };
    let problem = slider(law, 0.3);
    for (name, _) in SOLVERS
        .iter()
        .filter(|(name, _)| *name != "ccp-regularised")
    {
        let (solution, _) = solve(named(name).unwrap().as_mut(), &problem, 1e-10);
        let (v, impulse) = (&solution.velocity, &solution.impulse);
        for (row, compliance) in [0.01, 0.01, 0.02].into_iter().enumerate() {
            let defect = v[row] + compliance * impulse[row];
            assert!(defect.abs() < 1e-8, "{name}: row {row} off by {defect}");
        }
        assert!(impulse[2] > 1.0, "{name}");
    }
}

#[test]
fn staggered_needs_a_few_outer_iterations_on_a_sliding_cube() {
    for mode in BlockMode::ALL {
        let params = BlockParams {
            mode,
            ..BlockParams::default()
        };
        let exact = block(&params).unwrap();
        let mut solver = named("staggered").unwrap();
        let (solution, iterations) = solve(solver.as_mut(), &exact.problem, 1e-7);
        for (found, exact) in solution.velocity.iter().zip(exact.velocity) {
            assert!((found - exact).abs() < 1e-6, "{mode:?}: {found} {exact}");
        }
        assert!(iterations <= 12, "{mode:?}: {iterations}");
    }
}

#[test]
fn heavy_on_light_is_solved() {
    for exponent in [0, 2, 4, 6] {
        let params = TowerParams {
            cubes: 2,
            mass: 1e-3,
            top_ratio: 10.0_f64.powi(exponent),
            kick: 0.0,
            ..TowerParams::default()
        };
        let problem = tower(&params).unwrap();
        solve(named("ccp-admm").unwrap().as_mut(), &problem, 1e-7);
    }
}

#[test]
fn warm_starts_are_shorter_and_rho_is_handed_on_where_asked() {
    let problem = tower(&TowerParams::default()).unwrap();
    let count = |solver: &mut CcpAdmm, solution: &mut Solution| {
        let report = solver.solve(&problem, &Budget::with_tolerance(1e-7), solution);
        assert!(report.outcome.is_converged(), "{}", report.outcome);
        report.iterations
    };
    let mut solution = Solution::cold();
    let mut solver = CcpAdmm::named("ccp-admm").unwrap();
    let cold = count(&mut solver, &mut solution);
    // One per mille off.
    for (row, impulse) in solution.impulse.iter_mut().enumerate() {
        *impulse *= 1.0 + 1e-3 * (row as f64).sin();
    }
    let guess = solution.clone();
    let warm = count(&mut solver, &mut solution);
    assert!(warm < cold, "{warm} {cold}");
    let settings = CcpAdmmSettings {
        admm: AdmmSettings {
            keeps_rho: true,
            ..AdmmSettings::default()
        },
        ..CcpAdmmSettings::default()
    };
    let mut keeping = CcpAdmm::new(settings).unwrap();
    count(&mut keeping, &mut Solution::cold());
    let rho = keeping.rho();
    count(&mut keeping, &mut guess.clone());
    assert!(rho > 0.0 && keeping.rho() > 0.0);
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let admm = |relaxation: f64| AdmmSettings {
        relaxation,
        weights: Weights::OwnDiagonal,
        ..AdmmSettings::default()
    };
    let refused = admm(2.0).validate().unwrap_err();
    assert_eq!(refused.field, "relaxation");
    assert!(admm(1.0).validate().is_ok());
    let settings = CcpAdmmSettings {
        regularization: -1.0,
        ..CcpAdmmSettings::default()
    };
    assert_eq!(CcpAdmm::new(settings).unwrap_err().field, "regularization");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Whatever the outcome: finite, v̂ = A⁻¹(b + Jᵀλ), and `Converged` of the exact solver means so.
    #[test]
    fn outcomes_are_honest(seed in 0u64..1_000_000) {
        let problem = draw(seed).problem;
        let mut evaluator = ResidualEvaluator::default();
        evaluator.update(&problem).unwrap();
        for (name, _) in SOLVERS {
            let mut solver = named(name).unwrap();
            let mut solution = Solution::cold();
            let budget = Budget { max_iterations: Some(50), ..Budget::with_tolerance(1e-6) };
            let report = solver.solve(&problem, &budget, &mut solution);
            prop_assert!(report.iterations <= 50);
            prop_assert!(solution.velocity.iter().all(|value| value.is_finite()));
            prop_assert!(report.residuals.dynamics < 1e-8);
            if report.outcome.is_converged() {
                let residual = match *name {
                    "ccp-admm" => evaluator.cone_model(&problem, &solution.impulse),
                    "ccp-regularised" => 0.0,
                    "staggered" => evaluator.measure(&problem, &solution.impulse, Criterion::Scaled),
                    _ => evaluator.pyramid_model(&problem, &solution.impulse, &Pyramid::default()),
                };
                prop_assert!(residual <= 1.001e-6, "{}: {}", name, residual);
            }
        }
    }

    /// The cone model is convex: ADMM gets there on every problem with a solution.
    #[test]
    fn the_cone_model_is_always_solved(seed in 0u64..1_000_000) {
        let drawn = draw(seed);
        if !matches!(drawn.certificate, Some(Certificate::Interior { .. })) {
            return Ok(());
        }
        let mut solution = Solution::cold();
        let mut solver = CcpAdmm::named("ccp-admm").unwrap();
        let budget = Budget { max_iterations: Some(20_000), ..Budget::with_tolerance(1e-6) };
        let report = solver.solve(&drawn.problem, &budget, &mut solution);
        prop_assert!(report.outcome.is_converged(), "{}", report.outcome);
    }
}
