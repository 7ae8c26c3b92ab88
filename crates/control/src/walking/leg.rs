//! Kinematics of one leg.

use nalgebra::{Matrix3, Matrix6xX, Vector3};
use stiction_sim::dynamics::{
    Data, FrameId, Model, ReferenceFrame, frame_jacobian, frame_placement, joint_jacobians,
};
use stiction_sim::{BodyHandle, Result, RobotHandle, SimError, World};

/// Steps of the search for the joints of a leg, and where it ends, m.
const MOST_STEPS: usize = 20;
const CLOSE: f64 = 1e-9;
/// Damping of its least squares in parts of the Jacobian's size, and the longest step of a joint, rad.
const DAMPING: f64 = 1e-3;
const LONGEST_STEP: f64 = 0.2;

/// A leg by its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LegNames<'a> {
    /// Its three joints.
    pub joints: [&'a str; 3],
    /// The link or frame whose origin is the middle of the foot.
    pub foot: &'a str,
}

/// A leg of a robot.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leg {
    pub(super) dofs: [usize; 3],
    coordinates: [usize; 3],
    foot: FrameId,
    /// What touches the ground.
    pub(super) body: BodyHandle,
}

impl Leg {
    pub(super) fn new(world: &World, robot: RobotHandle, names: &LegNames<'_>) -> Result<Self> {
        let model = world.model(robot)?;
        let (mut dofs, mut coordinates) = ([0; 3], [0; 3]);
        for (place, name) in names.joints.iter().enumerate() {
            dofs[place] = world.dof(robot, name)?;
            coordinates[place] = model.joint(name).map_or(0, |joint| joint.q.start);
        }
        let foot = model.frame_id(names.foot);
        let foot = foot.ok_or_else(|| SimError::Unknown {
            what: "link",
            name: names.foot.to_owned(),
        })?;
        // A foot that is fixed to its shank is one body with it.
        let carrier = model.body_name(model.frame(foot)?.body).unwrap_or_default();
        let body = format!("{}/{carrier}", world.robot_name(robot)?);
        Ok(Self {
            dofs,
            coordinates,
            foot,
            body: world.find_body(&body)?,
        })
    }

    /// Its joints in a configuration, rad.
    pub(super) fn joints(&self, q: &[f64]) -> [f64; 3] {
        self.coordinates.map(|at| q[at])
    }
}

/// Work space of the kinematics of all legs.
#[derive(Debug, Clone)]
pub(super) struct LegKinematics {
    data: Data,
    jacobian: Matrix6xX<f64>,
    q: Vec<f64>,
}

impl LegKinematics {
    pub(super) fn new(model: &Model) -> Self {
        Self {
            data: Data::new(model),
            jacobian: Matrix6xX::zeros(model.nv()),
            q: model.neutral(),
        }
    }

    /// Places the robot.
    pub(super) fn place(&mut self, model: &Model, q: &[f64]) -> Result<()> {
        self.q.copy_from_slice(q);
        Ok(joint_jacobians(model, &mut self.data, &self.q)?)
    }

    /// Where the foot is, world, m.
    pub(super) fn foot(&self, model: &Model, leg: &Leg) -> Result<Vector3<f64>> {
        Ok(frame_placement(model, &self.data, leg.foot)?.translation)
    }

    /// Velocity of the foot against the trunk by the rates of the leg's joints, world axes.
    pub(super) fn jacobian(&mut self, model: &Model, leg: &Leg) -> Result<Matrix3<f64>> {
        let axes = ReferenceFrame::LocalWorldAligned;
        frame_jacobian(model, &self.data, leg.foot, axes, &mut self.jacobian)?;
        Ok(Matrix3::from_columns(&leg.dofs.map(|dof| {
            self.jacobian.column(dof).fixed_rows::<3>(0).into_owned()
        })))
    }

    /// Joints (rad) that bring the foot as near to a place (world, m) as it goes, found from joints nearby, with
    /// the trunk where it was placed. The robot has to be placed again afterwards.
    pub(super) fn joints_for(
        &mut self,
        model: &Model,
        leg: &Leg,
        place: &Vector3<f64>,
        near: [f64; 3],
    ) -> Result<[f64; 3]> {
        let mut joints = near;
        for _ in 0..MOST_STEPS {
            for (&at, &joint) in leg.coordinates.iter().zip(&joints) {
                self.q[at] = joint;
            }
            joint_jacobians(model, &mut self.data, &self.q)?;
            let error = place - self.foot(model, leg)?;
            if error.norm() < CLOSE {
                break;
            }
            let jacobian = self.jacobian(model, leg)?;
            let damping = (DAMPING * jacobian.norm()).powi(2);
            let normal = jacobian * jacobian.transpose() + Matrix3::identity() * damping;
            let Some(factor) = normal.cholesky() else {
                break;
            };
            let step = jacobian.transpose() * factor.solve(&error);
            for (place, joint) in joints.iter_mut().enumerate() {
                let limits = &model.dof_properties()[leg.dofs[place]];
                let to = *joint + step[place].clamp(-LONGEST_STEP, LONGEST_STEP);
                *joint = to.max(limits.lower).min(limits.upper);
            }
        }
        Ok(joints)
    }
}
