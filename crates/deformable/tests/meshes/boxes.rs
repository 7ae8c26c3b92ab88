//! Boxes and cylinders that are filled exactly.

use std::f64::consts::PI;

use stiction_deformable::mesh::{Pattern, cells, cylinder, mat, solid_box};
use stiction_deformable::nalgebra::Vector3;

use super::check_whole;

#[test]
fn boxes_are_filled_to_their_corners() {
    let sides = Vector3::new(0.3, 0.2, 0.5);
    for pattern in [Pattern::BodyCentred, Pattern::Five] {
        for [nx, ny, nz] in [[1, 1, 1], [2, 1, 3], [3, 4, 5]] {
            let mesh = solid_box(&sides, [nx, ny, nz], pattern).unwrap();
            check_whole(&mesh);
            assert!((mesh.volume() / sides.product() - 1.0).abs() < 1e-12);
            assert_eq!(mesh.bounds().min, -sides / 2.0);
            assert_eq!(mesh.bounds().max, sides / 2.0);
            let corners = (nx + 1) * (ny + 1) * (nz + 1);
            let faces = nx * ny + ny * nz + nz * nx;
            let (nodes, tets) = match pattern {
                Pattern::Five => (corners, 5 * nx * ny * nz),
                // Four around each of 3n − faces inner faces, two at each of the 2 faces outside.
                Pattern::BodyCentred => (
                    corners + nx * ny * nz,
                    4 * (3 * nx * ny * nz - faces) + 4 * faces,
                ),
            };
            assert_eq!((mesh.nodes().len(), mesh.tets().len()), (nodes, tets));
            assert_eq!(mesh.boundary().triangles.len(), 4 * faces);
        }
    }
}

/// Within the lattice the angles are 60° and 90°; a tetrahedron at a cell's corner has 54.7°.
#[test]
fn patterns_have_the_angles_of_their_lattices() {
    let sides = Vector3::repeat(1.0);
    for (pattern, smallest, largest) in [
        (Pattern::BodyCentred, 45.0, 120.0),
        (Pattern::Five, 54.735_610_317, 90.0),
    ] {
        let quality = solid_box(&sides, [3; 3], pattern).unwrap().quality();
        assert!(
            (quality.smallest_angle.value - smallest).abs() < 1e-6,
            "{quality}"
        );
        assert!(
            (quality.largest_angle.value - largest).abs() < 1e-6,
            "{quality}"
        );
        assert!(quality.to_string().contains("the surface is closed"));
    }
}

#[test]
fn topology_agrees_with_itself() {
    let mesh = solid_box(
        &Vector3::new(1.0, 2.0, 3.0),
        [2, 3, 2],
        Pattern::BodyCentred,
    )
    .unwrap();
    let node_tets = mesh.node_tets();
    let mut count = 0;
    for node in 0..mesh.nodes().len() {
        for &tet in node_tets.of(node) {
            assert!(mesh.tets()[tet as usize].contains(&(node as u32)));
            count += 1;
        }
    }
    assert_eq!(count, 4 * mesh.tets().len());
    // Euler: a ball has characteristic 1, its surface 2.
    let boundary = mesh.boundary();
    let outside = boundary.triangles.len() as i64;
    let faces = (4 * mesh.tets().len() as i64 + outside) / 2;
    let [nodes, edges, tets] =
        [mesh.nodes().len(), mesh.edges().len(), mesh.tets().len()].map(|n| n as i64);
    assert_eq!(nodes - edges + faces - tets, 1);
    assert_eq!(boundary.nodes.len() as i64 - outside / 2, 2);
    for (triangle, &tet) in boundary.triangles.iter().zip(&boundary.tets) {
        assert!(
            triangle
                .iter()
                .all(|node| mesh.tets()[tet as usize].contains(node))
        );
    }
}

#[test]
fn mats_have_the_layers_asked_for() {
    let sides = Vector3::new(0.5, 0.4, 0.01);
    for layers in [1, 2] {
        let mesh = mat(&sides, layers, 0.02, Pattern::Five).unwrap();
        check_whole(&mesh);
        assert_eq!(mesh.tets().len(), 5 * 25 * 20 * layers);
        assert!((mesh.volume() / sides.product() - 1.0).abs() < 1e-12);
    }
    assert_eq!(cells(&sides, 0.02).unwrap(), [25, 20, 1]);
}

#[test]
fn cylinders_have_flat_ends_and_sharp_rims() {
    let (radius, length) = (0.1, 0.3);
    for rings in [1, 2, 5] {
        let size = radius / f64::from(rings);
        let mesh = cylinder(radius, length, size).unwrap();
        check_whole(&mesh);
        // The polygon of 6 n corners in the circle.
        let angle = PI / f64::from(6 * rings);
        let area = f64::from(6 * rings) * radius * radius * angle.sin() * angle.cos();
        assert!((mesh.volume() / (area * length) - 1.0).abs() < 1e-12);
        assert_eq!(mesh.bounds().sides().z, length);
        let quality = mesh.quality();
        assert!(quality.smallest_angle.value > 28.0, "{quality}");
        assert!(quality.largest_angle.value < 125.0, "{quality}");
    }
}
