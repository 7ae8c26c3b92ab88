//! Actuators.

use stiction_modeling::Activation;
use toml_edit::Table;

use super::super::actuator::{ActuatorDescription, ActuatorTarget};
use super::controller::signal;
use super::table::{Lines, float};

pub(super) fn actuator(actuator: &ActuatorDescription) -> Table {
    let mut out = Table::new();
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
    out
}
