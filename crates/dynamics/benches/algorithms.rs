//! Time of each algorithm on an arm, a quadruped and a humanoid, and how it grows with size.
//!
//! `cargo bench -p stiction-dynamics --bench algorithms`

mod robots;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use nalgebra::{Matrix6xX, Vector3};
use stiction_dynamics::*;

fn algorithms(c: &mut Criterion) {
    for model in [robots::arm(), robots::quadruped(), robots::humanoid()] {
        let (q, v, a) = robots::state(&model);
        let mut data = Data::new(&model);
        let mut mass = MassMatrix::new(&model);
        let mut factor = LdlFactorization::new(&model);
        let mut derivatives = RneaDerivatives::new(&model);
        let mut forward_derivatives = AbaDerivatives::new(&model);
        let mut jacobian = Matrix6xX::zeros(model.nv());
        let last = &model.frames().last().expect("the world at least").name;
        let frame = model.frame_id(last).expect("it is one of its frames");
        let mut group = c.benchmark_group(model.name());
        group.bench_function("rnea", |b| {
            b.iter(|| rnea(&model, &mut data, black_box(&q), &v, &a, None).map(|t| t[0]));
        });
        group.bench_function("aba", |b| {
            b.iter(|| aba(&model, &mut data, black_box(&q), &v, &a, None).map(|t| t[0]));
        });
        group.bench_function("crba", |b| {
            b.iter(|| crba(&model, &mut data, black_box(&q), &mut mass));
        });
        group.bench_function("joint_jacobians", |b| {
            b.iter(|| joint_jacobians(&model, &mut data, black_box(&q)));
        });
        group.bench_function("frame_jacobian", |b| {
            b.iter(|| {
                let reference = ReferenceFrame::LocalWorldAligned;
                frame_jacobian(&model, &data, black_box(frame), reference, &mut jacobian)
            });
        });
        group.bench_function("ldl_factorize", |b| {
            b.iter(|| factor.factorize(&model, black_box(&mass)));
        });
        group.bench_function("rnea_derivatives", |b| {
            b.iter(|| {
                rnea_derivatives(
                    &model,
                    &mut data,
                    black_box(&q),
                    &v,
                    &a,
                    None,
                    &mut derivatives,
                )
            });
        });
        group.bench_function("aba_derivatives", |b| {
            b.iter(|| {
                let out = &mut forward_derivatives;
                aba_derivatives(&model, &mut data, black_box(&q), &v, &a, None, out)
            });
        });
        group.finish();
    }
}

/// Free acceleration of a Talos, whose joint frames have the axes of their parents, and of the same robot with
/// frames turned by nothing that counts: what the kernels for any placement take.
fn talos(c: &mut Criterion) {
    let mut group = c.benchmark_group("talos38");
    for (name, turned) in [("aba", 0.0), ("aba_any_placement", 1e-15)] {
        let model = robots::talos(turned);
        let (q, v, tau) = robots::state(&model);
        let mut data = Data::new(&model);
        group.bench_function(name, |b| {
            b.iter(|| aba(&model, &mut data, black_box(&q), &v, &tau, None).map(|t| t[0]));
        });
    }
    group.finish();
}

/// A chain (`arity` 1) or a balanced tree of revolute joints.
fn tree(n: usize, arity: usize) -> Model {
    let mut tree = ModelDescription::new(format!("tree {n}"));
    for i in 0..n {
        let name = format!("{i}");
        tree.add_body(&name, Inertia::solid_sphere(1.0, 0.1));
        let parent = if i == 0 {
            WORLD.to_owned()
        } else {
            format!("{}", (i - 1) / arity)
        };
        let axis = [Vector3::x(), Vector3::y(), Vector3::z()][i % 3];
        tree.add_joint(&name, JointKind::Revolute { axis }, parent, &name)
            .at(Transform::from_translation(Vector3::new(0.02, 0.01, 0.0)));
    }
    tree.build().expect("the tree is valid")
}

fn growth(c: &mut Criterion) {
    let mut group = c.benchmark_group("aba_chain");
    for n in [10, 100, 1_000, 10_000] {
        let model = tree(n, 1);
        let (q, v, tau) = robots::state(&model);
        let mut data = Data::new(&model);
        group.throughput(criterion::Throughput::Elements(n as u64));
        group.bench_with_input(BenchmarkId::from_parameter(n), &n, |b, _| {
            b.iter(|| aba(&model, &mut data, black_box(&q), &v, &tau, None).map(|t| t[0]));
        });
    }
    group.finish();
    let mut group = c.benchmark_group("crba_ldl_balanced_tree");
    for n in [10, 100, 1_000, 10_000] {
        let model = tree(n, 2);
        let (q, _, _) = robots::state(&model);
        let mut data = Data::new(&model);
        let mut mass = MassMatrix::new(&model);
        let mut factor = LdlFactorization::new(&model);
        group.throughput(criterion::Throughput::Elements(n as u64));
        group.bench_with_input(BenchmarkId::from_parameter(n), &n, |b, _| {
            b.iter(|| {
                crba(&model, &mut data, black_box(&q), &mut mass)?;
                factor.factorize(&model, &mass)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, algorithms, talos, growth);
criterion_main!(benches);
