//! Triangle surfaces: distances, filling, features, refusals.

use stiction_deformable::mesh::{SurfaceError, TriangleSurface, fill_surface};
use stiction_deformable::nalgebra::Vector3;

use super::shapes::{Soup, angle_iron, cube, icosphere, placed, ring, surface, torus};
use super::{check_angles, check_whole};

/// Places all around, inside and out.
fn places(reach: f64, count: usize) -> impl Iterator<Item = Vector3<f64>> {
    // Additive recurrence of the plastic number's cubic root: spread evenly, the same always.
    let steps = Vector3::new(0.819_172_513_396, 0.671_043_606_704, 0.549_700_477_901);
    (0..count).map(move |n| reach * (steps * n as f64).map(|value| 2.0 * value.fract() - 1.0))
}

#[test]
fn distances_have_the_right_sign_and_size() {
    // Exact for a cube: by its formula, near faces, edges and corners.
    let side = 2.0;
    let (corners, faces) = placed(cube(side), Vector3::repeat(-1.0), Vector3::zeros());
    let shape = surface(&(corners, faces));
    for place in places(2.0, 3000) {
        let beyond = place.abs() - Vector3::repeat(1.0);
        let exact = beyond.sup(&Vector3::zeros()).norm() + beyond.max().min(0.0);
        assert!(
            (shape.signed_distance(&place) - exact).abs() < 1e-12,
            "{place}"
        );
    }
    // A concave prism: inside by its outline.
    let iron = surface(&angle_iron());
    for place in places(4.0, 3000) {
        let in_limb = |x: f64, y: f64| (0.0..3.0).contains(&x) && (0.0..1.0).contains(&y);
        let inside = (0.0..1.0).contains(&place.z)
            && (in_limb(place.x, place.y) || in_limb(place.y, place.x));
        assert_eq!(iron.signed_distance(&place) < 0.0, inside, "{place}");
    }
    // A ring: up to its facets.
    let shape = surface(&ring(1.0, 0.4, 96, 48));
    for place in places(1.5, 2000) {
        let difference = shape.signed_distance(&place) - torus(&place, 1.0, 0.4);
        assert!((-1e-3..2e-3).contains(&difference), "{place} {difference}");
    }
}

#[test]
fn surfaces_are_filled() {
    let turn = Vector3::new(0.3, -0.2, 0.5);
    let shift = Vector3::new(0.2, 3.0, -1.0);
    for (soup, size, most) in [
        (icosphere(3), 0.2, 0.03),
        (cube(1.0), 0.12, 0.03),
        (ring(1.0, 0.4, 48, 24), 0.15, 0.05),
        (angle_iron(), 0.25, 0.05),
    ] {
        for soup in [soup.clone(), placed(soup, shift, turn)] {
            let shape = surface(&soup);
            let mesh = fill_surface(&shape, size).unwrap();
            check_whole(&mesh);
            check_angles(&mesh);
            let lack = 1.0 - mesh.volume() / shape.volume();
            assert!(lack > -1e-9 && lack < most, "{lack}");
            // Nothing stands out, and every node outside lies on the surface.
            for &node in &mesh.boundary().nodes {
                let distance = shape.signed_distance(&mesh.nodes()[node as usize]);
                assert!(distance.abs() < 1e-9 || distance < 0.0, "{distance}");
            }
        }
    }
}

/// A shell in a shell, turned the other way, is a cavity.
#[test]
fn cavities_stay_empty() {
    let (mut places, mut faces) = icosphere(2);
    let count = places.len() as u32;
    places.extend(places.clone().iter().map(|place| 0.5 * place));
    faces.extend(
        faces
            .clone()
            .iter()
            .map(|&[a, b, c]| [a, c, b].map(|v| v + count)),
    );
    let shape = surface(&(places, faces));
    let mesh = fill_surface(&shape, 0.15).unwrap();
    check_whole(&mesh);
    check_angles(&mesh);
    assert!((mesh.volume() / shape.volume() - 1.0).abs() < 0.05);
    assert!(mesh.nodes().iter().all(|node| node.norm() > 0.45));
}

#[test]
fn creases_and_walls_are_measured() {
    let features = surface(&cube(1.0)).features(0.1);
    assert_eq!(features.creases, 12);
    assert!((features.crease_length - 12.0).abs() < 1e-12);
    assert!((features.sharpest - 90.0).abs() < 1e-9);
    assert!((features.thinnest_wall - 1.0).abs() < 1e-9);
    assert_eq!(features.thin_share, 0.0);
    // A plate of 2 mm under a block: cells of 5 mm may tear it.
    let plate = super::shapes::extruded(
        &[[0.0, 0.0], [0.1, 0.0], [0.1, 0.1], [0.0, 0.1]],
        &[[0, 1, 2], [0, 2, 3]],
        0.002,
    );
    let features = surface(&plate).features(0.005);
    assert!((features.thinnest_wall - 0.002).abs() < 1e-9);
    assert!(features.thin_share > 0.9, "{features:?}");
    let features = surface(&icosphere(3)).features(0.1);
    assert_eq!(features.creases, 0);
    assert!(features.thinnest_wall > 1.8, "{features:?}");
}

#[test]
fn surfaces_that_bound_nothing_are_refused() {
    let refused = |(places, faces): &Soup| TriangleSurface::new(places, faces).unwrap_err();
    let (places, faces) = cube(1.0);
    assert_eq!(refused(&(places.clone(), vec![])), SurfaceError::Empty);
    assert_eq!(
        refused(&(places.clone(), vec![[0, 0, 1]])),
        SurfaceError::Empty
    );

    let mut open = faces.clone();
    let [a, b, c] = open.remove(5);
    match refused(&(places.clone(), open)) {
        SurfaceError::Open { edge, .. } => {
            assert!(edge.iter().all(|vertex| [a, b, c].contains(vertex)));
        }
        other => panic!("{other}"),
    }

    let mut broken = places.clone();
    broken[3].y = f64::NAN;
    let error = refused(&(broken, faces.clone()));
    assert!(
        matches!(error, SurfaceError::NotFinite { vertex: 3, .. }),
        "{error}"
    );

    let mut wrong = faces.clone();
    wrong[2][1] = 8;
    let expected = SurfaceError::NoSuchVertex {
        triangle: 2,
        vertex: 8,
        vertices: 8,
    };
    assert_eq!(refused(&(places.clone(), wrong)), expected);

    let mut turned = faces.clone();
    turned[4].swap(0, 1);
    assert!(
        matches!(refused(&(places.clone(), turned)), SurfaceError::TurnedOver { triangles, .. } if triangles.contains(&4))
    );

    let inside_out: Vec<_> = faces.iter().map(|&[a, b, c]| [a, c, b]).collect();
    assert!(matches!(
        refused(&(places.clone(), inside_out)),
        SurfaceError::InsideOut { .. }
    ));

    let mut flat = places.clone();
    flat.push(Vector3::new(2.0, 0.0, 0.0));
    let mut with_flat = faces.clone();
    with_flat.push([0, 1, 8]);
    assert_eq!(
        refused(&(flat, with_flat)),
        SurfaceError::Flat { triangle: 12 }
    );
}

/// Two cubes at every kind of distance.
#[test]
fn surfaces_that_touch_themselves_are_refused() {
    let two = |shift: Vector3<f64>| {
        let (mut places, mut faces) = cube(1.0);
        let (others, _) = placed(cube(1.0), shift, Vector3::zeros());
        places.extend(others);
        faces.extend(
            faces
                .clone()
                .iter()
                .map(|face| face.map(|vertex| vertex + 8)),
        );
        TriangleSurface::new(&places, &faces)
    };
    assert!(two(Vector3::new(1.5, 0.0, 0.0)).is_ok());
    assert!(two(Vector3::new(1.0 + 1e-6, 0.0, 0.0)).is_ok());
    let at_corner = two(Vector3::repeat(1.0)).unwrap_err();
    assert!(
        matches!(at_corner, SurfaceError::SplitVertex { vertex: 6 }),
        "{at_corner}"
    );
    let at_edge = two(Vector3::new(1.0, 1.0, 0.0)).unwrap_err();
    assert!(
        matches!(at_edge, SurfaceError::CrowdedEdge { count: 4, .. }),
        "{at_edge}"
    );
    for shift in [
        Vector3::new(1.0, 0.3, 0.2), // face on face
        Vector3::new(0.5, 0.3, 0.2), // across
        Vector3::new(1.0, 1.0, 0.3), // edge along edge
        Vector3::new(1.0, 0.3, 1.0),
    ] {
        let error = two(shift).unwrap_err();
        assert!(
            matches!(error, SurfaceError::Touching { triangles: [a, b] } if a < 12 && b >= 12),
            "{error}"
        );
    }
    // One inside of the other, both outward: crossing nowhere, and the inner one counts for nothing new.
    let (mut places, mut faces) = cube(1.0);
    let count = places.len() as u32;
    places.extend(placed(cube(0.2), Vector3::repeat(0.4), Vector3::zeros()).0);
    faces.extend(
        faces
            .clone()
            .iter()
            .map(|face| face.map(|vertex| vertex + count)),
    );
    let error = TriangleSurface::new(&places, &faces).unwrap_err();
    assert!(matches!(error, SurfaceError::Nested { .. }), "{error}");
}
