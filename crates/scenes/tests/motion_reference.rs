//! Chains that nothing touches, as files, against MuJoCo's RK4.

use std::path::Path;

use stiction_scenes::{Options, SettingsDescription, load};
use stiction_sim::World;
use stiction_test_support::outside;

/// Positions and velocities of one of MuJoCo's runs, sample by sample.
struct Run {
    positions: Vec<Vec<f64>>,
    velocities: Vec<Vec<f64>>,
}

struct Reference {
    /// Samples from 0 to 1 s every 0.1 s: one RK4 step in 1/240 s.
    coarse: Run,
    /// At 1/15360 s.
    fine: Run,
}

fn reference(path: &Path) -> Reference {
    let text = std::fs::read_to_string(path).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let run = |name: &str| {
        let samples = |of: &str| serde_json::from_value(json[name][of].clone()).unwrap();
        Run {
            positions: samples("qpos"),
            velocities: samples("qvel"),
        }
    };
    Reference {
        coarse: run("rk4_240"),
        fine: run("fine"),
    }
}

/// The largest difference of q and v from a run at a sample; the joints of the one robot are in the order of
/// the file, as MuJoCo's.
fn difference(world: &World, run: &Run, sample: usize) -> [f64; 2] {
    let (q, v) = (&world.state().q, &world.state().v);
    let largest = |ours: &[f64], theirs: &[f64]| {
        let both = ours.iter().zip(theirs);
        both.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    assert_eq!(q.len(), run.positions[sample].len());
    [
        largest(q, &run.positions[sample]),
        largest(v, &run.velocities[sample]),
    ]
}

/// The world of a file with one RK4 step per step and no account.
fn world(file: &Path, per_second: usize) -> World {
    let options = Options {
        settings: SettingsDescription {
            time_step: Some(1.0 / per_second as f64),
            max_substeps: Some(1),
            energy_account: Some(false),
            ..SettingsDescription::default()
        },
        ..Options::default()
    };
    load(file, &options).unwrap().world
}

/// Agrees with MuJoCo step by step, and converges to the fine run with fourth order, up to a second.
fn moves_as_with_mujoco(file: &Path, reference: &Reference) {
    let mut all: Vec<[f64; 3]> = Vec::new();
    for per_second in [240, 480, 960] {
        let mut world = world(file, per_second);
        let mut errors = [0.0f64; 3];
        for sample in 1..=10 {
            for _ in 0..per_second / 10 {
                world.step().unwrap();
            }
            let [q, _] = difference(&world, &reference.fine, sample);
            if sample == 5 {
                errors[0] = q;
            }
            if sample == 10 {
                errors[1] = q;
            }
            errors[2] = errors[2].max(q);
            if per_second == 240 {
                let [q, v] = difference(&world, &reference.coarse, sample);
                // Rounding grows as errors do.
                let bound = if sample <= 5 { 1e-9 } else { 1e-7 };
                assert!(q < bound && v < 100.0 * bound, "at {sample}: {q:e} {v:e}");
            }
        }
        all.push(errors);
    }
    // At half a second, at a second, and at the worst sample: 16 for each halving. Where the motion is
    // chaotic the coarsest run is not yet where the leading term of its error says.
    for at in 0..3 {
        let ratios = [all[0][at] / all[1][at], all[1][at] / all[2][at]];
        assert!(
            ratios.iter().all(|ratio| (11.0..30.0).contains(ratio)),
            "{all:?}"
        );
        let mean = (ratios[0] * ratios[1]).sqrt();
        assert!((13.0..22.0).contains(&mean), "{all:?}");
    }
    assert!(all[2][1] < 1e-6, "{all:?}");
}

#[test]
fn a_chain_of_our_own_moves_as_with_mujoco() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let reference = reference(&data.join("chain_mujoco.json"));
    moves_as_with_mujoco(&data.join("chain.xml"), &reference);
}

#[test]
fn ten_links_move_as_with_mujoco() {
    let Some(shared) = outside::shared("motion_reference/chain_pendulum_10_rk4.json") else {
        return;
    };
    let reference = reference(&shared);
    let folder = shared.parent().and_then(Path::parent).unwrap();
    moves_as_with_mujoco(&folder.join("scenes/chain_pendulum_10.xml"), &reference);
}
