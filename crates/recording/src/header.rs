//! What does not change during a run: bodies, their shapes, deformables, settings.

use serde::{Deserialize, Serialize};

/// The constant part of a recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Name of the scene.
    pub scene: String,
    /// Name of the contact solver.
    pub solver: String,
    /// Simulation time step, s.
    pub time_step: f64,
    /// Simulated time between two recorded frames, s.
    pub frame_interval: f64,
    /// Acceleration of gravity in world axes, m/s².
    pub gravity: [f64; 3],
    /// Rigid bodies, in the order of [`Frame::poses`](crate::Frame::poses).
    pub bodies: Vec<Body>,
    /// Triangle meshes that [`Geometry::Mesh`] refers to.
    pub meshes: Vec<Mesh>,
    /// Soft bodies and rods, in the order of [`Frame::nodes`](crate::Frame::nodes).
    pub deformables: Vec<Deformable>,
    /// Names of the coordinates of robots, in the order of [`Frame::joints`](crate::Frame::joints); empty
    /// where they are not known, as in recordings of older programs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<String>,
}

impl Header {
    /// Name of a coordinate of a robot, `jointN` where it is not known.
    pub fn joint_name(&self, index: usize) -> String {
        let known = self.joints.get(index);
        known.map_or_else(|| format!("joint{index}"), Clone::clone)
    }
}

impl Default for Header {
    /// An empty scene at 240 steps and 60 frames per simulated second, under Earth's gravity.
    fn default() -> Self {
        Self {
            scene: String::new(),
            solver: String::new(),
            time_step: 1.0 / 240.0,
            frame_interval: 1.0 / 60.0,
            gravity: [0.0, 0.0, -9.81],
            bodies: Vec::new(),
            meshes: Vec::new(),
            deformables: Vec::new(),
            joints: Vec::new(),
        }
    }
}

/// A rigid body.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Body {
    /// Name shown to the user; need not be unique.
    pub name: String,
    /// Mass, kg.
    pub mass: f64,
    /// Whether the body is part of the static environment.
    pub fixed: bool,
    /// What is drawn.
    pub visuals: Vec<Visual>,
    /// What collides; empty means the same as `visuals`.
    pub colliders: Vec<Visual>,
}

impl Body {
    /// The shapes that collide: `colliders`, or `visuals` where no colliders are given.
    pub fn collision_shapes(&self) -> &[Visual] {
        if self.colliders.is_empty() {
            &self.visuals
        } else {
            &self.colliders
        }
    }
}

/// One drawable shape of a body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Visual {
    /// The shape.
    pub geometry: Geometry,
    /// Pose of the shape in the body's frame.
    pub pose: Pose,
    /// Red, green, blue and opacity, each in 0 to 1 (sRGB).
    pub color: [f32; 4],
}

impl Visual {
    /// A shape in a neutral grey.
    pub fn new(geometry: Geometry, pose: Pose) -> Self {
        Self {
            geometry,
            pose,
            color: [0.62, 0.65, 0.70, 1.0],
        }
    }

    /// The same shape in another colour: red, green, blue, opacity in 0 to 1 (sRGB).
    #[must_use]
    pub fn with_color(mut self, color: [f32; 4]) -> Self {
        self.color = color;
        self
    }
}

/// Position and orientation of one frame in another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// Position of the origin, m.
    pub position: [f64; 3],
    /// Orientation as a unit quaternion, ordered `x, y, z, w`.
    pub rotation: [f64; 4],
}

impl Pose {
    /// No translation, no rotation.
    pub const IDENTITY: Self = Self {
        position: [0.0; 3],
        rotation: [0.0, 0.0, 0.0, 1.0],
    };

    /// A translation, m.
    pub fn at(position: [f64; 3]) -> Self {
        Self {
            position,
            ..Self::IDENTITY
        }
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// A shape in its own frame. Axes of revolution are along z, sizes are in metres.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Geometry {
    /// A ball around the origin.
    Sphere {
        /// Radius, m.
        radius: f64,
    },
    /// A box around the origin.
    Box {
        /// Half of each edge's length, m.
        half_extents: [f64; 3],
    },
    /// A cylinder with hemispherical ends.
    Capsule {
        /// Radius, m.
        radius: f64,
        /// Half of the length between the centres of the hemispheres, m.
        half_length: f64,
    },
    /// A cylinder around the origin.
    Cylinder {
        /// Radius, m.
        radius: f64,
        /// Half of the length, m.
        half_length: f64,
    },
    /// An ellipsoid around the origin.
    Ellipsoid {
        /// Semi-axes, m.
        radii: [f64; 3],
    },
    /// A cone with its apex at `z = half_height` and its base at `z = -half_height`.
    Cone {
        /// Radius of the base, m.
        radius: f64,
        /// Half of the height, m.
        half_height: f64,
    },
    /// The half-space below `z = 0`.
    Plane,
    /// A triangle mesh.
    Mesh {
        /// Index into [`Header::meshes`].
        mesh: usize,
    },
}

/// A triangle mesh, counter-clockwise seen from outside.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Mesh {
    /// Vertices, m.
    pub vertices: Vec<[f32; 3]>,
    /// Indices of each triangle's corners.
    pub triangles: Vec<[u32; 3]>,
}

/// A body that changes its shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Deformable {
    /// Name shown to the user.
    pub name: String,
    /// How its nodes are drawn.
    pub kind: DeformableKind,
    /// Number of nodes in every frame.
    pub nodes: usize,
}

/// How the nodes of a deformable make a surface.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeformableKind {
    /// A volume or sheet, drawn by its surface triangles.
    Soft {
        /// Node indices of each triangle, counter-clockwise seen from outside.
        triangles: Vec<[u32; 3]>,
    },
    /// A cable or rod, drawn as a tube through its nodes in order.
    Rod {
        /// Radius of the tube, m.
        radius: f64,
        /// The body of each node (an index into [`Header::bodies`]), whose z axis runs along the tube and
        /// whose x axis says how the tube is twisted; empty where nobody knows.
        #[serde(default)]
        links: Vec<u32>,
    },
}
