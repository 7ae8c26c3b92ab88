//! Robots as URDF.

mod joint;
mod link;
mod robot;
mod shape;

use std::path::Path;

use nalgebra::{Isometry3, UnitQuaternion};
use stiction_dynamics::{DofProperties, JointKind, WORLD};

use crate::error::{IoError, Result};
use crate::scene_file::{
    BodyDescription, BodyKind, LinkDescription, RobotDescription, RobotJointDescription,
    SceneDescription,
};
use crate::written::{LeftOuts, Written};
use crate::xml::XmlWriter;

/// Writes the first robot of a scene as URDF; a scene without robots gives its first body as a robot
/// of one link. Mesh files are looked for from `folder`, and the text refers to them from there.
///
/// What URDF has no word for is split (universal, cylindrical and helical joints become several with
/// links without mass between them; frames become such links) or else listed as left out.
///
/// # Errors
/// A scene without anything to write, and a link whose mass cannot be found because its shapes cannot
/// be built.
pub fn to_urdf(scene: &SceneDescription, folder: &Path) -> Result<Written> {
    let mut out = Writer {
        xml: XmlWriter::default(),
        files: Vec::new(),
        left_out: LeftOuts::default(),
        folder,
    };
    let alone;
    let robot = match (scene.robots.first(), first_body(scene)) {
        (Some(robot), _) => robot,
        (None, Some(body)) => {
            alone = body_as_robot(body);
            &alone
        }
        (None, None) => {
            return Err(IoError::File {
                file: scene.name.clone(),
                problem: "has neither a robot nor a body to write as URDF".to_owned(),
            });
        }
    };
    out.scene(scene, scene.robots.is_empty());
    out.robot(robot)?;
    Ok(Written {
        text: format!("<?xml version=\"1.0\"?>\n{}", out.xml.finish()),
        files: out.files,
        left_out: out.left_out.0,
    })
}

/// The body that stands for a robot: one that moves, if any.
fn first_body(scene: &SceneDescription) -> Option<&BodyDescription> {
    let free = |body: &&BodyDescription| matches!(body.kind, BodyKind::Free(_));
    let mut bodies = scene.bodies.iter();
    bodies.clone().find(free).or_else(|| bodies.next())
}

/// A body as a robot of one link.
fn body_as_robot(body: &BodyDescription) -> RobotDescription {
    // The world cannot be a link.
    let name = match body.name == WORLD {
        true => "body".to_owned(),
        false => body.name.clone(),
    };
    let (mass, kind) = match body.kind {
        BodyKind::Free(mass) => (Some(mass), JointKind::Free),
        BodyKind::Fixed | BodyKind::Driven => (None, JointKind::Fixed),
    };
    let mut shapes = body.shapes.clone();
    for shape in &mut shapes {
        shape.color = shape.color.or(body.color);
    }
    RobotDescription {
        name: body.name.clone(),
        skip_overlaps: false,
        base: body.pose,
        links: vec![LinkDescription {
            name: name.clone(),
            mass,
            gravity_compensation: body.gravity_compensation,
            shapes,
        }],
        joints: vec![RobotJointDescription {
            name: "root_joint".to_owned(),
            kind,
            parent: WORLD.to_owned(),
            child: name,
            pose: Isometry3::identity(),
            properties: DofProperties::default(),
            initial: Vec::new(),
            initial_velocity: Vec::new(),
        }],
        frames: Vec::new(),
        couplings: Vec::new(),
    }
}

struct Writer<'a> {
    xml: XmlWriter,
    files: Vec<(String, String)>,
    left_out: LeftOuts,
    folder: &'a Path,
}

impl Writer<'_> {
    fn origin(&mut self, pose: &Isometry3<f64>) {
        if *pose == Isometry3::identity() {
            return;
        }
        self.xml
            .begin("origin")
            .numbers("xyz", pose.translation.vector.iter())
            .numbers("rpy", &rpy(&pose.rotation))
            .end();
    }
}

/// Roll, pitch and yaw of R = Rz(yaw) Ry(pitch) Rx(roll), to rounding even where the pitch is
/// vertical: there yaw is anything, and roll is what remains.
fn rpy(rotation: &UnitQuaternion<f64>) -> [f64; 3] {
    let m = *rotation.to_rotation_matrix().matrix();
    let yaw = m[(1, 0)].atan2(m[(0, 0)]);
    let pitch = (-m[(2, 0)]).atan2(m[(0, 0)].hypot(m[(1, 0)]));
    let undo = UnitQuaternion::from_euler_angles(0.0, pitch, yaw).inverse();
    let rest = *(undo * rotation).to_rotation_matrix().matrix();
    [rest[(2, 1)].atan2(rest[(1, 1)]), pitch, yaw]
}
