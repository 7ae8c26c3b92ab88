//! Forces on a tree that is on a free path: drives, damping, springs, pushes.

use std::ops::Range;

use stiction_dynamics::{Force, JointSpaceForces, Model, StiffForces, TreeView};
use stiction_modeling::{Saturation, Tracking};

use super::joints::{BallSpring, JointForces};
use crate::drive::Wrench;

/// Times the step at which a damper's rate, or the frequency of a spring, is too fast for an explicit rule:
/// RK4 is stable up to 2.8 and precise up to about a fifth of it.
const STIFF: f64 = 0.5;

/// Forces of one tree in a step; made anew for each. Keeps its storage.
#[derive(Debug, Clone)]
pub(crate) struct TreeForces {
    /// Inertia that each degree of freedom moves at least.
    inertias: Vec<f64>,
    /// The tree's degrees of freedom and bodies.
    dofs: Range<usize>,
    bodies: Range<usize>,
    laws: Vec<DofLaw>,
    balls: Vec<(BallSpring, bool)>,
    wrenches: Vec<Force>,
    is_pushed: bool,
    has_stiff: bool,
    is_driven: bool,
    step: f64,
}

/// What acts on one degree of freedom.
#[derive(Debug, Clone, Copy, Default)]
struct DofLaw {
    /// Its coordinate in q, where it has one.
    position: Option<usize>,
    drive: Tracking,
    effort_limit: f64,
    damping: f64,
    stiffness: f64,
    reference: f64,
    is_stiff: bool,
    /// The piece of a stiff drive that acts.
    piece: Saturation,
}

impl DofLaw {
    fn at(&self, q: &[f64]) -> f64 {
        self.position.map_or(0.0, |at| q[at])
    }

    /// Torque of the drive without its limit, N·m.
    fn drive(&self, position: f64, velocity: f64) -> f64 {
        self.drive.feed_forward
            + self.drive.stiffness * (self.drive.position - position)
            + self.drive.damping * (self.drive.velocity - velocity)
    }

    /// What the drive may exert, N·m.
    fn limits(&self) -> [f64; 2] {
        [-self.effort_limit, self.effort_limit]
    }

    /// A drive at its limit, which does not feel its gains, N·m.
    fn saturated(&self) -> Option<f64> {
        self.piece.limit(self.limits())
    }
}

impl TreeForces {
    pub(super) fn new(model: &Model, inertias: Vec<f64>) -> Self {
        Self {
            inertias,
            dofs: 0..0,
            bodies: 0..0,
            laws: vec![DofLaw::default(); model.nv()],
            balls: Vec::new(),
            wrenches: vec![Force::zero(); model.n_bodies()],
            is_pushed: false,
            has_stiff: false,
            is_driven: false,
            step: 0.0,
        }
    }

    /// Takes a tree's own damping and springs.
    pub(super) fn begin(
        &mut self,
        model: &Model,
        joints: &JointForces,
        view: &TreeView,
        step: f64,
    ) {
        self.dofs = view.dofs.clone();
        self.bodies = view.bodies.clone();
        self.step = step;
        for dof in self.dofs.clone() {
            let own = &model.dof_properties()[dof];
            let position = joints.position_of_dof[dof];
            let stiffness = position.map_or(0.0, |_| own.stiffness);
            self.laws[dof] = DofLaw {
                position,
                effort_limit: own.effort_limit,
                damping: own.damping,
                stiffness,
                reference: own.reference,
                ..DofLaw::default()
            };
        }
        let springs = joints.ball_springs.iter();
        let own = springs.filter(|ball| self.dofs.contains(&ball.dof));
        self.balls.clear();
        self.balls.extend(own.map(|ball| (*ball, false)));
    }

    /// Takes the drives of the robot's degrees of freedom.
    pub(super) fn drive(&mut self, drives: &[Tracking]) {
        for dof in self.dofs.clone() {
            let law = &mut self.laws[dof];
            law.drive = drives[dof];
            if law.position.is_none() {
                law.drive.stiffness = 0.0;
            }
        }
    }

    /// Takes the forces on the robot's links, world axes.
    pub(super) fn push(&mut self, wrenches: &[Wrench]) {
        self.is_pushed = false;
        for body in self.bodies.clone() {
            let Wrench { force, torque } = &wrenches[body];
            self.wrenches[body] = Force::new(*force, *torque);
            self.is_pushed |= force.norm() + torque.norm() > 0.0;
        }
    }

    /// Decides from the state at the start which degrees of freedom are stiff, and guesses which of their
    /// drives are at their limits.
    pub(super) fn choose(&mut self, [q, v]: [&[f64]; 2]) {
        (self.has_stiff, self.is_driven) = (false, false);
        let is_stiff = |stiffness: f64, damping: f64, inertia: f64, step: f64| {
            step * damping > STIFF * inertia || step * step * stiffness > STIFF * STIFF * inertia
        };
        for (ball, ball_is_stiff) in &mut self.balls {
            let inertia = self.inertias[ball.dof];
            *ball_is_stiff = is_stiff(ball.stiffness, 0.0, inertia, self.step);
            self.has_stiff |= *ball_is_stiff;
        }
        for dof in self.dofs.clone() {
            let law = &mut self.laws[dof];
            let stiffness = law.stiffness + law.drive.stiffness;
            let damping = law.damping + law.drive.damping;
            law.is_stiff = is_stiff(stiffness, damping, self.inertias[dof], self.step);
            if law.is_stiff {
                let drive = law.drive(law.at(q) + self.step * v[dof], v[dof]);
                law.piece = Saturation::of(drive, law.limits());
                self.has_stiff = true;
                self.is_driven |= law.drive != Tracking::default();
            }
        }
    }

    /// Looks at the end of the path that was found: whether a stiff drive turned out to be on another
    /// piece.
    pub(super) fn revise(&mut self, (q, v): (&[f64], &[f64])) -> bool {
        let mut is_revised = false;
        for dof in self.dofs.clone() {
            let law = &mut self.laws[dof];
            if law.is_stiff && law.effort_limit.is_finite() {
                let piece = law
                    .piece
                    .revised(law.drive(law.at(q), v[dof]), law.limits());
                is_revised |= piece != law.piece;
                law.piece = piece;
            }
        }
        is_revised
    }
}

impl JointSpaceForces for TreeForces {
    fn torque(&self, q: &[f64], v: &[f64], tau: &mut [f64]) -> f64 {
        let mut power = 0.0;
        for dof in self.dofs.clone() {
            let law = &self.laws[dof];
            tau[dof] = 0.0;
            if law.is_stiff {
                continue;
            }
            let (position, limit) = (law.at(q), law.effort_limit);
            let drive = law.drive(position, v[dof]).clamp(-limit, limit);
            let outer = drive - law.damping * v[dof];
            tau[dof] = outer + law.stiffness * (law.reference - position);
            power += outer * v[dof];
        }
        for (ball, _) in self.balls.iter().filter(|(_, is_stiff)| !is_stiff) {
            let turn = ball.turn(q);
            for axis in 0..3 {
                tau[ball.dof + axis] -= ball.stiffness * turn[axis];
            }
        }
        power
    }

    fn potential(&self, q: &[f64]) -> f64 {
        let mut energy = 0.0;
        for law in self.laws[self.dofs.clone()]
            .iter()
            .filter(|law| !law.is_stiff)
        {
            let stretch = law.at(q) - law.reference;
            energy += 0.5 * law.stiffness * stretch * stretch;
        }
        for (ball, _) in self.balls.iter().filter(|(_, is_stiff)| !is_stiff) {
            energy += 0.5 * ball.stiffness * ball.turn(q).norm_squared();
        }
        energy
    }

    fn wrenches(&self) -> Option<&[Force]> {
        self.is_pushed.then_some(&self.wrenches)
    }

    fn stiff(&self) -> Option<&dyn StiffForces> {
        self.has_stiff.then_some(self)
    }
}

impl StiffForces for TreeForces {
    fn add_torque(&self, q: &[f64], v: &[f64], tau: &mut [f64]) {
        for dof in self.dofs.clone() {
            let law = &self.laws[dof];
            if law.is_stiff {
                let position = law.at(q);
                let drive = law
                    .saturated()
                    .unwrap_or_else(|| law.drive(position, v[dof]));
                let spring = law.stiffness * (law.reference - position);
                tau[dof] += drive + spring - law.damping * v[dof];
            }
        }
        for (ball, _) in self.balls.iter().filter(|(_, is_stiff)| *is_stiff) {
            let turn = ball.turn(q);
            for axis in 0..3 {
                tau[ball.dof + axis] -= ball.stiffness * turn[axis];
            }
        }
    }

    fn gains(&self, dof: usize) -> [f64; 2] {
        let law = &self.laws[dof];
        let mut gains = [0.0; 2];
        if law.is_stiff {
            gains = match law.saturated() {
                Some(_) => [law.stiffness, law.damping],
                None => [
                    law.stiffness + law.drive.stiffness,
                    law.damping + law.drive.damping,
                ],
            };
        }
        let holds = |ball: &BallSpring| (ball.dof..ball.dof + 3).contains(&dof);
        let balls = self
            .balls
            .iter()
            .filter(|(ball, is_stiff)| *is_stiff && holds(ball));
        gains[0] += balls.map(|(ball, _)| ball.stiffness).sum::<f64>();
        gains
    }

    fn are_driven(&self) -> bool {
        self.is_driven
    }
}
