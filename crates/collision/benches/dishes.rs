//! A stack of bowl, bowl, plate and pot at rest on the ground: detection per pair and for the whole
//! stack, single-threaded, default settings.

use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::{Isometry3, Vector3};
use stiction_collision::sdf::Dish;
use stiction_collision::{
    BuiltInDetector, Collider, ColliderSet, DetectionSettings, Detector, Execution, NarrowScratch,
    NarrowSettings, PairMemory, PlacesView, Shape, contacts_between,
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

fn mean(mut run: impl FnMut(usize)) -> f64 {
    let start = cpu_seconds();
    for step in 0..REPEATS {
        run(step);
    }
    1e3 * (cpu_seconds() - start) / REPEATS as f64
}

/// Name, dish and height (m) at which it rests on what is below.
fn stack() -> [(&'static str, Dish, f64); 4] {
    [
        (
            "bowl",
            Dish::bowl(0.035, 0.075, 0.05, 0.002).expect("bowl"),
            0.002,
        ),
        (
            "second bowl",
            Dish::bowl(0.037, 0.09, 0.048, 0.002).expect("bowl"),
            0.022_982,
        ),
        (
            "plate",
            Dish::plate(0.1, 0.14, 0.02, 0.0025).expect("plate"),
            0.075_482,
        ),
        ("pot", Dish::pot(0.06, 0.09, 0.003).expect("pot"), 0.080_982),
    ]
}

/// A small swaying motion, as bodies at rest in a simulation have.
fn swayed(height: f64, step: usize) -> Isometry3<f64> {
    let phase = 0.3 * step as f64;
    Isometry3::new(
        Vector3::new(1e-5 * phase.sin(), 1e-5 * phase.cos(), height),
        Vector3::new(1e-5 * phase.cos(), 0.0, 1e-3 * phase),
    )
}

#[expect(clippy::print_stdout, reason = "the table is the point of this bench")]
fn dishes(c: &mut Criterion) {
    let mut group = c.benchmark_group("dish stack");
    group.sample_size(20);
    for resolution in [3e-3, 6e-3] {
        let settings = NarrowSettings::default();
        let shapes = stack().map(|(name, dish, height)| {
            let shape = Shape::dish(name, dish, resolution).expect("a dish");
            (shape, height)
        });
        println!("dishes meshed at {} mm", 1e3 * resolution);
        println!("pair                      faces    raw  kept  first step ms  next step ms");
        let mut scratch = NarrowScratch::default();
        let mut out = Vec::new();
        let ground = (Shape::half_space("ground"), 0.0);
        for k in 0..4 {
            let (lower, low) = if k == 0 { &ground } else { &shapes[k - 1] };
            let (upper, high) = &shapes[k];
            let mut memory = PairMemory::default();
            let mut run = |step: usize, memory: &mut PairMemory| {
                out.clear();
                let pose = swayed(high - low, step);
                contacts_between(
                    lower,
                    upper,
                    &pose,
                    &settings,
                    memory,
                    &mut scratch,
                    &mut out,
                )
                .expect("finite poses");
            };
            let cold = mean(|step| run(step, &mut PairMemory::default()));
            let warm = mean(|step| run(step, &mut memory));
            println!(
                "{:11} on {:11} {:6} {:6} {:5} {cold:14.2} {warm:13.2}",
                upper.name(),
                lower.name(),
                upper.surface().map_or(0, |m| m.faces().len()),
                memory.n_raw(),
                out.len()
            );
        }
        let mut detector = BuiltInDetector::new(DetectionSettings {
            execution: Execution::Serial,
            ..DetectionSettings::default()
        })
        .expect("settings");
        let mut colliders = ColliderSet::new();
        colliders
            .add(Collider::rigid("ground", 0, ground.0.clone()))
            .expect("ground");
        for (frame, (shape, _)) in (1..).zip(&shapes) {
            colliders
                .add(Collider::rigid(shape.name(), frame, shape.clone()))
                .expect("a dish");
        }
        let mut contacts = Vec::new();
        let mut step = 0;
        group.bench_function(format!("whole stack, {} mm", 1e3 * resolution), |b| {
            b.iter(|| {
                step += 1;
                let mut poses = vec![Isometry3::identity()];
                poses.extend(shapes.iter().map(|(_, height)| swayed(*height, step)));
                let places = PlacesView::of_frames(&poses);
                detector
                    .detect(&colliders, &places, &mut contacts)
                    .expect("finite poses");
                contacts.len()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, dishes);
criterion_main!(benches);
