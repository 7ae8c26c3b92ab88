//! Problems on which an earlier version ended short of the tolerance, see `data/README.md`.

mod common;

use common::{canal, is_sound, solve_cold};
use stiction_generators::{RandomSmallParams, random_small};
use stiction_problem_files::{self as problem_files, ProblemFile};

/// No penalty leads the outer loop to these solutions; the continuation finds them.
#[test]
fn more_constraints_than_degrees_of_freedom_are_solved() {
    for seed in [456, 768, 1410] {
        let params = RandomSmallParams {
            seed,
            ..RandomSmallParams::default()
        };
        let problem = random_small(&params).expect("valid bodies");
        let (report, solution) = solve_cold(&mut canal(), &problem, 1e-7);
        assert!(report.outcome.is_converged(), "{seed}: {}", report.outcome);
        assert!(is_sound(&problem, &solution), "{seed}");
    }
}

#[test]
fn a_gram_between_stiff_fingers_is_solved() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/panda_gripper_585.json"
    );
    let ProblemFile::Full(full) = problem_files::read(path).expect("a readable file") else {
        panic!("not a full problem");
    };
    let (report, solution) = solve_cold(&mut canal(), &full.problem, 1e-6);
    assert!(report.outcome.is_converged(), "{}", report.outcome);
    assert!(report.residuals.scaled <= 1e-6);
    assert!(is_sound(&full.problem, &solution));
}
