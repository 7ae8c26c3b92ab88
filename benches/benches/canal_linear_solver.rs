//! Dense against sparse Newton systems as the number of degrees of freedom grows: where CANAL
//! switches (`DENSE_BELOW` in its `hessian` module).

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use stiction_benches::robots;
use stiction_constraints::{Budget, Solution, Solver};
use stiction_solver_canal::{Canal, CanalSettings, LinearSolver};

fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("canal, three outer iterations");
    let budget = Budget {
        tolerance: 0.0,
        max_iterations: Some(3),
        ..Budget::default()
    };
    for count in [1, 2, 3, 4, 6, 8, 16] {
        let Ok(problem) = robots(count) else { continue };
        for linear_solver in [LinearSolver::Dense, LinearSolver::Sparse] {
            // Without the finish, so that both do the same work.
            let settings = CanalSettings {
                linear_solver,
                finish: None,
                path: None,
                continuation: None,
                ..CanalSettings::default()
            };
            let mut canal = Canal::new(settings);
            let id = BenchmarkId::new(format!("{linear_solver:?}"), problem.dof_count());
            group.bench_with_input(id, &problem, |bencher, problem| {
                bencher.iter(|| canal.solve(problem, &budget, &mut Solution::cold()));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
