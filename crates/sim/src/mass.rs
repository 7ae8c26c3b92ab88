//! Mass and inertia of a shape filled with one material.

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};
use stiction_collision::{Outline, Shape};
use stiction_dynamics::{Inertia, Symmetric3, Transform};

use crate::error::{Result, SimError, positive};

/// Inertia of a body of `mass` kg that fills a shape evenly, in the shape's frame.
///
/// # Errors
/// A mass that is not positive, or a shape without a volume.
pub fn uniform_inertia(shape: &Shape, mass: f64) -> Result<Inertia> {
    positive(shape.name(), "mass", mass)?;
    let (volume, inertia) = unit_density(shape, 0)?;
    let density = mass / volume;
    Ok(Inertia {
        mass,
        first_moment: inertia.first_moment * density,
        rotational: inertia.rotational * density,
    })
}

/// Volume of a shape, m³; parts of a compound that overlap count twice.
///
/// # Errors
/// A shape without a volume.
pub fn volume(shape: &Shape) -> Result<f64> {
    Ok(unit_density(shape, 0)?.0)
}

/// Deepest nesting of compounds.
const DEEPEST: usize = 16;

/// Volume, and inertia at a density of 1 kg/m³.
fn unit_density(shape: &Shape, depth: usize) -> Result<(f64, Inertia)> {
    let refuse = |reason: &str| SimError::NotPossible {
        element: shape.name().to_owned(),
        reason: reason.to_owned(),
    };
    let centered = |volume: f64, diagonal: [f64; 3]| {
        let [x, y, z] = diagonal.map(|value| value * volume);
        let about = Symmetric3::diagonal(x, y, z);
        (volume, Inertia::from_com(volume, Vector3::zeros(), about))
    };
    let pi = std::f64::consts::PI;
    Ok(match shape.outline() {
        Outline::Sphere { radius: r } => {
            let moment = 0.4 * r * r;
            centered(4.0 / 3.0 * pi * r * r * r, [moment; 3])
        }
        Outline::Box { half_extents: h } => {
            let s = h.map(|value| value * value / 3.0);
            centered(8.0 * h.x * h.y * h.z, [s.y + s.z, s.x + s.z, s.x + s.y])
        }
        Outline::Ellipsoid { radii } => {
            let s = radii.map(|value| value * value / 5.0);
            let volume = 4.0 / 3.0 * pi * radii.x * radii.y * radii.z;
            centered(volume, [s.y + s.z, s.x + s.z, s.x + s.y])
        }
        Outline::Cylinder {
            half_length: l,
            radius: r,
        } => {
            let across = r * r / 4.0 + l * l / 3.0;
            centered(2.0 * pi * r * r * l, [across, across, 0.5 * r * r])
        }
        Outline::Cone {
            half_length: l,
            radius: r,
        } => {
            // Height 2 l; the centre of mass is a quarter of it above the base at −l.
            let volume = 2.0 / 3.0 * pi * r * r * l;
            let across = volume * (3.0 / 20.0 * r * r + 3.0 / 80.0 * 4.0 * l * l);
            let about = Symmetric3::diagonal(across, across, volume * 0.3 * r * r);
            let center = Vector3::new(0.0, 0.0, -0.5 * l);
            (volume, Inertia::from_com(volume, center, about))
        }
        Outline::Capsule {
            half_length: l,
            radius: r,
        } => {
            let tube = 2.0 * pi * r * r * l;
            let ball = 4.0 / 3.0 * pi * r * r * r;
            let along = tube * 0.5 * r * r + ball * 0.4 * r * r;
            // Each half ball has its centre of mass 3 r/8 beyond the end of the tube.
            let across =
                tube * (r * r / 4.0 + l * l / 3.0) + ball * (0.4 * r * r + l * l + 0.75 * l * r);
            let about = Symmetric3::diagonal(across, across, along);
            let volume = tube + ball;
            (volume, Inertia::from_com(volume, Vector3::zeros(), about))
        }
        Outline::Mesh(mesh) => {
            if !mesh.is_closed() {
                return Err(refuse("an open mesh has no volume"));
            }
            let triangles = (0..mesh.faces().len()).map(|face| mesh.triangle(face));
            solid_mesh(triangles).ok_or_else(|| refuse("the mesh has no positive volume"))?
        }
        Outline::Compound(parts) => {
            if depth >= DEEPEST {
                return Err(refuse("compounds are nested too deeply"));
            }
            let mut sum = (0.0, Inertia::default());
            for (pose, part) in parts {
                let (volume, inertia) = unit_density(part, depth + 1)?;
                sum.0 += volume;
                sum.1 += transform_of(pose).apply_inertia(&inertia);
            }
            sum
        }
        _ => return Err(refuse("the shape has no volume; give an inertia yourself")),
    })
}

/// The same pose in the types of the dynamics.
pub(crate) fn transform_of(pose: &Isometry3<f64>) -> Transform {
    Transform::new(
        *pose.rotation.to_rotation_matrix().matrix(),
        pose.translation.vector,
    )
}

/// Sum over the tetrahedra between the origin and the faces.
fn solid_mesh(triangles: impl Iterator<Item = [Point3<f64>; 3]>) -> Option<(f64, Inertia)> {
    let (mut volume, mut first) = (0.0, Vector3::zeros());
    let mut second = Matrix3::zeros();
    for [a, b, c] in triangles {
        let (a, b, c) = (a.coords, b.coords, c.coords);
        let part = a.dot(&b.cross(&c)) / 6.0;
        volume += part;
        first += (a + b + c) * (part / 4.0);
        // ∫ x xᵀ over a tetrahedron with a vertex at the origin.
        let sum = a + b + c;
        second +=
            (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose())
                * (part / 20.0);
    }
    if !(volume > 0.0 && volume.is_finite()) {
        return None;
    }
    let rotational = Matrix3::identity() * second.trace() - second;
    Some((
        volume,
        Inertia {
            mass: volume,
            first_moment: first,
            rotational: Symmetric3::from_matrix(&rotational),
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, relative: f64) -> bool {
        (a - b).abs() <= relative * (a.abs() + b.abs() + 1e-12)
    }

    #[test]
    fn a_box_of_triangles_weighs_what_a_box_weighs() {
        let half = Vector3::new(0.1, 0.2, 0.3);
        let solid = Shape::cuboid("box", half).unwrap();
        let surface = solid.surface().unwrap();
        let mesh = Shape::triangle_mesh(
            "mesh",
            surface.vertices().to_vec(),
            surface.faces().to_vec(),
        )
        .unwrap();
        let (a, b) = (
            uniform_inertia(&solid, 2.0).unwrap(),
            uniform_inertia(&mesh, 2.0).unwrap(),
        );
        for (x, y) in a.to_array().iter().zip(b.to_array()) {
            assert!((x - y).abs() < 1e-12, "{a:?} {b:?}");
        }
        let known = Inertia::solid_box(2.0, half * 2.0).to_array();
        for (x, y) in a.to_array().iter().zip(known) {
            assert!((x - y).abs() < 1e-15, "{a:?}");
        }
    }

    #[test]
    fn round_shapes_agree_with_their_fine_meshes() {
        for shape in [
            Shape::sphere("s", 0.3).unwrap(),
            Shape::cylinder("c", 0.4, 0.2).unwrap(),
            Shape::cone("k", 0.4, 0.2).unwrap(),
            Shape::capsule("p", 0.4, 0.2).unwrap(),
            Shape::ellipsoid("e", Vector3::new(0.1, 0.2, 0.3)).unwrap(),
        ] {
            let exact = uniform_inertia(&shape, 1.0).unwrap();
            let surface = shape.surface().unwrap();
            let faces = (0..surface.faces().len()).map(|face| surface.triangle(face));
            let (volume, mesh) = solid_mesh(faces).unwrap();
            for (a, b) in exact.to_array().iter().zip(mesh.to_array()) {
                // Inscribed facets are a few per cent smaller.
                let b = b / volume;
                assert!(
                    close(*a, b, 0.05) || (a - b).abs() < 1e-3,
                    "{}: {a} {b}",
                    shape.name()
                );
            }
        }
    }

    #[test]
    fn compounds_add_up_and_the_volumeless_is_refused() {
        let cube = Shape::cuboid("cube", Vector3::repeat(0.5)).unwrap();
        let parts = vec![
            (Isometry3::translation(-0.5, 0.0, 0.0), cube.clone()),
            (Isometry3::translation(0.5, 0.0, 0.0), cube),
        ];
        let two = Shape::compound("two", parts).unwrap();
        let inertia = uniform_inertia(&two, 3.0).unwrap();
        let whole = Inertia::solid_box(3.0, Vector3::new(2.0, 1.0, 1.0));
        for (a, b) in inertia.to_array().iter().zip(whole.to_array()) {
            assert!((a - b).abs() < 1e-12);
        }
        assert!(uniform_inertia(&Shape::half_space("h"), 1.0).is_err());
        assert!(uniform_inertia(&two, f64::NAN).is_err());
    }
}
