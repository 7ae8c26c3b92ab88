//! Going on from a snapshot is never having stopped: every built-in scene, in a fresh world and in one
//! that has gone on.

use stiction_scenes::{Options, Scene, all, build};
use stiction_sim::{Snapshot, solvers};

fn scene(name: &str, solver: &str) -> Scene {
    let mut scene = build(name, &Options::default()).unwrap();
    scene.world.set_solver(solver).unwrap();
    scene
}

fn steps(scene: &mut Scene, count: usize) {
    for _ in 0..count {
        scene.world.step().unwrap();
    }
}

/// Everything that the world goes on with and can be asked about, by its bits.
fn everything(scene: &Scene) -> String {
    serde_json::to_string(&scene.world.snapshot()).unwrap()
}

/// Whether a step takes a good part of a second: thousands of nodes of soft bodies.
fn is_large(name: &str) -> bool {
    let scene = build(name, &Options::default()).unwrap();
    scene.world.state().v.len() > 3000
}

/// Stops after `before` steps, goes on for `after` in the same world, a fresh one and a used one.
fn check(name: &str, solver: &str, before: usize, after: usize) {
    let mut whole = scene(name, solver);
    steps(&mut whole, before);
    let text = everything(&whole);
    let snapshot: Snapshot = serde_json::from_str(&text).unwrap();
    let mut fresh = scene(name, solver);
    fresh.world.restore(&snapshot).unwrap();
    assert!(everything(&fresh) == text, "{name} {solver} right after");
    steps(&mut whole, after);
    steps(&mut fresh, after);
    let end = everything(&whole);
    assert!(
        everything(&fresh) == end,
        "{name} {solver} fresh, {before} steps in"
    );
    whole.world.restore(&snapshot).unwrap();
    steps(&mut whole, after);
    assert!(
        everything(&whole) == end,
        "{name} {solver} used, {before} steps in"
    );
}

/// Scenes whose steps take a tenth of a second and more, and how many steps in they are stopped.
const LARGE: [(&str, usize); 7] = [
    ("stirring", 6),
    ("cable-winding", 3),
    ("cable-winding-160", 3),
    ("cable-winding-120", 3),
    ("cable-vehicles", 2),
    ("nut-runner", 2),
    ("quadruped-drop-27", 3),
];

#[test]
fn every_scene_goes_on_to_the_bit() {
    for info in all() {
        let large = LARGE.iter().find(|(name, _)| *name == info.name);
        let (before, after) = match large {
            Some(&(_, steps)) => (steps, 1),
            None if is_large(info.name) => (2, 1),
            None => (20, 5),
        };
        for solver in ["canal", "subadmm"] {
            check(info.name, solver, before, after);
        }
    }
}

/// Every solver, and further in: minutes in a release build.
///   cargo test --release -p stiction-scenes --test snapshots -- --ignored
#[test]
#[ignore = "takes minutes; the test above samples it"]
fn every_scene_and_solver_goes_on_to_the_bit() {
    // The large ones take minutes a step with solvers that are not for soft bodies.
    for info in all().iter().filter(|info| !is_large(info.name)) {
        for (solver, _) in solvers::all() {
            // 216 balls take a second a step with the slowest solvers.
            let is_large = LARGE.iter().any(|(name, _)| *name == info.name);
            let stops: &[usize] = if is_large || info.name == "spheres" {
                &[20]
            } else {
                &[20, 60, 500]
            };
            for &before in stops {
                check(info.name, solver, before, 20);
            }
        }
    }
}
