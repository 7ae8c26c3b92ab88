//! Any triangles into the mesher.

use nalgebra::Vector3;
use stiction_deformable::mesh::{TriangleSurface, fill_surface as fill};

/// The first byte is the number of vertices, the second the number of cells across; a vertex is three
/// bytes, sixteenths of a metre around the middle; the rest are triangles. Whatever they are, the answer is
/// a mesh within the surface with good angles, or an error.
pub fn fill_surface(bytes: &[u8]) {
    let [vertices, cells, rest @ ..] = bytes else {
        return;
    };
    let vertices = usize::from(*vertices).min(rest.len() / 3);
    let (places, corners) = rest.split_at(3 * vertices);
    let places: Vec<Vector3<f64>> = (places.chunks_exact(3))
        .map(|place| {
            Vector3::from_fn(|axis, _| match place[axis] {
                255 => f64::NAN,
                byte => (f64::from(byte) - 127.0) / 16.0,
            })
        })
        .collect();
    let triangles: Vec<[u32; 3]> = (corners.chunks_exact(3))
        .map(|corners| [corners[0], corners[1], corners[2]].map(u32::from))
        .collect();
    let surface = match TriangleSurface::new(&places, &triangles) {
        Ok(surface) => surface,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert!(surface.volume() > 0.0);
    let size = surface.bounds().sides().max() / f64::from(1 + cells % 16);
    assert!(surface.features(size).thinnest_wall > 0.0);
    match fill(&surface, size) {
        Ok(mesh) => {
            let quality = mesh.quality();
            assert!(quality.smallest_angle.value > 10.7, "{quality}");
            assert!(quality.largest_angle.value < 164.8, "{quality}");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
