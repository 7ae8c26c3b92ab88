//! `<geom>`: form, place, mass and surface.

use nalgebra::{Isometry3, Point3, Translation3, Vector3};

use super::Context;
use super::asset::{Mesh, color};
use super::defaults::Attributes;
use super::fit;
use super::pose;
use super::value::Value;
use crate::error::Result;
use crate::scene_file::{MeshSource, ShapeKind};
use crate::xml::Element;

/// MuJoCo's density where a file says none, kg/m³.
const DENSITY: f64 = 1000.0;
/// MuJoCo's sliding friction where a file says none.
const FRICTION: f64 = 1.0;

const TYPES: &[&str] = &[
    "plane",
    "hfield",
    "sphere",
    "capsule",
    "ellipsoid",
    "cylinder",
    "box",
    "mesh",
    "sdf",
];

/// A geom of a body.
#[derive(Debug)]
pub(super) struct Geom<'a> {
    pub(super) element: &'a Element,
    /// Empty until all names are known.
    pub(super) name: String,
    pub(super) form: Form,
    /// In the frame of the body.
    pub(super) pose: Isometry3<f64>,
    pub(super) mass: GeomMass,
    pub(super) group: i64,
    /// Bits of `contype` and `conaffinity`.
    pub(super) contype: u32,
    pub(super) conaffinity: u32,
    pub(super) surface: Surface,
    pub(super) color: Option<[f32; 4]>,
}

/// What a geom looks like.
#[derive(Debug)]
pub(super) enum Form {
    Primitive(ShapeKind),
    /// A mesh, by the name of its asset.
    Mesh {
        asset: String,
        source: MeshSource,
    },
    /// Something that cannot be had; it was reported.
    Missing,
}

/// Where the mass of a geom comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum GeomMass {
    /// kg.
    Mass(f64),
    /// kg/m³.
    Density(f64),
}

/// `frame` is the frame around the geom in the frame of the body.
pub(super) fn read<'a>(
    context: &Context<'a>,
    attributes: &Attributes<'a>,
    frame: &Isometry3<f64>,
) -> Result<Geom<'a>> {
    let notes = &attributes.notes;
    let kind = match attributes.get("type") {
        Some(value) => value.word(TYPES)?,
        None => "sphere",
    };
    let mesh = match attributes.get("mesh") {
        Some(value) => Some((value, context.assets.mesh(value)?)),
        None => None,
    };
    let (form, own) = match (kind, mesh) {
        ("mesh", Some((value, mesh))) => (mesh_form(value, mesh), None),
        ("mesh", None) => {
            let problem = "is a mesh but names none";
            return Err(attributes
                .element
                .error(problem, "name it: mesh=\"…\", an asset"));
        }
        ("hfield", _) => {
            let value = attributes.need("hfield")?;
            let field = context
                .assets
                .height_field(value, &context.compiler, &context.defaults)?;
            (field.map_or(Form::Missing, Form::Primitive), None)
        }
        ("sdf", _) => {
            let reason = "signed distances of plugins are not had";
            notes.ignore(attributes.element, "<geom type=\"sdf\">", reason);
            (Form::Missing, None)
        }
        ("plane", _) => (Form::Primitive(ShapeKind::HalfSpace), None),
        (kind, Some((_, mesh))) => match context.assets.data(mesh)? {
            Some(data) => {
                let scale = attributes.number_or("fitscale", 1.0)?;
                let (shape, place) = fit::primitive(kind, data, mesh.rule, &context.compiler)
                    .ok_or_else(|| {
                        let problem = format!("no {kind} can be fitted to its mesh");
                        attributes
                            .element
                            .error(problem, "give a mesh that encloses a volume")
                    })?;
                (Form::Primitive(fit::scaled(shape, scale)), Some(place))
            }
            None => (Form::Missing, None),
        },
        (kind, None) => {
            let (shape, place) = primitive(kind, attributes)?;
            (Form::Primitive(shape), place)
        }
    };
    // Attributes that other types have.
    attributes.pass_over(&["size", "fromto", "fitscale", "hfield", "user", "castshadow"]);
    let place = pose::pose(attributes, &context.compiler)?;
    let pose = match own {
        // Two points say where it is, whatever else is said; a mesh says where in its own frame.
        Some(Place::Instead(own)) => own,
        Some(Place::Within(own)) => place * own,
        None => place,
    };
    let bits = |name| -> Result<u32> {
        let range = i64::from(i32::MIN)..=i64::from(u32::MAX);
        let value: Option<Value<'_>> = attributes.get(name);
        Ok(value.map_or(Ok(1), |value| value.whole(range))? as u32)
    };
    let (contype, conaffinity) = (bits("contype")?, bits("conaffinity")?);
    Ok(Geom {
        element: attributes.element,
        name: String::new(),
        form,
        pose: frame * pose,
        mass: mass(attributes)?,
        group: attributes
            .get("group")
            .map_or(Ok(0), |value| value.whole(-1000..=1000))?,
        contype,
        conaffinity,
        surface: surface(attributes, contype != 0 || conaffinity != 0)?,
        color: match (attributes.get("rgba"), attributes.get("material")) {
            (Some(value), _) => Some(color(value)?),
            (None, Some(material)) => context.assets.color(material.text),
            (None, None) => None,
        },
    })
}

/// Where a shape says itself where it is.
pub(super) enum Place {
    /// In the frame around the geom.
    Instead(Isometry3<f64>),
    /// In the frame of the geom.
    Within(Isometry3<f64>),
}

fn mesh_form(value: Value<'_>, mesh: &Mesh<'_>) -> Form {
    match &mesh.source {
        Some(source) => Form::Mesh {
            asset: value.text.to_owned(),
            source: source.clone(),
        },
        None => Form::Missing,
    }
}

/// Shapes that their size says; `fromto` gives the length and the place of long ones.
fn primitive(kind: &str, attributes: &Attributes<'_>) -> Result<(ShapeKind, Option<Place>)> {
    let ends = match attributes.get("fromto") {
        Some(value) if kind != "sphere" => Some((value, value.numbers::<6>()?)),
        _ => None,
    };
    let needed = match (kind, &ends) {
        ("sphere", _) | (_, Some(_)) => 1,
        ("capsule" | "cylinder", None) => 2,
        _ => 3,
    };
    let size = attributes.need("size")?;
    let mut sizes = size.list(1..=3)?;
    if sizes.len() < needed {
        return Err(size.error(
            format!("has {} numbers", sizes.len()),
            format!("a {kind} needs {needed}, half its lengths"),
        ));
    }
    sizes.truncate(needed);
    let mut place = None;
    if let Some((value, [a, b, c, d, e, f])) = ends {
        let (from, to) = (Vector3::new(a, b, c), Vector3::new(d, e, f));
        let along = pose::direction(value, from - to)?;
        let half = (from - to).norm() / 2.0;
        match kind {
            "box" | "ellipsoid" => sizes = vec![sizes[0], sizes[0], half],
            _ => sizes = vec![sizes[0], half],
        }
        place = Some(Place::Instead(Isometry3::from_parts(
            Translation3::from(Point3::from((from + to) / 2.0)),
            pose::turn_z_to(along),
        )));
    }
    if let Some(bad) = sizes.iter().find(|&&length| !(length > 0.0)) {
        return Err(size.error(format!("{bad} is not positive"), "give lengths above zero"));
    }
    let shape = match kind {
        "sphere" => ShapeKind::Sphere { radius: sizes[0] },
        "capsule" => ShapeKind::Capsule {
            radius: sizes[0],
            length: 2.0 * sizes[1],
        },
        "cylinder" => ShapeKind::Cylinder {
            radius: sizes[0],
            length: 2.0 * sizes[1],
        },
        "ellipsoid" => ShapeKind::Ellipsoid {
            radii: Vector3::new(sizes[0], sizes[1], sizes[2]),
        },
        _ => ShapeKind::Box {
            size: Vector3::new(sizes[0], sizes[1], sizes[2]) * 2.0,
        },
    };
    Ok((shape, place))
}

fn mass(attributes: &Attributes<'_>) -> Result<GeomMass> {
    if attributes.flag_or("shellinertia", false)? {
        attributes
            .notes
            .ignore_attribute(attributes.element, "shellinertia");
    }
    let density = attributes
        .get("density")
        .map_or(Ok(DENSITY), |value| value.non_negative())?;
    Ok(match attributes.get("mass") {
        Some(value) => GeomMass::Mass(value.non_negative()?),
        None => GeomMass::Density(density),
    })
}

/// How a geom or flex touches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Surface {
    /// Sliding friction.
    pub(super) friction: f64,
    /// The geom of higher priority decides friction and `condim`.
    pub(super) priority: i32,
    /// Whether `condim` is 1.
    pub(super) frictionless: bool,
}

impl Default for Surface {
    fn default() -> Self {
        Self {
            friction: FRICTION,
            priority: 0,
            frictionless: false,
        }
    }
}

/// How a geom or flex touches, and a word about what else it asks of contacts.
pub(super) fn surface(attributes: &Attributes<'_>, touches: bool) -> Result<Surface> {
    let mut surface = Surface::default();
    if let Some(value) = attributes.get("friction") {
        let [sliding, ..] = value.up_to([FRICTION, 0.005, 0.0001])?;
        if sliding < 0.0 {
            return Err(value.error(format!("{sliding} is negative"), "give zero or more"));
        }
        surface.friction = sliding;
    }
    if let Some(value) = attributes.get("priority") {
        surface.priority = value.whole(i64::from(i32::MIN)..=i64::from(i32::MAX))? as i32;
    }
    surface.frictionless = condim(attributes, touches)? == 1;
    let hard = ["solref", "solimp", "solmix", "adhesion", "surfacevel"];
    if !touches {
        attributes.pass_over(&hard);
        attributes.pass_over(&["margin", "gap"]);
        return Ok(surface);
    }
    for name in ["margin", "gap", "adhesion"] {
        attributes.report_unless(name, &[0.0])?;
    }
    for name in hard {
        if let Some(value) = attributes.get(name) {
            attributes.notes.ignore_attribute(value.element, name);
        }
    }
    Ok(surface)
}

/// Dimensions of contact: 1 without friction, 3 with sliding, 4 with spinning and 6 with rolling friction;
/// of what is not done a word, where it touches.
pub(super) fn condim(attributes: &Attributes<'_>, touches: bool) -> Result<i64> {
    let Some(value) = attributes.get("condim") else {
        return Ok(3);
    };
    let condim = value.whole(1..=6)?;
    let reason = match condim {
        1 | 3 => return Ok(condim),
        4 => {
            "nothing brakes spinning about the normal of a contact: what spins on a point spins on, and a \
             grasp by two points turns about the line between them"
        }
        6 => {
            "nothing brakes spinning and rolling: a ball or wheel that rolls on a level floor never stops, \
             and a grasp by two points turns about the line between them"
        }
        _ => {
            let problem = format!("{condim} is no dimension of contact");
            return Err(value.error(problem, "give 1, 3, 4 or 6"));
        }
    };
    if touches {
        let what = format!("<{} condim=\"{condim}\">", value.element.tag);
        attributes.notes.ignore(value.element, what, reason);
    }
    Ok(condim)
}
