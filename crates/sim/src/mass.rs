//! Mass and inertia of a shape filled with one material.

use stiction_collision::{Shape, VolumeMoments};
use stiction_dynamics::Inertia;

use crate::error::{Result, SimError, positive};

/// Inertia of a body of `mass` kg that fills a shape evenly, in the shape's frame.
///
/// # Errors
/// A mass that is not positive, or a shape without a volume.
pub fn uniform_inertia(shape: &Shape, mass: f64) -> Result<Inertia> {
    positive(shape.name(), "mass", mass)?;
    let moments = moments(shape)?;
    let density = mass / moments.volume;
    Ok(Inertia::from_moments(
        mass,
        moments.first * density,
        &(moments.second * density),
    ))
}

/// Volume of a shape, m³; parts of a compound that overlap count twice.
///
/// # Errors
/// A shape without a volume.
pub fn volume(shape: &Shape) -> Result<f64> {
    Ok(moments(shape)?.volume)
}

fn moments(shape: &Shape) -> Result<VolumeMoments> {
    let moments = shape.volume_moments();
    moments.ok_or_else(|| SimError::NotPossible {
        element: shape.name().to_owned(),
        reason: "the shape has no volume; give an inertia yourself".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use nalgebra::{Isometry3, Vector3};

    use super::*;

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
