//! Bodies and trees joined to each other: accelerations that joints allow, and projections onto what they hold.
//!
//! With M the inertias, J the rows of the joints and J̇ v what they change by on their own,
//!
//! ```text
//! M a = f + Jᵀ λ,  J a + J̇ v = 0   ⇒   (J M⁻¹ Jᵀ) λ = −(J M⁻¹ f + J̇ v)
//! ```
//!
//! and the same matrix projects velocities, J v = 0, and positions, φ = 0, with the smallest change by mass.

use std::ops::Range;

use nalgebra::Vector3;

use super::factor::{Envelope, order};
use super::joint::{End, Holding, Measure, Rows};
use super::member::{Frame, FrameAt, Member, Place};
use super::spring::Spring;

/// Force and torque on the second body of a joint at its point, world axes; of a coupling the first number.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reaction {
    pub(super) force: Vector3<f64>,
    pub(super) torque: Vector3<f64>,
}

/// Power of what has no potential, W.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Power {
    pub(super) all: f64,
    /// Of forces on trees and on their joints.
    pub(super) trees: f64,
}

/// What a joint does to a member: rows × degrees of freedom, from `start` among all blocks.
#[derive(Debug, Clone, Copy)]
struct Block {
    member: usize,
    start: usize,
    dofs: usize,
}

impl Block {
    fn row(&self, row: usize) -> Range<usize> {
        let start = self.start + row * self.dofs;
        start..start + self.dofs
    }
}

/// Bodies and trees that joints and springs connect, and nothing else acts on. Keeps its storage.
#[derive(Debug, Default)]
pub(super) struct Mechanism {
    pub(super) members: Vec<Member>,
    pub(super) places: Vec<Place>,
    pub(super) frames: Vec<Frame>,
    pub(super) holdings: Vec<Holding>,
    pub(super) springs: Vec<Spring>,
    pub(super) gravity: Vector3<f64>,
    /// Whether nothing ties it to what stands still.
    pub(super) floats: bool,
    /// First row of each joint, and its blocks; joints and which of their blocks meet at each member.
    first_row: Vec<usize>,
    blocks: Vec<Vec<Block>>,
    incidence: Vec<Vec<(usize, usize)>>,
    /// First columns of the rows of J M⁻¹ Jᵀ.
    envelope: Vec<usize>,
    matrix: Envelope,
    /// At the state where it was placed last.
    pub(super) at: Vec<FrameAt>,
    rows: Vec<Rows>,
    /// J at the state of the last rows, M⁻¹ Jᵀ at that of the last linearisation.
    jacobian: Vec<f64>,
    response: Vec<f64>,
    solution: Vec<f64>,
    scratch: Vec<f64>,
    from: Vec<f64>,
    pub(super) spring_rows: [Vec<f64>; 2],
}

impl Mechanism {
    /// Numbers of positions and velocities.
    pub(super) fn sizes(&self) -> [usize; 2] {
        let last = self.places.last();
        last.map_or([0; 2], |place| [place.q.end, place.v.end])
    }

    /// Whether it has trees.
    pub(super) fn has_trees(&self) -> bool {
        self.members
            .iter()
            .any(|member| matches!(member, Member::Tree(_)))
    }

    /// The number of a frame, which is new or not.
    pub(super) fn frame(&mut self, frame: Frame) -> usize {
        let known = self.frames.iter().position(|own| *own == frame);
        known.unwrap_or_else(|| {
            self.frames.push(frame);
            self.frames.len() - 1
        })
    }

    /// Finds the order of elimination for the joints and members that are there.
    pub(super) fn order_joints(&mut self) {
        self.meet();
        let order = order(&self.neighbours());
        self.holdings = order.iter().map(|&at| self.holdings[at].clone()).collect();
        self.meet();
        self.first_row.clear();
        let (mut rows, mut start) = (0, 0);
        for (holding, blocks) in self.holdings.iter().zip(&mut self.blocks) {
            self.first_row.push(rows);
            rows += holding.row_count();
            for block in blocks {
                block.start = start;
                start += holding.row_count() * block.dofs;
            }
        }
        self.jacobian.resize(start, 0.0);
        self.response.resize(start, 0.0);
        self.envelope.clear();
        for (at, near) in self.neighbours().iter().enumerate() {
            let first = near.iter().copied().fold(at, usize::min);
            let count = self.holdings[at].row_count();
            let first = self.first_row[first];
            self.envelope.extend(std::iter::repeat_n(first, count));
        }
    }

    /// Which joints meet at each member.
    fn meet(&mut self) {
        self.incidence.clear();
        self.incidence.resize_with(self.members.len(), Vec::new);
        self.blocks.clear();
        for (at, holding) in self.holdings.iter().enumerate() {
            let mut members: Vec<usize> = match holding {
                Holding::Joint(joint) => {
                    let frames = joint.ends.iter().filter_map(End::frame);
                    frames.map(|frame| self.frames[frame].member).collect()
                }
                Holding::Coupling(coupling) => {
                    let dofs = coupling.terms.iter().map(|&(_, dof, _)| dof);
                    dofs.filter_map(|dof| {
                        self.places.iter().position(|place| place.v.contains(&dof))
                    })
                    .collect()
                }
            };
            members.sort_unstable();
            members.dedup();
            for (number, &member) in members.iter().enumerate() {
                self.incidence[member].push((at, number));
            }
            let blocks = members.iter().map(|&member| Block {
                member,
                start: 0,
                dofs: self.places[member].v.len(),
            });
            self.blocks.push(blocks.collect());
        }
    }

    /// Joints that share a member with each joint.
    fn neighbours(&self) -> Vec<Vec<usize>> {
        let of = |(at, blocks): (usize, &Vec<Block>)| {
            let meeting = blocks
                .iter()
                .flat_map(|block| &self.incidence[block.member]);
            let others = meeting.map(|&(other, _)| other);
            let mut near: Vec<usize> = others.filter(|&other| other != at).collect();
            near.sort_unstable();
            near.dedup();
            near
        };
        self.blocks.iter().enumerate().map(of).collect()
    }

    /// Multiplications that one evaluation takes about.
    pub(super) fn cost(&self) -> usize {
        let of_trees = self
            .blocks
            .iter()
            .flatten()
            .map(|block| block.dofs * block.dofs);
        Envelope::cost(&self.envelope) + of_trees.sum::<usize>()
    }

    /// Looks at what ties it down, and makes room for the numbers.
    pub(super) fn begin(&mut self) {
        let joints = self.holdings.iter().filter_map(|holding| match holding {
            Holding::Joint(joint) => Some(&joint.ends),
            Holding::Coupling(_) => None,
        });
        let mut ends = joints
            .chain(self.springs.iter().map(|spring| &spring.ends))
            .flatten();
        self.floats =
            ends.all(|end| end.frame().is_some()) && self.members.iter().all(Member::floats);
        self.matrix.reset(&self.envelope);
    }

    /// Goes to a state.
    pub(super) fn place(&mut self, q: &[f64], v: &[f64]) {
        for (member, place) in self.members.iter_mut().zip(&self.places) {
            member.place(&q[place.q.clone()], &v[place.v.clone()]);
        }
        self.at.clear();
        for frame in &self.frames {
            let place = &self.places[frame.member];
            let (q, v) = (&q[place.q.clone()], &v[place.v.clone()]);
            self.at
                .push(self.members[frame.member].frame(frame.body, q, v));
        }
        self.rows.resize_with(self.holdings.len(), Rows::default);
        for (holding, rows) in self.holdings.iter().zip(&mut self.rows) {
            holding.write(&self.at, q, rows);
        }
    }

    /// J where it was placed last, M⁻¹ Jᵀ, and the factor of J M⁻¹ Jᵀ; whether there is one.
    pub(super) fn linearize(&mut self) -> bool {
        self.write_jacobian();
        let is_there = self.members.iter_mut().all(Member::factorize);
        self.factorize();
        is_there
    }

    fn write_jacobian(&mut self) {
        self.jacobian.fill(0.0);
        for (at, holding) in self.holdings.iter().enumerate() {
            match holding {
                Holding::Joint(joint) => {
                    for (end, sign) in [(0, -1.0), (1, 1.0)] {
                        let Some(frame) = joint.ends[end].frame() else {
                            continue;
                        };
                        let Frame { member, body } = self.frames[frame];
                        let mut blocks = self.blocks[at].iter();
                        let Some(block) = blocks.find(|block| block.member == member) else {
                            continue;
                        };
                        let rows = &self.rows[at];
                        for row in 0..rows.count {
                            let direction = rows.direction[row] * sign;
                            let zero = Vector3::zeros();
                            let acting = match rows.measure[row] {
                                Measure::Points => [&rows.points[end], &direction, &zero],
                                _ => [&rows.points[end], &zero, &direction],
                            };
                            let out = &mut self.jacobian[block.row(row)];
                            let on = (body, &self.at[frame]);
                            self.members[member].add_force(on, acting, joint.size, out);
                        }
                    }
                }
                Holding::Coupling(coupling) => {
                    for &(_, dof, factor) in &coupling.terms {
                        for block in &self.blocks[at] {
                            let own = &self.places[block.member].v;
                            if own.contains(&dof) {
                                self.jacobian[block.start + dof - own.start] += factor;
                            }
                        }
                    }
                }
            }
        }
    }

    pub(super) fn factorize(&mut self) {
        self.matrix.clear();
        self.response.copy_from_slice(&self.jacobian);
        for (at, blocks) in self.blocks.iter().enumerate() {
            for block in blocks {
                for row in 0..self.rows[at].count {
                    let response = &mut self.response[block.row(row)];
                    self.members[block.member].respond(response);
                }
            }
        }
        for meeting in &self.incidence {
            for &(joint, number) in meeting {
                let own = &self.blocks[joint][number];
                for row in 0..self.rows[joint].count {
                    let response = &self.response[own.row(row)];
                    for &(other, number) in meeting.iter().filter(|(other, _)| *other <= joint) {
                        let others = &self.blocks[other][number];
                        for column in 0..self.rows[other].count {
                            let [i, j] =
                                [self.first_row[joint] + row, self.first_row[other] + column];
                            if j <= i {
                                let entry = dot(response, &self.jacobian[others.row(column)]);
                                self.matrix.add(i, j, entry);
                            }
                        }
                    }
                }
            }
        }
        let mut usual = std::mem::take(&mut self.scratch);
        usual.clear();
        for (at, rows) in self.rows.iter().enumerate() {
            let diagonal = |row: usize| self.matrix.diagonal(self.first_row[at] + row);
            let is_on_tree = |block: &Block| matches!(self.members[block.member], Member::Tree(_));
            let is_on_tree = self.blocks[at].iter().any(is_on_tree);
            for row in 0..rows.count {
                // Rows of a tree may say next to nothing; others of their joint tell.
                let alike = (0..rows.count).filter(|&other| {
                    other == row || is_on_tree && rows.measure[other] == rows.measure[row]
                });
                usual.push(alike.map(diagonal).fold(0.0, f64::max));
            }
        }
        self.matrix.factorize(usual.iter().copied());
        self.scratch = usual;
    }

    /// Largest error of position where it was placed last, relative.
    pub(super) fn worst_error(&self) -> f64 {
        let errors = self.rows.iter().map(|rows| rows.relative);
        errors.fold(0.0, f64::max)
    }

    /// Accelerations where it was placed last; what joints exert. `None` where there are none.
    pub(super) fn accelerate(
        &mut self,
        [q, v]: [&[f64]; 2],
        rates: &mut [f64],
        reactions: &mut Vec<Reaction>,
    ) -> Option<Power> {
        let power = self.push_freely([q, v], rates)?;
        let mut right = std::mem::take(&mut self.solution);
        right.clear();
        for (at, rows) in self.rows.iter().enumerate() {
            for row in 0..rows.count {
                right.push(-rows.drift[row] - self.measured(at, row, rates));
            }
        }
        self.matrix.solve(&mut right);
        self.add_response(&right, rates);
        reactions.clear();
        for (rows, &first) in self.rows.iter().zip(&self.first_row) {
            let mut reaction = Reaction::default();
            for row in 0..rows.count {
                let part = rows.direction[row] * right[first + row];
                match rows.measure[row] {
                    Measure::Points | Measure::Sum => reaction.force += part,
                    Measure::Spin => reaction.torque += part,
                }
            }
            reactions.push(reaction);
        }
        self.solution = right;
        Some(power)
    }

    /// Accelerations without joints.
    pub(super) fn push_freely(&mut self, [q, v]: [&[f64]; 2], rates: &mut [f64]) -> Option<Power> {
        let mut power = Power::default();
        for (member, place) in self.members.iter_mut().zip(&self.places) {
            let (q, v) = (&q[place.q.clone()], &v[place.v.clone()]);
            let own = member.accelerate(&self.gravity, q, v, &mut rates[place.v.clone()])?;
            power.all += own;
            if let Member::Tree(_) = member {
                power.trees += own;
            }
        }
        for spring in 0..self.springs.len() {
            power.all += self.pull(spring, rates);
        }
        Some(power)
    }

    /// What a row measures of velocities or accelerations.
    fn measured(&self, joint: usize, row: usize, rates: &[f64]) -> f64 {
        let blocks = self.blocks[joint].iter();
        let of = |block: &Block| {
            let own = self.places[block.member].v.clone();
            dot(&self.jacobian[block.row(row)], &rates[own])
        };
        blocks.map(of).sum()
    }

    /// Adds M⁻¹ Jᵀ λ.
    fn add_response(&self, lambda: &[f64], rates: &mut [f64]) {
        for (at, blocks) in self.blocks.iter().enumerate() {
            for block in blocks {
                let own = &mut rates[self.places[block.member].v.clone()];
                for row in 0..self.rows[at].count {
                    let lambda = lambda[self.first_row[at] + row];
                    for (rate, value) in own.iter_mut().zip(&self.response[block.row(row)]) {
                        *rate += value * lambda;
                    }
                }
            }
        }
    }

    /// Brings velocities to what joints allow, at the last linearisation.
    pub(super) fn project_velocities(&mut self, v: &mut [f64]) {
        let mut right = std::mem::take(&mut self.solution);
        right.clear();
        for (at, rows) in self.rows.iter().enumerate() {
            for row in 0..rows.count {
                right.push(-self.measured(at, row, v));
            }
        }
        self.matrix.solve(&mut right);
        self.add_response(&right, v);
        self.solution = right;
    }

    /// One step of Newton's method towards φ = 0 with the factor of the last linearisation; velocities turn with
    /// their bodies.
    pub(super) fn project_positions(&mut self, q: &mut [f64], v: &[f64]) {
        let mut right = std::mem::take(&mut self.solution);
        right.clear();
        for rows in &self.rows {
            right.extend(rows.error[..rows.count].iter().map(|error| -error));
        }
        self.matrix.solve(&mut right);
        let mut way = std::mem::take(&mut self.scratch);
        way.clear();
        way.resize(v.len(), 0.0);
        self.add_response(&right, &mut way);
        self.solution = right;
        let mut from = std::mem::take(&mut self.from);
        from.clear();
        from.extend_from_slice(q);
        self.displace(&from, &way, q);
        self.from = from;
        self.scratch = way;
        self.place(q, v);
    }

    /// Writes q ⊕ u.
    pub(super) fn displace(&mut self, q: &[f64], u: &[f64], to: &mut [f64]) {
        for (member, place) in self.members.iter_mut().zip(&self.places) {
            let (own, to) = (place.q.clone(), &mut to[place.q.clone()]);
            member.displace(&q[own], &u[place.v.clone()], to);
        }
    }

    /// Writes Jr(u)⁻¹ v.
    pub(super) fn exponential_rate(&mut self, u: &[f64], v: &[f64], to: &mut [f64]) {
        for (member, place) in self.members.iter_mut().zip(&self.places) {
            let own = place.v.clone();
            member.exponential_rate(&u[own.clone()], &v[own.clone()], &mut to[own]);
        }
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
