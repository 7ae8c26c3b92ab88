//! Two boxes: their fifteen separating axes in closed form.

use nalgebra::{Isometry3, Matrix3, Vector3};

use super::separation::Separation;

/// Edges whose directions differ by less than this (sine of the angle) are parallel and add nothing
/// to the faces.
const PARALLEL: f64 = 1e-6;

/// Box B (half sides `b`) as seen from box A (half sides `a`).
struct Boxes<'a> {
    a: &'a Vector3<f64>,
    b: &'a Vector3<f64>,
    centers: Vector3<f64>,
    /// The axes of B, columns.
    axes: Matrix3<f64>,
    limit: f64,
}

impl Boxes<'_> {
    /// Takes the axis ±n, given in the axes of A and of B, into account. False if it shows a gap
    /// above the limit.
    fn try_axis(&self, n: &Vector3<f64>, in_b: &Vector3<f64>, best: &mut Separation) -> bool {
        let along = n.dot(&self.centers);
        let gap = along.abs() - n.abs().dot(self.a) - in_b.abs().dot(self.b);
        if gap > best.gap {
            let normal = if along < 0.0 { -n } else { *n };
            *best = Separation { normal, gap };
        }
        gap <= self.limit
    }

    /// Whether no other axis can be better. No two points of the boxes are closer than the gap along
    /// an axis, so it is the best where two are that close; for boxes that overlap the fifteen axes
    /// are all there is.
    fn is_distance(&self, best: &Separation) -> bool {
        if best.gap <= 0.0 {
            return true;
        }
        let corner = |half: &Vector3<f64>, along: &Vector3<f64>| {
            half.zip_map(along, |half, along| half.copysign(along))
        };
        let of_a = corner(self.a, &best.normal);
        let of_b = corner(self.b, &-self.axes.tr_mul(&best.normal));
        let a_to_b = distance(&self.axes.tr_mul(&(of_a - self.centers)), self.b);
        let b_to_a = distance(&(self.axes * of_b + self.centers), self.a);
        a_to_b.min(b_to_a) <= best.gap * (1.0 + 1e-12) + 1e-15 * self.centers.norm()
    }
}

/// Axis of largest separation of two boxes among those of their faces and edges, and whether it is known
/// to be the best of all: boxes that overlap, or a corner right above a face. B is placed at `pose` in
/// A's frame. `None` if an axis shows a gap above `limit` (m). An axis across two edges must be clearly
/// better than that of a face.
pub(super) fn separation(
    a: &Vector3<f64>,
    b: &Vector3<f64>,
    pose: &Isometry3<f64>,
    limit: f64,
) -> Option<(Separation, bool)> {
    let boxes = Boxes {
        a,
        b,
        centers: pose.translation.vector,
        axes: pose.rotation.to_rotation_matrix().into_inner(),
        limit,
    };
    let mut faces = Separation {
        normal: Vector3::x(),
        gap: f64::NEG_INFINITY,
    };
    for k in 0..3 {
        let mut unit = Vector3::zeros();
        unit[k] = 1.0;
        let seen_from_b = boxes.axes.row(k).transpose();
        if !boxes.try_axis(&unit, &seen_from_b, &mut faces) {
            return None;
        }
    }
    for k in 0..3 {
        let mut unit = Vector3::zeros();
        unit[k] = 1.0;
        let seen_from_a = boxes.axes.column(k).into_owned();
        if !boxes.try_axis(&seen_from_a, &unit, &mut faces) {
            return None;
        }
    }
    let mut edges = faces;
    for i in 0..3 {
        let mut edge_a = Vector3::zeros();
        edge_a[i] = 1.0;
        for j in 0..3 {
            let cross = edge_a.cross(&boxes.axes.column(j));
            let length = cross.norm();
            if length > PARALLEL {
                let n = cross / length;
                if !boxes.try_axis(&n, &boxes.axes.tr_mul(&n), &mut edges) {
                    return None;
                }
            }
        }
    }
    let clearly = 1e-9 + 1e-6 * faces.gap.abs();
    let best = if edges.gap > faces.gap + clearly {
        edges
    } else {
        faces
    };
    Some((best, boxes.is_distance(&best)))
}

/// Distance of a point to a box about the origin.
fn distance(point: &Vector3<f64>, half: &Vector3<f64>) -> f64 {
    (point.abs() - half).sup(&Vector3::zeros()).norm()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Translation3, UnitQuaternion};

    fn pose(x: f64, y: f64, z: f64, turn: Vector3<f64>) -> Isometry3<f64> {
        Isometry3::from_parts(Translation3::new(x, y, z), UnitQuaternion::new(turn))
    }

    #[test]
    fn boxes_on_top_of_each_other_part_along_the_shortest_way() {
        let half = Vector3::new(0.5, 0.5, 0.1);
        let lying = pose(0.1, 0.0, -0.19, Vector3::z() * 0.3);
        let found = separation(&half, &half, &lying, 1e-3);
        let (found, is_distance) = found.expect("they overlap");
        assert!(is_distance);
        assert!((found.gap + 0.01).abs() < 1e-15);
        assert!((found.normal + Vector3::z()).norm() < 1e-15);
    }

    #[test]
    fn a_corner_above_a_face_is_as_far_as_the_face_says_and_beside_it_farther() {
        let (table, cube) = (Vector3::new(0.5, 0.5, 0.1), Vector3::repeat(0.1));
        for (x, expected) in [(0.2, true), (0.65, false)] {
            let above = pose(x, 0.0, 0.2 + 2e-4, Vector3::zeros());
            let found = separation(&table, &cube, &above, 0.1);
            let (found, is_distance) = found.expect("they are within the limit");
            assert_eq!(is_distance, expected);
            assert_eq!(found.gap > 2e-3, !expected);
        }
    }

    #[test]
    fn crossed_edges_are_an_axis_of_their_own() {
        // Both stand on an edge, the edges across each other: they meet in the middle.
        let half = Vector3::repeat(0.5);
        let quarter = std::f64::consts::FRAC_PI_4;
        let a = pose(0.0, 0.0, 0.0, Vector3::x() * quarter);
        let reach = 2.0 * 0.5_f64.sqrt();
        let b = pose(0.0, 0.0, reach + 2e-4, Vector3::y() * quarter);
        let found = separation(&half, &half, &(a.inverse() * b), 1e-3);
        let (found, is_distance) = found.expect("they are within the limit");
        // No corner is near the other box.
        assert!(!is_distance);
        assert!((found.gap - 2e-4).abs() < 1e-12);
        assert!((a.rotation * found.normal - Vector3::z()).norm() < 1e-12);
        assert!(separation(&half, &half, &(a.inverse() * b), 1e-4).is_none());
    }
}
