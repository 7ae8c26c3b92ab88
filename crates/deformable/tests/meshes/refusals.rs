//! Meshes that are refused, by what is wrong with them.

use stiction_deformable::TetMesh;
use stiction_deformable::mesh::{MeshError, Pattern, Pinch, cylinder, mat, solid_box};
use stiction_deformable::nalgebra::Vector3;

fn nodes() -> Vec<Vector3<f64>> {
    vec![
        Vector3::zeros(),
        Vector3::x(),
        Vector3::y(),
        Vector3::z(),
        Vector3::repeat(1.0),
    ]
}

fn refused(nodes: Vec<Vector3<f64>>, tets: &[[u32; 4]]) -> MeshError {
    TetMesh::new(nodes, tets.to_vec()).unwrap_err()
}

#[test]
fn the_element_is_named() {
    assert!(TetMesh::new(nodes(), vec![[0, 1, 2, 3], [1, 2, 3, 4]]).is_ok());
    assert_eq!(refused(nodes(), &[]), MeshError::Empty);
    let unused = refused(nodes(), &[[0, 1, 2, 3]]);
    assert_eq!(unused, MeshError::UnusedNode { node: 4 });
    let expected = MeshError::NoSuchNode {
        tet: 1,
        node: 7,
        nodes: 5,
    };
    assert_eq!(refused(nodes(), &[[0, 1, 2, 3], [1, 2, 3, 7]]), expected);
    let inverted = refused(nodes(), &[[0, 1, 2, 3], [2, 1, 3, 4]]);
    assert!(
        inverted
            .to_string()
            .contains("tetrahedron 1 is turned inside out"),
        "{inverted}"
    );
    let mut flat = nodes();
    flat[3] = Vector3::new(0.3, 0.3, 0.0);
    let flat = refused(flat, &[[0, 1, 2, 3], [1, 2, 3, 4]]);
    assert!(flat.to_string().contains("tetrahedron 0 is flat"), "{flat}");
    let twice = refused(nodes(), &[[0, 1, 2, 3], [1, 2, 3, 3]]);
    assert!(
        matches!(twice, MeshError::NotPositive { tet: 1, .. }),
        "{twice}"
    );
    let mut nowhere = nodes();
    nowhere[2].z = f64::INFINITY;
    let nowhere = refused(nowhere, &[[0, 1, 2, 3], [1, 2, 3, 4]]);
    assert!(
        nowhere.to_string().contains("node 2 is at (0, 1, inf) m"),
        "{nowhere}"
    );
}

#[test]
fn overlaps_and_pieces_are_named() {
    let mut more = nodes();
    more.push(Vector3::repeat(0.9));
    // Two on the same side of the face (1, 2, 3).
    let crowded = refused(more, &[[0, 1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 5]]);
    assert!(
        matches!(
            crowded,
            MeshError::CrowdedFace {
                face: [1, 2, 3],
                ..
            }
        ),
        "{crowded}"
    );
    let twice = refused(nodes()[..4].to_vec(), &[[0, 1, 2, 3], [0, 1, 2, 3]]);
    assert!(matches!(twice, MeshError::CrowdedFace { .. }), "{twice}");
    // Joined by an edge alone they swing as on a hinge: taken, and told.
    let mut more = nodes()[..4].to_vec();
    more.extend([Vector3::new(1.0, 0.0, -1.0), Vector3::new(0.0, -1.0, -1.0)]);
    let hinge = TetMesh::new(more, vec![[0, 1, 2, 3], [0, 1, 5, 4]]).unwrap();
    assert_eq!(hinge.quality().pinch, Some(Pinch::Edge([0, 1])));
    let mut two = nodes()[..4].to_vec();
    two.extend(two.clone().iter().map(|node| node + 5.0 * Vector3::x()));
    let pieces = refused(two, &[[0, 1, 2, 3], [4, 5, 6, 7]]);
    assert!(
        matches!(pieces, MeshError::Pieces { tet: 1, .. }),
        "{pieces}"
    );
}

#[test]
fn generators_refuse_sizes_before_they_allocate() {
    let sides = Vector3::new(1.0, 1.0, 1.0);
    for error in [
        solid_box(&sides, [1 << 40; 3], Pattern::Five),
        solid_box(&sides, [usize::MAX; 3], Pattern::BodyCentred),
        mat(&sides, 1, 1e-9, Pattern::Five),
        cylinder(1.0, 1.0, 1e-5),
    ] {
        let error = error.unwrap_err();
        assert!(matches!(error, MeshError::TooManyCells { .. }), "{error}");
        assert!(error.to_string().contains("1000000 are refused"), "{error}");
    }
    for error in [
        solid_box(&Vector3::new(1.0, -1.0, 1.0), [1; 3], Pattern::Five),
        solid_box(&Vector3::new(1.0, 1.0, f64::NAN), [1; 3], Pattern::Five),
        cylinder(f64::INFINITY, 1.0, 0.1),
        cylinder(1.0, 1.0, 0.0),
        mat(&sides, 1, f64::NAN, Pattern::Five),
    ] {
        let error = error.unwrap_err();
        assert!(matches!(error, MeshError::BadLength { .. }), "{error}");
    }
    for error in [
        solid_box(&sides, [1, 0, 1], Pattern::Five),
        mat(&sides, 0, 0.1, Pattern::Five),
    ] {
        assert!(matches!(error, Err(MeshError::NoCells { .. })));
    }
}
