//! What URDF elements may hold, checked before anything is made of them.

use super::reasons::reason;
use crate::error::Result;
use crate::scene_file::suggest;
use crate::xml::Element;

/// An element that is read.
struct Schema {
    tag: &'static str,
    attributes: &'static [(&'static str, Need, Value)],
    children: &'static [(Often, &'static Schema)],
}

#[derive(Clone, Copy, PartialEq)]
enum Need {
    Must,
    May,
}

#[derive(Clone, Copy)]
enum Value {
    Text,
    /// This many finite numbers.
    Numbers(usize),
}

#[derive(Clone, Copy, PartialEq)]
enum Often {
    Once,
    AtMostOnce,
    Any,
}

use Need::{May, Must};
use Often::{Any, AtMostOnce, Once};
use Value::{Numbers, Text};

const NONE: &[(Often, &Schema)] = &[];
const ORIGIN: Schema = Schema {
    tag: "origin",
    attributes: &[("xyz", May, Numbers(3)), ("rpy", May, Numbers(3))],
    children: NONE,
};
const INERTIAL: Schema = Schema {
    tag: "inertial",
    attributes: &[],
    children: &[(AtMostOnce, &ORIGIN), (Once, &MASS), (Once, &INERTIA)],
};
const MASS: Schema = Schema {
    tag: "mass",
    attributes: &[("value", Must, Numbers(1))],
    children: NONE,
};
const INERTIA: Schema = Schema {
    tag: "inertia",
    attributes: &[
        ("ixx", Must, Numbers(1)),
        ("ixy", Must, Numbers(1)),
        ("ixz", Must, Numbers(1)),
        ("iyy", Must, Numbers(1)),
        ("iyz", Must, Numbers(1)),
        ("izz", Must, Numbers(1)),
    ],
    children: NONE,
};
const COLOR: Schema = Schema {
    tag: "color",
    attributes: &[("rgba", Must, Numbers(4))],
    children: NONE,
};
const MATERIAL: Schema = Schema {
    tag: "material",
    attributes: &[("name", Must, Text)],
    children: &[(AtMostOnce, &COLOR)],
};
const VISUAL: Schema = Schema {
    tag: "visual",
    attributes: &[("name", May, Text)],
    children: &[
        (AtMostOnce, &ORIGIN),
        (Once, &GEOMETRY),
        (AtMostOnce, &MATERIAL),
    ],
};
const COLLISION: Schema = Schema {
    tag: "collision",
    attributes: &[("name", May, Text)],
    children: &[(AtMostOnce, &ORIGIN), (Once, &GEOMETRY)],
};
const GEOMETRY: Schema = Schema {
    tag: "geometry",
    attributes: &[],
    children: &[
        (AtMostOnce, &BOX),
        (AtMostOnce, &SPHERE),
        (AtMostOnce, &CYLINDER),
        (AtMostOnce, &CAPSULE),
        (AtMostOnce, &MESH),
    ],
};
const BOX: Schema = Schema {
    tag: "box",
    attributes: &[("size", Must, Numbers(3))],
    children: NONE,
};
const SPHERE: Schema = Schema {
    tag: "sphere",
    attributes: &[("radius", Must, Numbers(1))],
    children: NONE,
};
const CYLINDER: Schema = Schema {
    tag: "cylinder",
    attributes: &[("radius", Must, Numbers(1)), ("length", Must, Numbers(1))],
    children: NONE,
};
const CAPSULE: Schema = Schema {
    tag: "capsule",
    attributes: &[("radius", Must, Numbers(1)), ("length", Must, Numbers(1))],
    children: NONE,
};
const MESH: Schema = Schema {
    tag: "mesh",
    attributes: &[("filename", Must, Text), ("scale", May, Numbers(3))],
    children: NONE,
};
const LINK: Schema = Schema {
    tag: "link",
    attributes: &[("name", Must, Text)],
    children: &[(AtMostOnce, &INERTIAL), (Any, &VISUAL), (Any, &COLLISION)],
};
const PARENT: Schema = Schema {
    tag: "parent",
    attributes: &[("link", Must, Text)],
    children: NONE,
};
const CHILD: Schema = Schema {
    tag: "child",
    attributes: &[("link", Must, Text)],
    children: NONE,
};
const AXIS: Schema = Schema {
    tag: "axis",
    attributes: &[("xyz", Must, Numbers(3))],
    children: NONE,
};
const LIMIT: Schema = Schema {
    tag: "limit",
    attributes: &[
        ("lower", May, Numbers(1)),
        ("upper", May, Numbers(1)),
        ("effort", May, Numbers(1)),
        ("velocity", May, Numbers(1)),
    ],
    children: NONE,
};
const DYNAMICS: Schema = Schema {
    tag: "dynamics",
    attributes: &[("damping", May, Numbers(1)), ("friction", May, Numbers(1))],
    children: NONE,
};
const MIMIC: Schema = Schema {
    tag: "mimic",
    attributes: &[
        ("joint", Must, Text),
        ("multiplier", May, Numbers(1)),
        ("offset", May, Numbers(1)),
    ],
    children: NONE,
};
const JOINT: Schema = Schema {
    tag: "joint",
    attributes: &[("name", Must, Text), ("type", Must, Text)],
    children: &[
        (AtMostOnce, &ORIGIN),
        (Once, &PARENT),
        (Once, &CHILD),
        (AtMostOnce, &AXIS),
        (AtMostOnce, &LIMIT),
        (AtMostOnce, &DYNAMICS),
        (AtMostOnce, &MIMIC),
    ],
};
const ROBOT: Schema = Schema {
    tag: "robot",
    attributes: &[("name", May, Text)],
    children: &[(Any, &LINK), (Any, &JOINT), (Any, &MATERIAL)],
};

/// The words for joints.
const JOINT_TYPES: [&str; 7] = [
    "revolute",
    "continuous",
    "prismatic",
    "fixed",
    "floating",
    "planar",
    "spherical",
];

/// Checks a whole file: whatever must be there is, once, and numbers are numbers. What is checked counts
/// as read.
pub(super) fn check(root: &Element) -> Result<()> {
    root.mark_read();
    check_element(root, &ROBOT)
}

/// Major and minor version of the format; 1.0 unless given.
pub(super) fn version(root: &Element) -> Result<(u32, u32)> {
    let Some(text) = root.attribute("version") else {
        return Ok((1, 0));
    };
    let parts = text.trim().split_once('.');
    let version = parts.and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    match version {
        Some((1, minor)) => Ok((1, minor)),
        _ => Err(root.attribute_error(
            "version",
            format!("\"{text}\" is not known"),
            "versions 1.0, 1.1 and 1.2 are read",
        )),
    }
}

/// The number of an attribute, finite, or another where it is not there.
pub(super) fn number(element: &Element, name: &str, default: f64) -> Result<f64> {
    Ok(numbers(element, name)?.map_or(default, |[value]| value))
}

/// The numbers of an attribute, all finite, if it is there.
pub(super) fn numbers<const N: usize>(element: &Element, name: &str) -> Result<Option<[f64; N]>> {
    let Some(text) = element.attribute(name) else {
        return Ok(None);
    };
    let mut out = [0.0; N];
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() != N {
        let problem = format!("\"{text}\" has {} numbers", words.len());
        let advice = match N {
            1 => "give one number".to_owned(),
            _ => format!("give {N} numbers with spaces between them"),
        };
        return Err(element.attribute_error(name, problem, advice));
    }
    for (out, word) in out.iter_mut().zip(words) {
        let number: Option<f64> = word.parse().ok();
        *out = number.filter(|number| number.is_finite()).ok_or_else(|| {
            let problem = format!("\"{word}\" is not a finite number");
            element.attribute_error(name, problem, "write it like 0.5 or 1e-3")
        })?;
    }
    Ok(Some(out))
}

fn check_element(element: &Element, schema: &Schema) -> Result<()> {
    for &(name, need, value) in schema.attributes {
        match element.attribute(name) {
            Some(_) => check_numbers(element, name, value)?,
            None if need == Must => {
                let problem = format!("has no attribute {name}");
                let advice = match suggest::nearest(name, element.attribute_names()) {
                    Some(near) => format!("is \"{near}\" meant to be {name}?"),
                    None => format!("add {name}=\"…\""),
                };
                return Err(element.error(problem, advice));
            }
            None => {}
        }
    }
    refuse_typos(element, schema)?;
    match schema.tag {
        "geometry" => one_form(element)?,
        "joint" => joint_type(element)?,
        _ => {}
    }
    for &(often, child) in schema.children {
        if skipped(element, child) {
            element
                .children_of(child.tag)
                .for_each(Element::mark_all_read);
            continue;
        }
        let found: Vec<&Element> = element.children_of(child.tag).collect();
        if found.is_empty() && often == Once {
            let problem = format!("has no <{}>", child.tag);
            return Err(element.error(problem, format!("add <{} …/> inside it", child.tag)));
        }
        if found.len() > 1 && often != Any {
            let problem = format!("is the second <{}> of its {}", child.tag, element.tag);
            return Err(found[1].error(problem, "leave out one of the two"));
        }
        for element in found {
            check_element(element, child)?;
        }
    }
    Ok(())
}

/// Refuses what is almost a name that is known. Everything else that is not known is listed: robot files are
/// full of what other programs need.
fn refuse_typos(element: &Element, schema: &Schema) -> Result<()> {
    let attributes = schema.attributes.iter().map(|&(name, ..)| name);
    for name in element.attribute_names() {
        let is_known = attributes.clone().any(|known| known == name);
        if is_known || reason(&element.tag, Some(name)).is_some() {
            continue;
        }
        if let Some(near) = suggest::within_two(name, attributes.clone()) {
            let problem = format!("is no attribute of <{}>", element.tag);
            let advice = format!("did you mean \"{near}\"?");
            return Err(element.attribute_error(name, problem, advice));
        }
    }
    let children = schema.children.iter().map(|(_, child)| child.tag);
    for child in &element.children {
        let is_known = children.clone().any(|known| known == child.tag);
        if is_known || reason(&child.tag, None).is_some() {
            continue;
        }
        if let Some(near) = suggest::within_two(&child.tag, children.clone()) {
            let problem = format!("is no element of <{}>", element.tag);
            return Err(child.error(problem, format!("did you mean <{near}>?")));
        }
    }
    Ok(())
}

/// Whether a child says nothing: what does not move has no axis, limits and losses.
fn skipped(element: &Element, child: &Schema) -> bool {
    let says_motion = matches!(child.tag, "axis" | "limit" | "dynamics");
    let kind = element.attribute("type").unwrap_or("");
    element.tag == "joint"
        && (says_motion && kind == "fixed" || child.tag == "axis" && kind == "floating")
}

fn check_numbers(element: &Element, name: &str, value: Value) -> Result<()> {
    match value {
        Text => Ok(()),
        Numbers(1) => numbers::<1>(element, name).map(drop),
        Numbers(4) => numbers::<4>(element, name).map(drop),
        Numbers(_) => numbers::<3>(element, name).map(drop),
    }
}

/// Refuses a geometry without a form, or with several.
fn one_form(element: &Element) -> Result<()> {
    let words = GEOMETRY.children.iter().map(|(_, child)| child.tag);
    let known = |element: &&Element| words.clone().any(|word| word == element.tag);
    let mut forms = element.children.iter().filter(known);
    match (forms.next(), forms.next(), element.children.first()) {
        (Some(_), None, _) => Ok(()),
        (Some(_), Some(second), _) => Err(second.error(
            "is a second form",
            "give each shape a <geometry> of its own",
        )),
        (None, _, Some(other)) => {
            Err(other.error("is not a form", suggest::advice("forms", &other.tag, words)))
        }
        (None, _, None) => Err(element.error(
            "has no form",
            "put <box>, <sphere>, <cylinder>, <capsule> or <mesh> inside it",
        )),
    }
}

fn joint_type(element: &Element) -> Result<()> {
    let word = element.attribute("type").unwrap_or("");
    if JOINT_TYPES.contains(&word) {
        return Ok(());
    }
    let problem = format!("\"{word}\" is not a type of joint");
    let advice = suggest::advice("types", word, JOINT_TYPES);
    Err(element.attribute_error("type", problem, advice))
}
