//! Every example runs as its first line says, and prints what it should.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// What a program prints, line by line.
fn run(program: &str) -> Vec<String> {
    let output = Command::new(program)
        .output()
        .expect("a program that cargo has built");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {complaint}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(str::to_owned).collect()
}

/// The numbers of the first line that starts with `start`.
fn numbers(lines: &[String], start: &str) -> Vec<f64> {
    let line = lines.iter().find(|line| line.starts_with(start));
    let line = line.unwrap_or_else(|| panic!("no line starts with {start:?}: {lines:#?}"));
    let words = line.split(|letter: char| letter.is_whitespace() || "[],;".contains(letter));
    words.filter_map(|word| word.parse().ok()).collect()
}

fn assert_close(value: f64, expected: f64, tolerance: f64) {
    let error = (value - expected).abs();
    assert!(error <= tolerance, "{value}, expected {expected}");
}

#[test]
fn solve_matrices_slides_at_the_friction_limit() {
    let lines = run(env!("CARGO_BIN_EXE_solve_matrices"));
    assert!(lines[0].starts_with("converged"), "{lines:?}");
    let impulse = numbers(&lines, "λ");
    for contact in impulse.chunks(3) {
        assert_close(contact[0].hypot(contact[1]), 0.4 * contact[2], 2e-6);
    }
}

#[test]
fn build_world_sticks_and_slides() {
    let lines = run(env!("CARGO_BIN_EXE_build_world"));
    let sticks = numbers(&lines, "0.5");
    assert_close(sticks[1], 0.0, 1e-6);
    assert_close(sticks[5], -9.81, 1e-3);
    let slides = numbers(&lines, "0.3");
    assert_close(slides[1], slides[2], 1e-3);
    assert!(slides[2] > 0.5);
}

#[test]
fn robot_from_urdf_reaches_its_targets() {
    let lines = run(env!("CARGO_BIN_EXE_robot_from_urdf"));
    assert_eq!(numbers(&lines, "elbow      revolute"), [0.0, 2.5]);
    assert_close(numbers(&lines, "shoulder:")[0], 0.3, 1e-4);
    assert_close(numbers(&lines, "elbow:")[0], 1.2, 1e-4);
}

#[test]
fn force_control_exerts_the_force_that_it_was_told() {
    let lines = run(env!("CARGO_BIN_EXE_force_control"));
    let last = numbers(&lines, "2.00 s");
    assert_close(last[1], 0.1, 1e-4);
    assert_close(last[2], 20.0, 1e-3);
}

#[test]
fn grasp_and_place_puts_the_box_where_it_belongs() {
    let lines = run(env!("CARGO_BIN_EXE_grasp_and_place"));
    for error in numbers(&lines, "error:") {
        assert_close(error, 0.0, 5e-3);
    }
    assert_close(numbers(&lines, "turned by")[0], 0.7, 0.05);
}

#[test]
fn walk_goes_as_it_is_told() {
    let lines = run(env!("CARGO_BIN_EXE_walk"));
    let third = numbers(&lines, "3.00 s");
    assert_close(third[1], 0.3, 0.03);
    assert_close(third[2], 0.0, 0.03);
    assert_close(numbers(&lines, "5.00 s")[3], 0.5, 0.05);
}

#[test]
fn own_shape_stays_on_the_floor_and_gains_no_energy() {
    let lines = run(env!("CARGO_BIN_EXE_own_shape"));
    let mut before = 9.81 * 0.3;
    for line in &lines[1..] {
        let [_, lowest, energy] = numbers(std::slice::from_ref(line), "")[..] else {
            panic!("{line}");
        };
        assert!(lowest.abs() < 1e-4 && energy < before + 1e-3, "{line}");
        before = energy;
    }
    assert!(before < 1.6, "{before} J");
}

#[test]
fn own_collision_finds_what_the_built_in_one_finds() {
    let lines = run(env!("CARGO_BIN_EXE_own_collision"));
    assert_eq!(numbers(&lines, "own")[0], numbers(&lines, "built-in")[0]);
    assert!(numbers(&lines, "positions")[0] < 1e-8, "{lines:?}");
}

#[test]
fn own_law_drags_slips_and_stops_with_every_solver() {
    let lines = run(env!("CARGO_BIN_EXE_own_law"));
    assert_eq!(lines.len(), 10);
    for line in &lines[1..] {
        assert!(line.contains("converged"), "{line}");
        let [speed, first, second, clutch] = numbers(std::slice::from_ref(line), "")[..] else {
            panic!("{line}");
        };
        // λ = −c z with z between the wheels; at the bound; against the stop.
        let expected = match speed {
            1.0 => [6.0 / 7.0, 2.0 / 7.0, -2.0 / 7.0],
            10.0 => [9.5, 1.0, -1.0],
            _ => [-0.8, 0.0, 0.4],
        };
        for (value, expected) in [first, second, clutch].into_iter().zip(expected) {
            assert_close(value, expected, 1e-7);
        }
    }
}

#[test]
fn own_solver_passes_the_suite() {
    let lines = run(env!("CARGO_BIN_EXE_own_solver"));
    assert!(lines[0].starts_with("own: passed"), "{lines:#?}");
}

#[test]
fn test_solver_finds_nothing_false() {
    let lines = run(env!("CARGO_BIN_EXE_test_solver"));
    assert_eq!(lines.len(), 6);
    for line in &lines[1..] {
        assert!(line.ends_with(" 0"), "{line}");
        assert!(
            line.contains("20 of 20") || line.starts_with("anything"),
            "{line}"
        );
    }
}

#[test]
fn spring_chain_lands_with_every_solver() {
    let lines = run(env!("CARGO_BIN_EXE_spring_chain"));
    assert!(numbers(&lines, "canal ")[0].abs() < 1e-9, "{lines:#?}");
    assert!(lines.len() > 8);
}

#[test]
fn many_worlds_are_as_if_each_were_alone() {
    let lines = run(env!("CARGO_BIN_EXE_many_worlds"));
    let [_, slid, expected] = numbers(&lines, "0.64")[..] else {
        panic!("{lines:?}");
    };
    assert_close(slid, expected, 5e-3);
    assert!(
        lines.iter().any(|line| line.ends_with("to the bit: true")),
        "{lines:?}"
    );
}

#[test]
fn the_readme_lists_every_example_and_no_other() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(folder.join("src/bin")).unwrap();
    let there: BTreeSet<String> = files
        .map(|file| {
            file.unwrap()
                .path()
                .file_stem()
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    let readme = std::fs::read_to_string(folder.join("../README.md")).unwrap();
    let commands = readme.split("-p stiction-examples --bin ").skip(1);
    let listed: BTreeSet<String> = commands
        .map(|rest| {
            rest.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
                .next()
        })
        .map(|name| name.unwrap_or_default().to_owned())
        .collect();
    assert_eq!(there, listed);
    // The first lines of each say how it is run.
    for name in &there {
        let text = std::fs::read_to_string(folder.join(format!("src/bin/{name}.rs"))).unwrap();
        assert!(
            text.contains(&format!("-p stiction-examples --bin {name}")),
            "{name}"
        );
    }
}
