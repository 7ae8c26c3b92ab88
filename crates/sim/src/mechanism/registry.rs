//! Giving out places in a world's tables.

use std::collections::HashMap;
use std::ops::Range;

use stiction_islands::RowKey;
use stiction_modeling::{Frame, Motion, Node, Places};

use super::layout::{Element, Layout};
use crate::body::{Body, BodyHandle};
use crate::drive::{CommandKind, Commands};
use crate::error::{Result, SimError};
use crate::state::State;
use crate::step::RowKind;

/// Gives a new mechanism its state, subsystems, frames and nodes.
pub struct Registry<'w> {
    pub(crate) tables: &'w mut Tables,
    pub(crate) state: &'w mut State,
    pub(crate) places: &'w mut Places,
    pub(crate) commands: &'w mut Commands,
    /// The mechanism that asks.
    pub(crate) mechanism: usize,
    /// Subsystems that it has.
    pub(crate) subsystems: usize,
}

/// Names and layout of everything in a world.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub(crate) layout: Layout,
    /// By frame.
    pub(crate) bodies: Vec<Body>,
    pub(crate) body_by_name: HashMap<String, usize>,
}

impl Registry<'_> {
    /// Begins a named part of the state with these positions, velocities that belong to no
    /// [subsystem](Self::subsystem) (as memory), and returns where they are. Velocities of the
    /// subsystems that follow belong to it too.
    pub fn element(&mut self, name: &str, q: &[f64], memory: &[f64]) -> Element {
        let append = |to: &mut Vec<f64>, values: &[f64]| {
            let first = to.len();
            to.extend_from_slice(values);
            first..to.len()
        };
        let v = self.state.v.len();
        let element = Element {
            name: name.to_owned(),
            q: append(&mut self.state.q, q),
            v: v..v,
            memory: append(&mut self.state.memory, memory),
        };
        self.tables.layout.elements.push(element.clone());
        element
    }

    /// Adds a subsystem with these velocities to the element begun last. Returns its index in the
    /// world, and where its velocities are.
    pub fn subsystem(&mut self, v: &[f64]) -> (usize, Range<usize>) {
        let layout = &mut self.tables.layout;
        let first = self.state.v.len();
        self.state.v.extend_from_slice(v);
        let end = self.state.v.len();
        if layout.dof_start.is_empty() {
            layout.dof_start.push(0);
        }
        layout.dof_start.push(end);
        layout.owner.push((self.mechanism, self.subsystems));
        layout.first_frame.push(None);
        self.subsystems += 1;
        if let Some(element) = layout.elements.last_mut() {
            element.v.end = end;
        }
        self.places.references.push(nalgebra::Vector3::zeros());
        self.places.about_origins.push(false);
        self.commands.add_dofs(v.len());
        (layout.owner.len() - 1, first..end)
    }

    /// Adds a subsystem of bodies such as links of a rod, six velocities each: linear ones of the origins
    /// of their frames, angular ones, world axes. See [`subsystem`](Self::subsystem).
    pub fn subsystem_of_bodies(&mut self, v: &[f64]) -> (usize, Range<usize>) {
        let (subsystem, range) = self.subsystem(v);
        self.places.about_origins[subsystem] = true;
        (subsystem, range)
    }

    /// Adds a frame: a body by this name. `mass` (kg) is for drawing and reading.
    ///
    /// # Errors
    /// A name that another body has.
    pub fn frame(&mut self, name: &str, motion: Motion, mass: f64) -> Result<BodyHandle> {
        let command = match motion {
            Motion::Fixed => CommandKind::Nothing,
            Motion::Driven => CommandKind::Velocity,
            Motion::Solved { .. } => CommandKind::Force,
        };
        self.add_body(Body::new(name, mass, self.mechanism), motion, command)
    }

    pub(crate) fn add_body(
        &mut self,
        body: Body,
        motion: Motion,
        command: CommandKind,
    ) -> Result<BodyHandle> {
        let index = self.tables.bodies.len();
        if self.tables.body_by_name.contains_key(&body.name) {
            return Err(SimError::DuplicateName {
                what: "body",
                name: body.name,
            });
        }
        self.tables.body_by_name.insert(body.name.clone(), index);
        self.tables.bodies.push(body);
        self.places.add_frame(Frame::moved_by(motion));
        self.commands.add_body(command);
        Ok(BodyHandle(index))
    }

    /// Adds a node, and returns its index.
    pub fn node(&mut self, motion: Motion) -> u32 {
        self.places.add_node(Node::moved_by(motion))
    }

    /// A name for constraints of this mechanism; `part` tells them apart, and must stay theirs from
    /// step to step.
    pub fn row_key(&self, part: u64) -> RowKey {
        RowKind::Mechanism.key(self.mechanism, part)
    }

    /// How much of everything there is, to go [back](Self::back_to) to.
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            elements: self.tables.layout.elements.len(),
            subsystems: self.tables.layout.owner.len(),
            bodies: self.tables.bodies.len(),
            nodes: self.places.nodes.position.len(),
            q: self.state.q.len(),
            v: self.state.v.len(),
            memory: self.state.memory.len(),
        }
    }

    /// Takes back what was given out since a mark, because the mechanism could not be made.
    pub(crate) fn back_to(&mut self, mark: &Mark) {
        let Tables {
            layout,
            bodies,
            body_by_name,
        } = &mut *self.tables;
        layout.elements.truncate(mark.elements);
        layout.owner.truncate(mark.subsystems);
        layout.first_frame.truncate(mark.subsystems);
        layout.has_links = layout.first_frame.iter().any(Option::is_some);
        layout.dof_start.truncate(mark.subsystems + 1);
        for body in bodies.drain(mark.bodies..) {
            body_by_name.remove(&body.name);
        }
        self.state.q.truncate(mark.q);
        self.state.v.truncate(mark.v);
        self.state.memory.truncate(mark.memory);
        self.commands.truncate(mark.bodies, mark.v);
        self.places
            .truncate(mark.bodies, mark.nodes, mark.subsystems);
    }
}

/// How much of everything there was.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    elements: usize,
    subsystems: usize,
    bodies: usize,
    nodes: usize,
    q: usize,
    v: usize,
    memory: usize,
}
