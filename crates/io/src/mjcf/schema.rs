//! What MJCF may say: elements, their attributes, and what stands in what.
//!
//! `schema.txt` is MuJoCo 4.0.0's own schema, one element a line, indented below the one it stands in:
//! `tag: attributes`, with `?` behind the tag of one that may be there once only.

use std::sync::OnceLock;

use crate::error::Result;
use crate::scene_file::suggest;
use crate::xml::Element;

/// An element of the schema.
struct Kind {
    tag: &'static str,
    is_once: bool,
    attributes: Vec<&'static str>,
    /// Kinds of what may stand in it.
    children: Vec<usize>,
}

struct Schema {
    kinds: Vec<Kind>,
}

/// What only stands in bodies, and may hold what bodies hold; MuJoCo takes it away before it looks at its
/// schema.
const AROUND: [(&str, &[&str]); 2] = [
    (
        "frame",
        &[
            "name",
            "childclass",
            "pos",
            "quat",
            "axisangle",
            "xyaxes",
            "zaxis",
            "euler",
        ],
    ),
    (
        "replicate",
        &["childclass", "count", "offset", "euler", "sep"],
    ),
];

/// What earlier versions of MuJoCo knew, with what it stood in; an empty attribute is the whole element.
/// It is read or listed as not done.
const EARLIER: &[(&str, &str)] = &[
    ("composite", ""),
    ("distance", ""),
    ("flexvert", ""),
    ("camera", "orthographic"),
    ("compiler", "convexhull"),
    ("compiler", "exactmeshinertia"),
    ("contact", "internal"),
    ("contact", "vertcollide"),
    ("flag", "fluid"),
    ("flag", "passive"),
    ("flag", "sensornoise"),
    ("flexcomp", "class"),
    ("option", "apirate"),
    ("option", "collision"),
    ("option", "mpr_iterations"),
    ("option", "mpr_tolerance"),
    ("size", "nemax"),
];

/// Refuses elements and attributes that MuJoCo does not know where they stand.
pub(super) fn check(root: &Element) -> Result<()> {
    let schema = schema();
    check_element(schema, 0, root)
}

fn schema() -> &'static Schema {
    static SCHEMA: OnceLock<Schema> = OnceLock::new();
    SCHEMA.get_or_init(|| Schema::read(include_str!("schema.txt")))
}

impl Schema {
    fn read(text: &'static str) -> Self {
        let mut kinds: Vec<Kind> = Vec::new();
        // The kind at each level around the line that is read.
        let mut around: Vec<usize> = Vec::new();
        for line in text.lines() {
            let (head, attributes) = line.split_once(':').unwrap_or((line, ""));
            let tag = head.trim_start();
            around.truncate(head.len() - tag.len());
            let index = kinds.len();
            if let Some(&parent) = around.last() {
                kinds[parent].children.push(index);
            }
            around.push(index);
            kinds.push(Kind {
                tag: tag.trim_end_matches('?'),
                is_once: tag.ends_with('?'),
                attributes: attributes.split_whitespace().collect(),
                children: Vec::new(),
            });
        }
        // Bodies and default classes stand in themselves, and the world holds what a body does.
        let find = |kinds: &[Kind], tag| kinds.iter().position(|kind| kind.tag == tag).unwrap_or(0);
        let (body, default) = (find(&kinds, "body"), find(&kinds, "default"));
        kinds[default].children.push(default);
        kinds[body].children.push(body);
        for (tag, attributes) in AROUND {
            let index = kinds.len();
            kinds[body].children.push(index);
            kinds.push(Kind {
                tag,
                is_once: false,
                attributes: attributes.to_vec(),
                children: Vec::new(),
            });
        }
        let inside = kinds[body].children.clone();
        let count = AROUND.len();
        for kind in kinds.iter_mut().rev().take(count) {
            kind.children.clone_from(&inside);
        }
        let world = kinds.len();
        kinds.push(Kind {
            tag: "worldbody",
            is_once: false,
            attributes: kinds[body].attributes.clone(),
            children: inside,
        });
        kinds[0].children.retain(|&child| child != body);
        kinds[0].children.push(world);
        Self { kinds }
    }

    fn child(&self, kind: usize, tag: &str) -> Option<usize> {
        let children = self.kinds[kind].children.iter();
        children
            .copied()
            .find(|&child| self.kinds[child].tag == tag)
    }
}

fn is_earlier(tag: &str, attribute: &str) -> bool {
    EARLIER.contains(&(tag, attribute))
}

fn check_element(schema: &Schema, kind: usize, element: &Element) -> Result<()> {
    let known = &schema.kinds[kind].attributes;
    for name in element.attribute_names() {
        if known.contains(&name) || is_earlier(&element.tag, name) {
            continue;
        }
        let problem = format!("is no attribute of <{}>", element.tag);
        let advice = suggest::advice("attributes", name, known.iter().copied());
        return Err(element.attribute_error(name, problem, advice));
    }
    // As many bits as there are kinds in an element.
    let mut seen = 0_u128;
    for child in &element.children {
        let Some(found) = schema.child(kind, &child.tag) else {
            if is_earlier(&child.tag, "") {
                continue;
            }
            let problem = format!("is no element of <{}>", element.tag);
            let children = schema.kinds[kind].children.iter();
            let tags: Vec<&str> = children.map(|&child| schema.kinds[child].tag).collect();
            return Err(child.error(problem, suggest::advice("elements", &child.tag, tags)));
        };
        if schema.kinds[found].is_once {
            let position = schema.kinds[kind].children.iter();
            let position = position.take_while(|&&child| child != found).count();
            let bit = 1_u128.checked_shl(position as u32).unwrap_or(0);
            if seen & bit != 0 {
                return Err(child.error("is there twice", "keep one of the two"));
            }
            seen |= bit;
        }
        check_element(schema, found, child)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &[&str]) -> Option<usize> {
        let schema = schema();
        path.iter().try_fold(0, |kind, tag| schema.child(kind, tag))
    }

    #[test]
    fn bodies_frames_and_classes_stand_in_each_other() {
        assert!(at(&["worldbody", "body", "frame", "body", "replicate", "geom"]).is_some());
        assert!(at(&["default", "default", "default", "geom"]).is_some());
        assert!(at(&["body"]).is_none() && at(&["worldbody", "worldbody"]).is_none());
        let geom = &schema().kinds[at(&["worldbody", "geom"]).unwrap()];
        assert!(geom.attributes.contains(&"priority") && !geom.is_once);
        assert!(schema().kinds[at(&["default", "geom"]).unwrap()].is_once);
        assert!(schema().kinds.iter().all(|kind| kind.children.len() < 128));
    }
}
