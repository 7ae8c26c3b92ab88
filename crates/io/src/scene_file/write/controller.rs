//! Controllers, and signals over time.

use nalgebra::Vector3;
use stiction_modeling::Signal;
use toml_edit::{Table, Value};

use super::super::description::ControllerDescription;
use super::table::{Lines, float, list, numbers, table};

pub(super) fn controller(controller: &ControllerDescription) -> Table {
    let mut out = Table::new();
    let number = |value: &f64| float(*value);
    let vector = |value: &Vector3<f64>| numbers(value.iter());
    match controller {
        ControllerDescription::Pd {
            robot,
            joint,
            stiffness,
            damping,
            feed_forward,
            target,
        } => {
            out.text("kind", "pd");
            out.text("robot", robot);
            out.text("joint", joint);
            out.number("stiffness", *stiffness);
            out.number("damping", *damping);
            out.unless("feed_forward", *feed_forward, 0.0);
            out.line("target", signal(target, number));
        }
        ControllerDescription::Torque {
            robot,
            joint,
            torque,
        } => {
            out.text("kind", "torque");
            out.text("robot", robot);
            out.text("joint", joint);
            out.line("torque", signal(torque, number));
        }
        ControllerDescription::Force {
            body,
            force,
            torque,
            point,
        } => {
            out.text("kind", "force");
            out.text("body", body);
            out.line("force", signal(force, vector));
            out.line("torque", signal(torque, vector));
            if let Some(point) = point {
                out.numbers("point", point.iter());
            }
        }
        ControllerDescription::Drive {
            body,
            velocity,
            angular_velocity,
        } => {
            out.text("kind", "drive");
            out.text("body", body);
            out.line("velocity", signal(velocity, vector));
            out.line("angular_velocity", signal(angular_velocity, vector));
        }
    }
    out
}

/// A signal whose values are written by `value`.
pub(super) fn signal<T>(signal: &Signal<T>, value: impl Fn(&T) -> Value) -> Value {
    match signal {
        Signal::Constant(constant) => value(constant),
        Signal::Sinusoid {
            mean,
            amplitude,
            frequency,
            phase,
        } => table([
            ("mean", value(mean)),
            ("amplitude", value(amplitude)),
            ("frequency", float(*frequency)),
            ("phase", float(*phase)),
        ]),
        Signal::Waypoints(points) => table([
            ("times", list(points.iter().map(|&(time, _)| float(time)))),
            ("values", list(points.iter().map(|(_, at)| value(at)))),
        ]),
    }
}
