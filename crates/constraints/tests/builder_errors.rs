//! Every refusal of the builders names the element that is wrong.

mod common;

use common::{everything, subsystems};
use nalgebra::{DMatrix, Matrix6, Vector6};
use stiction_constraints::{
    Law, Problem, ProblemError, RowBlock, SparseSymmetric, Subsystem, Tree, TreeBody,
};

fn refused<T>(result: Result<T, ProblemError>, parts: &[&str]) {
    let text = match result {
        Ok(_) => panic!("accepted, but should mention {parts:?}"),
        Err(error) => error.to_string(),
    };
    for part in parts {
        assert!(text.contains(part), "{text:?} does not mention {part:?}");
    }
}

fn dense(values: &[f64]) -> Subsystem {
    let n = values.len().isqrt();
    Subsystem::Dense(DMatrix::from_row_slice(n, n, values))
}

/// Pushes as the second subsystem, so that the index in the message means something.
fn push(subsystem: Subsystem, b: &[f64]) -> Result<usize, ProblemError> {
    let mut problem = Problem::new();
    problem.push_dense(DMatrix::identity(1, 1), &[0.0]).unwrap();
    problem.push_subsystem(subsystem, b)
}

#[test]
fn matrices() {
    let b = [0.0; 2];
    refused(
        push(dense(&[1.0, f64::NAN, 0.0, 1.0]), &b),
        &["subsystem 1", "A[0,1]", "NaN"],
    );
    refused(
        push(dense(&[1.0, 0.5, 0.4, 1.0]), &b),
        &["subsystem 1", "not symmetric", "A[1,0]"],
    );
    refused(
        push(dense(&[1.0, 0.0, 0.0, -1.0]), &b),
        &["A[1,1] = -1", "positive"],
    );
    refused(
        push(dense(&[1.0, 0.0, 0.0, 0.0]), &b),
        &["A[1,1] = 0", "positive"],
    );
    let wide = Subsystem::Dense(DMatrix::zeros(2, 3));
    refused(push(wide, &b), &["2×3", "not square"]);
    let mut inertia = Matrix6::identity();
    inertia[(4, 2)] = 0.1;
    refused(
        push(Subsystem::FreeBody(inertia), &[0.0; 6]),
        &["not symmetric", "A[4,2]"],
    );
    let sparse = |entries: &[(usize, usize, f64)]| {
        Subsystem::Sparse(SparseSymmetric::from_lower_entries(2, entries).unwrap())
    };
    refused(
        push(sparse(&[(0, 0, 1.0)]), &b),
        &["A[1,1] = 0", "positive"],
    );
    let infinite = [(0, 0, 1.0), (1, 1, 1.0), (1, 0, f64::INFINITY)];
    refused(push(sparse(&infinite), &b), &["A[1,0] = inf"]);
}

#[test]
fn right_hand_sides() {
    let one = || dense(&[1.0]);
    refused(
        push(one(), &[1.0, 2.0]),
        &["subsystem 1", "1 degrees", "b has 2"],
    );
    refused(push(one(), &[f64::NAN]), &["subsystem 1", "b[0] = NaN"]);
    let mut problem = subsystems(0);
    refused(problem.set_b(0, &[0.0; 5]), &["subsystem 0", "b has 5"]);
    refused(
        problem.set_b(3, &[0.0, 0.0, f64::INFINITY, 0.0]),
        &["subsystem 3", "b[2] = inf"],
    );
    refused(problem.set_b(4, &[]), &["subsystem 4", "only 4"]);
    let before = problem.clone();
    refused(
        problem.set_subsystem(9, one(), &[0.0]),
        &["subsystem 9", "only 4"],
    );
    refused(
        problem.set_subsystem(3, one(), &[0.0]),
        &["4 degrees", "replacement has 1"],
    );
    let other = Subsystem::Dense(-DMatrix::<f64>::identity(4, 4));
    refused(
        problem.set_subsystem(3, other, &[0.0; 4]),
        &["subsystem 3", "positive"],
    );
    assert_eq!(problem, before, "a refusal changes nothing");
    problem
        .set_subsystem(3, Subsystem::Dense(DMatrix::identity(4, 4)), &[1.0; 4])
        .unwrap();
    assert_eq!(problem.b()[problem.dof_starts()[3]..], [1.0; 4]);
}

#[test]
fn trees() {
    let body = |parent, inertia| TreeBody {
        parent,
        joint_dofs: 1,
        inertia,
    };
    let fine = Matrix6::identity();
    let column = Vector6::new(0.0, 0.0, 0.0, 0.0, 0.0, 1.0);
    let tree = |bodies: Vec<TreeBody>, columns: Vec<Vector6<f64>>, diagonal: Vec<f64>| {
        Tree::new(bodies, columns, diagonal)
    };
    let text = tree(vec![body(Some(0), fine)], vec![column], vec![0.0]).unwrap_err();
    assert!(
        text.contains("body 0") && text.contains("parent 0"),
        "{text}"
    );
    let text = tree(vec![body(None, fine)], vec![], vec![0.0]).unwrap_err();
    assert!(
        text.contains("1 degrees") && text.contains("0 motion columns"),
        "{text}"
    );
    let text = tree(vec![body(None, fine)], vec![column], vec![0.0; 3]).unwrap_err();
    assert!(text.contains("3 diagonal terms"), "{text}");
    let two = |inertia, columns: [Vector6<f64>; 2], diagonal: [f64; 2]| {
        let bodies = vec![body(None, fine), body(Some(0), inertia)];
        let tree = Tree::new(bodies, columns.to_vec(), diagonal.to_vec()).unwrap();
        push(Subsystem::Tree(tree), &[0.0; 2])
    };
    let mut lopsided = fine;
    lopsided[(0, 1)] = 0.5;
    refused(
        two(lopsided, [column; 2], [0.0; 2]),
        &["subsystem 1", "body 1", "not symmetric"],
    );
    lopsided[(0, 1)] = f64::NAN;
    refused(two(lopsided, [column; 2], [0.0; 2]), &["body 1", "NaN"]);
    refused(
        two(fine, [column, column * 0.0], [0.0; 2]),
        &["dof 1", "zero"],
    );
    refused(
        two(fine, [column, column * f64::NAN], [0.0; 2]),
        &["dof 1", "not finite"],
    );
    refused(two(fine, [column; 2], [0.0, -1.0]), &["dof 1 = -1"]);
}

#[test]
fn law_parameters() {
    let compliant = |friction: f64, tangential, normal| Law::CompliantContact {
        friction: [friction; 2],
        tangential_compliance: tangential,
        normal_compliance: normal,
    };
    let soft = |stiffness, damping| Law::Soft { stiffness, damping };
    let limit = |lower, upper| Law::JointLimit { lower, upper };
    let inf = f64::INFINITY;
    let cases = [
        (Law::Contact { friction: -0.5 }, "friction = -0.5"),
        (Law::Contact { friction: f64::NAN }, "friction = NaN"),
        (
            Law::AnisotropicContact {
                friction: [0.5, 0.0],
            },
            "friction = 0",
        ),
        (
            Law::AnisotropicContact {
                friction: [inf, 0.5],
            },
            "friction = inf",
        ),
        (compliant(-1.0, 0.0, 0.0), "friction = -1"),
        (
            Law::CompliantContact {
                friction: [0.5, 0.0],
                tangential_compliance: 0.1,
                normal_compliance: 0.1,
            },
            "friction = 0",
        ),
        (compliant(1.0, -2.0, 0.0), "tangential_compliance = -2"),
        (compliant(1.0, 0.0, inf), "normal_compliance = inf"),
        (soft(-1.0, 1.0), "stiffness = -1"),
        (soft(1.0, 0.0), "damping = 0"),
        (Law::JointFriction { bound: -3.0 }, "bound = -3"),
        (limit(1.0, 0.5), "lower = 1"),
        (limit(f64::NAN, 0.5), "lower = NaN"),
        (limit(inf, inf), "lower = inf"),
        (limit(0.0, f64::NAN), "upper = NaN"),
        (limit(-inf, -inf), "upper = -inf"),
    ];
    for (law, expected) in cases {
        let mut problem = everything(0);
        let rows = if law.is_contact() { 3 } else { 1 };
        let index = problem.constraints().len();
        let result = problem.push_constraint(law, &vec![0.0; rows], &[]);
        refused(result, &[&format!("constraint {index}"), expected]);
        assert_eq!(problem, everything(0), "a refusal changes nothing");
    }
    // No limit on one side is a limit all the same.
    everything(0)
        .push_constraint(limit(-inf, 0.5), &[0.0], &[])
        .unwrap();
}

#[test]
fn rows_and_errors() {
    let mut problem = subsystems(0);
    let contact = Law::Contact { friction: 0.5 };
    refused(
        problem.push_constraint(contact, &[0.0; 2], &[]),
        &["constraint 0", "rows = 2", "three"],
    );
    refused(
        problem.push_constraint(Law::Equality, &[], &[]),
        &["rows = 0", "one to three"],
    );
    refused(
        problem.push_constraint(Law::Equality, &[0.0; 4], &[]),
        &["rows = 4"],
    );
    let infinite = [0.0, f64::INFINITY];
    refused(
        problem.push_constraint(Law::Equality, &infinite, &[]),
        &["e = inf", "not finite"],
    );
    problem
        .push_constraint(Law::Equality, &[0.0; 2], &[])
        .unwrap();
    refused(
        problem.set_error(0, &[0.0]),
        &["constraint 0", "e = 1", "number of rows"],
    );
    refused(
        problem.set_error(0, &infinite),
        &["constraint 0", "e = inf"],
    );
    refused(
        problem.set_error(1, &[0.0]),
        &["constraint 1", "no such constraint"],
    );
    problem.set_error(0, &[0.25, 0.5]).unwrap();
    assert_eq!(problem.error(0), [0.25, 0.5]);
}

#[test]
fn row_blocks() {
    let values = [1.0; 18];
    let dofs = |dofs, values| RowBlock::Dofs { dofs, values };
    let body = |body, values| RowBlock::Body { body, values };
    let nodes = |nodes, weights, frame| RowBlock::Nodes {
        nodes,
        weights,
        frame,
    };
    let spoiled = [1.0, f64::NAN];
    let cases: [((usize, RowBlock<'_>), &[&str]); 13] = [
        ((4, body(0, &values[..12])), &["subsystem 4", "there are 4"]),
        (
            (0, body(1, &values[..12])),
            &["body 1", "free body", "has 1"],
        ),
        ((1, body(6, &values[..12])), &["body 6", "tree", "has 6"]),
        ((3, body(0, &values[..12])), &["body 0", "dense", "has 0"]),
        (
            (0, body(0, &values[..11])),
            &["values: 11 numbers", "12 expected"],
        ),
        ((3, dofs(&[4], &values[..2])), &["dof 4", "there are 4"]),
        ((3, dofs(&[1, 0, 1], &values[..6])), &["dof 1", "twice"]),
        (
            (3, dofs(&[1], &values[..3])),
            &["values: 3 numbers", "2 expected"],
        ),
        ((3, dofs(&[1], &spoiled)), &["values[1] = NaN"]),
        (
            (2, nodes(&[3], &values[..1], &values[..6])),
            &["node 3", "there are 3"],
        ),
        (
            (2, nodes(&[1, 1], &values[..2], &values[..6])),
            &["node 1", "twice"],
        ),
        (
            (2, nodes(&[1], &values[..2], &values[..6])),
            &["weights: 2 numbers", "1 expected"],
        ),
        (
            (2, nodes(&[1], &values[..1], &values[..9])),
            &["frame: 9 numbers", "6 expected"],
        ),
    ];
    for (block, expected) in cases {
        let mut problem = subsystems(0);
        let fine = (3, dofs(&[0], &values[..2]));
        problem
            .push_constraint(Law::Equality, &[0.0; 2], &[fine])
            .unwrap();
        let before = problem.clone();
        let result = problem.push_constraint(Law::Equality, &[0.0; 2], &[fine, block]);
        let mut expected = expected.to_vec();
        expected.push("constraint 1, term 1");
        refused(result, &expected);
        assert_eq!(problem, before, "a refusal changes nothing");
    }
}

#[test]
fn clearing_keeps_the_subsystems() {
    let mut problem = everything(5);
    problem.clear_constraints();
    assert_eq!(problem, subsystems(5));
    assert_eq!((problem.row_count(), problem.contact_count()), (0, 0));
}
