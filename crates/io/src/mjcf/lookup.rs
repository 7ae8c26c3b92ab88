//! From the names in a file to what they became.

use std::collections::HashMap;

use nalgebra::Isometry3;
use stiction_dynamics::WORLD;

use super::body::{Site, Tree};
use super::geom::Geom;
use super::joint::Joint;
use super::layout::Role;
use super::scene::{Builder, Mount};
use super::value::Value;
use crate::error::Result;
use crate::scene_file::suggest;

/// Where things are in the tree, by name.
pub(super) struct Names {
    bodies: HashMap<String, usize>,
    /// Body and number among its joints.
    joints: HashMap<String, (usize, usize)>,
    /// Body and number among its geoms.
    geoms: HashMap<String, (usize, usize)>,
    sites: HashMap<String, usize>,
}

impl Names {
    pub(super) fn new(tree: &Tree<'_>) -> Self {
        let mut names = Self {
            bodies: HashMap::new(),
            joints: HashMap::new(),
            geoms: HashMap::new(),
            sites: HashMap::new(),
        };
        for (index, body) in tree.bodies.iter().enumerate() {
            names.bodies.insert(body.name.clone(), index);
            for (number, joint) in body.joints.iter().enumerate() {
                names.joints.insert(joint.name.clone(), (index, number));
            }
            for (number, geom) in body.geoms.iter().enumerate() {
                names.geoms.insert(geom.name.clone(), (index, number));
            }
        }
        let sites = tree.sites.iter().enumerate();
        for (index, site) in sites.filter(|(_, site)| !site.name.is_empty()) {
            names.sites.insert(site.name.clone(), index);
        }
        names
    }

    pub(super) fn has_body(&self, name: &str) -> bool {
        self.bodies.contains_key(name)
    }
}

fn find<T: Copy>(
    what: &str,
    list: &str,
    known: &HashMap<String, T>,
    value: Value<'_>,
) -> Result<T> {
    known.get(value.text).copied().ok_or_else(|| {
        let mut names: Vec<&str> = known.keys().map(String::as_str).collect();
        names.sort_unstable();
        value.error(
            format!("there is no {what} \"{}\"", value.text),
            suggest::advice(list, value.text, names),
        )
    })
}

impl<'a> Builder<'_, 'a> {
    pub(super) fn body(&self, value: Value<'_>) -> Result<usize> {
        find("body", "bodies", &self.names.bodies, value)
    }

    pub(super) fn joint(&self, value: Value<'_>) -> Result<&Joint<'a>> {
        let (body, number) = find("joint", "joints", &self.names.joints, value)?;
        Ok(&self.tree.bodies[body].joints[number])
    }

    /// A joint with one degree of freedom.
    pub(super) fn scalar_joint(&self, value: Value<'_>) -> Result<&Joint<'a>> {
        let joint = self.joint(value)?;
        match joint.kind.is_scalar() {
            true => Ok(joint),
            false => Err(value.error(
                format!("\"{}\" has several degrees of freedom", value.text),
                "name a hinge or a slide",
            )),
        }
    }

    /// Coordinate of a joint in the pose that the file describes.
    pub(super) fn reference_of(&self, joint: &str) -> f64 {
        let found = self.names.joints.get(joint);
        found.map_or(0.0, |&(body, number)| {
            self.tree.bodies[body].joints[number].reference
        })
    }

    /// A geom and the body it is on.
    pub(super) fn geom(&self, value: Value<'_>) -> Result<(usize, &Geom<'a>)> {
        let (body, number) = find("geom", "geoms", &self.names.geoms, value)?;
        Ok((body, &self.tree.bodies[body].geoms[number]))
    }

    pub(super) fn site(&self, value: Value<'_>) -> Result<&Site<'a>> {
        let index = find("site", "sites", &self.names.sites, value)?;
        Ok(&self.tree.sites[index])
    }

    /// A frame on a body of the file, on what that body became.
    pub(super) fn mount(&self, body: usize, pose: &Isometry3<f64>) -> Mount {
        let name = |index: usize| self.tree.bodies[index].name.clone();
        let poses = &self.layout.poses;
        let (body, offset) = match self.layout.roles[body] {
            Role::Fixed if body == 0 => {
                self.world_is_used.set(true);
                (WORLD.to_owned(), Isometry3::identity())
            }
            Role::Fixed | Role::Node => (name(body), Isometry3::identity()),
            Role::Link => (
                format!("{}/{}", self.robot, name(body)),
                Isometry3::identity(),
            ),
            Role::Driven(root) | Role::Free(root) if root == body => {
                (name(root), Isometry3::identity())
            }
            Role::Driven(root) | Role::Free(root) => {
                (name(root), poses[root].inverse() * poses[body])
            }
        };
        Mount {
            body,
            pose: offset * pose,
        }
    }

    /// Whether nothing moves a body, or a hand does.
    pub(super) fn is_held(&self, body: usize) -> bool {
        matches!(self.layout.roles[body], Role::Fixed | Role::Driven(_))
    }
}
