//! The bodies of the fuzz targets on random bytes: `cargo test` in this folder, no fuzzer needed.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn random_bytes(rng: &mut ChaCha8Rng, most: usize) -> Vec<u8> {
    let mut bytes = vec![0; rng.random_range(0..most)];
    rng.fill_bytes(&mut bytes);
    bytes
}

#[test]
fn every_solver_is_listed() {
    let names: Vec<_> = stiction_fuzz::solvers()
        .iter()
        .map(|solver| solver.name())
        .collect();
    for name in [
        "canal",
        "canal-paper",
        "convex",
        "subadmm",
        "subadmm-paper",
        "admm-full",
        "pgs",
        "jacobi",
        "raisim",
    ] {
        assert!(names.contains(&name), "{name} is not among {names:?}");
    }
}

#[test]
fn solving_random_bytes() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..60 {
        stiction_fuzz::solve_small(&random_bytes(&mut rng, 600));
    }
    stiction_fuzz::solve_small(&[]);
    stiction_fuzz::solve_small(&[0; 300]);
    stiction_fuzz::solve_small(&[255; 300]);
}

#[test]
fn reading_random_bytes() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for _ in 0..2000 {
        stiction_fuzz::read_problem_file(&random_bytes(&mut rng, 200));
    }
}

/// Found by the fuzzer: impulses so large that no velocity belongs to them.
#[test]
fn what_the_fuzzer_found_stays_mended() {
    stiction_fuzz::solve_small(&[
        0xa6, 0xc8, 0x67, 0xdc, 0x85, 0xff, 0x0d, 0xd6, 0x7c, 0xff, 0x00, 0xff, 0xc1, 0xeb, 0x0b,
        0x00, 0xff, 0x00, 0x2e, 0x00,
    ]);
}

/// Valid files with a few bytes changed get further than noise does.
#[test]
fn reading_spoiled_files() {
    spoil("read_problem_file", 500, stiction_fuzz::read_problem_file);
}

#[test]
fn reading_spoiled_scenes() {
    spoil("read_scene_file", 300, stiction_fuzz::read_scene_file);
}

#[test]
fn reading_spoiled_robots() {
    spoil("read_urdf", 300, stiction_fuzz::read_urdf);
    spoil("read_mjcf", 300, stiction_fuzz::read_mjcf);
}

#[test]
fn reading_spoiled_meshes() {
    spoil("read_mesh", 300, stiction_fuzz::read_mesh);
}

#[test]
fn reading_spoiled_tetrahedra() {
    spoil("read_tet_mesh", 300, stiction_fuzz::read_tet_mesh);
}

#[test]
fn filling_random_and_spoiled_surfaces() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for _ in 0..2000 {
        stiction_fuzz::fill_surface(&random_bytes(&mut rng, 200));
    }
    spoil("fill_surface", 300, stiction_fuzz::fill_surface);
}

#[test]
fn reading_spoiled_recordings() {
    spoil("read_recording", 1000, stiction_fuzz::read_recording);
}

#[test]
fn reading_spoiled_networks() {
    spoil("read_neural_sdf", 300, stiction_fuzz::read_neural_sdf);
}

/// Calls `read` with every seed of a target, and with spoiled copies of it.
fn spoil(target: &str, copies: usize, read: impl Fn(&[u8])) {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let folder = format!("{}/seeds/{target}", env!("CARGO_MANIFEST_DIR"));
    let seeds: Vec<Vec<u8>> = std::fs::read_dir(folder)
        .expect("seed files")
        .map(|entry| std::fs::read(entry.expect("seed file").path()).expect("seed file"))
        .collect();
    assert!(!seeds.is_empty());
    for seed in &seeds {
        read(seed);
        for _ in 0..copies {
            let mut bytes = seed.clone();
            for _ in 0..rng.random_range(1..4) {
                let place = rng.random_range(0..bytes.len());
                match rng.random_range(0..4) {
                    0 => bytes[place] = rng.random_range(0..128),
                    1 => {
                        bytes[place] = *b"0123456789.-eE,[]{}\""
                            .get(rng.random_range(0..20))
                            .expect("in range")
                    }
                    2 => drop(bytes.remove(place)),
                    _ => bytes.truncate(place.max(1)),
                }
            }
            read(&bytes);
        }
    }
}
