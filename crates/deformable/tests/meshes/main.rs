//! Meshes of tetrahedra: generators, filling of bodies, surfaces, refusals.

#![expect(clippy::print_stdout, reason = "the tests print what they measure")]

mod boxes;
mod filling;
mod random;
mod refusals;
mod shapes;
mod sizes;
mod surfaces;

use stiction_deformable::TetMesh;

/// Checks what every mesh must be beyond what its constructor refuses: a surface that is closed and
/// touches itself nowhere, and encloses what the tetrahedra fill.
fn check_whole(mesh: &TetMesh) {
    let quality = mesh.quality();
    assert_eq!(quality.pinch, None, "{quality}");
    let enclosed: f64 = (mesh.boundary().triangles.iter())
        .map(|triangle| triangle.map(|node| mesh.nodes()[node as usize]))
        .map(|[a, b, c]| a.cross(&b).dot(&c) / 6.0)
        .sum();
    let volume = mesh.volume();
    assert!(
        (enclosed - volume).abs() < 1e-12 * volume,
        "{enclosed} {volume}"
    );
    assert!(mesh.volumes().iter().all(|&volume| volume > 0.0));
}

/// The angles that isosurface stuffing promises, whatever the body.
fn check_angles(mesh: &TetMesh) {
    let quality = mesh.quality();
    assert!(quality.smallest_angle.value > 10.7, "{quality}");
    assert!(quality.largest_angle.value < 164.8, "{quality}");
}
