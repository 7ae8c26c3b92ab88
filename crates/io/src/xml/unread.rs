//! What nobody read of a file.

use std::collections::BTreeMap;

use super::Element;
use crate::scene_file::Ignored;

/// Why something of a format is not done, by tag and attribute (`None` for the whole element).
pub(crate) type Reasons = fn(tag: &str, attribute: Option<&str>) -> Option<&'static str>;

/// What to say where nothing better is known.
const UNKNOWN: &str = "is not known here";

/// Everything under an element that was not read, each kind once, in the order of the file.
pub(crate) fn unread(root: &Element, reasons: Reasons) -> Vec<Ignored> {
    let mut found = BTreeMap::new();
    let mut list = Vec::new();
    visit(root, reasons, &mut found, &mut list);
    list
}

fn visit(
    element: &Element,
    reasons: Reasons,
    found: &mut BTreeMap<String, usize>,
    list: &mut Vec<Ignored>,
) {
    let mut add = |what: String, line: usize, reason: Option<&'static str>| {
        let index = *found.entry(what.clone()).or_insert_with(|| {
            list.push(Ignored {
                what,
                reason: reason.unwrap_or(UNKNOWN).to_owned(),
                count: 0,
                first: (element.file.to_string(), line),
            });
            list.len() - 1
        });
        list[index].count += 1;
    };
    if !element.read.get() {
        let reason = reasons(&element.tag, None);
        add(format!("<{}>", element.tag), element.line, reason);
        return;
    }
    for attribute in element.attributes.iter().filter(|a| !a.read.get()) {
        let what = format!("<{} {}>", element.tag, attribute.name);
        let reason = reasons(&element.tag, Some(&attribute.name));
        add(what, attribute.line, reason);
    }
    for child in &element.children {
        visit(child, reasons, found, list);
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn what_nobody_asked_for_is_listed_once_with_its_first_line() {
        let text = "<robot name=\"r\">\n<link name=\"a\" color=\"x\"/>\n<link name=\"b\" color=\"y\"/>\n<lamp/>\n</robot>";
        let root = parse(text, "r.urdf").unwrap();
        root.mark_read();
        assert_eq!(root.attribute("name"), Some("r"));
        for link in root.children_of("link") {
            link.attribute("name");
        }
        let list = unread(&root, |tag, _| (tag == "lamp").then_some("is only light"));
        let lines: Vec<String> = list.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "r.urdf:2: <link color> (2 times): is not known here",
                "r.urdf:4: <lamp>: is only light"
            ]
        );
    }

    #[test]
    fn broken_xml_has_a_line() {
        let error = parse("<robot>\n  <link>\n</robot>", "r.urdf").unwrap_err();
        assert_eq!(error.position().map(|at| at.0), Some(3));
        let deep = "<a>".repeat(300) + &"</a>".repeat(300);
        assert!(parse(&deep, "r").is_err());
    }
}
