//! What a user of few crates does not have to compile, as `docs/architecture.md` promises.

use std::collections::BTreeSet;
use std::process::Command;

/// Names of all packages that a user of `packages` compiles, these included.
fn compiled(packages: &[&str]) -> BTreeSet<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["tree", "--locked", "--offline", "--prefix", "none"])
        .args(["--edges", "no-dev"])
        .args(packages.iter().flat_map(|package| ["--package", package]))
        .output()
        .expect("cargo, which runs this test");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    let lines = String::from_utf8(output.stdout).expect("UTF-8");
    let names: BTreeSet<String> = lines
        .lines()
        .filter_map(|line| Some(line.split_whitespace().next()?.to_owned()))
        .collect();
    for package in packages {
        assert!(names.contains(*package), "{package} is not in its own tree");
    }
    names
}

fn assert_without(packages: &[&str], unwanted: &[&str]) {
    let compiled = compiled(packages);
    let found: Vec<&&str> = (unwanted.iter())
        .filter(|name| compiled.contains(**name))
        .collect();
    assert!(found.is_empty(), "{packages:?} compile {found:?}");
}

/// Readers of files, and geometry.
const FILES_AND_SHAPES: [&str; 5] = [
    "hdf5-pure",
    "serde_json",
    "safetensors",
    "parry3d-f64",
    "roxmltree",
];

#[test]
fn whoever_has_matrices_compiles_no_files_and_no_shapes() {
    for solver in [
        "stiction-solver-canal",
        "stiction-solver-subadmm",
        "stiction-solver-pgs",
        "stiction-solver-first-order",
        "stiction-solver-newton",
        "stiction-solver-convex",
        "stiction-solver-admm",
        "stiction-solver-lcp",
    ] {
        assert_without(&["stiction-constraints", solver], &FILES_AND_SHAPES);
    }
}

#[test]
fn only_who_asks_for_interior_points_compiles_them() {
    assert_without(&["stiction-sim"], &["clarabel", "stiction-solver-interior"]);
}

#[test]
fn whoever_has_a_kinematic_tree_compiles_no_solver_either() {
    assert_without(&["stiction-dynamics"], &FILES_AND_SHAPES);
    assert_without(
        &["stiction-dynamics"],
        &["rayon", "faer", "stiction-constraints"],
    );
}

#[test]
fn whoever_has_shapes_compiles_no_files() {
    assert_without(
        &["stiction-collision"],
        &["hdf5-pure", "serde_json", "safetensors", "roxmltree"],
    );
    assert_without(&["stiction-collision"], &["stiction-constraints", "faer"]);
}

#[test]
fn whoever_has_a_world_and_one_solver_compiles_no_other_solver_and_no_recording() {
    let others = [
        "hdf5-pure",
        "serde_json",
        "safetensors",
        "roxmltree",
        "stiction-recording",
        "stiction-solver-pgs",
        "stiction-solver-subadmm",
    ];
    assert_without(&["stiction-sim"], &others);
}

/// The names above are spelled as cargo spells them: the command line compiles most of them.
#[test]
fn the_command_line_compiles_what_the_others_leave_out() {
    let compiled = compiled(&["stiction"]);
    for name in ["hdf5-pure", "serde_json", "parry3d-f64", "roxmltree"] {
        assert!(compiled.contains(name), "{name}");
    }
    assert!(compiled.contains("faer") && compiled.contains("rayon"));
}
