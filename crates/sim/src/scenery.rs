//! What forces don't move: fixed bodies, and driven ones whose velocity is given.

use nalgebra::{Isometry3, Vector3};
use stiction_constraints::Subsystem;
use stiction_modeling::{Motion, Places, Twist};

use crate::body::{Body, BodyHandle, Kind, Mobility, RigidBody};
use crate::drive::CommandKind;
use crate::error::Result;
use crate::free_bodies::{read_pose, read_vector, turn, write_pose};
use crate::mechanism::{Energy, Mechanism, Momentum, Now, Placing, Registry};
use crate::settings::Settings;
use crate::state::State;

/// All bodies that forces don't move.
#[derive(Debug, Default)]
pub(crate) struct Scenery {
    items: Vec<Item>,
}

/// A body: seven positions; a driven one also remembers its velocity, six numbers.
#[derive(Debug)]
struct Item {
    frame: usize,
    q: usize,
    /// Where a driven body's velocity is.
    memory: Option<usize>,
}

impl Scenery {
    pub(crate) fn add(
        &mut self,
        body: &RigidBody,
        registry: &mut Registry<'_>,
    ) -> Result<BodyHandle> {
        let is_driven = body.mobility == Mobility::Driven;
        let (motion, command) = match is_driven {
            true => (Motion::Driven, CommandKind::Velocity),
            false => (Motion::Fixed, CommandKind::Nothing),
        };
        let entry = Body {
            kind: Kind::Scenery(self.items.len()),
            color: body.color,
            ..Body::new(&body.name, 0.0, registry.mechanism)
        };
        let handle = registry.add_body(entry, motion, command)?;
        registry.places.frames.is_averaged[handle.0] = true;
        registry.commands.inputs.driven[handle.0] = Twist {
            linear: body.velocity,
            angular: body.angular_velocity,
        };
        let velocity = [0.0; 6];
        let memory = if is_driven { &velocity[..] } else { &[] };
        let element = registry.element(&body.name, &[0.0; 7], memory);
        self.items.push(Item {
            frame: handle.0,
            q: element.q.start,
            memory: is_driven.then_some(element.memory.start),
        });
        let item = self.items.len() - 1;
        self.set(
            item,
            &body.pose,
            [&body.velocity, &body.angular_velocity],
            registry.state,
        );
        Ok(handle)
    }

    /// Places one body.
    pub(crate) fn place_one(&self, item: usize, at: &Placing<'_>, places: &mut Places) {
        let item = &self.items[item];
        let (origin, rotation) = read_pose(&at.q[item.q..item.q + 7]);
        places.frames.pose[item.frame] = Isometry3::from_parts(origin.into(), rotation);
        let Some(memory) = item.memory else {
            return;
        };
        let (twist, guess) = if at.guess.is_some() {
            let driven = at.inputs.driven[item.frame];
            (driven, driven)
        } else {
            let twist = Twist {
                linear: read_vector(&at.memory[memory..]),
                angular: read_vector(&at.memory[memory + 3..]),
            };
            (twist, Twist::default())
        };
        places.frames.twist[item.frame] = twist;
        places.frames.guess[item.frame] = guess;
    }

    /// Pose and velocity of a body in a state.
    pub(crate) fn motion(&self, item: usize, state: &State) -> (Isometry3<f64>, Twist) {
        let item = &self.items[item];
        let (origin, rotation) = read_pose(&state.q[item.q..item.q + 7]);
        let twist = item.memory.map_or(Twist::default(), |at| Twist {
            linear: read_vector(&state.memory[at..]),
            angular: read_vector(&state.memory[at + 3..]),
        });
        (Isometry3::from_parts(origin.into(), rotation), twist)
    }

    /// Writes pose and velocity of a body into a state.
    pub(crate) fn set(
        &self,
        item: usize,
        pose: &Isometry3<f64>,
        [velocity, angular_velocity]: [&Vector3<f64>; 2],
        state: &mut State,
    ) {
        let item = &self.items[item];
        write_pose(
            &mut state.q[item.q..item.q + 7],
            &pose.translation.vector,
            &pose.rotation,
        );
        if let Some(at) = item.memory {
            state.memory[at..at + 3].copy_from_slice(velocity.as_slice());
            state.memory[at + 3..at + 6].copy_from_slice(angular_velocity.as_slice());
        }
    }
}

impl Mechanism for Scenery {
    fn place(&mut self, at: &Placing<'_>, places: &mut Places) -> Result<()> {
        (0..self.items.len()).for_each(|item| self.place_one(item, at, places));
        Ok(())
    }

    fn prepare(&mut self, _now: &Now<'_>, _places: &mut Places) -> Result<()> {
        Ok(())
    }

    // It has no subsystem: the next three are never called.
    fn shape(&self, _subsystem: usize) -> Subsystem {
        Subsystem::FreeBody(nalgebra::Matrix6::identity())
    }

    fn write_matrix(&self, _subsystem: usize, _a: &mut Subsystem) {}

    fn write_right_hand_side(&self, _subsystem: usize, _b: &mut [f64]) {}

    fn retract(&self, now: &Now<'_>, _v_hat: &[f64], time: f64, q: &mut [f64]) -> Result<()> {
        for item in self.items.iter().filter(|item| item.memory.is_some()) {
            let range = item.q..item.q + 7;
            let (origin, rotation) = read_pose(&now.state.q[range.clone()]);
            let twist = &now.inputs.driven[item.frame];
            write_pose(
                &mut q[range],
                &(origin + twist.linear * time),
                &turn(&rotation, &twist.angular, time),
            );
        }
        Ok(())
    }

    fn advance(&mut self, now: &Now<'_>, v_hat: &[f64], next: &mut State) -> Result<()> {
        for item in &self.items {
            if let Some(memory) = item.memory {
                let twist = &now.inputs.driven[item.frame];
                next.memory[memory..memory + 3].copy_from_slice(twist.linear.as_slice());
                next.memory[memory + 3..memory + 6].copy_from_slice(twist.angular.as_slice());
            }
        }
        self.retract(now, v_hat, now.settings.time_step, &mut next.q)
    }

    fn energy(&self, _state: &State, _settings: &Settings) -> Result<Energy> {
        Ok(Energy::default())
    }

    fn momentum(&self, _state: &State) -> Result<Momentum> {
        Ok(Momentum {
            linear: Vector3::zeros(),
            angular: Vector3::zeros(),
        })
    }
}
