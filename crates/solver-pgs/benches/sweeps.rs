//! What a sweep costs, and which of two ways to keep the row velocities is cheaper.
//!
//! `velocities/columns` adds every changed impulse's column to the maintained velocities (what the
//! solver does), `velocities/rows` multiplies each constraint's rows with all impulses when its
//! turn comes. `solve` is 20 sweeps from a cold start, everything included; `prepare` is the same
//! with no sweep.

#![allow(missing_docs, reason = "criterion's macros define public items")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::Vector3;
use stiction_constraints::{Budget, Delassus, Problem, ResidualEvaluator, Solution, Solver};
use stiction_solver_pgs::{Pgs, SOLVERS};

fn scenes() -> [(&'static str, Problem); 2] {
    [
        ("ring120", common::ring(120, 0.4, 1)),
        ("stack40", common::stack(40)),
    ]
}

fn delassus_of(problem: &Problem) -> (ResidualEvaluator, Delassus) {
    let (mut evaluator, mut delassus) = (ResidualEvaluator::default(), Delassus::default());
    evaluator.update(problem).expect("positive definite");
    let mut dynamics = std::mem::take(evaluator.dynamics());
    delassus.update(problem, &mut dynamics, evaluator.rows());
    *evaluator.dynamics() = dynamics;
    (evaluator, delassus)
}

fn velocities(criterion: &mut Criterion) {
    for (scene, problem) in scenes() {
        let (_, delassus) = delassus_of(&problem);
        let impulses = vec![1e-3; problem.row_count()];
        let mut out = vec![0.0; problem.row_count()];
        let mut group = criterion.benchmark_group(format!("velocities/{scene}"));
        group.bench_function("columns", |bencher| {
            bencher.iter(|| {
                for index in 0..delassus.constraint_count() {
                    delassus.add_column(index, &[1e-3; 3], black_box(&mut out));
                }
            });
        });
        group.bench_function("rows", |bencher| {
            bencher.iter(|| {
                let mut sum = Vector3::zeros();
                for index in 0..delassus.constraint_count() {
                    sum += delassus.row_product(index, black_box(&impulses));
                }
                sum
            });
        });
        group.finish();
    }
}

fn assembly(criterion: &mut Criterion) {
    for (scene, problem) in scenes() {
        let (mut evaluator, mut delassus) = delassus_of(&problem);
        let mut dynamics = std::mem::take(evaluator.dynamics());
        criterion.bench_function(&format!("delassus/{scene}"), |bencher| {
            bencher.iter(|| delassus.update(&problem, &mut dynamics, evaluator.rows()));
        });
    }
}

fn solves(criterion: &mut Criterion) {
    for (scene, problem) in scenes() {
        for (kind, sweeps) in [("prepare", 0), ("solve", 20)] {
            let mut group = criterion.benchmark_group(format!("{kind}/{scene}"));
            for (name, _) in SOLVERS {
                let mut solver = Pgs::named(name).expect("listed");
                let mut solution = Solution::cold();
                let budget = Budget {
                    tolerance: 0.0,
                    max_iterations: Some(sweeps),
                    ..Budget::default()
                };
                group.bench_function(*name, |bencher| {
                    bencher.iter(|| {
                        solution.clear();
                        solver.solve(&problem, &budget, &mut solution).iterations
                    });
                });
            }
            group.finish();
        }
    }
}

criterion_group!(benches, velocities, assembly, solves);
criterion_main!(benches);
