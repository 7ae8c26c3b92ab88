//! `<flexcomp>` and `<flex>` of dimension 1: strings, as rods that hardly bend.

use nalgebra::{Isometry3, Point3, Vector3};
use stiction_deformable::rod::Damping;

use super::defaults::Attributes;
use super::flex::{self, Deformable};
use super::pose;
use super::scene::Builder;
use super::value::Value;
use crate::error::Result;
use crate::limits::ROD_POINTS;
use crate::scene_file::{
    RodAttachment, RodCurve, RodDescription, RodLink, RodSection, RodStiffness,
};
use crate::xml::Element;

/// How far a string whose edges keep their lengths stretches under its own weight.
const STRETCH: f64 = 1e-4;
/// EI over weight times the square of an edge: strings do not resist bending, but the joints of a rod must not
/// fold when it falls in a heap. It gives way over a few edges.
const BENDING: f64 = 1.0;
/// Where nothing pulls a string down, m/s².
const USUAL_GRAVITY: f64 = 9.81;

/// A string: points in order, and what holds it together.
pub(super) struct StringParts {
    pub(super) name: String,
    /// In the frame of `pose`, m.
    pub(super) points: Vec<Point3<f64>>,
    pub(super) pose: Isometry3<f64>,
    /// kg.
    pub(super) mass: f64,
    /// Points that are fixed, each with its body.
    pub(super) pins: Vec<(usize, String)>,
    /// Whether an equality keeps the lengths of its edges.
    pub(super) keeps_lengths: bool,
}

impl<'a> Builder<'_, 'a> {
    /// A `<flexcomp>` of dimension 1.
    pub(super) fn add_string(
        &mut self,
        string: &Deformable<'a>,
        attributes: &Attributes<'a>,
        kind: &str,
    ) -> Result<()> {
        let element = string.element;
        let points = match kind {
            "grid" => {
                let [count, y, z] = flex::counts(attributes)?;
                if count < 2 || [y, z] != [1, 1] {
                    let advice = "give it a count of at least 2, 1 and 1";
                    return Err(element.error("is no string", advice));
                }
                let spacing = match attributes.get("spacing") {
                    Some(value) => value.vector()?.x,
                    None => 0.02,
                };
                if !(spacing > 0.0) {
                    return Err(element.error("has no length", "give it a spacing above zero"));
                }
                attributes.pass_over(&["scale"]);
                let along = |k: usize| spacing * (k as f64 - 0.5 * (count - 1) as f64);
                (0..count)
                    .map(|k| Point3::new(along(k), 0.0, 0.0))
                    .collect()
            }
            "direct" => {
                let nodes = flex::points(attributes)?;
                match in_order(&nodes, attributes.need("element")?)? {
                    Some(order) if order.iter().enumerate().all(|(k, &node)| k == node) => nodes,
                    _ => {
                        let reason = "only strings whose points follow each other are read";
                        self.leave_out(element, "<flexcomp> of branching edges", reason);
                        return Ok(());
                    }
                }
            }
            _ => {
                let reason = "only strings with two ends are read";
                let what = format!("<flexcomp type=\"{kind}\"> of dimension 1");
                self.leave_out(element, &what, reason);
                return Ok(());
            }
        };
        let pinned = flex::pins(element, kind, [points.len(), 1, 1], points.len())?;
        let body = (!pinned.is_empty()).then(|| self.mount(string.body, &Isometry3::identity()));
        let place = pose::pose(attributes, &self.context.compiler)?;
        let keeps_lengths = match element
            .child("edge")
            .and_then(|edge| Value::of(edge, "equality"))
        {
            Some(value) => value.word(&["true", "false", "vert", "strain"])? != "false",
            None => false,
        };
        let parts = StringParts {
            name: flex::name(attributes, string, self.scene.rods.len()),
            mass: attributes
                .get("mass")
                .map_or(Ok(1.0), |value| value.positive())?,
            pins: (pinned.into_iter().zip(body.iter().cycle()))
                .map(|(point, mount)| (point, mount.body.clone()))
                .collect(),
            pose: self.layout.poses[string.body] * string.frame * place,
            points,
            keeps_lengths,
        };
        self.push_string(element, attributes, parts)
    }

    /// Adds a string as a rod.
    pub(super) fn push_string(
        &mut self,
        element: &'a Element,
        attributes: &Attributes<'a>,
        parts: StringParts,
    ) -> Result<()> {
        let notes = &self.context.defaults.notes;
        let (count, edges) = (parts.points.len(), parts.points.len() - 1);
        if count > ROD_POINTS {
            return Err(element.error(format!("has more than {ROD_POINTS} points"), "give fewer"));
        }
        let lengths = parts
            .points
            .windows(2)
            .map(|pair| (pair[1] - pair[0]).norm());
        let length: f64 = lengths.sum();
        if !(length > 0.0) {
            return Err(element.error("has no length", "give it points that differ"));
        }
        let edge = length / edges as f64;
        let [mut stiffness, mut damping] = [0.0; 2];
        if let Some(child) = element.child("edge") {
            let of_edge = Attributes::plain(child, notes);
            of_edge.pass_over(&["equality"]);
            let number = |name: &'static str| -> Result<f64> {
                of_edge
                    .get(name)
                    .map_or(Ok(0.0), |value| value.non_negative())
            };
            [stiffness, damping] = [number("stiffness")?, number("damping")?];
        }
        if let Some(child) = element.child("elasticity") {
            child.mark_all_read();
        }
        let gravity = self.context.options.gravity.norm();
        let gravity = if gravity > 0.0 {
            gravity
        } else {
            USUAL_GRAVITY
        };
        let weight = parts.mass * gravity;
        let stretch = match parts.keeps_lengths {
            true => {
                let reason = "a string stretches here, by a ten-thousandth under its own weight";
                notes.ignore(element, "edges that keep their lengths", reason);
                weight / STRETCH
            }
            false => stiffness * edge,
        };
        if !(stretch > 0.0) {
            let reason =
                "nothing keeps its points together: needs <edge> with stiffness or equality";
            self.leave_out(element, "a string without edges", reason);
            return Ok(());
        }
        let reason = "a string gives way to bending over a few edges here";
        notes.ignore(element, "a string", reason);
        let radius = match attributes.get("radius") {
            Some(value) => value.positive()?,
            None => 0.005,
        };
        let section = RodSection::Round { radius };
        let area = std::f64::consts::PI * radius * radius;
        let bend = BENDING * weight * edge * edge;
        let touch = self.flex_touch(element)?;
        let number = self.scene.rods.len();
        (self.places).insert(format!("rod[{number}]"), element.place());
        self.scene.rods.push(RodDescription {
            name: parts.name,
            shape: RodCurve::Points {
                points: parts.points,
                links: None,
            },
            normal: None,
            pose: parts.pose,
            velocity: Vector3::zeros(),
            straight_at_rest: false,
            section,
            density: parts.mass / (area * length),
            elastic: None,
            stiffness: RodStiffness {
                stretch: Some(stretch),
                bend: Some([bend; 2]),
                twist: Some(bend),
                shear: Some([stretch; 2]),
            },
            damping: Damping {
                strain: [0.0, 0.0, damping * edge / stretch, 0.0, 0.0, 0.0],
                ..Damping::default()
            },
            residual_bending: false,
            links_per_piece: None,
            strains_as_rows: false,
            attach: (parts.pins.into_iter())
                .map(|(point, body)| RodAttachment {
                    body,
                    link: RodLink::Number(point),
                    pivot: true,
                })
                .collect(),
            touch,
            contact_radius: None,
        });
        Ok(())
    }
}

/// The points along edges that form one line with two ends; `None` for other edges.
pub(super) fn in_order(nodes: &[Point3<f64>], edges: Value<'_>) -> Result<Option<Vec<usize>>> {
    let ends = flex::corners(edges, nodes.len(), 2)?;
    let mut neighbours = vec![Vec::new(); nodes.len()];
    for edge in ends.chunks_exact(2) {
        let [a, b] = [edge[0], edge[1]].map(|node| node as usize);
        neighbours[a].push(b);
        neighbours[b].push(a);
    }
    let Some(start) = neighbours.iter().position(|own| own.len() == 1) else {
        return Ok(None);
    };
    let (mut order, mut before) = (vec![start], None);
    loop {
        let here = order[order.len() - 1];
        let ways = &neighbours[here];
        let next = ways.iter().find(|&&other| Some(other) != before);
        match next {
            Some(&next) if ways.len() <= 2 && order.len() < nodes.len() => {
                before = Some(here);
                order.push(next);
            }
            _ => break,
        }
    }
    let is_line = order.len() == nodes.len() && ends.len() == 2 * (nodes.len() - 1);
    Ok(is_line.then_some(order))
}
