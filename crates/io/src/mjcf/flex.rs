//! `<flexcomp>`: soft bodies of dimension 3; strings of dimension 1 go on to their own file.

use nalgebra::{Isometry3, Point3, Vector3};
use stiction_collision::Groups;
use stiction_deformable::cut::PieceSize;
use stiction_deformable::fem::{FemSettings, Material as Elastic, Rayleigh};

use super::defaults::{Attributes, ClassId};
use super::flex_mesh::{FlexMesh, Form};
use super::geom;
use super::pose;
use super::scene::{Builder, material};
use super::value::Value;
use crate::error::Result;
use crate::limits::FLEX_NODES;
use crate::scene_file::{
    MeshFile, NodeSelection, SoftAttachment, SoftDescription, SoftMesh, TouchDescription,
};
use crate::tet_mesh;
use crate::xml::Element;

/// A `<flexcomp>` or `<composite>` and where it stands.
#[derive(Debug)]
pub(super) struct Deformable<'a> {
    pub(super) element: &'a Element,
    pub(super) body: usize,
    /// In the frame of the body.
    pub(super) frame: Isometry3<f64>,
    pub(super) class: ClassId,
    /// What copies add to names.
    pub(super) suffix: String,
}

const TYPES: &[&str] = &[
    "grid",
    "box",
    "cylinder",
    "ellipsoid",
    "square",
    "disc",
    "circle",
    "mesh",
    "gmsh",
    "direct",
];

impl<'a> Builder<'_, 'a> {
    /// Soft bodies and cables.
    pub(super) fn add_deformables(&mut self) -> Result<()> {
        for deformable in std::mem::take(&mut self.tree.deformables) {
            match deformable.element.tag.as_str() {
                "composite" => self.add_cable(&deformable)?,
                _ => self.add_flex(&deformable)?,
            }
        }
        Ok(())
    }

    /// Reports a whole element.
    pub(super) fn leave_out(&self, element: &Element, what: &str, reason: &str) {
        let notes = &self.context.defaults.notes;
        notes.ignore(element, what, reason);
        element.mark_all_read();
    }

    fn add_flex(&mut self, flex: &Deformable<'a>) -> Result<()> {
        let element = flex.element;
        let context = self.context;
        let notes = &context.defaults.notes;
        element.mark_read();
        let attributes = Attributes::plain(element, notes);
        attributes.pass_over(&[
            "rgba",
            "group",
            "material",
            "texcoord",
            "flatskin",
            "inertiabox",
        ]);
        let dimension = match attributes.get("dim") {
            Some(value) => value.whole(1..=3)?,
            None => 2,
        };
        let kind = match attributes.get("type") {
            Some(value) => value.word(TYPES)?,
            None => "grid",
        };
        match (kind, dimension) {
            ("square" | "disc", _) | (_, 2) => {
                let reason = "cloth and shells are no soft bodies here, only solids are";
                self.leave_out(element, "<flexcomp> of dimension 2", reason);
                return Ok(());
            }
            ("circle", _) | (_, 1) => return self.add_string(flex, &attributes, kind),
            _ => {}
        }
        if attributes.flag_or("rigid", false)? {
            let reason = "what does not deform is a body with geoms here";
            self.leave_out(element, "<flexcomp rigid>", reason);
            return Ok(());
        }
        let Some(mut elastic) = self.elastic(element)? else {
            let reason = "needs an <elasticity> with young: edges alone make no solid here";
            self.leave_out(element, "<flexcomp> without elasticity", reason);
            return Ok(());
        };
        let count = counts(&attributes)?;
        let mass = match attributes.get("mass") {
            Some(value) => value.positive()?,
            None => 1.0,
        };
        let (mesh, volume, nodes) = self.flex_mesh(kind, &attributes, count)?;
        if !(volume > 0.0) {
            let advice = "give it more points, or spacing above zero";
            return Err(element.error("has no volume", advice));
        }
        elastic.density = mass / volume;
        if let Some(value) = attributes.get("dof") {
            let word = value.word(&["full", "radial", "trilinear", "quadratic", "2d"])?;
            match word {
                "full" => {}
                "trilinear" | "quadratic" if element.child("pin").is_none() => {
                    let what = format!("<flexcomp dof=\"{word}\">");
                    notes.ignore(element, what, "every node moves by itself here");
                }
                _ => {
                    let what = format!("<flexcomp dof=\"{word}\">");
                    self.leave_out(element, &what, "nodes move in all directions here");
                    return Ok(());
                }
            }
        }
        if let Some(edge) = element.child("edge") {
            let attributes = Attributes::plain(edge, notes);
            if let Some(value) = attributes.get("equality")
                && value.text.trim() != "false"
            {
                notes.ignore(edge, "<edge equality>", "edges may stretch here");
            }
        }
        let pins = pins(element, kind, count, nodes)?;
        let attach = match pins.is_empty() {
            true => Vec::new(),
            false => vec![SoftAttachment {
                body: self.mount(flex.body, &Isometry3::identity()).body,
                nodes: NodeSelection::Numbers(pins),
            }],
        };
        let pose = pose::pose(&attributes, &context.compiler)?;
        let touch = self.flex_touch(element)?;
        let number = self.scene.soft.len();
        let name = name(&attributes, flex, number);
        (self.places).insert(format!("soft[{number}]"), element.place());
        self.scene.soft.push(SoftDescription {
            name,
            mesh,
            pose: self.layout.poses[flex.body] * flex.frame * pose,
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

    /// The elasticity of a flexcomp, without density; `None` for one that has none.
    pub(super) fn elastic(&self, element: &'a Element) -> Result<Option<Elastic>> {
        let notes = &self.context.defaults.notes;
        let mut values: [Option<Value<'a>>; 3] = [None; 3];
        let names = ["young", "poisson", "damping"];
        if let Some(child) = element.child("elasticity") {
            let attributes = Attributes::plain(child, notes);
            values = names.map(|name| attributes.get(name));
        } else if let Some(plugin) = element.children.iter().find(|child| {
            child.tag == "plugin" && child.attribute("plugin") == Some("mujoco.elasticity.solid")
        }) {
            plugin.mark_read();
            values = names.map(|name| config(plugin, name));
        }
        let [young, poisson, damping] = values;
        let number = |value: Option<Value<'_>>| value.map_or(Ok(0.0), |value| value.non_negative());
        let stiffness = number(damping)?;
        let Some(young) = young else {
            return Ok(None);
        };
        let modulus = young.non_negative()?;
        if modulus == 0.0 {
            return Ok(None);
        }
        let ratio = number(poisson)?;
        if let Some(value) = poisson
            && ratio >= 0.5
        {
            let problem = format!("{ratio} is not below 1/2");
            return Err(value.error(problem, "give 0 to 0.49"));
        }
        Ok(Some(Elastic {
            damping: Rayleigh {
                mass: 0.0,
                stiffness,
            },
            ..Elastic::corotational(modulus, ratio, 1.0)
        }))
    }

    /// The mesh, its volume, m³, and its number of nodes.
    fn flex_mesh(
        &self,
        kind: &str,
        attributes: &Attributes<'a>,
        count: [usize; 3],
    ) -> Result<(SoftMesh, f64, usize)> {
        let element = attributes.element;
        let vector = |name: &'static str, default: f64| match attributes.get(name) {
            Some(value) => value.vector(),
            None => Ok(Vector3::repeat(default)),
        };
        let spacing = vector("spacing", 0.02)?;
        let scale = vector("scale", 1.0)?;
        let form = match kind {
            "box" => Some(Form::Box),
            "cylinder" => Some(Form::Cylinder),
            "ellipsoid" => Some(Form::Ellipsoid),
            _ => None,
        };
        if form.is_some() || kind == "grid" {
            if count.iter().any(|&count| count < 2) || spacing.min() <= 0.0 {
                let advice = "give a count of at least 2 along each axis, and spacing above zero";
                return Err(element.error("has no solid cell", advice));
            }
            attributes.pass_over(&["scale"]);
        }
        let mesh = match (kind, form) {
            ("grid", _) => FlexMesh::grid(count, &spacing),
            (_, Some(form)) => FlexMesh::around_middle(count, &spacing, form),
            ("direct", _) => {
                let nodes = points(attributes)?;
                let tets = tets(attributes.need("element")?, nodes.len())?;
                FlexMesh { nodes, tets }.turned()
            }
            _ => {
                let value = attributes.need("file")?;
                let file = MeshFile {
                    path: self.context.compiler.asset_path(value.text),
                    scale,
                };
                let folder = self.context.assets.folder();
                let unreadable = |error: crate::IoError| {
                    value.error(error.to_string(), "meshes are looked for in meshdir")
                };
                if kind == "gmsh" {
                    let read = tet_mesh::read(&folder.join(&file.path)).map_err(unreadable)?;
                    let nodes = read.nodes.iter();
                    let mesh = FlexMesh {
                        nodes: nodes
                            .map(|at| at.coords.component_mul(&scale).into())
                            .collect(),
                        tets: read.tets,
                    };
                    let mesh = mesh.turned();
                    let volume = mesh.whole_volume();
                    return Ok((SoftMesh::Tetrahedra(file), volume, mesh.nodes.len()));
                }
                let surface = file.read(folder).map_err(unreadable)?;
                let origin = vector("origin", 0.0)?;
                FlexMesh::around_point(&surface, origin.component_mul(&scale).into())
            }
        };
        let (volume, count) = (mesh.whole_volume(), mesh.nodes.len());
        let FlexMesh { nodes, tets } = mesh;
        Ok((SoftMesh::Inline { nodes, tets }, volume, count))
    }

    /// How a flexcomp touches.
    pub(super) fn flex_touch(&mut self, element: &'a Element) -> Result<TouchDescription> {
        let notes = &self.context.defaults.notes;
        let mut touch = TouchDescription::new(true);
        let mut bits = [1, 1];
        let mut surface = geom::Surface::default();
        if let Some(contact) = element.child("contact") {
            let attributes = Attributes::plain(contact, notes);
            for (bits, name) in bits.iter_mut().zip(["contype", "conaffinity"]) {
                if let Some(value) = attributes.get(name) {
                    *bits = value.whole(0..=i64::from(u32::MAX))? as u32;
                }
            }
            if let Some(value) = attributes.get("selfcollide") {
                let words = ["none", "narrow", "bvh", "sap", "auto", "true", "false"];
                let word = value.word(&words)?;
                touch.itself = word != "none" && word != "false";
            }
            surface = geom::surface(&attributes, bits != [0, 0])?;
        }
        touch.touches = self.context.options.switches.contacts && bits != [0, 0];
        if !touch.touches {
            return Ok(TouchDescription {
                touches: false,
                ..TouchDescription::new(false)
            });
        }
        touch.groups = Groups {
            member_of: bits[0],
            collides_with: bits[1],
            either: true,
        };
        let (scene, places) = (&mut self.scene, &mut self.places);
        touch.material = Some(material(scene, places, &surface, element.place()));
        Ok(touch)
    }
}

/// The value of a plugin's setting.
pub(super) fn config<'a>(plugin: &'a Element, key: &str) -> Option<Value<'a>> {
    let mut all = plugin.children.iter().filter(|child| child.tag == "config");
    let found = all.find(|child| child.attribute("key") == Some(key))?;
    found.mark_read();
    Value::of(found, "value")
}

/// The name of a deformable, given or by its number.
pub(super) fn name(attributes: &Attributes<'_>, flex: &Deformable<'_>, number: usize) -> String {
    match attributes.get("name") {
        Some(value) => format!("{}{}", value.text, flex.suffix),
        None => format!("flex-{number}"),
    }
}

/// The points of one of type `direct`, scaled.
pub(super) fn points(attributes: &Attributes<'_>) -> Result<Vec<Point3<f64>>> {
    let scale = match attributes.get("scale") {
        Some(value) => value.vector()?,
        None => Vector3::repeat(1.0),
    };
    let points = attributes.need("point")?;
    let numbers = points.list(3..=usize::MAX)?;
    if numbers.len() % 3 != 0 {
        return Err(points.error("is cut off", "give three numbers to a point"));
    }
    let nodes = numbers.chunks_exact(3);
    let nodes = nodes.map(|at| Vector3::from_column_slice(at).component_mul(&scale));
    Ok(nodes.map(Point3::from).collect())
}

/// Numbers of points, so many to an element.
pub(super) fn corners(value: Value<'_>, points: usize, of_element: usize) -> Result<Vec<u32>> {
    let mut corners = Vec::new();
    for number in value.list(of_element..=usize::MAX)? {
        if !(number >= 0.0 && number < points as f64 && number.fract() == 0.0) {
            let advice = format!("the {points} points count from 0");
            return Err(value.error(format!("there is no point {number}"), advice));
        }
        corners.push(number as u32);
    }
    match corners.len() % of_element {
        0 => Ok(corners),
        _ => Err(value.error(
            "is cut off",
            format!("give {of_element} points to an element"),
        )),
    }
}

/// Tetrahedra by their corners.
pub(super) fn tets(value: Value<'_>, points: usize) -> Result<Vec<[u32; 4]>> {
    let corners = corners(value, points, 4)?;
    let tets = corners.chunks_exact(4);
    Ok(tets.map(|tet| [tet[0], tet[1], tet[2], tet[3]]).collect())
}

/// Numbers of nodes along the axes.
pub(super) fn counts(attributes: &Attributes<'_>) -> Result<[usize; 3]> {
    let Some(value) = attributes.get("count") else {
        return Ok([10; 3]);
    };
    let numbers = value.up_to([10.0; 3])?;
    let is_count = |number: f64| number >= 1.0 && number.fract() == 0.0;
    let nodes: f64 = numbers.iter().product();
    if numbers.into_iter().all(is_count) && nodes <= FLEX_NODES as f64 {
        return Ok(numbers.map(|number| number as usize));
    }
    let advice = format!("give whole numbers from 1, at most {FLEX_NODES} nodes in all");
    Err(value.error("is not possible", advice))
}

/// Numbers of the nodes that are fixed to the body around.
pub(super) fn pins(
    element: &Element,
    kind: &str,
    count: [usize; 3],
    nodes: usize,
) -> Result<Vec<usize>> {
    let mut pinned = Vec::new();
    for pin in element.children_of("pin") {
        let whole = |name: &'static str, group: usize, most: &[usize]| -> Result<Vec<usize>> {
            let Some(value) = Value::of(pin, name) else {
                return Ok(Vec::new());
            };
            let numbers = value.list(group..=usize::MAX)?;
            if numbers.len() % group != 0 {
                let advice = format!("give a multiple of {group} numbers");
                return Err(value.error("is cut off", advice));
            }
            let mut out = Vec::new();
            for (index, number) in numbers.into_iter().enumerate() {
                let below = most[index % most.len()];
                if !(number >= 0.0 && number < below as f64 && number.fract() == 0.0) {
                    let advice = format!("give whole numbers from 0 to {}", below.max(1) - 1);
                    return Err(value.error(format!("{number} is not possible here"), advice));
                }
                out.push(number as usize);
            }
            Ok(out)
        };
        if kind != "grid" && (pin.has("grid") || pin.has("gridrange")) {
            let problem = format!("a flexcomp of type \"{kind}\" has no grid");
            return Err(pin.error(problem, "name nodes by id or range"));
        }
        pinned.extend(whole("id", 1, &[nodes])?);
        for range in whole("range", 2, &[nodes])?.chunks_exact(2) {
            pinned.extend(range[0]..=range[1]);
        }
        let number = |at: [usize; 3]| (at[0] * count[1] + at[1]) * count[2] + at[2];
        for at in whole("grid", 3, &count)?.chunks_exact(3) {
            pinned.push(number([at[0], at[1], at[2]]));
        }
        for range in whole("gridrange", 6, &count)?.chunks_exact(6) {
            for x in range[0]..=range[3] {
                for y in range[1]..=range[4] {
                    pinned.extend((range[2]..=range[5]).map(|z| number([x, y, z])));
                }
            }
        }
    }
    pinned.sort_unstable();
    pinned.dedup();
    Ok(pinned)
}
