//! What a pair remembers: clear faces change nothing at all, and contacts that were chosen earlier are true
//! ones of which the deepest is as deep as any, within what is stated.

mod common;

use std::f64::consts::TAU;
use std::sync::Arc;

use common::{rng, unit};
use nalgebra::{Isometry3, Point2, UnitQuaternion, Vector3};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use stiction_collision::sdf::{
    BoltSdf, BoxSdf, Dish, MetricThread, NutSdf, Polygon, Revolution, SphereSdf, ThreadEnd,
    TorusSdf, Union,
};
use stiction_collision::{
    NarrowScratch, NarrowSettings, PairMemory, ReduceSettings, Shape, ShapeContact,
    contacts_between,
};

/// A pair of shapes and how one moves in front of the other.
struct Pair {
    name: String,
    shapes: [Shape; 2],
    /// Pose of the second in the frame of the first from which motions start.
    start: Isometry3<f64>,
    /// Way along z per angle about z that leaves the pair as it is, m/rad.
    lead: f64,
    /// How far a motion may lead along the axis, m.
    along: f64,
    /// How far it may lead elsewhere, m.
    aside: f64,
}

fn thread(diameter: f64, pitch: f64, at: f64, nut_first: bool) -> Pair {
    let thread = MetricThread::new(diameter, pitch, 0.3).unwrap();
    let (length, height) = (2.5 * diameter, 0.8 * diameter);
    let head = (0.6 * diameter, 1.6 * diameter);
    let bolt = BoltSdf::with_head(thread, length, head.0, head.1, ThreadEnd::Chamfered).unwrap();
    let clearance = 0.02 * pitch;
    let nut = NutSdf::new(thread, height, head.1, clearance, ThreadEnd::Chamfered).unwrap();
    let bolt = Shape::bolt("bolt", bolt, 0.2 * diameter).unwrap();
    let nut = Shape::nut("nut", nut, 0.1 * diameter).unwrap();
    // Where the two threads fit: whole pitches up.
    let up = (at * length / pitch).round() * pitch;
    let start = Isometry3::translation(0.0, 0.0, up);
    let (shapes, start) = match nut_first {
        true => ([nut, bolt], start.inverse()),
        false => ([bolt, nut], start),
    };
    Pair {
        name: format!("M{:.0}×{:.2} at {at}", 1e3 * diameter, 1e3 * pitch),
        shapes,
        start,
        lead: pitch / TAU,
        along: 0.5 * length,
        aside: 2.0 * clearance,
    }
}

fn pairs() -> Vec<Pair> {
    let bowl = Dish::bowl(0.04, 0.08, 0.06, 3e-3).unwrap();
    let cup = Dish::pot(0.03, 0.05, 2e-3).unwrap();
    let plate = Dish::plate(0.07, 0.11, 0.02, 3e-3).unwrap();
    let dish = |name: &str, dish: Dish| Shape::dish(name, dish, 1e-2).unwrap();
    let vase = [
        (0.0, 0.0),
        (0.04, 0.0),
        (0.02, 0.05),
        (0.03, 0.08),
        (0.0, 0.07),
    ];
    let vase = vase.map(|(r, z)| Point2::new(r, z)).to_vec();
    let vase = Revolution::new(Polygon::new(vase).unwrap());
    let vase = Shape::sdf("vase", Arc::new(vase), 6e-3).unwrap();
    let torus = |ring: f64, tube: f64| {
        Shape::sdf("torus", Arc::new(TorusSdf::new(ring, tube).unwrap()), 4e-3).unwrap()
    };
    let block: Arc<BoxSdf> = Arc::new(BoxSdf::new(Vector3::new(0.03, 0.02, 0.01)).unwrap());
    let knob: Arc<SphereSdf> = Arc::new(SphereSdf::new(0.015).unwrap());
    let lump = Union::new(vec![block, knob]).unwrap();
    let lump = Shape::sdf("lump", Arc::new(lump), 5e-3).unwrap();
    let cylinder = Shape::cylinder("cylinder", 0.02, 0.02).unwrap();
    let two = vec![
        (Isometry3::translation(0.0, 0.0, 0.0), dish("bowl", bowl)),
        (
            Isometry3::translation(0.0, 0.0, 0.0665),
            dish("plate", plate),
        ),
    ];
    let two = Shape::compound("two", two).unwrap();
    let pair = |name: &str, a: &Shape, b: &Shape, z: f64| Pair {
        name: name.to_owned(),
        shapes: [a.clone(), b.clone()],
        start: Isometry3::translation(0.0, 0.0, z),
        lead: 0.0,
        along: 1e-3,
        aside: 1e-3,
    };
    let floor = Shape::half_space("floor");
    vec![
        thread(8e-3, 1.25e-3, 0.4, false),
        thread(20e-3, 2.5e-3, 0.1, true),
        thread(20e-3, 2.5e-3, 0.9, false),
        thread(30e-3, 1.5e-3, 0.5, false),
        pair("bowl in bowl", &dish("a", bowl), &dish("b", bowl), 0.0107),
        pair("plate on cup", &dish("a", cup), &dish("b", plate), 0.055),
        pair("cup on plate", &dish("a", cup), &dish("b", plate), -5e-3),
        pair("tori", &torus(0.03, 0.01), &torus(0.03, 8e-3), 0.0181),
        pair("vase on plate", &dish("a", plate), &vase, 3.2e-3),
        pair("lump on plate", &dish("a", plate), &lump, 0.0183),
        pair("cylinder in bowl", &dish("a", bowl), &cylinder, 0.0232),
        pair("bowl on floor", &floor, &dish("b", bowl), 3.1e-3),
        pair("floor under torus", &torus(0.03, 0.01), &floor, -0.0101),
        pair("bowl in compound", &two, &dish("b", bowl), 0.0726),
    ]
}

/// One step of a motion.
#[derive(Debug, Clone, Copy)]
enum Step {
    Rest,
    /// Micrometres.
    Slow,
    /// Millimetres.
    Fast,
    /// By the symmetry of the pair, and micrometres.
    Symmetric,
    /// Anywhere near the start.
    Teleport,
}

const STEPS: [Step; 8] = [
    Step::Rest,
    Step::Slow,
    Step::Slow,
    Step::Slow,
    Step::Symmetric,
    Step::Symmetric,
    Step::Fast,
    Step::Teleport,
];

impl Pair {
    fn symmetry(&self, turn: f64) -> Isometry3<f64> {
        Isometry3::from_parts(
            (Vector3::z() * (self.lead * turn)).into(),
            UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn),
        )
    }

    fn moved(&self, pose: &Isometry3<f64>, step: Step, rng: &mut ChaCha8Rng) -> Isometry3<f64> {
        let size = self.shapes[1]
            .surface()
            .map_or(0.05, |mesh| mesh.bounds().half_extents().norm());
        let nudge = |way: f64, rng: &mut ChaCha8Rng| {
            Isometry3::new(unit(rng) * way, unit(rng) * (way / size))
        };
        match step {
            Step::Rest => *pose,
            Step::Slow => pose * nudge(10.0_f64.powf(rng.random_range(-8.0..-5.0)), rng),
            Step::Fast => {
                let way = rng.random_range(0.1..1.0) * self.aside;
                pose * nudge(way, rng)
            }
            Step::Symmetric => {
                let turn = rng.random_range(-0.3..0.3);
                self.symmetry(turn) * pose * nudge(1e-7, rng)
            }
            Step::Teleport => {
                let turn = match self.lead > 0.0 {
                    true => rng.random_range(-1.0..1.0) * self.along / self.lead,
                    false => rng.random_range(-3.0..3.0),
                };
                self.symmetry(turn) * self.start * nudge(0.3 * self.aside, rng)
            }
        }
    }
}

struct Looker<'a> {
    pair: &'a Pair,
    scratch: NarrowScratch,
}

impl Looker<'_> {
    fn look(
        &mut self,
        pose: &Isometry3<f64>,
        settings: &NarrowSettings,
        memory: &mut PairMemory,
    ) -> Vec<ShapeContact> {
        let (mut out, [a, b]) = (Vec::new(), &self.pair.shapes);
        let scratch = &mut self.scratch;
        contacts_between(a, b, pose, settings, memory, scratch, &mut out).unwrap();
        out
    }
}

fn settings(margin: f64, reuse: f64, max_contacts: usize) -> NarrowSettings {
    NarrowSettings {
        margin,
        reuse,
        reduce: ReduceSettings {
            max_contacts,
            ..ReduceSettings::default()
        },
        ..NarrowSettings::default()
    }
}

fn deepest(contacts: &[ShapeContact]) -> f64 {
    let gaps = contacts.iter().map(|c| c.gap);
    gaps.fold(f64::INFINITY, f64::min)
}

/// Margins as a world has them: some of it fixed, the rest by the motion.
fn margin(pair: &Pair, step: Step, rng: &mut ChaCha8Rng) -> f64 {
    let fixed = (0.5 * pair.aside).clamp(5e-5, 2e-4);
    match step {
        Step::Fast | Step::Teleport => fixed + rng.random_range(0.0..1.0) * pair.aside,
        _ => fixed * rng.random_range(0.99..1.01),
    }
}

/// A memory that was saved and restored has the same contacts to the bit, with reuse and without: what is
/// clear of the other side is not saved.
fn restored_is_the_same(pair: &Pair, seed: u64, n_steps: usize) {
    let mut rng = rng(seed);
    for reuse in [0.0, 1e-5] {
        let mut looker = Looker {
            pair,
            scratch: NarrowScratch::default(),
        };
        let (mut memory, mut pose) = (PairMemory::default(), pair.start);
        let mut found = 0;
        for k in 0..n_steps {
            let step = STEPS[rng.random_range(0..STEPS.len())];
            pose = pair.moved(&pose, step, &mut rng);
            let settings = settings(margin(pair, step, &mut rng), reuse, 24);
            let mut fresh = memory.clone();
            let with = looker.look(&pose, &settings, &mut memory);
            let without = looker.look(&pose, &settings, &mut fresh);
            assert_eq!(with, without, "{} {k} {step:?} reuse {reuse}", pair.name);
            assert_eq!(memory, fresh, "{} {k} {step:?} reuse {reuse}", pair.name);
            found += with.len();
        }
        assert!(found > n_steps, "{}: {found} contacts", pair.name);
    }
}

/// With reuse the deepest contact is as deep as any there is within twice the reuse, and every contact has
/// the gap that a thorough look finds there.
fn reused_is_as_stated(pair: &Pair, seed: u64, n_steps: usize) -> usize {
    const REUSE: f64 = 1e-5;
    // what a search of faces is good for by itself, from another start
    const SEARCH: f64 = 2e-6;
    let mut rng = rng(seed);
    let mut looker = Looker {
        pair,
        scratch: NarrowScratch::default(),
    };
    let (mut memory, mut pose) = (PairMemory::default(), pair.start);
    let mut n_reused = 0;
    for k in 0..n_steps {
        let step = STEPS[rng.random_range(0..STEPS.len())];
        pose = pair.moved(&pose, step, &mut rng);
        let margin = margin(pair, step, &mut rng);
        let mut thorough = memory.clone();
        let before = memory.clone();
        let found = looker.look(&pose, &settings(margin, REUSE, 24), &mut memory);
        let all = looker.look(&pose, &settings(margin, 0.0, usize::MAX), &mut thorough);
        let mut anew = before;
        let chosen_anew = looker.look(&pose, &settings(margin, 0.0, 24), &mut anew);
        n_reused += usize::from(found != chosen_anew);
        let place = format!("{} {k} {step:?}", pair.name);
        if deepest(&all) < margin - REUSE - SEARCH {
            let (deepest, true_deepest) = (deepest(&found), deepest(&all));
            assert!(
                deepest <= true_deepest + 2.0 * REUSE + SEARCH,
                "{place}: {deepest} instead of {true_deepest}"
            );
        }
        assert!(found.len() <= 24, "{place}");
        for c in &found {
            if let Some(same) = all.iter().find(|same| same.feature == c.feature) {
                let difference = (same.gap - c.gap).abs();
                assert!(difference <= SEARCH, "{place}: gap differs by {difference}");
            }
        }
    }
    n_reused
}

#[test]
fn clear_faces_change_nothing_and_choices_are_saved() {
    for (k, pair) in pairs().iter().enumerate() {
        restored_is_the_same(pair, 100 + k as u64, 60);
    }
}

#[test]
fn reused_contacts_are_as_deep_as_stated() {
    let mut reused = 0;
    for (k, pair) in pairs().iter().enumerate() {
        reused += reused_is_as_stated(pair, 200 + k as u64, 60);
    }
    assert!(reused > 50, "choices were reused {reused} times");
}

/// The same, longer: a minute in a release build.
///   cargo test --release -p stiction-collision --test pair_memory -- --ignored
#[test]
#[ignore = "takes a minute; the tests above sample it"]
fn long_motions_remember_as_stated() {
    for (k, pair) in pairs().iter().enumerate() {
        for round in 0..5 {
            restored_is_the_same(pair, 1000 + 10 * k as u64 + round, 1000);
            reused_is_as_stated(pair, 2000 + 10 * k as u64 + round, 1000);
        }
    }
}

/// A memory that is handed to another pair is of no use to it, and does no harm.
#[test]
fn a_memory_of_other_shapes_is_forgotten() {
    let pairs = pairs();
    let mut memory = PairMemory::default();
    for pair in pairs.iter().chain(pairs.iter().rev()) {
        let mut looker = Looker {
            pair,
            scratch: NarrowScratch::default(),
        };
        let settings = settings(2e-4, 1e-5, usize::MAX);
        let fresh = looker.look(&pair.start, &settings, &mut PairMemory::default());
        for _ in 0..2 {
            let found = looker.look(&pair.start, &settings, &mut memory);
            let (a, b) = (deepest(&fresh), deepest(&found));
            assert!((a - b).abs() < 2e-6 || a == b, "{}: {a} and {b}", pair.name);
        }
    }
}
