//! `<composite type="cable">` with the cable plugin: rods.

use std::f64::consts::PI;

use nalgebra::{Isometry3, Point3, Translation3, Vector3};
use stiction_collision::Groups;
use stiction_deformable::rod::{Damping, Section};

use super::defaults::Attributes;
use super::flex::{Deformable, config};
use super::geom;
use super::pose;
use super::scene::{Builder, material};
use super::value::Value;
use crate::error::Result;
use crate::limits::ROD_POINTS;
use crate::scene_file::{
    RodAttachment, RodCurve, RodDescription, RodLink, RodSection, RodStiffness, TouchDescription,
};

impl<'a> Builder<'_, 'a> {
    pub(super) fn add_cable(&mut self, cable: &Deformable<'a>) -> Result<()> {
        let element = cable.element;
        let notes = &self.context.defaults.notes;
        let is_cable = Value::of(element, "type").is_some_and(|value| value.text == "cable");
        if !is_cable {
            let reason = "only cables are read";
            self.leave_out(element, "<composite> of another type", reason);
            return Ok(());
        }
        element.mark_read();
        let plugin = element.children.iter().find(|child| {
            child.tag == "plugin" && child.attribute("plugin") == Some("mujoco.elasticity.cable")
        });
        let modulus = |key: &str| -> Result<f64> {
            let value = plugin.and_then(|plugin| config(plugin, key));
            value.map_or(Ok(0.0), |value| value.non_negative())
        };
        let [bend, twist] = [modulus("bend")?, modulus("twist")?];
        let (Some(plugin), true) = (plugin, bend > 0.0 && twist > 0.0) else {
            let reason = "a chain without stiffness against bending and twist is no rod here";
            self.leave_out(element, "<composite> without elasticity", reason);
            return Ok(());
        };
        plugin.mark_read();
        let flat = match config(plugin, "flat") {
            Some(value) => value.flag()?,
            None => false,
        };
        let attributes = Attributes::plain(element, notes);
        let start = match attributes.get("initial") {
            Some(value) => value.word(&["free", "ball", "none"])?,
            None => "free",
        };
        let points = points(&attributes)?;
        let offset = match attributes.get("offset") {
            Some(value) => value.vector()?,
            None => Vector3::zeros(),
        };
        let rotation = match attributes.get("quat") {
            // Points that are given are not turned.
            Some(value) if !element.has("vertex") => pose::quaternion(value, value.numbers()?)?,
            _ => nalgebra::UnitQuaternion::identity(),
        };
        let shape = Isometry3::from_parts(Translation3::from(offset), rotation);
        let length: f64 = points
            .windows(2)
            .map(|pair| (pair[1] - pair[0]).norm())
            .sum();
        let Some(Geom {
            section,
            density,
            touch,
        }) = self.cable_geom(cable, length)?
        else {
            return Ok(());
        };
        // The section of an isotropic rod of the plugin's moduli; stretch and shear, which the chain has
        // not, follow from the same moduli.
        let areas = match section {
            RodSection::Rectangle { sides: [a, b] } => Section::rectangle(a, b, 0.0),
            _ => Section::circle(section.contact_radius(), 0.0),
        };
        let bending = areas.second_moments.map(|second| bend * second);
        let twisting = twist * areas.torsion;
        let stiffness = RodStiffness {
            stretch: Some(bend * areas.area),
            bend: Some(bending),
            twist: Some(twisting),
            shear: Some([areas.shear_factor * twist * areas.area; 2]),
        };
        let mut damping = Damping::default();
        let notes = &self.context.defaults.notes;
        for joint in element.children_of("joint") {
            let attributes = Attributes::plain(joint, notes);
            attributes.pass_over(&["kind", "group"]);
            if let Some(value) = attributes.get("damping") {
                let damper = value.non_negative()? * length / (points.len() - 1) as f64;
                let [first, second] = bending.map(|stiffness| damper / stiffness);
                damping.strain = [0.0, 0.0, 0.0, first, second, damper / twisting];
            }
        }
        let number = self.scene.rods.len();
        let name = match attributes.get("prefix") {
            Some(value) => format!("{}{}", value.text, cable.suffix),
            None => format!("cable-{number}"),
        };
        let attach = match start {
            "free" => Vec::new(),
            held => vec![RodAttachment {
                body: self.mount(cable.body, &Isometry3::identity()).body,
                link: RodLink::Start,
                pivot: held == "ball",
            }],
        };
        (self.places).insert(format!("rod[{number}]"), element.place());
        self.scene.rods.push(RodDescription {
            name,
            shape: RodCurve::Points {
                points,
                links: None,
            },
            normal: None,
            pose: self.layout.poses[cable.body] * cable.frame * shape,
            velocity: Vector3::zeros(),
            straight_at_rest: flat,
            section,
            density,
            elastic: None,
            stiffness,
            damping,
            residual_bending: false,
            links_per_piece: None,
            strains_as_rows: false,
            attach,
            touch,
            contact_radius: None,
        });
        Ok(())
    }

    /// Section, density and contact of a cable's geoms; `None` for what was reported.
    fn cable_geom(&mut self, cable: &Deformable<'a>, length: f64) -> Result<Option<Geom>> {
        let element = cable.element;
        let Some(child) = element.child("geom") else {
            let advice = "add <geom type=\"capsule\" size=\"…\"/>";
            return Err(element.error("has no geom", advice));
        };
        let attributes = self.context.defaults.attributes(child, cable.class)?;
        attributes.pass_over(&["rgba", "group", "material"]);
        let size = attributes.need("size")?;
        let sizes = size.up_to([0.0; 3])?;
        let kind = match attributes.get("type") {
            Some(value) => value.word(&["sphere", "capsule", "cylinder", "box"])?,
            None => "sphere",
        };
        let (section, area) = match kind {
            "capsule" | "cylinder" => (
                RodSection::Round { radius: sizes[0] },
                PI * sizes[0].powi(2),
            ),
            "box" => {
                let sides = [2.0 * sizes[1], 2.0 * sizes[2]];
                (RodSection::Rectangle { sides }, sides[0] * sides[1])
            }
            _ => {
                let reason = "beads on a string have no section";
                self.leave_out(element, "<composite> of spheres", reason);
                return Ok(None);
            }
        };
        if !(area > 0.0) {
            return Err(size.error("makes no section", "give sizes above zero"));
        }
        let density = match (attributes.get("mass"), attributes.get("density")) {
            (Some(mass), _) => {
                // Of each geom; there is one between two points.
                let joints = (counts(element)? - 1) as f64;
                mass.positive()? * joints / (area * length)
            }
            (None, Some(value)) => value.positive()?,
            (None, None) => 1000.0,
        };
        let mut bits = [1, 1];
        for (bits, name) in bits.iter_mut().zip(["contype", "conaffinity"]) {
            if let Some(value) = attributes.get(name) {
                *bits = value.whole(0..=i64::from(u32::MAX))? as u32;
            }
        }
        let surface = geom::surface(&attributes, bits != [0, 0])?;
        let mut touch = TouchDescription::new(true);
        touch.touches = self.context.options.switches.contacts && bits != [0, 0];
        if touch.touches {
            touch.groups = Groups {
                member_of: bits[0],
                collides_with: bits[1],
                either: true,
            };
            let (scene, places) = (&mut self.scene, &mut self.places);
            touch.material = Some(material(scene, places, &surface, child.place()));
        }
        Ok(Some(Geom {
            section,
            density,
            touch,
        }))
    }
}

/// What a cable's geoms say.
struct Geom {
    section: RodSection,
    density: f64,
    touch: TouchDescription,
}

/// Number of points of a cable.
fn counts(element: &crate::xml::Element) -> Result<usize> {
    if let Some(value) = Value::of(element, "vertex") {
        return Ok((value.list(6..=usize::MAX)?.len() / 3).max(2));
    }
    let Some(value) = Value::of(element, "count") else {
        return Err(element.error("has no count", "give the number of points"));
    };
    let [count, y, z] = value.up_to([1.0; 3])?;
    let is_good = (2.0..=ROD_POINTS as f64).contains(&count) && count.fract() == 0.0;
    match is_good && y == 1.0 && z == 1.0 {
        true => Ok(count as usize),
        false => Err(value.error(
            "is not possible",
            format!("give the number of points, 2 to {ROD_POINTS}, and 1 1"),
        )),
    }
}

/// Points of a cable in its own frame.
fn points(attributes: &Attributes<'_>) -> Result<Vec<Point3<f64>>> {
    if let Some(value) = attributes.get("vertex") {
        let numbers = value.list(6..=3 * ROD_POINTS)?;
        if numbers.len() % 3 != 0 {
            return Err(value.error("is cut off", "give three numbers to a point"));
        }
        attributes.pass_over(&["count", "curve", "size"]);
        let points = numbers.chunks_exact(3);
        return Ok(points.map(Point3::from_slice).collect());
    }
    let count = counts(attributes.element)?;
    let size = match attributes.get("size") {
        Some(value) => value.up_to([1.0, 0.0, 0.0])?,
        None => [1.0, 0.0, 0.0],
    };
    let curve = attributes.need("curve")?;
    let mut axes = [Axis::Zero; 3];
    let words: Vec<&str> = curve.text.split_whitespace().collect();
    if words.is_empty() || words.len() > 3 {
        return Err(curve.error("is no curve", "give up to three of s, cos(s), sin(s) and 0"));
    }
    for (axis, word) in axes.iter_mut().zip(words) {
        *axis = match word {
            "s" => Axis::Line,
            "cos(s)" => Axis::Cosine,
            "sin(s)" => Axis::Sine,
            "0" => Axis::Zero,
            other => {
                let problem = format!("\"{other}\" is not known");
                return Err(curve.error(problem, "give s, cos(s), sin(s) or 0"));
            }
        };
    }
    let place = |point: usize| {
        let share = point as f64 / (count - 1) as f64;
        let angle = PI * share * size[2];
        Point3::from(axes.map(|axis| match axis {
            Axis::Zero => 0.0,
            Axis::Line => share * size[0],
            Axis::Cosine => size[1] * angle.cos(),
            Axis::Sine => size[1] * angle.sin(),
        }))
    };
    Ok((0..count).map(place).collect())
}

/// What a coordinate of a curve is.
#[derive(Debug, Clone, Copy)]
enum Axis {
    Zero,
    Line,
    Cosine,
    Sine,
}
