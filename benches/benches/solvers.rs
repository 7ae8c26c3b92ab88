//! One solve of each family, cold start, to the accuracy each is for.

use criterion::{Criterion, criterion_group, criterion_main};
use stiction_benches::named_problems;
use stiction_constraints::{Budget, Criterion as Residual, Solution, Solver};
use stiction_solver_canal::Canal;
use stiction_solver_pgs::Pgs;
use stiction_solver_subadmm::SubAdmm;

fn solvers() -> Vec<(&'static str, Box<dyn Solver>, Budget)> {
    let to = |criterion, tolerance| Budget {
        criterion,
        tolerance,
        ..Budget::default()
    };
    let sweeps = Budget {
        tolerance: 0.0,
        max_iterations: Some(20),
        ..Budget::default()
    };
    let mut all: Vec<(&'static str, Box<dyn Solver>, Budget)> = Vec::new();
    if let Some(canal) = Canal::named("canal") {
        all.push((
            "canal to 1e-7 m/s",
            Box::new(canal),
            to(Residual::Scaled, 1e-7),
        ));
    }
    if let Some(subadmm) = SubAdmm::named("subadmm") {
        all.push((
            "subadmm to 1e-4",
            Box::new(subadmm),
            to(Residual::Paper, 1e-4),
        ));
    }
    if let Some(pgs) = Pgs::named("pgs") {
        all.push(("pgs 20 sweeps", Box::new(pgs), sweeps));
    }
    all
}

fn bench(criterion: &mut Criterion) {
    let Ok(problems) = named_problems() else {
        return;
    };
    for (name, problem) in &problems {
        let mut group = criterion.benchmark_group(*name);
        for (what, mut solver, budget) in solvers() {
            group.bench_function(what, |bencher| {
                bencher.iter(|| solver.solve(problem, &budget, &mut Solution::cold()));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
