//! Nothing that is driven goes fast in one step and slow in the next.

use stiction_scenes::{Options, all, build};
use stiction_sim::World;

/// Steps in a row in which a rate must not alternate.
const STEPS: usize = 10;
/// Share of the mean rate that alternating changes may have.
const SHARE: f64 = 0.1;
/// Changes that nobody sees, m/s or rad/s.
const UNSEEN: f64 = 1e-2;
/// How much larger than the smallest the largest of alternating changes is at most: what others hit goes up
/// and down too, but not by the same amount each time.
const EVEN: f64 = 4.0;

/// The last rates of everything.
#[derive(Default)]
struct Rates {
    last: Vec<Vec<f64>>,
}

impl Rates {
    /// Takes in a step; the first rate that has alternated since [`STEPS`] steps, and its values.
    fn look(&mut self, rates: Vec<f64>) -> Option<(usize, Vec<f64>)> {
        if self.last.len() > STEPS {
            self.last.remove(0);
        }
        self.last.push(rates);
        if self.last.len() <= STEPS {
            return None;
        }
        (0..self.last[0].len()).find_map(|at| {
            let values: Vec<f64> = self.last.iter().map(|rates| rates[at]).collect();
            alternates(&values).then_some((at, values))
        })
    }
}

/// Whether values go up and down in turns and evenly, by more than [`SHARE`] of their mean.
fn alternates(values: &[f64]) -> bool {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let least = UNSEEN.max(SHARE * mean.abs());
    let changes: Vec<f64> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let sizes = changes.iter().map(|change| change.abs());
    let smallest = sizes.clone().fold(f64::INFINITY, f64::min);
    let is_even = sizes.fold(0.0, f64::max) < EVEN * smallest;
    smallest > least && is_even && changes.windows(2).all(|pair| pair[0] * pair[1] < 0.0)
}

/// Rates of the joints of robots, and of free bodies that something pushes in this step; what lies loose in a heap
/// rattles by itself, and has no rate here.
fn driven_rates(world: &mut World) -> Vec<f64> {
    let elements = world.layout().elements().to_vec();
    let mut rates = Vec::new();
    for element in elements {
        let is_driven = world.find_robot(&element.name).is_ok()
            || world.find_body(&element.name).is_ok_and(|body| {
                let push = world.commands().last_push(body).unwrap();
                push.force.norm() + push.torque.norm() > 0.0
            });
        let rate = |&rate: &f64| if is_driven { rate } else { f64::NAN };
        rates.extend(world.state().v[element.v.clone()].iter().map(rate));
    }
    rates
}

/// The largest number of rates that were looked at in a step.
fn look_at(name: &str, world: &mut World, steps: usize) -> usize {
    let mut rates = Rates::default();
    let mut most = 0;
    for _ in 0..steps {
        world.step().unwrap();
        let driven = driven_rates(world);
        most = most.max(driven.iter().filter(|rate| !rate.is_nan()).count());
        if let Some((dof, values)) = rates.look(driven) {
            panic!(
                "{name}: velocity {dof} alternates at {} s: {values:?}",
                world.time()
            );
        }
    }
    most
}

#[test]
fn alternation_is_recognised() {
    let values = |step: f64| -> Vec<f64> {
        let sign = |at: usize| if at.is_multiple_of(2) { 1.0 } else { -1.0 };
        (0..=STEPS).map(|at| 2.27 + step * sign(at)).collect()
    };
    assert!(alternates(&values(0.21)));
    assert!(!alternates(&values(0.1)));
    assert!(!alternates(&[1.0, 2.0, 1.0, 2.0, 3.0, 4.0]));
    // What the nut of `bolt-nut` did when its spanner looked at the rate before a step alone, rad/s.
    let nut: Vec<f64> = (0..=STEPS).map(|at| [-10.0, -1.0][at % 2]).collect();
    assert!(alternates(&nut));
}

/// A part of each; `every_scene_in_full` has the whole. Soft bodies and rods are slow without optimisation,
/// and what drives them is what drives robots.
#[test]
fn nothing_alternates_in_the_scenes() {
    for info in all() {
        let is_soft = ["soft", "cable", "beam", "cloth", "cat", "caps", "stir"];
        if is_soft.iter().any(|word| info.name.starts_with(word)) {
            continue;
        }
        let scene = build(info.name, &Options::default()).unwrap();
        let (mut world, steps) = (
            scene.world,
            if info.name.contains("dish") { 30 } else { 90 },
        );
        let driven = look_at(info.name, &mut world, steps);
        match info.name {
            "panda" => assert_eq!(driven, 7),
            // The nut that the spanner turns, a free body.
            "bolt-nut" => assert_eq!(driven, 6),
            _ => {}
        }
    }
}

/// `cargo test --release -p stiction-scenes --test rates -- --ignored --nocapture`
#[test]
#[ignore = "all steps of all scenes take many minutes; the test above has a part of each"]
fn every_scene_in_full() {
    for info in all() {
        let scene = build(info.name, &Options::default()).unwrap();
        let (mut world, seconds) = (scene.world, scene.seconds);
        let steps = (seconds / world.settings().time_step).round() as usize;
        look_at(info.name, &mut world, steps);
    }
}
