//! Problems on which an earlier version ended short of the tolerance, see `data/README.md`.

mod common;

use common::{canal, is_sound, solve_cold};
use stiction_constraints::problem_file::{self, ProblemFile};

#[test]
fn a_gram_between_stiff_fingers_is_solved() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/panda_gripper_585.json"
    );
    let ProblemFile::Full(full) = problem_file::read(path).expect("a readable file") else {
        panic!("not a full problem");
    };
    let (report, solution) = solve_cold(&mut canal(), &full.problem, 1e-6);
    assert!(report.outcome.is_converged(), "{}", report.outcome);
    assert!(report.residuals.scaled <= 1e-6);
    assert!(is_sound(&full.problem, &solution));
}
