//! What a mechanism is made of: free bodies and robots' trees, and where their numbers are in its vectors.

use std::ops::Range;

use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};
use stiction_dynamics::spatial::lie::{exp_rotation, rotation_rate};
use stiction_dynamics::{JointSpaceForces, Model, OneBody, TreeDynamics};

use crate::free_bodies::{read_pose, read_vector, write_pose};
use crate::robot::TreeForces;

/// A part of a mechanism.
#[derive(Debug)]
pub(super) enum Member {
    /// q is the centre of mass and the orientation, v the velocity of the centre in world axes and the angular
    /// velocity in those of the body.
    Body(Box<Body>),
    /// q and v are those of the tree.
    Tree(Box<Tree>),
}

/// What of a free body stays through a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Body {
    /// kg.
    pub(crate) mass: f64,
    /// About the centre of mass, body axes, kg·m², and its inverse.
    pub(crate) inertia: Matrix3<f64>,
    pub(crate) inverse_inertia: Matrix3<f64>,
    /// What takes the place of the latter where the stiffness of joints is in it.
    pub(crate) mobility: Matrix3<f64>,
    /// Force and torque from outside, world axes, N and N·m.
    pub(crate) force: Vector3<f64>,
    pub(crate) torque: Vector3<f64>,
}

/// A tree of a robot.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) model: Model,
    pub(super) dynamics: TreeDynamics,
    pub(super) forces: TreeForces,
}

/// Where the numbers of a member are.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) q: Range<usize>,
    pub(super) v: Range<usize>,
}

/// A body of a member on which joints are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) member: usize,
    /// Of a tree: its number in the model.
    pub(super) body: usize,
}

/// Where it is and how it moves, world axes: the centre of mass of a free body, the origin of a link.
#[derive(Debug, Clone, Copy)]
pub(super) struct FrameAt {
    pub(super) position: Vector3<f64>,
    pub(super) rotation: UnitQuaternion<f64>,
    pub(super) velocity: Vector3<f64>,
    pub(super) spin: Vector3<f64>,
    /// Accelerations while the velocities of its member stay, m/s² and rad/s².
    pub(super) bias: Vector3<f64>,
    pub(super) angular_bias: Vector3<f64>,
}

impl Member {
    /// Goes to a state: everything of a tree below is of the state where it was placed last.
    pub(super) fn place(&mut self, q: &[f64], v: &[f64]) {
        if let Self::Tree(tree) = self {
            tree.dynamics.place(&tree.model, q, v);
        }
    }

    pub(super) fn displace(&mut self, q: &[f64], u: &[f64], to: &mut [f64]) {
        match self {
            Self::Body(_) => {
                let (center, rotation) = read_pose(q);
                let turned = rotation * exp_rotation(&read_vector(&u[3..]));
                // Products of many turns lose their length.
                let turned = UnitQuaternion::new_normalize(turned.into_inner());
                write_pose(to, &(center + read_vector(u)), &turned);
            }
            Self::Tree(tree) => tree.dynamics.displace(&tree.model, q, u, to),
        }
    }

    pub(super) fn exponential_rate(&mut self, u: &[f64], v: &[f64], to: &mut [f64]) {
        match self {
            Self::Body(_) => {
                to[..3].copy_from_slice(&v[..3]);
                let rate = rotation_rate(&read_vector(&u[3..]), &read_vector(&v[3..]));
                to[3..].copy_from_slice(rate.as_slice());
            }
            Self::Tree(tree) => tree.dynamics.exponential_rate(&tree.model, u, v, to),
        }
    }

    /// A body of it at a state.
    pub(super) fn frame(&self, body: usize, q: &[f64], v: &[f64]) -> FrameAt {
        match self {
            Self::Body(_) => {
                let (position, rotation) = read_pose(q);
                FrameAt {
                    position,
                    rotation,
                    velocity: read_vector(v),
                    spin: rotation * read_vector(&v[3..]),
                    bias: Vector3::zeros(),
                    angular_bias: Vector3::zeros(),
                }
            }
            Self::Tree(tree) => {
                let at = tree.dynamics.frame(body);
                let rotation = Rotation3::from_matrix_unchecked(at.rotation);
                FrameAt {
                    position: at.position,
                    rotation: UnitQuaternion::from_rotation_matrix(&rotation),
                    velocity: at.velocity,
                    spin: at.spin,
                    bias: at.bias,
                    angular_bias: at.angular_bias,
                }
            }
        }
    }

    /// Adds what a force on a point of a body and a torque on the body, world axes, are by degrees of freedom.
    pub(super) fn add_force(
        &self,
        (body, at): (usize, &FrameAt),
        [point, force, torque]: [&Vector3<f64>; 3],
        size: f64,
        out: &mut [f64],
    ) {
        match self {
            Self::Body(_) => {
                let moment = torque + (point - at.position).cross(force);
                let moment = at.rotation.inverse() * moment;
                for axis in 0..3 {
                    out[axis] += force[axis];
                    out[3 + axis] += moment[axis];
                }
            }
            Self::Tree(tree) => {
                let acting = [point, force, torque];
                tree.dynamics
                    .add_force(&tree.model, body, acting, size, out);
            }
        }
    }

    /// Makes [`respond`](Self::respond) ready; whether there is an answer.
    pub(super) fn factorize(&mut self) -> bool {
        match self {
            Self::Body(_) => true,
            Self::Tree(tree) => tree.dynamics.factorize(&tree.model).is_ok(),
        }
    }

    /// x ← M⁻¹ x.
    pub(super) fn respond(&mut self, x: &mut [f64]) {
        match self {
            Self::Body(body) => {
                let angular = body.mobility * read_vector(&x[3..]);
                x[..3].iter_mut().for_each(|x| *x /= body.mass);
                x[3..].copy_from_slice(angular.as_slice());
            }
            Self::Tree(tree) => tree.dynamics.respond(&tree.model, x),
        }
    }

    /// Accelerations without joints to others; the power (W) of what has no potential. `None` where there are
    /// none.
    pub(super) fn accelerate(
        &mut self,
        gravity: &Vector3<f64>,
        q: &[f64],
        v: &[f64],
        out: &mut [f64],
    ) -> Option<f64> {
        match self {
            Self::Body(body) => {
                let (_, rotation) = read_pose(q);
                let spin = read_vector(&v[3..]);
                let torque = rotation.inverse() * body.torque;
                let linear = gravity + body.force / body.mass;
                let gyroscopic = spin.cross(&(body.inertia * spin));
                let angular = body.inverse_inertia * (torque - gyroscopic);
                out[..3].copy_from_slice(linear.as_slice());
                out[3..].copy_from_slice(angular.as_slice());
                Some(body.force.dot(&read_vector(v)) + torque.dot(&spin))
            }
            Self::Tree(tree) => {
                let Tree {
                    model,
                    dynamics,
                    forces,
                } = &mut **tree;
                dynamics.accelerate(model, forces, out).ok()
            }
        }
    }

    /// xᵀ M x.
    pub(super) fn quadratic(&mut self, x: &[f64]) -> f64 {
        match self {
            Self::Body(body) => {
                let spin = read_vector(&x[3..]);
                body.mass * read_vector(x).norm_squared() + spin.dot(&(body.inertia * spin))
            }
            Self::Tree(tree) => tree.dynamics.quadratic(&tree.model, x),
        }
    }

    /// Energy of motion, and that of gravity and of its own springs, J.
    pub(super) fn energy(&self, gravity: &Vector3<f64>, q: &[f64], v: &[f64]) -> [f64; 2] {
        match self {
            Self::Body(body) => {
                let spin = read_vector(&v[3..]);
                let twice =
                    body.mass * read_vector(v).norm_squared() + spin.dot(&(body.inertia * spin));
                [0.5 * twice, -body.mass * gravity.dot(&read_vector(q))]
            }
            Self::Tree(tree) => tree.dynamics.energy(&tree.model, &tree.forces),
        }
    }

    /// kg.
    pub(super) fn mass(&self) -> f64 {
        match self {
            Self::Body(body) => body.mass,
            Self::Tree(tree) => tree.dynamics.mass(),
        }
    }

    /// Whether it hangs on nothing.
    pub(super) fn floats(&self) -> bool {
        match self {
            Self::Body(_) => true,
            Self::Tree(tree) => tree.dynamics.floats() && tree.forces.wrenches().is_none(),
        }
    }

    /// As one rigid body, if it floats.
    pub(super) fn as_one_body(&self, q: &[f64], v: &[f64]) -> Option<OneBody> {
        match self {
            Self::Body(body) => {
                let (center, rotation) = read_pose(q);
                let turn = rotation.to_rotation_matrix();
                let inertia = turn.matrix() * body.inertia * turn.matrix().transpose();
                Some(OneBody {
                    mass: body.mass,
                    center,
                    linear: read_vector(v) * body.mass,
                    angular: rotation * (body.inertia * read_vector(&v[3..])),
                    inertia,
                })
            }
            Self::Tree(tree) => tree.dynamics.as_one_body(&tree.model),
        }
    }

    /// Adds a rigid motion to what floats: that of the point `center`, and a turn about it, world axes.
    pub(super) fn add_rigid_motion(
        &self,
        q: &[f64],
        [center, velocity, turn]: [&Vector3<f64>; 3],
        v: &mut [f64],
    ) {
        match self {
            Self::Body(_) => {
                let (own, rotation) = read_pose(q);
                let linear = velocity + turn.cross(&(own - center));
                let angular = rotation.inverse() * turn;
                for axis in 0..3 {
                    v[axis] += linear[axis];
                    v[3 + axis] += angular[axis];
                }
            }
            Self::Tree(tree) => {
                tree.dynamics.add_rigid_motion([center, velocity, turn], v);
            }
        }
    }

    /// Forces from outside: their sum, N, and their moment about a point, N·m.
    pub(super) fn pushed(&self, q: &[f64], about: &Vector3<f64>) -> [Vector3<f64>; 2] {
        match self {
            Self::Body(body) => {
                let arm = read_vector(q) - about;
                [body.force, body.torque + arm.cross(&body.force)]
            }
            Self::Tree(_) => [Vector3::zeros(); 2],
        }
    }

    /// Whether its own springs and dampers are too stiff for an explicit rule.
    pub(super) fn is_stiff(&self) -> bool {
        match self {
            Self::Body(_) => false,
            Self::Tree(tree) => tree.forces.stiff().is_some(),
        }
    }
}
