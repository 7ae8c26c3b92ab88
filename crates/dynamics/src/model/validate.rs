//! Checks of the numbers in a description.

use nalgebra::{DMatrix, Vector3};

use super::DofProperties;
use crate::error::{DynamicsError, Result};
use crate::spatial::{Inertia, Symmetric3, Transform};

/// Something odd in a model that was accepted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ModelWarning {
    /// The principal moments about the centre of mass cannot belong to a real body: the largest
    /// exceeds the sum of the other two. Dynamics still work; the file is likely wrong.
    TriangleInequality {
        /// The body.
        body: String,
        /// Its principal moments, ascending (kg·m²).
        moments: [f64; 3],
    },
    /// A principal moment about the centre of mass is negative. What the body is fixed to makes up
    /// for it; the file is wrong.
    NegativeMoment {
        /// The body.
        body: String,
        /// Its smallest principal moment (kg·m²).
        moment: f64,
    },
    /// A body turns reluctantly but weighs nothing. It counts as it is given.
    InertiaWithoutMass {
        /// The body.
        body: String,
    },
}

impl std::fmt::Display for ModelWarning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ModelWarning::TriangleInequality {
                body,
                moments: [a, b, c],
            } => write!(
                f,
                "body \"{body}\": principal moments {a}, {b}, {c} break the triangle inequality"
            ),
            ModelWarning::NegativeMoment { body, moment } => write!(
                f,
                "body \"{body}\": its smallest principal moment, {moment}, is negative"
            ),
            ModelWarning::InertiaWithoutMass { body } => write!(
                f,
                "body \"{body}\": has rotational inertia, but no mass; both count as given"
            ),
        }
    }
}

/// How far a given rotation matrix may be from orthonormal: files carry about six digits.
const ROTATION_TOLERANCE: f64 = 1e-5;

/// Rounding allowed in the triangle inequality, relative to the largest moment.
const TRIANGLE_TOLERANCE: f64 = 1e-9;

pub(super) fn gravity(model: &str, gravity: &Vector3<f64>) -> Result<()> {
    match (0..3).find(|&axis| !gravity[axis].is_finite()) {
        None => Ok(()),
        Some(axis) => {
            let value = gravity[axis];
            Err(DynamicsError::BadGravity {
                model: model.to_owned(),
                axis,
                value,
            })
        }
    }
}

/// Refuses a pose that is not one, and returns it with its matrix made orthonormal to rounding.
pub(super) fn placement(kind: &'static str, name: &str, pose: &Transform) -> Result<Transform> {
    let bad = |value, reason| {
        Err(DynamicsError::BadPlacement {
            kind,
            name: name.to_owned(),
            value,
            reason,
        })
    };
    if !pose.is_finite() {
        return bad(f64::NAN, "an entry is not finite");
    }
    let defect = pose.rotation_defect();
    if defect > ROTATION_TOLERANCE {
        return bad(defect, "the matrix is not a rotation");
    }
    if defect < 1e-15 {
        return Ok(*pose);
    }
    // one Newton step towards the nearest rotation, R (3 − RᵀR)/2, squares the defect
    let mut rotation = pose.rotation;
    for _ in 0..3 {
        let correction = nalgebra::Matrix3::identity() * 3.0 - rotation.transpose() * rotation;
        rotation = rotation * correction * 0.5;
    }
    Ok(Transform::new(rotation, pose.translation))
}

/// Refuses an inertia that is not one; reports (or, if `strict`, refuses) one that no collection of
/// masses can have. Whether a moving body can do with it shows with everything fixed to it
/// ([`moving_inertia`]).
pub(super) fn body_inertia(
    body: &str,
    inertia: &Inertia,
    strict: bool,
) -> Result<Option<ModelWarning>> {
    let bad = |field, value, reason| {
        Err(DynamicsError::BadInertia {
            body: body.to_owned(),
            field,
            value,
            reason,
        })
    };
    if let Some(value) = inertia.to_array().into_iter().find(|x| !x.is_finite()) {
        return bad("inertia", value, "must be finite");
    }
    let turns_freely = inertia.rotational == Symmetric3::default();
    if inertia.mass < 0.0 || (inertia.mass == 0.0 && (strict || turns_freely)) {
        return bad(
            "mass",
            inertia.mass,
            "must be positive (or leave the inertia out)",
        );
    }
    let moments @ [a, b, c] = inertia.about_com().eigenvalues();
    let noise = noise(inertia);
    if a < -noise {
        return match strict {
            true => bad("smallest principal moment", a, "must not be negative"),
            false => Ok(Some(ModelWarning::NegativeMoment {
                body: body.to_owned(),
                moment: a,
            })),
        };
    }
    if inertia.mass == 0.0 {
        return Ok(Some(ModelWarning::InertiaWithoutMass {
            body: body.to_owned(),
        }));
    }
    if c <= a + b + TRIANGLE_TOLERANCE * c + noise {
        return Ok(None);
    }
    if strict {
        return bad(
            "largest principal moment",
            c,
            "exceeds the sum of the other two",
        );
    }
    Ok(Some(ModelWarning::TriangleInequality {
        body: body.to_owned(),
        moments,
    }))
}

/// Rounding of the shift between origin and centre of mass, in moments.
fn noise(inertia: &Inertia) -> f64 {
    1e-12 * inertia.rotational.trace().abs()
}

/// Refuses a moving body (with everything fixed to it) that has a negative moment, or that can move
/// without resistance: neither its inertia nor that of a body it `carries` resists every motion of its
/// joint. `resistance` is Sᵀ I S for the motions S of the joint, with armature.
pub(super) fn moving_inertia(
    body: &str,
    inertia: &Inertia,
    resistance: &DMatrix<f64>,
    carries: bool,
) -> Result<()> {
    let bad = |field, value, reason| {
        Err(DynamicsError::BadInertia {
            body: body.to_owned(),
            field,
            value,
            reason,
        })
    };
    let smallest = inertia.about_com().eigenvalues()[0];
    if smallest < -noise(inertia) {
        return bad(
            "smallest principal moment",
            smallest,
            "must not be negative",
        );
    }
    if carries {
        return Ok(());
    }
    if inertia.mass == 0.0 {
        let reason = "a moving body needs mass, its own or that of a body it carries";
        return bad("mass", 0.0, reason);
    }
    if is_positive_definite(resistance) {
        return Ok(());
    }
    let reason = "a moving body needs a rotational inertia that resists its joint";
    bad("smallest principal moment", smallest, reason)
}

/// Whether a symmetric matrix is positive definite by more than rounding, whatever the units of its
/// rows.
fn is_positive_definite(matrix: &DMatrix<f64>) -> bool {
    let Some(factor) = matrix.clone().cholesky() else {
        return false;
    };
    let factor = factor.l();
    (0..matrix.nrows()).all(|i| factor[(i, i)].powi(2) > 1e-13 * matrix[(i, i)])
}

pub(super) fn dof_properties(joint: &str, dof: &DofProperties) -> Result<()> {
    let bad = |field, value, reason| {
        Err(DynamicsError::BadJoint {
            joint: joint.to_owned(),
            field,
            value,
            reason,
        })
    };
    for (field, value) in [
        ("friction_loss", dof.friction_loss),
        ("damping", dof.damping),
        ("armature", dof.armature),
        ("rotor_inertia", dof.rotor_inertia),
        ("stiffness", dof.stiffness),
    ] {
        if !(value >= 0.0 && value.is_finite()) {
            return bad(field, value, "must be finite and not negative");
        }
    }
    for (field, value) in [
        ("velocity_limit", dof.velocity_limit),
        ("effort_limit", dof.effort_limit),
    ] {
        if value.is_nan() || value < 0.0 {
            return bad(field, value, "must not be negative");
        }
    }
    for (field, value) in [("gear_ratio", dof.gear_ratio), ("reference", dof.reference)] {
        if !value.is_finite() {
            return bad(field, value, "must be finite");
        }
    }
    if dof.lower.is_nan() || dof.lower == f64::INFINITY {
        return bad("lower", dof.lower, "must be a number or minus infinity");
    }
    if dof.upper.is_nan() || dof.upper == f64::NEG_INFINITY {
        return bad("upper", dof.upper, "must be a number or infinity");
    }
    if dof.lower > dof.upper {
        return bad("lower", dof.lower, "must not exceed upper");
    }
    Ok(())
}
