//! Inverse kinematics of an arm: damped least squares that keep to the limits of the joints.

use nalgebra::{Matrix6, Matrix6xX, Vector6};
use stiction_sim::dynamics::{
    Data, FrameId, Model, ReferenceFrame, frame_jacobian, frame_placement, gravity_torque,
    joint_jacobians,
};
use stiction_sim::{Isometry3, Result, SimError, Vector3};

/// Where the search ends, m and rad: far below what anybody asks for, as its steps converge fast and
/// velocities come from differences.
const CLOSE: f64 = 1e-9;
/// Steps that a search may take.
const MOST_STEPS: usize = 500;
/// Steps after which joints at their limits are left out: most searches only graze a limit, and arrive without.
const PLAIN_STEPS: usize = 100;
/// Damping of the least squares, m and rad.
const DAMPING: f64 = 1e-2;
/// How far a joint moves at most in one step of the search, rad or m.
const LONGEST_STEP: f64 = 0.2;

/// Finds the joints that bring a link to a pose, starting from where they are.
///
/// It works on a configuration of its own: the whole robot's, of which it moves the joints of the arm.
#[derive(Debug, Clone)]
pub struct InverseKinematics {
    data: Data,
    hand: FrameId,
    /// Places of the joints in v and in q.
    dofs: Vec<usize>,
    coordinates: Vec<usize>,
    q: Vec<f64>,
    jacobian: Matrix6xX<f64>,
    /// Per joint: whether it stays at its limit in the step at hand.
    blocked: Vec<bool>,
}

impl InverseKinematics {
    /// For the link (or frame) `hand`, moved by `joints` of one degree of freedom each; the search begins with
    /// the robot at `q` and these joints at `near` (rad or m).
    ///
    /// # Errors
    /// A link or joint that does not exist, a configuration of another robot.
    pub fn new(
        model: &Model,
        q: &[f64],
        hand: &str,
        joints: &[&str],
        near: &[f64],
    ) -> Result<Self> {
        let hand = model.frame_id(hand).ok_or_else(|| SimError::Unknown {
            what: "link",
            name: hand.to_owned(),
        })?;
        if q.len() != model.nq() || near.len() != joints.len() {
            return Err(SimError::NotPossible {
                element: model.name().to_owned(),
                reason: format!(
                    "has {} coordinates and the arm {} joints, not {} and {}",
                    model.nq(),
                    joints.len(),
                    q.len(),
                    near.len()
                ),
            });
        }
        let mut q = q.to_vec();
        let (mut dofs, mut coordinates) = (Vec::new(), Vec::new());
        for (name, &near) in joints.iter().zip(near) {
            let joint = model.joint(name).filter(|joint| joint.v.len() == 1);
            let joint = joint.ok_or_else(|| SimError::Unknown {
                what: "joint with one degree of freedom",
                name: (*name).to_owned(),
            })?;
            dofs.push(joint.v.start);
            coordinates.push(joint.q.start);
            q[joint.q.start] = near;
        }
        Ok(Self {
            data: Data::new(model),
            jacobian: Matrix6xX::zeros(model.nv()),
            blocked: vec![false; dofs.len()],
            hand,
            dofs,
            coordinates,
            q,
        })
    }

    /// The arm's degrees of freedom, places in v.
    pub fn dofs(&self) -> &[usize] {
        &self.dofs
    }

    /// The arm's joints as they were found last, rad or m.
    pub fn joints(&self) -> impl ExactSizeIterator<Item = f64> + '_ {
        self.coordinates.iter().map(|&at| self.q[at])
    }

    /// Goes on from other joints (rad or m).
    pub fn set_joints(&mut self, joints: &[f64]) {
        for (&at, &joint) in self.coordinates.iter().zip(joints) {
            self.q[at] = joint;
        }
    }

    /// Pose of the hand with the joints as they were found last.
    ///
    /// # Errors
    /// Another model than that it was made for.
    pub fn pose(&mut self, model: &Model) -> Result<Isometry3<f64>> {
        joint_jacobians(model, &mut self.data, &self.q)?;
        Ok(frame_placement(model, &self.data, self.hand)?.to_isometry())
    }

    /// Pose of the hand where the whole robot is at `q`, without changing the joints that were found.
    ///
    /// # Errors
    /// A configuration of another robot.
    pub fn pose_at(&mut self, model: &Model, q: &[f64]) -> Result<Isometry3<f64>> {
        joint_jacobians(model, &mut self.data, q)?;
        Ok(frame_placement(model, &self.data, self.hand)?.to_isometry())
    }

    /// Moves the hand to a pose in the robot's frame as far as it goes, and says by how much it misses (the
    /// largest of m and rad along the axes).
    ///
    /// # Errors
    /// Another model than that it was made for.
    pub fn go_to(&mut self, model: &Model, goal: &Isometry3<f64>) -> Result<f64> {
        let mut miss = f64::INFINITY;
        for step in 0..MOST_STEPS {
            joint_jacobians(model, &mut self.data, &self.q)?;
            let error = self.error(model, goal)?;
            miss = error.amax();
            if miss < CLOSE {
                break;
            }
            self.step(model, &error, step >= PLAIN_STEPS)?;
        }
        Ok(miss)
    }

    /// From the hand to the goal, in world axes: along (m), about (rad).
    fn error(&self, model: &Model, goal: &Isometry3<f64>) -> Result<Vector6<f64>> {
        let now = frame_placement(model, &self.data, self.hand)?.to_isometry();
        let along = goal.translation.vector - now.translation.vector;
        let about: Vector3<f64> = (goal.rotation * now.rotation.inverse()).scaled_axis();
        Ok(Vector6::new(
            along.x, along.y, along.z, about.x, about.y, about.z,
        ))
    }

    /// dq = Jᵀ (J Jᵀ + k² 1)⁻¹ e, where k falls with the error: far from singular poses it is Newton's. Joints
    /// that would leave their range stay at its end; where `blocks`, the others are asked again without them.
    fn step(&mut self, model: &Model, error: &Vector6<f64>, blocks: bool) -> Result<()> {
        let world_axes = ReferenceFrame::LocalWorldAligned;
        frame_jacobian(model, &self.data, self.hand, world_axes, &mut self.jacobian)?;
        self.blocked.fill(false);
        for _ in 0..=self.dofs.len() {
            let Some(push) = self.push(error) else {
                return Ok(());
            };
            if !(blocks && self.block(model, &push)) {
                self.advance(model, &push);
                return Ok(());
            }
        }
        Ok(())
    }

    /// (J Jᵀ + k² 1)⁻¹ e of the joints that move.
    fn push(&self, error: &Vector6<f64>) -> Option<Vector6<f64>> {
        let moving = self
            .dofs
            .iter()
            .zip(&self.blocked)
            .filter(|(_, blocked)| !**blocked);
        let columns = moving.map(|(&dof, _)| self.jacobian.column(dof));
        let normal: Matrix6<f64> = columns.map(|column| column * column.transpose()).sum();
        let damping = DAMPING * DAMPING * error.norm_squared().min(1.0);
        let damped = normal + Matrix6::identity() * damping.max(f64::EPSILON);
        Some(damped.cholesky()?.solve(error))
    }

    /// Blocks the joints at their limits that would go beyond; whether there were any.
    fn block(&mut self, model: &Model, push: &Vector6<f64>) -> bool {
        let mut any = false;
        for (place, (&dof, &coordinate)) in self.dofs.iter().zip(&self.coordinates).enumerate() {
            let limits = &model.dof_properties()[dof];
            let (at, way) = (self.q[coordinate], self.jacobian.column(dof).dot(push));
            let leaves = (at <= limits.lower && way < 0.0) || (at >= limits.upper && way > 0.0);
            if leaves && !self.blocked[place] {
                self.blocked[place] = true;
                any = true;
            }
        }
        any
    }

    fn advance(&mut self, model: &Model, push: &Vector6<f64>) {
        for (place, (&dof, &coordinate)) in self.dofs.iter().zip(&self.coordinates).enumerate() {
            if self.blocked[place] {
                continue;
            }
            let way = self.jacobian.column(dof).dot(push);
            let to = self.q[coordinate] + way.clamp(-LONGEST_STEP, LONGEST_STEP);
            let limits = &model.dof_properties()[dof];
            self.q[coordinate] = to.max(limits.lower).min(limits.upper);
        }
    }

    /// Torques of the arm's joints that exert a force (N) at a point (m) that moves with the hand, both in world axes,
    /// with the whole robot at `q`: Jᵀ f, in the order of [`dofs`](Self::dofs), N·m or N.
    ///
    /// # Errors
    /// A configuration of another robot.
    pub fn torques_of_force(
        &mut self,
        model: &Model,
        q: &[f64],
        [point, force]: [Vector3<f64>; 2],
        out: &mut [f64],
    ) -> Result<()> {
        let hand = self.pose_at(model, q)?.translation.vector;
        let world_axes = ReferenceFrame::LocalWorldAligned;
        frame_jacobian(model, &self.data, self.hand, world_axes, &mut self.jacobian)?;
        let torque = (point - hand).cross(&force);
        let wrench = Vector6::new(force.x, force.y, force.z, torque.x, torque.y, torque.z);
        for (out, &dof) in out.iter_mut().zip(&self.dofs) {
            *out = self.jacobian.column(dof).dot(&wrench);
        }
        Ok(())
    }

    /// Torques that hold the whole robot with the joints as they were found last, per degree of freedom, N·m or N.
    ///
    /// # Errors
    /// Another model than that it was made for.
    pub fn holding_torques(&mut self, model: &Model) -> Result<&[f64]> {
        Ok(gravity_torque(model, &mut self.data, &self.q)?)
    }
}
