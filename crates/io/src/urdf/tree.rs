//! Which link carries which.

use std::collections::HashMap;

use crate::error::Result;
use crate::scene_file::suggest;
use crate::xml::Element;

/// The links and joints of a file, which make a tree.
pub(super) struct Tree<'a> {
    pub(super) links: Vec<&'a Element>,
    pub(super) joints: Vec<&'a Element>,
    /// Index of the link that carries all others.
    pub(super) root: usize,
    link_index: HashMap<&'a str, usize>,
    joint_index: HashMap<&'a str, usize>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(robot: &'a Element) -> Result<Self> {
        let links: Vec<&Element> = robot.children_of("link").collect();
        let joints: Vec<&Element> = robot.children_of("joint").collect();
        if links.is_empty() {
            return Err(robot.error("has no link", "add <link name=\"…\"> elements"));
        }
        let link_index = index(&links)?;
        let joint_index = index(&joints)?;
        let mut tree = Self {
            links,
            joints,
            root: 0,
            link_index,
            joint_index,
        };
        let carried_by = tree.carried_by()?;
        tree.root = tree.find_root(&carried_by)?;
        tree.refuse_cycles(&carried_by)?;
        Ok(tree)
    }

    pub(super) fn is_link(&self, name: &str) -> bool {
        self.link_index.contains_key(name)
    }

    pub(super) fn is_joint(&self, name: &str) -> bool {
        self.joint_index.contains_key(name)
    }

    /// Index of a joint.
    pub(super) fn joint(&self, name: &str) -> Option<usize> {
        self.joint_index.get(name).copied()
    }

    /// Names of the joints.
    pub(super) fn joint_names(&self) -> impl Iterator<Item = &'a str> + Clone {
        self.joints.iter().map(|joint| name(joint))
    }

    /// A name, with a number if it is taken.
    pub(super) fn free_name(&self, name: &str, taken: impl Fn(&str) -> bool) -> String {
        std::iter::once(name.to_owned())
            .chain((2..).map(|number| format!("{name}-{number}")))
            .find(|name| !taken(name))
            .unwrap_or_default()
    }

    /// For each link the joint that moves it and the link that this joint is mounted on.
    fn carried_by(&self) -> Result<Vec<Option<(usize, usize)>>> {
        let mut carried_by: Vec<Option<(usize, usize)>> = vec![None; self.links.len()];
        for (number, joint) in self.joints.iter().enumerate() {
            let [parent, child] = [self.end(joint, "parent")?, self.end(joint, "child")?];
            if parent == child {
                let problem = "joins a link to itself";
                return Err(joint.error(problem, "name two different links"));
            }
            if let Some((first, _)) = carried_by[child].replace((number, parent)) {
                let first = self.joints[first];
                return Err(joint.error(
                    format!(
                        "link \"{}\" is the child of joint \"{}\" (line {}) already",
                        name(self.links[child]),
                        name(first),
                        first.line
                    ),
                    "a link has one parent: leave out one of the joints",
                ));
            }
        }
        Ok(carried_by)
    }

    /// The link at an end of a joint.
    fn end(&self, joint: &Element, end: &'static str) -> Result<usize> {
        let child = joint.child(end);
        let link = child
            .and_then(|child| child.attribute("link"))
            .unwrap_or("");
        self.link_index.get(link).copied().ok_or_else(|| {
            let names = self.links.iter().map(|link| name(link));
            let advice = suggest::advice("links", link, names);
            let problem = format!("{end}: there is no link \"{link}\"");
            match child {
                Some(child) => PartOfJoint(child, joint).error(problem, advice),
                None => joint.error(problem, advice),
            }
        })
    }

    fn find_root(&self, carried_by: &[Option<(usize, usize)>]) -> Result<usize> {
        let mut roots = (0..self.links.len()).filter(|&link| carried_by[link].is_none());
        match (roots.next(), roots.next()) {
            (Some(root), None) => Ok(root),
            (Some(first), Some(second)) => Err(self.links[second].error(
                format!(
                    "no joint moves it, and none moves link \"{}\" (line {}) either",
                    name(self.links[first]),
                    self.links[first].line
                ),
                "a robot has one root: join the two, or leave one out",
            )),
            (None, _) => Err(self.cycle(0, carried_by)),
        }
    }

    fn refuse_cycles(&self, carried_by: &[Option<(usize, usize)>]) -> Result<()> {
        // Each link is walked over once: those before are known to lead to the root.
        let mut reaches_root = vec![false; self.links.len()];
        reaches_root[self.root] = true;
        for start in 0..self.links.len() {
            let mut path = Vec::new();
            let mut at = start;
            while !reaches_root[at] {
                path.push(at);
                match carried_by[at] {
                    Some((_, parent)) if path.len() <= self.links.len() => at = parent,
                    _ => return Err(self.cycle(start, carried_by)),
                }
            }
            path.into_iter().for_each(|link| reaches_root[link] = true);
        }
        Ok(())
    }

    /// The error about a cycle that is reached from a link.
    fn cycle(&self, start: usize, carried_by: &[Option<(usize, usize)>]) -> crate::IoError {
        let mut at = start;
        // After as many steps as there are links, one is inside the cycle.
        for _ in 0..self.links.len() {
            at = carried_by[at].map_or(at, |(_, parent)| parent);
        }
        let mut joints = Vec::new();
        let first = at;
        while let Some((joint, parent)) = carried_by[at] {
            joints.push(self.joints[joint]);
            at = parent;
            if at == first {
                break;
            }
        }
        joints.sort_by_key(|joint| joint.line);
        let names: Vec<String> = joints.iter().map(|j| format!("\"{}\"", name(j))).collect();
        let place = joints.first().copied().unwrap_or(self.links[start]);
        place.error(
            format!("the joints {} form a cycle", names.join(", ")),
            "URDF robots are trees: leave out a joint, and close the loop in a scene file",
        )
    }
}

/// A part of a joint, named after the joint.
struct PartOfJoint<'a>(&'a Element, &'a Element);

impl PartOfJoint<'_> {
    fn error(&self, problem: String, advice: String) -> crate::IoError {
        crate::IoError::Element {
            file: self.0.file.to_string(),
            line: self.0.line,
            column: self.0.column,
            element: self.1.title(),
            problem,
            advice,
        }
    }
}

/// The name of an element.
pub(super) fn name(element: &Element) -> &str {
    element.attribute("name").unwrap_or("")
}

fn index<'a>(elements: &[&'a Element]) -> Result<HashMap<&'a str, usize>> {
    let mut found = HashMap::new();
    for (index, element) in elements.iter().enumerate() {
        let name = name(element);
        if name.trim().is_empty() {
            return Err(element.attribute_error("name", "is empty", "give a name"));
        }
        if let Some(first) = found.insert(name, index) {
            let problem = format!(
                "there is a {} with this name on line {} already",
                element.tag, elements[first].line
            );
            return Err(element.error(problem, "give another name"));
        }
    }
    Ok(found)
}
