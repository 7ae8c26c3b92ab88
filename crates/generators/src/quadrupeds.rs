//! Legged robots in a row that touch the ground, themselves and each other.

use nalgebra::Vector3;
use rand::RngExt;
use stiction_constraints::{Law, Problem, ProblemError, RowBlock};

use crate::TIME_STEP;
use crate::geometry::{Side, push_contact};
use crate::quadruped::{BODIES, DOFS, Quadruped, SHANKS};
use crate::sampling::{normal, seeded, uniform};

/// Robots of 20.8 kg with a floating base and four legs of three revolute joints, 0.9 m apart.
#[derive(Debug, Clone, PartialEq)]
pub struct QuadrupedsParams {
    /// Number of robots, a tree of 18 degrees of freedom each.
    pub robots: usize,
    /// Contacts a robot: with the ground, and of these [`self_contacts`](Self::self_contacts)
    /// within the robot and [`robot_contacts`](Self::robot_contacts) with the robot before it.
    pub contacts_per_robot: usize,
    /// Contacts between two shanks of the same robot: two terms on one tree.
    pub self_contacts: usize,
    /// Contacts with the robot before (none for the first).
    pub robot_contacts: usize,
    /// Friction coefficient.
    pub friction: f64,
    /// Dry friction of every hip in N·m; also switches the velocity limits of the thighs on. Zero
    /// leaves contacts only.
    pub joint_friction: f64,
    /// Seed of postures, velocities, torques and contact points.
    pub seed: u64,
}

impl Default for QuadrupedsParams {
    fn default() -> Self {
        Self {
            robots: 8,
            contacts_per_robot: 11,
            self_contacts: 1,
            robot_contacts: 2,
            friction: 0.6,
            joint_friction: 0.5,
            seed: 0,
        }
    }
}

/// Robots that fall on the ground and lean on each other: trees with body row blocks, contacts
/// between trees and within one, joint friction and joint limits.
///
/// # Errors
/// A friction coefficient that makes no sense.
pub fn quadrupeds(params: &QuadrupedsParams) -> Result<Problem, ProblemError> {
    let mut rng = seeded(params.seed);
    let mut problem = Problem::new();
    let mut robots = Vec::with_capacity(params.robots);
    for index in 0..params.robots {
        let robot = Quadruped::new(&mut rng, Vector3::new(0.9 * index as f64, 0.0, 0.35))?;
        let b = robot.right_hand_side(&mut rng)?;
        problem.push_tree(robot.tree.clone(), &b)?;
        robots.push(robot);
    }
    let law = Law::Contact {
        friction: params.friction,
    };
    let side = |robot: usize, body: usize| -> Side { (robot, body, robots[robot].reference) };
    let between = |problem: &mut Problem, first: (usize, usize), second: (usize, usize)| {
        let (a, b) = (
            robots[first.0].centers[first.1],
            robots[second.0].centers[second.1],
        );
        let (one, two) = (side(first.0, first.1), side(second.0, second.1));
        push_contact(
            problem,
            law,
            one,
            Some(two),
            &(0.5 * (a + b)),
            &(a - b),
            0.0,
        )
    };
    for index in 0..params.robots {
        let others = if index > 0 { params.robot_contacts } else { 0 };
        let ground = params
            .contacts_per_robot
            .saturating_sub(params.self_contacts + others);
        for contact in 0..ground {
            let body = if contact < 8 {
                SHANKS[contact % 4]
            } else {
                rng.random_range(0..BODIES)
            };
            let offset = Vector3::new(0.02 * normal(&mut rng), 0.02 * normal(&mut rng), -0.1);
            let point = robots[index].centers[body] + offset;
            let gap_velocity = uniform(&mut rng, 0.0, 0.2);
            push_contact(
                &mut problem,
                law,
                side(index, body),
                None,
                &point,
                &Vector3::z(),
                gap_velocity,
            )?;
        }
        for contact in 0..params.self_contacts {
            let pair = [SHANKS[contact % 4], SHANKS[(contact + 1) % 4]];
            between(&mut problem, (index, pair[0]), (index, pair[1]))?;
        }
        for contact in 0..others {
            let pair = [SHANKS[contact % 4], SHANKS[(contact + 2) % 4]];
            between(&mut problem, (index, pair[0]), (index - 1, pair[1]))?;
        }
        if params.joint_friction > 0.0 {
            push_joint_laws(&mut problem, &mut rng, index, params.joint_friction)?;
        }
    }
    Ok(problem)
}

/// Dry friction on the hips, a velocity interval around zero on the thighs.
fn push_joint_laws(
    problem: &mut Problem,
    rng: &mut impl rand::Rng,
    robot: usize,
    friction: f64,
) -> Result<(), ProblemError> {
    for dof in 6..DOFS {
        let law = match dof % 3 {
            0 => Law::JointFriction {
                bound: friction * TIME_STEP,
            },
            1 => Law::JointLimit {
                lower: -uniform(rng, 0.0, 0.3),
                upper: uniform(rng, 0.0, 0.3),
            },
            _ => continue,
        };
        let block = RowBlock::Dofs {
            dofs: &[dof],
            values: &[1.0],
        };
        problem.push_constraint(law, &[0.0], &[(robot, block)])?;
    }
    Ok(())
}
