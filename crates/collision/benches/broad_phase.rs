//! Broad phase over random moving spheres, ours and parry's tree side by side.
//!
//! Prints, for 12 500 to 100 000 spheres at equal density, the time per step divided by bodies plus
//! pairs: close to constant means close to linear.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::{Point3, Vector3};
use parry3d_f64::bounding_volume::Aabb as ParryAabb;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stiction_collision::{Aabb, BroadPhase, Proxy};

const STEPS: usize = 31;

/// Radii around 1 cm, about 8 % of the volume filled.
struct Spheres {
    centers: Vec<Point3<f64>>,
    velocities: Vec<Vector3<f64>>,
    radii: Vec<f64>,
    side: f64,
}

impl Spheres {
    fn new(n: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let side = 0.0375 * (n as f64).cbrt();
        Self {
            centers: (0..n)
                .map(|_| Point3::from(Vector3::from_fn(|_, _| rng.random_range(0.0..side))))
                .collect(),
            // up to 1 m/s
            velocities: (0..n)
                .map(|_| Vector3::from_fn(|_, _| rng.random_range(-0.58..0.58)))
                .collect(),
            radii: (0..n).map(|_| rng.random_range(0.007..0.013)).collect(),
            side,
        }
    }

    /// One step of 1 ms, bouncing off the walls.
    fn step(&mut self) {
        for (c, v) in self.centers.iter_mut().zip(&mut self.velocities) {
            *c += *v * 1e-3;
            for i in 0..3 {
                if (c[i] < 0.0 && v[i] < 0.0) || (c[i] > self.side && v[i] > 0.0) {
                    v[i] = -v[i];
                }
            }
        }
    }

    fn boxes(&self, out: &mut Vec<Proxy>) {
        out.clear();
        out.extend(
            self.centers
                .iter()
                .zip(&self.radii)
                .map(|(c, r)| Proxy::Box(Aabb::from_center(*c, Vector3::repeat(*r)))),
        );
    }
}

/// parry's dynamic tree, used as its own physics engine does: leaves fattened by the same slack and
/// updated when left, refit, incremental optimisation, then a self-traversal for all pairs.
struct ParryTree {
    bvh: Bvh,
    workspace: BvhWorkspace,
}

impl ParryTree {
    fn aabb(aabb: &Aabb) -> ParryAabb {
        ParryAabb::new(
            glamx::DVec3::new(aabb.min.x, aabb.min.y, aabb.min.z),
            glamx::DVec3::new(aabb.max.x, aabb.max.y, aabb.max.z),
        )
    }

    fn new(proxies: &[Proxy]) -> Self {
        let leaves: Vec<ParryAabb> = boxes(proxies).map(Self::aabb).collect();
        Self {
            bvh: Bvh::from_leaves(BvhBuildStrategy::Binned, &leaves),
            workspace: BvhWorkspace::default(),
        }
    }

    fn step(&mut self, proxies: &[Proxy]) -> usize {
        for (i, aabb) in boxes(proxies).enumerate() {
            // the slack a sphere of 1 cm gets from ours
            self.bvh
                .insert_or_update_partially(Self::aabb(aabb), i as u32, 0.002);
        }
        self.bvh.refit(&mut self.workspace);
        self.bvh.optimize_incremental(&mut self.workspace);
        let mut n = 0;
        self.bvh
            .traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |_, _| n += 1);
        n
    }
}

fn boxes(proxies: &[Proxy]) -> impl Iterator<Item = &Aabb> {
    proxies.iter().filter_map(|p| match p {
        Proxy::Box(aabb) => Some(aabb),
        _ => None,
    })
}

/// Median of times.
fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

#[expect(clippy::print_stdout, reason = "the table is the point of this bench")]
fn scaling(c: &mut Criterion) {
    println!("spheres   pairs  |  ours ms  ns/(body+pair)  |  parry ms  ns/(body+pair)  |  ratio");
    for n in [12_500, 25_000, 50_000, 100_000] {
        let mut proxies = Vec::new();
        let mut spheres = Spheres::new(n);
        spheres.boxes(&mut proxies);
        let mut broad = BroadPhase::new(0.1);
        let _ = broad.update(&proxies, |_, _| true);
        let mut tree = ParryTree::new(&proxies);
        // both in turn, step by step, so that whatever else the machine does hits both alike
        let (mut ours, mut parry) = (Vec::new(), Vec::new());
        let (mut pairs, mut parry_pairs) = (0, 0);
        for _ in 0..STEPS {
            spheres.step();
            spheres.boxes(&mut proxies);
            let start = Instant::now();
            pairs += black_box(broad.update(&proxies, |_, _| true)).map_or(0, <[_]>::len);
            ours.push(start.elapsed());
            let start = Instant::now();
            parry_pairs += black_box(tree.step(&proxies));
            parry.push(start.elapsed());
        }
        let (pairs, parry_pairs) = (pairs / STEPS, parry_pairs / STEPS);
        let (ours, parry) = (median(ours), median(parry));
        let per = |d: Duration, pairs: usize| d.as_secs_f64() * 1e9 / (n + pairs) as f64;
        println!(
            "{n:7} {pairs:7}  | {:8.2} {:15.1}  | {:9.2} {:15.1}  | {:6.2}",
            ours.as_secs_f64() * 1e3,
            per(ours, pairs),
            parry.as_secs_f64() * 1e3,
            per(parry, parry_pairs),
            parry.as_secs_f64() / ours.as_secs_f64()
        );
    }
    let mut spheres = Spheres::new(100_000);
    let mut proxies = Vec::new();
    let mut broad = BroadPhase::new(0.1);
    let mut group = c.benchmark_group("broad phase");
    group.sample_size(10);
    group.bench_function("100 000 spheres", |b| {
        b.iter(|| {
            spheres.step();
            spheres.boxes(&mut proxies);
            broad.update(&proxies, |_, _| true).map_or(0, <[_]>::len)
        });
    });
    group.finish();
}

criterion_group!(benches, scaling);
criterion_main!(benches);
