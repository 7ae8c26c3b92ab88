//! Primitives fitted to meshes: the box of the same inertia (or the box around the mesh) says the
//! sizes.

use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion, Vector3};

use super::asset::InertiaRule;
use super::compiler::Compiler;
use super::geom::Place;
use super::inertia::mesh_moments;
use crate::mesh::MeshData;
use crate::scene_file::ShapeKind;

/// A primitive and its place in the frame of the mesh; `None` for a mesh without a volume.
pub(super) fn primitive(
    kind: &str,
    mesh: &MeshData,
    rule: InertiaRule,
    compiler: &Compiler,
) -> Option<(ShapeKind, Place)> {
    let moments = mesh_moments(mesh, rule)?;
    let center = moments.first / moments.volume;
    let second = moments.second / moments.volume - center * center.transpose();
    // Second moments ascending: the longest side along z, as MuJoCo has it.
    let eigen = second.symmetric_eigen();
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| eigen.eigenvalues[a].total_cmp(&eigen.eigenvalues[b]));
    let mut axes = order.map(|i| eigen.eigenvectors.column(i).into_owned());
    if axes[0].cross(&axes[1]).dot(&axes[2]) < 0.0 {
        axes[0].neg_mut();
    }
    let rotation = Rotation3::from_matrix_unchecked(Matrix3::from_columns(&axes));
    let mut place = Isometry3::from_parts(
        Translation3::from(center),
        UnitQuaternion::from_rotation_matrix(&rotation),
    );
    // ∫ x² of a box is h²/3 of its volume.
    let mut half = Vector3::from(order.map(|i| (3.0 * eigen.eigenvalues[i].max(0.0)).sqrt()));
    if compiler.fit_box {
        let local = mesh.vertices.iter().map(|vertex| place.inverse() * vertex);
        let (mut least, mut most) = (
            Vector3::repeat(f64::INFINITY),
            Vector3::repeat(f64::NEG_INFINITY),
        );
        for vertex in local {
            least = least.inf(&vertex.coords);
            most = most.sup(&vertex.coords);
        }
        half = (most - least) / 2.0;
        place *= Translation3::from((most + least) / 2.0);
    }
    let across = (half.x + half.y) / 2.0;
    let shape = match (kind, compiler.fit_box) {
        ("sphere", false) => ShapeKind::Sphere {
            radius: half.mean(),
        },
        ("sphere", true) => ShapeKind::Sphere { radius: half.max() },
        ("capsule", false) => ShapeKind::Capsule {
            radius: across,
            length: 2.0 * (half.z - across / 2.0).max(1e-6),
        },
        ("capsule", true) => {
            let radius = half.x.max(half.y);
            ShapeKind::Capsule {
                radius,
                length: 2.0 * (half.z - radius).max(1e-6),
            }
        }
        ("cylinder", false) => ShapeKind::Cylinder {
            radius: across,
            length: 2.0 * half.z,
        },
        ("cylinder", true) => ShapeKind::Cylinder {
            radius: half.x.max(half.y),
            length: 2.0 * half.z,
        },
        ("ellipsoid", _) => ShapeKind::Ellipsoid { radii: half },
        _ => ShapeKind::Box { size: half * 2.0 },
    };
    Some((shape, Place::Within(place)))
}

/// The same shape in another size.
pub(super) fn scaled(shape: ShapeKind, scale: f64) -> ShapeKind {
    match shape {
        ShapeKind::Sphere { radius } => ShapeKind::Sphere {
            radius: radius * scale,
        },
        ShapeKind::Capsule { length, radius } => ShapeKind::Capsule {
            length: length * scale,
            radius: radius * scale,
        },
        ShapeKind::Cylinder { length, radius } => ShapeKind::Cylinder {
            length: length * scale,
            radius: radius * scale,
        },
        ShapeKind::Ellipsoid { radii } => ShapeKind::Ellipsoid {
            radii: radii * scale,
        },
        ShapeKind::Box { size } => ShapeKind::Box { size: size * scale },
        other => other,
    }
}
