//! What a custom law costs those who have none, and where it cannot go.

use nalgebra::DMatrix;
use stiction_constraints::{Constraint, CustomLaw, Law, Problem, RowBlock};

static DAMPER: CustomLaw = CustomLaw {
    kind: "damper",
    response: |&[c, _], x_bar, e, beta| {
        let stiffness = c * beta / (c + beta);
        (-stiffness * (x_bar + e), stiffness)
    },
    check: |_| Ok(()),
};

#[test]
fn laws_are_no_larger_for_it() {
    // The four numbers of a compliant contact, and which law it is.
    assert_eq!(size_of::<Law>(), 40);
    assert_eq!(size_of::<Constraint>(), 72);
}

#[test]
fn files_refuse_it_by_name() {
    let mut problem = Problem::new();
    let mass = problem.push_dense(DMatrix::identity(1, 1), &[1.0]).unwrap();
    let row = RowBlock::Dofs {
        dofs: &[0],
        values: &[1.0],
    };
    let law = Law::Custom {
        law: &DAMPER,
        parameters: [1.0, 0.0],
    };
    problem
        .push_constraint(law, &[0.0], &[(mass, row)])
        .unwrap();
    assert_eq!(problem.constraints()[0].law.kind(), "damper");
    let refusal = serde_json::to_string(&problem).unwrap_err().to_string();
    assert!(refusal.contains("Custom"), "{refusal}");
}
