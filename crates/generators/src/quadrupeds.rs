//! Legged robots in a row or in a heap that touch the ground, themselves and each other.

use nalgebra::Vector3;
use rand::RngExt;
use stiction_constraints::{Law, Problem, ProblemError, RowBlock};

use crate::TIME_STEP;
use crate::geometry::{Side, push_contact};
use crate::quadruped::{BODIES, DOFS, Quadruped, SHANKS};
use crate::sampling::{normal, seeded, uniform};

/// Where the robots are and which of them touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Arrangement {
    /// Side by side, 0.9 m apart, each touching the one before.
    #[default]
    Row,
    /// In a cube, layer on layer, each touching its neighbours in all three directions. Only the
    /// lowest layer touches the ground.
    Heap,
}

/// Robots of 20.8 kg with a floating base and four legs of three revolute joints.
#[derive(Debug, Clone, PartialEq)]
pub struct QuadrupedsParams {
    /// Number of robots, a tree of 18 degrees of freedom each.
    pub robots: usize,
    /// Where the robots are.
    pub arrangement: Arrangement,
    /// In a row the contacts of a robot: with the ground, and of these
    /// [`self_contacts`](Self::self_contacts) within the robot and
    /// [`robot_contacts`](Self::robot_contacts) with the robot before it. In a heap the contacts of
    /// a robot of the lowest layer with the ground.
    pub contacts_per_robot: usize,
    /// Contacts between two shanks of the same robot: two terms on one tree.
    pub self_contacts: usize,
    /// Contacts with the robot before (none for the first), in a heap with each neighbour.
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
            arrangement: Arrangement::Row,
            contacts_per_robot: 11,
            self_contacts: 1,
            robot_contacts: 2,
            friction: 0.6,
            joint_friction: 0.5,
            seed: 0,
        }
    }
}

impl QuadrupedsParams {
    /// A heap of eight robots in two layers with 88 contacts and nothing else, like robots that
    /// were dropped.
    pub fn heap() -> Self {
        Self {
            arrangement: Arrangement::Heap,
            robot_contacts: 3,
            joint_friction: 0.0,
            ..Self::default()
        }
    }

    /// Robots along each edge of the heap.
    fn edge(&self) -> usize {
        (1..)
            .find(|edge| edge * edge * edge >= self.robots)
            .unwrap_or(1)
    }

    /// Place of a robot in units of the distance to the next.
    fn cell(&self, robot: usize) -> [usize; 3] {
        let edge = self.edge();
        match self.arrangement {
            Arrangement::Row => [robot, 0, 0],
            Arrangement::Heap => [robot % edge, robot / edge % edge, robot / (edge * edge)],
        }
    }

    /// The earlier robots that a robot touches, and whether they lie below it.
    fn neighbours(&self, robot: usize) -> impl Iterator<Item = (usize, bool)> {
        let edge = self.edge();
        let steps = match self.arrangement {
            Arrangement::Row => [1, 0, 0],
            Arrangement::Heap => [1, edge, edge * edge],
        };
        let cell = self.cell(robot);
        (0..3)
            .filter(move |&axis| steps[axis] > 0 && cell[axis] > 0)
            .map(move |axis| (robot - steps[axis], axis == 2))
    }

    fn ground_contacts(&self, robot: usize) -> usize {
        match self.arrangement {
            Arrangement::Row => {
                let others = if robot > 0 { self.robot_contacts } else { 0 };
                self.contacts_per_robot
                    .saturating_sub(self.self_contacts + others)
            }
            Arrangement::Heap if self.cell(robot)[2] == 0 => self.contacts_per_robot,
            Arrangement::Heap => 0,
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
        let cell = params.cell(index).map(|steps| steps as f64);
        let base = Vector3::new(0.9 * cell[0], 0.6 * cell[1], 0.35 + 0.4 * cell[2]);
        let robot = Quadruped::new(&mut rng, base)?;
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
        for contact in 0..params.ground_contacts(index) {
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
        for (other, is_below) in params.neighbours(index) {
            for contact in 0..params.robot_contacts {
                let own = SHANKS[contact % 4];
                // Shanks stand on the trunk of the robot below, beside it they meet shanks.
                let touched = if is_below {
                    0
                } else {
                    SHANKS[(contact + 2) % 4]
                };
                between(&mut problem, (index, own), (other, touched))?;
            }
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
