//! Contact frames, Jacobian rows of a point on a body, inertias.

use nalgebra::{Matrix3, Matrix6, SMatrix, Vector3, Vector6};
use stiction_constraints::{Law, Problem, ProblemError, RowBlock};

use crate::{GRAVITY, TIME_STEP};

/// Three rows of a free body or a body of a tree: (linear, angular).
pub(crate) type BodyRows = SMatrix<f64, 3, 6>;

/// The matrix of a cross product from the left: skew(p) x = p × x.
pub(crate) fn skew(p: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::new(0.0, -p.z, p.y, p.z, 0.0, -p.x, -p.y, p.x, 0.0)
}

/// Contact frame as rows (t1, t2, n) for a normal of any positive length.
pub(crate) fn contact_frame(normal: &Vector3<f64>) -> Matrix3<f64> {
    let n = normal.normalize();
    let helper = if n.x.abs() < 0.7 {
        Vector3::x()
    } else {
        Vector3::y()
    };
    let t1 = n.cross(&helper).normalize();
    let t2 = n.cross(&t1);
    Matrix3::from_rows(&[t1.transpose(), t2.transpose(), n.transpose()])
}

/// Velocity of the point at `arm` from the reference point, measured along the rows of `frame`.
pub(crate) fn point_rows(frame: &Matrix3<f64>, arm: &Vector3<f64>) -> BodyRows {
    let mut rows = BodyRows::zeros();
    rows.fixed_view_mut::<3, 3>(0, 0).copy_from(frame);
    rows.fixed_view_mut::<3, 3>(0, 3)
        .copy_from(&(-frame * skew(arm)));
    rows
}

/// Angular velocity along the world axes.
pub(crate) fn rotation_rows() -> BodyRows {
    let mut rows = BodyRows::zeros();
    rows.fixed_view_mut::<3, 3>(0, 3)
        .copy_from(&Matrix3::identity());
    rows
}

/// The numbers of rows by rows, as row blocks want them.
pub(crate) fn by_rows(rows: &BodyRows) -> [f64; 18] {
    std::array::from_fn(|k| rows[(k / 6, k % 6)])
}

/// Spatial inertia of a box at its centre; `half` are half edges in m, `mass` in kg.
pub(crate) fn box_inertia(mass: f64, half: &Vector3<f64>) -> Matrix6<f64> {
    let square = half.map(|h| 4.0 * h * h);
    let moment = |a: f64, b: f64| mass / 12.0 * (a + b);
    Matrix6::from_diagonal(&Vector6::new(
        mass,
        mass,
        mass,
        moment(square.y, square.z),
        moment(square.x, square.z),
        moment(square.x, square.y),
    ))
}

/// Inertia given at `center`, moved to the origin of `center`'s coordinates.
pub(crate) fn shift_inertia(at_center: &Matrix6<f64>, center: &Vector3<f64>) -> Matrix6<f64> {
    let mut to_center = Matrix6::identity();
    to_center
        .fixed_view_mut::<3, 3>(0, 3)
        .copy_from(&-skew(center));
    to_center.transpose() * at_center * to_center
}

/// Adds a box at its centre of mass with a velocity before the step and an external wrench (N,
/// N·m) beside gravity; b = M v + (gravity + wrench) Δt.
pub(crate) fn push_box(
    problem: &mut Problem,
    mass: f64,
    half: &Vector3<f64>,
    velocity: &Vector6<f64>,
    wrench: &Vector6<f64>,
) -> Result<usize, ProblemError> {
    let inertia = box_inertia(mass, half);
    let mut force = *wrench;
    force.z -= mass * GRAVITY;
    let b = inertia * velocity + force * TIME_STEP;
    problem.push_free_body(inertia, b.as_slice())
}

/// One side of a contact: subsystem, body inside it, its reference point in the world.
pub(crate) type Side = (usize, usize, Vector3<f64>);

/// Adds a contact at `point` with the normal pointing towards the first side; without a second
/// side the ground is the other partner. `gap_velocity` is the normal error e_n in m/s.
pub(crate) fn push_contact(
    problem: &mut Problem,
    law: Law,
    first: Side,
    second: Option<Side>,
    point: &Vector3<f64>,
    normal: &Vector3<f64>,
    gap_velocity: f64,
) -> Result<usize, ProblemError> {
    let frame = contact_frame(normal);
    let own = by_rows(&point_rows(&frame, &(point - first.2)));
    let block = |body, values| RowBlock::Body { body, values };
    let error = [0.0, 0.0, gap_velocity];
    match second {
        None => problem.push_constraint(law, &error, &[(first.0, block(first.1, &own))]),
        Some(other) => {
            let theirs = by_rows(&-point_rows(&frame, &(point - other.2)));
            problem.push_constraint(
                law,
                &error,
                &[
                    (first.0, block(first.1, &own)),
                    (other.0, block(other.1, &theirs)),
                ],
            )
        }
    }
}

/// What a generator says about a parameter that makes no sense.
pub(crate) fn refuse(what: &str, value: impl std::fmt::Display, reason: &str) -> ProblemError {
    ProblemError::Subsystem {
        subsystem: 0,
        reason: format!("{what} = {value} {reason}"),
    }
}
