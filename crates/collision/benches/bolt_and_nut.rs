//! M48 bolt in its nut: whole detection of the pair with default settings, single-threaded, at the
//! nominal engaged pose and ten random ones near it.
//!
//! Processor time, mean of 100. "first step" starts without memory; "next step" follows a motion of 1 ms (1 rad/s about the axis).

use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stiction_collision::sdf::{BoltSdf, MetricThread, NutSdf, ThreadEnd};
use stiction_collision::{
    NarrowScratch, NarrowSettings, PairMemory, SearchEffort, Shape, ShapeContact, contacts_between,
};

const REPEATS: usize = 100;

/// Processor time of this thread: the wall clock of a machine with other work to do says little.
/// Falls back to the wall clock where the system does not tell.
fn cpu_seconds() -> f64 {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    let nanoseconds = std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|line| line.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |ns| 1e-9 * ns)
}

struct Pair {
    bolt: Shape,
    nut: Shape,
    settings: NarrowSettings,
    scratch: NarrowScratch,
    out: Vec<ShapeContact>,
}

impl Pair {
    fn new(nut_resolution: f64) -> Self {
        let thread = MetricThread::coarse(48).expect("M48");
        let bolt =
            BoltSdf::with_head(thread, 0.1, 0.03, 0.075, ThreadEnd::Chamfered).expect("bolt");
        let nut = NutSdf::new(thread, 0.038, 0.075, 1e-4, ThreadEnd::Chamfered).expect("nut");
        Self {
            bolt: Shape::bolt("bolt", bolt, 10e-3).expect("bolt"),
            nut: Shape::nut("nut", nut, nut_resolution).expect("nut"),
            settings: NarrowSettings {
                margin: 2e-4,
                ..NarrowSettings::default()
            },
            scratch: NarrowScratch::default(),
            out: Vec::new(),
        }
    }

    fn detect(&mut self, pose: &Isometry3<f64>, memory: &mut PairMemory) {
        self.out.clear();
        contacts_between(
            &self.bolt,
            &self.nut,
            pose,
            &self.settings,
            memory,
            &mut self.scratch,
            &mut self.out,
        )
        .expect("a finite pose");
    }

    /// Mean milliseconds of processor time without memory.
    fn first_step(&mut self, pose: &Isometry3<f64>) -> f64 {
        mean(|| {
            let mut memory = PairMemory::default();
            self.detect(pose, &mut memory);
        })
    }

    /// Mean milliseconds of processor time while the nut turns on.
    fn next_step(&mut self, pose: &Isometry3<f64>) -> (f64, usize) {
        let mut memory = PairMemory::default();
        let mut step = 0;
        let time = mean(|| {
            let moved = screwed(1e-3 * f64::from(step)) * pose;
            step += 1;
            self.detect(&moved, &mut memory);
        });
        (time, memory.n_raw())
    }
}

fn mean(mut run: impl FnMut()) -> f64 {
    let start = cpu_seconds();
    for _ in 0..REPEATS {
        run();
    }
    1e3 * (cpu_seconds() - start) / REPEATS as f64
}

/// A turn about z with the lead of the thread.
fn screwed(turn: f64) -> Isometry3<f64> {
    Isometry3::from_parts(
        (Vector3::z() * (5e-3 / std::f64::consts::TAU * turn)).into(),
        UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn),
    )
}

/// Nut screwed on: five pitches up, centred, then moved a little within its clearance.
fn poses() -> Vec<Isometry3<f64>> {
    let mut rng = ChaCha8Rng::seed_from_u64(48);
    let engaged = Isometry3::translation(0.0, 0.0, 0.025);
    let mut poses = vec![engaged];
    for _ in 0..10 {
        let turn = rng.random_range(-3.0..3.0);
        let mut vector = |reach: f64| Vector3::from_fn(|_, _| rng.random_range(-reach..reach));
        let nudge = Isometry3::new(vector(4e-5), vector(3e-4));
        poses.push(engaged * screwed(turn) * nudge);
    }
    poses
}

#[expect(clippy::print_stdout, reason = "the table is the point of this bench")]
fn bolt_and_nut(c: &mut Criterion) {
    for resolution in [4e-3, 8e-3] {
        let mut pair = Pair::new(resolution);
        println!("nut meshed at {} mm, default settings", 1e3 * resolution);
        println!("pose        raw  kept   first step ms   next step ms");
        let mut worst = [0.0_f64; 2];
        for (i, pose) in poses().iter().enumerate() {
            let cold = pair.first_step(pose);
            let (warm, raw) = pair.next_step(pose);
            let name = if i == 0 {
                "nominal".to_owned()
            } else {
                format!("random {i}")
            };
            println!(
                "{name:9} {raw:5} {:5} {cold:15.2} {warm:14.2}",
                pair.out.len()
            );
            worst = [worst[0].max(cold), worst[1].max(warm)];
        }
        println!("worst                 {:15.2} {:14.2}", worst[0], worst[1]);
    }
    let mut pair = Pair::new(4e-3);
    let mut group = c.benchmark_group("M48 bolt and nut");
    group.sample_size(20);
    for effort in [SearchEffort::Standard, SearchEffort::Thorough] {
        pair.settings.frank_wolfe.effort = effort;
        let pose = poses()[1];
        group.bench_function(format!("random pose, {effort:?}, first step"), |b| {
            b.iter(|| pair.detect(&pose, &mut PairMemory::default()));
        });
    }
    group.finish();
}

criterion_group!(benches, bolt_and_nut);
criterion_main!(benches);
