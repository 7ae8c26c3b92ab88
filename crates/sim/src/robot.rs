//! Articulated robots: a kinematic model, its trees as subsystems, its joints' rows.

use nalgebra::{Isometry3, Quaternion, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};
use stiction_constraints::stabilization::{equality_error, joint_friction_bound};
use stiction_constraints::{Law, Tree, TreeBody};
use stiction_dynamics::{
    BodyId, Data, DofProperties, Force, JointDescription, JointKind, Model, TreeView,
    bias_from_kinematics, forward_kinematics_velocity, jacobians_from_kinematics,
};

use crate::control::{Tracking, Wrench};
use crate::error::{Result, SimError};
use crate::limits::{is_far_inside, velocity_interval};
use crate::rows::{Key, RowBuffer};
use crate::settings::Settings;
use crate::state::{RobotState, Twist};

/// A robot of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RobotHandle(pub(crate) usize);

impl RobotHandle {
    /// Position among the world's robots.
    pub fn index(self) -> usize {
        self.0
    }
}

/// What drives a robot in a step.
pub(crate) struct Drive<'a> {
    /// Per degree of freedom.
    pub(crate) joints: &'a [Tracking],
    /// Per link.
    pub(crate) links: &'a [Wrench],
}

/// A robot and the buffers of its equations of motion.
#[derive(Debug, Clone)]
pub(crate) struct Robot {
    pub(crate) name: String,
    pub(crate) model: Model,
    /// Kinematics of the last [`place`](Self::place): a step relies on them.
    pub(crate) placed: Data,
    /// Kinematics of whatever was measured last.
    pub(crate) measured: Data,
    /// One per tree; subsystem `first_subsystem + t`.
    pub(crate) views: Vec<TreeView>,
    pub(crate) first_subsystem: usize,
    /// World body of the model's world; the model's body i is `first_body + i`.
    pub(crate) first_body: usize,
    ids: Vec<BodyId>,
    /// Coordinate of q that is the integral of each degree of freedom, where there is one.
    pub(crate) position_of_dof: Vec<Option<usize>>,
    /// Springs of spherical joints.
    ball_springs: Vec<BallSpring>,
    external: Vec<Force>,
    /// Torque that does not depend on v̂ and what joint space adds to A, per degree of freedom.
    torque: Vec<f64>,
    implicit: Vec<f64>,
    twists: Vec<stiction_dynamics::Motion>,
    momenta: Vec<Force>,
}

impl Robot {
    pub(crate) fn new(
        name: &str,
        model: Model,
        first_subsystem: usize,
        first_body: usize,
    ) -> Result<Self> {
        let ids: Vec<BodyId> = model.bodies().collect();
        let roots = ids
            .iter()
            .filter(|&&id| id != BodyId::WORLD && model.parent(id) == Some(BodyId::WORLD));
        let views = roots
            .map(|&root| TreeView::new(&model, root))
            .collect::<std::result::Result<Vec<_>, _>>()?;
        let mut position_of_dof = vec![None; model.nv()];
        let mut ball_springs = Vec::new();
        for joint in &model.description().joints {
            if !joint.kind.has_scalar_coordinates() {
                ball_springs.extend(BallSpring::of(name, joint, &model)?);
            } else if let Some(info) = model.joint(&joint.name) {
                for (q, v) in info.q.clone().zip(info.v.clone()) {
                    position_of_dof[v] = Some(q);
                }
            }
        }
        let most_bodies = views.iter().map(|view| view.parents.len()).max();
        Ok(Self {
            name: name.to_owned(),
            placed: Data::new(&model),
            measured: Data::new(&model),
            first_subsystem,
            first_body,
            position_of_dof,
            ball_springs,
            external: vec![Force::zero(); model.n_bodies()],
            torque: vec![0.0; model.nv()],
            implicit: vec![0.0; model.nv()],
            twists: vec![stiction_dynamics::Motion::zero(); most_bodies.unwrap_or(0)],
            momenta: vec![Force::zero(); most_bodies.unwrap_or(0)],
            views,
            ids,
            model,
        })
    }

    /// The robot's degree of freedom of a joint by name.
    pub(crate) fn dof(&self, joint: &str) -> Result<usize> {
        let info = self.model.joint(joint).ok_or_else(|| SimError::Unknown {
            what: "joint",
            name: format!("{}/{joint}", self.name),
        })?;
        if info.v.len() != 1 {
            return Err(SimError::NotPossible {
                element: format!("{}/{joint}", self.name),
                reason: format!("has {} degrees of freedom, not one", info.v.len()),
            });
        }
        Ok(info.v.start)
    }

    /// Poses and velocities of all links (the base first) at a configuration.
    pub(crate) fn place(
        &mut self,
        state: &RobotState,
        poses: &mut [Isometry3<f64>],
        twists: &mut [Twist],
    ) -> Result<()> {
        forward_kinematics_velocity(&self.model, &mut self.placed, &state.q, &state.v)?;
        for (i, &id) in self.ids.iter().enumerate() {
            let pose = self.placed.pose(id)?;
            let local = self.placed.velocity(id)?;
            poses[i] = pose.to_isometry();
            twists[i] = Twist {
                linear: pose.rotation * local.linear,
                angular: pose.rotation * local.angular,
            };
        }
        Ok(())
    }

    /// Velocities of all links for joint velocities `v` at the configuration `q`.
    pub(crate) fn twists_of(&mut self, q: &[f64], v: &[f64], twists: &mut [Twist]) -> Result<()> {
        forward_kinematics_velocity(&self.model, &mut self.measured, q, v)?;
        for (twist, &id) in twists.iter_mut().zip(&self.ids) {
            let pose = self.measured.pose(id)?;
            let local = self.measured.velocity(id)?;
            *twist = Twist {
                linear: pose.rotation * local.linear,
                angular: pose.rotation * local.angular,
            };
        }
        Ok(())
    }

    /// An empty tree subsystem of the right shape for each of the robot's trees.
    pub(crate) fn trees(&self) -> Result<Vec<Tree>> {
        self.views
            .iter()
            .map(|view| {
                let bodies = (0..view.parents.len())
                    .map(|body| TreeBody {
                        parent: view.parents[body],
                        joint_dofs: view.dof_start[body + 1] - view.dof_start[body],
                        inertia: nalgebra::Matrix6::identity(),
                    })
                    .collect();
                let dofs = view.columns.len();
                Tree::new(
                    bodies,
                    vec![nalgebra::Vector6::zeros(); dofs],
                    vec![0.0; dofs],
                )
                .map_err(|reason| SimError::NotPossible {
                    element: self.name.clone(),
                    reason,
                })
            })
            .collect()
    }

    /// Torques and joint-space diagonal of this step: A v̂ = … with the drive
    /// τ = feed-forward + K (q_d − q − dt v̂) + D (v_d − v̂), damping −d v̂ and the joint's own spring
    /// k (reference − q − dt v̂).
    fn prepare_joints(&mut self, state: &RobotState, commands: &[Tracking], dt: f64) {
        let properties = self.model.dof_properties();
        for dof in 0..self.torque.len() {
            let command = &commands[dof];
            let position = self.position_of_dof[dof].map_or(0.0, |q| state.q[q]);
            let stiffness = match self.position_of_dof[dof] {
                Some(_) => command.stiffness,
                None => 0.0,
            };
            let deflection = command.position - position;
            let limit = properties[dof].effort_limit;
            let drive =
                command.feed_forward + stiffness * deflection + command.damping * command.velocity;
            let now = drive - command.damping * state.v[dof];
            let damping = properties[dof].damping;
            if now.abs() > limit {
                // A drive at its limit does not feel its gains.
                self.torque[dof] = now.clamp(-limit, limit);
                self.implicit[dof] = dt * damping;
            } else {
                self.torque[dof] = drive;
                self.implicit[dof] = dt * (damping + command.damping) + dt * dt * stiffness;
            }
            let spring = properties[dof].stiffness;
            if self.position_of_dof[dof].is_some() && spring > 0.0 {
                self.torque[dof] += spring * (properties[dof].reference - position);
                self.implicit[dof] += dt * dt * spring;
            }
        }
        // The gradient of k θ²/2 with θ the angle of the rotation is k times its rotation vector,
        // in the axes of either end.
        for ball in &self.ball_springs {
            let turn = ball.turn(&state.q);
            for axis in 0..3 {
                self.torque[ball.dof + axis] -= ball.stiffness * turn[axis];
                self.implicit[ball.dof + axis] += dt * dt * ball.stiffness;
            }
        }
    }

    /// Energy of the joints' own springs, J.
    pub(crate) fn spring_energy(&self, state: &RobotState) -> f64 {
        let mut energy = 0.0;
        for (properties, q) in self
            .model
            .dof_properties()
            .iter()
            .zip(&self.position_of_dof)
        {
            if let Some(q) = *q {
                let stretch = state.q[q] - properties.reference;
                energy += 0.5 * properties.stiffness * stretch * stretch;
            }
        }
        for ball in &self.ball_springs {
            energy += 0.5 * ball.stiffness * ball.turn(&state.q).norm_squared();
        }
        energy
    }

    /// Fills A and b of every tree: A = M/(1 − θ) + implicit gains,
    /// b = M v/(1 − θ) + dt (τ − h).
    ///
    /// `state` is that of the start of the step; the pass linearises where the robot was
    /// [placed](Self::place), `at`.
    pub(crate) fn assemble(
        &mut self,
        [state, at]: [&RobotState; 2],
        drive: &Drive<'_>,
        settings: &Settings,
        b: &mut [f64],
        mut fill: impl FnMut(usize, &TreeView, &[f64], &[f64]) -> Result<()>,
    ) -> Result<()> {
        let dt = settings.time_step;
        self.prepare_joints(state, drive.joints, dt);
        jacobians_from_kinematics(&self.model, &mut self.placed)?;
        for (i, wrench) in drive.links.iter().enumerate() {
            let pose = self.placed.pose(self.ids[i])?;
            self.external[i] = Force::new(
                pose.rotation.tr_mul(&wrench.force),
                pose.rotation.tr_mul(&wrench.torque),
            );
        }
        for view in &mut self.views {
            view.update(&self.model, &self.placed)?;
        }
        let bias = bias_from_kinematics(&self.model, &mut self.placed, &at.v, &self.external)?;
        for dof in 0..self.torque.len() {
            b[dof] = dt * (self.torque[dof] - bias[dof]);
        }
        for (tree, view) in self.views.iter().enumerate() {
            let (twists, momenta) = (&mut self.twists, &mut self.momenta);
            let v = &state.v[view.dofs.clone()];
            let b = &mut b[view.dofs.clone()];
            add_momentum(view, v, 1.0 / (1.0 - settings.theta), twists, momenta, b);
            fill(tree, view, &self.implicit[view.dofs.clone()], b)?;
        }
        Ok(())
    }

    /// Limits, dry friction and couplings of the joints, as rows.
    pub(crate) fn push_rows(
        &self,
        index: usize,
        state: &RobotState,
        settings: &Settings,
        rows: &mut RowBuffer,
    ) -> Result<()> {
        let dt = settings.time_step;
        for (tree, view) in self.views.iter().enumerate() {
            let subsystem = self.first_subsystem + tree;
            for dof in view.dofs.clone() {
                let local = dof - view.dofs.start;
                let properties = &self.model.dof_properties()[dof];
                let speed = properties.velocity_limit;
                let mut interval = [-speed, speed];
                if let Some(q) = self.position_of_dof[dof] {
                    let limits = [properties.lower, properties.upper];
                    interval = velocity_interval(state.q[q], state.q[q], limits, speed, settings);
                }
                if interval[0].is_finite() || interval[1].is_finite() {
                    let law = Law::JointLimit {
                        lower: interval[0],
                        upper: interval[1],
                    };
                    let key = Key::limit(index, dof);
                    rows.push_dofs(key, law, 0.0, subsystem, &[local], &[1.0]);
                    rows.set_dormant(is_far_inside(interval, state.v[dof]));
                }
                if properties.friction_loss > 0.0 {
                    let law = Law::JointFriction {
                        bound: joint_friction_bound(properties.friction_loss, dt),
                    };
                    rows.push_dofs(
                        Key::friction(index, dof),
                        law,
                        0.0,
                        subsystem,
                        &[local],
                        &[1.0],
                    );
                }
            }
        }
        for (number, coupling) in self.model.couplings().iter().enumerate() {
            let violation = coupling.position_error(&state.q)?;
            let error = equality_error(violation, dt, settings.baumgarte);
            let key = Key::coupling(index, number);
            rows.begin_dofs(key, Law::Equality, error);
            for (tree, view) in self.views.iter().enumerate() {
                let terms = coupling
                    .terms
                    .iter()
                    .filter(|term| view.dofs.contains(&term.dof));
                let mut terms = terms.peekable();
                if terms.peek().is_some() {
                    let terms = terms.map(|term| (term.dof - view.dofs.start, term.coefficient));
                    rows.add_dofs(self.first_subsystem + tree, terms);
                }
            }
        }
        Ok(())
    }

    /// Which of the robot's bodies is which in the model.
    pub(crate) fn ids(&self) -> &[BodyId] {
        &self.ids
    }

    /// World position of a tree's reference point, m.
    pub(crate) fn reference(&self, tree: usize) -> Vector3<f64> {
        self.views[tree].reference_point
    }
}

/// The spring of a spherical joint, slack without rotation.
#[derive(Debug, Clone, Copy)]
struct BallSpring {
    /// First of its four coordinates, a quaternion (x, y, z, w).
    q: usize,
    /// First of its three degrees of freedom.
    dof: usize,
    /// N·m/rad.
    stiffness: f64,
}

impl BallSpring {
    /// The spring of a joint whose coordinates are no numbers of their own, if it has one.
    fn of(robot: &str, joint: &JointDescription, model: &Model) -> Result<Option<Self>> {
        let refuse = |reason: &str| {
            Err(SimError::NotPossible {
                element: format!("{robot}/{}", joint.name),
                reason: reason.to_owned(),
            })
        };
        let Some(info) = model.joint(&joint.name) else {
            return Ok(None);
        };
        let properties = &model.dof_properties()[info.v.clone()];
        if properties.iter().all(|dof| dof.stiffness == 0.0) {
            return Ok(None);
        }
        if joint.kind != JointKind::Spherical {
            return refuse("a planar or free joint cannot have a stiffness; add a spring instead");
        }
        let stiffness = properties[0].stiffness;
        let alike = |dof: &DofProperties| dof.stiffness == stiffness && dof.reference == 0.0;
        if !properties.iter().all(alike) {
            return refuse(
                "the spring of a spherical joint has one stiffness and the reference 0: it is slack \
                 without rotation",
            );
        }
        Ok(Some(Self {
            q: info.q.start,
            dof: info.v.start,
            stiffness,
        }))
    }

    /// Rotation vector of the joint, rad.
    fn turn(&self, q: &[f64]) -> Vector3<f64> {
        let q = &q[self.q..self.q + 4];
        UnitQuaternion::new_normalize(Quaternion::new(q[3], q[0], q[1], q[2])).scaled_axis()
    }
}

/// b += factor · M v, by momenta: twists from the root outwards, momenta back inwards.
fn add_momentum(
    view: &TreeView,
    v: &[f64],
    factor: f64,
    twists: &mut [stiction_dynamics::Motion],
    momenta: &mut [Force],
    b: &mut [f64],
) {
    for body in 0..view.parents.len() {
        let mut twist =
            view.parents[body].map_or(stiction_dynamics::Motion::zero(), |parent| twists[parent]);
        for dof in view.dof_start[body]..view.dof_start[body + 1] {
            twist += view.columns[dof] * v[dof];
        }
        twists[body] = twist;
        momenta[body] = view.inertias[body].mul(&twist);
    }
    for body in (0..view.parents.len()).rev() {
        let momentum = momenta[body];
        for dof in view.dof_start[body]..view.dof_start[body + 1] {
            b[dof] += factor * (view.columns[dof].dot(&momentum) + view.diagonal[dof] * v[dof]);
        }
        if let Some(parent) = view.parents[body] {
            momenta[parent] += momentum;
        }
    }
}
