//! Actuators, controllers and sensors.

use nalgebra::Isometry3;

use super::Writer;
use crate::scene_file::{
    Activation, ActuatorDescription, ActuatorTarget, ControllerDescription, FrameQuantity,
    SensorDescription, SensorKind, Signal,
};
use crate::xml::XmlWriter;

impl Writer<'_, '_> {
    /// The section with all drives: actuators, and the controllers that are like them.
    pub(super) fn actuators(&mut self) -> String {
        let mut xml = XmlWriter::inside("actuator");
        let scene = self.scene;
        for actuator in &scene.actuators {
            self.actuator(&mut xml, actuator);
        }
        for controller in &scene.controllers {
            let (robot, joint, gain, bias, signal) = match controller {
                ControllerDescription::Pd {
                    robot,
                    joint,
                    stiffness,
                    damping,
                    feed_forward,
                    target,
                } => (
                    robot,
                    joint,
                    *stiffness,
                    [*feed_forward, -stiffness, -damping],
                    target,
                ),
                ControllerDescription::Torque {
                    robot,
                    joint,
                    torque,
                } => (robot, joint, 1.0, [0.0; 3], torque),
                ControllerDescription::Force { .. } => {
                    let reason = "MJCF has no forces that act by themselves";
                    self.left_out.add("force controllers", reason);
                    continue;
                }
                ControllerDescription::Drive { .. } => {
                    let reason = "MuJoCo's mocap bodies are placed by a program";
                    self.left_out.add("drive controllers", reason);
                    continue;
                }
            };
            let name = self.joint_name(robot, joint, 0);
            self.actuator(
                &mut xml,
                &ActuatorDescription {
                    name: format!("{name} controller"),
                    target: ActuatorTarget::Joint {
                        robot: robot.clone(),
                        joint: joint.clone(),
                    },
                    gear: 1.0,
                    gain,
                    bias,
                    control_limits: None,
                    force_limits: None,
                    activation: Activation::Direct,
                    control: signal.clone(),
                },
            );
        }
        xml.finish_section()
    }

    fn actuator(&mut self, xml: &mut XmlWriter, actuator: &ActuatorDescription) {
        // A site needs the whole writer, so it comes first.
        let site = match &actuator.target {
            ActuatorTarget::Frame { body, pose, .. } => Some(self.site(body, pose)),
            _ => None,
        };
        xml.begin("general").attribute("name", &actuator.name);
        match &actuator.target {
            ActuatorTarget::Joint { robot, joint } => {
                let joint = self.joint_name(robot, joint, 0);
                xml.attribute("joint", joint)
                    .numbers("gear", [&actuator.gear]);
            }
            ActuatorTarget::Tendon(tendon) => {
                xml.attribute("tendon", tendon)
                    .numbers("gear", [&actuator.gear]);
            }
            ActuatorTarget::Frame { force, torque, .. } => {
                let scaled = [force * actuator.gear, torque * actuator.gear];
                let gear = scaled.iter().flat_map(|part| part.iter());
                xml.attribute("site", site.unwrap_or_default())
                    .numbers("gear", gear);
            }
        }
        xml.numbers("gainprm", [&actuator.gain]);
        if actuator.bias != [0.0; 3] {
            xml.attribute("biastype", "affine")
                .numbers("biasprm", &actuator.bias);
        }
        if let Some(limits) = &actuator.control_limits {
            xml.numbers("ctrlrange", limits);
        }
        if let Some(limits) = &actuator.force_limits {
            xml.numbers("forcerange", limits);
        }
        match &actuator.activation {
            Activation::Direct => {}
            Activation::Filter { time_constant } => {
                xml.attribute("dyntype", "filter")
                    .numbers("dynprm", [time_constant]);
            }
            Activation::Integrator { limits } => {
                xml.attribute("dyntype", "integrator");
                if let Some(limits) = limits {
                    xml.numbers("actrange", limits);
                }
            }
        }
        xml.end();
        let (start, _) = actuator.control.at(0.0, 0.0);
        if !matches!(actuator.control, Signal::Constant(_)) {
            let reason = "keyframes have constant ones; the first value is written";
            self.left_out.add("controls that change with time", reason);
        }
        self.controls.push((actuator.name.clone(), start));
    }

    /// The section with all sensors.
    pub(super) fn sensors(&mut self) -> String {
        let mut xml = XmlWriter::inside("sensor");
        let scene = self.scene;
        for sensor in &scene.sensors {
            self.sensor(&mut xml, sensor);
        }
        xml.finish_section()
    }

    fn sensor(&mut self, xml: &mut XmlWriter, sensor: &SensorDescription) {
        let (tag, attribute, object) = match &sensor.kind {
            SensorKind::JointPosition { robot, joint } => {
                ("jointpos", "joint", self.joint_name(robot, joint, 0))
            }
            SensorKind::JointVelocity { robot, joint } => {
                ("jointvel", "joint", self.joint_name(robot, joint, 0))
            }
            SensorKind::TendonLength(tendon) => ("tendonpos", "tendon", tendon.clone()),
            SensorKind::TendonVelocity(tendon) => ("tendonvel", "tendon", tendon.clone()),
            SensorKind::ActuatorForce(actuator) => ("actuatorfrc", "actuator", actuator.clone()),
            SensorKind::ContactForce { .. }
            | SensorKind::SoftStress { .. }
            | SensorKind::RodForce { .. }
            | SensorKind::RodMoment { .. } => {
                let reason = "MJCF has no sensor of the whole contact force, of stress or of rods";
                self.left_out.add("sensors of contact and stress", reason);
                return;
            }
            SensorKind::Frame {
                body,
                pose,
                quantity,
            } => self.frame_sensor(body, pose, *quantity),
        };
        xml.begin(tag).attribute("name", &sensor.name);
        if attribute == "objname" {
            xml.attribute("objtype", "site");
        }
        xml.attribute(attribute, object);
        if let Some(cutoff) = sensor.cutoff {
            xml.numbers("cutoff", [&cutoff]);
        }
        xml.end();
    }

    /// Tag, attribute and object of a sensor at a frame.
    fn frame_sensor(
        &mut self,
        body: &str,
        pose: &Isometry3<f64>,
        quantity: FrameQuantity,
    ) -> (&'static str, &'static str, String) {
        let (tag, attribute) = match quantity {
            FrameQuantity::Position => ("framepos", "objname"),
            FrameQuantity::Orientation => ("framequat", "objname"),
            FrameQuantity::LinearVelocity => ("framelinvel", "objname"),
            FrameQuantity::AngularVelocity => ("frameangvel", "objname"),
            FrameQuantity::Velocimeter => ("velocimeter", "site"),
            FrameQuantity::Gyro => ("gyro", "site"),
            FrameQuantity::Accelerometer => ("accelerometer", "site"),
            FrameQuantity::Force => ("force", "site"),
            FrameQuantity::Torque => ("torque", "site"),
        };
        (tag, attribute, self.site(body, pose))
    }
}
