//! The joints a model may be described with.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::{
    AlignedRevolute, Cylindrical, Free, Helical, Joint, Planar, Prismatic, Revolute, Spherical,
    Turn,
};

/// A kind of joint. Axes are in the joint frame, need not have unit length, and must not be zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum JointKind {
    /// No motion; the child is merged into its parent and stays addressable as a frame.
    Fixed,
    /// Turns about `axis`: q and v are an angle (rad) and its rate (rad/s).
    Revolute {
        /// Direction of positive rotation (right hand).
        axis: Vector3<f64>,
    },
    /// Turns about `axis` without limits. q counts turns (it is not wrapped), while the
    /// difference of two configurations takes the shorter way round.
    Continuous {
        /// Direction of positive rotation (right hand).
        axis: Vector3<f64>,
    },
    /// Slides along `axis`: q in m, v in m/s.
    Prismatic {
        /// Direction of positive travel.
        axis: Vector3<f64>,
    },
    /// Turns about `axis` while advancing along it: q is the angle (rad).
    Helical {
        /// Axis of the screw.
        axis: Vector3<f64>,
        /// Advance per radian (m/rad).
        pitch: f64,
    },
    /// Slides along and turns about the same axis: q = (m, rad).
    Cylindrical {
        /// The common axis.
        axis: Vector3<f64>,
    },
    /// Two revolute axes that meet: the first fixed in the parent, the second in the child.
    /// q = (rad, rad). Built as two revolute joints with a massless cross.
    Universal {
        /// Axis of the first turn.
        first_axis: Vector3<f64>,
        /// Axis of the second turn, must not be parallel to the first.
        second_axis: Vector3<f64>,
    },
    /// Moves in a plane: q = (x, y, θ) in m and rad, v = (vx, vy, ω) in the axes of the moved body.
    Planar {
        /// Normal of the plane and axis of θ. With normal z, x and y are the joint's axes.
        normal: Vector3<f64>,
    },
    /// Turns freely about a point: q is a unit quaternion (x, y, z, w), v the angular velocity
    /// (rad/s) in the axes of the moved body.
    Spherical,
    /// Moves freely: q = position (m) then unit quaternion (x, y, z, w); v = linear velocity of
    /// the body's origin (m/s) then angular velocity (rad/s), both in the axes of the moved body.
    Free,
}

impl JointKind {
    /// The word for it, as in scene files.
    pub fn word(&self) -> &'static str {
        match self {
            JointKind::Fixed => "fixed",
            JointKind::Revolute { .. } => "revolute",
            JointKind::Continuous { .. } => "continuous",
            JointKind::Prismatic { .. } => "prismatic",
            JointKind::Helical { .. } => "helical",
            JointKind::Cylindrical { .. } => "cylindrical",
            JointKind::Universal { .. } => "universal",
            JointKind::Planar { .. } => "planar",
            JointKind::Spherical => "spherical",
            JointKind::Free => "free",
        }
    }

    /// Number of configuration coordinates.
    pub fn nq(&self) -> usize {
        match self {
            JointKind::Fixed => 0,
            JointKind::Revolute { .. }
            | JointKind::Continuous { .. }
            | JointKind::Prismatic { .. }
            | JointKind::Helical { .. } => 1,
            JointKind::Cylindrical { .. } | JointKind::Universal { .. } => 2,
            JointKind::Planar { .. } => 3,
            JointKind::Spherical => 4,
            JointKind::Free => 7,
        }
    }

    /// Number of degrees of freedom.
    pub fn nv(&self) -> usize {
        match self {
            JointKind::Spherical => 3,
            JointKind::Free => 6,
            other => other.nq(),
        }
    }

    /// True when each coordinate of q is the integral of the matching coordinate of v, so that
    /// couplings and position limits on a single coordinate make sense.
    pub fn has_scalar_coordinates(&self) -> bool {
        !matches!(
            self,
            JointKind::Planar { .. } | JointKind::Spherical | JointKind::Free
        )
    }

    /// The kernels that make up this joint, from parent to child (none for a fixed joint, two for
    /// a universal one), or what is wrong with its numbers.
    pub(crate) fn kernels(&self) -> Result<Vec<Joint>, KindError> {
        let kernels = match self {
            JointKind::Fixed => vec![],
            JointKind::Revolute { axis } => vec![revolute(unit("axis", axis)?, Turn::Limited)],
            JointKind::Continuous { axis } => vec![revolute(unit("axis", axis)?, Turn::Continuous)],
            JointKind::Prismatic { axis } => {
                vec![Joint::Prismatic(Prismatic {
                    axis: unit("axis", axis)?,
                })]
            }
            JointKind::Helical { axis, pitch } => {
                if !pitch.is_finite() {
                    return Err(KindError {
                        field: "pitch",
                        value: *pitch,
                        reason: "must be finite",
                    });
                }
                vec![Joint::Helical(Helical {
                    axis: unit("axis", axis)?,
                    pitch: *pitch,
                })]
            }
            JointKind::Cylindrical { axis } => {
                vec![Joint::Cylindrical(Cylindrical {
                    axis: unit("axis", axis)?,
                })]
            }
            JointKind::Universal {
                first_axis,
                second_axis,
            } => {
                let (a, b) = (
                    unit("first_axis", first_axis)?,
                    unit("second_axis", second_axis)?,
                );
                let sine = a.cross(&b).norm();
                if sine < 1e-6 {
                    return Err(KindError {
                        field: "second_axis",
                        value: sine,
                        reason: "is parallel to first_axis (sine of the angle between them given)",
                    });
                }
                vec![revolute(a, Turn::Limited), revolute(b, Turn::Limited)]
            }
            JointKind::Planar { normal } => {
                vec![Joint::Planar(Planar::new(unit("normal", normal)?))]
            }
            JointKind::Spherical => vec![Joint::Spherical(Spherical)],
            JointKind::Free => vec![Joint::Free(Free)],
        };
        Ok(kernels)
    }
}

/// What is wrong with the numbers of a joint kind.
pub(crate) struct KindError {
    pub(crate) field: &'static str,
    pub(crate) value: f64,
    pub(crate) reason: &'static str,
}

/// The direction of `axis`, refused when it has none.
fn unit(field: &'static str, axis: &Vector3<f64>) -> Result<Vector3<f64>, KindError> {
    let length = axis.norm();
    if !length.is_finite() {
        return Err(KindError {
            field,
            value: length,
            reason: "must be finite",
        });
    }
    if length < 1e-12 {
        return Err(KindError {
            field,
            value: length,
            reason: "has zero length",
        });
    }
    // exact for the axes that most files use
    Ok(if length == 1.0 { *axis } else { axis / length })
}

/// The cheapest kernel that turns about `axis`.
fn revolute(axis: Vector3<f64>, turn: Turn) -> Joint {
    if axis == Vector3::x() {
        Joint::RevoluteX(AlignedRevolute { turn })
    } else if axis == Vector3::y() {
        Joint::RevoluteY(AlignedRevolute { turn })
    } else if axis == Vector3::z() {
        Joint::RevoluteZ(AlignedRevolute { turn })
    } else {
        Joint::Revolute(Revolute { axis, turn })
    }
}
