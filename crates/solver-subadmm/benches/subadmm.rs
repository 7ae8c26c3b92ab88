//! `cargo bench -p stiction-solver-subadmm`: time to 1e-4, the ablations of Table III of the paper,
//! and how cost grows with the number of subsystems.

use std::time::Instant;

use criterion::{Criterion as Bench, criterion_group};
use stiction_constraints::{Budget, Criterion, Problem, Solution, Solver};
use stiction_generators::{
    BoltNutParams, DishStackParams, QuadrupedsParams, SpherePileParams, bolt_nut, dish_stack,
    quadrupeds, sphere_pile,
};
use stiction_solver_subadmm::{SubAdmm, SubAdmmSettings, TreeMethod};

fn to_1e4() -> Budget {
    Budget {
        criterion: Criterion::Paper,
        ..Budget::with_tolerance(1e-4)
    }
}

fn iterations(count: usize) -> Budget {
    Budget {
        max_iterations: Some(count),
        criterion: Criterion::Paper,
        ..Budget::with_tolerance(0.0)
    }
}

fn solve(solver: &mut SubAdmm, problem: &Problem, budget: &Budget, solution: &mut Solution) {
    solution.clear();
    std::hint::black_box(solver.solve(problem, budget, solution));
}

fn cold_start(bench: &mut Bench) {
    let mut group = bench.benchmark_group("to_1e-4_paper_residual");
    for (name, problem) in [
        ("bolt_nut", bolt_nut(&BoltNutParams::default())),
        ("dish_stack", dish_stack(&DishStackParams::default())),
    ] {
        let problem = problem.expect("default parameters are valid");
        let without = SubAdmmSettings {
            overconstrained: None,
            ..SubAdmmSettings::default()
        };
        for (what, settings) in [
            ("", SubAdmmSettings::default()),
            ("_without_plain_start", without),
        ] {
            let mut solver = SubAdmm::new("subadmm", settings);
            let mut solution = Solution::cold();
            group.bench_function(format!("{name}{what}"), |b| {
                b.iter(|| solve(&mut solver, &problem, &to_1e4(), &mut solution));
            });
        }
    }
    group.finish();
}

fn ablation(bench: &mut Bench) {
    let mut group = bench.benchmark_group("eight_robots_100_iterations");
    let problem = quadrupeds(&QuadrupedsParams::default()).expect("default parameters are valid");
    let mut solvers: Vec<SubAdmm> = ["subadmm", "admm-full", "subadmm-no-body"]
        .iter()
        .filter_map(|name| SubAdmm::named(name))
        .collect();
    solvers.push(SubAdmm::new(
        "subadmm, articulated body",
        SubAdmmSettings {
            tree_method: TreeMethod::ArticulatedBody,
            ..SubAdmmSettings::default()
        },
    ));
    for mut solver in solvers {
        let mut solution = Solution::cold();
        let name = solver.name();
        group.bench_function(name, |b| {
            b.iter(|| solve(&mut solver, &problem, &iterations(100), &mut solution));
        });
    }
    group.finish();
}

/// Times 50 iterations for growing numbers of bodies and fits a line through them.
#[allow(clippy::print_stdout, reason = "the fit is the result of the bench")]
fn scaling() {
    println!("\nbodies  50 iterations (best of 5)");
    let mut points = Vec::new();
    for count in [1000, 2000, 4000, 6000, 8000, 10_000] {
        let params = SpherePileParams {
            bodies: count,
            ..SpherePileParams::default()
        };
        let problem = sphere_pile(&params).expect("valid parameters");
        let (mut solver, mut solution) = (SubAdmm::default(), Solution::cold());
        let best = (0..6)
            .map(|_| {
                let start = Instant::now();
                solve(&mut solver, &problem, &iterations(50), &mut solution);
                start.elapsed().as_secs_f64()
            })
            .fold(f64::INFINITY, f64::min);
        println!("{count:>6}  {:.2} ms", best * 1e3);
        points.push((count as f64, best));
    }
    let n = points.len() as f64;
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / n;
    let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
    let covariance = mean(&|p| (p.0 - x) * (p.1 - y));
    let slope = covariance / mean(&|p| (p.0 - x).powi(2));
    let r_squared = slope * covariance / mean(&|p| (p.1 - y).powi(2));
    println!(
        "linear fit: {:.3} µs a body, R² = {r_squared:.4}",
        slope * 1e6
    );
}

criterion_group!(benches, cold_start, ablation);

fn main() {
    benches();
    scaling();
    Bench::default().configure_from_args().final_summary();
}
