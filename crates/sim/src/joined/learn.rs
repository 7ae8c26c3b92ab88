//! Mechanisms made from what is in a world, and brought up to date.

use stiction_dynamics::{MotionMemory, TreeDynamics};
use stiction_modeling::ConnectionKind;

use super::joint::{Coupling, End, Holding, Joint};
use super::member::{Frame, Member, Place, Tree};
use super::rule::Rule;
use super::spring::Spring;
use super::{Item, Known, Mover};
use crate::body::{BodyHandle, Kind};
use crate::error::{Result, SimError};
use crate::free_bodies::write_pose;
use crate::world::World;

impl Item {
    pub(super) fn of(holding: &Holding) -> Self {
        match holding {
            Holding::Joint(joint) => Self::Connection(joint.connection),
            Holding::Coupling(coupling) => Self::Coupling(coupling.robot, coupling.number),
        }
    }
}

impl World {
    /// Makes a mechanism of what connects it.
    pub(super) fn learn(&self, known: &mut Known) -> Result<()> {
        let mechanism = &mut known.mechanism;
        let (mut q, mut v) = (0, 0);
        for mover in &known.movers {
            let (member, [positions, velocities]) = match *mover {
                Mover::Body(item) => {
                    let bodies = &self.mechanisms.free_bodies;
                    let body = bodies.joined_body(item, &self.commands.inputs);
                    (Member::Body(Box::new(body)), [7, 6])
                }
                Mover::Tree(robot, tree) => {
                    let robot = self.robot_number(robot).ok_or_else(gone)?;
                    let dynamics = TreeDynamics::new(&robot.model, tree)?;
                    let sizes = [dynamics.coordinates().len(), dynamics.dofs().len()];
                    let tree = Tree {
                        model: robot.model.clone(),
                        dynamics,
                        forces: robot.path_forces(),
                    };
                    (Member::Tree(Box::new(tree)), sizes)
                }
            };
            mechanism.members.push(member);
            mechanism.places.push(Place {
                q: q..q + positions,
                v: v..v + velocities,
            });
            (q, v) = (q + positions, v + velocities);
        }
        for item in known.items.clone() {
            match item {
                Item::Connection(index) => self.learn_connection(known, index),
                Item::Coupling(robot, number) => self.learn_coupling(known, robot, number)?,
            }
        }
        known.mechanism.order_joints();
        Ok(())
    }

    fn learn_connection(&self, known: &mut Known, index: usize) {
        let connection = &self.connections[index];
        let bodies = [connection.body_a, connection.body_b];
        let anchors = [&connection.frame_a, &connection.frame_b];
        let ends = [0, 1].map(|end| {
            let (body, anchor) = (bodies[end], anchors[end]);
            let Some((frame, center)) = self.frame_of(known, body) else {
                return End::Fixed(*anchor);
            };
            End::Moving {
                frame: known.mechanism.frame(frame),
                point: anchor.translation.vector - center,
                rotation: anchor.rotation,
            }
        });
        match connection.kind {
            ConnectionKind::Spring {
                stiffness,
                damping,
                rest_length,
            } => known.mechanism.springs.push(Spring {
                connection: index,
                ends,
                stiffness,
                damping,
                rest_length,
            }),
            kind => known.mechanism.holdings.push(Holding::Joint(Joint {
                connection: index,
                kind,
                ends,
                size: self.connection_sizes[index],
            })),
        }
    }

    fn learn_coupling(&self, known: &mut Known, number: usize, coupling: usize) -> Result<()> {
        let robot = self.robot_number(number).ok_or_else(gone)?;
        let own = &robot.model.couplings()[coupling];
        let terms = own.terms.iter().filter_map(|term| {
            let mut members = known.movers.iter().zip(&known.mechanism.members);
            let mut places = known.mechanism.places.iter();
            members.find_map(|(mover, member)| {
                let place = places.next()?;
                let (Mover::Tree(of, _), Member::Tree(tree)) = (mover, member) else {
                    return None;
                };
                let dofs = tree.dynamics.dofs();
                (*of == number && dofs.contains(&term.dof)).then(|| {
                    let q = place.q.start + term.q - tree.dynamics.coordinates().start;
                    let v = place.v.start + term.dof - dofs.start;
                    (q, v, term.coefficient)
                })
            })
        });
        let coupling = Coupling {
            robot: number,
            number: coupling,
            terms: terms.collect(),
            offset: own.offset,
        };
        known.mechanism.holdings.push(Holding::Coupling(coupling));
        Ok(())
    }

    /// The frame of a body in a mechanism, and where joints' points on it count from.
    fn frame_of(&self, known: &Known, body: BodyHandle) -> Option<(Frame, nalgebra::Vector3<f64>)> {
        let (mover, body, center) = match self.tables.bodies[body.0].kind {
            Kind::Free(item) => {
                let center = self.mechanisms.free_bodies.extent(item).0;
                (Mover::Body(item), 0, center)
            }
            Kind::Link { robot, link } => {
                let subsystem = self.places.frames.motion[body.0].subsystem()?;
                let own = self.robot_number(robot)?;
                let tree = Mover::Tree(robot, subsystem - own.first_subsystem);
                (tree, own.ids[link].index(), nalgebra::Vector3::zeros())
            }
            _ => return None,
        };
        let member = known.movers.binary_search(&mover).ok()?;
        Some((Frame { member, body }, center))
    }

    /// Brings what may change from step to step up to date: forces, gravity, where ends that stand still are.
    /// Writes where the mechanism is, and hands over what its members carry.
    pub(super) fn renew(&self, known: &mut Known, rule: &mut Rule) -> Result<MotionMemory> {
        let bodies = &self.mechanisms.free_bodies;
        let mut memory = MotionMemory::default();
        let mechanism = &mut known.mechanism;
        let [positions, velocities] = mechanism.sizes();
        rule.q.resize(positions, 0.0);
        rule.v.resize(velocities, 0.0);
        mechanism.gravity = self.settings.gravity;
        for (at, mover) in known.movers.iter().enumerate() {
            let place = &mechanism.places[at];
            let (q, v) = (&mut rule.q[place.q.clone()], &mut rule.v[place.v.clone()]);
            let own = match (*mover, &mut mechanism.members[at]) {
                (Mover::Body(item), Member::Body(body)) => {
                    **body = bodies.joined_body(item, &self.commands.inputs);
                    let (at, own) = bodies.joined_state(item, &self.state);
                    write_pose(q, &at.center, &at.rotation);
                    v[..3].copy_from_slice(at.velocity.as_slice());
                    v[3..].copy_from_slice(at.spin.as_slice());
                    own
                }
                (Mover::Tree(robot, number), Member::Tree(tree)) => {
                    let robot = self.robot_number(robot).ok_or_else(gone)?;
                    tree.model.set_gravity(self.settings.gravity)?;
                    let inputs = &self.commands.inputs;
                    let step = self.settings.time_step;
                    robot.renew_path_forces(number, &self.state, inputs, step, &mut tree.forces);
                    let from = robot.q.start;
                    let own = tree.dynamics.coordinates();
                    q.copy_from_slice(&self.state.q[from + own.start..from + own.end]);
                    let from = robot.v.start;
                    let own = tree.dynamics.dofs();
                    v.copy_from_slice(&self.state.v[from + own.start..from + own.end]);
                    robot.motion_memory(number, &self.state)
                }
                _ => MotionMemory::default(),
            };
            memory.margin += own.margin;
            memory.scale += own.scale;
            memory.level = memory.level.max(own.level);
        }
        let fixed = |connection: usize, ends: &mut [End; 2]| {
            let connection = &self.connections[connection];
            let poses = connection
                .connector()
                .world_anchors(&self.places.frames.pose);
            for (end, pose) in ends.iter_mut().zip(poses) {
                if let End::Fixed(at) = end {
                    *at = pose;
                }
            }
        };
        for holding in &mut mechanism.holdings {
            if let Holding::Joint(joint) = holding {
                fixed(joint.connection, &mut joint.ends);
            }
        }
        for spring in &mut mechanism.springs {
            fixed(spring.connection, &mut spring.ends);
        }
        mechanism.begin();
        Ok(memory)
    }
}

/// A robot that a mechanism was made of is not there: worlds only grow.
pub(super) fn gone() -> SimError {
    SimError::Unknown {
        what: "robot",
        name: "of a mechanism".to_owned(),
    }
}
