//! One constraint of every law.

use nalgebra::{DMatrix, Matrix6, Vector3, Vector6};
use stiction_constraints::{Law, Problem, ProblemError, RowBlock, SparseSymmetric, Tree, TreeBody};

use crate::TIME_STEP;
use crate::geometry::{box_inertia, push_box, push_contact, refuse, shift_inertia};
use crate::sampling::{normal, normal_vector, seeded, uniform};

/// One constraint of every law on one subsystem of every kind.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MixedLawsParams {
    /// Seed of everything that is random.
    pub seed: u64,
}

/// A pendulum of two links (joint friction and a joint limit; its end touches the ground with
/// elliptic friction), two boxes (contact with the ground; compliant contact with each other), three
/// masses on springs (soft rows, unilateral rows) and a dense two-mass system (equality to the
/// springs): every law once, every kind of subsystem, no redundancy.
///
/// # Errors
/// None that a caller can cause.
pub fn mixed_laws(params: &MixedLawsParams) -> Result<Problem, ProblemError> {
    let mut rng = seeded(params.seed);
    let mut problem = Problem::new();

    let tree = pendulum().map_err(|reason| refuse("pendulum", "tree", &reason))?;
    let b: Vec<f64> = (0..2).map(|_| 0.1 * normal(&mut rng)).collect();
    let pendulum = problem.push_tree(tree, &b)?;
    let half = Vector3::new(0.1, 0.15, 0.1);
    let mut boxes = [0; 2];
    for index in &mut boxes {
        let velocity: Vector6<f64> = 0.5 * normal_vector(&mut rng);
        *index = push_box(&mut problem, 1.5, &half, &velocity, &Vector6::zeros())?;
    }
    let chain = [
        (0, 0, 3.0),
        (1, 1, 4.0),
        (2, 2, 3.0),
        (1, 0, -1.0),
        (2, 1, -1.0),
    ];
    let matrix = SparseSymmetric::from_lower_entries(3, &chain)
        .map_err(|reason| refuse("chain", "A", &reason))?;
    let springs = problem.push_sparse(matrix, normal_vector::<3>(&mut rng).as_slice())?;
    let dense = DMatrix::from_row_slice(2, 2, &[2.0, 0.5, 0.5, 1.0]);
    let pair = problem.push_dense(dense, normal_vector::<2>(&mut rng).as_slice())?;

    let dof = |dofs, values| RowBlock::Dofs { dofs, values };
    problem.push_constraint(
        Law::JointFriction {
            bound: 5.0 * TIME_STEP,
        },
        &[0.0],
        &[(pendulum, dof(&[0], &[1.0]))],
    )?;
    problem.push_constraint(
        Law::JointLimit {
            lower: -uniform(&mut rng, 0.0, 0.5),
            upper: uniform(&mut rng, 0.0, 0.5),
        },
        &[0.01 * normal(&mut rng)],
        &[(pendulum, dof(&[1], &[1.0]))],
    )?;
    push_contact(
        &mut problem,
        Law::AnisotropicContact {
            friction: [0.3, 0.8],
        },
        (pendulum, 1, Vector3::zeros()),
        None,
        &Vector3::new(0.8, 0.0, -0.6),
        &Vector3::new(0.1, 0.2, 1.0),
        uniform(&mut rng, 0.0, 0.1),
    )?;
    let centers = [Vector3::new(0.0, 0.0, 0.1), Vector3::new(0.05, 0.0, 0.3)];
    push_contact(
        &mut problem,
        Law::Contact { friction: 0.5 },
        (boxes[0], 0, centers[0]),
        None,
        &Vector3::new(0.02, 0.03, 0.0),
        &Vector3::z(),
        0.0,
    )?;
    push_contact(
        &mut problem,
        Law::CompliantContact {
            friction: [0.6; 2],
            tangential_compliance: 0.05,
            normal_compliance: 0.1,
        },
        (boxes[1], 0, centers[1]),
        Some((boxes[0], 0, centers[0])),
        &Vector3::new(0.0, 0.05, 0.2),
        &Vector3::z(),
        -0.05,
    )?;
    problem.push_constraint(
        Law::Soft {
            stiffness: 20.0,
            damping: 0.7,
        },
        (0.05 * normal_vector::<2>(&mut rng)).as_slice(),
        &[(springs, dof(&[0, 1], &[1.0, 0.0, 1.0, -1.0]))],
    )?;
    problem.push_constraint(
        Law::Unilateral,
        &[uniform(&mut rng, -0.2, 0.2)],
        &[(springs, dof(&[2], &[1.0]))],
    )?;
    problem.push_constraint(
        Law::Equality,
        &[0.1 * normal(&mut rng)],
        &[
            (springs, dof(&[0], &[1.0])),
            (pair, dof(&[0, 1], &[-1.0, 0.5])),
        ],
    )?;
    Ok(problem)
}

/// Two links of 0.5 m that turn about y, pivots at the origin and at (0.4, 0, −0.3).
fn pendulum() -> Result<Tree, String> {
    let at_center: Matrix6<f64> = box_inertia(0.8, &Vector3::new(0.05, 0.05, 0.25));
    let knee = Vector3::new(0.4, 0.0, -0.3);
    let link = |parent, center: Vector3<f64>| TreeBody {
        parent,
        joint_dofs: 1,
        inertia: shift_inertia(&at_center, &center),
    };
    let turn = |pivot: Vector3<f64>| {
        let linear = pivot.cross(&Vector3::y());
        Vector6::new(linear.x, linear.y, linear.z, 0.0, 1.0, 0.0)
    };
    Tree::new(
        vec![link(None, 0.5 * knee), link(Some(0), 1.5 * knee)],
        vec![turn(Vector3::zeros()), turn(knee)],
        vec![0.01, 0.01],
    )
}
