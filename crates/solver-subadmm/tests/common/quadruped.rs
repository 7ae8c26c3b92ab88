//! Quadruped-like robots: a floating base and four legs of three hinges, 18 degrees of freedom.

use nalgebra::{Matrix6, Vector3, Vector6};
use stiction_constraints::{Law, Problem, RowBlock, Subsystem, Tree, TreeBody};

use super::{Dice, GRAVITY, TIME_STEP, box_inertia, contact_rows};

/// Where a robot's bodies are, relative to its reference point (the middle of its base).
pub(crate) struct Robot {
    pub tree: Tree,
    pub centers: Vec<Vector3<f64>>,
}

/// Spatial inertia of a box whose centre is at `center` from the reference point.
fn shifted_box(mass: f64, half: Vector3<f64>, center: &Vector3<f64>) -> Matrix6<f64> {
    let mut move_to_center = Matrix6::identity();
    move_to_center
        .fixed_view_mut::<3, 3>(0, 3)
        .copy_from(&-center.cross_matrix());
    move_to_center.transpose() * box_inertia(mass, &half) * move_to_center
}

fn hinge(axis: Vector3<f64>, origin: &Vector3<f64>) -> Vector6<f64> {
    let linear = -axis.cross(origin);
    Vector6::new(linear.x, linear.y, linear.z, axis.x, axis.y, axis.z)
}

pub(crate) fn robot(dice: &mut Dice) -> Robot {
    let zero = Vector3::zeros();
    let mut bodies = vec![TreeBody {
        parent: None,
        joint_dofs: 6,
        inertia: shifted_box(12.0, Vector3::new(0.25, 0.1, 0.06), &zero),
    }];
    let mut centers = vec![zero];
    let mut columns: Vec<Vector6<f64>> = (0..6)
        .map(|k| Matrix6::identity().column(k).into())
        .collect();
    for (x, y) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        let hip = Vector3::new(0.22 * x, 0.1 * y, 0.0);
        let (swing, knee) = (dice.uniform(0.4, 0.8), -dice.uniform(0.9, 1.4));
        let down = |angle: f64| Vector3::new(-angle.sin(), 0.0, -angle.cos());
        let thigh = hip + Vector3::new(0.0, 0.08 * y, 0.0);
        let shank = thigh + 0.2 * down(swing);
        let links = [
            (
                hip,
                Vector3::x(),
                hip + Vector3::new(0.0, 0.04 * y, 0.0),
                1.0,
                Vector3::new(0.04, 0.04, 0.04),
            ),
            (
                thigh,
                Vector3::y(),
                thigh + 0.1 * down(swing),
                1.0,
                Vector3::new(0.03, 0.03, 0.1),
            ),
            (
                shank,
                Vector3::y(),
                shank + 0.1 * down(swing + knee),
                0.2,
                Vector3::new(0.02, 0.02, 0.1),
            ),
        ];
        let mut parent = 0;
        for (origin, axis, center, mass, half) in links {
            bodies.push(TreeBody {
                parent: Some(parent),
                joint_dofs: 1,
                inertia: shifted_box(mass, half, &center),
            });
            parent = bodies.len() - 1;
            centers.push(center);
            columns.push(hinge(axis, &origin));
        }
    }
    let mut diagonal = vec![0.0; columns.len()];
    diagonal[6..].fill(0.01);
    Robot {
        tree: Tree::new(bodies, columns, diagonal).expect("a valid tree"),
        centers,
    }
}

/// The joint-space matrix of a tree, from its definition Σ J_bᵀ M_b J_b + diag.
pub(crate) fn dense_matrix(tree: &Tree) -> nalgebra::DMatrix<f64> {
    let n = tree.dof_count();
    let mut matrix =
        nalgebra::DMatrix::from_diagonal(&nalgebra::DVector::from_column_slice(tree.diagonal()));
    for (index, body) in tree.bodies().iter().enumerate() {
        let mut jacobian = nalgebra::OMatrix::<f64, nalgebra::U6, nalgebra::Dyn>::zeros(n);
        for dof in tree.path(tree.body_dof(index)) {
            jacobian.set_column(dof, &tree.columns()[dof]);
        }
        matrix += jacobian.transpose() * body.inertia * jacobian;
    }
    matrix
}

/// Robots on the ground and against each other: `contacts` each, of which one is between two legs
/// of the robot and two with its neighbour; joint friction and joint limits. The second value says
/// where the bodies are.
pub(crate) fn robots(
    count: usize,
    contacts: usize,
    friction: f64,
    seed: u64,
) -> (Problem, Vec<Robot>) {
    let mut dice = Dice::new(seed);
    let mut problem = Problem::new();
    let mut robots = Vec::new();
    for _ in 0..count {
        let robot = robot(&mut dice);
        let n = robot.tree.dof_count();
        let mut velocity: Vec<f64> = (0..n).map(|_| 0.3 * dice.normal()).collect();
        velocity[2] = -0.5;
        let matrix = dense_matrix(&robot.tree);
        let mut b = (matrix * nalgebra::DVector::from_column_slice(&velocity))
            .as_slice()
            .to_vec();
        // Gravity: the wrench (m g, c × m g) of every body.
        for (index, body) in robot.tree.bodies().iter().enumerate() {
            let force = Vector3::new(0.0, 0.0, -GRAVITY * body.inertia[(0, 0)] * TIME_STEP);
            let torque = robot.centers[index].cross(&force);
            let wrench = Vector6::new(force.x, force.y, force.z, torque.x, torque.y, torque.z);
            for dof in robot.tree.path(robot.tree.body_dof(index)) {
                b[dof] += robot.tree.columns()[dof].dot(&wrench);
            }
        }
        for value in &mut b[6..] {
            *value += 3.0 * dice.normal() * TIME_STEP;
        }
        problem
            .push_subsystem(Subsystem::Tree(robot.tree.clone()), &b)
            .expect("a valid tree");
        robots.push(robot);
    }
    let legs = [3, 6, 9, 12];
    for k in 0..count {
        let between = if k > 0 { 2 } else { 0 };
        for i in 0..contacts - 1 - between {
            let body = if i < 8 { legs[i % 4] } else { dice.index(13) };
            let point = robots[k].centers[body]
                + Vector3::new(0.02 * dice.normal(), 0.02 * dice.normal(), -0.1);
            let rows = contact_rows(&point, &Vector3::z(), 1.0);
            let error = [0.0, 0.0, dice.uniform(0.0, 0.2)];
            push(&mut problem, friction, &error, &[(k, body, rows)]);
        }
        // Between two legs of the robot: two terms on one tree.
        let (a, b) = (robots[k].centers[3], robots[k].centers[6]);
        let point = 0.5 * (a + b);
        push(
            &mut problem,
            friction,
            &[0.0; 3],
            &[
                (k, 3, contact_rows(&point, &(a - b), 1.0)),
                (k, 6, contact_rows(&point, &(a - b), -1.0)),
            ],
        );
        for i in 0..between {
            // The neighbour stands 0.9 m away; each has its own reference point.
            let offset = Vector3::new(0.9, 0.0, 0.0);
            let (mine, other) = (legs[i], legs[2 + i]);
            let (a, b) = (
                robots[k].centers[mine] + offset,
                robots[k - 1].centers[other],
            );
            let point = 0.5 * (a + b);
            push(
                &mut problem,
                friction,
                &[0.0; 3],
                &[
                    (k, mine, contact_rows(&(point - offset), &(a - b), 1.0)),
                    (k - 1, other, contact_rows(&point, &(a - b), -1.0)),
                ],
            );
        }
        for dof in 6..18 {
            let law = match dof % 3 {
                0 => Law::JointFriction {
                    bound: 0.5 * TIME_STEP,
                },
                1 => Law::JointLimit {
                    lower: -dice.uniform(0.0, 0.3),
                    upper: dice.uniform(0.0, 0.3),
                },
                _ => continue,
            };
            let rows = RowBlock::Dofs {
                dofs: &[dof],
                values: &[1.0],
            };
            problem
                .push_constraint(law, &[0.0], &[(k, rows)])
                .expect("a valid joint constraint");
        }
    }
    (problem, robots)
}

fn push(
    problem: &mut Problem,
    friction: f64,
    error: &[f64; 3],
    terms: &[(usize, usize, Vec<f64>)],
) {
    let blocks: Vec<_> = terms
        .iter()
        .map(|(robot, body, values)| {
            (
                *robot,
                RowBlock::Body {
                    body: *body,
                    values,
                },
            )
        })
        .collect();
    problem
        .push_constraint(Law::Contact { friction }, error, &blocks)
        .expect("a valid contact");
}
