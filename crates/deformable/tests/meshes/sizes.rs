//! Sizes of cells for bodies of some thousand tetrahedra, as scenes use them.

use stiction_deformable::TetMesh;
use stiction_deformable::mesh::{Bounds, Pattern, ball, fill, mat, solid_box};
use stiction_deformable::nalgebra::Vector3;

use super::{check_angles, check_whole};

/// A finger of a gripper, 20 mm thick and 90 mm long, tapered and rounded: a capsule that thins out.
fn finger(size: f64) -> TetMesh {
    let (length, thick, thin) = (0.07_f64, 0.012_f64, 0.008_f64);
    let half = Vector3::new(thick, thick, 0.5 * length + thick);
    fill(&Bounds::centred(2.0 * half), size, |place| {
        let share = (place.z / length + 0.5).clamp(0.0, 1.0);
        let on_axis = Vector3::new(0.0, 0.0, (share - 0.5) * length);
        (place - on_axis).norm() - (thick + (thin - thick) * share)
    })
    .unwrap_or_else(|error| panic!("{error}"))
}

/// Counts within a sixth of those that are wanted.
fn check_counts(what: &str, mesh: &TetMesh, wanted: [usize; 2]) {
    println!("{what}: {}", mesh.quality());
    check_whole(mesh);
    for (count, wanted) in [mesh.nodes().len(), mesh.tets().len()]
        .into_iter()
        .zip(wanted)
    {
        let ratio = count as f64 / wanted as f64;
        assert!(
            (5.0 / 6.0..7.0 / 6.0).contains(&ratio),
            "{what}: {count} for {wanted}"
        );
    }
}

#[test]
fn sizes_give_the_counts_of_scenes() {
    let beam = Vector3::new(0.05, 0.05, 0.5);
    let mesh = solid_box(&beam, [4, 4, 36], Pattern::BodyCentred).unwrap();
    check_counts("beam, 4 by 4 by 36 cells", &mesh, [1591, 6347]);

    // A mat of 27 by 27 cells.
    let sides = Vector3::new(0.54, 0.54, 0.02);
    let mesh = mat(&sides, 1, 0.02, Pattern::Five).unwrap();
    check_counts("mat, a 27th of its side", &mesh, [1477, 4100]);

    let mesh = ball(0.1, 0.02).unwrap();
    check_angles(&mesh);
    check_counts("ball, a fifth of its radius", &mesh, [1463, 6928]);

    // Two of them together.
    let mesh = finger(0.0034);
    check_angles(&mesh);
    check_counts("finger, 3.4 mm", &mesh, [4889 / 2, 18122 / 2]);
}
