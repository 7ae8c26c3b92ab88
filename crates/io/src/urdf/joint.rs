//! Joints: how they move, their limits and losses, and who follows whom.

use nalgebra::Vector3;
use stiction_dynamics::{CouplingDescription, DofProperties, JointKind, WORLD};
use urdf_rs::JointType;

use super::{Reader, schema, tree};
use crate::error::Result;
use crate::scene_file::{RobotJointDescription, suggest};
use crate::xml::Element;

impl Reader<'_> {
    pub(super) fn joint(
        &mut self,
        element: &Element,
        joint: &urdf_rs::Joint,
    ) -> Result<RobotJointDescription> {
        let kind = kind(element, joint)?;
        let properties = self.properties(element, joint)?;
        // The root called world is the world.
        let parent = match joint.parent.link == tree::name(self.tree.links[self.tree.root]) {
            true if joint.parent.link == WORLD => WORLD.to_owned(),
            _ => joint.parent.link.clone(),
        };
        let initial = start(&kind, &properties);
        Ok(RobotJointDescription {
            name: joint.name.clone(),
            kind,
            parent,
            child: joint.child.link.clone(),
            pose: self.pose(element, &joint.origin)?,
            properties,
            initial,
            initial_velocity: Vec::new(),
        })
    }

    fn properties(&mut self, element: &Element, joint: &urdf_rs::Joint) -> Result<DofProperties> {
        let mut out = DofProperties::default();
        match joint.joint_type {
            JointType::Fixed => return Ok(out),
            JointType::Floating | JointType::Planar => {
                // Its coordinates are lengths and angles, and a file gives one number for both.
                for tag in ["limit", "dynamics"] {
                    if let Some(child) = element.child(tag) {
                        let what = format!("<{tag}> of a {} joint", kind_word(joint));
                        let reason = "its coordinates have different units";
                        self.leave_out(&what, reason, child);
                    }
                }
                return Ok(out);
            }
            JointType::Revolute
            | JointType::Continuous
            | JointType::Prismatic
            | JointType::Spherical => {}
        }
        if let Some(dynamics) = element.child("dynamics") {
            let not_negative = |name: &str, value: f64| match value >= 0.0 {
                true => Ok(value),
                false => {
                    let problem = format!("{value} is negative");
                    Err(dynamics.attribute_error(name, problem, "give zero or more"))
                }
            };
            let given = joint.dynamics.clone().unwrap_or_default();
            out.damping = not_negative("damping", given.damping)?;
            out.friction_loss = not_negative("friction", given.friction)?;
        }
        let limit = element.child("limit");
        if let Some(limit) = limit {
            // Zero is what files write where they know nothing.
            let largest = |name: &str, value: f64| match value {
                value if value < 0.0 => {
                    let problem = format!("{value} is negative");
                    Err(limit.attribute_error(name, problem, "give zero for no limit, or more"))
                }
                0.0 => Ok(f64::INFINITY),
                value => Ok(value),
            };
            out.effort_limit = largest("effort", joint.limit.effort)?;
            out.velocity_limit = largest("velocity", joint.limit.velocity)?;
        }
        if matches!(joint.joint_type, JointType::Revolute | JointType::Prismatic) {
            [out.lower, out.upper] = self.range(element, limit)?;
        }
        Ok(out)
    }

    /// Lowest and highest position of a joint that should have them.
    fn range(&mut self, element: &Element, limit: Option<&Element>) -> Result<[f64; 2]> {
        let unlimited = [f64::NEG_INFINITY, f64::INFINITY];
        let number = |name: &str| match limit {
            Some(limit) => Ok(schema::numbers::<1>(limit, name)?.map(|[value]| value)),
            None => Ok(None),
        };
        let (lower, upper) = (number("lower")?, number("upper")?);
        // From 1.2 on what is not given is not limited; before, one that is not given is zero.
        if self.version >= (1, 2) {
            let [low, high] = unlimited;
            return ordered(element, limit, lower.unwrap_or(low), upper.unwrap_or(high));
        }
        if lower.is_none() && upper.is_none() {
            // By the letter such a joint could not move at all; files that do this mean otherwise.
            let what = "a joint that should have lower and upper limits";
            let reason = "has none and moves without, as if it were continuous";
            self.leave_out(what, reason, limit.unwrap_or(element));
            return Ok(unlimited);
        }
        ordered(element, limit, lower.unwrap_or(0.0), upper.unwrap_or(0.0))
    }

    /// The equation of a joint that follows another.
    pub(super) fn coupling(
        &mut self,
        element: &Element,
        joint: &urdf_rs::Joint,
    ) -> Result<Option<CouplingDescription>> {
        let (Some(mimic), Some(element)) = (&joint.mimic, element.child("mimic")) else {
            return Ok(None);
        };
        let Some(source) = self.tree.joint(&mimic.joint) else {
            let names = self.tree.joint_names();
            return Err(element.attribute_error(
                "joint",
                format!("there is no joint \"{}\"", mimic.joint),
                suggest::advice("joints", &mimic.joint, names),
            ));
        };
        if mimic.joint == joint.name {
            let problem = format!("\"{}\" is the joint itself", mimic.joint);
            return Err(element.attribute_error("joint", problem, "name another joint"));
        }
        if joint.joint_type == JointType::Fixed {
            self.leave_out("<mimic> of a fixed joint", "it does not move", element);
            return Ok(None);
        }
        for end in [joint, &self.robot.joints[source]] {
            if !matches!(
                end.joint_type,
                JointType::Revolute | JointType::Continuous | JointType::Prismatic
            ) {
                let problem = format!(
                    "joint \"{}\" is {} and has no single coordinate",
                    end.name,
                    kind_word(end)
                );
                let advice = "let only revolute, continuous and prismatic joints follow each other";
                return Err(element.error(problem, advice));
            }
        }
        Ok(Some(CouplingDescription {
            name: joint.name.clone(),
            terms: vec![
                (joint.name.clone(), 0, 1.0),
                (mimic.joint.clone(), 0, -mimic.multiplier.unwrap_or(1.0)),
            ],
            offset: mimic.offset.unwrap_or(0.0),
        }))
    }
}

fn ordered(element: &Element, limit: Option<&Element>, lower: f64, upper: f64) -> Result<[f64; 2]> {
    match lower <= upper {
        true => Ok([lower, upper]),
        false => Err(limit.unwrap_or(element).error(
            format!("lower {lower} exceeds upper {upper}"),
            "exchange the two",
        )),
    }
}

/// Where a joint starts: at zero, or at its limit where zero is beyond it; empty for zero.
fn start(kind: &JointKind, properties: &DofProperties) -> Vec<f64> {
    let closest = 0.0_f64.max(properties.lower).min(properties.upper);
    match kind.nq() == 1 && closest != 0.0 {
        true => vec![closest],
        false => Vec::new(),
    }
}

fn kind(element: &Element, joint: &urdf_rs::Joint) -> Result<JointKind> {
    let axis = || {
        let axis = Vector3::from(joint.axis.xyz.0);
        match axis.norm() > 1e-9 {
            true => Ok(axis),
            false => {
                let place = element.child("axis").unwrap_or(element);
                let advice = "give a direction, such as 0 0 1";
                Err(place.attribute_error("xyz", "has no length", advice))
            }
        }
    };
    Ok(match joint.joint_type {
        JointType::Revolute => JointKind::Revolute { axis: axis()? },
        JointType::Continuous => JointKind::Continuous { axis: axis()? },
        JointType::Prismatic => JointKind::Prismatic { axis: axis()? },
        JointType::Planar => JointKind::Planar { normal: axis()? },
        JointType::Spherical => JointKind::Spherical,
        JointType::Floating => JointKind::Free,
        JointType::Fixed => JointKind::Fixed,
    })
}

fn kind_word(joint: &urdf_rs::Joint) -> &'static str {
    match joint.joint_type {
        JointType::Revolute => "revolute",
        JointType::Continuous => "continuous",
        JointType::Prismatic => "prismatic",
        JointType::Fixed => "fixed",
        JointType::Floating => "floating",
        JointType::Planar => "planar",
        JointType::Spherical => "spherical",
    }
}
