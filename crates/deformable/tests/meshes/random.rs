//! Random bodies, surfaces and meshes: whole, or refused; never a panic.

use proptest::prelude::*;
use stiction_deformable::TetMesh;
use stiction_deformable::mesh::{Bounds, TriangleSurface, fill, fill_surface};
use stiction_deformable::nalgebra::Vector3;

use super::check_angles;
use super::shapes::{Soup, icosphere, placed, surface};

fn vector(reach: f64) -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(-reach..reach).prop_map(Vector3::from)
}

/// Waves of any length, cut off by a ball: bodies with holes, necks and islands that no cell resolves.
fn foam() -> impl Strategy<Value = Vec<(Vector3<f64>, f64)>> {
    prop::collection::vec((vector(30.0), 0.0..6.3), 1..6)
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => (-2i32..3).prop_map(f64::from),
        4 => -2.0..2.0,
        1 => prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(1e300), Just(1e-300), Just(-0.0)],
    ]
}

fn any_places() -> impl Strategy<Value = Vec<Vector3<f64>>> {
    let place = prop::array::uniform3(any_number()).prop_map(Vector3::from);
    prop::collection::vec(place, 0..9)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// The bound on angles needs no smooth body: it holds for each of the lattice's tetrahedra alone.
    #[test]
    fn angles_are_bounded_in_foam(waves in foam(), size in 0.11..0.4) {
        let bounds = Bounds::centred(Vector3::repeat(2.0));
        let mesh = fill(&bounds, size, |place| {
            let sum: f64 = waves.iter().map(|(wave, phase)| (wave.dot(place) + phase).sin()).sum();
            (sum - 0.6 * waves.len() as f64).max(place.norm() - 1.0)
        });
        // Pieces are refused; what hangs together is within the bound.
        if let Ok(mesh) = mesh {
            check_angles(&mesh);
        }
    }

    #[test]
    fn dented_spheres_are_filled(
        dents in prop::collection::vec(0.75..1.0, 42),
        shift in vector(5.0),
        turn in vector(2.0),
        size in 0.2..0.5,
    ) {
        let (mut places, faces) = icosphere(1);
        // The same dent for all copies of a vertex.
        let unique = places.clone();
        for place in &mut places {
            let first = unique.iter().position(|other| other == place).unwrap_or(0);
            *place *= dents[first % dents.len()];
        }
        let shape = surface(&placed((places, faces), shift, turn));
        let mesh = fill_surface(&shape, size).unwrap();
        super::check_whole(&mesh);
        check_angles(&mesh);
        prop_assert!(mesh.volume() < 1.05 * shape.volume());
        prop_assert!(mesh.volume() > 0.5 * shape.volume());
        prop_assert_eq!(fill_surface(&shape, size).unwrap(), mesh);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_tetrahedra_are_taken_or_refused(
        places in any_places(),
        tets in prop::collection::vec(prop::array::uniform4(0u32..9), 0..6),
    ) {
        match TetMesh::new(places, tets) {
            Ok(mesh) => {
                let quality = mesh.quality();
                prop_assert!(quality.smallest_volume.value > 0.0);
                prop_assert!(quality.worst_aspect.value > 0.0 && quality.worst_aspect.value <= 1.0);
                prop_assert!(!mesh.boundary().triangles.is_empty());
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn any_triangles_are_taken_or_refused(
        places in any_places(),
        faces in prop::collection::vec(prop::array::uniform3(0u32..9), 0..9),
        closed in any::<bool>(),
    ) {
        // Tetrahedra of any corners close more often than any triangles do.
        let faces = if closed {
            (faces.iter().enumerate())
                .flat_map(|(n, &[a, b, c])| {
                    let d = n as u32;
                    [[a, b, c], [a, c, d], [a, d, b], [b, d, c]]
                })
                .collect()
        } else {
            faces
        };
        let soup: Soup = (places, faces);
        match TriangleSurface::new(&soup.0, &soup.1) {
            Ok(surface) => {
                prop_assert!(surface.volume() > 0.0);
                let size = surface.bounds().sides().max() / 6.0;
                match fill_surface(&surface, size) {
                    Ok(mesh) => prop_assert!(mesh.volume() < 1.0001 * surface.volume()),
                    Err(error) => prop_assert!(!error.to_string().is_empty()),
                }
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}
