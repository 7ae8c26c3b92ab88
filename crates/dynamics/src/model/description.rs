//! A model as the user writes it down: plain data, in any order.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::limit;
use crate::joint::JointKind;
use crate::spatial::{Inertia, Transform};

/// Bodies, joints, frames and couplings of a model, named and in any order.
///
/// ```
/// use nalgebra::Vector3;
/// use stiction_dynamics::{Inertia, JointKind, ModelDescription, Transform};
///
/// let mut arm = ModelDescription::new("pendulum");
/// arm.add_body("rod", Inertia::from_com(1.0, Vector3::new(0.0, 0.0, -0.5), Default::default())
///     + Inertia::solid_sphere(0.2, 0.1));
/// arm.add_joint("hinge", JointKind::Revolute { axis: Vector3::y() }, "world", "rod");
/// arm.add_frame("tip", "rod", Transform::from_translation(Vector3::new(0.0, 0.0, -1.0)));
/// let model = arm.build()?;
/// assert_eq!((model.nq(), model.nv()), (1, 1));
/// # Ok::<(), stiction_dynamics::DynamicsError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelDescription {
    /// Name of the model.
    pub name: String,
    /// Acceleration of free fall in world axes (m/s²).
    pub gravity: Vector3<f64>,
    /// Refuse inertias that break the triangle inequality instead of reporting them.
    pub strict: bool,
    /// The bodies, without the world.
    pub bodies: Vec<BodyDescription>,
    /// The joints; siblings keep the order in which they appear here.
    pub joints: Vec<JointDescription>,
    /// Further named frames.
    pub frames: Vec<FrameDescription>,
    /// Equality rows between joints.
    pub couplings: Vec<CouplingDescription>,
}

/// A rigid body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyDescription {
    /// Unique among bodies and frames.
    pub name: String,
    /// Inertia in the body's frame, which coincides with the frame of the joint that carries it.
    /// `None` for a massless body: allowed when it is fixed to, or carries, bodies with mass.
    pub inertia: Option<Inertia>,
}

/// A joint between two bodies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointDescription {
    /// Unique among joints.
    pub name: String,
    /// How it moves.
    pub kind: JointKind,
    /// Name of the body it is mounted on, or `"world"`.
    pub parent: String,
    /// Name of the body it moves.
    pub child: String,
    /// Pose of the joint frame in the parent body's frame.
    pub placement: Transform,
    /// Properties of its degrees of freedom: none (all defaults), one for all, or one for each.
    pub dofs: Vec<DofProperties>,
}

/// A named frame fixed to a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameDescription {
    /// Unique among bodies and frames.
    pub name: String,
    /// The body it is fixed to, or `"world"`.
    pub body: String,
    /// Its pose in that body's frame.
    pub placement: Transform,
}

/// A linear equation between joint coordinates: Σ coefficient · q = offset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CouplingDescription {
    /// Unique among couplings.
    pub name: String,
    /// Joint, coordinate within it (0 for a joint with one), and coefficient.
    pub terms: Vec<(String, usize, f64)>,
    /// Right-hand side, in the unit of coefficient · q.
    pub offset: f64,
}

/// Limits, losses and drive of one degree of freedom.
/// Units are those of a turning joint; for a sliding one read m for rad and N for N·m.
/// In files that know no infinity, such as JSON, a missing limit is null.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DofProperties {
    /// Lowest position (rad), −∞ for none.
    #[serde(with = "limit::lower")]
    pub lower: f64,
    /// Highest position (rad), ∞ for none.
    #[serde(with = "limit::upper")]
    pub upper: f64,
    /// Largest speed (rad/s), ∞ for none.
    #[serde(with = "limit::upper")]
    pub velocity_limit: f64,
    /// Largest drive torque (N·m), ∞ for none.
    #[serde(with = "limit::upper")]
    pub effort_limit: f64,
    /// Dry friction torque (N·m).
    pub friction_loss: f64,
    /// Viscous damping (N·m·s/rad). Not applied by the algorithms here; it is a force law.
    pub damping: f64,
    /// Inertia added to the diagonal of the mass matrix (kg·m²).
    pub armature: f64,
    /// Inertia of the motor's rotor about its own axis (kg·m²).
    pub rotor_inertia: f64,
    /// Turns of the rotor for one turn of the joint: the rotor adds `gear_ratio² · rotor_inertia`.
    pub gear_ratio: f64,
    /// Stiffness of a spring (N·m/rad). Not applied by the algorithms here; it is a force law.
    pub stiffness: f64,
    /// Position at which that spring is slack (rad).
    pub reference: f64,
}

impl Default for DofProperties {
    fn default() -> Self {
        Self {
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            velocity_limit: f64::INFINITY,
            effort_limit: f64::INFINITY,
            friction_loss: 0.0,
            damping: 0.0,
            armature: 0.0,
            rotor_inertia: 0.0,
            gear_ratio: 1.0,
            stiffness: 0.0,
            reference: 0.0,
        }
    }
}

impl DofProperties {
    /// Armature plus the rotor inertia reflected through the gear (kg·m²).
    pub fn total_armature(&self) -> f64 {
        self.armature + self.gear_ratio * self.gear_ratio * self.rotor_inertia
    }
}

impl ModelDescription {
    /// An empty model under standard gravity (0, 0, −9.81) m/s².
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            gravity: Vector3::new(0.0, 0.0, -9.81),
            strict: false,
            bodies: Vec::new(),
            joints: Vec::new(),
            frames: Vec::new(),
            couplings: Vec::new(),
        }
    }

    /// Adds a body with its inertia in the body's frame.
    pub fn add_body(&mut self, name: impl Into<String>, inertia: Inertia) {
        self.bodies.push(BodyDescription {
            name: name.into(),
            inertia: Some(inertia),
        });
    }

    /// Adds a body without mass.
    pub fn add_massless_body(&mut self, name: impl Into<String>) {
        self.bodies.push(BodyDescription {
            name: name.into(),
            inertia: None,
        });
    }

    /// Adds a joint whose frame coincides with the parent's; set its placement and the properties
    /// of its degrees of freedom on the returned description.
    pub fn add_joint(
        &mut self,
        name: impl Into<String>,
        kind: JointKind,
        parent: impl Into<String>,
        child: impl Into<String>,
    ) -> &mut JointDescription {
        let joint = JointDescription {
            name: name.into(),
            kind,
            parent: parent.into(),
            child: child.into(),
            placement: Transform::identity(),
            dofs: Vec::new(),
        };
        let index = self.joints.len();
        self.joints.push(joint);
        &mut self.joints[index]
    }

    /// Adds a frame fixed to a body.
    pub fn add_frame(
        &mut self,
        name: impl Into<String>,
        body: impl Into<String>,
        placement: Transform,
    ) {
        self.frames.push(FrameDescription {
            name: name.into(),
            body: body.into(),
            placement,
        });
    }

    /// Adds a mimic row: q(joint) = multiplier · q(source) + offset. It is named after the joint.
    pub fn add_mimic(
        &mut self,
        joint: impl Into<String>,
        source: impl Into<String>,
        multiplier: f64,
        offset: f64,
    ) {
        let joint = joint.into();
        self.couplings.push(CouplingDescription {
            name: joint.clone(),
            terms: vec![(joint, 0, 1.0), (source.into(), 0, -multiplier)],
            offset,
        });
    }
}

impl JointDescription {
    /// Sets the pose of the joint frame in the parent body's frame.
    pub fn at(&mut self, placement: Transform) -> &mut Self {
        self.placement = placement;
        self
    }

    /// Sets the same properties for every degree of freedom.
    pub fn with_properties(&mut self, properties: DofProperties) -> &mut Self {
        self.dofs = vec![properties];
        self
    }
}
