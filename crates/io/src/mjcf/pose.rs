//! Positions and orientations, in the five ways in which MJCF says the latter.

use nalgebra::{
    Isometry3, Matrix3, Quaternion, Rotation3, Translation3, Unit, UnitQuaternion, Vector3,
};

use super::compiler::Compiler;
use super::defaults::Attributes;
use super::value::Value;
use crate::error::Result;

const ORIENTATIONS: [&str; 5] = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];

/// `pos` and whichever orientation there is.
pub(super) fn pose(attributes: &Attributes<'_>, compiler: &Compiler) -> Result<Isometry3<f64>> {
    let position = match attributes.get("pos") {
        Some(value) => value.vector()?,
        None => Vector3::zeros(),
    };
    let rotation = orientation(attributes, compiler)?.unwrap_or_else(UnitQuaternion::identity);
    Ok(Isometry3::from_parts(
        Translation3::from(position),
        rotation,
    ))
}

/// The orientation, if there is one: that of the element before those of its defaults.
pub(super) fn orientation(
    attributes: &Attributes<'_>,
    compiler: &Compiler,
) -> Result<Option<UnitQuaternion<f64>>> {
    for name in ORIENTATIONS {
        attributes.notes.ask(&attributes.element.tag, name);
    }
    for level in attributes.levels() {
        let mut given = ORIENTATIONS
            .into_iter()
            .filter_map(|name| Value::of(level, name));
        let Some(value) = given.next() else {
            continue;
        };
        if let Some(other) = given.next() {
            return Err(other.error(
                format!("{} says the orientation already", value.name),
                "leave out one of the two",
            ));
        }
        return rotation(value, compiler).map(Some);
    }
    Ok(None)
}

fn rotation(value: Value<'_>, compiler: &Compiler) -> Result<UnitQuaternion<f64>> {
    match value.name {
        "quat" => quaternion(value, value.numbers()?),
        "axisangle" => {
            let [x, y, z, angle] = value.numbers()?;
            let axis = direction(value, Vector3::new(x, y, z))?;
            Ok(UnitQuaternion::from_axis_angle(
                &axis,
                angle * compiler.angle,
            ))
        }
        "euler" => Ok(euler(value.numbers()?, compiler)),
        "xyaxes" => {
            let [a, b, c, d, e, f] = value.numbers()?;
            let x = direction(value, Vector3::new(a, b, c))?;
            let y = Vector3::new(d, e, f);
            let y = direction(value, y - x.into_inner() * x.dot(&y))?;
            let matrix = Matrix3::from_columns(&[x.into_inner(), y.into_inner(), x.cross(&y)]);
            Ok(UnitQuaternion::from_rotation_matrix(
                &Rotation3::from_matrix_unchecked(matrix),
            ))
        }
        _ => Ok(turn_z_to(direction(value, value.vector()?)?)),
    }
}

/// From the order (w, x, y, z), normalised.
pub(super) fn quaternion(value: Value<'_>, [w, x, y, z]: [f64; 4]) -> Result<UnitQuaternion<f64>> {
    let quaternion = Quaternion::new(w, x, y, z);
    match quaternion.norm() > 1e-12 {
        true => Ok(UnitQuaternion::from_quaternion(quaternion)),
        false => Err(value.error("a quaternion of length zero", "give w x y z of length 1")),
    }
}

pub(super) fn direction(value: Value<'_>, vector: Vector3<f64>) -> Result<Unit<Vector3<f64>>> {
    Unit::try_new(vector, 1e-12)
        .ok_or_else(|| value.error("a direction of length zero", "give another direction"))
}

/// Angles in the unit of the file.
pub(super) fn euler(angles: [f64; 3], compiler: &Compiler) -> UnitQuaternion<f64> {
    let mut out = UnitQuaternion::identity();
    for (letter, angle) in compiler.euler_sequence.into_iter().zip(angles) {
        let axis = match letter.to_ascii_lowercase() {
            'x' => Vector3::x_axis(),
            'y' => Vector3::y_axis(),
            _ => Vector3::z_axis(),
        };
        let turn = UnitQuaternion::from_axis_angle(&axis, angle * compiler.angle);
        out = match letter.is_ascii_lowercase() {
            true => out * turn,
            false => turn * out,
        };
    }
    out
}

/// The smallest turn that takes z to a direction.
pub(super) fn turn_z_to(to: Unit<Vector3<f64>>) -> UnitQuaternion<f64> {
    let across = Vector3::z().cross(&to);
    let sine = across.norm();
    let axis = Unit::try_new(across, 1e-10).unwrap_or_else(Vector3::x_axis);
    UnitQuaternion::from_axis_angle(&axis, sine.atan2(to.z))
}
