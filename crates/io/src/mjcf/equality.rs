//! `<equality>`: connections between bodies, and equations between joints.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use stiction_dynamics::CouplingDescription;

use super::defaults::Attributes;
use super::pose;
use super::scene::{Builder, Mount};
use crate::error::Result;
use crate::scene_file::{Anchors, ConnectionDescription, ConnectionKind};
use crate::xml::Element;

/// The two frames of a connection, each with its body and in that body's frame.
type Ends = [(usize, Isometry3<f64>); 2];

/// Terms of a linear equation: joint and coefficient.
type Terms = Vec<(String, f64)>;

impl<'a> Builder<'_, 'a> {
    pub(super) fn add_equalities(&mut self) -> Result<()> {
        let root = self.context.root;
        let mut number = 0;
        for section in root.children_of("equality") {
            for element in &section.children {
                number += 1;
                if !["connect", "weld", "joint", "tendon"].contains(&element.tag.as_str()) {
                    continue;
                }
                element.mark_read();
                let attributes = self.context.defaults.equality(element)?;
                let name = match attributes.get("name") {
                    Some(value) => value.text.to_owned(),
                    None => format!("{}-{number}", element.tag),
                };
                let is_active = attributes.flag_or("active", true)?;
                let switches = &self.context.options.switches;
                if !is_active || !switches.equalities {
                    element.mark_all_read();
                    continue;
                }
                match element.tag.as_str() {
                    "connect" => self.add_connect(&attributes, name)?,
                    "weld" => self.add_weld(&attributes, name)?,
                    "joint" => self.add_joint_equation(&attributes, name)?,
                    _ => self.add_tendon_equation(&attributes, name)?,
                }
            }
        }
        Ok(())
    }

    /// The bodies of a connection; the second is the world unless it is named.
    fn two_bodies(&self, attributes: &Attributes<'a>) -> Result<[usize; 2]> {
        let first = self.body(attributes.need("body1")?)?;
        let second = match attributes.get("body2") {
            Some(value) => self.body(value)?,
            None => 0,
        };
        Ok([first, second])
    }

    /// The sites of a connection, where it is between sites.
    fn two_sites(&self, attributes: &Attributes<'a>) -> Result<Option<Ends>> {
        let Some(first) = attributes.get("site1") else {
            return Ok(None);
        };
        let (first, second) = (self.site(first)?, self.site(attributes.need("site2")?)?);
        Ok(Some([(first.body, first.pose), (second.body, second.pose)]))
    }

    fn add_connect(&mut self, attributes: &Attributes<'a>, name: String) -> Result<()> {
        let ends = match self.two_sites(attributes)? {
            Some(ends) => ends,
            None => {
                let [first, second] = self.two_bodies(attributes)?;
                let anchor = Isometry3::from_parts(
                    Translation3::from(attributes.need("anchor")?.vector()?),
                    UnitQuaternion::identity(),
                );
                // The same point on the second body, where the file describes both.
                let poses = &self.layout.poses;
                let across = poses[second].inverse() * poses[first] * anchor;
                [(first, anchor), (second, across)]
            }
        };
        self.connect(attributes, name, ConnectionKind::Ball, ends);
        Ok(())
    }

    fn add_weld(&mut self, attributes: &Attributes<'a>, name: String) -> Result<()> {
        let ends = match self.two_sites(attributes)? {
            Some(ends) => ends,
            None => {
                let [first, second] = self.two_bodies(attributes)?;
                let anchor = match attributes.get("anchor") {
                    Some(value) => value.vector()?,
                    None => Vector3::zeros(),
                };
                let mut relative = None;
                if let Some(value) = attributes.get("relpose") {
                    let [x, y, z, w, i, j, k] = value.numbers()?;
                    // A quaternion of zeros asks for the pose that the file describes.
                    if [w, i, j, k] != [0.0; 4] {
                        relative = Some(Isometry3::from_parts(
                            Translation3::new(x, y, z),
                            pose::quaternion(value, [w, i, j, k])?,
                        ));
                    }
                }
                let poses = &self.layout.poses;
                let anchor =
                    Isometry3::from_parts(Translation3::from(anchor), UnitQuaternion::identity());
                // A relpose says where the anchor is, not where the body is.
                let on_first =
                    relative.unwrap_or_else(|| poses[first].inverse() * poses[second] * anchor);
                [(first, on_first), (second, anchor)]
            }
        };
        attributes.report_unless("torquescale", &[1.0])?;
        self.connect(attributes, name, ConnectionKind::Weld, ends);
        Ok(())
    }

    fn connect(
        &mut self,
        attributes: &Attributes<'a>,
        name: String,
        kind: ConnectionKind,
        [(first, on_first), (second, on_second)]: Ends,
    ) {
        let element = attributes.element;
        if self.is_held(first) && self.is_held(second) {
            let reason = "neither of the two bodies can move";
            let what = format!("<{}> between bodies that stand still", element.tag);
            attributes.notes.ignore(element, what, reason);
            return;
        }
        let Mount {
            body: a,
            pose: at_a,
        } = self.mount(first, &on_first);
        let Mount {
            body: b,
            pose: at_b,
        } = self.mount(second, &on_second);
        if a == b {
            let reason = "the two are one body";
            let what = format!("<{}> of a body with itself", element.tag);
            attributes.notes.ignore(element, what, reason);
            return;
        }
        let key = format!("joints[{}]", self.scene.joints.len());
        self.places.insert(key, element.place());
        self.scene.joints.push(ConnectionDescription {
            name,
            kind,
            bodies: [a, b],
            anchors: Anchors::OnBodies([at_a, at_b]),
            // In MuJoCo a connection does not keep two bodies from touching.
            collide: Some(true),
        });
    }

    fn add_joint_equation(&mut self, attributes: &Attributes<'a>, name: String) -> Result<()> {
        let Some([constant, slope]) = linear(attributes)? else {
            return Ok(());
        };
        let first = self.scalar_joint(attributes.need("joint1")?)?;
        // y − y₀ = constant + slope (x − x₀), with the coordinates that the file describes as 0.
        let mut terms = vec![(first.name.clone(), 1.0)];
        let mut offset = constant + first.reference;
        if let Some(value) = attributes.get("joint2") {
            let second = self.scalar_joint(value)?;
            terms.push((second.name.clone(), -slope));
            offset -= slope * second.reference;
        }
        self.add_coupling(attributes.element, name, terms, offset);
        Ok(())
    }

    fn add_tendon_equation(&mut self, attributes: &Attributes<'a>, name: String) -> Result<()> {
        let Some([constant, slope]) = linear(attributes)? else {
            return Ok(());
        };
        let mut terms: Terms = Vec::new();
        let mut offset = constant;
        for (attribute, factor) in [("tendon1", 1.0), ("tendon2", -slope)] {
            let Some(value) = attributes.get(attribute) else {
                continue;
            };
            let Some(tendon) = self.fixed_tendon(value)? else {
                attributes.notes.ignore(
                    attributes.element,
                    "<tendon> in <equality> through sites",
                    "only sums of joints can be held at a length",
                );
                return Ok(());
            };
            for (joint, coefficient) in tendon {
                offset += factor * coefficient * self.reference_of(&joint);
                match terms.iter_mut().find(|(other, _)| *other == joint) {
                    Some((_, sum)) => *sum += factor * coefficient,
                    None => terms.push((joint, factor * coefficient)),
                }
            }
        }
        self.add_coupling(attributes.element, name, terms, offset);
        Ok(())
    }

    fn add_coupling(&mut self, element: &Element, name: String, terms: Terms, offset: f64) {
        let Some(robot) = self.scene.robots.first_mut() else {
            return;
        };
        let key = format!("robots[0].couplings[{}]", robot.couplings.len());
        self.places.insert(key, element.place());
        let terms = terms.into_iter().filter(|&(_, c)| c != 0.0);
        robot.couplings.push(CouplingDescription {
            name,
            terms: terms.map(|(joint, c)| (joint, 0, c)).collect(),
            offset,
        });
    }
}

/// Constant and slope of `polycoef`; `None` for a polynomial of a higher degree, which is reported.
fn linear(attributes: &Attributes<'_>) -> Result<Option<[f64; 2]>> {
    let [constant, slope, higher @ ..] = match attributes.get("polycoef") {
        Some(value) => value.up_to([0.0, 1.0, 0.0, 0.0, 0.0])?,
        None => [0.0, 1.0, 0.0, 0.0, 0.0],
    };
    if higher != [0.0; 3] {
        let element = attributes.element;
        element.mark_all_read();
        attributes.notes.ignore(
            element,
            format!("<{}> in <equality> of a higher degree", element.tag),
            "only linear equations hold between coordinates",
        );
        return Ok(None);
    }
    Ok(Some([constant, slope]))
}
