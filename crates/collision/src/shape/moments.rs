//! Volume of a shape and its first and second moments, from which every uniform inertia follows.

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use super::{Outline, Shape};

/// Integrals over the volume of a shape, in its frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VolumeMoments {
    /// ∫ 1, m³.
    pub volume: f64,
    /// ∫ x, m⁴.
    pub first: Vector3<f64>,
    /// ∫ x xᵀ, m⁵.
    pub second: Matrix3<f64>,
}

/// Deepest nesting of compounds.
const DEEPEST: usize = 16;

impl Shape {
    /// Integrals over the shape's volume; parts of a compound that overlap count twice. `None` for a
    /// shape without a volume: unbounded, open, or nested too deeply.
    pub fn volume_moments(&self) -> Option<VolumeMoments> {
        of_shape(self, 0)
    }
}

fn of_shape(shape: &Shape, depth: usize) -> Option<VolumeMoments> {
    let pi = std::f64::consts::PI;
    Some(match shape.outline() {
        Outline::Sphere { radius: r } => {
            centered(4.0 / 3.0 * pi * r * r * r, Vector3::repeat(r * r / 5.0))
        }
        Outline::Box { half_extents: h } => {
            centered(8.0 * h.x * h.y * h.z, h.map(|value| value * value / 3.0))
        }
        Outline::Ellipsoid { radii } => {
            let volume = 4.0 / 3.0 * pi * radii.x * radii.y * radii.z;
            centered(volume, radii.map(|value| value * value / 5.0))
        }
        Outline::Cylinder {
            half_length: l,
            radius: r,
        } => {
            let across = r * r / 4.0;
            centered(
                2.0 * pi * r * r * l,
                Vector3::new(across, across, l * l / 3.0),
            )
        }
        Outline::Cone {
            half_length: l,
            radius: r,
        } => {
            // Height 2 l, base at −l: radius r (l − z) / (2 l) at z.
            let volume = 2.0 / 3.0 * pi * r * r * l;
            let across = 3.0 / 20.0 * r * r;
            VolumeMoments {
                volume,
                first: Vector3::new(0.0, 0.0, -0.5 * l * volume),
                second: Matrix3::from_diagonal(&Vector3::new(across, across, 0.4 * l * l)) * volume,
            }
        }
        Outline::Capsule {
            half_length: l,
            radius: r,
        } => {
            let tube = 2.0 * pi * r * r * l;
            let ball = 4.0 / 3.0 * pi * r * r * r;
            let across = tube * r * r / 4.0 + ball * r * r / 5.0;
            // Each half ball has its centre of volume 3 r/8 beyond the end of the tube.
            let along = tube * l * l / 3.0 + ball * (r * r / 5.0 + l * l + 0.75 * l * r);
            VolumeMoments {
                volume: tube + ball,
                first: Vector3::zeros(),
                second: Matrix3::from_diagonal(&Vector3::new(across, across, along)),
            }
        }
        Outline::Mesh(mesh) => {
            if !mesh.is_closed() {
                return None;
            }
            of_surface((0..mesh.faces().len()).map(|face| mesh.triangle(face)))?
        }
        Outline::Compound(parts) => {
            if depth >= DEEPEST {
                return None;
            }
            let mut sum = VolumeMoments {
                volume: 0.0,
                first: Vector3::zeros(),
                second: Matrix3::zeros(),
            };
            for (pose, part) in parts {
                let part = of_shape(part, depth + 1)?.transformed(pose);
                sum.volume += part.volume;
                sum.first += part.first;
                sum.second += part.second;
            }
            sum
        }
        _ => return None,
    })
}

/// A body whose centre is the origin, with its second moments per volume.
fn centered(volume: f64, second: Vector3<f64>) -> VolumeMoments {
    VolumeMoments {
        volume,
        first: Vector3::zeros(),
        second: Matrix3::from_diagonal(&second) * volume,
    }
}

/// Sum over the tetrahedra between the origin and the faces; `None` without a positive volume.
fn of_surface(triangles: impl Iterator<Item = [Point3<f64>; 3]>) -> Option<VolumeMoments> {
    let mut sum = VolumeMoments {
        volume: 0.0,
        first: Vector3::zeros(),
        second: Matrix3::zeros(),
    };
    for [a, b, c] in triangles {
        let (a, b, c) = (a.coords, b.coords, c.coords);
        let part = a.dot(&b.cross(&c)) / 6.0;
        let corners = a + b + c;
        sum.volume += part;
        sum.first += corners * (part / 4.0);
        // ∫ x xᵀ over a tetrahedron with a vertex at the origin.
        let squares = a * a.transpose() + b * b.transpose() + c * c.transpose();
        sum.second += (squares + corners * corners.transpose()) * (part / 20.0);
    }
    (sum.volume > 0.0 && sum.volume.is_finite()).then_some(sum)
}

impl VolumeMoments {
    /// The same volume seen from the frame in which its own has `pose`.
    #[must_use]
    pub fn transformed(&self, pose: &Isometry3<f64>) -> Self {
        let rotation = pose.rotation.to_rotation_matrix();
        let (rotation, shift) = (rotation.matrix(), pose.translation.vector);
        let first = rotation * self.first;
        let second = rotation * self.second * rotation.transpose();
        let mixed = first * shift.transpose();
        Self {
            volume: self.volume,
            first: first + shift * self.volume,
            second: second + mixed + mixed.transpose() + shift * shift.transpose() * self.volume,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_shapes_agree_with_their_fine_meshes() {
        for shape in [
            Shape::sphere("s", 0.3).unwrap(),
            Shape::cylinder("c", 0.4, 0.2).unwrap(),
            Shape::cone("k", 0.4, 0.2).unwrap(),
            Shape::capsule("p", 0.4, 0.2).unwrap(),
            Shape::ellipsoid("e", Vector3::new(0.1, 0.2, 0.3)).unwrap(),
        ] {
            let exact = shape.volume_moments().unwrap();
            let surface = shape.surface().unwrap();
            let faces = (0..surface.faces().len()).map(|face| surface.triangle(face));
            let mesh = of_surface(faces).unwrap();
            // Inscribed facets are a few per cent smaller.
            let ratio = exact.volume / mesh.volume;
            assert!((1.0..1.08).contains(&ratio), "{}: {ratio}", shape.name());
            let (a, b) = (exact.second / exact.volume, mesh.second / mesh.volume);
            assert!(
                (a - b).norm() < 0.05 * a.norm(),
                "{}: {a} {b}",
                shape.name()
            );
            let (a, b) = (exact.first / exact.volume, mesh.first / mesh.volume);
            assert!((a - b).norm() < 2e-3, "{}: {a} {b}", shape.name());
        }
    }

    #[test]
    fn compounds_add_up_and_the_volumeless_has_none() {
        let cube = Shape::cuboid("cube", Vector3::repeat(0.5)).unwrap();
        let parts = vec![
            (Isometry3::translation(-0.5, 0.0, 0.0), cube.clone()),
            (Isometry3::translation(0.5, 0.0, 0.0), cube),
        ];
        let two = Shape::compound("two", parts).unwrap();
        let whole = Shape::cuboid("whole", Vector3::new(1.0, 0.5, 0.5)).unwrap();
        let (two, whole) = (
            two.volume_moments().unwrap(),
            whole.volume_moments().unwrap(),
        );
        assert!((two.volume - whole.volume).abs() < 1e-12);
        assert!((two.second - whole.second).norm() < 1e-12);
        assert!(Shape::half_space("h").volume_moments().is_none());
    }
}
