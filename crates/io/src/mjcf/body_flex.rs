//! `<deformable><flex>`: soft bodies and strings whose nodes are bodies of the file, as programs write them that
//! take a `<flexcomp>` apart.

use nalgebra::{Isometry3, Point3, Vector3};
use stiction_deformable::cut::PieceSize;
use stiction_deformable::fem::FemSettings;

use super::Context;
use super::body::{Body, Tree};
use super::defaults::Attributes;
use super::flex;
use super::flex_mesh::FlexMesh;
use super::joint::Kind;
use super::layout::Role;
use super::scene::Builder;
use super::string::{StringParts, in_order};
use super::value::Value;
use crate::error::Result;
use crate::scene_file::{NodeSelection, SoftAttachment, SoftDescription, SoftMesh};
use crate::xml::Element;

/// Marks the bodies that are nodes of a flex and nothing else.
pub(super) fn mark_nodes<'a>(context: &Context<'a>, tree: &mut Tree<'a>) {
    let names = (flexes(context.root))
        .filter_map(|flex| flex.attribute("body"))
        .flat_map(str::split_whitespace);
    let names: std::collections::HashSet<&str> = names.collect();
    let mut is_bare = vec![true; tree.bodies.len()];
    for body in &tree.bodies[1..] {
        is_bare[body.parent] = false;
    }
    for site in &tree.sites {
        is_bare[site.body] = false;
    }
    for (body, is_bare) in tree.bodies.iter_mut().zip(is_bare) {
        body.is_node = is_bare && names.contains(body.name.as_str()) && slides_freely(body);
    }
}

fn flexes(root: &Element) -> impl Iterator<Item = &Element> {
    let sections = root.children.iter().filter(|one| one.tag == "deformable");
    let all = sections.flat_map(|section| &section.children);
    all.filter(|one| one.tag == "flex")
}

/// Whether three slides let a body go anywhere, and nothing else holds it.
fn slides_freely(body: &Body<'_>) -> bool {
    let [a, b, c] = &body.joints[..] else {
        return false;
    };
    let is_plain = |joint: &super::joint::Joint<'_>| {
        let p = &joint.properties;
        joint.kind == Kind::Slide
            && [p.damping, p.armature, p.friction_loss, p.stiffness] == [0.0; 4]
    };
    body.geoms.is_empty()
        && [a, b, c].into_iter().all(is_plain)
        && a.axis.cross(&b.axis).dot(&c.axis).abs() > 0.99
}

impl<'a> Builder<'_, 'a> {
    pub(super) fn add_body_flexes(&mut self) -> Result<()> {
        let root = self.context.root;
        for section in root.children_of("deformable") {
            for element in section.children_of("flex") {
                self.add_body_flex(element)?;
            }
        }
        Ok(())
    }

    fn add_body_flex(&mut self, element: &'a Element) -> Result<()> {
        let notes = &self.context.defaults.notes;
        let attributes = Attributes::plain(element, notes);
        attributes.pass_over(&[
            "rgba",
            "group",
            "material",
            "texcoord",
            "elemtexcoord",
            "flatskin",
        ]);
        let dimension = match attributes.get("dim") {
            Some(value) => value.whole(1..=3)?,
            None => 2,
        };
        let words = attributes.need("body")?;
        let bodies = words.text.split_whitespace().map(|word| {
            let one = Value {
                text: word,
                ..words
            };
            self.body(one)
        });
        let bodies = bodies.collect::<Result<Vec<usize>>>()?;
        let has_nodes = bodies
            .iter()
            .any(|&body| self.layout.roles[body] == Role::Node);
        let reason = match (dimension, has_nodes) {
            (2, _) => "cloth and shells are no soft bodies here, only solids are",
            _ if element.has("node") => "nodes move by themselves here",
            (_, false) => "what does not deform is a body with geoms here",
            _ => "",
        };
        if !reason.is_empty() {
            self.leave_out(element, "<flex>", reason);
            return Ok(());
        }
        let nodes = self.nodes_of(&attributes, &bodies)?;
        let free: Vec<bool> = (bodies.iter())
            .map(|&body| self.layout.roles[body] == Role::Node)
            .collect();
        let own = (bodies.iter().zip(&free)).filter(|(_, free)| **free);
        let masses = own.filter_map(|(&body, _)| self.inertias[body].map(|one| one.mass));
        // What is fixed has a share as large as a free node's, which the file does not tell.
        let free_count = free.iter().filter(|free| **free).count();
        let mass = masses.sum::<f64>() * nodes.len() as f64 / free_count as f64;
        if !(mass > 0.0) {
            return Err(element.error("has no mass", "give the bodies of its nodes an <inertial>"));
        }
        let fixed = |node: usize| self.mount(bodies[node], &Isometry3::identity()).body;
        let fixed = (0..nodes.len())
            .filter(|&node| !free[node])
            .map(|node| (node, fixed(node)));
        let fixed: Vec<(usize, String)> = fixed.collect();
        match dimension {
            1 => self.add_body_string(element, &attributes, nodes, mass, fixed),
            _ => self.add_body_solid(element, &attributes, nodes, mass, fixed),
        }
    }

    /// Where the nodes are in the world.
    fn nodes_of(&self, attributes: &Attributes<'a>, bodies: &[usize]) -> Result<Vec<Point3<f64>>> {
        let count = bodies.len();
        let at = match attributes.get("vertex") {
            Some(value) => value.list(3 * count..=3 * count)?,
            None => vec![0.0; 3 * count],
        };
        let places = bodies.iter().zip(at.chunks_exact(3));
        Ok(places
            .map(|(&body, at)| self.layout.poses[body] * Point3::from_slice(at))
            .collect())
    }

    fn add_body_string(
        &mut self,
        element: &'a Element,
        attributes: &Attributes<'a>,
        nodes: Vec<Point3<f64>>,
        mass: f64,
        fixed: Vec<(usize, String)>,
    ) -> Result<()> {
        let Some(order) = in_order(&nodes, attributes.need("element")?)? else {
            self.leave_out(
                element,
                "<flex> of dimension 1",
                "only strings with two ends are read",
            );
            return Ok(());
        };
        let name = self.flex_name(attributes, self.scene.rods.len());
        let mut place = vec![0; order.len()];
        for (at, &node) in order.iter().enumerate() {
            place[node] = at;
        }
        let equalities = self.context.root.children_of("equality");
        let equalities = equalities.flat_map(|section| &section.children);
        let mut own = equalities
            .filter(|one| one.tag == "flex" && one.attribute("flex") == Some(name.as_str()));
        let kept = own.next().inspect(|one| one.mark_all_read());
        let parts = StringParts {
            points: order.iter().map(|&node| nodes[node]).collect(),
            pose: Isometry3::identity(),
            mass,
            pins: fixed
                .into_iter()
                .map(|(node, body)| (place[node], body))
                .collect(),
            keeps_lengths: kept.is_some(),
            name,
        };
        self.push_string(element, attributes, parts)
    }

    fn add_body_solid(
        &mut self,
        element: &'a Element,
        attributes: &Attributes<'a>,
        nodes: Vec<Point3<f64>>,
        mass: f64,
        fixed: Vec<(usize, String)>,
    ) -> Result<()> {
        let Some(mut elastic) = self.elastic(element)? else {
            let reason = "needs an <elasticity> with young: edges alone make no solid here";
            self.leave_out(element, "<flex> without elasticity", reason);
            return Ok(());
        };
        let tets = flex::tets(attributes.need("element")?, nodes.len())?;
        let mesh = FlexMesh { nodes, tets }.turned();
        let volume = mesh.whole_volume();
        if !(volume > 0.0) {
            return Err(element.error("has no volume", "give its bodies places that differ"));
        }
        elastic.density = mass / volume;
        let mut attach: Vec<SoftAttachment> = Vec::new();
        for (node, body) in fixed {
            match attach.iter_mut().find(|one| one.body == body) {
                Some(SoftAttachment {
                    nodes: NodeSelection::Numbers(nodes),
                    ..
                }) => nodes.push(node),
                _ => attach.push(SoftAttachment {
                    body,
                    nodes: NodeSelection::Numbers(vec![node]),
                }),
            }
        }
        let touch = self.flex_touch(element)?;
        let number = self.scene.soft.len();
        let name = self.flex_name(attributes, number);
        (self.places).insert(format!("soft[{number}]"), element.place());
        let FlexMesh { nodes, tets } = mesh;
        self.scene.soft.push(SoftDescription {
            name,
            mesh: SoftMesh::Inline { nodes, tets },
            pose: Isometry3::identity(),
            velocity: Vector3::zeros(),
            elastic,
            parts: Vec::new(),
            settings: FemSettings::default(),
            pieces: PieceSize::default(),
            attach,
            touch,
            depth: None,
        });
        Ok(())
    }

    fn flex_name(&self, attributes: &Attributes<'a>, number: usize) -> String {
        let name = attributes.get("name");
        name.map_or_else(|| format!("flex-{number}"), |value| value.text.to_owned())
    }
}
