//! Bodies given by functions, filled by isosurface stuffing.

use std::f64::consts::PI;

use stiction_deformable::TetMesh;
use stiction_deformable::mesh::{Bounds, MeshError, ball, fill};
use stiction_deformable::nalgebra::Vector3;

use super::shapes::{ellipsoid, torus, torus_bounds};
use super::{check_angles, check_whole};

/// Shifts of the lattice against the body, in cells.
const SHIFTS: [[f64; 3]; 4] = [
    [0.0, 0.0, 0.0],
    [0.5, 0.5, 0.5],
    [0.21, 0.37, 0.11],
    [0.49, -0.3, 0.05],
];

/// The body and its box moved by a share of a cell, as seen from the lattice.
fn shifted(
    bounds: &Bounds,
    size: f64,
    shift: [f64; 3],
    distance: impl Fn(&Vector3<f64>) -> f64,
) -> TetMesh {
    let shift = size * Vector3::from(shift);
    // Wide enough on both sides that the middle stays.
    let wide = Bounds::centred(bounds.sides() + 2.0 * shift.abs());
    fill(&wide, size, |place| distance(&(place - shift))).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn angles_are_bounded_and_surfaces_closed() {
    let half = Vector3::new(1.0, 0.7, 0.5);
    let mut extremes = [180.0_f64, 0.0];
    for shift in SHIFTS {
        for size in [0.4, 0.23, 0.13] {
            for mesh in [
                shifted(&Bounds::centred(Vector3::repeat(2.0)), size, shift, |p| {
                    p.norm() - 1.0
                }),
                shifted(&Bounds::centred(2.0 * half), size, shift, |p| {
                    ellipsoid(p, &half)
                }),
                shifted(&torus_bounds(1.0, 0.4), size, shift, |p| torus(p, 1.0, 0.4)),
            ] {
                check_whole(&mesh);
                check_angles(&mesh);
                let quality = mesh.quality();
                extremes[0] = extremes[0].min(quality.smallest_angle.value);
                extremes[1] = extremes[1].max(quality.largest_angle.value);
            }
        }
    }
    println!("angles from {:.2}° to {:.2}°", extremes[0], extremes[1]);
}

/// The surface is met at its nodes, so that the volume lacks O(size²).
#[test]
fn volumes_converge_in_second_order() {
    let half = Vector3::new(1.0, 0.7, 0.5);
    type Maker = Box<dyn Fn(f64) -> TetMesh>;
    let bodies: [(f64, Maker); 3] = [
        (4.0 / 3.0 * PI, Box::new(|size| ball(1.0, size).unwrap())),
        (
            4.0 / 3.0 * PI * half.product(),
            Box::new(move |size| {
                fill(&Bounds::centred(2.0 * half), size, |p| ellipsoid(p, &half)).unwrap()
            }),
        ),
        (
            2.0 * PI * PI * 0.4 * 0.4,
            Box::new(|size| fill(&torus_bounds(1.0, 0.4), size, |p| torus(p, 1.0, 0.4)).unwrap()),
        ),
    ];
    for (exact, make) in bodies {
        let error = |size: f64| 1.0 - make(size).volume() / exact;
        let (coarse, fine) = (error(0.2), error(0.1));
        println!("volume lacks {coarse:.4} at 0.2, {fine:.4} at 0.1");
        assert!(fine > 0.0 && fine < 0.02, "{fine}");
        assert!((3.2..5.0).contains(&(coarse / fine)), "{coarse} {fine}");
    }
}

/// Every node outside lies on the surface itself, not near it.
#[test]
fn surface_nodes_lie_on_the_surface() {
    let mesh = ball(0.05, 0.013).unwrap();
    let boundary = mesh.boundary();
    for &node in &boundary.nodes {
        let radius = mesh.nodes()[node as usize].norm();
        assert!((radius / 0.05 - 1.0).abs() < 1e-11, "{radius}");
    }
    let inside = mesh
        .nodes()
        .iter()
        .filter(|node| node.norm() < 0.0499)
        .count();
    assert_eq!(inside + boundary.nodes.len(), mesh.nodes().len());
}

#[test]
fn the_same_is_made_again() {
    assert_eq!(ball(0.1, 0.017), ball(0.1, 0.017));
}

/// Functions that are no distances: steps, infinite values, planes along the lattice's.
#[test]
fn only_the_sign_counts() {
    let bounds = Bounds::centred(Vector3::repeat(2.0));
    let smooth = fill(&bounds, 0.2, |p| p.norm() - 1.0).unwrap();
    let step = fill(&bounds, 0.2, |p| if p.norm() < 1.0 { -1.0 } else { 1.0 }).unwrap();
    let endless = fill(&bounds, 0.2, |p| {
        if p.norm() < 1.0 {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        }
    })
    .unwrap();
    for other in [&step, &endless] {
        assert_eq!(other.tets().len(), smooth.tets().len());
        assert!((other.volume() / smooth.volume() - 1.0).abs() < 1e-10);
    }
    let cube = fill(&bounds, 0.2, |p| p.amax() - 1.0).unwrap();
    check_whole(&cube);
    check_angles(&cube);
}

#[test]
fn what_cannot_be_filled_is_refused() {
    let bounds = Bounds::centred(Vector3::repeat(2.0));
    let refused =
        |size, distance: &dyn Fn(&Vector3<f64>) -> f64| fill(&bounds, size, distance).unwrap_err();
    let sphere = |p: &Vector3<f64>| p.norm() - 1.0;
    assert!(matches!(
        refused(f64::NAN, &sphere),
        MeshError::BadLength { .. }
    ));
    assert!(matches!(refused(0.0, &sphere), MeshError::BadLength { .. }));
    let many = refused(1e-3, &sphere);
    assert!(
        matches!(many, MeshError::TooManyCells { cells, .. } if cells > 8e9),
        "{many}"
    );
    assert!(matches!(
        refused(1e-300, &sphere),
        MeshError::TooManyCells { .. }
    ));
    assert!(matches!(
        refused(0.2, &|_| f64::NAN),
        MeshError::NoDistance { .. }
    ));
    assert!(matches!(
        refused(0.2, &|p| p.norm() - 2.0),
        MeshError::OutOfBounds { .. }
    ));
    assert!(matches!(
        refused(0.2, &|_| 1.0),
        MeshError::NothingInside { .. }
    ));
    let two = |p: &Vector3<f64>| (p.x.abs() - 0.5).hypot(p.y.hypot(p.z)) - 0.3;
    let pieces = refused(0.1, &two);
    assert!(
        matches!(pieces, MeshError::Pieces { place, .. } if place.x > 0.0),
        "{pieces}"
    );
    assert!(matches!(ball(-1.0, 0.1), Err(MeshError::BadLength { .. })));
    let nowhere = Bounds {
        min: Vector3::repeat(f64::NAN),
        max: Vector3::repeat(1.0),
    };
    assert!(matches!(
        fill(&nowhere, 0.1, sphere),
        Err(MeshError::BadLength { .. })
    ));
}
