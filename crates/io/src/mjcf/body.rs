//! `<worldbody>`: bodies with their joints, geoms and sites, as MuJoCo numbers them.

use std::collections::HashMap;

use nalgebra::{Isometry3, Translation3, Vector3};

use super::Context;
use super::asset::exists;
use super::defaults::{Attributes, ClassId};
use super::flex::Deformable;
use super::geom::{self, Geom};
use super::joint::{self, Joint};
use super::pose;
use super::value::Value;
use crate::error::Result;
use crate::limits::MJCF_ELEMENTS;
use crate::xml::Element;

/// A body; the first of a model is the world.
#[derive(Debug)]
pub(super) struct Body<'a> {
    pub(super) element: &'a Element,
    pub(super) name: String,
    /// Index of the body it hangs on; 0 for the world itself.
    pub(super) parent: usize,
    /// In the frame of the parent, as the file describes it.
    pub(super) pose: Isometry3<f64>,
    pub(super) joints: Vec<Joint<'a>>,
    pub(super) geoms: Vec<Geom<'a>>,
    /// `<inertial>`, and the frame it stands in.
    pub(super) inertial: Option<(&'a Element, Isometry3<f64>)>,
    pub(super) is_mocap: bool,
    pub(super) gravity_compensation: f64,
    /// Whether it is a node of a `<flex>`: three slides and a mass.
    pub(super) is_node: bool,
}

/// A named frame on a body.
#[derive(Debug)]
pub(super) struct Site<'a> {
    pub(super) element: &'a Element,
    pub(super) name: String,
    pub(super) body: usize,
    /// In the frame of the body.
    pub(super) pose: Isometry3<f64>,
}

/// Bodies, sites and what deforms of a file.
#[derive(Debug, Default)]
pub(super) struct Tree<'a> {
    pub(super) bodies: Vec<Body<'a>>,
    pub(super) sites: Vec<Site<'a>>,
    pub(super) deformables: Vec<Deformable<'a>>,
}

/// Reads all of them.
pub(super) fn read<'a>(context: &Context<'a>) -> Result<Tree<'a>> {
    let mut walker = Walker {
        context,
        tree: Tree::default(),
        taken: HashMap::new(),
        count: 0,
    };
    walker.tree.bodies.push(Body {
        element: context.root,
        name: "world".to_owned(),
        parent: 0,
        pose: Isometry3::identity(),
        joints: Vec::new(),
        geoms: Vec::new(),
        inertial: None,
        is_mocap: false,
        gravity_compensation: 0.0,
        is_node: false,
    });
    walker.taken.insert(("body", "world".to_owned()), ());
    for world in context.root.children_of("worldbody") {
        // Where the world stands and what it is called is not for a file to say.
        for name in ["name", "pos", "quat", "childclass"] {
            world.attribute(name);
        }
        walker.tree.bodies[0].element = world;
        let around = Around {
            body: 0,
            frame: Isometry3::identity(),
            class: match Value::of(world, "childclass") {
                Some(value) => context.defaults.class(value)?,
                None => 0,
            },
            suffix: String::new(),
        };
        walker.children(world, &around)?;
    }
    walker.name_the_nameless();
    Ok(walker.tree)
}

/// What an element stands in.
#[derive(Clone)]
struct Around {
    body: usize,
    /// In the frame of the body.
    frame: Isometry3<f64>,
    class: ClassId,
    /// What copies add to names.
    suffix: String,
}

struct Walker<'c, 'a> {
    context: &'c Context<'a>,
    tree: Tree<'a>,
    /// Names that are used, by kind.
    taken: HashMap<(&'static str, String), ()>,
    count: usize,
}

impl<'a> Walker<'_, 'a> {
    fn children(&mut self, element: &'a Element, around: &Around) -> Result<()> {
        for child in &element.children {
            self.count_one(child)?;
            match child.tag.as_str() {
                "body" => self.body(child, around)?,
                "frame" => self.frame(child, around)?,
                "replicate" => self.replicate(child, around)?,
                "geom" => {
                    child.mark_read();
                    let attributes = self.context.defaults.attributes(child, around.class)?;
                    let mut geom = geom::read(self.context, &attributes, &around.frame)?;
                    geom.name = self.name("geom", child, around)?;
                    self.tree.bodies[around.body].geoms.push(geom);
                }
                "joint" | "freejoint" => self.joint(child, around)?,
                "site" => self.site(child, around)?,
                "flexcomp" | "composite" => self.tree.deformables.push(Deformable {
                    element: child,
                    body: around.body,
                    frame: around.frame,
                    class: around.class,
                    suffix: around.suffix.clone(),
                }),
                "inertial" => {
                    child.mark_read();
                    let body = &mut self.tree.bodies[around.body];
                    if body.inertial.replace((child, around.frame)).is_some() {
                        return Err(child.error("is there twice", "keep one of the two"));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Counts an element or a copy; copies of nothing are work too.
    fn count_one(&mut self, element: &Element) -> Result<()> {
        self.count += 1;
        if self.count > MJCF_ELEMENTS {
            return Err(element.error(
                format!("the model has more than {MJCF_ELEMENTS} elements"),
                "make fewer copies",
            ));
        }
        Ok(())
    }

    fn body(&mut self, element: &'a Element, around: &Around) -> Result<()> {
        element.mark_read();
        let context = self.context;
        let attributes = Attributes::plain(element, &context.defaults.notes);
        attributes.pass_over(&["user", "fuse", "simple"]);
        let is_mocap = attributes.flag_or("mocap", false)?;
        if is_mocap && around.body != 0 {
            return Err(element.attribute_error(
                "mocap",
                "only children of the world are moved by hand",
                "move the body to <worldbody>",
            ));
        }
        let body = Body {
            element,
            name: self.name("body", element, around)?,
            parent: around.body,
            pose: around.frame * pose::pose(&attributes, &context.compiler)?,
            joints: Vec::new(),
            geoms: Vec::new(),
            inertial: None,
            is_mocap,
            gravity_compensation: attributes.number_or("gravcomp", 0.0)?,
            is_node: false,
        };
        self.tree.bodies.push(body);
        let inside = Around {
            body: self.tree.bodies.len() - 1,
            frame: Isometry3::identity(),
            class: self.child_class(&attributes, around)?,
            suffix: around.suffix.clone(),
        };
        self.children(element, &inside)
    }

    fn child_class(&self, attributes: &Attributes<'a>, around: &Around) -> Result<ClassId> {
        match attributes.get("childclass") {
            Some(value) => self.context.defaults.class(value),
            None => Ok(around.class),
        }
    }

    fn frame(&mut self, element: &'a Element, around: &Around) -> Result<()> {
        element.mark_read();
        let attributes = Attributes::plain(element, &self.context.defaults.notes);
        attributes.pass_over(&["name"]);
        let inside = Around {
            frame: around.frame * pose::pose(&attributes, &self.context.compiler)?,
            class: self.child_class(&attributes, around)?,
            ..around.clone()
        };
        self.children(element, &inside)
    }

    /// Copies, each placed from the one before it.
    fn replicate(&mut self, element: &'a Element, around: &Around) -> Result<()> {
        element.mark_read();
        let attributes = Attributes::plain(element, &self.context.defaults.notes);
        let count = attributes.need("count")?.whole(0..=MJCF_ELEMENTS as i64)?;
        let offset = match attributes.get("offset") {
            Some(value) => value.vector()?,
            None => Vector3::zeros(),
        };
        let turn = match attributes.get("euler") {
            Some(value) => pose::euler(value.numbers()?, &self.context.compiler),
            None => nalgebra::UnitQuaternion::identity(),
        };
        let separator = attributes.get("sep").map_or("", |value| value.text);
        let step = Isometry3::from_parts(Translation3::from(offset), turn);
        let digits = count.to_string().len();
        let mut inside = around.clone();
        for number in 0..count {
            self.count_one(element)?;
            inside.suffix = format!("{separator}{number:0digits$}{}", around.suffix);
            self.children(element, &inside)?;
            inside.frame *= step;
        }
        Ok(())
    }

    fn joint(&mut self, element: &'a Element, around: &Around) -> Result<()> {
        element.mark_read();
        if around.body == 0 {
            let problem = "the world cannot move";
            return Err(element.error(problem, "put the joint into a body"));
        }
        let context = self.context;
        let mut joint = if element.tag == "freejoint" {
            joint::free(&Attributes::plain(element, &context.defaults.notes))
        } else {
            let attributes = context.defaults.attributes(element, around.class)?;
            let switches = &context.options.switches;
            joint::read(&attributes, &around.frame, &context.compiler, switches)?
        };
        joint.name = self.name("joint", element, around)?;
        let body = &mut self.tree.bodies[around.body];
        let is_free = joint.kind == joint::Kind::Free;
        if is_free && body.parent != 0 {
            return Err(element.error(
                format!(
                    "moves \"{}\" freely, which hangs on another body",
                    body.name
                ),
                "move the body to <worldbody>",
            ));
        }
        if !body.joints.is_empty()
            && (is_free || body.joints.iter().any(|j| j.kind == joint::Kind::Free))
        {
            let problem = format!("\"{}\" moves freely and has another joint", body.name);
            return Err(element.error(problem, "keep the free joint alone"));
        }
        body.joints.push(joint);
        Ok(())
    }

    fn site(&mut self, element: &'a Element, around: &Around) -> Result<()> {
        element.mark_read();
        let attributes = self.context.defaults.attributes(element, around.class)?;
        // How it is drawn.
        attributes.pass_over(&["size", "type", "rgba", "material", "group", "user", "mesh"]);
        let mut place = pose::pose(&attributes, &self.context.compiler)?;
        if let Some(value) = attributes.get("fromto") {
            let [a, b, c, d, e, f] = value.numbers()?;
            let (from, to) = (Vector3::new(a, b, c), Vector3::new(d, e, f));
            place = Isometry3::from_parts(
                Translation3::from((from + to) / 2.0),
                pose::turn_z_to(pose::direction(value, from - to)?),
            );
        }
        let site = Site {
            element,
            name: self.name("site", element, around)?,
            body: around.body,
            pose: around.frame * place,
        };
        self.tree.sites.push(site);
        Ok(())
    }

    /// The name of an element; empty if it has none.
    fn name(
        &mut self,
        kind: &'static str,
        element: &'a Element,
        around: &Around,
    ) -> Result<String> {
        let Some(name) = element.attribute("name").filter(|name| !name.is_empty()) else {
            return Ok(String::new());
        };
        let name = format!("{name}{}", around.suffix);
        match self.taken.insert((kind, name.clone()), ()) {
            None => Ok(name),
            Some(()) => Err(exists(element, kind, &name)),
        }
    }

    /// Names for what has none, after all others are known.
    fn name_the_nameless(&mut self) {
        let taken = &mut self.taken;
        let mut invent = |kind: &'static str, number: usize, name: &mut String| {
            if name.is_empty() {
                *name = format!("{kind}-{number}");
                while taken.contains_key(&(kind, name.clone())) {
                    name.push('\'');
                }
                taken.insert((kind, name.clone()), ());
            }
        };
        let (mut joints, mut geoms) = (0, 0);
        for (number, body) in self.tree.bodies.iter_mut().enumerate() {
            invent("body", number, &mut body.name);
            for joint in &mut body.joints {
                invent("joint", joints, &mut joint.name);
                joints += 1;
            }
            for geom in &mut body.geoms {
                invent("geom", geoms, &mut geom.name);
                geoms += 1;
            }
        }
    }
}
