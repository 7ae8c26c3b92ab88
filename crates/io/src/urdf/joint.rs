//! Joints: how they move, their limits and losses, and who follows whom.

use nalgebra::Vector3;
use stiction_dynamics::{CouplingDescription, DofProperties, JointKind};

use super::{Reader, schema, tree};
use crate::error::Result;
use crate::scene_file::{RobotJointDescription, suggest};
use crate::xml::Element;

impl Reader<'_> {
    pub(super) fn joint(&mut self, element: &Element) -> Result<RobotJointDescription> {
        let kind = kind(element)?;
        let properties = self.properties(element)?;
        let initial = start(&kind, &properties);
        Ok(RobotJointDescription {
            name: tree::name(element).to_owned(),
            kind,
            parent: end(element, "parent").to_owned(),
            child: end(element, "child").to_owned(),
            pose: self.pose(element)?,
            properties,
            initial,
            initial_velocity: Vec::new(),
        })
    }

    fn properties(&mut self, element: &Element) -> Result<DofProperties> {
        let mut out = DofProperties::default();
        match kind_word(element) {
            "fixed" => return Ok(out),
            word @ ("floating" | "planar") => {
                // Its coordinates are lengths and angles, and a file gives one number for both.
                for tag in ["limit", "dynamics"] {
                    if let Some(child) = element.child(tag) {
                        let what = format!("<{tag}> of a {word} joint");
                        let reason = "its coordinates have different units";
                        self.leave_out(&what, reason, child);
                    }
                }
                return Ok(out);
            }
            _ => {}
        }
        if let Some(dynamics) = element.child("dynamics") {
            let not_negative = |name: &str| match schema::number(dynamics, name, 0.0)? {
                value if value >= 0.0 => Ok(value),
                value => {
                    let problem = format!("{value} is negative");
                    Err(dynamics.attribute_error(name, problem, "give zero or more"))
                }
            };
            out.damping = not_negative("damping")?;
            out.friction_loss = not_negative("friction")?;
        }
        let limit = element.child("limit");
        if let Some(limit) = limit {
            // Zero is what files write where they know nothing.
            let largest = |name: &str| match schema::number(limit, name, 0.0)? {
                value if value < 0.0 => {
                    let problem = format!("{value} is negative");
                    Err(limit.attribute_error(name, problem, "give zero for no limit, or more"))
                }
                0.0 => Ok(f64::INFINITY),
                value => Ok(value),
            };
            out.effort_limit = largest("effort")?;
            out.velocity_limit = largest("velocity")?;
        }
        if matches!(kind_word(element), "revolute" | "prismatic") {
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
    pub(super) fn coupling(&mut self, element: &Element) -> Result<Option<CouplingDescription>> {
        let Some(mimic) = element.child("mimic") else {
            return Ok(None);
        };
        let name = tree::name(element);
        let followed = mimic.attribute("joint").unwrap_or_default();
        let Some(source) = self.tree.joint(followed) else {
            let names = self.tree.joint_names();
            return Err(mimic.attribute_error(
                "joint",
                format!("there is no joint \"{followed}\""),
                suggest::advice("joints", followed, names),
            ));
        };
        if followed == name {
            let problem = format!("\"{followed}\" is the joint itself");
            return Err(mimic.attribute_error("joint", problem, "name another joint"));
        }
        if kind_word(element) == "fixed" {
            self.leave_out("<mimic> of a fixed joint", "it does not move", mimic);
            return Ok(None);
        }
        for end in [element, self.tree.joints[source]] {
            let word = kind_word(end);
            if !matches!(word, "revolute" | "continuous" | "prismatic") {
                let problem = format!(
                    "joint \"{}\" is {word} and has no single coordinate",
                    tree::name(end)
                );
                let advice = "let only revolute, continuous and prismatic joints follow each other";
                return Err(mimic.error(problem, advice));
            }
        }
        Ok(Some(CouplingDescription {
            name: name.to_owned(),
            terms: vec![
                (name.to_owned(), 0, 1.0),
                (
                    followed.to_owned(),
                    0,
                    -schema::number(mimic, "multiplier", 1.0)?,
                ),
            ],
            offset: schema::number(mimic, "offset", 0.0)?,
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

fn kind(element: &Element) -> Result<JointKind> {
    let axis = || {
        let Some(child) = element.child("axis") else {
            return Ok(Vector3::x());
        };
        let axis = Vector3::from(schema::numbers(child, "xyz")?.unwrap_or([1.0, 0.0, 0.0]));
        match axis.norm() > 1e-9 {
            true => Ok(axis),
            false => {
                let advice = "give a direction, such as 0 0 1";
                Err(child.attribute_error("xyz", "has no length", advice))
            }
        }
    };
    Ok(match kind_word(element) {
        "revolute" => JointKind::Revolute { axis: axis()? },
        "continuous" => JointKind::Continuous { axis: axis()? },
        "prismatic" => JointKind::Prismatic { axis: axis()? },
        "planar" => JointKind::Planar { normal: axis()? },
        "spherical" => JointKind::Spherical,
        "floating" => JointKind::Free,
        _ => JointKind::Fixed,
    })
}

/// The type of a joint, one of those that the schema knows.
fn kind_word(joint: &Element) -> &str {
    joint.attribute("type").unwrap_or_default()
}

/// The link at an end of a joint.
fn end<'a>(joint: &'a Element, tag: &str) -> &'a str {
    let link = joint.child(tag).and_then(|end| end.attribute("link"));
    link.unwrap_or_default()
}
