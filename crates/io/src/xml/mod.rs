//! XML with the place of everything, and a memory of what was looked at.
//!
//! Readers ask an [`Element`] for the attributes and children they know; what nobody asked for is
//! what the simulator does not do, and [`unread`] lists it.

mod excess;
mod unread;
mod write;

use std::cell::Cell;
use std::rc::Rc;

use crate::error::{IoError, Result};
use crate::limits::{XML_DEPTH, XML_NODES};
use crate::lines::Lines;
use crate::scene_file::Place;

pub(crate) use unread::{Reasons, unread};
pub(crate) use write::{XmlWriter, number};

/// An element of a file.
#[derive(Debug)]
pub(crate) struct Element {
    /// Tag.
    pub(crate) tag: String,
    /// File it stands in.
    pub(crate) file: Rc<str>,
    /// Line, from 1.
    pub(crate) line: usize,
    /// Column in characters, from 1.
    pub(crate) column: usize,
    /// Text directly inside it.
    pub(crate) text: String,
    attributes: Vec<Attribute>,
    pub(crate) children: Vec<Element>,
    /// Whether it is written with the prefix of xacro.
    pub(crate) is_xacro: bool,
    read: Cell<bool>,
}

/// An attribute of an element.
#[derive(Debug)]
struct Attribute {
    name: String,
    value: String,
    line: usize,
    column: usize,
    read: Cell<bool>,
}

/// Parses a file into its root element.
pub(crate) fn parse(text: &str, file: &str) -> Result<Element> {
    let options = roxmltree::ParsingOptions {
        allow_dtd: false,
        nodes_limit: XML_NODES,
    };
    excess::refuse(text, file)?;
    let document = roxmltree::Document::parse_with_options(text, options).map_err(|error| {
        let at = error.pos();
        IoError::Xml {
            file: file.to_owned(),
            line: at.row as usize,
            column: at.col as usize,
            problem: error.to_string(),
        }
    })?;
    let lines = Lines::new(text);
    element(document.root_element(), &Rc::from(file), &lines, 0)
}

fn element(
    node: roxmltree::Node<'_, '_>,
    file: &Rc<str>,
    lines: &Lines<'_>,
    depth: usize,
) -> Result<Element> {
    let (line, column) = lines.position(node.range().start);
    let mut out = Element {
        tag: node.tag_name().name().to_owned(),
        file: file.clone(),
        line,
        column,
        text: node.text().unwrap_or("").trim().to_owned(),
        attributes: Vec::new(),
        children: Vec::new(),
        is_xacro: source(node).starts_with("<xacro:"),
        read: Cell::new(false),
    };
    if depth > XML_DEPTH {
        return Err(out.error(
            format!("is nested more than {XML_DEPTH} levels deep"),
            "flatten the file",
        ));
    }
    for attribute in node.attributes() {
        let (line, column) = lines.position(attribute.range().start);
        out.attributes.push(Attribute {
            name: attribute.name().to_owned(),
            value: attribute.value().to_owned(),
            line,
            column,
            read: Cell::new(false),
        });
    }
    for child in node.children().filter(roxmltree::Node::is_element) {
        out.children.push(element(child, file, lines, depth + 1)?);
    }
    Ok(out)
}

/// The text of an element, its tags included.
fn source<'a>(node: roxmltree::Node<'a, '_>) -> &'a str {
    let text = node.document().input_text();
    text.get(node.range()).unwrap_or("")
}

impl Element {
    /// Tag and, where it has one, name: `joint "elbow"`.
    pub(crate) fn title(&self) -> String {
        let name = self.attributes.iter().find(|a| a.name == "name");
        match name {
            Some(name) => format!("{} \"{}\"", self.tag, name.value),
            None => self.tag.clone(),
        }
    }

    /// The value of an attribute, which counts as read from now on.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let attribute = self.attributes.iter().find(|a| a.name == name)?;
        attribute.read.set(true);
        Some(&attribute.value)
    }

    /// Whether it has an attribute, without reading it.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.attributes.iter().any(|a| a.name == name)
    }

    /// Names of the attributes.
    pub(crate) fn attribute_names(&self) -> impl Iterator<Item = &str> {
        self.attributes.iter().map(|a| a.name.as_str())
    }

    /// Children with a tag, which count as read from now on.
    pub(crate) fn children_of<'a, 'b: 'a>(
        &'a self,
        tag: &'b str,
    ) -> impl Iterator<Item = &'a Element> + use<'a, 'b> {
        let children = self.children.iter().filter(move |child| child.tag == tag);
        children.inspect(|child| child.read.set(true))
    }

    /// The first child with a tag, which counts as read from now on.
    pub(crate) fn child(&self, tag: &str) -> Option<&Element> {
        let child = self.children.iter().find(|child| child.tag == tag)?;
        child.read.set(true);
        Some(child)
    }

    /// Counts as read from now on; its attributes and children don't.
    pub(crate) fn mark_read(&self) {
        self.read.set(true);
    }

    /// Counts as read with all its attributes and everything inside it.
    pub(crate) fn mark_all_read(&self) {
        self.read.set(true);
        self.attributes.iter().for_each(|a| a.read.set(true));
        self.children.iter().for_each(Element::mark_all_read);
    }

    /// Where it stands.
    pub(crate) fn place(&self) -> Place {
        Place {
            line: self.line,
            column: self.column,
            element: Some((self.file.to_string(), self.title())),
        }
    }

    /// An error about the element.
    pub(crate) fn error(&self, problem: impl Into<String>, advice: impl Into<String>) -> IoError {
        self.error_at(self.line, self.column, problem, advice)
    }

    /// An error about one of its attributes.
    pub(crate) fn attribute_error(
        &self,
        name: &str,
        problem: impl Into<String>,
        advice: impl Into<String>,
    ) -> IoError {
        let at = self.attributes.iter().find(|a| a.name == name);
        let (line, column) = at.map_or((self.line, self.column), |a| (a.line, a.column));
        let problem = format!("{name}: {}", problem.into());
        self.error_at(line, column, problem, advice)
    }

    fn error_at(
        &self,
        line: usize,
        column: usize,
        problem: impl Into<String>,
        advice: impl Into<String>,
    ) -> IoError {
        IoError::Element {
            file: self.file.to_string(),
            line,
            column,
            element: self.title(),
            problem: problem.into(),
            advice: advice.into(),
        }
    }
}
