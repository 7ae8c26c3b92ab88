//! `<tendon>`: sums of joints, and lines through sites.

use nalgebra::Point3;

use super::asset::exists;
use super::defaults::Attributes;
use super::layout::slack_poses;
use super::scene::Builder;
use super::value::Value;
use crate::error::Result;
use crate::scene_file::{TendonBranch, TendonDescription, TendonPath, suggest};
use crate::xml::Element;

impl<'a> Builder<'_, 'a> {
    pub(super) fn add_tendons(&mut self) -> Result<()> {
        let root = self.context.root;
        for section in root.children_of("tendon") {
            for element in &section.children {
                if !["spatial", "fixed"].contains(&element.tag.as_str()) {
                    continue;
                }
                element.mark_read();
                self.add_tendon(element)?;
            }
        }
        Ok(())
    }

    fn add_tendon(&mut self, element: &'a Element) -> Result<()> {
        let attributes = self.context.defaults.attributes(element, 0)?;
        attributes.pass_over(&["group", "user", "width", "material", "rgba"]);
        let name = match attributes.get("name") {
            Some(value) => value.text.to_owned(),
            None => format!("tendon-{}", self.scene.tendons.len()),
        };
        if self.scene.tendons.iter().any(|other| other.name == name) {
            return Err(exists(element, "tendon", &name));
        }
        let (path, slack) = match element.tag.as_str() {
            "fixed" => self.joint_path(element)?,
            _ => self.point_path(element, &attributes)?,
        };
        let (compiler, switches) = (&self.context.compiler, &self.context.options.switches);
        let limits = attributes.range("limited", "range", compiler.autolimits)?;
        // A negative length asks for the one at which the springs of the joints are slack.
        let rest = match attributes.get("springlength") {
            Some(value) => match value.list(1..=2)?[..] {
                [length] => [length; 2],
                [shortest, longest, ..] if shortest <= longest => [shortest, longest],
                _ => return Err(value.error("the first exceeds the second", "swap them")),
            },
            None => [-1.0; 2],
        };
        let rest = rest.map(|length| if length < 0.0 { slack } else { length });
        let tendon = TendonDescription {
            name,
            path,
            limits: limits.filter(|_| switches.limits),
            stiffness: match switches.springs {
                true => attributes.linear_or("stiffness", 0.0)?,
                false => 0.0,
            },
            damping: match switches.dampers {
                true => attributes.linear_or("damping", 0.0)?,
                false => 0.0,
            },
            rest,
            friction_loss: match switches.friction_loss {
                true => attributes.number_or("frictionloss", 0.0)?,
                false => 0.0,
            },
        };
        for (name, number) in [
            ("stiffness", tendon.stiffness),
            ("damping", tendon.damping),
            ("frictionloss", tendon.friction_loss),
        ] {
            if number < 0.0 {
                let problem = format!("{number} is negative");
                return Err(element.attribute_error(name, problem, "give zero or more"));
            }
        }
        attributes.report_unless("armature", &[0.0])?;
        attributes.report_unless("margin", &[0.0])?;
        let key = format!("tendons[{}]", self.scene.tendons.len());
        self.places.insert(key, element.place());
        self.scene.tendons.push(tendon);
        Ok(())
    }

    /// A sum of joints, and its value where their springs are slack.
    fn joint_path(&self, element: &'a Element) -> Result<(TendonPath, f64)> {
        let mut terms = Vec::new();
        let mut slack = 0.0;
        for term in element.children_of("joint") {
            let attributes = Attributes::plain(term, &self.context.defaults.notes);
            let joint = self.scalar_joint(attributes.need("joint")?)?;
            let coefficient = attributes.need("coef")?.number()?;
            slack += coefficient * joint.properties.reference;
            terms.push((joint.name.clone(), coefficient));
        }
        if terms.is_empty() {
            return Err(element.error(
                "names no joint",
                "put <joint joint=\"…\" coef=\"…\"/> in it",
            ));
        }
        let robot = self.robot.clone();
        Ok((TendonPath::Joints { robot, terms }, slack))
    }

    /// Lines through sites, and their length where the springs of the joints are slack.
    fn point_path(
        &self,
        element: &'a Element,
        attributes: &Attributes<'a>,
    ) -> Result<(TendonPath, f64)> {
        let poses = slack_poses(&self.tree.bodies);
        let mut branches = vec![TendonBranch {
            divisor: 1.0,
            points: Vec::new(),
        }];
        let (mut slack, mut last): (f64, Option<Point3<f64>>) = (0.0, None);
        for part in &element.children {
            part.mark_read();
            let own = Attributes::plain(part, &self.context.defaults.notes);
            match part.tag.as_str() {
                "pulley" => {
                    branches.push(TendonBranch {
                        divisor: own.need("divisor")?.positive()?,
                        points: Vec::new(),
                    });
                    last = None;
                }
                "site" => {
                    let site = self.site(own.need("site")?)?;
                    let mount = self.mount(site.body, &site.pose);
                    let here = poses[site.body] * site.pose * Point3::origin();
                    if let Some(branch) = branches.last_mut() {
                        if let Some(before) = last {
                            slack += (here - before).norm() / branch.divisor;
                        }
                        let point = Point3::from(mount.pose.translation.vector);
                        branch.points.push((mount.body, point));
                    }
                    last = Some(here);
                }
                "geom" => {
                    own.pass_over(&["sidesite"]);
                    self.geom(own.need("geom")?)?;
                    attributes.notes.ignore(
                        part,
                        "<geom> in <spatial>",
                        "tendons go straight from site to site and wrap around nothing",
                    );
                }
                _ => return Err(part.error("is no part of a tendon", "name sites and pulleys")),
            }
        }
        branches.retain(|branch| !branch.points.is_empty());
        if branches.is_empty() || branches.iter().any(|branch| branch.points.len() < 2) {
            let problem = "a line has less than two sites";
            return Err(element.error(problem, "put two <site site=\"…\"/> in it"));
        }
        Ok((TendonPath::Points(branches), slack))
    }

    /// A tendon that exists.
    pub(super) fn tendon(&self, value: Value<'_>) -> Result<&TendonDescription> {
        let tendons = &self.scene.tendons;
        let found = tendons.iter().find(|tendon| tendon.name == value.text);
        found.ok_or_else(|| {
            let names = tendons.iter().map(|tendon| tendon.name.as_str());
            value.error(
                format!("there is no tendon \"{}\"", value.text),
                suggest::advice("tendons", value.text, names),
            )
        })
    }

    /// The terms of a sum of joints; `None` for lines through sites.
    pub(super) fn fixed_tendon(&self, value: Value<'_>) -> Result<Option<Vec<(String, f64)>>> {
        Ok(match &self.tendon(value)?.path {
            TendonPath::Joints { terms, .. } => Some(terms.clone()),
            TendonPath::Points(_) => None,
        })
    }
}
