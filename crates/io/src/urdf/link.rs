//! Links: masses and shapes.

use std::collections::{HashMap, HashSet};

use nalgebra::{Matrix3, Vector3};
use stiction_collision::Groups;
use stiction_dynamics::Symmetric3;

use super::schema::{number, numbers};
use super::{Reader, tree};
use crate::error::Result;
use crate::mesh_use::{drawn_mesh, mesh_shape};
use crate::scene_file::{
    InertiaDescription, LinkDescription, MassDescription, MeshFile, MeshSource, ShapeDescription,
    ShapeKind,
};
use crate::xml::Element;

/// What a shape is for.
#[derive(Clone, Copy, PartialEq)]
enum Purpose {
    Drawn,
    Collides,
}

impl Reader<'_> {
    pub(super) fn link(&mut self, element: &Element, number: usize) -> Result<LinkDescription> {
        let mut out = LinkDescription {
            name: tree::name(element).to_owned(),
            mass: None,
            gravity_compensation: 0.0,
            shapes: Vec::new(),
        };
        if let Some(inertial) = element.child("inertial") {
            out.mass = self.mass(inertial)?;
        }
        let mut names = Names::default();
        for element in element.children_of("collision") {
            let shape = self.shape(element, Purpose::Collides)?;
            self.add_shape(element, number, (&mut out.shapes, &mut names), shape);
        }
        for element in element.children_of("visual") {
            if is_nothing(form(element))? {
                self.leave_out("<visual> of size zero", "shows nothing", element);
                continue;
            }
            let mut shape = self.shape(element, Purpose::Drawn)?;
            shape.color = self.color(element)?;
            self.add_shape(element, number, (&mut out.shapes, &mut names), shape);
        }
        Ok(out)
    }

    fn add_shape(
        &mut self,
        element: &Element,
        link: usize,
        (shapes, names): (&mut Vec<ShapeDescription>, &mut Names),
        mut shape: ShapeDescription,
    ) {
        let given = tree::name(element).trim();
        let base = match given {
            "" => element.tag.as_str(),
            given => given,
        };
        shape.name = names.free(base);
        let key = format!("robots[0].links[{link}].shapes[{}]", shapes.len());
        self.places.insert(key, element.place());
        shapes.push(shape);
    }

    /// The mass of a link, about its centre and along the axes of the link.
    fn mass(&self, element: &Element) -> Result<Option<MassDescription>> {
        let place = element.child("mass").unwrap_or(element);
        let mass = number(place, "value", 0.0)?;
        let given = element.child("inertia").unwrap_or(element);
        let mut moments = [0.0; 6];
        for (moment, name) in moments
            .iter_mut()
            .zip(["ixx", "ixy", "ixz", "iyy", "iyz", "izz"])
        {
            *moment = number(given, name, 0.0)?;
        }
        if mass < 0.0 {
            let problem = format!("{mass} kg is negative");
            return Err(place.attribute_error("value", problem, "give the mass in kg"));
        }
        if mass == 0.0 && moments.iter().all(|&value| value == 0.0) {
            // A link that says it has none is a link without mass.
            return Ok(None);
        }
        let pose = self.pose(element)?;
        let [xx, xy, xz, yy, yz, zz] = moments;
        let own = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        let rotation = pose.rotation.to_rotation_matrix();
        let about_center = match *rotation.matrix() == Matrix3::identity() {
            true => own,
            false => rotation.matrix() * own * rotation.matrix().transpose(),
        };
        Ok(Some(MassDescription::Inertia(InertiaDescription {
            mass,
            center: pose.translation.vector,
            about_center: Symmetric3::from_matrix(&about_center),
        })))
    }

    fn shape(&mut self, element: &Element, purpose: Purpose) -> Result<ShapeDescription> {
        Ok(ShapeDescription {
            name: String::new(),
            kind: self.kind(form(element), purpose)?,
            pose: self.pose(element)?,
            material: None,
            groups: Groups::default(),
            visual_only: purpose == Purpose::Drawn,
            color: None,
        })
    }

    fn kind(&mut self, form: &Element, purpose: Purpose) -> Result<ShapeKind> {
        let refused = |name: &str, value: f64| {
            let problem = format!("{value} m is not positive");
            Err(form.attribute_error(name, problem, "give the size in m"))
        };
        let positive = |name: &str| match number(form, name, 0.0)? {
            value if value > 0.0 => Ok(value),
            value => refused(name, value),
        };
        Ok(match form.tag.as_str() {
            "box" => {
                let size = Vector3::from(numbers(form, "size")?.unwrap_or_default());
                if !(size.min() > 0.0) {
                    refused("size", size.min())?;
                }
                ShapeKind::Box { size }
            }
            "sphere" => ShapeKind::Sphere {
                radius: positive("radius")?,
            },
            "cylinder" => ShapeKind::Cylinder {
                length: positive("length")?,
                radius: positive("radius")?,
            },
            "capsule" => ShapeKind::Capsule {
                length: positive("length")?,
                radius: positive("radius")?,
            },
            _ => {
                let scale = Vector3::from(numbers(form, "scale")?.unwrap_or([1.0; 3]));
                if scale.iter().any(|value| *value == 0.0) {
                    let advice = "give metres per unit of the file, such as 0.001 0.001 0.001";
                    return Err(form.attribute_error("scale", "is zero", advice));
                }
                let name = form.attribute("filename").unwrap_or_default();
                let path = self.mesh_path(form, name.trim())?;
                let source = MeshSource::File(MeshFile { path, scale });
                match purpose {
                    Purpose::Collides => mesh_shape(self.options.meshes, source),
                    Purpose::Drawn => drawn_mesh(source),
                }
            }
        })
    }

    /// The colour of a drawn shape: its own, or that of the material it names.
    fn color(&mut self, element: &Element) -> Result<Option<[f32; 4]>> {
        let Some(material) = element.child("material") else {
            return Ok(None);
        };
        let name = tree::name(material);
        let color = material.child("color");
        let color = color.or_else(|| self.colors.get(name).copied());
        let Some(color) = color else {
            let known = !material.has("texture") && material.children.is_empty();
            if known && !name.is_empty() {
                let what = format!("<material name=\"{name}\">");
                self.leave_out(&what, "no material with this name has a colour", material);
            }
            return Ok(None);
        };
        let rgba: [f64; 4] = numbers(color, "rgba")?.unwrap_or_default();
        if let Some(bad) = rgba.iter().find(|value| !(0.0..=1.0).contains(*value)) {
            // What is drawn needs no refusal.
            let what = "<color rgba> beyond 0 to 1";
            self.leave_out(what, &format!("{bad} is clamped"), material);
        }
        Ok(Some(rgba.map(|value| value.clamp(0.0, 1.0) as f32)))
    }
}

/// The colours that materials of a name have: the first that says one, those of the robot before those of
/// its links.
pub(super) fn colors(root: &Element) -> HashMap<&str, &Element> {
    let links = root.children_of("link");
    let visuals = links.flat_map(|link| link.children_of("visual"));
    let of_links = visuals.filter_map(|visual| visual.child("material"));
    let mut colors = HashMap::new();
    for material in root.children_of("material").chain(of_links) {
        if let Some(color) = material.child("color") {
            colors.entry(tree::name(material)).or_insert(color);
        }
    }
    colors
}

/// Names of the shapes of a link: one that is taken gets a number.
#[derive(Default)]
struct Names {
    taken: HashSet<String>,
    /// The number to try next, by name.
    next: HashMap<String, usize>,
}

impl Names {
    fn free(&mut self, base: &str) -> String {
        let mut name = base.to_owned();
        let next = self.next.entry(name.clone()).or_insert(2);
        while !self.taken.insert(name.clone()) {
            name = format!("{base}-{next}");
            *next += 1;
        }
        name
    }
}

/// Whether a primitive has a size of zero, as files write for what is not to be seen.
fn is_nothing(form: &Element) -> Result<bool> {
    let sizes: &[&str] = match form.tag.as_str() {
        "box" => {
            return Ok(numbers(form, "size")?.is_some_and(|size: [f64; 3]| size.contains(&0.0)));
        }
        "sphere" => &["radius"],
        "cylinder" | "capsule" => &["radius", "length"],
        _ => &[],
    };
    for name in sizes {
        if number(form, name, 0.0)? == 0.0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The form inside the geometry of a shape; the schema knows that there is one.
fn form(shape: &Element) -> &Element {
    const FORMS: [&str; 5] = ["box", "sphere", "cylinder", "capsule", "mesh"];
    let known = |element: &&Element| FORMS.contains(&element.tag.as_str());
    let geometry = shape.child("geometry");
    let form = geometry.and_then(|geometry| geometry.children.iter().find(known));
    form.unwrap_or(shape)
}
