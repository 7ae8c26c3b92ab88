//! M48 bolt in its nut: whole detection of the pair, single-threaded.

use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::{Isometry3, Vector3};
use stiction_collision::sdf::{BoltSdf, MetricThread, NutSdf, ThreadEnd};
use stiction_collision::{
    NarrowScratch, NarrowSettings, PairMemory, SearchEffort, Shape, contacts_between,
};

#[expect(clippy::print_stdout, reason = "counts belong beside the times")]
fn bolt_and_nut(c: &mut Criterion) {
    let thread = MetricThread::coarse(48).expect("M48");
    let bolt = BoltSdf::with_head(thread, 0.1, 0.03, 0.075, ThreadEnd::Chamfered).expect("bolt");
    let nut = NutSdf::new(thread, 0.038, 0.075, 1e-4, ThreadEnd::Chamfered).expect("nut");
    let bolt = Shape::bolt("bolt", bolt, 10e-3).expect("bolt");
    let nut = Shape::nut("nut", nut, 4e-3).expect("nut");
    let mut settings = NarrowSettings {
        margin: 2e-4,
        ..NarrowSettings::default()
    };
    let mut scratch = NarrowScratch::default();
    let mut out = Vec::new();
    let nominal = Isometry3::translation(0.0, 0.0, 0.025);
    let nudged = nominal
        * Isometry3::new(
            Vector3::new(4e-5, 2e-5, -3e-5),
            Vector3::new(3e-4, 2e-4, 0.0),
        );
    let mut group = c.benchmark_group("M48 bolt and nut");
    group.sample_size(20);
    for (name, pose, effort) in [
        ("nominal, local search", nominal, SearchEffort::Local),
        ("nudged, local search", nudged, SearchEffort::Local),
        ("nudged, thorough search", nudged, SearchEffort::Thorough),
    ] {
        settings.frank_wolfe.effort = effort;
        group.bench_function(format!("{name}, first step"), |b| {
            b.iter(|| {
                out.clear();
                let mut memory = PairMemory::default();
                contacts_between(
                    &bolt,
                    &nut,
                    &pose,
                    &settings,
                    &mut memory,
                    &mut scratch,
                    &mut out,
                )
            });
        });
        let mut memory = PairMemory::default();
        group.bench_function(format!("{name}, warm"), |b| {
            b.iter(|| {
                out.clear();
                contacts_between(
                    &bolt,
                    &nut,
                    &pose,
                    &settings,
                    &mut memory,
                    &mut scratch,
                    &mut out,
                )
            });
        });
        println!(
            "{name}: {} raw contacts, {} kept",
            memory.n_raw(),
            out.len()
        );
    }
    group.finish();
}

criterion_group!(benches, bolt_and_nut);
criterion_main!(benches);
