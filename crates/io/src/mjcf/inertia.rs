//! Masses and inertias: given by `<inertial>`, or inferred from geoms.
//!
//! A mesh is cut into tetrahedra between one point and each of its faces. With `inertia="exact"`
//! those that lie outside count negative, and the sum is the volume inside the faces, whichever the
//! point. MuJoCo's rule for meshes that ask for nothing (`legacy`) counts all of them positive: once
//! from the centre of the surface for the centre of mass, and again from there for the volume and
//! its moments. For a mesh that is convex, or that its centre sees all of, the two are the same. A
//! mesh without a positive volume counts with its convex hull, as one with `inertia="convex"` does.

use std::path::Path;

use nalgebra::{Isometry3, Matrix3, Vector3};
use stiction_collision::{Shape, VolumeMoments};
use stiction_dynamics::{Inertia, Symmetric3};

use super::Context;
use super::asset::InertiaRule;
use super::body::Body;
use super::compiler::{Compiler, InertiaFromGeoms};
use super::defaults::Attributes;
use super::geom::{Form, Geom, GeomMass};
use super::pose;
use crate::error::Result;
use crate::mesh::MeshData;

/// The inertia of each body in its frame; `None` for bodies without mass.
pub(super) fn of_bodies(
    context: &Context<'_>,
    bodies: &[Body<'_>],
) -> Result<Vec<Option<Inertia>>> {
    let mut all = vec![None];
    for body in &bodies[1..] {
        let inertia = of_body(context, body)?;
        all.push(bounded(inertia, &context.compiler));
    }
    if let Some(wanted) = context.compiler.total_mass {
        let sum: f64 = all.iter().flatten().map(|inertia| inertia.mass).sum();
        if sum > 0.0 {
            for inertia in all.iter_mut().flatten() {
                *inertia = scaled(*inertia, wanted / sum);
            }
        }
    }
    Ok(all)
}

fn of_body(context: &Context<'_>, body: &Body<'_>) -> Result<Option<Inertia>> {
    let rule = context.compiler.inertia_from_geoms;
    let given = match body.inertial {
        Some((element, frame)) => {
            let attributes = Attributes::plain(element, &context.defaults.notes);
            Some(given(&attributes, &context.compiler, &frame)?)
        }
        None => None,
    };
    match (given, rule) {
        (Some(inertia), InertiaFromGeoms::Never | InertiaFromGeoms::WithoutInertial) => Ok(inertia),
        (None, InertiaFromGeoms::Never) => Ok(None),
        _ => {
            let [least, most] = context.compiler.inertia_groups;
            let mut sum: Option<Inertia> = None;
            for geom in &body.geoms {
                if !(least..=most).contains(&geom.group) {
                    continue;
                }
                if let Some(inertia) = of_geom(context, geom)? {
                    sum = Some(sum.unwrap_or_default() + inertia);
                }
            }
            // Geoms without mass say nothing.
            Ok(sum.or(given.flatten()))
        }
    }
}

/// `<inertial>`; `None` where it says that there is no mass.
fn given(
    attributes: &Attributes<'_>,
    compiler: &Compiler,
    frame: &Isometry3<f64>,
) -> Result<Option<Inertia>> {
    let mass = attributes.need("mass")?;
    let pose = frame * pose::pose(attributes, compiler)?;
    let about_center = match (attributes.get("fullinertia"), attributes.get("diaginertia")) {
        (Some(value), Some(_)) => {
            return Err(value.error("diaginertia says it already", "leave out one of the two"));
        }
        (Some(value), None) => {
            let [xx, yy, zz, xy, xz, yz] = value.numbers()?;
            Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
        }
        (None, Some(value)) => Matrix3::from_diagonal(&value.vector()?),
        (None, None) => Matrix3::zeros(),
    };
    if mass.number()? == 0.0 && about_center == Matrix3::zeros() {
        return Ok(None);
    }
    let mass = mass.positive()?;
    let turn = *pose.rotation.to_rotation_matrix().matrix();
    let about_center = turn * about_center * turn.transpose();
    Ok(Some(Inertia::from_com(
        mass,
        pose.translation.vector,
        Symmetric3::from_matrix(&about_center),
    )))
}

/// Inertia of a geom in the frame of its body.
fn of_geom(context: &Context<'_>, geom: &Geom<'_>) -> Result<Option<Inertia>> {
    if matches!(geom.mass, GeomMass::Mass(0.0) | GeomMass::Density(0.0)) {
        return Ok(None);
    }
    let moments = match &geom.form {
        Form::Primitive(kind) => {
            let shape = kind.build(&geom.name, Path::new(""));
            shape.ok().and_then(|shape| shape.volume_moments())
        }
        Form::Mesh { asset, .. } => {
            let Some(mesh) = context.assets.mesh_by_name(asset) else {
                return Ok(None);
            };
            match context.assets.data(mesh)? {
                Some(data) => Some(mesh_moments(data, mesh.rule).ok_or_else(|| {
                    geom.element.error(
                        format!("the mesh \"{asset}\" encloses no volume"),
                        "give the body an <inertial>, or the geom mass=\"0\"",
                    )
                })?),
                None => None,
            }
        }
        Form::Missing => None,
    };
    let Some(moments) = moments else {
        return Ok(None);
    };
    let density = match geom.mass {
        GeomMass::Mass(mass) => mass / moments.volume,
        GeomMass::Density(density) => density,
    };
    let moments = moments.transformed(&geom.pose);
    Ok(Some(Inertia::from_moments(
        moments.volume * density,
        moments.first * density,
        &(moments.second * density),
    )))
}

/// Integrals over the volume of a mesh.
pub(super) fn mesh_moments(mesh: &MeshData, rule: InertiaRule) -> Option<VolumeMoments> {
    let inside = match rule {
        InertiaRule::Signed => signed(mesh),
        InertiaRule::Unsigned => unsigned(mesh),
        InertiaRule::Hull => None,
    };
    inside.or_else(|| {
        let hull = Shape::convex_hull("hull", &mesh.vertices).ok()?;
        hull.volume_moments()
    })
}

fn signed(mesh: &MeshData) -> Option<VolumeMoments> {
    let sum = tetrahedra(mesh, Vector3::zeros(), |part| part)?;
    (sum.volume > 0.0 && sum.volume.is_finite()).then_some(sum)
}

fn unsigned(mesh: &MeshData) -> Option<VolumeMoments> {
    let (mut area, mut center) = (0.0, Vector3::zeros());
    for face in &mesh.faces {
        let [a, b, c] = corners(mesh, face)?;
        let part = (b - a).cross(&(c - a)).norm();
        area += part;
        center += (a + b + c) * (part / 3.0);
    }
    if !(area > 0.0) {
        return None;
    }
    let from_surface = tetrahedra(mesh, center / area, f64::abs)?;
    if !(from_surface.volume > 0.0 && from_surface.volume.is_finite()) {
        return None;
    }
    let center = center / area + from_surface.first / from_surface.volume;
    let sum = tetrahedra(mesh, center, f64::abs)?;
    Some(VolumeMoments {
        volume: sum.volume,
        first: center * sum.volume,
        second: sum.second + center * center.transpose() * sum.volume,
    })
}

fn corners(mesh: &MeshData, face: &[u32; 3]) -> Option<[Vector3<f64>; 3]> {
    let [a, b, c] = face.map(|corner| mesh.vertices.get(corner as usize));
    Some([a?.coords, b?.coords, c?.coords])
}

/// Moments about a point, summed over the tetrahedra between it and the faces; `count` says how
/// their signed volumes count.
fn tetrahedra(
    mesh: &MeshData,
    from: Vector3<f64>,
    count: impl Fn(f64) -> f64,
) -> Option<VolumeMoments> {
    let mut sum = VolumeMoments {
        volume: 0.0,
        first: Vector3::zeros(),
        second: Matrix3::zeros(),
    };
    for face in &mesh.faces {
        let [a, b, c] = corners(mesh, face)?.map(|corner| corner - from);
        let part = count(a.dot(&b.cross(&c)) / 6.0);
        let corners = a + b + c;
        sum.volume += part;
        sum.first += corners * (part / 4.0);
        // ∫ x xᵀ over a tetrahedron with a vertex at the origin.
        let squares = a * a.transpose() + b * b.transpose() + c * c.transpose();
        sum.second += (squares + corners * corners.transpose()) * (part / 20.0);
    }
    Some(sum)
}

fn scaled(inertia: Inertia, factor: f64) -> Inertia {
    Inertia {
        mass: inertia.mass * factor,
        first_moment: inertia.first_moment * factor,
        rotational: inertia.rotational * factor,
    }
}

/// `boundmass`, `boundinertia` and `balanceinertia`.
fn bounded(inertia: Option<Inertia>, compiler: &Compiler) -> Option<Inertia> {
    let Compiler {
        bound_mass,
        bound_inertia,
        balance_inertia,
        ..
    } = *compiler;
    let inertia = match inertia {
        None if bound_mass > 0.0 => Inertia::default(),
        other => other?,
    };
    if bound_mass == 0.0 && bound_inertia == 0.0 && !balance_inertia {
        return Some(inertia);
    }
    let (center, about_center) = (inertia.com(), inertia.about_com().to_matrix());
    let eigen = about_center.symmetric_eigen();
    let mut moments = eigen.eigenvalues.map(|moment| moment.max(bound_inertia));
    if balance_inertia && 2.0 * moments.max() > moments.sum() {
        moments = Vector3::repeat(moments.mean());
    }
    let about_center = match moments == eigen.eigenvalues {
        true => about_center,
        false => {
            let axes = eigen.eigenvectors;
            axes * Matrix3::from_diagonal(&moments) * axes.transpose()
        }
    };
    Some(Inertia::from_com(
        inertia.mass.max(bound_mass),
        center,
        Symmetric3::from_matrix(&about_center),
    ))
}
