//! The same as one JSON object, for scripts.

use serde_json::{Value, json};
use stiction_io::scene_file::{BodyKind, MassDescription, SceneFile};

pub(super) fn describe(file: &SceneFile) -> Value {
    let scene = &file.scene;
    let robots = scene.robots.iter().map(|robot| {
        let links = robot.links.iter().map(|link| {
            json!({
                "name": link.name,
                "mass": link.mass.as_ref().and_then(mass),
                "shapes": link.shapes.iter().map(|shape| shape.kind.word()).collect::<Vec<_>>(),
            })
        });
        let joints = robot.joints.iter().map(|joint| {
            json!({
                "name": joint.name,
                "parent": joint.parent,
                "child": joint.child,
                "degrees_of_freedom": joint.kind.nv(),
                "properties": joint.properties,
            })
        });
        json!({
            "name": robot.name,
            "links": links.collect::<Vec<_>>(),
            "joints": joints.collect::<Vec<_>>(),
            "couplings": robot.couplings.iter().map(|c| &c.name).collect::<Vec<_>>(),
        })
    });
    let bodies = scene.bodies.iter().map(|body| {
        let (kind, mass) = match &body.kind {
            BodyKind::Fixed => ("fixed", None),
            BodyKind::Driven => ("driven", None),
            BodyKind::Free(given) => ("free", mass(given)),
        };
        json!({
            "name": body.name,
            "kind": kind,
            "mass": mass,
            "shapes": body.shapes.iter().map(|shape| shape.kind.word()).collect::<Vec<_>>(),
        })
    });
    let ignored = file.ignored.iter().map(|ignored| {
        json!({
            "what": ignored.what,
            "reason": ignored.reason,
            "count": ignored.count,
            "file": ignored.first.0,
            "line": ignored.first.1,
        })
    });
    json!({
        "name": scene.name,
        "robots": robots.collect::<Vec<_>>(),
        "bodies": bodies.collect::<Vec<_>>(),
        "tendons": scene.tendons.iter().map(|t| &t.name).collect::<Vec<_>>(),
        "actuators": scene.actuators.iter().map(|a| &a.name).collect::<Vec<_>>(),
        "sensors": scene.sensors.iter().map(|s| &s.name).collect::<Vec<_>>(),
        "keyframes": scene.keyframes.iter().map(|k| &k.name).collect::<Vec<_>>(),
        "ignored": ignored.collect::<Vec<_>>(),
    })
}

/// Mass, kg, where the file gives it.
fn mass(mass: &MassDescription) -> Option<f64> {
    match mass {
        MassDescription::Mass(mass) => Some(*mass),
        MassDescription::Density(_) => None,
        MassDescription::Inertia(inertia) => Some(inertia.mass),
    }
}
