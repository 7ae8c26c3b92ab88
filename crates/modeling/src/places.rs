//! Where everything is when rows are written down.

use nalgebra::{Isometry3, Point3, Vector3};
use serde::{Deserialize, Serialize};

/// Velocity of a frame, world axes.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Twist {
    /// Velocity of the frame's origin, m/s.
    pub linear: Vector3<f64>,
    /// Angular velocity, rad/s.
    pub angular: Vector3<f64>,
}

impl Twist {
    /// Velocity of the material point at `point`, for a frame whose origin is at `origin`, m/s.
    pub fn at(&self, origin: &Vector3<f64>, point: &Point3<f64>) -> Vector3<f64> {
        self.linear + self.angular.cross(&(point.coords - origin))
    }
}

/// What moves a frame or a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Motion {
    /// Nothing.
    #[default]
    Fixed,
    /// Somebody outside of the equations of motion: its velocity is known.
    Driven,
    /// The solver.
    Solved {
        /// The subsystem that it belongs to.
        subsystem: u32,
        /// Body (of a frame) or node inside the subsystem.
        index: u32,
    },
}

impl Motion {
    /// The subsystem that moves it.
    pub fn subsystem(self) -> Option<usize> {
        match self {
            Motion::Solved { subsystem, .. } => Some(subsystem as usize),
            Motion::Fixed | Motion::Driven => None,
        }
    }
}

/// A rigid frame: a body, a link, a cross-section of a rod.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// Pose in the world.
    pub pose: Isometry3<f64>,
    /// Velocity at the start of the step.
    pub twist: Twist,
    /// v̂ of the last pass, about which this pass linearises (zero in the first).
    pub guess: Twist,
    /// What moves it.
    pub motion: Motion,
    /// Pose at the start of the step, where a later pass has moved it on.
    pub start: Isometry3<f64>,
    /// Whether it keeps v̂ over the step and turns by the Cayley map, as free and driven bodies do: then
    /// arms and axes averaged over the step give the way of its points exactly.
    pub is_averaged: bool,
    /// What the frame turns by over the step beside v̂, world axes, rad/s: rows of joints count it in.
    pub beside: Vector3<f64>,
}

impl Frame {
    /// A frame at the origin, at rest.
    pub fn moved_by(motion: Motion) -> Self {
        Self {
            pose: Isometry3::identity(),
            twist: Twist::default(),
            guess: Twist::default(),
            motion,
            start: Isometry3::identity(),
            is_averaged: false,
            beside: Vector3::zeros(),
        }
    }
}

/// All frames, one array for each of their properties, see [`Frame`].
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "as in `Frame`")]
pub struct Frames {
    pub pose: Vec<Isometry3<f64>>,
    pub twist: Vec<Twist>,
    pub guess: Vec<Twist>,
    pub motion: Vec<Motion>,
    pub start: Vec<Isometry3<f64>>,
    pub is_averaged: Vec<bool>,
    pub beside: Vec<Vector3<f64>>,
}

/// A point with three degrees of freedom: a vertex of a deformable mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// Position, world, m.
    pub position: Point3<f64>,
    /// Velocity at the start of the step, m/s.
    pub velocity: Vector3<f64>,
    /// v̂ of the last pass (zero in the first), m/s.
    pub guess: Vector3<f64>,
    /// What moves it.
    pub motion: Motion,
}

impl Node {
    /// A node at the origin, at rest.
    pub fn moved_by(motion: Motion) -> Self {
        Self {
            position: Point3::origin(),
            velocity: Vector3::zeros(),
            guess: Vector3::zeros(),
            motion,
        }
    }
}

/// All nodes, one array for each of their properties, see [`Node`].
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "as in `Node`")]
pub struct Nodes {
    pub position: Vec<Point3<f64>>,
    pub velocity: Vec<Vector3<f64>>,
    pub guess: Vec<Vector3<f64>>,
    pub motion: Vec<Motion>,
}

/// Tables of where everything is: written by what moves, read by everybody else.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// Rigid frames by their index.
    pub frames: Frames,
    /// Nodes by their index.
    pub nodes: Nodes,
    /// Reference point of each subsystem, about which its bodies measure motion; world, m.
    pub references: Vec<Vector3<f64>>,
    /// Whether each body of a subsystem measures motion about the origin of its own frame instead, as the
    /// links of a rod do; those beyond the end of the list do not.
    pub about_origins: Vec<bool>,
    /// How far along the guess frames and nodes were moved, s.
    pub advance: f64,
}

impl Places {
    /// Adds a frame and returns its index.
    pub fn add_frame(&mut self, frame: Frame) -> u32 {
        self.frames.pose.push(frame.pose);
        self.frames.twist.push(frame.twist);
        self.frames.guess.push(frame.guess);
        self.frames.motion.push(frame.motion);
        self.frames.start.push(frame.start);
        self.frames.is_averaged.push(frame.is_averaged);
        self.frames.beside.push(frame.beside);
        self.frames.pose.len() as u32 - 1
    }

    /// Adds a node and returns its index.
    pub fn add_node(&mut self, node: Node) -> u32 {
        self.nodes.position.push(node.position);
        self.nodes.velocity.push(node.velocity);
        self.nodes.guess.push(node.guess);
        self.nodes.motion.push(node.motion);
        self.nodes.position.len() as u32 - 1
    }

    /// Keeps the first of everything and forgets the rest.
    pub fn truncate(&mut self, frames: usize, nodes: usize, subsystems: usize) {
        self.frames.pose.truncate(frames);
        self.frames.twist.truncate(frames);
        self.frames.guess.truncate(frames);
        self.frames.motion.truncate(frames);
        self.frames.start.truncate(frames);
        self.frames.is_averaged.truncate(frames);
        self.frames.beside.truncate(frames);
        self.nodes.position.truncate(nodes);
        self.nodes.velocity.truncate(nodes);
        self.nodes.guess.truncate(nodes);
        self.nodes.motion.truncate(nodes);
        self.references.truncate(subsystems);
        self.about_origins.truncate(subsystems);
    }

    /// The point about which a frame that is moved by a subsystem measures motion, world, m.
    pub fn reference(&self, frame: u32, subsystem: usize) -> &Vector3<f64> {
        match self.about_origins.get(subsystem) {
            Some(true) => self.origin(frame),
            Some(false) | None => &self.references[subsystem],
        }
    }

    /// Origin of a frame, world, m.
    pub fn origin(&self, frame: u32) -> &Vector3<f64> {
        &self.frames.pose[frame as usize].translation.vector
    }

    /// Velocity of the material point of a frame at `point`, m/s.
    pub fn velocity_at(&self, frame: u32, point: &Point3<f64>) -> Vector3<f64> {
        self.frames.twist[frame as usize].at(self.origin(frame), point)
    }
}
