//! What MJCF may say: elements, their attributes, and what stands in what.
//!
//! `schema.txt` is MuJoCo 4.0.0's own schema, one element a line, indented below the one it stands in:
//! `tag: attributes`, with `?` behind the tag of one that may be there once only. `schema_earlier.txt` adds what
//! versions from 2.3 to 3.17 knew beside; it is read or listed as not done.

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

/// Refuses elements and attributes that MuJoCo does not know where they stand.
pub(super) fn check(root: &Element) -> Result<()> {
    let schema = schema();
    check_element(schema, 0, root)
}

/// All elements below the root, each with what it stands in and its attributes.
pub(super) fn known() -> impl Iterator<Item = (&'static str, &'static str, &'static [&'static str])>
{
    let kinds = &schema().kinds;
    kinds.iter().flat_map(move |around| {
        let inside = around.children.iter().map(move |&child| &kinds[child]);
        inside.map(move |kind| (around.tag, kind.tag, kind.attributes.as_slice()))
    })
}

fn schema() -> &'static Schema {
    static SCHEMA: OnceLock<Schema> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        Schema::read([
            include_str!("schema.txt"),
            include_str!("schema_earlier.txt"),
        ])
    })
}

impl Schema {
    fn read(texts: [&'static str; 2]) -> Self {
        let mut kinds: Vec<Kind> = Vec::new();
        for text in texts {
            add_lines(&mut kinds, text);
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
            attributes: Vec::new(),
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

/// Adds elements and attributes to what is known of each place already.
fn add_lines(kinds: &mut Vec<Kind>, text: &'static str) {
    // The kind at each level around the line that is read.
    let mut around: Vec<usize> = Vec::new();
    for line in text.lines() {
        let (head, attributes) = line.split_once(':').unwrap_or((line, ""));
        let name = head.trim_start();
        let tag = name.trim_end_matches('?');
        around.truncate(head.len() - name.len());
        let there = match around.last() {
            Some(&parent) => {
                let mut children = kinds[parent].children.iter();
                children.find(|&&child| kinds[child].tag == tag).copied()
            }
            None => (!kinds.is_empty()).then_some(0),
        };
        let index = there.unwrap_or_else(|| {
            let index = kinds.len();
            if let Some(&parent) = around.last() {
                kinds[parent].children.push(index);
            }
            kinds.push(Kind {
                tag,
                is_once: name.ends_with('?'),
                attributes: Vec::new(),
                children: Vec::new(),
            });
            index
        });
        around.push(index);
        kinds[index]
            .attributes
            .extend(attributes.split_whitespace());
    }
}

fn check_element(schema: &Schema, kind: usize, element: &Element) -> Result<()> {
    let known = &schema.kinds[kind].attributes;
    for name in element.attribute_names() {
        if known.contains(&name) {
            continue;
        }
        let problem = format!("is no attribute of <{}>", element.tag);
        let advice = match known.is_empty() {
            true => "it has none".to_owned(),
            false => suggest::advice("attributes", name, known.iter().copied()),
        };
        return Err(element.attribute_error(name, problem, advice));
    }
    // As many bits as there are kinds in an element.
    let mut seen = 0_u128;
    for child in &element.children {
        let Some(found) = schema.child(kind, &child.tag) else {
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

    #[test]
    fn what_earlier_versions_knew_stands_where_it_stood() {
        let kind = |path: &[&str]| &schema().kinds[at(path).unwrap()];
        let composite = ["worldbody", "body", "composite"];
        assert!(kind(&composite).attributes.contains(&"count"));
        assert!(at(&[&composite[..], &["plugin", "config"]].concat()).is_some());
        assert!(
            kind(&["worldbody", "camera"])
                .attributes
                .contains(&"orthographic")
        );
        assert!(kind(&["option", "flag"]).attributes.contains(&"passive"));
        // Once each: nothing was added that was there.
        let option = &kind(&["option"]).attributes;
        assert!(
            option
                .iter()
                .all(|name| option.iter().filter(|other| *other == name).count() == 1)
        );
        assert!(kind(&["worldbody"]).attributes.is_empty());
    }
}
