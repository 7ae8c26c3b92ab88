//! `<contact>`: pairs of geoms that touch, and pairs of bodies that don't.

use std::collections::HashSet;

use nalgebra::Isometry3;

use super::geom::{self, Form, Surface};
use super::layout::Role;
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
                let sides = |name| -> Result<Vec<String>> {
                    let value = Value::of(exclude, name).ok_or_else(|| {
                        exclude.error(format!("has no {name}"), "name two bodies")
                    })?;
                    Ok(self.excluded(self.body(value)?))
                };
                let (first, second) = (sides("body1")?, sides("body2")?);
                let pairs = first
                    .iter()
                    .flat_map(|a| second.iter().map(move |b| (a, b)));
                for (a, b) in pairs {
                    self.exclude([a.clone(), b.clone()], exclude);
                }
            }
        }
        Ok(())
    }

    /// Keeps two bodies or shapes of the scene from touching.
    pub(super) fn exclude(&mut self, pair: [String; 2], because: &Element) {
        let key = format!("exclude[{}]", self.scene.exclude.len());
        self.places.insert(key, because.place());
        self.scene.exclude.push(pair);
    }

    /// What of the scene is the body of a file and nothing else: a body or link, or the shapes of one that
    /// is welded to others.
    fn excluded(&self, body: usize) -> Vec<String> {
        let mount = self.mount(body, &Isometry3::identity()).body;
        let (Role::Free(root) | Role::Driven(root)) = self.layout.roles[body] else {
            return vec![mount];
        };
        let members = self.layout.members.get(&root);
        let others = members
            .into_iter()
            .flatten()
            .filter(|&&other| other != body);
        let touching = |body: usize| {
            let geoms = self.tree.bodies[body].geoms.iter();
            geoms.filter(|geom| self.touches(geom) && !matches!(geom.form, Form::Missing))
        };
        match others
            .into_iter()
            .any(|&other| touching(other).next().is_some())
        {
            false => vec![mount],
            true => touching(body)
                .map(|geom| format!("{mount}/{}", geom.name))
                .collect(),
        }
    }

    fn add_pair(&mut self, element: &'a Element) -> Result<()> {
        let context = self.context;
        let attributes = context.defaults.attributes(element, 0)?;
        attributes.pass_over(&["name"]);
        let shape = |name| -> Result<(usize, String)> {
            let (body, geom) = self.geom(attributes.need(name)?)?;
            let mount = self.mount(body, &Isometry3::identity());
            Ok((
                self.layout.weld_root[body],
                format!("{}/{}", mount.body, geom.name),
            ))
        };
        let [(first, a), (second, b)] = [shape("geom1")?, shape("geom2")?];
        if first == second {
            let reason = "what is welded to each other never touches";
            let what = "<pair> of geoms that move as one";
            attributes.notes.ignore(element, what, reason);
            element.mark_all_read();
            return Ok(());
        }
        let shapes = [a, b];
        // What a pair does not say is MuJoCo's default, whatever its geoms say.
        let mut friction = Surface::default().friction;
        if let Some(value) = attributes.get("friction") {
            let [first, second, ..] = value.up_to([1.0, 1.0, 0.005, 0.0001, 0.0001])?;
            if first != second {
                attributes.notes.ignore(
                    value.element,
                    "<pair friction> that differs between the directions",
                    "the first of the two counts; a second one that is not given is 1",
                );
            }
            if first < 0.0 {
                return Err(value.error(format!("{first} is negative"), "give zero or more"));
            }
            friction = first;
        }
        if geom::condim(&attributes, true)? == 1 {
            friction = 0.0;
        }
        for name in ["solref", "solimp", "solreffriction", "adhesion"] {
            if let Some(value) = attributes.get(name) {
                attributes.notes.ignore_attribute(value.element, name);
            }
        }
        attributes.report_unless("margin", &[0.0])?;
        attributes.report_unless("gap", &[0.0])?;
        if context.options.switches.contacts {
            let key = format!("contact_pairs[{}]", self.scene.contact_pairs.len());
            self.places.insert(key, element.place());
            self.scene.contact_pairs.push(ContactPairDescription {
                shapes,
                friction: Some(friction),
            });
        }
        Ok(())
    }
}
