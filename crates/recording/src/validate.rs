//! Refuses headers and frames that a reader could not use, naming the element.
//!
//! Values of frames may be NaN or infinite: the recording of a run that blew up is worth looking at.
//! Only what would break a reader is refused there: sizes and indices.

use std::fmt::Debug;

use crate::error::Error;
use crate::frame::{Contact, Frame};
use crate::header::{Body, DeformableKind, Geometry, Header, Pose, Visual};

/// How far from 1 the norm of a quaternion in the header may be.
const UNIT_TOLERANCE: f64 = 1e-6;

fn refuse(
    element: &str,
    field: &'static str,
    value: impl Debug,
    reason: &'static str,
) -> Result<(), Error> {
    Err(Error::Header {
        element: element.to_owned(),
        field,
        value: format!("{value:?}"),
        reason,
    })
}

fn finite(element: &str, field: &'static str, values: &[f64]) -> Result<(), Error> {
    if values.iter().all(|value| value.is_finite()) {
        Ok(())
    } else {
        refuse(element, field, values, "must be finite")
    }
}

fn positive(element: &str, field: &'static str, values: &[f64]) -> Result<(), Error> {
    if values.iter().all(|&value| value > 0.0 && value.is_finite()) {
        Ok(())
    } else {
        refuse(element, field, values, "must be positive and finite")
    }
}

/// Checks everything in the header, including that every index points somewhere.
pub(crate) fn header(header: &Header) -> Result<(), Error> {
    positive("header", "time_step", &[header.time_step])?;
    positive("header", "frame_interval", &[header.frame_interval])?;
    finite("header", "gravity", &header.gravity)?;
    for (index, one) in header.bodies.iter().enumerate() {
        body(header, index, one)?;
    }
    for (index, mesh) in header.meshes.iter().enumerate() {
        let element = format!("mesh {index}");
        if let Some(vertex) = mesh
            .vertices
            .iter()
            .find(|v| !v.iter().all(|x| x.is_finite()))
        {
            refuse(&element, "vertices", vertex, "must be finite")?;
        }
        triangles(&element, &mesh.triangles, mesh.vertices.len())?;
    }
    for (index, deformable) in header.deformables.iter().enumerate() {
        let element = format!("deformable {index} {:?}", deformable.name);
        match &deformable.kind {
            DeformableKind::Soft { triangles: list } => {
                triangles(&element, list, deformable.nodes)?;
            }
            DeformableKind::Rod { radius, links } => {
                positive(&element, "radius", &[*radius])?;
                if !links.is_empty() && links.len() != deformable.nodes {
                    refuse(&element, "links", links.len(), "must be one for each node")?;
                }
                if let Some(link) = links.iter().find(|&&l| l as usize >= header.bodies.len()) {
                    refuse(&element, "links", link, "no such body in the header")?;
                }
            }
        }
    }
    Ok(())
}

fn body(header: &Header, index: usize, body: &Body) -> Result<(), Error> {
    let element = format!("body {index} {:?}", body.name);
    if !(body.mass >= 0.0 && body.mass.is_finite()) {
        refuse(
            &element,
            "mass",
            body.mass,
            "must be finite and not negative",
        )?;
    }
    for (kind, list) in [("visual", &body.visuals), ("collider", &body.colliders)] {
        for (index, one) in list.iter().enumerate() {
            visual(header, &format!("{element}, {kind} {index}"), one)?;
        }
    }
    Ok(())
}

fn visual(header: &Header, element: &str, visual: &Visual) -> Result<(), Error> {
    pose(element, &visual.pose)?;
    if !visual.color.iter().all(|c| (0.0..=1.0).contains(c)) {
        refuse(element, "color", visual.color, "must lie in 0 to 1")?;
    }
    match &visual.geometry {
        Geometry::Sphere { radius } => positive(element, "radius", &[*radius]),
        Geometry::Box { half_extents } => positive(element, "half_extents", half_extents),
        Geometry::Capsule {
            radius,
            half_length,
        }
        | Geometry::Cylinder {
            radius,
            half_length,
        } => {
            positive(element, "radius", &[*radius])?;
            positive(element, "half_length", &[*half_length])
        }
        Geometry::Ellipsoid { radii } => positive(element, "radii", radii),
        Geometry::Cone {
            radius,
            half_height,
        } => {
            positive(element, "radius", &[*radius])?;
            positive(element, "half_height", &[*half_height])
        }
        Geometry::Plane => Ok(()),
        Geometry::Mesh { mesh } if *mesh < header.meshes.len() => Ok(()),
        Geometry::Mesh { mesh } => refuse(element, "mesh", mesh, "no such mesh in the header"),
    }
}

fn pose(element: &str, pose: &Pose) -> Result<(), Error> {
    finite(element, "position", &pose.position)?;
    let norm = pose.rotation.iter().map(|q| q * q).sum::<f64>().sqrt();
    if (norm - 1.0).abs() <= UNIT_TOLERANCE {
        Ok(())
    } else {
        refuse(
            element,
            "rotation",
            pose.rotation,
            "must be a unit quaternion",
        )
    }
}

fn triangles(element: &str, triangles: &[[u32; 3]], vertices: usize) -> Result<(), Error> {
    match triangles
        .iter()
        .find(|corners| corners.iter().any(|&corner| corner as usize >= vertices))
    {
        None => Ok(()),
        Some(triangle) => refuse(element, "triangles", triangle, "no such vertex"),
    }
}

/// Checks that `frame` (number `index` of its recording) fits the header; `joints` is the number
/// of joint positions in the frames before it.
pub(crate) fn frame(
    header: &Header,
    index: usize,
    frame: &Frame,
    joints: Option<usize>,
) -> Result<(), Error> {
    let expect = |field: &str, found: usize, expected: usize| {
        if found == expected {
            return Ok(());
        }
        Err(Error::FrameSize {
            frame: index,
            field: field.to_owned(),
            found,
            expected,
        })
    };
    expect("poses", frame.poses.len(), header.bodies.len())?;
    expect("velocities", frame.velocities.len(), header.bodies.len())?;
    expect(
        "joints",
        frame.joints.len(),
        joints.unwrap_or(frame.joints.len()),
    )?;
    if !header.joints.is_empty() {
        expect("joints", frame.joints.len(), header.joints.len())?;
    }
    expect("nodes", frame.nodes.len(), header.deformables.len())?;
    for (k, (nodes, deformable)) in frame.nodes.iter().zip(&header.deformables).enumerate() {
        expect(
            &format!("nodes of deformable {k}"),
            nodes.len(),
            deformable.nodes,
        )?;
    }
    expect("stress", frame.stress.len(), header.deformables.len())?;
    for (k, (stress, deformable)) in frame.stress.iter().zip(&header.deformables).enumerate() {
        if !stress.is_empty() {
            let field = format!("stress of deformable {k}");
            expect(&field, stress.len(), deformable.nodes)?;
        }
    }
    let known = header.bodies.len() + header.deformables.len();
    for (k, contact) in frame.contacts.iter().enumerate() {
        if contact
            .bodies
            .iter()
            .any(|&body| body != Contact::WORLD && body as usize >= known)
        {
            return Err(Error::FrameValue {
                frame: index,
                field: format!("contact {k}, bodies"),
                value: format!("{:?}", contact.bodies),
                reason: "no such body or deformable in the header",
            });
        }
    }
    Ok(())
}
