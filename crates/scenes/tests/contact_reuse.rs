//! Contacts that were chosen in an earlier step stand for their pair as well as those of this step: threads
//! and dishes, with every step looked at twice.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use stiction_scenes::{Options, build};
use stiction_sim::collision::{
    BuiltInDetector, ColliderSet, CollisionMemory, ContactPoint, DetectReport, DetectionSettings,
    Detector, Execution, NarrowSettings, PlacesView, ReduceSettings, Result,
};

/// What reuse misses, over all steps and pairs.
#[derive(Debug, Default)]
struct Missed {
    /// By how much the deepest contact of a pair was deeper, m.
    deepest: f64,
    /// Contacts with reuse, and without.
    contacts: [usize; 2],
    /// Steps.
    steps: usize,
}

/// A detector that reuses choices, and one that never does, at the same places; the world goes on with the first.
struct Twice {
    reusing: BuiltInDetector,
    thorough: BuiltInDetector,
    found: Vec<ContactPoint>,
    missed: Arc<Mutex<Missed>>,
}

/// By pair, m.
fn deepest_gaps(contacts: &[ContactPoint]) -> BTreeMap<[u32; 2], f64> {
    let mut deepest = BTreeMap::new();
    for c in contacts {
        let gap = deepest.entry(c.colliders).or_insert(f64::INFINITY);
        *gap = c.gap.min(*gap);
    }
    deepest
}

impl Detector for Twice {
    fn detect(
        &mut self,
        colliders: &ColliderSet,
        places: &PlacesView<'_>,
        contacts: &mut Vec<ContactPoint>,
    ) -> Result<DetectReport> {
        self.thorough.detect(colliders, places, &mut self.found)?;
        let report = self.reusing.detect(colliders, places, contacts)?;
        let reused = deepest_gaps(contacts);
        let mut missed = self.missed.lock().unwrap();
        for (pair, gap) in deepest_gaps(&self.found) {
            // what is not found at all counts as found at the margin
            let with = reused.get(&pair).copied().unwrap_or(gap.max(0.0));
            missed.deepest = missed.deepest.max(with - gap);
        }
        missed.contacts[0] += contacts.len();
        missed.contacts[1] += self.found.len();
        missed.steps += 1;
        Ok(report)
    }

    fn memory(&self) -> CollisionMemory {
        self.reusing.memory()
    }

    fn restore(&mut self, colliders: &ColliderSet, memory: &CollisionMemory) -> Result<()> {
        self.reusing.restore(colliders, memory)
    }
}

/// Runs a scene for some seconds with steps of `dt` s, or its own.
fn run(scene: &str, max_contacts: usize, seconds: f64, dt: Option<f64>) -> Missed {
    let mut options = Options::default();
    options.settings.time_step = dt;
    let mut scene = build(scene, &options).unwrap();
    let margin = scene.world.settings().contact_margin;
    let detector = |reuse: f64| {
        BuiltInDetector::new(DetectionSettings {
            narrow: NarrowSettings {
                margin,
                reuse,
                reduce: ReduceSettings {
                    max_contacts,
                    ..ReduceSettings::default()
                },
                ..NarrowSettings::default()
            },
            execution: Execution::Serial,
        })
        .unwrap()
    };
    let missed = Arc::new(Mutex::new(Missed::default()));
    scene.world.set_detector(Box::new(Twice {
        reusing: detector(NarrowSettings::default().reuse),
        thorough: detector(0.0),
        found: Vec::new(),
        missed: missed.clone(),
    }));
    while scene.world.time() < seconds {
        scene.world.step().unwrap();
    }
    let mut missed = missed.lock().unwrap();
    std::mem::take(&mut *missed)
}

/// At most `deepest` m are missed, and contacts are as many within 1 %.
#[expect(
    clippy::print_stdout,
    reason = "the figures are named in the documentation"
)]
fn check(scene: &str, max_contacts: usize, seconds: f64, dt: Option<f64>, deepest: f64) {
    let missed = run(scene, max_contacts, seconds, dt);
    let [with, without] = missed.contacts.map(|n| n as f64);
    println!(
        "{scene} {dt:?}: deepest missed by {:.2e} m, {:.2} contacts a step instead of {:.2}",
        missed.deepest,
        with / missed.steps as f64,
        without / missed.steps as f64,
    );
    assert!(missed.deepest <= deepest, "{scene} {dt:?}: {missed:?}");
    assert!(
        (with - without).abs() <= 0.01 * without,
        "{scene} {dt:?}: {missed:?}"
    );
}

#[test]
fn threads_and_dishes_miss_next_to_nothing() {
    check("bolt-nut", 120, 0.3, None, 1e-7);
    check("dish-piling", 24, 0.6, None, 2e-6);
}

/// The whole scenes, and with other steps:
///   cargo test --release -p stiction-scenes --test contact_reuse -- --ignored --nocapture
#[test]
#[ignore = "takes a minute; the test above samples it"]
fn threads_and_dishes_miss_next_to_nothing_to_the_end() {
    for dt in [None, Some(1e-3), Some(8e-3)] {
        check("bolt-nut", 120, 2.0, dt, 1e-7);
        check("dish-piling", 24, 5.0, dt, 2e-6);
    }
}
