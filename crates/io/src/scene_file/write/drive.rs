//! Tendons, actuators, sensors, keyframes and contact pairs back as TOML.

use nalgebra::Vector3;

use stiction_modeling::Activation;

use super::super::drive::{
    ActuatorDescription, ActuatorTarget, ContactPairDescription, KeyframeDescription,
    SensorDescription, SensorKind, TendonDescription, TendonPath,
};
use super::super::read::QUANTITIES;
use super::{Writer, float, list, numbers, quoted, signal};

pub(super) fn contact_pair(out: &mut Writer, pair: &ContactPairDescription) {
    out.header("[[contact_pairs]]");
    out.line("shapes", list(pair.shapes.iter().map(|name| quoted(name))));
    if let Some(friction) = pair.friction {
        out.number("friction", friction);
    }
}

pub(super) fn tendon(out: &mut Writer, tendon: &TendonDescription) {
    out.header("[[tendons]]");
    out.text("name", &tendon.name);
    match &tendon.path {
        TendonPath::Joints { robot, terms } => {
            out.text("robot", robot);
            let terms = terms.iter().map(|(joint, coefficient)| {
                format!(
                    "{{ joint = {}, coefficient = {} }}",
                    quoted(joint),
                    float(*coefficient)
                )
            });
            out.line("joints", list(terms));
        }
        TendonPath::Points(branches) => {
            let branches = branches.iter().map(|branch| {
                let points = branch.points.iter().map(|(body, point)| {
                    format!(
                        "{{ body = {}, point = {} }}",
                        quoted(body),
                        numbers(point.iter())
                    )
                });
                format!(
                    "{{ divisor = {}, points = {} }}",
                    float(branch.divisor),
                    list(points)
                )
            });
            out.line("branches", list(branches));
        }
    }
    for (key, value) in ["lower", "upper"]
        .into_iter()
        .zip(tendon.limits.into_iter().flatten())
    {
        if value.is_finite() {
            out.number(key, value);
        }
    }
    out.unless("stiffness", tendon.stiffness, 0.0);
    out.unless("damping", tendon.damping, 0.0);
    if tendon.rest != [0.0; 2] {
        out.numbers("rest", &tendon.rest);
    }
    out.unless("friction", tendon.friction_loss, 0.0);
}

pub(super) fn actuator(out: &mut Writer, actuator: &ActuatorDescription) {
    out.header("[[actuators]]");
    out.text("name", &actuator.name);
    out.text("kind", "general");
    match &actuator.target {
        ActuatorTarget::Joint { robot, joint } => {
            out.text("robot", robot);
            out.text("joint", joint);
        }
        ActuatorTarget::Tendon(tendon) => out.text("tendon", tendon),
        ActuatorTarget::Frame {
            body,
            pose,
            force,
            torque,
        } => {
            out.text("body", body);
            out.pose(pose);
            out.numbers("force", force.iter());
            out.numbers("torque", torque.iter());
        }
    }
    out.unless("gear", actuator.gear, 1.0);
    out.number("gain", actuator.gain);
    if actuator.bias != [0.0; 3] {
        out.numbers("bias", &actuator.bias);
    }
    for (key, limits) in [
        ("control_limits", actuator.control_limits),
        ("force_limits", actuator.force_limits),
    ] {
        if let Some(limits) = limits {
            out.numbers(key, &limits);
        }
    }
    match actuator.activation {
        Activation::Direct => {}
        Activation::Filter { time_constant } => {
            out.text("activation", "filter");
            out.number("time_constant", time_constant);
        }
        Activation::Integrator { limits } => {
            out.text("activation", "integrator");
            if let Some(limits) = limits {
                out.numbers("activation_limits", &limits);
            }
        }
    }
    out.line("control", signal(&actuator.control, |value| float(*value)));
}

pub(super) fn sensor(out: &mut Writer, sensor: &SensorDescription) {
    out.header("[[sensors]]");
    out.text("name", &sensor.name);
    match &sensor.kind {
        SensorKind::JointPosition { robot, joint } => {
            out.text("kind", "joint-position");
            out.text("robot", robot);
            out.text("joint", joint);
        }
        SensorKind::JointVelocity { robot, joint } => {
            out.text("kind", "joint-velocity");
            out.text("robot", robot);
            out.text("joint", joint);
        }
        SensorKind::TendonLength(tendon) => {
            out.text("kind", "tendon-length");
            out.text("tendon", tendon);
        }
        SensorKind::TendonVelocity(tendon) => {
            out.text("kind", "tendon-velocity");
            out.text("tendon", tendon);
        }
        SensorKind::ActuatorForce(actuator) => {
            out.text("kind", "actuator-force");
            out.text("actuator", actuator);
        }
        SensorKind::Frame {
            body,
            pose,
            quantity,
        } => {
            let word = QUANTITIES.iter().find(|(_, known)| known == quantity);
            out.text("kind", word.map_or("", |&(word, _)| word));
            out.text("body", body);
            out.pose(pose);
        }
    }
    if let Some(cutoff) = sensor.cutoff {
        out.number("cutoff", cutoff);
    }
}

pub(super) fn keyframe(out: &mut Writer, keyframe: &KeyframeDescription) {
    out.header("[[keyframes]]");
    out.text("name", &keyframe.name);
    if !keyframe.controls.is_empty() {
        let controls = keyframe.controls.iter();
        let controls: Vec<String> = controls
            .map(|(name, value)| format!("{} = {}", quoted(name), float(*value)))
            .collect();
        out.line("controls", format!("{{ {} }}", controls.join(", ")));
    }
    for joint in &keyframe.joints {
        out.header("[[keyframes.joints]]");
        out.text("robot", &joint.robot);
        out.text("joint", &joint.joint);
        out.numbers("position", &joint.position);
        if !joint.velocity.is_empty() {
            out.numbers("velocity", &joint.velocity);
        }
    }
    for body in &keyframe.bodies {
        out.header("[[keyframes.bodies]]");
        out.text("body", &body.body);
        out.pose(&body.pose);
        for (key, vector) in [
            ("velocity", &body.velocity),
            ("angular_velocity", &body.angular_velocity),
        ] {
            if *vector != Vector3::zeros() {
                out.numbers(key, vector.iter());
            }
        }
    }
}
