//! 1 000 contacts on 5 184 sparse degrees of freedom: what every solver does before it begins.

use criterion::{Criterion, criterion_group, criterion_main};
use stiction_benches::soft_cube;
use stiction_constraints::{DynamicsMatrix, JointRows, ResidualEvaluator};

fn bench(criterion: &mut Criterion) {
    let Ok(problem) = soft_cube() else {
        return;
    };
    let mut group = criterion.benchmark_group("soft-cube");
    group.sample_size(10);
    let mut dynamics = DynamicsMatrix::default();
    group.bench_function("factorise A", |bencher| {
        bencher.iter(|| dynamics.update(&problem));
    });
    let mut rows = JointRows::default();
    group.bench_function("J in joint space", |bencher| {
        bencher.iter(|| rows.update(&problem));
    });
    let mut evaluator = ResidualEvaluator::default();
    group.bench_function("factorise A, J, effective masses", |bencher| {
        bencher.iter(|| evaluator.update(&problem));
    });
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
