//! `<sensor>`.

use nalgebra::{Isometry3, Translation3, UnitQuaternion};

use super::asset::exists;
use super::defaults::Attributes;
use super::layout::Role;
use super::scene::{Builder, Mount};
use crate::error::Result;
use crate::scene_file::{FrameQuantity, SensorDescription, SensorKind, suggest};

impl<'a> Builder<'_, 'a> {
    /// `actuators` are the names of all actuators; `None` for those that are not done.
    pub(super) fn add_sensors(&mut self, actuators: &[Option<String>]) -> Result<()> {
        let root = self.context.root;
        for section in root.children_of("sensor") {
            for element in &section.children {
                let attributes = Attributes::plain(element, &self.context.defaults.notes);
                let Some(kind) = self.sensor_kind(&attributes, actuators)? else {
                    continue;
                };
                element.mark_read();
                attributes.pass_over(&["user"]);
                attributes.report_unless("noise", &[0.0])?;
                let name = match attributes.get("name") {
                    Some(value) => value.text.to_owned(),
                    None => format!("sensor-{}", self.scene.sensors.len()),
                };
                if self.scene.sensors.iter().any(|other| other.name == name) {
                    return Err(exists(element, "sensor", &name));
                }
                let cutoff = attributes.number_or("cutoff", 0.0)?;
                let key = format!("sensors[{}]", self.scene.sensors.len());
                self.places.insert(key, element.place());
                self.scene.sensors.push(SensorDescription {
                    name,
                    kind,
                    cutoff: (cutoff > 0.0).then_some(cutoff),
                });
            }
        }
        Ok(())
    }

    /// What a sensor measures; `None` for what is not measured here, which stays unread.
    fn sensor_kind(
        &self,
        attributes: &Attributes<'a>,
        actuators: &[Option<String>],
    ) -> Result<Option<SensorKind>> {
        let joint = || -> Result<(String, String)> {
            let joint = self.scalar_joint(attributes.need("joint")?)?;
            Ok((self.robot.clone(), joint.name.clone()))
        };
        let tendon = || Ok(self.tendon(attributes.need("tendon")?)?.name.clone());
        Ok(Some(match attributes.element.tag.as_str() {
            "jointpos" => {
                let (robot, joint) = joint()?;
                SensorKind::JointPosition { robot, joint }
            }
            "jointvel" => {
                let (robot, joint) = joint()?;
                SensorKind::JointVelocity { robot, joint }
            }
            "tendonpos" => SensorKind::TendonLength(tendon()?),
            "tendonvel" => SensorKind::TendonVelocity(tendon()?),
            "actuatorfrc" => {
                let value = attributes.need("actuator")?;
                let known = actuators.iter().flatten().map(String::as_str);
                if !known.clone().any(|name| name == value.text) {
                    if self.is_actuator(value.text) {
                        return Ok(None);
                    }
                    return Err(value.error(
                        format!("there is no actuator \"{}\"", value.text),
                        suggest::advice("actuators", value.text, known),
                    ));
                }
                SensorKind::ActuatorForce(value.text.to_owned())
            }
            tag => {
                let Some((quantity, is_site)) = frame_quantity(tag) else {
                    return Ok(None);
                };
                let mount = match is_site {
                    true => {
                        let site = self.site(attributes.need("site")?)?;
                        let is_load = quantity.is_load();
                        if is_load && self.layout.roles[site.body] != Role::Link {
                            let what = format!("<{tag}> on a body that no joint carries");
                            let reason = "loads are measured where a joint carries a body";
                            attributes.notes.ignore(attributes.element, what, reason);
                            attributes.element.mark_all_read();
                            return Ok(None);
                        }
                        Some(self.mount(site.body, &site.pose))
                    }
                    false => self.object(attributes, quantity)?,
                };
                let Some(Mount { body, pose }) = mount else {
                    return Ok(None);
                };
                SensorKind::Frame {
                    body,
                    pose,
                    quantity,
                }
            }
        }))
    }

    /// Whether an actuator of the file, done or not, has a name.
    fn is_actuator(&self, name: &str) -> bool {
        let root = self.context.root;
        let sections = root.children.iter().filter(|child| child.tag == "actuator");
        let mut actuators = sections.flat_map(|section| &section.children);
        actuators.any(|actuator| actuator.attribute("name") == Some(name))
    }

    /// The frame that `objtype` and `objname` name; `None` for one that is not had.
    fn object(
        &self,
        attributes: &Attributes<'a>,
        quantity: FrameQuantity,
    ) -> Result<Option<Mount>> {
        let element = attributes.element;
        if attributes.get("refname").is_some() {
            attributes.pass_over(&["reftype"]);
            let what = format!("<{} refname>", element.tag);
            let reason = "frames are measured in the world";
            attributes.notes.ignore(element, what, reason);
            element.mark_all_read();
            return Ok(None);
        }
        let name = attributes.need("objname")?;
        let kind = attributes.need("objtype")?;
        Ok(Some(
            match kind.word(&["body", "xbody", "geom", "site", "camera"])? {
                "xbody" => self.mount(self.body(name)?, &Isometry3::identity()),
                "body" => {
                    let body = self.body(name)?;
                    let inertia = self.inertias[body].unwrap_or_default();
                    if quantity == FrameQuantity::Orientation {
                        attributes.notes.ignore(
                            element,
                            "<framequat objtype=\"body\">",
                            "write xbody: the principal axes of inertia are no frame here",
                        );
                        element.mark_all_read();
                        return Ok(None);
                    }
                    let center = Translation3::from(inertia.com());
                    let pose = Isometry3::from_parts(center, UnitQuaternion::identity());
                    self.mount(body, &pose)
                }
                "geom" => {
                    let (body, geom) = self.geom(name)?;
                    self.mount(body, &geom.pose)
                }
                "site" => {
                    let site = self.site(name)?;
                    self.mount(site.body, &site.pose)
                }
                _ => {
                    let what = format!("<{} objtype=\"camera\">", element.tag);
                    attributes
                        .notes
                        .ignore(element, what, "cameras are only drawing");
                    element.mark_all_read();
                    return Ok(None);
                }
            },
        ))
    }
}

/// What a sensor measures of a frame, and whether that is a site by its kind.
fn frame_quantity(tag: &str) -> Option<(FrameQuantity, bool)> {
    Some(match tag {
        "framepos" => (FrameQuantity::Position, false),
        "framequat" => (FrameQuantity::Orientation, false),
        "framelinvel" => (FrameQuantity::LinearVelocity, false),
        "frameangvel" => (FrameQuantity::AngularVelocity, false),
        "velocimeter" => (FrameQuantity::Velocimeter, true),
        "gyro" => (FrameQuantity::Gyro, true),
        "accelerometer" => (FrameQuantity::Accelerometer, true),
        "force" => (FrameQuantity::Force, true),
        "torque" => (FrameQuantity::Torque, true),
        _ => return None,
    })
}
