//! Problems and solutions survive JSON to the last bit.

mod common;

use common::{evaluator, everything};
use stiction_constraints::{Problem, Solution, Subsystem, Tree};

#[test]
fn problems_come_back_bit_by_bit() {
    for seed in 0..5 {
        let problem = everything(seed);
        let text = serde_json::to_string(&problem).unwrap();
        let back: Problem = serde_json::from_str(&text).unwrap();
        assert_eq!(back, problem);
        let lambda = vec![0.1; problem.row_count()];
        let v = vec![0.2; problem.dof_count()];
        assert_eq!(
            evaluator(&back).residuals(&back, &v, &lambda),
            evaluator(&problem).residuals(&problem, &v, &lambda)
        );
    }
    let empty: Problem =
        serde_json::from_str(&serde_json::to_string(&Problem::new()).unwrap()).unwrap();
    assert_eq!(empty, Problem::new());
}

/// A file that an earlier version wrote is read, and written again byte by byte.
#[test]
fn the_file_format_stays() {
    let text = include_str!("data/everything.json");
    let problem: Problem = serde_json::from_str(text).unwrap();
    assert_eq!(problem, everything(0));
    assert_eq!(serde_json::to_string(&problem).unwrap(), text);
}

#[test]
fn solutions_come_back_bit_by_bit() {
    let solution = Solution {
        velocity: vec![0.1, -1e-300],
        impulse: vec![1.0 / 3.0],
    };
    let text = serde_json::to_string(&solution).unwrap();
    assert_eq!(serde_json::from_str::<Solution>(&text).unwrap(), solution);
}

/// What follows from a tree's data is computed on reading, so a file cannot contradict itself.
#[test]
fn a_tree_whose_parents_do_not_come_first_is_refused() {
    let problem = everything(0);
    let Subsystem::Tree(tree) = &problem.subsystems()[1] else {
        panic!("the second subsystem is the tree");
    };
    let mut value = serde_json::to_value(tree).unwrap();
    assert_eq!(
        serde_json::from_value::<Tree>(value.clone()).unwrap(),
        *tree
    );
    value["bodies"][1]["parent"] = serde_json::json!(4);
    let error = serde_json::from_value::<Tree>(value)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("body 1") && error.contains("parent 4"),
        "{error}"
    );
}
