//! `<contact>`: pairs of geoms that touch, and pairs of bodies that don't.

use std::collections::HashSet;

use nalgebra::Isometry3;

use super::scene::Builder;
use super::value::Value;
use crate::error::Result;
use crate::scene_file::ContactPairDescription;
use crate::xml::Element;

/// The geoms that pairs name.
pub(super) fn paired(root: &Element) -> HashSet<String> {
    let sections = root.children.iter().filter(|child| child.tag == "contact");
    let pairs = sections
        .flat_map(|section| &section.children)
        .filter(|child| child.tag == "pair");
    pairs
        .flat_map(|pair| ["geom1", "geom2"].map(|name| pair.attribute(name)))
        .flatten()
        .map(str::to_owned)
        .collect()
}

impl<'a> Builder<'_, 'a> {
    pub(super) fn add_contacts(&mut self) -> Result<()> {
        let root = self.context.root;
        for section in root.children_of("contact") {
            for pair in section.children_of("pair") {
                self.add_pair(pair)?;
            }
            for exclude in section.children_of("exclude") {
                exclude.attribute("name");
                let body = |name| -> Result<String> {
                    let value = Value::of(exclude, name).ok_or_else(|| {
                        exclude.error(format!("has no {name}"), "name two bodies")
                    })?;
                    let body = self.body(value)?;
                    Ok(self.mount(body, &Isometry3::identity()).body)
                };
                let pair = [body("body1")?, body("body2")?];
                let key = format!("exclude[{}]", self.scene.exclude.len());
                self.places.insert(key, exclude.place());
                self.scene.exclude.push(pair);
            }
        }
        Ok(())
    }

    fn add_pair(&mut self, element: &'a Element) -> Result<()> {
        let context = self.context;
        let attributes = context.defaults.attributes(element, 0)?;
        attributes.pass_over(&["name"]);
        let shape = |name| -> Result<String> {
            let (body, geom) = self.geom(attributes.need(name)?)?;
            let mount = self.mount(body, &Isometry3::identity());
            Ok(format!("{}/{}", mount.body, geom.name))
        };
        let shapes = [shape("geom1")?, shape("geom2")?];
        let mut friction = None;
        if let Some(value) = attributes.get("friction") {
            let [first, second, ..] = value.up_to([1.0, 1.0, 0.005, 0.0001, 0.0001])?;
            let n = value.text.split_whitespace().count();
            if n > 1 && first != second {
                attributes.notes.ignore(
                    value.element,
                    "<pair friction> that differs between the directions",
                    "the first of the two counts",
                );
            }
            if first < 0.0 {
                return Err(value.error(format!("{first} is negative"), "give zero or more"));
            }
            friction = Some(first);
        }
        if let Some(value) = attributes.get("condim") {
            match value.whole(1..=6)? {
                1 => friction = Some(0.0),
                4 | 6 => attributes.notes.ignore(
                    value.element,
                    "<pair condim> of 4 or 6",
                    "only sliding friction acts, not that against spinning and rolling",
                ),
                _ => {}
            }
        }
        attributes.report_unless("margin", &[0.0])?;
        attributes.report_unless("gap", &[0.0])?;
        if context.options.switches.contacts {
            let key = format!("contact_pairs[{}]", self.scene.contact_pairs.len());
            self.places.insert(key, element.place());
            self.scene
                .contact_pairs
                .push(ContactPairDescription { shapes, friction });
        }
        Ok(())
    }
}
